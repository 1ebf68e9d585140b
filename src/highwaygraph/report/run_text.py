"""Sentences and tables of a run's page."""

import math

from highwaygraph.report.answer_text import candidate_cells
from highwaygraph.report.check_first import CheckList
from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.highway_scores import evaluated_highways
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.history import STOP_REASONS
from highwaygraph.runs.result import Result


def split_text(run: RunData) -> str:
    """Return the sizes of the parts of the split."""
    data = run.result.data
    if run.evaluated_on == "out-of-fold":
        return f"{int(data.train_mask.sum()):,} labels, all trained on and each held out by one fold"
    return ", ".join(f"{int(data[f'{n}_mask'].sum()):,} {n}" for n in ("train", "val", "test"))


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
    return f"The largest difference, {most:+.1f} points, is on the {row.nodes:,} nodes {place} of their own class."


def hop_rows(run: RunData) -> list[list[str]]:
    """Return the table of accuracy by hops, with the 95 % interval of every paired difference."""
    table = []
    for place, row in enumerate(run.ours.hops):
        cells = ["no path" if row.hops == "unreachable" else row.hops, f"{row.nodes:,}"]
        if run.typical is None:
            table.append([*cells, _percent(row.accuracy)])
            continue
        gain = run.gain_at(place)
        gap = [f"{gain.points:+.1f}", "{:+.1f} to {:+.1f}".format(*gain.interval)] if row.nodes else ["-", "-"]
        table.append([*cells, _percent(run.typical.hops[place].accuracy), _percent(row.accuracy), *gap])
    return table


def class_rows(run: RunData) -> list[list[str]]:
    """Return the scores of every class: nodes, then precision, recall and F1 of typical training and of the answer."""
    scores = [side.classes for side in run.sides]
    table = []
    for label, name in enumerate(run.classes):
        sides = [one[label] for one in scores]
        gap = [f"{100 * (sides[1].f1 - sides[0].f1):+.1f}"] if len(sides) > 1 else []
        gap = ["-" if "nan" in text else text for text in gap]
        values = [_percent(getattr(one, score)) for score in ("precision", "recall", "f1") for one in sides]
        table.append([name, f"{sides[0].nodes:,}", *gap, *values])
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


def highways_note(run: RunData) -> str:
    """Return the number of highways, their precision with its denominator, and where they take part."""
    result = run.result
    known, correct = evaluated_highways(result)
    count, hits = int(known.sum()), int(correct.sum())
    added = result.highways.size(1)
    is_one = added == 1
    note = f"{added:,} {'highway joins' if is_one else 'highways join'} nodes that are predicted to be of one class."
    if count:
        note += (
            f" Precision {100 * hits / count:.1f} %: the ends of {hits:,} have the same true class, of the {count:,} "
            "whose end is no training node and has a known class."
        )
    if result.config.highway.predict == "original":
        return f"{note} They take part in training only; predictions are made on the original graph."
    return f"{note} They take part in training and in prediction."


def check_note(checked: CheckList) -> str:
    """Return how the nodes to check were chosen, and how often the listed ones are wrong."""
    labels = sum(one.reason == "given label" for one in checked.nodes)
    note = "Nodes that a person should look at, without any use of test labels: "
    if labels:
        given = "1 given label" if labels == 1 else f"{labels:,} given labels"
        note += f"first {given} of training or validation nodes that a prediction not trained on it contradicts, then "
    note += "the lowest calibrated confidences, and nodes that all other candidates put into another class."
    (wrong, count), (all_wrong, every) = checked.listed_errors, checked.all_errors
    if count and every:
        note += f" Of the {count:,} listed nodes with a known label, {100 * wrong / count:.0f} % are misclassified;"
        note += f" of all, {100 * all_wrong / every:.0f} %."
    return note


def rounds_note(result: Result) -> str:
    """Return why training stopped and which round is selected."""
    options = result.config
    best = f"the best by validation {options.fit.monitor.replace('_', ' ')}"
    chosen = "the last one" if options.highway.keep == "last" else best
    chosen = chosen if result.folds is None else "the median over the folds"
    selected = f"Selected: round {result.best_round} of {len(result.rounds)}, {chosen}."
    return f"Stopped: {STOP_REASONS[result.stopped]}. {selected}"
