import numpy as np
import pandas as pd
import torch

from highwaygraph.data.tables.labels import class_name, is_split, read_labels, read_split
from highwaygraph.data.tables.read_log import ReadLog


def test_empty_nan_and_minus_one_are_unlabelled() -> None:
    y, classes = read_labels(pd.Series(["b", "", None, "a", " b "], dtype=object), None, ReadLog())
    assert classes == ["a", "b"]
    assert y.tolist() == [1, -1, -1, 0, 1]
    y, classes = read_labels(pd.Series([10.0, np.nan, 2.0, -1.0]), None, ReadLog())
    assert classes == ["2", "10"]
    assert y.tolist() == [1, -1, 0, -1]


def test_classes_of_another_graph_keep_their_numbers() -> None:
    log = ReadLog()
    y, classes = read_labels(pd.Series(["b", "new"]), ["a", "b"], log)
    assert (y.tolist(), classes) == ([1, -1], ["a", "b"])
    assert "1 classes that the model was not trained on (new)" in str(log.findings[0])


def test_names_of_classes() -> None:
    assert [class_name(v) for v in (3, 3.0, 3.5, True, "x", "NaN")] == ["3", "3", "3.5", "True", "x", ""]


def test_a_split_is_recognised_and_read() -> None:
    column = pd.Series(["Train", "valid", "test", None, "train"], dtype=object)
    assert is_split(column)
    assert not is_split(pd.Series(["train", "left"]))
    assert not is_split(pd.Series([None], dtype=object))
    log = ReadLog()
    masks = read_split(column, torch.tensor([True, True, True, True, False]), list("abcde"), log)
    assert masks["train_mask"].tolist() == [True, False, False, False, False]
    assert masks["val_mask"].tolist() == [False, True, False, False, False]
    assert "1 nodes in the split without a label (e)" in str(log.findings[0])
