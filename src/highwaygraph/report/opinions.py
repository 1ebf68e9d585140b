"""Calibrated predictions of the answer and of the other candidates, and predictions that given labels did not train."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.nn.baselines.fit import is_feasible
from highwaygraph.nn.calibration import fit_temperature
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.history import TYPICAL
from highwaygraph.runs.other_graphs import baseline_logits
from highwaygraph.training.leave_one_out import leave_one_out

# Candidates that classify well enough for their disagreement to mean something, and that a second fits.
REFITTED = ("label propagation", "smoothed features")


@dataclass(frozen=True, eq=False)
class Opinions:
    """Probabilities of all nodes by several classifiers, calibrated on validation."""

    answer: Float[Tensor, "n c"]
    others: dict[str, Float[Tensor, "n c"]]
    """Probabilities of typical training and of simple baselines, by name."""
    held_out: Float[Tensor, "n c"]
    """Probabilities of training and validation nodes that their own labels did not train; NaN where there are none."""

    @property
    def contradicted(self) -> Bool[Tensor, "n"]:
        """Whether at least two other classifiers, and all of them, predict one class that is not the answer's."""
        found = [probs.argmax(dim=1) for probs in self.others.values()]
        if len(found) < 2:
            return torch.zeros(len(self.answer), dtype=torch.bool)
        same = torch.stack([one == found[0] for one in found]).all(dim=0)
        return same & (found[0] != self.answer.argmax(dim=1))

    @property
    def disagreement(self) -> Int[Tensor, "n"]:
        """Number of other classifiers that predict another class than the answer."""
        answer = self.answer.argmax(dim=1)
        return sum((probs.argmax(dim=1) != answer).long() for probs in self.others.values()) + torch.zeros_like(answer)


def read_opinions(run: RunData) -> Opinions:
    """Return the predictions of a run's candidates.

    Args:
        run: The run.

    Returns:
        The probabilities; simple baselines are fitted again, in about two seconds, where they competed.
    """
    result = run.result
    others = {} if run.typical is None or result.answer == TYPICAL else {TYPICAL: run.typical.logits}
    competed = [one.name for one in result.candidates if one.name in REFITTED and one.name != result.answer]
    if competed and is_feasible(result.data):
        others |= baseline_logits(result, result.data, competed)
    answer = run.probs
    return Opinions(answer, {name: _calibrated(run, logits) for name, logits in others.items()}, _held_out(run, answer))


def _held_out(run: RunData, answer: Tensor) -> Tensor:
    """Return out-of-fold probabilities; without folds, leave-one-out ones and those of validation nodes."""
    if run.fold_probs is not None:
        return run.fold_probs
    data = run.result.data
    found = leave_one_out(run.result.scaled(data), answer.size(1))
    probs = torch.full_like(answer, float("nan")) if found is None else found
    # Validation labels select and calibrate the answer, but train no weight.
    probs[data.val_mask] = answer[data.val_mask]
    return probs


def _calibrated(run: RunData, logits: Tensor) -> Tensor:
    data = run.result.data
    temperature = fit_temperature(logits[data.val_mask], data.y[data.val_mask]) if bool(data.val_mask.any()) else 1.0
    return (logits / temperature).softmax(dim=1)
