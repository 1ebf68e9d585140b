"""`highway explain`: a text, JSON, and sentences for wrong calls."""

import json

import pytest

from highwaygraph.runs.open import open_run
from tests.helpers.cli import run
from tests.helpers.own_module import TYPICAL, Own
from tests.helpers.trained import named_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return str(named_run().save(tmp_path_factory.mktemp("runs") / "toy"))


def test_explain_prints_a_text_of_80_columns(capsys, folder, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(capsys, "explain", folder, "node <7>, text", "node <90>, text")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "node <7>, text: " in out
    assert "Training labels" in out


def test_explain_prints_json(capsys, folder) -> None:
    code, out, _ = run(capsys, "explain", folder, "node <7>, text", "--json")
    found = json.loads(out)
    assert (code, found["run"]) == (0, folder)
    (one,) = found["explanations"]
    predicted = open_run(folder).predict()[7]
    assert one["predicted"] == named_run().data.classes[int(predicted)]
    assert {"parts", "messages", "labels", "features", "voters", "highways", "nearest_before", "notes"} <= set(one)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name at least one id"),
        (("node <7>, tex",), "did you mean 'node <7>, text'?"),
    ],
)
def test_wrong_ids_are_refused_with_a_sentence(capsys, folder, arguments, sentence) -> None:
    code, out, err = run(capsys, "explain", folder, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_other_folders_and_own_modules_are_refused(capsys, tmp_path) -> None:
    code, _, err = run(capsys, "explain", str(tmp_path), "1")
    assert code == 2
    assert len(err.splitlines()) == 1
    from highwaygraph.training.engine import train
    from tests.helpers.graphs import block_graph

    path = train(Own(), block_graph(), TYPICAL, seed=0, progress=False).save(tmp_path / "own")
    code, _, err = run(capsys, "explain", str(path), "1")
    assert code == 2
    assert "explain it in Python" in err
