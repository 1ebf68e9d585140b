"""Commands about results: grids of runs, and pages to look at."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from highwaygraph.cli.app import Json, app
from highwaygraph.cli.render import print_result
from highwaygraph.errors import ConfigError


@app.command
def study(
    name: str = "",
    /,
    *,
    cells: str = "",
    workers: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 0,
    launcher: Literal["local", "ray"] = "local",
    out: Path = Path("results"),
    list_names: Annotated[bool, Parameter(name="--list", negative="")] = False,
    json: Json = False,
) -> None:
    """Run a grid of the paper, or what is missing of it, and print it beside the paper's numbers.

    Example: highway study table1 --cells dataset=cora,model=gcn

    Parameters
    ----------
    name
        One of the shipped grids (see --list), or a TOML file of your own.
    cells
        Only these cells: AXIS=VALUE, separated by commas.
    workers
        Cells that run at once, one thread each; 0 means one per core.
    launcher
        local runs cells here, ray on the cores of an existing Ray cluster.
    out
        Folder of the results files, one line per finished cell.
    list_names
        Tell which grids there are, how large they are and how much of them is done.
    """
    from highwaygraph.cli import loading, render
    from highwaygraph.study import aggregate

    if list_names or not name:
        found = loading.grids(out)
        return print_result({"studies": found} if json else render.grids_table(found))
    grid, rows = loading.run_study(name, _pairs_of(cells), out, workers, launcher)
    if json:
        return print_result({"study": grid.name, "rows": [asdict(row) for row in rows]})
    lines = [aggregate.format_row(grid, row) for row in rows]
    print_result(render.study_table(grid.title, aggregate.headers(grid), lines))


@app.command
def report(
    what: str,
    /,
    *,
    out: Path | None = None,
    figures: Path | None = None,
    results: Path = Path("results"),
    json: Json = False,
) -> None:
    """Make one HTML page of a run or a study, which opens from disk.

    Example: highway report runs/mine

    Parameters
    ----------
    what
        A run folder, the name of a shipped study, or a TOML file of your own study.
    out
        HTML file to write; report.html in the run's folder, or NAME.html beside the study's records, unless given.
    figures
        Folder for every figure as SVG, PDF and PNG, for papers.
    results
        Folder of the studies' results files.
    """
    from highwaygraph.cli import loading

    made = loading.report(what, results, out, figures)
    if json:
        return print_result({"page": str(made.page), "figures": [str(path) for path in made.figures]})
    print_result(f"Page: {made.page}")
    if figures is not None:
        print_result(f"Figures: {len(made.figures)} files in {figures}")


def _pairs_of(cells: str) -> dict[str, str]:
    parts = [part.split("=", 1) for part in cells.split(",") if part]
    if any(len(part) != 2 for part in parts):
        raise ConfigError(f"--cells takes AXIS=VALUE, separated by commas, not {cells!r}.")
    return {name.strip(): value.strip() for name, value in parts}
