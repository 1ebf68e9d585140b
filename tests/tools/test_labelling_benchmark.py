"""The benchmark of labelling strategies: what is never suggested, how annotators err, and how it resumes."""

import json

import pytest
import torch

from benchmarks import labelling
from benchmarks.labelling import Cell, annotated, divide, measure, read, run
from tests.helpers.graphs import block_graph


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    graph = block_graph()
    del graph.train_mask, graph.val_mask, graph.test_mask
    monkeypatch.setattr(labelling, "_load", lambda _: graph)
    monkeypatch.setattr(labelling, "_first", {})


def test_test_and_validation_nodes_are_never_labelled(monkeypatch) -> None:
    suggested, original = [], labelling.suggest

    def recorded(*arguments):
        suggested.extend(found := original(*arguments))
        return found

    monkeypatch.setattr(labelling, "suggest", recorded)
    cell = Cell("cora", "medoids", "none", (1, 3), split=0)
    found = run(cell)
    graph, test, first = divide(cell)
    assert found["labels"] == [3, 9]
    assert len(found["accuracy"]) == len(found["seconds"]) == 2
    assert len(suggested) == len(set(suggested)) == 9
    assert not (test | graph.val_mask)[suggested].any()
    assert graph.y[first].tolist() == [0, 1, 2]
    assert not (test & graph.val_mask).any()
    assert not (test | graph.val_mask)[first].any()


def test_annotators_err_as_often_as_given_and_only_where_they_label() -> None:
    graph, *_ = divide(Cell("cora", "random", "none", (1,), 0))
    nodes = torch.arange(100)
    right = annotated(graph, nodes, Cell("cora", "random", "none", (1,), 0))
    assert torch.equal(right.y, graph.y)
    assert right.train_mask.nonzero().flatten().tolist() == nodes.tolist()
    wrong = annotated(graph, nodes, Cell("cora", "random", "none", (1,), 0, noise=0.3))
    assert 15 < int((wrong.y != graph.y).sum()) < 45
    assert torch.equal(wrong.y[100:], graph.y[100:])


def test_only_missing_cells_are_run(tmp_path, monkeypatch) -> None:
    wanted = [Cell("cora", name, "class", (1, 2), 0) for name in ("random", "degree")]
    monkeypatch.setattr(labelling, "cells", lambda: iter(wanted))
    target, lines = tmp_path / "labelling.jsonl", []
    assert measure(lines.append, target) == {"cells": 2}
    assert [one["cell"]["strategy"] for one in read(target)] == ["random", "degree"]
    first = target.read_text()
    assert json.loads(first.splitlines()[0])["accuracy"][0] == json.loads(first.splitlines()[1])["accuracy"][0]
    assert measure(lines.append, target) == {"cells": 2}
    assert target.read_text() == first
    assert len(lines) == 2
