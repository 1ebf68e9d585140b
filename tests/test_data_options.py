"""Options of the split and of tables."""

import pytest

from highwaygraph.data_options import LabelFile, SplitChoice, Tables
from highwaygraph.errors import ConfigError, RenamedWarning


def test_a_split_is_given_unless_options_ask_otherwise() -> None:
    choice = SplitChoice()
    assert (choice.split, choice.train, choice.val, choice.small_classes) == ("auto", 20, 30, "auto")
    assert Tables() == Tables(edges="", id="", label="", split_by="")
    assert (LabelFile().labels, LabelFile().known) == ("", "all")


def test_the_former_name_of_small_classes_is_accepted_with_a_warning() -> None:
    with pytest.warns(RenamedWarning, match="small_classes"):
        assert SplitChoice(few="share").small_classes == "share"  # glossary: name of version 0.1


@pytest.mark.parametrize("options", [{"train": 0}, {"val": -1}, {"split": "public"}])
def test_splits_that_cannot_be_drawn_are_refused(options) -> None:
    with pytest.raises(ConfigError):
        SplitChoice(**options)
