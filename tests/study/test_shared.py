"""Trainings that cells share."""

import torch

import highwaygraph as hg
from highwaygraph.presets import typical_of
from highwaygraph.study import shared as module
from highwaygraph.study.shared import SharedTrainings, sharing_groups
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


def test_groups_share_a_graph_a_network_a_split_and_a_seed() -> None:
    cells = [
        {"dataset": "cora", "preset": preset, "split": split, "votes.control": control, "fit.lr": rate}
        for preset in ("typical", "plus")
        for split in (0, 1)
        for control in ("none", "shuffled")
        for rate in (0.1, 0.01)
    ]
    groups = sharing_groups(cells, alone=False)
    assert [len(group) for group in groups] == [4] * 4
    assert all(len({(cell["split"], cell["fit.lr"]) for cell in group}) == 1 for group in groups)
    assert sharing_groups(cells, alone=True) == [[cell] for cell in cells]
