"""The names by which an open page notices another session, graph or label file."""

from pathlib import Path

from highwaygraph.annotation.identity import identify
from tests.helpers.annotation import cold_graph


def test_every_start_is_another_session_of_the_same_graph() -> None:
    one, other = (identify(cold_graph(), Path("labels.csv")) for _ in range(2))
    assert one.session != other.session
    assert one[1:] == other[1:]


def test_another_label_file_has_other_answers() -> None:
    one, other = (identify(cold_graph(), Path(name)) for name in ("labels.csv", "mine.csv"))
    assert (one.graph == other.graph, one.answers == other.answers) == (True, False)


def test_another_graph_and_other_ids_are_noticed() -> None:
    found = [cold_graph() for _ in range(3)]
    found[1].ids = found[1].ids[::-1]
    found[2].x = found[2].x + 1
    names = [identify(graph, Path("labels.csv")) for graph in found]
    assert len({name.graph for name in names}) == 3
    # Answers belong to nodes, whatever their features are.
    assert names[0].answers == names[2].answers != names[1].answers


def test_ids_of_any_characters_have_a_name() -> None:
    graph = cold_graph()
    graph.ids = [f"\ud800{node}" for node in range(graph.num_nodes)]
    assert identify(graph, Path("l\udcff.csv")).graph
