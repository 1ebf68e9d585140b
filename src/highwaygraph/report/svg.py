"""SVG elements in the colours of the page, which style sheets change between light and dark."""

from html import escape

from highwaygraph.report.charts import Colour, Marker, Number

SIZES = {"circle": 4.0, "square": 3.6, "triangle": 4.6, "diamond": 4.8}


def document(width: Number, height: Number, title: str, parts: list[str]) -> str:
    """Return an inline image with a text alternative.

    Args:
        width: Width of the view box.
        height: Height of the view box.
        title: The text alternative.
        parts: The elements.

    Returns:
        One svg element.

    Example:
        >>> document(10, 5, "a < b", [])
        '<svg viewBox="0 0 10 5" role="img" aria-label="a &lt; b" class="chart"></svg>'
    """
    head = f'<svg viewBox="0 0 {number(width)} {number(height)}" role="img" aria-label="{escape(title)}" class="chart">'
    return head + "".join(parts) + "</svg>"


def number(value: Number) -> str:
    """Return a coordinate with one decimal, or none where it is whole."""
    return f"{value:.1f}".removesuffix(".0")


def line(x1: Number, y1: Number, x2: Number, y2: Number, kind: str) -> str:
    """Return a straight line of a class of the style sheet."""
    return f'<path class="{kind}" d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"/>'


def polyline(points: list[tuple[Number, Number]], colour: Colour, *, dashed: bool = False) -> str:
    """Return a line through points."""
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="curve {colour}{" dashed" if dashed else ""}" d="M{path}"/>'


def text(x: Number, y: Number, words: str, kind: str = "", anchor: str = "middle") -> str:
    """Return a line of text, escaped."""
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{style}>{escape(words)}</text>'


def upward_text(x: Number, y: Number, words: str) -> str:
    """Return a line of text from bottom to top, centred at a point."""
    turn = f'transform="rotate(-90 {number(x)} {number(y)})"'
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="middle" {turn}>{escape(words)}</text>'


def group(title: str, parts: list[str], kind: str = "mark") -> str:
    """Return elements whose values a browser shows where the pointer is."""
    return f'<g class="{kind}"><title>{escape(title)}</title>{"".join(parts)}</g>'


def target(x: Number, y: Number, width: Number, height: Number) -> str:
    """Return an invisible rectangle, which makes a small mark easy to point at."""
    return f'<rect class="target" {_box(x - width / 2, y - height / 2, width, height)}/>'


def square(x: Number, y: Number, size: Number, colour: Colour, opacity: Number) -> str:
    """Return a filled square with its corner at a point."""
    return f'<rect class="fill {colour}" fill-opacity="{opacity:.2f}" {_box(x, y, size, size)}/>'


def marker(x: Number, y: Number, shape: Marker, colour: Colour) -> str:
    """Return a marker; its shape distinguishes series for readers who do not see its colour."""
    size = SIZES[shape]
    if shape == "circle":
        return f'<circle class="fill {colour}" cx="{number(x)}" cy="{number(y)}" r="{number(size)}"/>'
    if shape == "square":
        return f'<rect class="fill {colour}" {_box(x - size, y - size, 2 * size, 2 * size)}/>'
    corners = [(0, -size), (size, size), (-size, size)]
    if shape == "diamond":
        corners = [(0, -size), (size, 0), (0, size), (-size, 0)]
    path = "L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in corners)
    return f'<path class="fill {colour}" d="M{path}Z"/>'


def arrow(x: Number, y: Number, colour: Colour, *, left: bool) -> str:
    """Return an arrow whose tip is at a point: the value is further in its direction."""
    back = SIZES["triangle"] * (2 if left else -2)
    path = "L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in ((0, 0), (back, -4.5), (back, 4.5)))
    return f'<path class="fill arrow {colour}" d="M{path}Z"/>'


def interval(x1: Number, y1: Number, x2: Number, y2: Number, colour: Colour) -> str:
    """Return the line of an interval."""
    return line(x1, y1, x2, y2, f"interval {colour}")


def _box(x: Number, y: Number, width: Number, height: Number) -> str:
    return f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
