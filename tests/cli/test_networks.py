import numpy as np
import pytest

import highwaygraph as hg
from highwaygraph import cli
from highwaygraph.nn.factory import NETWORKS
from tests.helpers.graphs import block_graph

MASKS = ("train_mask", "val_mask", "test_mask")


@pytest.mark.parametrize("name", NETWORKS)
def test_train_accepts_every_network(name, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = block_graph()
    np.savez("toy.npz", **{part: data[part].numpy() for part in ("x", "edge_index", "y", *MASKS)})
    with pytest.raises(SystemExit) as ended:
        cli.main(["train", "toy.npz", "--model", name, "--no-baseline", "--fit.epochs", "3", "--out", "run"])
    assert not ended.value.code
    assert hg.open_run("run").model.network.model == name
