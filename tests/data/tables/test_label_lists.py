import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import highwaygraph as hg
from highwaygraph.data.tables.label_lists import free_separator, holds_lists, read_label_lists
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.errors import DataError
from highwaygraph.graph.multilabel import labelled_mask
from tests.helpers.label_graphs import NAMES, label_graph, write_label_tables


def test_cells_become_rows_and_empty_cells_are_unlabelled() -> None:
    column = pd.Series(["cs.LG;stat.ML", " stat.ML ", "", None, "cs.LG;;cs.LG", "?", "-1"], dtype=object)
    y, names = read_label_lists(column, ";", None, ReadLog())
    assert names == ["cs.LG", "stat.ML"]
    assert y.tolist() == [[1, 1], [0, 1], [-1, -1], [-1, -1], [1, 0], [-1, -1], [-1, -1]]


def test_labels_of_another_graph_keep_their_columns() -> None:
    y, names = read_label_lists(pd.Series(["b;new", "a", "new"]), ";", ["c", "b", "a"], log := ReadLog())
    assert names == ["c", "b", "a"]
    assert y.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert str(log.findings[0]) == "1 label that the model was not trained on (new): it is not used"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a;b", "a|b", "b"], r"two separators, ';' and '\|' as in 'a\|b': use one of them in all cells"),
        (["a;b", "a,b;c", "c"], r"two separators, ';' and ',' as in 'a,b;c'"),
        (["a|b", "b|c", "a"], "No cell of the label column holds the separator ';': name the one that it has"),
        ([0.25, 0.5, 1.75], "numbers with decimals, such as 0.25: regression is not supported"),
        (["a;", "a", ""], "holds a single label: at least two are needed"),
    ],
)
def test_a_fault_is_one_sentence(cells, message) -> None:
    with pytest.raises(DataError, match=message):
        read_label_lists(pd.Series(cells), ";", None, ReadLog())


def test_a_comma_within_a_name_is_no_separator() -> None:
    _, names = read_label_lists(pd.Series(["Physics, applied;Art", "Art"]), ";", None, ReadLog())
    assert names == ["Art", "Physics, applied"]


def test_tables_are_read_as_several_labels_only_with_a_separator(tmp_path) -> None:
    folder, expected = write_label_tables(tmp_path / "tables"), label_graph()
    data = hg.load(folder, label="topics", label_separator=";")
    assert data.classes == NAMES
    known = labelled_mask(data.y)
    assert (~known).nonzero().flatten().tolist() == list(range(0, 240, 10))
    assert data.y[known].tolist() == expected.y[known].tolist()
    assert data.column_roles["label_separator"] == ";"
    assert hg.load(folder, label="topics").y.dim() == 1


def test_a_separator_without_labels_or_tables_is_refused(tmp_path) -> None:
    folder = write_label_tables(tmp_path / "tables")
    with pytest.raises(DataError, match="no column of labels to separate: name it with --label"):
        hg.load(folder, label_separator=";")
    with pytest.raises(DataError, match="label_separator: this graph is not read from tables"):
        hg.load("cora", label_separator=";")
    with pytest.raises(DataError, match="not supported for several labels per node: load the tables instead"):
        hg.convert(folder, tmp_path / "big", label="topics", label_separator=";")


LISTS = [["bio", " hot "], ["hot"], [], None, np.array(["bio", "bio", None], dtype=object), ("?",)]
ROWS = [[1, 1], [0, 1], [-1, -1], [-1, -1], [1, 0], [-1, -1]]


@pytest.mark.parametrize("separator", ["", ";"])
def test_cells_that_are_lists_need_no_separator(separator) -> None:
    y, names = read_label_lists(pd.Series(LISTS, dtype=object), separator, None, ReadLog())
    assert (y.tolist(), names) == (ROWS, ["bio", "hot"])
    kind = pd.ArrowDtype(pa.list_(pa.string()))
    arrow = pd.Series([["bio", "hot"], ["hot"], [], None, ["bio"], []], dtype=kind)
    assert read_label_lists(arrow, separator, None, ReadLog())[0].tolist() == ROWS


def test_text_among_lists_is_one_label_unless_a_separator_is_named() -> None:
    column = pd.Series([["a", "b;c"], "b;c", 3.0, ""], dtype=object)
    assert read_label_lists(column, "", None, ReadLog())[1] == ["3", "a", "b;c"]
    assert read_label_lists(column, ";", None, ReadLog())[1] == ["3", "a", "b", "b;c", "c"]


def test_lists_of_another_graph_keep_their_columns() -> None:
    y, _ = read_label_lists(pd.Series([["b", "new"], ["new"], []]), ";", ["c", "b"], log := ReadLog())
    assert y.tolist() == [[0, 1], [0, 0], [-1, -1]]
    assert "1 label that the model was not trained on (new)" in str(log.findings[0])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 1, 0], [1, 1, 0]], "lists of the label column are rows of 0 and 1: write the names"),
        ([[0, 1], [1, 0], []], "lists of the label column are rows of 0 and 1: write the names"),
        ([[["a"], ["b"]]], "Lists of lists are not supported as labels: write a list of names"),
        ([[i + 0.5, i + 0.25] for i in range(40)], "80 different numbers, .* regression is not supported"),
        ([["a"], ["a"], []], "holds a single label: at least two are needed"),
    ],
)
def test_a_fault_of_lists_is_one_sentence(cells, message) -> None:
    with pytest.raises(DataError, match=message):
        read_label_lists(pd.Series(cells), "", None, ReadLog())


def test_labels_are_joined_by_a_sign_that_none_of_them_has() -> None:
    assert [free_separator(names) for names in (["a", "b,c"], ["a;b", "c"], [";", "|", ","])] == [";", "|", ";"]


def list_tables(folder):
    """Return tables of nodes, with lists of labels, and of edges."""
    write_label_tables(folder)
    nodes, edges = (pd.read_csv(folder / f"{name}.csv", dtype=str) for name in ("nodes", "edges"))
    nodes["topics"] = [cell.split(";") if isinstance(cell, str) else None for cell in nodes["topics"]]
    return nodes, edges


@pytest.mark.parametrize("separator", ["", ";"])
def test_lists_of_frames_and_parquet_files_equal_a_separator_in_csv(tmp_path, separator) -> None:
    nodes, edges = list_tables(tmp_path / "csv")
    expected = hg.load(tmp_path / "csv", label="topics", label_separator=";")
    parquet = tmp_path / "parquet"
    parquet.mkdir()
    nodes.to_parquet(parquet / "nodes.parquet")
    edges.to_parquet(parquet / "edges.parquet")
    for source in ((nodes, edges), (parquet,)):
        data = hg.load(*source, label="topics", label_separator=separator)
        assert data.classes == expected.classes
        assert data.y.tolist() == expected.y.tolist()
        # Later tables and predictions are written with a separator.
        assert data.column_roles["label_separator"] == ";"
        note = next(column.note for column in data.read_log.columns if column.name == "topics")
        assert note.endswith("separated by ';'" if separator else "several per node, in lists")
    with pytest.raises(DataError, match="not supported for several labels per node: load the tables instead"):
        hg.convert(parquet, tmp_path / "big", label="topics")


def test_the_names_0_and_1_are_accepted_in_lists_of_different_lengths() -> None:
    y, names = read_label_lists(pd.Series([[0, 1], [1], [0]]), "", None, ReadLog())
    assert (y.tolist(), names) == ([[1, 1], [0, 1], [1, 0]], ["0", "1"])


def test_a_set_is_a_list_of_labels() -> None:
    column = pd.Series([{"b", "a"}, frozenset({"a", "b"}), {"a"}, set(), None])
    assert holds_lists(column)
    y, names = read_label_lists(column, "", None, ReadLog())
    assert (y.tolist(), names) == ([[1, 1], [1, 1], [1, 0], [-1, -1], [-1, -1]], ["a", "b"])
