"""Sentences and tables of a run's page."""

import math

from highwaygraph.report.answer_text import (
    candidate_cells,
    candidate_heads,
    evaluated_on,
    reference_name,
    score_name,
)
from highwaygraph.report.check_first import CERTAIN, CheckList, most_listed
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
    """Return the number of hops at which the two trainings differ most, of those whose interval excludes 0."""
    if run.typical is None:
        return "Accuracy usually decreases with the distance from the labels."
    gains = [(run.gain_at(place), row) for place, row in enumerate(run.ours.hops) if row.nodes]
    if not gains:
        return "There are no evaluated nodes."
    clear = [(gain, row) for gain, row in gains if gain.interval[0] > 0 or gain.interval[1] < 0]
    if not clear:
        return "No distance has a clear difference: every 95 % interval of a difference contains 0."
    gain, row = max(clear, key=lambda pair: abs(pair[0].points))
    hops = "1 hop" if row.hops == "1" else f"{row.hops} hops"
    place = "without a path to a label" if row.hops == "unreachable" else f"{hops} from the nearest label"
    return (
        f"The largest clear difference, {gain.points:+.1f} points, is on the {row.nodes:,} nodes {place} of their own "
        "class."
    )


def hop_rows(run: RunData) -> list[list[str]]:
    """Return the table of accuracy by hops and of all nodes, with the 95 % interval of every paired difference."""
    names = ["no path" if row.hops == "unreachable" else row.hops for row in run.ours.hops]
    counts = [row.nodes for row in run.ours.hops]
    table = [[name, f"{count:,}"] for name, count in zip((*names, "all"), (*counts, sum(counts)), strict=True)]
    for side in run.sides:
        for cells, share in zip(table, [*(row.accuracy for row in side.hops), side.accuracy], strict=True):
            cells.append(_percent(share))
    if run.gain is not None:
        for cells, gain in zip(table, [*map(run.gain_at, range(len(names))), run.gain], strict=True):
            gap = [f"{gain.points:+.1f}", "{:+.1f} to {:+.1f}".format(*gain.interval)] if gain.nodes else ["-", "-"]
            cells.extend(gap)
    # A distance without nodes has no scores.
    return [cells for cells in table if cells[0] == "all" or cells[1] != "0"]


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
    """Return the table of candidates for `candidate_heads`, the answer marked."""
    rows, width = [], len(candidate_heads(result))
    for one in result.candidates:
        name, *scores = candidate_cells(one, reference_name(result))[:width]
        rows.append([f"{name}: the answer" if one.name == result.answer else name, *scores])
    return rows


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def graph_note(visible: VisibleGraph) -> str:
    """Return the caption of the graph, with the sizes of the sample where it is one."""
    note = "Colour: predicted class. Size: confidence. Rings: training nodes."
    note += " Coloured lines: highways." if visible.total["highways"] else ""
    counts = {"nodes": len(visible.nodes), "highways": len(visible.highways)}
    parts = [f"{count:,} of {visible.total[k]:,} {k}" for k, count in counts.items() if count < visible.total[k]]
    return f"{note} A random sample of {' and '.join(parts)} is shown." if parts else note


def highways_title(run: RunData) -> str:
    """Return the title of the section on highways, which names the comparison where there is one."""
    return "Highways" if run.typical is None else "Highways, rescued and lost nodes"


def changed_note(run: RunData, listed: int) -> str:
    """Return what rescued and lost nodes are, and how many are listed where these are not all."""
    note = "Rescued: only the answer classifies the node correctly. Lost: only typical training does."
    total = 0 if run.gain is None else run.gain.corrected + run.gain.newly_wrong
    part = f" The most remote ones are listed, {listed:,} of {total:,}." if listed < total else ""
    return f"{note}{part} A click shows the node in the graph."


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
    else:
        note += " Their precision is unknown: none leads to a node of a known class that was not trained on."
    if result.config.highway.predict == "original":
        return f"{note} They take part in training only; predictions are made on the original graph."
    return f"{note} They take part in training and in prediction."


def check_note(checked: CheckList, run: RunData) -> str:
    """Return how the nodes to check were chosen, and how often the listed ones are wrong."""
    if not checked.nodes:
        return "No given label is contradicted, and every other node is certain and without disagreement of candidates."
    others = ", and nodes that other candidates put into another class" if checked.compared else ""
    labels = sum(one.reason == "given label" for one in checked.nodes)
    note = "Nodes that a person should look at, without any use of test labels: "
    if labels:
        given, label = ("1 given label", "it") if labels == 1 else (f"{labels:,} given labels", "them")
        source = f"of training or validation nodes that a prediction not trained on {label} contradicts"
        if run.result.folds is not None:
            source = f"that the training of the fold which held {label} out contradicts"
        order = " (the clearest contradiction first)" if labels > 1 else ""
        note += f"first {given} {source}{order}, then "
    note += (
        f"the lowest calibrated confidences below {100 * CERTAIN:.0f} %{others}. "
        f"At most {most_listed(run.result.data.num_nodes):,} nodes are listed."
    )
    (wrong, count), (all_wrong, every) = checked.listed_errors, checked.all_errors
    if count and every:
        nodes = "node" if count == 1 else "nodes"
        note += f" Of the {count:,} listed test {nodes}, {100 * wrong / count:.0f} % are misclassified;"
        note += f" of all {every:,}, {100 * all_wrong / every:.0f} %."
    return note


def candidate_notes(result: Result) -> dict[str, str]:
    """Return the caption of the chart of candidates and that of their table; none without candidates."""
    if not result.candidates:
        return {}
    where, score = evaluated_on(result), score_name(result)
    unused = " Test accuracy decides nothing." if "Test %" in candidate_heads(result) else ""
    return {
        "chart": f"Differences in {score} on {where} with one standard error. Arrows are values and ends of bars "
        "beyond the axis. Another candidate is the answer where its whole bar is above zero and its accuracy is not "
        "lower.",
        "table": f"By {score} on {where}; differences to {reference_name(result)} with standard errors.{unused}",
    }


def rounds_note(result: Result) -> str:
    """Return why training stopped and which round is selected."""
    options = result.config
    best = f"the best by validation {options.fit.monitor.replace('_', ' ')}"
    chosen = "the last one" if options.highway.keep == "last" else best
    chosen = chosen if result.folds is None else "the median over the folds"
    selected = f"Selected: round {result.best_round} of {len(result.rounds)}, {chosen}."
    return f"Stopped: {STOP_REASONS[result.stopped]}. {selected}"
