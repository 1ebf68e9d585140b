"""Names of nodes, classes and features."""

from types import SimpleNamespace

import torch

from highwaygraph.explanation.naming import Naming
from tests.helpers.compared import with_data
from tests.helpers.trained import named_run


def test_names_are_those_of_the_data() -> None:
    result = named_run()
    naming, data = Naming(result), result.data
    labelled = int(data.train_mask.nonzero()[0])
    other = int(data.test_mask.nonzero()[0])
    assert naming.id(3) == "node <3>, text"
    assert naming.training_label(labelled) == data.classes[int(data.y[labelled])]
    assert naming.training_label(other) is None
    assert naming.known_class(other) == data.classes[int(data.y[other])]
    assert (naming.split(labelled), naming.split(other)) == ("train", "test")
    assert naming.predicted(other) == data.classes[int(result.predict()[other])]
    assert naming.features(torch.tensor([2]), torch.tensor([0])) == {2: "feature 2"}


def test_a_shared_number_or_date_has_the_cells_of_both_nodes() -> None:
    kinds = {"title": ("words", 2), "price": ("number", 2), "day": ("date", 1), "age": ("number", 1)}
    encoders = {name: SimpleNamespace(kind=kind, width=width) for name, (kind, width) in kinds.items()}
    shown = {"title": ["a"] * 9, "price": [*range(9)], "day": ["2024-01-01"] * 9}
    naming = Naming(with_data(named_run(), encoders=encoders, attributes=shown))
    assert naming.shared(2, "price", (3, 5)) == "price (3 and 5)"
    assert naming.shared(3, "price is missing", (3, 5)) == "price is missing"
    assert naming.shared(4, "day", (0, 1)) == "day (2024-01-01 and 2024-01-01)"
    assert naming.shared(0, "title: a", (0, 1)) == "title: a"
    # A run may have been saved without the cells of a column.
    assert naming.shared(5, "age", (0, 1)) == "age"
    assert Naming(named_run()).shared(0, "feature 0", (0, 1)) == "feature 0"
