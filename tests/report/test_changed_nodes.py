from dataclasses import replace

import pytest
import torch

from highwaygraph.errors import ConfigError, RunError
from highwaygraph.report.changed_nodes import ChangedNode, changed_nodes, to_columns, write
from highwaygraph.runs.probabilities import probability_table
from tests.helpers.compared import two_runs, with_data


def test_every_changed_node_has_the_values_of_both_predictions() -> None:
    first, second = two_runs().values()
    found = changed_nodes("second", first, second)
    assert len(found) == 19
    tables = [probability_table(result) for result in (first, second)]
    rows = [{str(row[0]): dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)}
            for table in tables]  # fmt: skip
    for one in found:
        before, after = (by_id[str(one.id)] for by_id in rows)
        assert (one.predicted, one.confidence, one.hops) == (after["class"], after["confidence"], after["hops"])
        assert (one.first_class, one.first_confidence) == (before["class"], before["confidence"])
        assert (one.label, one.part) == (after["label"], after["part"])
        assert one.predicted != one.first_class


def test_nodes_with_a_known_class_come_first_and_test_nodes_before_others() -> None:
    runs = two_runs()
    first = runs["first"]
    y = first.data.y.clone()
    test = first.data.test_mask.nonzero().flatten()
    y[test[:5]] = -1
    mask = first.data.test_mask & (y >= 0)
    found = changed_nodes("b", *(with_data(one, y=y, test_mask=mask) for one in runs.values()))
    assert [one.label is None for one in found] == [False] * 14 + [True] * 5
    assert [one.part for one in found] == ["test"] * 12 + ["train"] * 2 + ["none"] * 5
    assert {one.effect for one in found[-5:]} == {""}
    confidence = [one.confidence for one in found[:12]]
    assert confidence == sorted(confidence, reverse=True)


def test_nodes_without_a_path_have_no_hops() -> None:
    first, second = two_runs().values()
    empty = torch.empty(2, 0, dtype=torch.long)
    found = changed_nodes("b", *(with_data(one, edge_index=empty) for one in (first, second)))
    assert {one.hops for one in found if one.part == "test"} == {None}


def test_a_file_has_the_columns_of_predict_and_replaces_an_earlier_output_only(tmp_path) -> None:
    found = changed_nodes("second", *two_runs().values())
    path = tmp_path / "changed.csv"
    for nodes in ((), found):
        write(nodes, path)
        head, *rows = path.read_text().splitlines()
        assert head.startswith("id,run,class,confidence,label,part,hops,first_class,")
        assert len(rows) == len(nodes)
    path.write_text("id,label\n1,mine\n")
    with pytest.raises(RunError, match="is no earlier output"):
        write(found, path)
    assert path.read_text() == "id,label\n1,mine\n"
    with pytest.raises(ConfigError, match="CSV or Parquet"):
        write(found, tmp_path / "changed.html")


def test_columns_are_named_without_nodes_too() -> None:
    one = ChangedNode("a", "b", "x", 0.5, None, "none", None, "y", 0.25, 2, "")
    assert to_columns([one]) == {name: [value] for name, value in one.as_dict().items()}
    assert list(to_columns([])) == list(one.as_dict())
    assert replace(one, predicted="z").as_dict()["class"] == "z"
