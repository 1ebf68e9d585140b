"""Records are plain values."""

import json

from highwaygraph.explanation.records import HighwayReason, Part


def test_records_are_compared_by_value() -> None:
    assert Part("threshold", 1.0, None, 0.5) == Part("threshold", 1.0, None, 0.5)
    reason = HighwayReason("a", None, "red", True, 1, 0.9, 0.95, 0.2, ("word",))
    assert json.loads(json.dumps(reason.__dict__))["shared"] == ["word"]
