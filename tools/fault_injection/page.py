"""The page docs/reliability.md, filled from the counts of fault injection."""

from typing import Any

from tools.pages import ROOT, fill_template, table

SOURCE, PAGE = ROOT / "results/reliability.json", ROOT / "docs/reliability.md"
CORRUPTED = "spoiled"  # glossary: a key of results/reliability.json


def page(found: dict[str, Any]) -> str:
    """Return the text of the page."""
    kinds = {kind: counts for kind, counts in found[CORRUPTED].items() if kind != "seconds"}
    rows = [[kind, str(counts["refused"]), str(counts["read"])] for kind, counts in kinds.items()]
    warm, last = found["soak"]["mib"]
    parts = {
        "tables": f"{found['tables']['compared']:,}",
        "flawed": f"{found['tables']['flawed']:,}",
        "hostile": f"{found['hostile']['hostile']:,}",
        "full_disk": f"{found['hostile']['full disk']:,}",
        "writer_kills": f"{found['hostile']['killed']:,}",
        "sizes": f"{found['sizes']['tried']:,}",
        "sizes_mib": f"{found['sizes']['mib']:,.0f}",
        "killed_trainings": f"{found['kills']['trainings']:,}",
        "killed_runs": f"{found['kills']['runs']:,}",
        "killed_studies": f"{found['kills']['studies']:,}",
        "inputs": f"{sum(sum(counts.values()) for counts in kinds.values()):,}",
        "refused": f"{found['calls']['refused']:,}",
        "trained": f"{found['calls']['trained']:,}",
        "corrupted": table(["kind", "refused with a message", "read as valid"], rows),
        "cells": str(found["load"]["cells"]),
        "rounds": f"{found['soak']['rounds']:,}",
        "growth": f"{100 * (last / warm - 1):+.1f}",
        "files": f"{found['soak']['files'][0]} and {found['soak']['files'][1]}",
    }
    return fill_template("reliability", parts)
