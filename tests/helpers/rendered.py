"""Renderables as text."""

import io

from rich.console import Console


def rendered(renderable: object, width: int = 120) -> str:
    """Return a renderable as it is printed on a terminal of this width."""
    out = io.StringIO()
    Console(file=out, width=width).print(renderable)
    return out.getvalue()
