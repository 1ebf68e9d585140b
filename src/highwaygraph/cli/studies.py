"""Commands about results: studies, which are grids of runs, and report pages."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from highwaygraph.cli.app import Json, app
from highwaygraph.cli.output import print_result
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
    """Run the missing cells of a study and print its results next to the paper's numbers.

    Example: highway study table1 --cells dataset=cora,model=gcn

    Parameters
    ----------
    name
        One of the shipped studies (see --list), or a TOML file of your own.
    cells
        Run only these cells: AXIS=VALUE, separated by commas.
    workers
        Cells that run in parallel, one thread each; 0 means one per core.
    launcher
        local runs the cells on this machine, ray on an existing Ray cluster.
    out
        Folder of the result records, one line per finished cell.
    list_names
        List the shipped studies with their number of cells and of finished cells.
    """
    from highwaygraph.cli import render, study_run
    from highwaygraph.study import aggregate

    if list_names or not name:
        found = study_run.shipped(out)
        return print_result({"studies": found} if json else render.studies_table(found))
    spec, rows = study_run.run_study(name, _axes(cells), out, workers, launcher)
    table = render.study_table(spec.title, aggregate.headers(spec), [aggregate.format_row(spec, row) for row in rows])
    print_result({"study": spec.name, "rows": [asdict(row) for row in rows]} if json else table)


@app.command
def report(
    source: str,
    /,
    *,
    out: Path | None = None,
    figures: Path | None = None,
    check_first: Path | None = None,
    results: Path = Path("results"),
    json: Json = False,
) -> None:
    """Write a self-contained HTML page of a run or a study.

    Example: highway report runs/mine

    Parameters
    ----------
    source
        A run folder, the name of a shipped study, or a TOML file of your own study.
    out
        HTML file to write; report.html in the run folder, or NAME.html next to the study's records, unless given.
    figures
        Folder for every figure as SVG, PDF and PNG, for papers.
    check_first
        CSV or Parquet file of the nodes of a run that a person should check first.
    results
        Folder of the studies' result records.
    """
    from highwaygraph.cli import report_files

    written = report_files.write_report(source, results, out, figures, check_first)
    if json:
        found = {"page": str(written.page), "figures": [str(path) for path in written.figures]}
        return print_result(found | {"check_first": None if check_first is None else str(check_first)})
    print_result(f"Page: {written.page}")
    if figures is not None:
        print_result(f"Figures: {len(written.figures)} files in {figures}")
    if check_first is not None:
        print_result(f"Nodes to check first: {check_first}")


def _axes(cells: str) -> dict[str, str]:
    parts = [part.split("=", 1) for part in cells.split(",") if part]
    if any(len(part) != 2 for part in parts):
        raise ConfigError(f"--cells takes AXIS=VALUE, separated by commas, not {cells!r}.")
    return {name.strip(): value.strip() for name, value in parts}
