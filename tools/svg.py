"""SVG elements in one style: boxes, arrows and text on a background that is readable on light and dark pages."""

from html import escape

BLUE, ORANGE, GREEN, GREY, INK, PALE = "#0072b2", "#b34700", "#00795a", "#767c85", "#2b2f36", "#f4f5f7"
WIDTH = 1000
HEADS = {INK: "ink", ORANGE: "orange"}


def box(x: int, y: int, width: int, height: int, colour: str, *, dashed: bool = False, filled: bool = True) -> str:
    """Return a rectangle with rounded corners."""
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
    dashes = ' stroke-dasharray="6 5"' if dashed else ""
    return f'<rect {place} fill="{PALE if filled else "none"}" stroke="{colour}" stroke-width="2"{dashes}/>'


def arrow(path: str, colour: str = INK) -> str:
    """Return a line along an SVG path with an arrow head at its end."""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" marker-end="url(#{HEADS[colour]})"/>'


def text(
    x: float,
    y: float,
    words: str,
    colour: str = INK,
    *,
    size: float = 14.5,
    anchor: str = "start",
    bold: bool = False,
    mono: bool = False,
    upwards: bool = False,
) -> str:
    """Return a line of text, escaped; written from bottom to top if `upwards` is set."""
    style = f'fill="{colour}" font-size="{size}" text-anchor="{anchor}"'
    style += ' font-weight="bold"' * bold + ' font-family="monospace"' * mono
    style += f' transform="rotate(-90 {x} {y})"' * upwards
    return f'<text x="{x}" y="{y}" {style}>{escape(words)}</text>'


def document(height: int, label: str, parts: list[str]) -> str:
    """Return the parts as one SVG picture, with a label for screen readers."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
    head += f'aria-label="{escape(label)}" font-family="sans-serif">'
    # A background of its own keeps dark text readable on a dark page.
    back = f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>'
    return "\n".join([head, f"<defs>{''.join(map(_head, HEADS))}</defs>", back, *parts, "</svg>\n"])


def _head(colour: str) -> str:
    size = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"'
    return f'<marker id="{HEADS[colour]}" {size}><path d="M 0 0 L 10 5 L 0 10 z" fill="{colour}"/></marker>'
