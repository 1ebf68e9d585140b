"""HighwayGraph in one file: the paper's Algorithm 1 in plain PyTorch and PyG, with the paper's names and equations.

`python examples/nano_highwaygraph.py` trains a two-layer GCN on Cora with this file and with the library,
the preset `full` with dense products (`fit.sparse_features = false`). Logits, rounds and highways are bit-identical.

Left out: input checks, directed, weighted and large graphs, GPUs, all other options and presets, and saved weights.
"""

import zlib
from collections import namedtuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.utils import to_dense_adj, to_undirected

LAMBDA, T_N, T_P = 1.0, 0.5, 0.9  # weight of the pair loss (Eq. 6), thresholds of node and pair decision (Eq. 12, 13)
LR, WEIGHT_DECAY, PATIENCE = 0.01, 5e-4, 10  # of Adam, and of early stopping in epochs

Round = namedtuple("Round", "epochs val test edges_added edge_precision")
Result = namedtuple("Result", "logits highways rounds")


class GCN(nn.Module):
    """The GNN of Eq. 7; any module of PyG layers with this forward can take its place."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.conv1, self.conv2 = GCNConv(features, hidden), GCNConv(hidden, classes)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h = self.conv1(x, edge_index).relu()
        return self.conv2(F.dropout(h, 0.5, self.training), edge_index)


# Implicit modelling: co-training with node pair classification (Eq. 4-11).
def pair_targets(labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return r for all pairs of training nodes (Eq. 4), +1 for one class and -1 otherwise, and the pairs' weights."""
    same, T = labels[:, None] == labels, len(labels)
    pairs, positives = T * (T - 1) // 2, (int(same.sum()) - T) // 2
    balance = (pairs - positives) / max(positives, 1)  # same-class pairs are few: in total they weigh as much as others
    weight = torch.where(same, balance, 1.0) / pairs / 2  # a mean over pairs; (i, j) and (j, i) weigh half each
    return torch.where(same, 1.0, -1.0), weight.fill_diagonal_(0)


class JointLoss(torch.autograd.Function):
    """L = L_node + lambda L_pair (Eq. 6), with the gradient in closed form: autograd's differs in the last bits."""

    @staticmethod
    def forward(ctx, y: Tensor, labels: Tensor, r: Tensor, weight: Tensor) -> Tensor:
        log_l_hat = y.log_softmax(dim=1)  # Eq. 8
        score = r * (y @ y.T)  # Eq. 9: its sigmoid is r_hat for pairs of one class, 1 - r_hat for others
        L_node = F.nll_loss(log_l_hat, labels)  # Eq. 10
        L_pair = -(weight * F.logsigmoid(score)).sum()  # Eq. 11
        d_node = log_l_hat.exp() - F.one_hot(labels, y.size(1))  # l_hat - l
        d_pair = torch.addcmul(weight * r, weight * r, score.sigmoid(), value=-1)  # weight r (1 - sigmoid(score))
        ctx.gradient = torch.addmm(d_node, d_pair, y, beta=1 / len(y), alpha=-2 * LAMBDA)
        return L_node + LAMBDA * L_pair

    @staticmethod
    def backward(ctx, upstream: Tensor) -> tuple[Tensor | None, ...]:
        return upstream * ctx.gradient, None, None, None


def fit(gnn: nn.Module, data: Data, edge_index: Tensor, epochs: int) -> tuple[Tensor, float, int]:
    """Train new weights (lines 3-9); return logits and validation accuracy of the best epoch, and the epochs run."""
    for layer in gnn.children():
        layer.reset_parameters()
    optimizer = torch.optim.Adam(gnn.parameters(), lr=LR, weight_decay=WEIGHT_DECAY)
    labels, best_val = data.y[data.train_mask], -1.0
    targets = pair_targets(labels)
    for epoch in range(1, epochs + 1):
        optimizer.zero_grad()
        y = gnn.train()(data.x, edge_index)  # Eq. 7
        JointLoss.apply(y[data.train_mask], labels, *targets).backward()
        optimizer.step()
        y = gnn.eval()(data.x, edge_index).detach()
        if (val := accuracy(y.argmax(dim=1), data.y, data.val_mask)) > best_val:
            best_y, best_val, best_epoch = y, val, epoch
        elif epoch - best_epoch >= PATIENCE:
            break
    return best_y, best_val, epoch


# Explicit modelling: adding intra-category edges (Eq. 12-16).
def choose_anchors(data: Data, seed: int) -> Tensor:
    """Return the rows where Mask is 1 (Eq. 15): one random training node per class, the same in all rounds."""
    state = np.random.SeedSequence([seed, zlib.crc32(b"anchors")]).generate_state(1)
    generator = torch.Generator().manual_seed(int(state[0]))
    classes = [((data.y == c) & data.train_mask).nonzero().flatten() for c in data.y[data.train_mask].unique()]
    return torch.stack([nodes[torch.randperm(len(nodes), generator=generator)[0]] for nodes in classes])


def joint_decision(y: Tensor, data: Data, edge_index: Tensor, anchors: Tensor) -> Tensor:
    """Return the new highways, from anchor to node."""
    c, l_hat = y.softmax(dim=1).max(dim=1)
    c, l_hat = torch.where(data.train_mask, 1.0, c), torch.where(data.train_mask, data.y, l_hat)  # gold is certain
    R_n = (l_hat[anchors, None] == l_hat) & (c[anchors, None] > T_N) & (c > T_N)  # Eq. 12
    R_p = (y[anchors] @ y.T).sigmoid() >= T_P  # Eq. 9 and 13
    R = R_n & R_p  # Eq. 14 and 15, as only the rows that Mask selects are computed
    A = to_dense_adj(edge_index, max_num_nodes=len(y))[0].fill_diagonal_(1).bool()
    row, node = (R & ~A[anchors]).nonzero().T
    return torch.stack([anchors[row], node])


def highway_graph(gnn: nn.Module, data: Data, seed: int = 0, max_t: int = 5, epochs: int = 200) -> Result:
    """Run Algorithm 1, but keep the best round where the paper returns the one after it."""
    torch.manual_seed(seed)
    anchors, edge_index, best_val, rounds = choose_anchors(data, seed), data.edge_index, -1.0, []
    highways = none = torch.empty(2, 0, dtype=torch.long)
    for i in range(1, max_t + 1):
        y, val, trained = fit(gnn, data, edge_index, epochs)
        if improved := val > best_val:
            best_y, best_val, best_highways = y, val, highways
        added = joint_decision(y, data, edge_index, anchors) if improved and i < max_t else none
        precision = accuracy(data.y[added[0]], data.y[added[1]], ~data.train_mask[added[1]])
        rounds.append(Round(trained, val, accuracy(y.argmax(dim=1), data.y, data.test_mask), added.size(1), precision))
        if not added.size(1):
            break
        highways = torch.cat([highways, added], dim=1)
        edge_index = torch.cat([data.edge_index, to_undirected(highways)], dim=1)  # Eq. 16
    return Result(best_y, best_highways, rounds)


def accuracy(predicted: Tensor, labels: Tensor, mask: Tensor) -> float:
    """Return the share of equal classes within the mask, NaN if it is empty."""
    return (predicted == labels)[mask].double().mean().item()


def main(seed: int = 0, epochs: int = 200) -> None:
    """Train on Cora with this file and with the library, and print both."""
    import highwaygraph as hg

    data, gnn = hg.split(hg.load("cora")), GCN(1433, 64, 7)
    changes = {"fit.epochs": epochs, "fit.device": "cpu", "fit.sparse_features": False}
    library = hg.train(gnn, data, hg.override(hg.PRESETS["full"], changes), seed=seed)
    nano = highway_graph(gnn, data, seed, epochs=epochs)
    print("         round  epochs  validation   test  highways  precision")
    for name, run in (("nano", nano), ("library", library)):
        for i, r in enumerate(run.rounds, 1):
            print(f"{name:7}{i:7}{r.epochs:8}{r.val:12.1%}{r.test:7.1%}{r.edges_added:10}{r.edge_precision:11.1%}")
    same = torch.equal(nano.logits, library.logits) and torch.equal(nano.highways, library.highways)
    print(f"Logits and highways are {'bit-identical' if same else 'different'}.")


if __name__ == "__main__":
    main()
