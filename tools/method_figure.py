"""Draws docs/images/method.svg: the pair prediction of the paper, and the votes of nodes with similar features."""

from tools.pages import IMAGES
from tools.svg import BLUE, GREEN, GREY, INK, ORANGE, arrow, box, document, text

FIGURE = IMAGES / "method.svg"
LABEL = (
    "Left: node and pair prediction come from the same logits. Right: votes come from each node's own features; "
    "they enter the answer and are no messages."
)


def draw() -> str:
    """Return the figure as SVG text."""
    return document(400, LABEL, [*_one_source(), *_two_sources()])


def _stage(x: int, y: int, width: int, words: list[str], colour: str) -> list[str]:
    lines = [
        text(x + width / 2, y + 24 + 19 * i, line, colour, anchor="middle", bold=i == 0) for i, line in enumerate(words)
    ]
    return [box(x, y, width, 16 + 21 * len(words), colour), *lines]


def _one_source() -> list[str]:
    return [
        text(20, 34, "One source: the pair repeats the node", bold=True, size=17),
        *_stage(40, 70, 150, ["features", "and edges"], GREY),
        *_stage(40, 185, 150, ["GNN", "messages"], BLUE),
        arrow("M 115 128 L 115 183"),
        *_stage(280, 100, 170, ["node prediction", "softmax of logits"], BLUE),
        *_stage(280, 240, 170, ["pair prediction", "similar logits"], BLUE),
        arrow("M 190 205 L 278 135"),
        arrow("M 190 222 L 278 262"),
        text(365, 332, "the same errors", ORANGE, anchor="middle", bold=True),
        text(20, 378, "A highway needs both, and both agree where the GNN is wrong."),
    ]


def _two_sources() -> list[str]:
    x = 510
    return [
        f'<path d="M {x - 20} 20 L {x - 20} 385" stroke="{GREY}" stroke-width="1"/>',
        text(x, 34, "Two sources: features vote", bold=True, size=17),
        *_stage(x + 10, 70, 150, ["GNN", "messages"], BLUE),
        *_stage(x + 10, 235, 150, ["own features", "of every node"], GREEN),
        *_stage(x + 10, 312, 150, ["baselines"], GREY),
        *_stage(x + 200, 155, 130, ["votes", "ridge, the node", "left out"], GREEN),
        arrow(f"M {x + 120} 128 L {x + 215} 153"),
        arrow(f"M {x + 160} 255 L {x + 230} 236"),
        *_stage(x + 370, 105, 110, ["answer", "product of", "experts"], INK),
        arrow(f"M {x + 160} 95 L {x + 368} 125"),
        arrow(f"M {x + 330} 190 L {x + 368} 165"),
        arrow(f"M {x + 160} 332 L {x + 420} 332 L {x + 420} 186"),
        text(x, 378, "Votes change the answer; they are not sent along edges."),
    ]


if __name__ == "__main__":
    FIGURE.write_text(draw())
