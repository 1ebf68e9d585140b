import time

import pytest
import torch

from highwaygraph.config import PRESETS
from highwaygraph.engine import train
from highwaygraph.models import build
from highwaygraph.pool import cores, each
from tests.graphs import block_graph


def cell(seed: int) -> tuple[int, list[float]]:
    data = block_graph(seed % 2)
    result = train(build("gcn", data), data, PRESETS["full"], seed=seed)
    return torch.get_num_threads(), result.logits.flatten().tolist()


def slow_square(x: int) -> int:
    time.sleep(0.2 if x == 0 else 0.0)
    return x * x


def fail(x: int) -> int:
    raise ValueError(f"cell {x}")


def test_the_number_of_workers_changes_nothing() -> None:
    threads = torch.get_num_threads()
    alone, together = (dict(each(cell, range(4), workers)) for workers in (1, 2))
    assert alone == together
    assert {threads for threads, _ in together.values()} == {1}
    assert torch.get_num_threads() == threads


def test_answers_come_as_they_are_ready() -> None:
    assert sorted(each(slow_square, range(5), workers=2)) == [(x, x * x) for x in range(5)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_cell_is_heard_of(workers) -> None:
    with pytest.raises(ValueError, match="cell 3"):
        list(each(fail, [3], workers=workers))


def test_there_is_at_least_one_core() -> None:
    assert cores() >= 1
