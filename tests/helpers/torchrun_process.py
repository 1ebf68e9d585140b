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

BATCHES = {"fit.batch_size": 8, "fit.num_neighbors": (5, 5), "fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}
# After so few epochs hardly any node is confident: every node is joined to its anchor.
HIGHWAYS = {
    "highway.rounds": 2,
    "highway.start": 2,
    "highway.keep": "last",
    "highway.node_threshold": 0.0,
    "highway.joint": False,
}


def main(folder: Path, preset: str, fails: bool) -> None:
    """Train in several processes; with `fails`, the last process exits in the middle of its first attempt."""
    data, epochs = block_graph(), []
    config = override(PRESETS[preset], BATCHES | {"fit.min_epochs": 0, "seed": 3} | HIGHWAYS)
    model = build("gcn", data, hidden=16)
    # As the command does: torchrun sends SIGTERM to the others when one process has exited.
    with process_group(), graceful_stop(folder / "saved", "the same command") as stop:
        own_rank = rank()

        def on_epoch(epoch: Epoch) -> None:
            epochs.append((epoch.round, epoch.epoch))
            restarted = os.environ["TORCHELASTIC_RESTART_COUNT"] != "0"
            if fails and own_rank == world_size() - 1 and not restarted and epochs[-1] == (2, 5):
                os._exit(1)

        parts = gather(torch.arange(11)[shard(11)])
        saved = checkpoints(folder / "saved", model, data, config, every=0.0, stop=stop)
        result = train(model, data, config, on_epoch=on_epoch, checkpoint=saved)
        found = {
            "world": world_size(),
            "parts": parts.tolist(),
            "first": epochs[0],
            "test": result.test,
            "rounds": repr(result.rounds),
            "highways": result.highways.tolist(),
            "weights": [value.flatten().tolist() for value in result.model.state_dict().values()],
            "logits": result.logits.sum(dim=0).tolist(),
        }
    (folder / f"{own_rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "dies" in sys.argv)
