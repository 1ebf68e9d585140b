import numpy as np
import pandas as pd
import pytest
import torch

from highwaygraph.data.tables.labels import is_split, read_labels, read_split
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.errors import DataError


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
    assert "1 class that the model was not trained on (new)" in str(log.findings[0])
    y, _ = read_labels(pd.Series(["1.0", "2.0", "3.0"]), ["1.0", "1.5", "2.0", "3"], ReadLog())
    assert y.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["01", "1"], ["01", "1"]),
        (["007", "7"], ["007", "7"]),
        (["1e5", "100000"], ["100000", "1e5"]),
        (["True", "true", "TRUE"], ["TRUE", "True", "true"]),
        (["1.0", "2.0", None], ["1", "2"]),
        (["1.0", "1"], ["1", "1.0"]),
        (["NA", "None", "null", "nan"], ["NA", "None", "nan", "null"]),
        ([2**60, 2**60 + 1, None], [str(2**60), str(2**60 + 1)]),
        ([3.0, 3.5, np.nan], ["3", "3.5"]),
        ([True, False], ["False", "True"]),
    ],
)
def test_classes_are_called_as_they_are_written(labels, classes) -> None:
    y, found = read_labels(pd.Series(labels, dtype=object), None, ReadLog())
    assert found == classes
    assert (y >= 0).sum() == sum(not (label is None or label != label) for label in labels)


def test_doubtful_labels_are_remarked_on() -> None:
    def findings(labels) -> list[str]:
        read_labels(pd.Series(labels), None, log := ReadLog())
        return [str(finding) for finding in log.findings]

    assert findings(["a", "b", "-1", "?", "-1"]) == [
        "2 nodes labelled -1: counted as unlabelled; write another word for a class",
        "1 node labelled ?: counted as unlabelled; write another word for a class",
    ]
    assert "8 nodes labelled 'Unknown': a class like any other" in findings(["a", "b", *["Unknown"] * 8])[0]
    numbers = findings([str(i) for i in range(40)] * 3)
    assert "40 different numbers as labels (0, 1, 2, ...)" in numbers[0]
    assert "40 labels, nearly all of them different" in findings([f"n{i}" for i in range(40)])[0]
    assert "1 class that differs in upper and lower case only (yes)" in findings(["yes", "Yes", "no"])[0]
    assert findings([str(i) for i in range(9)]) == []


def test_a_column_of_quantities_is_refused_with_the_reason() -> None:
    with pytest.raises(
        DataError, match=r"40 different numbers, such as 0\.5, 1\.5, 2\.5, of 120 nodes: regression is not supported"
    ):
        read_labels(pd.Series([f"{i}.5" for i in range(40)] * 3), None, ReadLog())
    # Few different ones, or names among them, may be classes.
    read_labels(pd.Series([f"{i}.5" for i in range(9)] * 3), None, ReadLog())
    read_labels(pd.Series([*(f"{i}.5" for i in range(40)), "other"]), None, ReadLog())


def test_whole_numbers_that_few_nodes_share_are_quantities_and_codes_of_classes_are_not() -> None:
    ages = pd.Series([7 * i for i in range(234)] + [0] * 6 + [None] * 20)
    reason = "such as 0, 7, 14, of 240 nodes: regression is not supported, because the loss, pairs and highways compare"
    with pytest.raises(DataError, match=f"234 different numbers, {reason} classes; bin the quantity into classes"):
        read_labels(ages, None, ReadLog())
    for codes in ([7 * i for i in range(40)] * 3, list(range(40)) * 2, [f"n{i}" for i in range(200)]):
        read_labels(pd.Series(codes), None, ReadLog())
    # A run's own classes are no question any more.
    read_labels(ages, ["0", "7"], ReadLog())


def test_labels_that_look_like_lists_are_a_finding_and_stay_classes() -> None:
    y, classes = read_labels(pd.Series(["a;b", "a", "b;c", "a;c", "a;b"]), None, log := ReadLog())
    assert classes == ["a", "a;b", "a;c", "b;c"]
    assert y.dim() == 1
    assert str(log.findings[0]).startswith("4 labels with ';' (a;b, b;c, a;c, ...): each is a class of its own")
    assert "--label-separator ';'" in str(log.findings[0])
    read_labels(pd.Series(["R;D", "sales"]), None, quiet := ReadLog())
    assert not quiet.findings


def test_a_split_is_recognised_and_read() -> None:
    column = pd.Series(["Train", "valid", "test", None, "train"], dtype=object)
    assert is_split(column)
    assert not is_split(pd.Series(["train", "left"]))
    assert not is_split(pd.Series([None], dtype=object))
    log = ReadLog()
    masks = read_split(column, torch.tensor([True, True, True, True, False]), list("abcde"), log)
    assert masks["train_mask"].tolist() == [True, False, False, False, False]
    assert masks["val_mask"].tolist() == [False, True, False, False, False]
    assert "1 node in the split without a label (e)" in str(log.findings[0])
    read_split(pd.Series(["train", "left"]), torch.tensor([True, True]), ["a", "b"], log := ReadLog())
    assert "1 node whose split is none of train, val and test (left)" in str(log.findings[0])
