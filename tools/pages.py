"""Shared by the generated pages: paths, Markdown tables, templates and figures."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    lines = [" | ".join(heads), " | ".join(["---"] + ["---:"] * (len(heads) - 1)), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """Return the template of that name with every {{ part }} replaced."""
    text = (ROOT / "tools" / f"{template}.template.md").read_text()
    for name, content in parts.items():
        text = text.replace(f"{{{{ {name} }}}}", content)
    left = re.findall(r"{{ (\w+) }}", text)
    if left:
        raise ValueError(f"no content for {left}")
    # A part may be empty.
    return re.sub(" +$", "", text, flags=re.MULTILINE)


def pyplot(salt: str, size: int = 10) -> Any:
    """Return pyplot, configured so that the same numbers give the same file."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    mpl.rcParams |= {"svg.hashsalt": salt, "font.family": "DejaVu Sans", "font.size": size, "svg.fonttype": "path"}
    return plt


def save(plt: Any, figure: Any, path: Path) -> None:
    """Write the figure without a date, and close it."""
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
