"""Trainings that cells share."""

import torch

import highwaygraph as hg
from highwaygraph.presets import typical_of
from highwaygraph.study import shared as module
from highwaygraph.study.cell import run_cells
from highwaygraph.study.shared import SharedTrainings, sharing_groups
from highwaygraph.study.spec import Study, cells
from tests.helpers.graphs import block_graph

SHORT = hg.override(hg.PRESETS["plus"], {"fit.epochs": 20, "fit.min_epochs": 0, "fit.lr": 0.05, "consistency.ramp": 5})


def test_shared_trainings_equal_trainings_of_their_own(monkeypatch) -> None:
    trained = []

    def counted(model, data, config, **options):
        trained.append(config)
        return hg.train(model, data, config, **options)

    monkeypatch.setattr(module, "train", counted)
    data = block_graph()
    model, shared = hg.models.build("gcn", data, hidden=8), SharedTrainings()
    configs = [
        typical_of(SHORT),
        SHORT,
        hg.override(SHORT, {"votes.control": "shuffled"}),
        hg.override(typical_of(SHORT), {"votes.views": ("features",)}),
        hg.override(SHORT, {"votes.highways": True}),
    ]
    for config in configs:
        one, alone = shared.train(model, data, config).result, hg.train(model, data, config, progress=False)
        assert torch.equal(one.logits, alone.logits)
        assert (one.candidates, one.answer, one.config) == (alone.candidates, alone.answer, alone.config)
    # Typical training, the rounds of plus, and those with other highways.
    assert len(trained) == 3


def test_cells_of_one_split_train_each_preset_once(monkeypatch) -> None:
    trained = []

    def counted(model, data, config, **options):
        trained.append(config)
        return hg.train(model, data, config, **options)

    monkeypatch.setattr(module, "train", counted)
    presets = ["typical", "plus", "plus, shuffled"]
    study = Study(
        name="short",
        title="short",
        protocol="random",
        fit_as="plus",
        grid={"dataset": ["cora"], "model": ["gcn"], "preset": presets, "split": [0], "seed": [0]},
        variants={"plus, shuffled": {"preset": "plus", "votes.control": "shuffled"}},
        options={"fit.epochs": 3, "fit.min_epochs": 0, "highway.rounds": 1},
    )
    facts = run_cells(study, cells(study))
    # The typical training of the study is also the candidate of both others.
    assert len(trained) == 2
    assert [one["config"]["votes"]["control"] for one in facts] == ["none", "none", "shuffled"]
    assert len({one["split_hash"] for one in facts}) == 1


def test_groups_share_a_graph_a_network_a_split_and_a_seed() -> None:
    grid = [
        {"dataset": "cora", "preset": preset, "split": split, "votes.control": control, "fit.lr": rate}
        for preset in ("typical", "plus")
        for split in (0, 1)
        for control in ("none", "shuffled")
        for rate in (0.1, 0.01)
    ]
    groups = sharing_groups(grid, alone=False)
    assert [len(group) for group in groups] == [4] * 4
    assert all(len({(cell["split"], cell["fit.lr"]) for cell in group}) == 1 for group in groups)
    assert sharing_groups(grid, alone=True) == [[cell] for cell in grid]
