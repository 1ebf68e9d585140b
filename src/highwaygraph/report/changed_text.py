"""The table of nodes whose prediction changed, shared by the terminal and the page."""

from itertools import chain, islice

from highwaygraph.report.changed_nodes import ChangedNode
from highwaygraph.report.comparison_values import RunComparison
from highwaygraph.report.text_table import TextTable

# Nodes listed on the page; a file has all of them.
MOST_ON_PAGE = 200


def changed_table(comparison: RunComparison, most: int = MOST_ON_PAGE, more: str = "") -> TextTable:
    """Return the nodes whose predicted class differs from that of the first run.

    Args:
        comparison: The comparison.
        most: Nodes listed of every run.
        more: Where the others are, for the title.

    Returns:
        A row per node: its class in the data, both predictions with their confidence, and its distance from the labels.
    """
    listed = [*chain.from_iterable(islice(change.predictions, most) for change in comparison.changes)]
    total = sum(change.changed for change in comparison.changes)
    has_several = len(comparison.changes) > 1
    # A node may differ in several runs.
    word = "predictions" if has_several else "nodes"
    singular = word.removesuffix("s").capitalize()
    count = (
        f"{len(listed):,} of {total:,} {word}"
        if len(listed) < total
        else f"{total:,} {word}"
        if total > 1
        else singular
    )
    other = "Other run" if has_several or not comparison.changes else comparison.changes[0].run
    first = comparison.runs[0].name
    heads = ["Node", "Class in the data", f"{first} predicts", "Conf. %", f"{other} predicts", "Conf. %", "Hops"]
    rows = [_cells(one) for one in listed]
    if has_several:
        heads, rows = [*heads, "Run"], [[*row, one.run] for row, one in zip(rows, listed, strict=True)]
    differs = "that differ" if has_several else "whose prediction differs"
    title = f"{count} {differs}{more if len(listed) < total else ''}"
    return TextTable("nodes", title, heads, rows, (0, 1, 2, 4, 7), is_sorted=True)


def _cells(one: ChangedNode) -> list[str]:
    label = one.label or "-"
    known = {"train": f"{label} (training)", "val": f"{label} (validation)"}.get(one.part, label)
    both = dict.fromkeys(_hops(hops) for hops in (one.first_hops, one.hops))
    # Distances stay on one line.
    hops = " / ".join(both).replace(" ", "\N{NO-BREAK SPACE}")
    shares = [f"{100 * share:.0f}" for share in (one.first_confidence, one.confidence)]
    return [str(one.id), known, one.first_class, shares[0], one.predicted, shares[1], hops]


def _hops(hops: int | None) -> str:
    return "no path" if hops is None else str(hops)
