"""One epoch: a step of training for every lot, and a look at validation."""

import math
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Optimizer

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.nn.batches import Batch, evaluate
from highwaygraph.nn.modules import HasTrainingLoss
from highwaygraph.runtime.distributed import gather
from highwaygraph.training.batches import ConsistencyBatch, RoundData, TrainingStep
from highwaygraph.training.consistency import consistency_loss
from highwaygraph.training.metrics import macro_f1
from highwaygraph.training.pairs import joint_loss, pair_loss


def step(model: nn.Module, task: RoundData, optimizer: Optimizer, config: Config, epoch: int) -> tuple[float, float]:
    """Take the steps of one epoch, one unless nodes come in lots, and return the mean loss with the pair part."""
    model.train()
    taken = []
    for lot in task.lots(epoch):
        optimizer.zero_grad()
        value, pair = _learn(model, task, lot, config, epoch)
        optimizer.step()
        taken.append((_finite(value, epoch), pair))
    return taken[0] if len(taken) == 1 else (fmean(value for value, _ in taken), fmean(pair for _, pair in taken))


def _learn(model: nn.Module, task: RoundData, lot: TrainingStep, config: Config, epoch: int) -> tuple[float, float]:
    """Leave the gradient of the model's own loss, or of Eq. 6, and return the loss with the pair part."""
    own = model.training_loss(task.lesson, epoch) if isinstance(model, HasTrainingLoss) and task.lesson else None
    if own is not None:
        return _backward(own), 0.0
    if lot.wide is not None:
        return _look_wide(task, lot, lot.wide, config, epoch)
    return _descend(task.ask(lot.inputs), lot, config)


def validate(model: nn.Module, task: RoundData, epoch: int = 0) -> tuple[float, float, float]:
    """Return loss, accuracy and, where it decides, F1 of the validation nodes, the loss weighted as the task says."""
    seen = [(evaluate(model, exam.inputs), exam.labels) for exam in task.exams()]
    logits, labels = seen[0] if len(seen) == 1 else (torch.cat(part) for part in zip(*seen, strict=True))
    logits, labels = gather(logits), gather(labels)
    said = logits.argmax(dim=1)
    right = (said == labels).double().mean()
    f1 = macro_f1(said, labels, torch.ones_like(labels, dtype=torch.bool)) if task.judges_f1 else math.nan
    return _finite(node_loss(logits, labels, task.val_weights).item(), epoch), right.item(), f1


def node_loss(logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean cross-entropy, with a weight per node where given (Eq. 10)."""
    if weights is None:
        return F.cross_entropy(logits, labels)
    return (weights * F.cross_entropy(logits, labels, reduction="none")).mean()


def _descend(logits: Tensor, lot: TrainingStep, config: Config) -> tuple[float, float]:
    if lot.pairs is None:
        return _backward(node_loss(logits, lot.labels, lot.weights)), 0.0
    if lot.weights is not None:
        pair_part = pair_loss(logits, lot.pairs)
        node_part = node_loss(logits, lot.labels, lot.weights)
        return _backward(node_part + config.pairs.weight * pair_part), pair_part.item()
    value, pair, gradient = joint_loss(logits, lot.labels, lot.pairs, config.pairs.weight)
    logits.backward(gradient)
    return value, pair


def _look_wide(
    task: RoundData, lot: TrainingStep, wide: ConsistencyBatch, config: Config, epoch: int
) -> tuple[float, float]:
    """Descend on the mean of several passes over more nodes, and on how far they disagree."""
    options, others = config.consistency, wide.others
    logits = [
        task.ask(inputs, _visible(inputs, options.drop_nodes))
        for inputs in (_scene(wide, epoch * options.num_views + view) for view in range(options.num_views))
    ]
    known = [one[wide.known] for one in logits]
    loss = torch.stack([node_loss(one, lot.labels, lot.weights) for one in known]).mean()
    pair = 0.0
    if lot.pairs is not None:
        of_pairs = torch.stack([pair_loss(one, lot.pairs) for one in known]).mean()
        loss, pair = loss + config.pairs.weight * of_pairs, of_pairs.item()
    if options.weight:
        weight = options.weight * min(epoch / options.ramp, 1.0)
        loss = loss + weight * consistency_loss([one[others] for one in logits], options.temperature, wide.shares)
    return _backward(loss), pair


def _scene(wide: ConsistencyBatch, number: int) -> Batch:
    """Return the graph itself for every other pass, and one of those drawn for the others."""
    if not wide.drawn or number % 2 == 0:
        return wide.whole
    return wide.drawn[int(torch.randint(len(wide.drawn), ()))]


def _visible(inputs: Batch, rate: float) -> Tensor | None:
    """Return 0 for nodes whose features are hidden and 1 / (share seen) for the others."""
    if not rate:
        return None
    device = inputs.x.device if isinstance(inputs.x, Tensor) else torch.device("cpu")
    return (torch.rand(inputs.x.shape[0]) >= rate).float().div_(1 - rate).to(device)


def _backward(loss: Tensor) -> float:
    loss.backward()
    return loss.item()


def _finite(loss: float, epoch: int) -> float:
    if not math.isfinite(loss):
        raise FailedError(
            f"The loss is no longer a number in epoch {epoch}: lower fit.lr, or scale the features with "
            "fit.features=row."
        )
    return loss
