import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.targets.adapted_config import adapted_config
from tests.helpers.graphs import block_graph
from tests.helpers.label_graphs import label_graph


def test_parts_that_do_not_carry_over_are_left_out_with_one_sentence(capsys) -> None:
    adapted = adapted_config(label_graph(), PRESETS["plus"])
    assert (adapted.highway.rounds, adapted.consistency.align_prior, adapted.select.combine) == (1, False, False)
    assert adapted.votes.views == ()
    assert adapted.pairs == PRESETS["plus"].pairs
    assert capsys.readouterr().err == (
        "Several labels per node: further rounds with highways, the alignment with a class prior, votes and the "
        "combination of candidates do not carry over and are left out.\n"
    )
    assert adapted_config(label_graph(), adapted) == adapted
    assert capsys.readouterr().err == ""


def test_one_class_per_node_keeps_its_config() -> None:
    assert adapted_config(block_graph(), PRESETS["plus"]) is PRESETS["plus"]


@pytest.mark.parametrize("option", [{"fit.threshold": "f1"}, {"fit.monitor": "balanced_accuracy"}])
def test_options_of_one_class_are_refused(option) -> None:
    with pytest.raises(ConfigError, match="not supported for several labels per node"):
        adapted_config(label_graph(), override(PRESETS["typical"], option))
