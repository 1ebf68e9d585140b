"""One process of tests/runtime/test_distributed.py, started by torchrun: train, and write the result."""

import json
import os
import sys
from pathlib import Path

import torch

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import Epoch
from highwaygraph.runs.lock import graceful_stop
from highwaygraph.runtime.distributed import gather, process_group, rank, shard, world_size
from highwaygraph.training.engine import checkpoints, train
from tests.helpers.graphs import block_graph

LOTS = {"fit.batch_size": 8, "fit.num_neighbors": (5, 5), "fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}
# After so few epochs hardly anybody is sure: every node is joined to its anchor.
HIGHWAYS = {
    "highway.rounds": 2,
    "highway.start": 2,
    "highway.keep": "last",
    "highway.node_threshold": 0.0,
    "highway.joint": False,
}


def main(folder: Path, preset: str, dies: bool) -> None:
    """Train together; if it is to die, the last process ends in the middle, once."""
    data, seen = block_graph(), []
    config = override(PRESETS[preset], LOTS | {"fit.min_epochs": 0, "seed": 3} | HIGHWAYS)
    model = build("gcn", data, hidden=16)
    # As the command does: torchrun asks the others to end when one has, and they have something to say first.
    with process_group(), graceful_stop(folder / "saved", "the same words") as stop:
        here = rank()

        def look(epoch: Epoch) -> None:
            seen.append((epoch.round, epoch.epoch))
            again = os.environ["TORCHELASTIC_RESTART_COUNT"] != "0"
            if dies and here == world_size() - 1 and not again and seen[-1] == (2, 5):
                os._exit(1)

        parts = gather(torch.arange(11)[shard(11)])
        saves = checkpoints(folder / "saved", model, data, config, every=0.0, stop=stop)
        result = train(model, data, config, on_epoch=look, checkpoint=saves)
        found = {
            "world": world_size(),
            "parts": parts.tolist(),
            "first": seen[0],
            "test": result.test,
            "rounds": repr(result.rounds),
            "highways": result.highways.tolist(),
            "weights": [value.flatten().tolist() for value in result.model.state_dict().values()],
            "logits": result.logits.sum(dim=0).tolist(),
        }
    (folder / f"{here}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "dies" in sys.argv)
