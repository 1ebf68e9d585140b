"""The overview of a graph that is larger than the viewer's sample."""

from highwaygraph.report import graph_json
from highwaygraph.report.overview import overview
from tests.helpers.example import run_data


def test_a_graph_that_the_viewer_shows_has_no_overview() -> None:
    assert overview(run_data()) is None


def test_a_larger_graph_has_two_images(monkeypatch) -> None:
    monkeypatch.setattr(graph_json, "MOST_NODES", 100)
    found, run = overview(run_data()), run_data()
    changed = int((run.typical.predicted != run.ours.predicted).sum())
    assert found.changed_note.startswith(f"{changed:,} of 180 nodes")
    assert found.classes.startswith("data:image/webp;base64,")
    assert found.changed.startswith("data:image/webp;base64,")
    assert found.changed != found.classes
    alone = overview(run_data(baseline=False))
    assert (alone.changed, alone.classes) == (None, found.classes)
