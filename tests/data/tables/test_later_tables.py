"""Tables that are read by the schema of a run: columns keep the types that they were trained with."""

from pathlib import Path

import numpy as np
import pytest

import highwaygraph as hg
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.graph.graph import Graph
from tests.helpers.cli import QUICK, run

CODES = ["01", "02", "1A"]


def write(folder: Path, header: str, rows: list[str], edges: list[str]) -> Path:
    folder.mkdir()
    (folder / "nodes.csv").write_text("\n".join([header, *rows]) + "\n")
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n")
    return folder


@pytest.fixture
def trained(tmp_path) -> Graph:
    rows = [f"n{i},{CODES[i % 3]},{i % 2 == 0},{i}.5,2001-01-{i + 1:02d},{'xy'[i % 2]}" for i in range(12)]
    ring = [f"n{i},n{(i + 1) % 12}" for i in range(12)]
    return hg.load(write(tmp_path / "first", "id,code,open,size,since,label", rows, ring))


def later(trained: Graph, folder: Path, rows: list[str]) -> Graph:
    edges = [f"{rows[0].split(',')[0]},{row.split(',')[0]}" for row in rows[1:]]
    schema = Schema(trained.encoders, trained.classes, None, ColumnRoles(**trained.column_roles))
    return hg.load(write(folder, "id,code,open,size,since", rows, edges), schema=schema)


def test_codes_are_categories_in_a_table_of_digits_too(trained, tmp_path) -> None:
    data = later(trained, tmp_path / "later", ["a,01,True,1,2001-01-01", "b,02,False,2,2001-01-02"])
    assert data.x[:, :3].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert data.x[:, 3].tolist() == [1, 0]
    assert data.read_log.findings == []


def test_cells_that_cannot_be_read_are_counted(trained, tmp_path) -> None:
    data = later(trained, tmp_path / "later", ["a,1,no,many,soon", "b,02,False,2,2001-01-02", "c,01,perhaps,NA,"])
    assert data.x[:, 3].tolist() == [0, 0, 0]
    assert [str(finding) for finding in data.read_log.findings] == [
        "1 cell in the column 'code' that is in none of its categories (1): encoded as missing",
        "1 cell in the column 'open' that is neither true nor false (perhaps): encoded as missing",
        "1 word in the column 'size' of numbers (many): encoded as missing",
        "1 cell in the column 'since' that is no date (soon): encoded as missing",
    ]


def test_a_run_remembers_its_columns(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"Name {i % 30},c{i},{i % 2 + rng.normal():.2f},{'xy'[i % 2]}" for i in range(60)]
    edges = [f"c{i},c{(i + 2) % 60},{i},{1 + i % 3}" for i in range(60)]
    for name, some in (("first", rows), ("other", rows[:40])):
        folder = write(tmp_path / name, "name,company_id,size,sector", some, [])
        (folder / "edges.csv").write_text("\n".join(["from,to,weight,years", *edges[: len(some) - 2]]) + "\n")
    names = ("--label", "sector", "--weight", "years")
    code, out, _ = run(capsys, "inspect", "first", *names)
    assert code == 0
    assert "of which the column 'name' holds 0%" in out
    assert "Columns of the edges" in out
    assert "each edge is used in both directions" in out
    assert (
        run(
            capsys,
            "train",
            "first",
            *names,
            "--train",
            "8",
            "--val",
            "8",
            "--out",
            "r",
            *QUICK,
            "--select.no-baselines",
        )[0]
        == 0
    )
    roles = {"id": "company_id", "label": "sector", "split": "", "weight": "years", "source": "from", "target": "to"}
    roles |= {"edge_type": "", "edge_features": "", "label_separator": "", "graph": ""}
    assert hg.open_run("r").data.column_roles == roles
    code, out, _ = run(capsys, "predict", "r", "other")
    assert (code, len(out.splitlines())) == (0, 41)
    assert out.splitlines()[1].startswith("c0,")


def test_a_converted_graph_remembers_its_columns(tmp_path) -> None:
    rows = [f"Name {i},c{i},{'xy'[i % 2]}" for i in range(6)]
    folder = write(tmp_path / "first", "name,company_id,label", rows, ["c0,c1", "c2,c3"])
    graph = hg.convert(folder, tmp_path / "big")
    assert graph.column_roles["id"] == "company_id"
    assert list(graph.ids) == [f"c{i}" for i in range(6)]
