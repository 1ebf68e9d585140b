"""Studies run from the command line, and the report pages of runs and studies."""

from pathlib import Path
from typing import Any, NamedTuple

from highwaygraph.errors import ConfigError, RunError, did_you_mean
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.lock import file_lock
from highwaygraph.runs.open import open_run
from highwaygraph.runtime.parallel import Launcher
from highwaygraph.runtime.parsing import parse_json
from highwaygraph.runtime.progress import counting_bar, spinner
from highwaygraph.study.aggregate import Row, aggregate
from highwaygraph.study.records import Record, read_records, run
from highwaygraph.study.spec import Study, cell_key, cells, read_study, shipped_studies

# Runs named in an error.
MOST_NAMED = 5


class Written(NamedTuple):
    """Files of a report."""

    page: Path
    figures: list[Path]


def run_study(
    name: str, only: dict[str, str], folder: Path, workers: int, launcher: Launcher = "local"
) -> tuple[Study, list[Row]]:
    """Run the missing cells of a study with a progress bar.

    Args:
        name: Name of a shipped study, or path of a TOML file.
        only: Values by axis that select the cells.
        folder: Folder of the result records.
        workers: Cells that run in parallel; 0 means one per core.
        launcher: Where the cells run.

    Returns:
        The study and the aggregated rows of the selected cells.
    """
    study = read_study(name)
    wanted, path = cells(study, only), folder / f"{study.name}.jsonl"
    keys = {cell_key(cell) for cell in wanted}
    done = sum(cell_key(found.cell) in keys for found in read_records(path))
    busy = f"{path} is being written by another process: wait for it, or choose another folder with --out."
    with file_lock(path.with_name(f".{path.name}.lock"), busy), counting_bar(study.name, done, len(wanted)) as count:
        for _ in run(study, wanted, path, workers, launcher):
            count()
    return study, aggregate(study, (found for found in read_records(path) if cell_key(found.cell) in keys))


def shipped(folder: Path) -> list[dict[str, Any]]:
    """Return the shipped studies with their number of cells and of finished cells."""
    found = []
    for name in shipped_studies():
        study = read_study(name)
        every = {cell_key(cell) for cell in cells(study)}
        done = {cell_key(r.cell) for r in read_records(folder / f"{name}.jsonl")} & every
        found.append({"name": name, "title": study.title, "cells": len(every), "done": len(done)})
    return found


def write_report(
    source: str, results: Path, out: Path | None, figures: Path | None, check_first: Path | None = None
) -> Written:
    """Write the page of a run or of a study, and its figures where a folder is given for them.

    Args:
        source: Run folder, name of a shipped study, or path of a TOML file.
        results: Folder of the studies' result records.
        out: HTML file to write, if not the default one.
        figures: Folder of the figures.
        check_first: File of the nodes of a run to check first.

    Returns:
        The files written.
    """
    try:
        from highwaygraph.report import html
        from highwaygraph.report.run_page import Report
        from highwaygraph.report.study_page import StudyReport
    except ImportError as error:
        raise ConfigError(f"A report needs {error.name}: pip install 'highwaygraph[report]'.") from error
    slow = " (t-SNE takes longest)" if figures is not None else ""
    with spinner(f"Writing the report of {source}{slow}"):
        made: Report | StudyReport
        path = Path(source)
        if run_folder.is_run(path) or _names_folder(source):
            result = open_run(path).edge_list()
            # The checksums were verified when the run was opened.
            meta = parse_json((path / "meta.json").read_text(encoding="utf-8"))
            made, place = Report(result, meta, source), path / "report.html"
            if check_first is not None:
                made.save_check_table(check_first)
        else:
            study, records = _records(source, results, check_first)
            made, place = StudyReport(study, records), results / f"{study.name}.html"
        saved = made.save_figures(figures) if figures is not None else []
        return Written(html.write(out or place, made.page()), saved)


def _unknown(source: str) -> str:
    """Return the sentence for a name that is neither a run nor a study, with the runs and studies that there are."""
    runs = sorted(str(path) for path in Path("runs").glob("*") if run_folder.is_run(path))
    here = f", such as {', '.join(runs[:MOST_NAMED])}," if runs else ""
    known = did_you_mean(source, shipped_studies())
    return f"{source} is neither a run nor a study: name a folder of highway train{here} or a study.{known}"


def _names_folder(source: str) -> bool:
    return ("/" in source or Path(source).is_dir()) and not source.endswith(".toml")


def _records(name: str, results: Path, check_first: Path | None) -> tuple[Study, list[Record]]:
    """Return a study with its records, refusing an unknown one, one without any, and a list of its nodes."""
    if name not in shipped_studies() and not name.endswith(".toml"):
        raise RunError(_unknown(name))
    if check_first is not None:
        raise ConfigError(f"{name} is a study, which has no nodes to check: leave out --check-first.")
    study = read_study(name)
    records = read_records(results / f"{study.name}.jsonl")
    if not records:
        raise RunError(f"There are no records of {study.name} in {results}: run highway study {name} first.")
    return study, records
