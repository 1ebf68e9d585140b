"""The curve: only appended, and read although a line is incomplete."""

import json
from dataclasses import asdict

import pytest

from highwaygraph.annotation.curve import CurvePoint, append_point, curve_path, read_curve
from highwaygraph.errors import FailedError

POINT = CurvePoint(10, 3, 0.5, 0.3, 0.7, 5, "now")


def test_points_are_appended_and_read(tmp_path) -> None:
    path = curve_path(tmp_path / "labels.csv")
    assert read_curve(path) == []
    append_point(path, POINT)
    append_point(path, POINT)
    assert read_curve(path) == [POINT, POINT]


@pytest.mark.parametrize("rest", ['{"labels": 3', "null", "[]", '{"labels": "x"}', "\ufffd", "[" * 5000])
def test_a_line_that_is_no_point_takes_no_other_with_it(tmp_path, rest) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(asdict(POINT)) + "\n" + rest, encoding="utf-8")
    append_point(path, POINT)
    assert read_curve(path) == [POINT, POINT]


def test_a_point_of_other_types_is_left_out(tmp_path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(asdict(POINT) | {"accuracy": "high"}))
    assert read_curve(path) == []


def test_a_folder_that_is_gone_is_one_sentence(tmp_path) -> None:
    with pytest.raises(FailedError, match="Cannot write"):
        append_point(tmp_path / "gone" / "x.jsonl", POINT)
