"""Results do not change: digests of logits hold exactly on the machine that wrote them, closely elsewhere."""

import json
from typing import Any

import pytest

from tests.golden import recipes
from tests.golden.records import PATH, machine, records, two_processes

GOLDEN: dict[str, Any] = json.loads(PATH.read_text())
CLOSE = 5e-3
# GraphMix trains on the whole graph only.
NETWORKS = [name for name in recipes.NETWORKS if name != "graphmix"]


def compare(found: dict[str, Any]) -> None:
    assert found
    for name, record in found.items():
        expected = GOLDEN["records"][name]
        if machine() == GOLDEN["machine"]:
            assert record["digest"] == expected["digest"], name
        for row, other in zip(record["sample"], expected["sample"], strict=True):
            assert row == pytest.approx(other, abs=CLOSE), name


def test_whole_graph() -> None:
    compare(records(recipes.whole_graph()))


@pytest.mark.parametrize("network", ["gcn", *(pytest.param(n, marks=pytest.mark.slow) for n in NETWORKS[1:])])
def test_mini_batches(network) -> None:
    compare(records(recipes.mini_batches(networks=(network,))))


def test_other_ways_to_train() -> None:
    compare(records(recipes.others()))


@pytest.mark.slow
def test_two_processes() -> None:
    compare(two_processes())


def test_every_record_is_compared() -> None:
    parts = {"whole graph": 36, "mini-batches, 1": 30, "mini-batches, 2": 30}
    assert {part: sum(name.startswith(part) for name in GOLDEN["records"]) for part in parts} == parts
