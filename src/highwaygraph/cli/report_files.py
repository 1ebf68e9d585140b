"""The report pages of runs and studies."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from highwaygraph.errors import ConfigError, RunError, did_you_mean
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.open import open_run
from highwaygraph.runtime.parsing import parse_json
from highwaygraph.runtime.progress import spinner

if TYPE_CHECKING:
    from highwaygraph.report.study_page import StudyReport

# Runs named in an error.
MOST_NAMED = 5


class Written(NamedTuple):
    """Files of a report."""

    page: Path
    figures: list[Path]


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
            made = _study_report(source, results, check_first)
            place = results / f"{made.study.name}.html"
        saved = made.save_figures(figures) if figures is not None else []
        return Written(html.write(out or place, made.page()), saved)


def _unknown(source: str) -> str:
    """Return the sentence for a name that is neither a run nor a study, with the runs and studies that there are."""
    from highwaygraph.study.spec import shipped_studies

    runs = sorted(str(path) for path in Path("runs").glob("*") if run_folder.is_run(path))
    here = f", such as {', '.join(runs[:MOST_NAMED])}," if runs else ""
    known = did_you_mean(source, shipped_studies())
    return f"{source} is neither a run nor a study: name a folder of highway train{here} or a study.{known}"


def _names_folder(source: str) -> bool:
    return ("/" in source or Path(source).is_dir()) and not source.endswith(".toml")


def _study_report(name: str, results: Path, check_first: Path | None) -> "StudyReport":
    """Return the report of a study, refusing an unknown one, one without records, and a list of its nodes."""
    # A study imports the training, which the page of a run does without.
    from highwaygraph.report.study_page import StudyReport
    from highwaygraph.study.records import read_records
    from highwaygraph.study.spec import read_study, shipped_studies

    if name not in shipped_studies() and not name.endswith(".toml"):
        raise RunError(_unknown(name))
    if check_first is not None:
        raise ConfigError(f"{name} is a study, which has no nodes to check: leave out --check-first.")
    study = read_study(name)
    records = read_records(results / f"{study.name}.jsonl")
    if not records:
        raise RunError(f"There are no records of {study.name} in {results}: run highway study {name} first.")
    return StudyReport(study, records)
