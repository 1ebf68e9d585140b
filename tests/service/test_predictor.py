"""Answers of the service equal those of `highway predict`."""

import json

import pytest
import torch

import highwaygraph as hg
from highwaygraph.runs.other_graphs import load_like
from highwaygraph.service.body import parse_json
from highwaygraph.service.predictor import Predictor, run_columns
from highwaygraph.service.refusal import RefusedError
from highwaygraph.service.requests import read_request
from tests.helpers.cli import run
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import TYPICAL, Own
from tests.helpers.service import NEW, opened_run, write_new, write_run


def answer(predictor: Predictor, document: object) -> dict[str, object]:
    return predictor.answer(json.dumps(document).encode(), 200)


@pytest.mark.parametrize(("preset", "changes"), [("plus", {}), ("full", {}), ("plus", {"fit.features": "row"})])
def test_answers_equal_those_of_the_command_line(capsys, tmp_path, preset, changes) -> None:
    folder, tables = write_run(tmp_path, preset, **changes), write_new(tmp_path / "new")
    code, out, err = run(capsys, "predict", str(folder), tables, "--attach", "--json")
    assert code == 0
    predictor = Predictor(hg.open_run(folder))
    for _ in range(2):
        # Baselines that were kept give the same answer again.
        found = answer(predictor, NEW)
        assert found["predictions"] == json.loads(out)["predictions"]
        assert found["findings"] == err.splitlines()
    assert len({row["confidence"] for row in found["predictions"]}) > 1
    code, out, _ = run(capsys, "predict", str(folder), "--json")
    rows = json.loads(out)["predictions"]
    assert answer(predictor, {"ids": [row["id"] for row in rows]})["predictions"] == rows


def test_logits_equal_those_of_the_tables_bit_for_bit(tmp_path) -> None:
    result = opened_run()
    tables = load_like(result, write_new(tmp_path / "new"), attach=True)
    request = read_request(parse_json(json.dumps(NEW).encode()), run_columns(result), 100)
    graph = load_like(result, request.nodes, request.edges, attach=True)
    assert torch.equal(graph.x, tables.x)
    assert torch.equal(graph.edge_index, tables.edge_index)
    Predictor(result)
    assert torch.equal(result.predict_logits(graph), result.predict_logits(tables))


def test_unused_columns_are_reported() -> None:
    nodes = [node | {"scor": 3} for node in NEW["nodes"]]
    found = answer(Predictor(opened_run()), {"nodes": nodes})
    assert found["findings"][-1] == "1 column that the run was trained without (scor): left out"


def test_a_column_that_no_node_has_equals_empty_cells() -> None:
    predictor = Predictor(opened_run())
    bare = predictor.answer(b'{"nodes": [{"id": "n0", "kind": "a"}]}', 10)
    empty = predictor.answer(b'{"nodes": [{"id": "n0", "kind": "a", "text": null, "score": ""}]}', 10)
    assert bare["predictions"] == empty["predictions"]
    assert "2 columns that no node of the request has (text, score): read as empty cells" in bare["findings"]


def test_nodes_of_the_run_by_id() -> None:
    predictor = Predictor(opened_run())
    found = predictor.node("p003")
    assert [name for name in found if not name.startswith("p_")] == [
        "id", "class", "confidence", "label", "part", "hops", "highways"
    ]  # fmt: skip
    assert found["confidence"] == max(value for name, value in found.items() if name.startswith("p_"))
    with pytest.raises(RefusedError, match="There is no node 'ghost' in this run: check its id"):
        predictor.node("ghost")
    with pytest.raises(RefusedError, match="no nodes 'ghost' in this run"):
        predictor.known(["p000", "ghost"])


def test_a_graph_without_tables_serves_its_own_nodes_only(tmp_path) -> None:
    result = hg.open_run(trained_in_memory().save(tmp_path / "run"))
    predictor = Predictor(result)
    assert answer(predictor, {"ids": [7, "8"]})["predictions"][0]["id"] == 7
    with pytest.raises(RefusedError, match=r"was not read from tables, .* not supported: send \{.ids.: "):
        answer(predictor, NEW)


def test_nodes_that_are_in_the_run_already_are_refused_in_terms_of_the_request() -> None:
    with pytest.raises(RefusedError, match=r"in the run already: send \{.ids.: \[...\]\}, or nodes with other ids"):
        answer(Predictor(opened_run()), {"nodes": [{"id": "p000"}, {"id": "p001"}]})
    found = answer(Predictor(opened_run()), {"nodes": [{"id": "p000"}, {"id": "n0"}]})
    assert [row["id"] for row in found["predictions"]] == ["n0"]


def test_a_run_of_a_users_own_module_is_refused(tmp_path) -> None:
    result = trained_in_memory(Own())
    with pytest.raises(hg.HighwayError, match="your own module Own.*not supported.*hg.open_run"):
        Predictor(hg.open_run(result.save(tmp_path / "run")))


def trained_in_memory(model: torch.nn.Module | None = None) -> hg.Result:

    data = block_graph()
    config = hg.override(TYPICAL, {"fit.epochs": 2})
    return hg.train(model or hg.models.build("gcn", data, hidden=8), data, config, progress=False)
