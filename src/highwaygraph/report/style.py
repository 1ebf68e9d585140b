"""Style of the figures: inline SVG in the colours of the page, light and dark, and files for print."""

import colorsys
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from highwaygraph.errors import FailedError
from highwaygraph.runs.outputs import check_output
from highwaygraph.runtime.atomic import reason, staged_files

INK, MUTED, LINE, PAPER = "#1b1f24", "#59636e", "#d1d9e0", "#ffffff"


# Okabe and Ito's palette, which is distinguishable for colour-blind readers.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#aa4499"


NAMED = {"ink": INK, "muted": MUTED, "blue": BLUE, "orange": ORANGE, "green": GREEN, "purple": PURPLE}
"""Colours of the charts by their names."""


THEME = {hexadecimal: name for name, hexadecimal in (NAMED | {"line": LINE, "paper": PAPER}).items()}


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
def context() -> Iterator[None]:
    """Set the style of the figures within a `with` block."""
    with mpl.rc_context(RC):
        yield


def new(width: float = 5.2, height: float = 3.2) -> Figure:
    """Return an empty figure that is not registered with pyplot."""
    return Figure(figsize=(width, height), layout="constrained")


def inline(figure: Figure, name: str, alternative: str) -> str:
    """Return the figure as an inline SVG element with a text alternative."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "svg.id": name}):
        text = _to_text(figure, "svg", dpi=160)
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    for colour, variable in THEME.items():
        body = body.replace(colour, f"var(--{variable})")
    # Figures share ids, and an id may occur once in a page: only ids that are referenced stay.
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', body))
    body = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", body)
    size = re.search(r'viewBox="([^"]+)"', body)
    assert size is not None
    head = f'<svg viewBox="{size[1]}" role="img" aria-label="{escape(alternative)}" class="figure">'
    return head + body[body.index(">") + 1 :].strip()


def save(figure: Figure, name: str, folder: Path) -> list[Path]:
    """Write the figure as SVG, PDF and PNG on white; the same numbers give the same bytes."""
    paths = [folder / f"{name}.{kind}" for kind in ("svg", "pdf", "png")]
    for path in paths:
        check_output(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}), staged_files(paths) as staged:
            for path, dated in zip(staged, ("Date", "CreationDate", ""), strict=True):
                figure.savefig(path, facecolor="white", dpi=200, metadata={dated: None} if dated else None)
    except OSError as error:
        raise FailedError(f"Cannot write {folder}: {reason(error)}. Choose another folder with --figures.") from error
    return paths


def _to_text(figure: Figure, kind: str, dpi: int) -> str:
    text = io.StringIO()
    figure.savefig(text, format=kind, dpi=dpi, metadata={"Date": None}, transparent=True)
    return text.getvalue()


# Paul Tol's muted palette without the palest colour, ordered so that consecutive colours differ in lightness.
FIRST = ["#4477aa", "#cc6677", "#117733", "#ddaa33", "#aa4499", "#44aa99", "#882255", "#88ccee", "#999933", "#777777"]


GOLDEN = 0.618034


def colours(count: int) -> list[str]:
    """Return distinct colours for that many classes."""
    return [*FIRST[:count], *(_hue(number) for number in range(count - len(FIRST)))]


def _hue(number: int) -> str:
    # Steps of the golden ratio keep hues apart; the lightness alternates for readers who do not see hues.
    red, green, blue = colorsys.hls_to_rgb((number * GOLDEN) % 1, (0.38, 0.52, 0.66)[number % 3], 0.55)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
