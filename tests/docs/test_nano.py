"""The one-file version of Algorithm 1 is short, independent of the library, and bit-identical to it."""

import ast
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import torch
from numpy.testing import assert_array_equal
from torch.nn import functional as F

import highwaygraph as hg

FILE = Path(__file__).resolve().parents[2] / "examples/nano_highwaygraph.py"


@pytest.fixture
def nano():
    spec = spec_from_file_location("nano_highwaygraph", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cora():
    return hg.split(hg.load("cora"))


# Rounds that end by patience, and rounds that run all their epochs.
@pytest.mark.parametrize(("seed", "epochs", "patience", "max_t"), [(1, 40, 2, 5), (0, 8, 10, 3)])
def test_logits_rounds_and_highways_are_those_of_the_library(nano, cora, seed, epochs, patience, max_t) -> None:
    nano.PATIENCE = patience
    options = {"fit.epochs": epochs, "fit.patience": patience, "highway.rounds": max_t, "fit.device": "cpu"}
    options["fit.sparse_features"] = False
    model = nano.GCN(cora.num_features, 64, 7)
    library = hg.train(model, cora, hg.override(hg.PRESETS["full"], options), seed=seed)
    result = nano.highway_graph(model, cora, seed, max_t=max_t, epochs=epochs)

    assert torch.equal(result.logits, library.logits)
    assert torch.equal(result.highways, library.highways)
    rounds = [[getattr(one, name) for name in nano.Round._fields] for one in library.rounds]
    assert_array_equal(result.rounds, rounds)
    # How many rounds there are depends on the machine's rounding; a second one, on highways, there always is.
    assert len(rounds) > 1
    assert result.rounds[0].edges_added > 100
    assert all((one.epochs < epochs) == (patience < epochs) for one in result.rounds)


def test_presets_are_the_same(nano) -> None:
    full = hg.PRESETS["full"]
    assert full.pairs.weight == nano.LAMBDA
    assert (full.highway.node_threshold, full.highway.pair_threshold) == (nano.T_N, nano.T_P)
    assert (full.fit.lr, full.fit.weight_decay, full.fit.patience) == (nano.LR, nano.WEIGHT_DECAY, nano.PATIENCE)
    assert (5, 200) == (full.highway.rounds, full.fit.epochs) == nano.highway_graph.__defaults__[1:]


def test_the_loss_is_that_of_the_paper_and_its_gradient_is_right(nano) -> None:
    labels = torch.tensor([0, 0, 1, 2, 2, 2])
    y = torch.randn(6, 3, dtype=torch.double, generator=torch.Generator().manual_seed(0)).requires_grad_()
    r, weight = (part.double() for part in nano.pair_targets(labels))
    i, j = torch.triu_indices(6, 6, offset=1)
    same = (labels[i] == labels[j]).double()
    balanced = torch.where(same == 1, (same == 0).sum() / same.sum(), 1.0)
    node = F.cross_entropy(y, labels)
    pair = F.binary_cross_entropy((y[i] * y[j]).sum(dim=1).sigmoid(), same, balanced)

    loss = nano.JointLoss.apply(y, labels, r, weight)
    torch.testing.assert_close(loss, node + pair)
    assert torch.autograd.gradcheck(nano.JointLoss.apply, (y, labels, r, weight))


@pytest.mark.parametrize(("weight", "verdict"), [(1.0, "bit-identical"), (0.0, "different")])
def test_main_prints_both_runs_and_whether_they_are_identical(nano, capsys, weight, verdict) -> None:
    nano.LAMBDA = weight
    nano.main(epochs=2)
    header, *rows, last = capsys.readouterr().out.splitlines()
    assert header.split() == ["round", "epochs", "validation", "test", "highways", "precision"]
    assert last == f"Logits and highways are {verdict}."
    ours, library = ([row.split()[1:] for row in rows if row.startswith(name)] for name in ("nano", "library"))
    assert ours
    assert len(ours) + len(library) == len(rows)
    assert (ours == library) == (verdict == "bit-identical")


def test_the_file_has_at_most_150_lines_and_only_main_imports_the_library() -> None:
    text = FILE.read_text()
    assert len(text.splitlines()) <= 150
    tree = ast.parse(text)
    (main,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    assert list(_imports_of_library(tree)) == list(_imports_of_library(main)) == ["highwaygraph"]
    used = {node.attr for node in ast.walk(main) if isinstance(node, ast.Attribute) and _is_name(node.value, "hg")}
    assert used == {"PRESETS", "load", "override", "split", "train"}


def _imports_of_library(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (name for name in names if name.split(".")[0] == "highwaygraph")


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
