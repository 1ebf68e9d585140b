"""The public names."""

import subprocess
import sys

import pytest

import highwaygraph as hg

ONE_LINER = (
    "import highwaygraph as hg; d=hg.split(hg.load('cora'),train=20,val=30,seed=0); "
    "r=hg.train(hg.models.build('gcn',d), d, hg.PRESETS['full'], seed=0); print(r.stopped, r.rounds)"
)


def test_every_public_name_exists() -> None:
    for name in hg.__all__:
        assert getattr(hg, name) is not None
    assert dir(hg) == sorted(hg.__all__)
    assert hg.__version__.count(".") == 2


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(hg, "utils")


@pytest.mark.slow
def test_the_one_liner_is_deterministic() -> None:
    options = {"capture_output": True, "text": True, "check": True}
    outputs = {subprocess.run([sys.executable, "-c", ONE_LINER], **options).stdout for _ in range(2)}
    assert len(outputs) == 1
    assert "Round(epochs=" in outputs.pop()
