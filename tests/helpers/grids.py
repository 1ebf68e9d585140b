"""A small study that tests share."""

from pathlib import Path


def write_grid(path: Path, *, splits: int, seeds: int, epochs: int = 5) -> Path:
    """Write a study of two networks on Cora with few labels and few epochs."""
    path.write_text(f"""
title = "Toy"
protocol = "random"
train = 5
val = 5
options = {{ "fit.epochs" = {epochs}, "network.hidden" = 8, "highway.rounds" = 2 }}

[grid]
dataset = ["cora"]
model = ["gcn", "sage"]
preset = ["full"]
split = {list(range(splits))}
seed = {list(range(seeds))}
""")
    return path
