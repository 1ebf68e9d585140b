"""GraphMix: a GCN whose weights also train, without the graph, on mixtures of hidden states."""

import math
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.nn import GCNConv

from highwaygraph.config import Mix
from highwaygraph.nn import layers
from highwaygraph.nn.functional import sharpen
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import TrainingBatch


class GraphMix(GNN):
    """A two-layer GCN that, in half of the epochs, learns as a plain network on mixed-up nodes."""

    def training_loss(self, batch: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss of the branch without the graph by a fair coin, None for a step of the GCN."""
        if torch.rand(()) < 0.5:
            return None
        mix = self.network.mix
        known = F.one_hot(batch.labels, self.layers[-1].out_channels).float()  # type: ignore[arg-type]
        drawn = torch.randperm(len(batch.unlabelled))[: len(batch.train)]
        sample = batch.unlabelled[drawn.to(batch.unlabelled.device)]
        with torch.no_grad():
            guessed = sharpen(batch.logits(sample, mix.passes).softmax(dim=2).mean(dim=0), mix.temperature)
        loss = self._mixed(batch, batch.train, known)
        return loss + ramp(mix, epoch) * self._mixed(batch, sample, guessed)

    def _mixed(self, batch: TrainingBatch, nodes: Int[Tensor, "t"], targets: Float[Tensor, "t c"]) -> Float[Tensor, ""]:
        """Return the loss after mixing hidden states and targets of pairs of these nodes in one proportion."""
        first, last = (cast(GCNConv, layer) for layer in self.layers)
        network, noise = self.network, self.noise
        hidden = F.relu(layers.linear(layers.drop(batch.features(nodes), network.dropout, noise), first.lin.weight))
        share, other = torch.rand((), device=hidden.device), torch.randperm(len(nodes)).to(hidden.device)
        hidden, targets = (share * x + (1 - share) * x[other] for x in (hidden, targets))
        logits = layers.linear(layers.drop(hidden, network.inner_dropout, noise), last.lin.weight)
        return F.binary_cross_entropy(logits.softmax(dim=1), targets)


def ramp(mix: Mix, epoch: int) -> float:
    """Return the weight of the unlabelled part, which rises as a Gaussian between two epochs."""
    place = min(max((epoch - mix.ramp_from) / max(mix.ramp_to - mix.ramp_from, 1), 0.0), 1.0)
    return mix.weight * math.exp(-5 * (1 - place) ** 2)
