"""The first lines of a run's page: one number, and a sentence on whether HighwayGraph helped and how certain it is."""

from typing import NamedTuple

from highwaygraph.report.answer_text import evaluated_on
from highwaygraph.report.run_data import RunData, answer_name
from highwaygraph.runs.history import ROUND, TYPICAL
from highwaygraph.runs.intervals import wilson_interval
from highwaygraph.training.gain import Gain, Verdict, verdict

CONCLUSIONS: dict[Verdict, str] = {
    "better": "It helped",
    "worse": "It did harm",
    "no difference": "It made no clear difference",
    "too few nodes": "There are too few nodes to decide",
}
"""Text for each verdict on the answer beside typical training."""

FROM_FOLDS = (
    "There are no test nodes: every labelled node is evaluated by the training of a fold that held it out; the saved "
    "model was trained on all labels."
)
"""The source of the scores of a model that was trained on all labels."""


class Headline(NamedTuple):
    """The number and the sentences at the top of a page."""

    number: str
    unit: str
    kind: str
    """Class of the style sheet: up, down, or empty."""
    sentence: str
    certainty: str
    """How certain it is."""
    limits: str


def headline(run: RunData) -> Headline:
    """Return the first lines of a run's page.

    Args:
        run: The run.

    Returns:
        The paired difference to typical training with its interval, or the accuracy where nothing is compared.
    """
    if run.gain is None or run.typical is None or run.result.answer == TYPICAL:
        return _accuracy(run)
    gain, decided = run.gain, verdict(run.gain)
    kind = {"better": "up", "worse": "down"}.get(decided, "")
    sentence = (
        f"{CONCLUSIONS[decided]}: {_answer(run)} classifies {_percent(run.ours.accuracy)} of {_nodes(run)} correctly, "
        f"typical training {_percent(run.typical.accuracy)}."
    )
    return Headline(f"{gain.points:+.1f}", "points", kind, sentence, _certainty(gain), _limits(run))


def _accuracy(run: RunData) -> Headline:
    low, high = (100 * end for end in wilson_interval(run.ours.accuracy, int(run.ours.evaluated.sum())))
    itself = "This run is typical training, so there is nothing to compare."
    alone = itself if answer_name(run.result) == TYPICAL else "Typical training was not run, so there is no comparison."
    where = evaluated_on(run.result)
    same = f"The answer is typical training itself: nothing that competed is better on {where}."
    sentence = f"{_percent(run.ours.accuracy)} of {_nodes(run)} are classified correctly."
    reason = same if run.result.answer == TYPICAL else alone
    certainty = f"95 % interval {low:.1f} to {high:.1f} %. {reason}"
    return Headline(f"{100 * run.ours.accuracy:.1f}", "% correct", "", sentence, certainty, _limits(run))


def _certainty(gain: Gain) -> str:
    low, high = gain.interval
    interval = f"95 % interval of the difference: {low:+.1f} to {high:+.1f} points."
    newly = f"{gain.newly_wrong:,} {'is' if gain.newly_wrong == 1 else 'are'} newly wrong"
    corrected = f"{gain.corrected:,} {'node was' if gain.corrected == 1 else 'nodes were'} corrected"
    return f"{interval} {corrected}, {newly}."


def _limits(run: RunData) -> str:
    count = run.ours.confusion.sum(dim=1)
    share = float(count.max()) / max(int(count.sum()), 1)
    largest = f"Predicting {run.classes[int(count.argmax())]} for all nodes gives {_percent(share)}."
    part = "of these folds" if run.is_out_of_fold else "of this split"
    limits = f"{largest} The interval covers the nodes {part} only; other splits or seeds may differ by more."
    if run.evaluated_on == "validation":
        limits += " There are no test nodes: the validation nodes, which also selected the weights, are evaluated."
    if run.is_out_of_fold:
        limits += f" {FROM_FOLDS}"
    return limits


def _answer(run: RunData) -> str:
    name = run.result.answer
    return name if name == ROUND else f"the answer ({name})"


def _nodes(run: RunData) -> str:
    count = int(run.ours.evaluated.sum())
    return f"{count:,} {run.evaluated_on} {'node' if count == 1 else 'nodes'}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
