"""Helpers of the command-line tests: run a command in this process, and write a small graph."""

from pathlib import Path

import numpy as np
import pytest

from highwaygraph import cli
from tests.helpers.graphs import block_graph

QUICK = ("--fit.epochs", "15", "--fit.device", "cpu")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def write_graph(path: Path, **changes: object) -> str:
    """Write a small graph as an npz file and return its path."""
    data = block_graph()
    arrays = {name: data[name].numpy() for name in ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask")}
    np.savez(path, **(arrays | changes))
    return str(path)
