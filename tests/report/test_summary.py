import json
import math

import pytest

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.summary import Comparison, compare
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    data = block_graph()
    quick = {"fit.epochs": 30, "fit.device": "cpu"}
    ours, typical = (train(build("gcn", data), data, override(PRESETS[p], quick)) for p in ("full", "typical"))
    return compare(ours.with_baseline(typical))


def test_hop_buckets_partition_the_test_nodes(comparison: Comparison) -> None:
    *buckets, everything = comparison.hops
    assert everything.hops == "all"
    assert sum(b.nodes for b in buckets) == everything.nodes == 120
    right = sum(b.nodes * b.accuracy for b in buckets if b.nodes)
    assert right / 120 == pytest.approx(comparison.result.test)


def test_the_dict_is_json(comparison: Comparison) -> None:
    values = json.loads(json.dumps(comparison.as_dict(), allow_nan=False))
    assert values["rounds"][0]["epochs"] == comparison.result.rounds[0].epochs
    assert values["typical"]["test"] == comparison.result.baseline.round.test
    assert values["hops"][0]["hops"] == "1"
    assert sum(row["nodes"] for row in values["classes"]) == 120
    assert {"test_macro_f1", "test_balanced_accuracy", "test_average_precision"} <= values["typical"].keys()
    assert values["gain"]["nodes"] == 120
    assert values["largest_class"] == {"class": "0", "test": pytest.approx(1 / 3)}
    assert values["best_round"] == values["kept"] == comparison.result.best_round


def test_a_run_without_test_nodes_has_null_accuracy() -> None:
    data = block_graph()
    del data.test_mask
    result = train(build("gcn", data), data, override(PRESETS["typical"], {"fit.epochs": 3}))
    assert math.isnan(result.test)
    values = json.loads(json.dumps(compare(result).as_dict(), allow_nan=False))
    assert values["test"] is None
    assert values["typical"] is None
