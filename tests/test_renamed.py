"""Names of version 0.1: they are accepted, with exactly one RenamedWarning that has the new name."""

# glossary: this file tests former names

import warnings
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import highwaygraph as hg
from highwaygraph.config import SplitChoice
from highwaygraph.errors import RenamedWarning
from highwaygraph.nn.modules import TrainingBatch
from highwaygraph.study.spec import cells, options, read_study
from tests.helpers.graphs import block_graph
from tests.helpers.renamed import renamed

STUDY = """
title = "Names of version 0.1"
protocol = "random"
options = { "fit.neighbors" = [5, 5] }
tuned = [{ model = "gcn", "views.count" = 2 }]
baseline = { "highway.adds" = "edges" }

[grid]
dataset = ["cora"]
model = ["gcn"]
preset = ["full"]
"highway.adds" = ["edges", "labels"]
split = [0]
seed = [0]
"""


OPTIONS = [
    ("views.weight", 0.5, "consistency.weight", 0.5),
    ("views.count", 3, "consistency.num_views", 3),
    ("views.drop_nodes", 0.5, "consistency.drop_nodes", 0.5),
    ("views.temperature", 0.7, "consistency.temperature", 0.7),
    ("views.ramp", 7, "consistency.ramp", 7),
    ("views.align", True, "consistency.align_prior", True),
    ("highway.tries", 2, "highway.patience", 2),
    ("highway.links", "partners", "highway.targets", "partners"),
    ("highway.adds", "edges", "highway.control", "none"),
    ("highway.adds", "labels", "highway.control", "pseudo-labels"),
    ("highway.adds", "random-edges", "highway.control", "random-edges"),
    ("fit.batch", 64, "fit.batch_size", 64),
    ("fit.neighbors", (5, 5), "fit.num_neighbors", (5, 5)),
    ("fit.workers", 2, "fit.num_workers", 2),
]


@pytest.mark.parametrize(("old", "value", "new", "present"), OPTIONS)
def test_options_in_override(old, value, new, present) -> None:
    config = renamed(lambda: hg.override(hg.Config(), {old: value}), new)
    assert config == hg.override(hg.Config(), {new: present})


@pytest.mark.parametrize(("old", "value", "new", "present"), [o for o in OPTIONS if not o[0].startswith("views")])
def test_options_of_a_section(old, value, new, present) -> None:
    section, field = old.split(".")
    kind = {"highway": hg.Highway, "fit": hg.Fit}[section]
    found = renamed(lambda: kind(**{field: value}), new.split(".")[1])
    assert getattr(found, new.split(".")[1]) == present


@pytest.mark.parametrize(("old", "new"), [("count", "num_views"), ("align", "align_prior")])
def test_options_of_consistency(old, new) -> None:
    assert getattr(renamed(lambda: hg.Consistency(**{old: 1}), new), new) == 1


def test_the_section_views() -> None:
    assert renamed(lambda: hg.Config(views={"weight": 1.0}), "consistency").consistency.weight == 1.0
    assert renamed(lambda: hg.Config(views=hg.Consistency(weight=1.0)), "consistency").consistency.weight == 1.0
    assert renamed(lambda: hg.Views, "Consistency") is hg.Consistency


def test_a_value_under_the_new_name() -> None:
    assert renamed(lambda: hg.Highway(control="labels"), "control=pseudo-labels").control == "pseudo-labels"


def test_the_option_of_small_classes() -> None:
    assert renamed(lambda: SplitChoice(few="share"), "small_classes").small_classes == "share"
    data = block_graph()
    again = renamed(lambda: hg.split(data, train=5, val=5, few="share"), "small_classes")
    assert torch.equal(again.train_mask, hg.split(data, train=5, val=5, small_classes="share").train_mask)


def test_options_of_a_study(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text(STUDY)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = read_study(str(tmp_path / "old.toml"))
        changes = [options(study, cell)[1] for cell in cells(study)]
    names = ("fit.num_neighbors", "highway.control", "consistency.num_views")
    assert len(caught) == len(names)
    assert all(any(name in str(one.message) for one in caught) for name in names)
    assert [one["highway.control"] for one in changes] == ["none", "pseudo-labels"]
    assert {one["consistency.num_views"] for one in changes} == {2}
    assert study.baseline == {"highway.control": "none"}


class FormerLoss(nn.Module):
    """A module with the loss of version 0.1."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.epochs = nn.Linear(12, 3), []

    def forward(self, x, edge_index):
        return self.linear(x)

    def own_loss(self, lesson, epoch):
        self.epochs.append(epoch)
        return F.cross_entropy(self.linear(lesson.features(lesson.train)), lesson.labels) if epoch % 2 else None


def test_the_loss_of_a_module() -> None:
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 4, "fit.patience": 4})
    result = renamed(lambda: hg.train(FormerLoss(), block_graph(), config), "training_loss")
    assert result.model.epochs == [1, 2, 3, 4]
    with pytest.warns(RenamedWarning), pytest.raises(hg.ConfigError, match="FormerLoss trains on the whole graph"):
        hg.train(FormerLoss(), block_graph(), hg.override(config, {"fit.batch_size": 8}))


def test_the_batch_of_a_modules_loss() -> None:
    batch = TrainingBatch(*(torch.arange(n) for n in (2, 2, 3)), features=len, logits=max)
    assert renamed(lambda: batch.others, "TrainingBatch.unlabelled") is batch.unlabelled
    assert renamed(lambda: batch.rows, "TrainingBatch.features") is len
    assert renamed(lambda: batch.ask, "TrainingBatch.logits") is max


def test_present_names_do_not_warn(recwarn) -> None:
    for _, _, new, present in OPTIONS:
        hg.override(hg.Config(), {new: present})
    assert not [one for one in recwarn if issubclass(one.category, RenamedWarning)]
