"""Names of nodes, classes and features."""

import torch

from highwaygraph.explanation.naming import Naming
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
