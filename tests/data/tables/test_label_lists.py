import pandas as pd
import pytest

import highwaygraph as hg
from highwaygraph.data.tables.label_lists import read_label_lists
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
    assert str(log.findings[0]) == "1 labels that the model was not trained on (new): they are not used"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a;b", "a|b", "b"], r"two separators, ';' and '\|' as in 'a\|b': use one of them in all cells"),
        (["a;b", "a,b;c", "c"], r"two separators, ';' and ',' as in 'a,b;c'"),
        (["a|b", "b|c", "a"], "No cell of the label column holds the separator ';': name the one that it has"),
        ([0.25, 0.5, 1.75], "numbers with decimals, such as 0.25: .* does not predict quantities"),
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
