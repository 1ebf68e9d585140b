"""Small graphs with several labels per node, in memory and as tables."""

from functools import cache
from pathlib import Path

import torch

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split
from highwaygraph.network_options import Network
from highwaygraph.nn.factory import build_network
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train

NAMES = ["art", "biology", "chemistry", "design"]


def label_graph(seed: int = 0, nodes: int = 240, features: int = 16) -> Graph:
    """Return a graph whose edges join nodes that share labels, with noisy features of the labels, without a split."""
    draw = torch.Generator().manual_seed(seed)
    y = torch.rand(nodes, len(NAMES), generator=draw) < 0.2
    y[torch.arange(nodes), torch.randint(len(NAMES), (nodes,), generator=draw)] = True
    y = y.long()
    x = y.float() @ torch.randn(len(NAMES), features, generator=draw) + torch.randn(nodes, features, generator=draw)
    weight = (y @ y.T).float() + 0.02
    ends = torch.multinomial(weight.fill_diagonal_(0), 4, generator=draw)
    edges = torch.stack([torch.arange(nodes)[:, None].expand_as(ends).flatten(), ends.flatten()])
    edge_index = torch.cat([edges, edges.flip(0)], dim=1).unique(dim=1)
    return Graph(x=x, edge_index=edge_index, y=y, classes=NAMES, num_nodes=nodes)


def split_label_graph(seed: int = 0) -> Graph:
    """Return the same with at least 10 training and 10 validation nodes per label."""
    return split(label_graph(seed), train=10, val=10, seed=seed)


def label_config(preset: str = "plus", **changes: object) -> Config:
    """Return a preset with few epochs."""
    quick = {"fit.epochs": 40, "fit.min_epochs": 20, "fit.device": "cpu"}
    return override(PRESETS[preset], quick | {name.replace("__", "."): value for name, value in changes.items()})


@cache
def trained_labels(preset: str = "plus", **changes: object) -> Result:
    """Return a short training on the graph."""
    data = split_label_graph()
    model = build_network(Network(hidden=16), data.x.size(1), len(NAMES))
    return train(model, data, label_config(preset, **changes), seed=0, progress=False)


def write_label_tables(folder: Path, separator: str = ";") -> str:
    """Write the graph as two tables, every tenth node without labels, and return the folder."""
    data = label_graph()
    folder.mkdir()
    cells = [separator.join(n for n, has in zip(NAMES, row, strict=True) if has) for row in data.y.tolist()]
    rows = [
        f"n{i},{'' if i % 10 == 0 else cell},{','.join(f'{v:.3f}' for v in data.x[i, :6].tolist())}"
        for i, cell in enumerate(cells)
    ]
    (folder / "nodes.csv").write_text("\n".join(["id,topics,a,b,c,d,e,f", *rows]) + "\n", encoding="utf-8")
    edges = [f"n{a},n{b}" for a, b in data.edge_index.T.tolist() if a < b]
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]) + "\n", encoding="utf-8")
    return str(folder)
