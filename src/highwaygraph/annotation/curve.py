"""The accuracy by folds after every training, kept beside the label file: one line of JSON each, only appended."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from highwaygraph.errors import FailedError
from highwaygraph.runtime.atomic import reason


@dataclass(frozen=True)
class CurvePoint:
    """One training.

    Example:
        >>> CurvePoint(labels=20, classes=7, accuracy=0.5, low=0.3, high=0.7, folds=5).low
        0.3
    """

    labels: int
    classes: int
    accuracy: float
    """Accuracy of out-of-fold predictions of labelled nodes, 0 to 1."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    folds: int
    time: str = ""


def curve_path(labels: Path) -> Path:
    """Return the file of the curve beside a label file.

    Example:
        >>> curve_path(Path("mine/labels.csv")).name
        'labels.curve.jsonl'
    """
    return labels.with_name(f"{labels.stem}.curve.jsonl")


def read_curve(path: Path) -> list[CurvePoint]:
    """Return the points in a file; lines that are incomplete or of another kind are left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [point for line in lines if (point := _point(line)) is not None]


def append_point(path: Path, point: CurvePoint) -> None:
    """Append a point; it is on disk when this returns."""
    try:
        with path.open("a+b") as file:
            # A line that a killed process has left incomplete ends here, so that it takes no other one with it.
            if file.tell():
                file.seek(-1, os.SEEK_END)
                start = b"" if file.read(1) == b"\n" else b"\n"
            else:
                start = b""
            file.write(start + json.dumps(asdict(point)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise FailedError(f"Cannot write {path} ({reason(error)}): make room, or choose another folder.") from error


def _point(line: str) -> CurvePoint | None:
    try:
        found = CurvePoint(**json.loads(line))
        numbers = (found.labels, found.classes, found.accuracy, found.low, found.high, found.folds)
        return found if all(isinstance(value, int | float) for value in numbers) else None
    except (ValueError, TypeError, RecursionError):
        return None
