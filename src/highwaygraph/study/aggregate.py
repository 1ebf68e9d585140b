"""Means, deviations and paired differences of a study's records, with the paper's numbers."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study

REPEATED = ("split", "seed")


HEADS = ("Runs", "Test %", "Paper %", "to paper", "to baseline", "(s.e.)")


COST_HEADS = ("Runs", "Epoch ms", "to baseline", "Run s", "to baseline", "Peak MiB", "more")


@dataclass(frozen=True)
class Cost:
    """The mean time and memory of one run of a setting."""

    epoch_ms: float
    seconds: float
    peak_mib: float


@dataclass(frozen=True)
class Row:
    """One setting over its repetitions, accuracies in per cent."""

    setting: dict[str, Any]
    runs: int
    mean: float
    deviation: float
    last: float
    paper: float | None
    paper_deviation: float | None
    difference: float | None
    standard_error: float | None
    cost: Cost
    baseline_cost: Cost | None


def aggregate(study: Study, records: Iterable[Record]) -> list[Row]:
    """Aggregate the records of a study over splits and seeds.

    Args:
        study: The study.
        records: Its records.

    Returns:
        A row per setting, in the order of the grid.
    """
    groups: dict[str, dict[tuple[Any, ...], Record]] = defaultdict(dict)
    settings: dict[str, dict[str, Any]] = {}
    for found in records:
        setting = {name: value for name, value in found.cell.items() if name not in REPEATED}
        settings[str(setting)] = setting
        groups[str(setting)][tuple(found.cell.get(name) for name in REPEATED)] = found
    order = {name: {str(v): i for i, v in enumerate(values)} for name, values in study.grid.items()}
    keys = sorted(settings, key=lambda key: [order[n][str(v)] for n, v in settings[key].items() if n in order])
    return [_row(study, settings[key], groups[key], groups.get(str(settings[key] | study.baseline))) for key in keys]


def paired_difference(
    ours: Mapping[tuple[Any, ...], float], others: Mapping[tuple[Any, ...], float]
) -> tuple[float | None, float | None]:
    """Return the mean difference over the repetitions that both have, and its standard error over splits.

    Args:
        ours: Accuracies by split and seed.
        others: Those of the baseline.

    Returns:
        Both, None where there are too few repetitions. With one split, the error is over its seeds.

    Example:
        >>> paired_difference({(0, 0): 81.0, (0, 1): 83.0, (1, 0): 85.0}, {(0, 0): 80.0, (0, 1): 80.0, (1, 0): 80.0})
        (3.0, 1.5)
    """
    by_split: dict[Any, list[float]] = defaultdict(list)
    for key in sorted(ours.keys() & others.keys()):
        by_split[key[0]].append(ours[key] - others[key])
    every = [gap for gaps in by_split.values() for gap in gaps]
    # Seeds of one split share its nodes: they are independent repetitions only if there is no other split.
    independent = [fmean(gaps) for gaps in by_split.values()] if len(by_split) > 1 else every
    error = stdev(independent) / len(independent) ** 0.5 if len(independent) > 1 else None
    return fmean(every) if every else None, error


def varied_axes(study: Study) -> list[str]:
    """Return the axes that differ between the settings of a study."""
    return [name for name, values in study.grid.items() if name not in REPEATED and len(values) > 1]


def headers(study: Study) -> list[str]:
    """Return the columns of a study's table: its axes, then accuracy or, for a timed study, time and memory."""
    return [*varied_axes(study), *(COST_HEADS if study.timed else HEADS)]


def format_row(study: Study, row: Row) -> list[str]:
    """Return the cells of a setting in that table."""
    place = [*(str(row.setting[name]) for name in varied_axes(study)), str(row.runs)]
    return place + (_cost_cells(row) if study.timed else _accuracy_cells(row))


def _accuracy_cells(row: Row) -> list[str]:
    paper = "-" if row.paper is None else f"{row.paper:.1f}"
    paper += f" ± {row.paper_deviation:.1f}" if row.paper_deviation is not None else ""
    return [
        f"{row.mean:.1f} ± {row.deviation:.1f}",
        paper,
        "" if row.paper is None else f"{row.mean - row.paper:+.1f}",
        "" if row.difference is None else f"{row.difference:+.2f}",
        "" if row.standard_error is None else f"({row.standard_error:.2f})",
    ]


def _cost_cells(row: Row) -> list[str]:
    """Return time and memory, each relative to the baseline."""
    cost, base = row.cost, row.baseline_cost or row.cost
    return [
        f"{cost.epoch_ms:.2f}",
        f"x {cost.epoch_ms / base.epoch_ms:.2f}",
        f"{cost.seconds:.2f}",
        f"x {cost.seconds / base.seconds:.2f}",
        f"{cost.peak_mib:.0f}",
        f"{cost.peak_mib - base.peak_mib:+.0f}",
    ]


def _row(
    study: Study,
    setting: dict[str, Any],
    found: dict[tuple[Any, ...], Record],
    baseline: dict[tuple[Any, ...], Record] | None,
) -> Row:
    tests = [100 * _fraction(r, "test") for r in found.values()]
    paper = next((p for p in study.paper if _matches(p, setting)), {})
    difference, error = _paired(found, baseline) if _compared(study, setting) and baseline else (None, None)
    return Row(
        setting=setting,
        runs=len(tests),
        mean=fmean(tests),
        deviation=stdev(tests) if len(tests) > 1 else 0.0,
        last=fmean(100 * _fraction(r, "test_last") for r in found.values()),
        paper=paper.get("mean"),
        paper_deviation=paper.get("deviation"),
        difference=difference,
        standard_error=error,
        cost=_cost(found),
        baseline_cost=_cost(baseline) if baseline else None,
    )


def _fraction(record: Record, name: str) -> float:
    value: float | None = record.facts[name]
    return math.nan if value is None else value


def _cost(found: dict[tuple[Any, ...], Record]) -> Cost:
    facts = [record.facts for record in found.values()]
    names = ("epoch_ms", "train_seconds", "peak_mib")
    return Cost(*(fmean(f.get(name, math.nan) for f in facts) for name in names))


def _paired(
    found: dict[tuple[Any, ...], Record], baseline: dict[tuple[Any, ...], Record]
) -> tuple[float | None, float | None]:
    ours, others = ({key: 100 * _fraction(one, "test") for key, one in each.items()} for each in (found, baseline))
    return paired_difference(ours, others)


def _compared(study: Study, setting: dict[str, Any]) -> bool:
    return bool(study.baseline) and not _matches(study.baseline, setting)


def _matches(part: dict[str, Any], setting: dict[str, Any]) -> bool:
    axes = {name: value for name, value in part.items() if name not in ("mean", "deviation")}
    return all(setting.get(name) == value for name, value in axes.items())
