"""The page docs/reliability.md, filled from the counts of fault injection."""

import re
from typing import Any

from tools.pages import ROOT, fill_template, table

SOURCE, PAGE = ROOT / "results/reliability.json", ROOT / "docs/reliability.md"
CORRUPTED = "spoiled"  # glossary: a key of results/reliability.json


NOT_RUN = "not yet run:"
"""Stands for the count of a part that was added after the last full run."""


def _count(found: dict[str, Any], part: str, key: str) -> str:
    return f"{found[part][key]:,.0f}" if part in found else NOT_RUN


def page(found: dict[str, Any]) -> str:
    """Return the text of the page."""
    kinds = {kind: counts for kind, counts in found[CORRUPTED].items() if kind != "seconds"}
    rows = [[kind, str(counts["refused"]), str(counts["read"])] for kind, counts in kinds.items()]
    warm, last = found["soak"]["mib"]
    parts = {
        "version": found.get("versions", {}).get("highwaygraph", "unknown"),
        "tables": _count(found, "tables", "compared"),
        "flawed": _count(found, "tables", "flawed"),
        "hostile": _count(found, "hostile", "hostile"),
        "full_disk": _count(found, "hostile", "full disk"),
        "writer_kills": _count(found, "hostile", "killed"),
        "sizes": _count(found, "sizes", "tried"),
        "sizes_mib": _count(found, "sizes", "mib"),
        "killed_trainings": _count(found, "kills", "trainings"),
        "killed_runs": _count(found, "kills", "runs"),
        "killed_studies": _count(found, "kills", "studies"),
        "inputs": f"{sum(sum(counts.values()) for counts in kinds.values()):,}",
        "refused": _count(found, "calls", "refused"),
        "trained": _count(found, "calls", "trained"),
        "corrupted": table(["kind", "refused with a message", "read as valid"], rows),
        "cells": str(found["load"]["cells"]),
        "rounds": f"{found['soak']['rounds']:,}",
        "growth": f"{100 * (last / warm - 1):+.1f}",
        "files": f"{found['soak']['files'][0]} and {found['soak']['files'][1]}",
    }
    return re.sub(rf"\| [^|\n]*{NOT_RUN}[^|\n]*\|$", "| not yet run |", fill_template("reliability", parts), flags=re.M)
