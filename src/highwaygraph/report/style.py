"""Figures that follow the page: drawn once, as vectors whose colours are the page's own in light and dark."""

import colorsys
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

INK, MUTED, LINE, PAPER = "#1b1f24", "#59636e", "#d1d9e0", "#ffffff"


# Okabe and Ito's colours, which stay apart for colour-blind readers.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#aa4499"


THEME = {INK: "ink", MUTED: "muted", LINE: "line", PAPER: "paper", BLUE: "blue", ORANGE: "orange", GREEN: "green",
         PURPLE: "purple"}  # fmt: skip


RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "grid.color": LINE,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "none",
    "pdf.fonttype": 42,
}


@contextmanager
def look() -> Iterator[None]:
    """Draw in the page's style, leaving the user's own settings as they were."""
    with mpl.rc_context(RC):
        yield


def new(width: float = 5.2, height: float = 3.2) -> Figure:
    """Return an empty figure that no global state knows of."""
    return Figure(figsize=(width, height), layout="constrained")


def inline(figure: Figure, name: str, alternative: str) -> str:
    """Return the figure as an element for the page, with words for those who do not see it."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "svg.id": name}):
        text = _written(figure, "svg", dpi=160)
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    for colour, word in THEME.items():
        body = body.replace(colour, f"var(--{word})")
    # Parts are named alike in every figure, and a page may use a name once: only names that are looked up stay.
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', body))
    body = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", body)
    size = re.search(r'viewBox="([^"]+)"', body)
    assert size is not None
    head = f'<svg viewBox="{size[1]}" role="img" aria-label="{escape(alternative)}" class="figure">'
    return head + body[body.index(">") + 1 :].strip()


def save(figure: Figure, name: str, folder: Path) -> list[Path]:
    """Write the figure for print: SVG, PDF and PNG on white, the same bytes for the same numbers."""
    paths = [folder / f"{name}.{kind}" for kind in ("svg", "pdf", "png")]
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}):
        for path, dated in zip(paths, ("Date", "CreationDate", ""), strict=True):
            figure.savefig(path, facecolor="white", dpi=200, metadata={dated: None} if dated else None)
    return paths


def _written(figure: Figure, kind: str, dpi: int) -> str:
    text = io.StringIO()
    figure.savefig(text, format=kind, dpi=dpi, metadata={"Date": None}, transparent=True)
    return text.getvalue()


# Paul Tol's muted set, the palest left out, and ordered so that neighbours differ in lightness too.
FIRST = ["#4477aa", "#cc6677", "#117733", "#ddaa33", "#aa4499", "#44aa99", "#882255", "#88ccee", "#999933", "#777777"]


GOLDEN = 0.618034


def colours(count: int) -> list[str]:
    """Return that many colours."""
    return [*FIRST[:count], *(_hue(number) for number in range(count - len(FIRST)))]


def _hue(number: int) -> str:
    # Steps of the golden ratio never come near an earlier hue; lightness alternates for those who see no hue.
    red, green, blue = colorsys.hls_to_rgb((number * GOLDEN) % 1, (0.38, 0.52, 0.66)[number % 3], 0.55)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
