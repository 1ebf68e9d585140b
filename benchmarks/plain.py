"""The reference: a plain PyG training loop on dense features."""

import copy
import time

import torch
from torch.nn import functional as F

import highwaygraph as hg
from highwaygraph.graph.graph import Graph


def train(data: Graph, model_name: str, seed: int, epochs: int = 200, patience: int = 10) -> list[float]:
    """Train with the layers, widths, dropout and optimizer of the preset `typical`; return the seconds per epoch."""
    torch.manual_seed(seed)
    model = hg.models.build(model_name, data)
    fit = hg.PRESETS["typical"].fit
    adam = torch.optim.Adam(model.parameters(), lr=fit.lr, weight_decay=fit.weight_decay)
    best, waited, seconds = -1.0, 0, []
    for _ in range(epochs):
        start = time.perf_counter()
        model.train()
        adam.zero_grad()
        logits = model(data.x, data.edge_index)
        F.cross_entropy(logits[data.train_mask], data.y[data.train_mask]).backward()
        adam.step()
        model.eval()
        with torch.no_grad():
            predicted = model(data.x, data.edge_index).argmax(dim=1)
        val = (predicted == data.y)[data.val_mask].float().mean().item()
        if val > best:
            best, waited, _state = val, 0, copy.deepcopy(model.state_dict())
        else:
            waited += 1
        seconds.append(time.perf_counter() - start)
        if waited >= patience:
            break
    return seconds
