"""Highways and nearest labels of a run with highways."""

from highwaygraph.explanation.highway_records import HighwayRecords
from highwaygraph.explanation.naming import Naming
from highwaygraph.graph.queries import hops_from
from tests.helpers.trained import named_run


def test_highways_and_distances_are_those_of_the_run() -> None:
    result = named_run()
    assert result.highways.size(1) > 0
    records, naming = HighwayRecords(result, Naming(result)), Naming(result)
    labelled = result.data.train_mask.nonzero().flatten()
    before, after = hops_from(result.data, labelled), hops_from(result.graph, labelled)
    closer = (after < before) & (after >= 0)
    node = int(closer.nonzero()[0]) if bool(closer.any()) else int(result.highways[1, 0])
    reasons, count = records.highways(node)
    ends = result.highways
    assert count == int(((ends[0] == node) | (ends[1] == node)).sum())
    assert len(reasons) == min(count, 10)
    predicted = int(result.predict()[node])
    for graph_hops, with_highways in ((before, False), (after, True)):
        found = records.nearest(node, predicted, with_highways=with_highways)
        assert found.hops == int(graph_hops[node])
        assert found.path[0] == naming.id(node)
    anchor = int(ends[0, 0])
    listed, _ = records.highways(int(ends[1, 0]))
    mine = next(one for one in listed if one.id == naming.id(anchor))
    assert mine.label == naming.training_label(anchor)
    assert 0 <= mine.confidence <= 1
    assert mine.round >= 1
