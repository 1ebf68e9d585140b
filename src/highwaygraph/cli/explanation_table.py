"""An explanation on a terminal: sentences and tables of at most 80 columns."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable

if TYPE_CHECKING:
    from highwaygraph.explanation.records import Explanation, HighwayReason, NearestLabel

# Highways, voters and other rows of each table.
MOST_ROWS = 5


SPLITS = {"train": "training node", "val": "validation node", "test": "test node", "": "no part of the split"}
"""Parts of the split in words."""


BEYOND = "Hops -: the label is beyond the receptive field."


def explanation_text(found: "Explanation", *, first: bool = True) -> RenderableType:
    """Return the explanation of one node.

    Args:
        found: The explanation.
        first: Whether no other explanation is above it.
    """
    above = "" if first else "\n"
    title = Text(f"{above}{found.id}: {found.predicted}", style="bold", overflow="fold")
    parts: list[RenderableType] = [title, Text(_summary(found), overflow="fold")]
    for heading, table, note in _sections(found):
        if table is not None:
            parts += [Text(f"\n{heading}", style="bold", overflow="fold"), table, *([Text(note)] if note else [])]
    parts += [Text("\nNearest label", style="bold"), Text(nearest_text(found), overflow="fold")]
    return Group(*parts, *(Text(f"Note: {note}", overflow="fold") for note in found.notes))


def _summary(found: "Explanation") -> str:
    probability = (
        f"Calibrated probability {100 * found.confidence:.0f} %. The logit of {found.predicted} is {found.margin:.2f} "
        f"above that of {found.runner_up}, the next class: this is the margin."
    )
    label = f" Class in the data: {found.label} ({SPLITS[found.split]})." if found.label else ""
    typical = f" Typical training predicts {found.typical}." if found.typical else ""
    return f"{probability}{label}{typical}"


def _sections(found: "Explanation") -> Iterable[tuple[str, Table | None, str]]:
    yield _answer(found)
    exact = "exact" if found.exact else "approximate"
    yield (
        f"Messages: drop of the margin without the node ({exact}, {found.field_nodes:,} nodes in its field)",
        _table(
            ("Node", "Hops", "Predicted", "Label", "Effect"),
            [(m.id, m.hops, m.predicted, m.label or "-", _effect(m.effect, m.decides)) for m in found.messages],
        ),
        "",
    )
    yield (
        "Training labels: drop of the margin if trained without the label (estimate)",
        _table(
            ("Node", "Hops", "Label", "Effect", "Share"),
            [(x.id, _hops(x.hops), x.label, f"{x.effect:+.2f}", f"{100 * x.share:.0f} %") for x in found.labels],
        ),
        BEYOND if any(x.hops is None for x in found.labels[:MOST_ROWS]) else "",
    )
    yield (
        "Features: drop of the margin without the feature",
        _table(
            ("Feature", "Own", "Effect"),
            [(f.name, "yes" if f.own else "no", _effect(f.effect, f.decides)) for f in found.features],
        ),
        "",
    )
    votes = [(v.id, v.predicted, v.label or "-", f"{v.weight:.3f}", f"{v.effect:+.3f}") for v in found.voters]
    heads = ("Node", "Votes for", "Label", "Weight", "Effect")
    yield "Votes of nodes with similar features: part in the voted difference", _table(heads, votes), ""
    yield (*_highways(found), "")


def _answer(found: "Explanation") -> tuple[str, Table | None, str]:
    """Return the parts of the answer; those of a combination with the weights that `highway train` prints."""
    title = f"Answer: {found.answer}; margins in logits, their sum is the margin"
    if all(part.weight is None for part in found.parts):
        rows = [(p.name, f"{p.factor:.2f}", p.predicted or "-", f"{p.margin:+.2f}") for p in found.parts]
        return title, _table(("Part", "Factor", "Predicted", "Margin"), rows), ""
    heads = ("Part", "Weight", "Temperature", "Factor", "Predicted", "Margin")
    cells = [
        (p.name, _number(p.weight), _number(p.temperature), f"{p.factor:.2f}", p.predicted or "-", f"{p.margin:+.2f}")
        for p in found.parts
    ]
    note = "Factor of the logits: the weight, which highway train prints, divided by the temperature."
    return title, _table(heads, cells), note


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _highways(found: "Explanation") -> tuple[str, Table | None]:
    use = "messages pass along them" if found.highways_at_prediction else "in its training targets only"
    count = f"{found.num_highways:,} highway{'' if found.num_highways == 1 else 's'}: {use}"
    rows = [(one.id, one.round, highway_reason(one)) for one in found.highways]
    return count, _table(("To", "Round", "Reason"), rows)


def highway_reason(one: "HighwayReason") -> str:
    """Return the reason for a highway in words."""
    end = f"labelled {one.label}" if one.label else f"predicted {one.predicted}"
    same = "" if one.same_prediction else " (another class now)"
    score = f"pair score {100 * one.pair_score:.0f} %, confidence {100 * one.confidence:.0f} %"
    shared = f"; shares {', '.join(one.shared)}" if one.shared else "; shares no feature"
    return f"{end}{same}; {score}; similarity {one.similarity:.2f}{shared}"


def nearest_text(found: "Explanation") -> str:
    """Return the nearest label without and with highways, and what the path means for the prediction."""
    before, after = found.nearest_before, found.nearest_after
    text = f"On the original graph: {_nearest(before, found.predicted)}."
    if not found.num_highways and before == after:
        return text
    text += f"\nWith highways: {_nearest(after, found.predicted)}."
    if found.highways_at_prediction:
        return f"{text}\nThe network predicts on the graph with highways."
    return (
        f"{text}\nThe network predicts on the original graph: highways shaped its training, and no message uses them."
    )


def _nearest(one: "NearestLabel", predicted: str) -> str:
    if one.hops is None:
        return "no path leads to a label"
    own = "no path" if one.same_class_hops is None else _count(one.same_class_hops)
    path = f" by {' - '.join(map(str, one.path))}" if one.hops else ""
    return f"{_count(one.hops)} to a label of any class ({one.label}){path}, {own} to a label of {predicted}"


def _count(hops: int) -> str:
    return f"{hops} hop{'' if hops == 1 else 's'}"


def _hops(hops: int | None) -> str:
    return "-" if hops is None else str(hops)


def _effect(effect: float, decides: bool) -> str:
    return f"{effect:+.2f}{' decides' if decides else ''}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Table | None:
    """Return a table of the first rows, None without any; long cells are folded."""
    shown = list(rows)[:MOST_ROWS]
    if not shown:
        return None
    table = FoldingTable()
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in shown:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table
