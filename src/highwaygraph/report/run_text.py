"""Sentences and tables of a run's page."""

import math

from highwaygraph.report.answer_text import candidate_cells
from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.history import ROUND, STOP_REASONS
from highwaygraph.runs.result import Result
from highwaygraph.training.gain import Verdict
from highwaygraph.training.gain import verdict as decide

HIGHWAY_HEADS = ("From", "To", "Class", "Round", "Confidence %", "Pair score %", "Correct")


CONCLUSIONS: dict[Verdict, str] = {
    "better": "{answer} is better than typical training",
    "worse": "Typical training is better than {answer}",
    "no difference": "{answer} and typical training are level",
    "too few nodes": "There are too few {nodes} nodes to tell {answer} and typical training apart",
}
"""Text for each verdict."""


FROM_FOLDS = (
    "There are no test nodes: every labelled node is evaluated by the training of a fold that held it out; the saved "
    "model was trained on all labels."
)
"""The source of the scores of a model that was trained on all labels."""


def verdict(run: RunData) -> str:
    """Return whether the answer improved on typical training, with the numbers and their limits."""
    gain, name = run.gain, run.ours.name
    if gain is None:
        return "Typical training was not run, so there is no comparison."
    answer = name if name in (ROUND, "the answer") else f"the answer ({name})"
    conclusion = CONCLUSIONS[decide(gain)].format(answer=answer, nodes=run.evaluated_on)
    low, high = gain.interval
    counts = f"{gain.corrected:,} {run.evaluated_on} nodes were corrected and {gain.newly_wrong:,} are newly wrong."
    limits = "The interval covers the nodes of this split only; other splits or seeds may differ by more."
    if run.evaluated_on == "validation":
        limits += " There are no test nodes: the validation nodes, which also selected the weights, are evaluated."
    if run.evaluated_on == "out-of-fold":
        limits += f" {FROM_FOLDS}"
    interval = f"{conclusion[0].upper()}{conclusion[1:]} (95 % interval {low:+.1f} to {high:+.1f} points)."
    return f"{interval} {counts} {_largest_class(run)} {limits}"


def _largest_class(run: RunData) -> str:
    """Return the accuracy of predicting the class with the most evaluated nodes for all of them."""
    count = run.ours.confusion.sum(dim=1)
    share = _percent(float(count.max()) / max(int(count.sum()), 1))
    return f"Predicting {run.classes[int(count.argmax())]} for all of them gives {share} %."


def largest_difference(run: RunData) -> str:
    """Return the number of hops at which the two trainings differ most."""
    if run.typical is None:
        return "Accuracy usually decreases with the distance from the labels."
    pairs = zip(run.typical.hops, run.ours.hops, strict=True)
    gains = [(100 * (b.accuracy - a.accuracy), b) for a, b in pairs if b.nodes]
    if not gains:
        return "There are no evaluated nodes."
    most, row = max(gains, key=lambda gain: abs(gain[0]))
    hops = "1 hop" if row.hops == "1" else f"{row.hops} hops"
    place = "without a path to a label" if row.hops == "unreachable" else f"{hops} from the nearest label"
    return f"The largest difference, {most:+.1f} points, is on the {row.nodes:,} nodes {place}."


def hop_rows(run: RunData) -> list[list[str]]:
    """Return the table of accuracy by hops."""
    table = []
    for place, row in enumerate(run.ours.hops):
        typical = run.typical.hops[place].accuracy if run.typical else None
        cells = [row.hops, f"{row.nodes:,}", *([] if typical is None else [_percent(typical)]), _percent(row.accuracy)]
        gap = [] if typical is None else [f"{100 * (row.accuracy - typical):+.1f}" if row.nodes else "-"]
        table.append([*cells, *gap])
    return table


def candidate_rows(result: Result) -> list[list[str]]:
    """Return the table of candidates, the answer marked."""
    rows = []
    for one in result.candidates:
        name, *scores = candidate_cells(one)
        rows.append([f"{name}: the answer" if one.name == result.answer else name, *scores])
    return rows


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def graph_note(visible: VisibleGraph) -> str:
    """Return the caption of the graph, with the sizes of the sample where it is one."""
    note = "Colour: predicted class. Size: confidence. Rings: training nodes. Coloured lines: highways."
    counts = {"nodes": len(visible.nodes), "highways": len(visible.highways)}
    parts = [f"{count:,} of {visible.total[k]:,} {k}" for k, count in counts.items() if count < visible.total[k]]
    return f"{note} A random sample of {' and '.join(parts)} is shown." if parts else note


def embedding_note(count: int, most: int) -> str:
    """Return the caption of the embedding of the last layer."""
    note = "t-SNE of the logits, coloured by true class."
    return note if count <= most else f"{note} A random sample of {most:,} of {count:,} nodes is shown."


def highways_note(listed: int, added: int) -> str:
    """Return the caption of the table of highways."""
    note = "Edges added between nodes predicted to be of one class; correct if both true classes are known and equal."
    return note if listed == added else f"{note} {listed:,} of {added:,} are listed; the run folder holds all of them."


def rounds_note(result: Result) -> str:
    """Return why training stopped and which round is selected."""
    options = result.config
    best = f"the best by validation {options.fit.monitor.replace('_', ' ')}"
    chosen = "the last one" if options.highway.keep == "last" else best
    chosen = chosen if result.folds is None else "the median over the folds"
    selected = f"Selected: round {result.best_round} of {len(result.rounds)}, {chosen}."
    return f"Stopped: {STOP_REASONS[result.stopped]}. {selected}"
