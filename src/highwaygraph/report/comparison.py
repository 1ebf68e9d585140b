"""Several runs side by side: accuracies, scores by distance and class, changed predictions and different options."""

from collections.abc import Mapping, Sequence

import torch

from highwaygraph.errors import ConfigError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.report.comparison_values import Change, ClassRow, HopRow, Relation, RunComparison, RunRow
from highwaygraph.report.run_data import model_name
from highwaygraph.report.run_options import closest_preset, differing_options
from highwaygraph.report.summary import Comparison, compare
from highwaygraph.runs.result import Result
from highwaygraph.training.gain import paired_gain


def compare_runs(runs: Mapping[str, Result]) -> RunComparison:
    """Compare runs with the first of them.

    Runs on another graph are compared by their accuracies and options only. Where two runs have other test nodes,
    predictions are compared on the test nodes of both, without an interval.

    Args:
        runs: At least two runs by name.

    Returns:
        The comparison; `as_dict` returns it for JSON.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
        >>> run = {
        ...     name: hg.train(hg.models.build(name, data, hidden=8), data, config, progress=False)
        ...     for name in ("gcn", "sage")
        ... }
        >>> found = hg.compare_runs(run)
        >>> found.options, found.changes[0].nodes
        ({'model': ('gcn', 'sage')}, 2708)
    """
    if len(runs) < 2:
        raise ConfigError(f"A comparison needs at least two runs, not {len(runs)}: give another one.")
    results = [*runs.values()]
    rows = tuple(
        _row(name, result, relation) for (name, result), relation in zip(runs.items(), _relations(results), strict=True)
    )
    same = [(row, result) for row, result in zip(rows, results, strict=True) if row.relation != "other graph"]
    scores = _scores([result for _, result in same])
    return RunComparison(
        runs=rows,
        hops=_hop_rows(scores),
        classes=_class_rows(scores),
        changes=tuple(_change(row, results[0], result) for row, result in same[1:]),
        options=differing_options(results),
    )


def _scores(results: list[Result]) -> list[Comparison]:
    """Return the scores of runs on one graph, none where there is nothing to compare."""
    has_test = any(bool(result.data.test_mask.any()) for result in results)
    return [compare(result) for result in results] if len(results) > 1 and has_test else []


def _relations(results: Sequence[Result]) -> list[Relation]:
    first, *others = results
    expected = data_hash(first.data)
    return ["same test nodes", *(_relation(first, other, expected) for other in others)]


def _relation(first: Result, other: Result, expected: str) -> Relation:
    if other.data is not first.data and data_hash(other.data) != expected:
        return "other graph"
    # The hash of the split would also differ where only training nodes were added.
    return "same test nodes" if torch.equal(first.data.test_mask, other.data.test_mask) else "other test nodes"


def _row(name: str, result: Result, relation: Relation) -> RunRow:
    preset, changed = closest_preset(result.config)
    return RunRow(
        name=name,
        graph=result.data.title,
        network=model_name(result),
        preset=preset,
        changed_options=changed,
        labels=int(result.data.train_mask.sum()),
        val=result.val,
        test=result.test,
        test_nodes=int(result.data.test_mask.sum()),
        answer=result.answer,
        relation=relation,
    )


def _hop_rows(scores: list[Comparison]) -> tuple[HopRow, ...]:
    by_hops = zip(*(each.hops for each in scores), strict=True)
    return tuple(HopRow(row[0].hops, row) for row in by_hops)


def _class_rows(scores: list[Comparison]) -> tuple[ClassRow, ...]:
    # A module of the user may have outputs beyond the classes that occur; they have no test nodes.
    by_class = zip(*(each.classes for each in scores), strict=False)
    return tuple(ClassRow(row[0].name, tuple(each.ours for each in row)) for row in by_class)


def _change(row: RunRow, first: Result, other: Result) -> Change:
    before, after, labels = first.predict(), other.predict(), first.data.y
    both = first.data.test_mask & other.data.test_mask
    changed = before != after
    gain = paired_gain((before == labels)[both], (after == labels)[both])
    return Change(
        run=row.name,
        nodes=len(changed),
        changed=int(changed.sum()),
        test_nodes=gain.nodes,
        test_changed=int(changed[both].sum()),
        became_right=gain.corrected,
        became_wrong=gain.newly_wrong,
        gain=gain if row.relation == "same test nodes" and gain.nodes else None,
    )
