"""Commands on databases: graphs in, predictions out, and passwords nowhere."""

import json
from collections.abc import Iterator

import pytest

from tests.helpers.cli import QUICK, run
from tests.helpers.databases import EDGES, NODES, duckdb_file, postgresql_tables, sqlite_file
from tests.helpers.postgresql import Server, running_server

FEW = ("--train", "4", "--val", "4", "--no-baseline", *QUICK)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as found:
        yield found


@pytest.mark.parametrize("write", [sqlite_file, duckdb_file])
def test_a_graph_is_inspected_trained_and_predicted(tmp_path, capsys, write) -> None:
    source = write(tmp_path / "papers.db")
    code, out, err = run(capsys, "inspect", source, "--json")
    assert (code, json.loads(out)["nodes"]) == (0, 40), err
    tables = ("--nodes", "nodes", "--edges", "SELECT source, target FROM edges")
    assert run(capsys, "train", source, *tables, "--out", "run", *FEW)[0] == 0
    code, out, err = run(capsys, "predict", "run", "--out", f"{source}#predictions", "--json")
    assert (code, json.loads(out)["path"]) == (0, f"{source}#predictions"), err
    code, _, err = run(capsys, "predict", "run", "--out", f"{source}#predictions")
    assert code == 2
    assert "'predictions' exists in" in err
    assert run(capsys, "predict", "run", source, *tables, "--out", f"{source}#predictions", "--force")[0] == 0
    assert run(capsys, "data", "convert", source, "papers.graph", *tables)[0] == 0


def test_new_nodes_of_a_database_are_attached(tmp_path, capsys) -> None:
    source = sqlite_file(tmp_path / "papers.db")
    assert run(capsys, "train", source, "--out", "run", *FEW)[0] == 0
    new = NODES.head(1).assign(id="new")
    more = sqlite_file(tmp_path / "more.db", nodes=new, edges=EDGES.head(1).assign(source="new"))
    code, out, err = run(capsys, "predict", "run", more, "--attach", "--json")
    assert [row["id"] for row in json.loads(out)["predictions"]] == ["new"], err
    assert code == 0


def test_force_and_tables_are_explained(tmp_path, capsys) -> None:
    source = sqlite_file(tmp_path / "papers.db")
    assert run(capsys, "train", source, "--out", "run", *FEW)[0] == 0
    assert "Name the table to write" in run(capsys, "predict", "run", "--out", source)[2]
    assert "--force replaces a table" in run(capsys, "predict", "run", "--out", "a.csv", "--force")[2]
    for arguments in (("train",), ("predict", "run", "--out"), ("inspect",), ("data", "convert", "papers", "--edges")):
        code, out, err = run(capsys, *arguments, "mysql://ada:s3cret@host/graphs#t")
        assert (code, "s3cret" in out + err) == (2, False)
        assert "mysql:// is not supported" in err or "edges is an address" in err or arguments[0] == "data"


def test_the_password_is_in_no_file_and_in_no_output(server, tmp_path, capsys, monkeypatch) -> None:
    url = postgresql_tables(server.url())
    secret = url.split(":")[2].split("@")[0]
    arguments = ["train", url, "--nodes", "nodes", "--edges", "edges", "--out", "run", *FEW]
    monkeypatch.setattr("sys.argv", ["highway", *arguments])
    shown = "".join(map(str, run(capsys, *arguments)))
    shown += "".join(map(str, run(capsys, "predict", "run", "--out", f"{url}#predictions")))
    shown += "".join(map(str, run(capsys, "predict", "run", "--out", f"{url}#predictions")))
    shown += "".join(map(str, run(capsys, "data", "convert", url, "papers.graph")))
    shown += "".join(map(str, run(capsys, "inspect", url, "--nodes", "none")))
    shown += "".join(map(str, run(capsys, "inspect", f"{url}/none")))
    shown += "".join(map(str, run(capsys, "train", url, "--no-such-option")))
    shown += "".join(map(str, run(capsys, "report", "run")))
    assert "Written to postgresql://ada@127.0.0.1" in shown
    assert "exists in postgresql://ada@" in shown
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)
    assert (tmp_path / "run" / "meta.json") in files
    assert b"postgresql://ada@127.0.0.1" in content
    for form in (secret, "s3cret"):
        assert form not in shown
        assert form.encode() not in content
