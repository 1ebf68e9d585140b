import json

from highwaygraph.report.comparison import compare_runs
from tests.helpers.compared import two_runs, with_data
from tests.helpers.example import without_test


def test_a_comparison_is_json_by_the_names_of_the_runs() -> None:
    found = compare_runs(two_runs())
    values = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [row["name"] for row in values["runs"]] == ["first", "second"]
    assert values["options"] == {"fit.lr": {"first": found.options["fit.lr"][0], "second": 0.5}}
    overall = values["hops"][-1]
    assert overall["hops"] == "all"
    assert overall["scores"]["second"] == {"nodes": 120, "accuracy": 113 / 120}
    assert set(values["classes"][0]["scores"]["first"]) == {"nodes", "precision", "recall", "f1"}
    gain = values["changes"][0]["gain"]
    assert gain["low"] < gain["points"] == 5.0 < gain["high"]
    assert (gain["corrected"], gain["newly_wrong"]) == (10, 4)


def test_scores_that_are_not_defined_are_null() -> None:
    first, second = two_runs().values()
    found = compare_runs({"a": without_test(first), "b": second}).as_dict()
    assert found["runs"][0]["test"] == first.test
    assert found["hops"][0]["scores"]["a"] == {"nodes": 0, "accuracy": None}
    assert found["changes"][0]["gain"] is None


def test_comparable_runs_are_those_on_the_first_graph() -> None:
    first, second = two_runs().values()
    found = compare_runs({"a": first, "b": with_data(second, x=second.data.x + 1), "c": second})
    assert [row.name for row in found.comparable] == ["a", "c"]
    assert set(found.as_dict()["hops"][0]["scores"]) == {"a", "c"}
