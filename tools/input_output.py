"""The sections of docs/performance.md on reading, hop distances, reports and the service."""

from typing import Any

from tools.pages import table

READING_TARGET, SLOPE_TARGET = 0.6, 1.05
REPORT_TARGETS = {"cora": 5, "generated": 20}


def reading(rows: list[dict[str, Any]]) -> str:
    """Return the CPU times to read tables, compared with Arrow."""
    if not rows:
        return "Not measured yet: `python -m benchmarks reading`."
    heads = [
        "file",
        "ids",
        "text column",
        "Arrow (ms)",
        "tables (ms)",
        "Arrow / tables",
        "`hg.load` (ms)",
        "Arrow / load",
    ]
    cells = [
        [
            r["suffix"],
            r["ids"],
            "yes" if r["text"] else "no",
            f"{1e3 * r['arrow_s']:.0f}",
            f"{1e3 * r['tables_s']:.0f}",
            f"{100 * r['tables_speed']:.0f} %",
            f"{1e3 * r['load_s']:.0f}",
            f"{100 * r['load_speed']:.0f} %",
        ]
        for r in rows
    ]
    below = [f"{r['suffix']} with {r['ids']} ids" for r in rows if r["tables_speed"] < READING_TARGET]
    missed = f" Not reached: {', '.join(dict.fromkeys(below))}." if below else ""
    return (
        table(heads, cells)
        + f"\n\nTarget of the tables: at least {100 * READING_TARGET:.0f} % of Arrow's speed.{missed}"
    )


def distances(found: dict[str, Any] | None) -> str:
    """Return the CPU times of hop distances and their slopes."""
    if found is None:
        return "Not measured yet: `python -m benchmarks distances`."
    names = ("adjacency_s", "own_class_s", "nearest_s")
    heads = ["nodes", "edges", "adjacency (ms)", "hops to the own class (ms)", "hops to any label (ms)"]
    cells = [
        [f"{p['nodes']:,}", f"{p['edges']:,}", *(f"{1e3 * p[name]:.1f}" for name in names)] for p in found["points"]
    ]
    slopes = ["slope", "", *(f"{found['slopes'][name]:.2f}" for name in names)]
    return table(heads, [*cells, slopes]) + f"\n\nTarget of the two searches: a slope of at most {SLOPE_TARGET}."


def reports(rows: list[dict[str, Any]]) -> str:
    """Return the CPU times of report pages."""
    if not rows:
        return "Not measured yet: `python -m benchmarks reports`."
    heads = ["run", "nodes", "CPU (s)", "of which imports of torch, PyG and the library (s)"]
    cells = [[r["run"], f"{r['nodes']:,}", f"{r['cpu_s']:.1f}", f"{r['import_s']:.1f}"] for r in rows]
    above = [r["run"] for r in rows if r["cpu_s"] >= REPORT_TARGETS[r["run"]]]
    targets = ", ".join(f"{name} below {limit} s" for name, limit in REPORT_TARGETS.items())
    missed = f" Not reached: {', '.join(above)}." if above else ""
    return table(heads, cells) + f"\n\nTargets: {targets}.{missed}"


def service(rows: list[dict[str, Any]]) -> str:
    """Return the rates, latencies, processor times and memory of the service under load."""
    if not rows:
        return "Not measured yet: `python -m benchmarks serve`."
    heads = ["request", "requests", "per second", "p50 (ms)", "p99 (ms)", "processor time (ms)"]
    heads += ["MiB before", "MiB after", "statuses"]
    cells = [
        [
            r["kind"],
            f"{r['requests']:,}",
            *(f"{r[name]:.0f}" for name in ("per_s", "p50_ms", "p99_ms")),
            f"{r['cpu_ms']:.1f}",
            *(f"{r[name]:.0f}" for name in ("before_mib", "after_mib")),
            ", ".join(f"{status}: {count:,}" for status, count in r["statuses"].items()),
        ]
        for r in rows
    ]
    return table(heads, cells)
