"""What a run's page says in words and in tables."""

import math

from highwaygraph.report import graph_json
from highwaygraph.report.run_data import Facts, Gain
from highwaygraph.runs.result import Result

HEADS = ("From", "To", "Class", "Round", "Confidence %", "Pair score %", "Right")


STOPPED = {
    "validation": "Training stopped because validation did not improve any more",
    "rounds": "Training stopped because all rounds were done",
    "no new edges": "Training stopped because no new edge passed the thresholds",
}


def verdict(facts: Facts) -> str:
    """Return in a sentence whether it helped, and how sure that is."""
    gain = facts.gain
    if gain is None:
        return "Typical training was not run beside it, so there is nothing to compare with."
    said = f"{gain.mended:,} {facts.judged_on} nodes were put right and {gain.broken:,} put wrong."
    caution = "The standard error is that of this split's nodes; another split or seed may differ by more."
    if facts.judged_on == "validation":
        caution += " Without test nodes, these are the validation nodes that also chose the weights: take it as a hint."
    return f"{_judgement(gain)} {said} {caution}"


def _judgement(gain: Gain) -> str:
    if abs(gain.points) <= 2 * gain.error:
        return "No clear difference."
    return "It helped." if gain.points > 0 else "It did not help: typical training is better here."


def where(facts: Facts) -> str:
    """Return in a sentence at which distance the gain is largest."""
    if facts.typical is None:
        return "Accuracy usually falls with distance from the labels."
    pairs = zip(facts.typical.hops, facts.ours.hops, strict=True)
    gains = [(100 * (b.accuracy - a.accuracy), b) for a, b in pairs if b.nodes]
    if not gains:
        return "No node could be judged."
    most, row = max(gains, key=lambda g: abs(g[0]))
    hops = "1 hop" if row.hops == "1" else f"{row.hops} hops"
    place = "without a path to a label" if row.hops == "unreachable" else f"{hops} from the nearest label"
    return f"The largest difference, {most:+.1f} points, is at the {row.nodes:,} nodes {place}."


def hop_rows(facts: Facts) -> list[list[str]]:
    """Return the table of accuracy by distance."""
    table = []
    for place, row in enumerate(facts.ours.hops):
        before = facts.typical.hops[place].accuracy if facts.typical else None
        cells = [row.hops, f"{row.nodes:,}", *([] if before is None else [_percent(before)]), _percent(row.accuracy)]
        gap = [] if before is None else [f"{100 * (row.accuracy - before):+.1f}" if row.nodes else "-"]
        table.append([*cells, *gap])
    return table


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def of_graph(drawn: graph_json.Drawn) -> str:
    """Return what the picture of the graph shows, and how much of it."""
    note = "Nodes by predicted class, labelled ones ringed, larger where surer; highways bright."
    drawn_of = {"nodes": len(drawn.nodes), "highways": len(drawn.highways)}
    parts = [f"{count:,} of {drawn.total[k]:,} {k}" for k, count in drawn_of.items() if count < drawn.total[k]]
    return f"{note} Drawn are {' and '.join(parts)}, chosen by chance." if parts else note


def of_layer(count: int, most: int) -> str:
    """Return what the pictures of the last layer show."""
    note = "t-SNE of the logits, coloured by true class."
    return note if count <= most else f"{note} {most:,} of {count:,} nodes, drawn by chance."


def of_highways(shown: int, added: int) -> str:
    """Return what the table of highways lists."""
    note = "Edges added between nodes that were put in one class; right where both true classes are known and equal."
    return note if shown == added else f"{note} {shown:,} of {added:,} are listed; the run folder has them all."


def of_rounds(result: Result) -> str:
    """Return why training stopped, and which round is the answer."""
    options = result.config
    chosen = "the last one" if options.highway.keep == "last" else f"best by validation {options.fit.monitor}"
    return f"{STOPPED[result.stopped]}. The answer is round {result.best_round} of {len(result.rounds)}, {chosen}."
