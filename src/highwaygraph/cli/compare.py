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
def compare(*runs: Path, out: Path | None = None, json: Json = False) -> None:
    """Compare runs with the first of them: accuracies, distances, classes, changed predictions and options.

    Example: highway compare runs/gcn runs/gat --out compare.html

    Parameters
    ----------
    runs
        At least two run folders; those on other graphs or test nodes are compared as far as possible.
    out
        HTML file to write too; an earlier comparison is replaced, any other file is not.
    """
    names = _names(runs)
    if out is not None:
        _check_page(out)
    with spinner(f"Reading {len(runs)} runs"):
        found = _compare(dict(zip(names, runs, strict=True)))
    page = {} if out is None else {"page": str(_write_page(found, out))}
    if json:
        return print_result(page | _to_json(found))
    _print_comparison(found)
    if out is not None:
        print_result(f"\nPage: {out}")


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
    return compare_runs({name: open_run(path) for name, path in runs.items()})


def _check_page(out: Path) -> None:
    """Refuse a file before any time is spent."""
    try:
        from highwaygraph.report.comparison_page import check_page
    except ImportError as error:
        raise ConfigError(f"A page needs {error.name}: pip install 'highwaygraph[report]'.") from error
    check_page(out)


def _write_page(found: "RunComparison", out: Path) -> Path:
    from highwaygraph.report.comparison_page import write_page

    return write_page(found, out)


def _to_json(found: "RunComparison") -> dict[str, Any]:
    from highwaygraph.report.comparison_text import notes

    return found.as_dict() | {"notes": notes(found)}


def _print_comparison(found: "RunComparison") -> None:
    from highwaygraph.cli.comparison_table import comparison_text

    print_result(comparison_text(found))
