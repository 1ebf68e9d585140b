"""One epoch: a step of training, and a look at validation."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Optimizer

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.inputs import Batch, call
from highwaygraph.lessons import TrainsItself
from highwaygraph.metrics import macro_f1
from highwaygraph.pairs import joint_loss, pair_loss
from highwaygraph.results import evaluate
from highwaygraph.tasks import Task, Wide
from highwaygraph.views import consistency


def step(model: nn.Module, task: Task, optimizer: Optimizer, config: Config, epoch: int) -> tuple[float, float]:
    """Take one step, the model's own or one on the loss of Eq. 6, and return its loss with the pair part."""
    model.train()
    optimizer.zero_grad()
    own = model.own_loss(task.lesson, epoch) if isinstance(model, TrainsItself) else None
    if own is not None:
        value, pair = _backward(own), 0.0
    elif task.wide is not None:
        value, pair = _look_wide(model, task, task.wide, config, epoch)
    else:
        value, pair = _descend(call(model, task.train), task, config)
    optimizer.step()
    return _finite(value), pair


def validate(model: nn.Module, task: Task) -> tuple[float, float, float]:
    """Return loss, accuracy and, where it decides, F1 of the validation nodes, the loss weighted as the task says."""
    logits, labels = evaluate(model, task.val), task.val_labels
    said = logits.argmax(dim=1)
    right = (said == labels).double().mean()
    f1 = macro_f1(said, labels, torch.ones_like(labels, dtype=torch.bool)) if task.judges_f1 else math.nan
    return _finite(node_loss(logits, labels, task.val_weights).item()), right.item(), f1


def node_loss(logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean cross-entropy, with a weight per node where given (Eq. 10)."""
    if weights is None:
        return F.cross_entropy(logits, labels)
    return (weights * F.cross_entropy(logits, labels, reduction="none")).mean()


def _descend(logits: Tensor, task: Task, config: Config) -> tuple[float, float]:
    if task.pairs is None:
        return _backward(node_loss(logits, task.train_labels, task.train_weights)), 0.0
    if task.train_weights is not None:
        pair_part = pair_loss(logits, task.pairs)
        node_part = node_loss(logits, task.train_labels, task.train_weights)
        return _backward(node_part + config.pairs.weight * pair_part), pair_part.item()
    value, pair, gradient = joint_loss(logits, task.train_labels, task.pairs, config.pairs.weight)
    logits.backward(gradient)
    return value, pair


def _look_wide(model: nn.Module, task: Task, wide: Wide, config: Config, epoch: int) -> tuple[float, float]:
    """Descend on the mean of several passes over all nodes, and on how far they disagree."""
    options, train, others = config.views, task.lesson.train, task.lesson.others
    logits = [
        call(model, inputs, _visible(task, options.drop_nodes))
        for inputs in (_scene(wide, epoch * options.count + view) for view in range(options.count))
    ]
    known = [one[train] for one in logits]
    loss = torch.stack([node_loss(one, task.train_labels, task.train_weights) for one in known]).mean()
    pair = 0.0
    if task.pairs is not None:
        of_pairs = torch.stack([pair_loss(one, task.pairs) for one in known]).mean()
        loss, pair = loss + config.pairs.weight * of_pairs, of_pairs.item()
    if options.weight:
        weight = options.weight * min(epoch / options.ramp, 1.0)
        loss = loss + weight * consistency([one[others] for one in logits], options.temperature, wide.shares)
    return _backward(loss), pair


def _scene(wide: Wide, number: int) -> Batch:
    """Return the graph itself for every other pass, and one of those drawn for the others."""
    if not wide.drawn or number % 2 == 0:
        return wide.whole
    return wide.drawn[int(torch.randint(len(wide.drawn), ()))]


def _visible(task: Task, rate: float) -> Tensor | None:
    """Return 0 for nodes whose features are hidden and 1 / (share seen) for the others."""
    if not rate:
        return None
    nodes = len(task.lesson.train) + len(task.lesson.others)
    return (torch.rand(nodes) >= rate).float().div_(1 - rate).to(task.train_labels.device)


def _backward(loss: Tensor) -> float:
    loss.backward()
    return loss.item()


def _finite(loss: float) -> float:
    if not math.isfinite(loss):
        raise FailedError("The loss is no longer a number: lower fit.lr, or scale the features with fit.features=row.")
    return loss
