"""`highway label` as a process: start, answers that survive SIGKILL, and its end."""

import http.client
import json
import signal
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from highwaygraph.service.server import listen
from tests.helpers.annotation import TOKEN, labelling
from tests.helpers.cli import QUICK, run, write_graph


def post(url: str, path: str, **body: object) -> tuple[int, dict]:
    address = urlsplit(url)
    with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
        connection.request("POST", path, json.dumps(body), {"Authorization": f"Bearer {TOKEN}"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def label(url: str, node: int, name: str) -> tuple[int, dict]:
    return post(url, "/api/answer", window="w", node=node, answer="label", **{"class": name})


def test_answers_survive_sigkill_and_train_a_model(capsys, tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    file = tmp_path / "mine.csv"
    options = (data, "--known", "none", "--labels", str(file))
    with labelling(*options) as (process, start):
        assert (start["answers"], start["labels"]) == (0, str(file))
        for node in (0, 1, 2, 3, 60, 61, 62):
            assert label(start["url"], node, str(node // 60))[0] == 200
        process.send_signal(signal.SIGKILL)
        process.wait()
    with labelling(*options) as (process, start):
        assert start["answers"] == 7
        # The file belongs to this process.
        code, out, err = run(capsys, "label", *options, "--port", "0")
        assert (code, out, "is open in another highway label" in err) == (2, "", True)
        assert label(start["url"], 63, "1")[1]["labels"] == 8
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.read() == f"8 answers are in {file}.\n"
    code, _, err = run(
        capsys, "train", data, "--labels", str(file), "--known", "none", *QUICK, "--preset", "typical", "--out", "run"
    )
    assert (code, f"8 labelled nodes: labels of {file}." in err) == (0, True)


def test_one_answer_is_in_the_singular(tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    file = tmp_path / "mine.csv"
    file.write_text("id,class\n3,0\n")
    with labelling(data, "--known", "none", "--labels", str(file)) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.read() == f"1 answer is in {file}.\n"


def test_a_port_in_use_ends_with_a_sentence(capsys, tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    with listen("127.0.0.1", 0) as place:
        code, out, err = run(capsys, "label", data, "--known", "none", "--port", str(place.getsockname()[1]))
    assert (code, out, err.startswith("Cannot listen on port"), err.count("\n")) == (1, "", True, 1)
    assert not list(Path().glob("*labels.csv"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "All nodes have a label in the data: for a trial, --known none leaves their labels out."),
        (("--known", "none", "--token", "short"), "A token has at least 16"),
        (("--known", "none", "--port", "70000"), "port should be less than or equal to 65535"),
        (("--known", "none", "--model", "auto"), "The page trains one network: name it with --model."),
        (("--known", "none", "--preset", "best"), "best"),
        (("--known", "none", "--labels", "graph.npz"), "is not in UTF-8"),
        (("--known", "none", "--labels", "nodes.csv"), "has columns that a label file does not keep"),
        (("--known", "none", "--labels", "twice.csv"), "labels node '1' twice"),
    ],
)
def test_bad_input_is_one_sentence_and_no_file_changes(capsys, tmp_path, monkeypatch, options, sentence) -> None:
    monkeypatch.chdir(tmp_path)
    write_graph(tmp_path / "graph.npz")
    Path("nodes.csv").write_text("id,class,text\n1,0,words\n")
    Path("twice.csv").write_text("id,class\n1,0\n1,1\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run(capsys, "label", "graph.npz", *options)
    assert (code, out, sentence in err) == (2, "", True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_train_refuses_a_label_file_that_does_not_fit(capsys, tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    for text, sentence in (
        ("id,class\n999,0\n", "names 1 node that the graph does not have (first: '999' in line 2)"),
        ("id,class\n1,first\n", "names 1 class that the graph does not have (first: 'first' in line 2)"),
        ("id,class\n1,0\n1,1\n", "labels node '1' twice, '0' in line 2 and '1' in line 3: remove one of the lines."),
    ):
        Path("labels.csv").write_text(text)
        code, out, err = run(capsys, "train", data, "--labels", "labels.csv", "--out", "run")
        assert (code, out, sentence in err) == (2, "", True)
        assert not Path("run").exists()
    code, _, err = run(capsys, "train", data, "--known", "none", "--out", "run")
    assert (code, "name the file with --labels" in err) == (2, True)


def test_labels_beside_those_of_the_graph_are_counted(capsys, tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    Path("labels.csv").write_text("id,class\n1,0\n")
    code, _, err = run(capsys, "train", data, "--labels", "labels.csv", *QUICK, "--preset", "typical", "--out", "run")
    assert code == 0
    assert "180 labelled nodes: labels of labels.csv and 180 of the graph itself, which --known none leaves out." in err
