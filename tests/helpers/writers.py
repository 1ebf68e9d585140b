"""Every writer of files by name, for tests on full disks, through links and of killed processes."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

from matplotlib.figure import Figure

from highwaygraph.data.mapped.writer import from_data, write_mapped_graph
from highwaygraph.report import html, style
from highwaygraph.runs import predictions
from highwaygraph.runs.export import Kind, default_path, export
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.runs.result import Result
from highwaygraph.training.checkpoints import Checkpoints, Snapshot

Writer = Callable[[Result, Path], list[Path]]
"""Writes into a folder, and returns the files that it wrote there."""


def _predictions(suffix: str) -> Writer:
    def write(result: Result, folder: Path) -> list[Path]:
        path = folder / f"mine{suffix}"
        predictions.write(prediction_table(result), path)
        return [path]

    return write


def _export(kind: Kind) -> Writer:
    return lambda result, folder: export(result, kind, default_path(folder, kind))


def _page(result: Result, folder: Path) -> list[Path]:
    return [html.write(folder / "report.html", f"<title>HighwayGraph</title>{result.logits.tolist()}")]


def _figures(result: Result, folder: Path) -> list[Path]:
    figure = Figure()
    figure.add_subplot().plot(result.logits[:, 0].numpy())
    return style.save(figure, "curves", folder / "figures")


def _run(result: Result, folder: Path) -> list[Path]:
    return sorted(result.save(folder / "run", force=True).iterdir())


def _checkpoint(result: Result, folder: Path) -> list[Path]:
    found = folder / "checkpoints"
    Checkpoints(found, {}).save(Snapshot({}, {"logits": result.logits}))
    return sorted(found.glob("*.safetensors"))


def _converted(result: Result, folder: Path) -> list[Path]:
    return sorted(write_mapped_graph(folder / "converted", *from_data(result.data)).iterdir())


REPLACING: dict[str, Writer] = {
    "predictions.csv": _predictions(".csv"),
    "predictions.parquet": _predictions(".parquet"),
    **{f"export {kind}": _export(kind) for kind in get_args(Kind)},
    "page": _page,
    "figures": _figures,
    "run": _run,
}
"""Writers that replace their files when they are called again."""


WRITERS: dict[str, Writer] = REPLACING | {"checkpoint": _checkpoint, "converted graph": _converted}
"""All writers, those of new files included; the records of a study are appended by study.records."""


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes; Python ignores the signal and raises OSError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, temporary ones included."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def with_other_logits(result: Result) -> Result:
    """Return the result with other logits, so that its files differ."""
    return replace(result, logits=-result.logits)
