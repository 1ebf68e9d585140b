"""Requests become ids, or tables of text as CSV files have them."""

import pytest

from highwaygraph.service.body import parse_json
from highwaygraph.service.refusal import RefusedError
from highwaygraph.service.requests import NewNodes, RunColumns, read_request

COLUMNS = RunColumns("paper", ("kind", "score"), "from", "to", ("type",), ("weight", "w"))


def new(body: bytes, columns: RunColumns = COLUMNS) -> NewNodes:
    found = read_request(parse_json(body), columns, 10)
    assert isinstance(found, NewNodes)
    return found


def test_cells_are_those_of_a_csv_file() -> None:
    found = new(
        b'{"nodes": [{"id": 1.0, "score": 1.50, "kind": true}, {"paper": " x ", "kind": ["a", 2.0, null], "y": 3}],'
        b' "edges": [{"source": 1, "to": "x", "W": 2, "id": 3, "type": "cites"}]}'
    )
    assert found.nodes.to_dict("list")["paper"] == ["1.0", "x"]
    assert found.nodes["kind"].tolist() == ["true", '["a", 2.0, null]']
    assert found.nodes["score"].isna().tolist() == [False, True]
    assert found.nodes["score"][0] == "1.50"
    assert list(found.edges) == ["from", "to", "type", "W"]
    assert (found.unused, found.missing) == (("id", "y"), ())


def test_a_column_that_no_node_has_is_one_of_empty_cells() -> None:
    found = new(b'{"nodes": [{"id": 1, "kind": "a"}, {"id": 2}]}')
    assert list(found.nodes) == ["paper", "kind", "score"]
    assert found.nodes["score"].isna().all()
    assert found.missing == ("score",)


def test_a_feature_called_id_is_not_the_id() -> None:
    columns = RunColumns("paper", ("id",))
    assert new(b'{"nodes": [{"paper": "a", "id": 7}]}', columns).nodes.to_dict("list") == {"paper": ["a"], "id": ["7"]}
    with pytest.raises(RefusedError, match=r"nodes\[0\] has no paper: add it"):
        new(b'{"nodes": [{"id": 7}]}', columns)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"[]", 'The body has to be {"ids": '),
        (b"{}", 'The body has to be {"ids": '),
        (b'{"edges": []}', 'The body has to be {"ids": '),
        (b'{"ids": [], "nodes": []}', 'The body has to be {"ids": '),
        (b'{"ids": 3}', "ids has to be a list that is not empty"),
        (b'{"ids": []}', "ids has to be a list that is not empty"),
        (b'{"ids": [null]}', "ids[0] has to be an id"),
        (b'{"ids": [true]}', "ids[0] has to be an id"),
        (b'{"ids": ["\\ud800"]}', "ids[0] has a character that is no valid Unicode"),
        (b'{"nodes": [3]}', "nodes[0] has to be an object with 'id'"),
        (b'{"nodes": [{"kind": 1}]}', "nodes[0] has no id: add it."),
        (b'{"nodes": [{"id": [1]}]}', "nodes[0].id has to be an id"),
        (b'{"nodes": [{"paper": false}]}', "nodes[0].paper has to be an id"),
        (b'{"nodes": [{"id": 1, "kind": {}}]}', "nodes[0].kind has to be a number"),
        (b'{"nodes": [{"id": 1, "kind": [[]]}]}', "nodes[0].kind has to be a number"),
        (b'{"nodes": [{"id": 1}], "edges": {}}', "edges has to be a list."),
        (b'{"nodes": [{"id": 1}], "edges": [{"source": 1}]}', "edges[0] has no target: add it."),
        (
            b'{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2, "type": null}, {"source": 1, "target": 2}]}',
            "edges[1] has no type, a column of the run's edges: add it.",
        ),
    ],
)
def test_other_documents_are_refused(body, sentence) -> None:
    with pytest.raises(RefusedError) as refused:
        read_request(parse_json(body), COLUMNS, 10)
    assert refused.value.status == 422
    assert str(refused.value).startswith(sentence)
