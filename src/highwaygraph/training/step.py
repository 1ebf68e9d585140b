"""One epoch: an optimisation step per mini-batch, then validation."""

import math
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Optimizer

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.nn.batches import ModelBatch, evaluate
from highwaygraph.nn.modules import module_loss
from highwaygraph.runtime.distributed import gather
from highwaygraph.runtime.rng import current_generator
from highwaygraph.training.batches import Batch, RoundData, Views
from highwaygraph.training.class_metrics import balanced_accuracy
from highwaygraph.training.consistency import consistency_loss
from highwaygraph.training.metrics import macro_f1
from highwaygraph.training.pair_scale import pair_scale
from highwaygraph.training.pairs import joint_loss, pair_loss


def step(model: nn.Module, data: RoundData, optimizer: Optimizer, config: Config, epoch: int) -> tuple[float, float]:
    """Train for one epoch: one step per mini-batch.

    Args:
        model: The model; its weights change.
        data: The data of the round.
        optimizer: The optimizer of these weights.
        config: All options.
        epoch: The epoch, counted from 1.

    Returns:
        The mean loss, and the mean pair loss within it.
    """
    model.train()
    losses = []
    for batch in data.batches(epoch):
        optimizer.zero_grad()
        value, pair = _backward_batch(model, data, batch, config, epoch)
        optimizer.step()
        losses.append((_check_finite(value, epoch), pair))
    return losses[0] if len(losses) == 1 else (fmean(value for value, _ in losses), fmean(pair for _, pair in losses))


def validate(model: nn.Module, data: RoundData, config: Config, epoch: int = 0) -> tuple[float, float, float, float]:
    """Evaluate the model on the validation nodes.

    Args:
        model: The model.
        data: The data of the round.
        config: All options; scores by class are computed only where they are monitored.
        epoch: The epoch, for error messages.

    Returns:
        The loss, weighted by the class prior where there is one, the accuracy, and the macro F1 and the balanced
        accuracy, NaN where they are not monitored: the last fields of an `Epoch`.
    """
    parts = [(evaluate(model, batch.inputs), batch.labels) for batch in data.val_batches()]
    logits, labels = parts[0] if len(parts) == 1 else (torch.cat(part) for part in zip(*parts, strict=True))
    logits, labels = gather(logits), gather(labels)
    predicted = logits.argmax(dim=1)
    correct = (predicted == labels).double().mean()
    loss = _check_finite(node_loss(logits, labels, data.val_weights).item(), epoch)
    return loss, correct.item(), *_scores_by_class(predicted, labels, config)


def _scores_by_class(predicted: Tensor, labels: Tensor, config: Config) -> tuple[float, float]:
    """Return macro F1 and balanced accuracy; the one that is not monitored is NaN."""
    monitor, everything = config.fit.monitor, torch.ones_like(labels, dtype=torch.bool)
    f1 = macro_f1(predicted, labels, everything) if monitor == "f1" else math.nan
    balanced = balanced_accuracy(predicted, labels, everything) if monitor == "balanced_accuracy" else math.nan
    return f1, balanced


def node_loss(logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean cross-entropy, with a weight per node where given (Eq. 10)."""
    if weights is None:
        return F.cross_entropy(logits, labels)
    return (weights * F.cross_entropy(logits, labels, reduction="none")).mean()


def _backward_batch(model: nn.Module, data: RoundData, batch: Batch, config: Config, epoch: int) -> tuple[float, float]:
    """Compute the gradient of the model's own loss, or of Eq. 6; return the loss and its pair part."""
    own = None if data.training_batch is None else module_loss(model, data.training_batch, epoch)
    if own is not None:
        return _backward(own), 0.0
    if batch.views is not None:
        return _consistency_step(data, batch, batch.views, config, epoch)
    return _plain_step(data.forward(batch.inputs), batch, config)


def _plain_step(logits: Tensor, batch: Batch, config: Config) -> tuple[float, float]:
    if batch.pairs is None:
        return _backward(node_loss(logits, batch.labels, batch.weights)), 0.0
    if batch.weights is not None:
        pair_part = pair_loss(logits, batch.pairs)
        node_part = node_loss(logits, batch.labels, batch.weights)
        return _backward(node_part + _pair_weight(logits, batch, config) * pair_part), pair_part.item()
    value, pair, gradient = joint_loss(logits, batch.labels, batch.pairs, _pair_weight(logits, batch, config))
    logits.backward(gradient)
    return value, pair


def _consistency_step(data: RoundData, batch: Batch, views: Views, config: Config, epoch: int) -> tuple[float, float]:
    """Minimise the mean supervised loss of several augmented passes, and their distance to their sharpened mean."""
    options = config.consistency
    logits = [
        data.forward(inputs, _node_mask(inputs, options.drop_nodes))
        for inputs in (_choose_view(views, epoch * options.num_views + i) for i in range(options.num_views))
    ]
    labelled = [one[views.labelled] for one in logits]
    loss = torch.stack([node_loss(one, batch.labels, batch.weights) for one in labelled]).mean()
    pair = 0.0
    if batch.pairs is not None:
        parts = torch.stack([pair_loss(one, batch.pairs) for one in labelled])
        loss, pair = loss + _weighted_mean(parts, labelled, batch, config), parts.mean().item()
    if options.weight:
        weight = options.weight * min(epoch / options.ramp, 1.0)
        unlabelled = [one[views.unlabelled] for one in logits]
        loss = loss + weight * consistency_loss(unlabelled, options.temperature, data.prior)
    return _backward(loss), pair


def _weighted_mean(parts: Tensor, logits: list[Tensor], batch: Batch, config: Config) -> Tensor:
    """Return the mean pair loss of the views, times its weight."""
    if config.pairs.scale == "none":
        return config.pairs.weight * parts.mean()
    return (parts * parts.new_tensor([_pair_weight(one, batch, config) for one in logits])).mean()


def _pair_weight(logits: Tensor, batch: Batch, config: Config) -> float:
    options = config.pairs
    if options.scale == "none" or batch.pairs is None:
        return options.weight
    return options.weight * pair_scale(logits, batch.labels, batch.pairs, batch.weights)


def _choose_view(views: Views, number: int) -> ModelBatch:
    """Return the original graph for every second pass, else a random graph with highways."""
    if not views.augmented or number % 2 == 0:
        return views.original
    return views.augmented[int(torch.randint(len(views.augmented), (), generator=current_generator()))]


def _node_mask(inputs: ModelBatch, rate: float) -> Tensor | None:
    """Return the factor of every node's features: 0 for dropped nodes, 1 / (1 - rate) for the others."""
    if not rate:
        return None
    device = inputs.x.device if isinstance(inputs.x, Tensor) else torch.device("cpu")
    return (torch.rand(inputs.x.shape[0], generator=current_generator()) >= rate).float().div_(1 - rate).to(device)


def _backward(loss: Tensor) -> float:
    loss.backward()
    return loss.item()


def _check_finite(loss: float, epoch: int) -> float:
    if not math.isfinite(loss):
        raise FailedError(
            f"The loss is no longer a number in epoch {epoch}: lower fit.lr, or scale the features with "
            "fit.features=row."
        )
    return loss
