"""One epoch: an optimisation step per mini-batch, then validation."""

import math
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from highwaygraph.config import Config, Consistency
from highwaygraph.errors import FailedError
from highwaygraph.nn.batches import ModelBatch, evaluate
from highwaygraph.nn.modules import module_loss
from highwaygraph.runtime.distributed import gather
from highwaygraph.runtime.rng import current_generator
from highwaygraph.training.batches import Batch, RoundData, Views
from highwaygraph.training.pairs import JointLoss
from highwaygraph.training.targets.target import Target


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
        The loss, weighted by the class prior where there is one, the accuracy or micro-F1, and the macro F1 and the
        balanced accuracy, NaN where they are not monitored: the last fields of an `Epoch`.
    """
    parts = [(evaluate(model, batch.inputs), batch.labels) for batch in data.val_batches()]
    logits, labels = parts[0] if len(parts) == 1 else (torch.cat(part) for part in zip(*parts, strict=True))
    logits, labels = gather(logits), gather(labels)
    scores = data.target.validation_scores(logits, labels, data.val_weights, config.fit.monitor)
    _check_finite(scores[0], epoch)
    return scores


def _backward_batch(model: nn.Module, data: RoundData, batch: Batch, config: Config, epoch: int) -> tuple[float, float]:
    """Compute the gradient of the model's own loss, or of Eq. 6; return the loss and its pair part."""
    own = None if data.training_batch is None else module_loss(model, data.training_batch, epoch)
    if own is not None:
        return _backward(own), 0.0
    if batch.views is not None:
        return _consistency_step(data, batch, batch.views, config, epoch)
    return _plain_step(data.target, data.forward(batch.inputs), batch, config)


def _plain_step(target: Target, logits: Tensor, batch: Batch, config: Config) -> tuple[float, float]:
    if batch.pairs is None:
        return _backward(target.node_loss(logits, batch.labels, batch.weights)), 0.0
    joint = target.plain_loss(logits, batch.labels, batch.weights, batch.pairs, config.pairs)
    logits.backward(joint.gradient)
    return joint.value, joint.pair


def _consistency_step(data: RoundData, batch: Batch, views: Views, config: Config, epoch: int) -> tuple[float, float]:
    """Minimise the mean supervised loss of several augmented passes, and their distance to their sharpened mean."""
    options = config.consistency
    passes = [
        data.forward(inputs, _node_mask(inputs, options.drop_nodes)) for inputs in _choose_graphs(views, options, epoch)
    ]
    logits = torch.cat(passes).unflatten(0, (options.num_views, -1))
    views_logits, gradient = logits.detach(), torch.zeros_like(logits)
    labelled = _labelled_views(data.target, views_logits[:, views.labelled], batch, config)
    gradient[:, views.labelled] = labelled.gradient
    value = labelled.value
    if options.weight:
        weight = options.weight * min(epoch / options.ramp, 1.0)
        unlabelled = views_logits[:, views.unlabelled]
        consistency = data.target.consistency_loss(unlabelled, options.temperature, data.prior, views.votes)
        gradient[:, views.unlabelled] = consistency.gradient.mul_(weight)
        value += weight * consistency.value
    logits.backward(gradient)
    return value, labelled.pair


def _labelled_views(target: Target, logits: Tensor, batch: Batch, config: Config) -> JointLoss:
    """Return the mean over the views of the loss of the labelled nodes."""
    losses = [target.labelled_loss(one, batch.labels, batch.weights, batch.pairs, config.pairs) for one in logits]
    gradient = torch.stack([one.gradient for one in losses]).div_(len(losses))
    return JointLoss(fmean(one.value for one in losses), fmean(one.pair for one in losses), gradient)


def _choose_graphs(views: Views, options: Consistency, epoch: int) -> list[ModelBatch]:
    """Return the graph of every pass: in turn the original graph and a random graph with highways, or both in one."""
    if views.stacked:
        return [_random(views.graphs) for _ in range(options.num_views // 2)]
    original, *augmented = views.graphs
    places = range(epoch * options.num_views, (epoch + 1) * options.num_views)
    return [original if place % 2 == 0 or not augmented else _random(augmented) for place in places]


def _random(graphs: list[ModelBatch]) -> ModelBatch:
    place = int(torch.randint(len(graphs), (), generator=current_generator())) if len(graphs) > 1 else 0
    return graphs[place]


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
