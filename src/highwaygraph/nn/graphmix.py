"""GraphMix (Verma et al., 2021): a GCN whose weights also train, without the graph, on mixtures of hidden states."""

import math
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.nn import GCNConv

from highwaygraph.config import Mix
from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.dropout import dropout
from highwaygraph.nn.functional import linear, sharpen
from highwaygraph.nn.modules import TrainingBatch
from highwaygraph.runtime.rng import current_generator


class GraphMix(GCN):
    """A two-layer GCN that trains in half of the epochs as a fully connected network with manifold mixup."""

    def training_loss(self, batch: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss of the branch without the graph with probability 1/2, None for a step of the GCN."""
        if torch.rand((), generator=current_generator()) < 0.5:
            return None
        mix = self.network.mix
        labels = F.one_hot(batch.labels, self.classes).float()
        sampled = torch.randperm(len(batch.unlabelled), generator=current_generator())[: len(batch.train)]
        unlabelled = batch.unlabelled[sampled.to(batch.unlabelled.device)]
        with torch.no_grad():
            probs = sharpen(batch.logits(unlabelled, mix.passes).softmax(dim=2).mean(dim=0), mix.temperature)
        loss = self._mixup_loss(batch, batch.train, labels)
        return loss + ramp(mix, epoch) * self._mixup_loss(batch, unlabelled, probs)

    def _mixup_loss(
        self, batch: TrainingBatch, nodes: Int[Tensor, "t"], targets: Float[Tensor, "t c"]
    ) -> Float[Tensor, ""]:
        """Return the loss after mixing hidden states and targets of pairs of these nodes in one proportion."""
        first, last = (cast(GCNConv, layer) for layer in self.layers)
        network, masks = self.network, self.dropout_masks
        hidden = F.relu(linear(dropout(batch.features(nodes), network.dropout, masks), first.lin.weight))
        rng = current_generator()
        proportion = torch.rand((), generator=rng, device=hidden.device)
        other = torch.randperm(len(nodes), generator=rng).to(hidden.device)
        hidden, targets = (proportion * x + (1 - proportion) * x[other] for x in (hidden, targets))
        logits = linear(dropout(hidden, network.inner_dropout, masks), last.lin.weight)
        return F.binary_cross_entropy(logits.softmax(dim=1), targets)


def ramp(mix: Mix, epoch: int) -> float:
    """Return the weight of the unlabelled part, which rises as a Gaussian between two epochs."""
    progress = min(max((epoch - mix.ramp_from) / max(mix.ramp_to - mix.ramp_from, 1), 0.0), 1.0)
    return mix.weight * math.exp(-5 * (1 - progress) ** 2)
