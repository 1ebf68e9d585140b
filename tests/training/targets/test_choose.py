from highwaygraph.training.targets.choose import target_of
from highwaygraph.training.targets.multilabel import MULTILABEL
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from tests.helpers.graphs import block_graph
from tests.helpers.label_graphs import label_graph


def test_the_shape_of_the_labels_decides() -> None:
    assert target_of(block_graph()) is SINGLE_LABEL
    assert target_of(label_graph()) is MULTILABEL
