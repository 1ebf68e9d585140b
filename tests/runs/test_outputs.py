import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data.mapped.writer import from_data, write_mapped_graph
from highwaygraph.errors import RunError
from highwaygraph.runs.export import ENDINGS, export
from highwaygraph.runs.folder import FILES
from highwaygraph.runs.outputs import check_output, plain_name
from highwaygraph.runs.predictions import write
from highwaygraph.runs.probabilities import prediction_table
from tests.helpers.example import run
from tests.helpers.graphs import block_graph


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    write_mapped_graph(folder / "converted", *from_data(block_graph()))
    return run().save(folder / "run")


def test_all_files_of_a_run_are_protected(saved) -> None:
    assert {path.name for path in saved.iterdir()} <= {*FILES}
    for name in (*FILES, "Graph.SafeTensors"):
        with pytest.raises(RunError, match="is a file of the run in .*: choose another name with --out"):
            check_output(saved / name)
    check_output(saved / "report.html")
    check_output(saved.parent / "config.json")


def test_all_files_of_a_converted_graph_are_protected(saved) -> None:
    for path in (saved.parent / "converted").iterdir():
        with pytest.raises(RunError, match="is a file of the converted graph"):
            check_output(path)


def test_a_link_to_a_run_protects_its_files_too(saved, tmp_path) -> None:
    (tmp_path / "latest").symlink_to(saved)
    with pytest.raises(RunError, match="is a file of the run"):
        check_output(tmp_path / "latest" / "meta.json")
    check_output(tmp_path / "latest" / "report.html")


def test_no_link_inside_a_run_is_followed(tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).touch()
    (tmp_path / "export-csv").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="is a link inside a run folder"):
        check_output(tmp_path / "export-csv" / "nodes.csv")
    # A folder of the user may be a link.
    (tmp_path / "elsewhere" / "mine").symlink_to(tmp_path / "elsewhere")
    check_output(tmp_path / "elsewhere" / "mine" / "nodes.csv")


@given(st.text() | st.text(alphabet="./\\-~ \0a"))
def test_a_plain_name_is_one_part_of_a_path(text: str) -> None:
    name = plain_name(text)
    assert Path("runs", name).parent == Path("runs")
    assert os.path.normpath(f"runs/{name}") == f"runs/{name}"
    assert 0 < len(name.encode()) <= 100


@pytest.mark.parametrize("name", ["cora", "my graph (2)", "Übersicht.2024", "a-b_c"])
def test_an_ordinary_name_stays(name: str) -> None:
    assert plain_name(name) == name


@pytest.mark.parametrize("name", ["notes.txt", "nodes.csv", "g.graphml", "a.npz", "page.html"])
def test_a_file_of_the_user_is_not_replaced(tmp_path, name) -> None:
    (tmp_path / name).write_text("id,size\n1,2\n")
    with pytest.raises(RunError, match="exists already and is no earlier output: choose another name"):
        check_output(tmp_path / name)
    assert (tmp_path / name).read_text() == "id,size\n1,2\n"
    (tmp_path / name).write_text("")
    check_output(tmp_path / name)


def test_words_in_a_table_of_the_user_make_it_no_output(tmp_path) -> None:
    text = "id,text\n1,the class of a highway with high confidence\n"
    (tmp_path / "nodes.csv").write_text(text)
    with pytest.raises(RunError, match="is no earlier output"):
        check_output(tmp_path / "nodes.csv")


def test_an_earlier_output_is_replaced(tmp_path) -> None:
    result = run()
    for kind in ENDINGS:
        for _ in range(2):
            export(result, kind, tmp_path / f"out{ENDINGS[kind]}")
    for name in ("p.csv", "p.parquet"):
        for graph in (None, result.data, None):
            write(prediction_table(result, graph), tmp_path / name)


@pytest.mark.parametrize(
    "heads",
    ["id,reason,label,class,confidence,others_predict", "id,reason,given_label,predicted,confidence_percent,hops"],
)
def test_nodes_to_check_are_replaced(tmp_path, heads) -> None:
    (tmp_path / "check.csv").write_text(f"{heads}\n1,2,3,4,5,6\n")
    check_output(tmp_path / "check.csv")
