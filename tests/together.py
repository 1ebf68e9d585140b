"""What each process of tests/test_ranks.py does, started by torchrun: train, and write down what came of it."""

import json
import os
import sys
from pathlib import Path

import torch

from highwaygraph.config import PRESETS
from highwaygraph.engine import train
from highwaygraph.models import build
from highwaygraph.ranks import gather, joined, own_part, rank, world
from highwaygraph.values import override
from tests.graphs import block_graph

LOTS = {"fit.batch": 8, "fit.neighbors": (5, 5), "fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}
# After so few epochs hardly anybody is sure: every node is joined to its anchor.
HIGHWAYS = {"highway.rounds": 2, "highway.keep": "last", "highway.node_threshold": 0.0, "highway.joint": False}


def main(folder: Path, preset: str, dies: bool) -> None:
    """Train together; the last process ends in the middle if it is to die."""
    data = block_graph()
    with joined():
        here = rank()
        if dies and here == world() - 1:
            os._exit(1)
        parts = gather(torch.arange(11)[own_part(11)])
        config = override(PRESETS[preset], LOTS | {"fit.min_epochs": 0} | HIGHWAYS)
        result = train(build("gcn", data, hidden=16), data, config, seed=3)
        found = {
            "world": world(),
            "parts": parts.tolist(),
            "test": result.test,
            "rounds": repr(result.rounds),
            "highways": result.highways.tolist(),
            "weights": [value.flatten().tolist() for value in result.model.state_dict().values()],
            "logits": result.logits.sum(dim=0).tolist(),
        }
    (folder / f"{here}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "dies" in sys.argv)
