"""Draws docs/images/idea.svg: the pair loss and highways on one small graph."""

from pathlib import Path

FIGURE = Path(__file__).resolve().parent.parent / "docs/images/idea.svg"
ONE, OTHER, GREY, INK, BRIGHT = "#0072b2", "#d55e00", "#b8bec6", "#2b2f36", "#e0a800"
WIDTH, HEIGHT, PANEL = 960, 400, 480
# A chain of one class above, one of the other class below, and two edges between them.
POSITIONS = [(60, 180), (135, 155), (210, 190), (285, 160), (360, 190), (425, 160),
          (60, 295), (135, 270), (210, 300), (285, 275), (360, 300), (425, 280)]  # fmt: skip
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9), (9, 10), (10, 11), (3, 9), (5, 11)]
LABELLED = {0: ONE, 5: ONE, 6: OTHER}
HIGHWAYS = [(0, 3, -150), (0, 4, -210), (6, 9, 110), (6, 11, 170)]
ALTERNATIVE = (
    "Left: the pair loss compares labelled nodes that are far apart. "
    "Right: highways join labelled anchors and remote nodes."
)


def draw() -> str:
    """Return the figure as SVG text."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{ALTERNATIVE}" '
        'font-family="sans-serif" font-size="15">'
    )
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>'
    parts = [*_panel(0, "Implicit: pairs of labels", _pairs()), *_panel(PANEL, "Explicit: highways", _highways())]
    return "\n".join([head, back, *parts, "</svg>\n"])


def _panel(shift: int, title: str, marks: list[str]) -> list[str]:
    heading = f'<text x="30" y="34" fill="{INK}" font-weight="bold" font-size="17">{title}</text>'
    edges = [_line(a, b, GREY) for a, b in EDGES]
    nodes = [_node(i) for i in range(len(POSITIONS))]
    return [f'<g transform="translate({shift} 0)">', heading, *edges, *marks, *nodes, "</g>"]


def _pairs() -> list[str]:
    words = [_text(245, 72, "same class: pull the logits together", "middle")]
    words += [_text(76, 232, "another class:"), _text(76, 252, "push them apart")]
    return [_arc(0, 5, -150, INK, dashed=True), _line(0, 6, INK, dashed=True), *words]


def _highways() -> list[str]:
    note = _text(30, 388, "A remote node is one hop from a label of its class.")
    return [*(_arc(a, b, bend, BRIGHT) for a, b, bend in HIGHWAYS), note]


def _node(i: int) -> str:
    x, y = POSITIONS[i]
    ring = (INK, 3) if i in LABELLED else (GREY, 2)
    fill = LABELLED.get(i, "#eef0f3")
    return f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}" stroke="{ring[0]}" stroke-width="{ring[1]}"/>'


def _line(a: int, b: int, colour: str, *, dashed: bool = False) -> str:
    (x1, y1), (x2, y2) = POSITIONS[a], POSITIONS[b]
    return f'<path d="M {x1} {y1} L {x2} {y2}" {_stroke(colour, 2, dashed=dashed)}/>'


def _arc(a: int, b: int, bend: int, colour: str, *, dashed: bool = False) -> str:
    (x1, y1), (x2, y2) = POSITIONS[a], POSITIONS[b]
    middle = f"{(x1 + x2) / 2} {(y1 + y2) / 2 + bend}"
    return f'<path d="M {x1} {y1} Q {middle} {x2} {y2}" {_stroke(colour, 3, dashed=dashed)}/>'


def _stroke(colour: str, width: int, *, dashed: bool) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="{width}"' + (' stroke-dasharray="5 5"' if dashed else "")


def _text(x: int, y: int, words: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{INK}" text-anchor="{anchor}">{words}</text>'


if __name__ == "__main__":
    FIGURE.write_text(draw())
