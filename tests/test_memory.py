import math

import torch

from highwaygraph import memory


def test_the_peak_counts_from_where_it_was_forgotten() -> None:
    held = memory.forget_peak()
    table = torch.ones(64 * 2**18)
    assert 60 < memory.peak_mib() - held < 120
    del table


def test_where_the_system_tells_nothing_neither_do_we(monkeypatch) -> None:
    monkeypatch.setattr(memory, "_status", lambda _: (_ for _ in ()).throw(OSError))
    assert memory.peak_mib() > 0
    monkeypatch.setitem(__import__("sys").modules, "resource", None)
    assert math.isnan(memory.peak_mib())
