"""The command that compares runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from highwaygraph.cli.app import Json, app
from highwaygraph.cli.output import print_result
from highwaygraph.errors import ConfigError
from highwaygraph.runtime.progress import spinner

if TYPE_CHECKING:
    from highwaygraph.report.comparison_values import RunComparison


@app.command
def compare(*runs: Path, out: Path | None = None, changed: Path | None = None, json: Json = False) -> None:
    """Compare runs with the first of them: accuracies, distances, classes, changed predictions and options.

    Example: highway compare runs/gcn runs/gat --out compare.html --changed changed.csv

    Parameters
    ----------
    runs
        At least two run folders; those on other graphs or test nodes are compared as far as possible.
    out
        HTML file to write too; an earlier comparison is replaced, any other file is not.
    changed
        CSV or Parquet file of all nodes whose prediction changed; an earlier output is replaced, any other file is not.
    """
    names = _names(runs)
    _check_files(out, changed)
    with spinner(f"Reading {len(runs)} runs"):
        found = _compare(dict(zip(names, runs, strict=True)))
    written = _write(found, out, changed)
    if json:
        return print_result(written | _to_json(found))
    _print_comparison(found)
    heads = {"page": "Page", "changed": "Nodes whose prediction changed"}
    if written:
        print_result("\n" + "\n".join(f"{heads[name]}: {path}" for name, path in written.items()))


def _names(runs: tuple[Path, ...]) -> list[str]:
    """Return a name for each run: that of its folder, or its path where several folders have one name."""
    if len(runs) < 2:
        raise ConfigError("A comparison needs at least two run folders: highway compare runs/a runs/b.")
    if twice := next((run for place, run in enumerate(runs) if run.resolve() in _resolved(runs[:place])), None):
        raise ConfigError(f"{twice} is given twice: name every run folder once.")
    names = [run.absolute().name for run in runs]
    return names if len(set(names)) == len(names) else [str(run) for run in runs]


def _resolved(runs: tuple[Path, ...]) -> set[Path]:
    return {run.resolve() for run in runs}


def _compare(runs: dict[str, Path]) -> "RunComparison":
    from highwaygraph.report.comparison import compare_runs
    from highwaygraph.runs.folder import require_run
    from highwaygraph.runs.open import open_run

    for path in runs.values():
        # Before any of them is read.
        require_run(path)
    return compare_runs({name: open_run(path) for name, path in runs.items()}).with_folders(runs)


def _check_files(out: Path | None, changed: Path | None) -> None:
    """Refuse files before any time is spent."""
    if changed is not None:
        from highwaygraph.runs.predictions import check_table

        check_table(changed)
    if out is None:
        return
    try:
        from highwaygraph.report.comparison_page import check_page
    except ImportError as error:
        raise ConfigError(f"A page needs {error.name}: pip install 'highwaygraph[report]'.") from error
    check_page(out)


def _write(found: "RunComparison", out: Path | None, changed: Path | None) -> dict[str, str]:
    """Write the files that were asked for and return their paths."""
    written = {}
    if out is not None:
        from highwaygraph.report.comparison_page import write_page

        written["page"] = str(write_page(found, out))
    if changed is not None:
        from highwaygraph.report import changed_nodes

        changed_nodes.write([node for change in found.changes for node in change.predictions], changed)
        written["changed"] = str(changed)
    return written


def _to_json(found: "RunComparison") -> dict[str, Any]:
    from highwaygraph.report.comparison_text import notes

    return found.as_dict() | {"notes": notes(found)}


def _print_comparison(found: "RunComparison") -> None:
    from highwaygraph.cli.comparison_table import comparison_text

    print_result(comparison_text(found))
