"""Option names of version 0.1 on the command line."""

import pytest

from highwaygraph import open_run
from highwaygraph.cli.renamed import present_arguments
from highwaygraph.errors import RenamedWarning
from tests.helpers.cli import run, write_graph

RENAMED = {
    ("--checkpoint", "5"): ("--checkpoint-every", "5"),
    ("--few", "share"): ("--small-classes", "share"),
    ("--store", "a.db"): ("--storage", "a.db"),
    ("--views.weight", "1"): ("--consistency.weight", "1"),
    ("--views.count", "2"): ("--consistency.num-views", "2"),
    ("--views.no-align",): ("--consistency.no-align-prior",),
    ("--highway.tries", "3"): ("--highway.patience", "3"),
    ("--highway.links", "partners"): ("--highway.targets", "partners"),
    ("--highway.adds", "edges"): ("--highway.control", "none"),
    ("--highway.adds=labels",): ("--highway.control=pseudo-labels",),
    ("--highway.adds", "random-edges"): ("--highway.control", "random-edges"),
    ("--fit.batch", "8"): ("--fit.batch-size", "8"),
    ("--fit.neighbors", "5", "5"): ("--fit.num-neighbors", "5", "5"),
    ("--fit.workers=2",): ("--fit.num-workers=2",),
}


@pytest.mark.parametrize("old", RENAMED, ids=" ".join)
def test_an_old_option_becomes_the_present_one_with_a_warning(old: tuple[str, ...]) -> None:
    with pytest.warns(RenamedWarning, match="is now called") as caught:
        assert present_arguments(["train", "cora", *old, "--seed", "1"]) == [
            "train", "cora", *RENAMED[old], "--seed", "1"
        ]  # fmt: skip
    assert len(caught) == 1
    assert "--" in str(caught[0].message)


@pytest.mark.parametrize("new", RENAMED.values(), ids=" ".join)
def test_a_present_option_is_unchanged_without_a_warning(new: tuple[str, ...]) -> None:
    assert present_arguments(["tune", *new]) == ["tune", *new]


def test_other_commands_are_unchanged() -> None:
    assert present_arguments(["study", "--few", "x"]) == ["study", "--few", "x"]
    assert present_arguments([]) == []


@pytest.mark.filterwarnings("default::highwaygraph.errors.RenamedWarning")
def test_an_old_command_trains_with_one_sentence_on_stderr(capsys, tmp_path) -> None:
    words = ("--views.weight", "0.5", "--fit.epochs", "3", "--fit.device", "cpu", "--no-baseline", "--out", "r")
    code, _, err = run(capsys, "train", write_graph(tmp_path / "toy.npz"), *words)
    assert (code, err) == (0, "--views.weight is now called --consistency.weight: use that name.\n")
    assert open_run("r").config.consistency.weight == 0.5
