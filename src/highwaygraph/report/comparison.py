"""Several runs side by side: accuracies, scores by distance and class, changed predictions and different options."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from highwaygraph.errors import ConfigError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.report.changed_nodes import changed_nodes
from highwaygraph.report.comparison_values import Change, ClassRow, HopRow, Relation, RunComparison, RunRow
from highwaygraph.report.run_data import answer_name, model_name
from highwaygraph.report.run_options import closest_preset, differing_options
from highwaygraph.report.summary import Comparison, compare
from highwaygraph.runs.result import Result, check_result
from highwaygraph.training.gain import Gain, paired_gain
from highwaygraph.training.metrics import in_hops


def compare_runs(runs: Mapping[str, Result]) -> RunComparison:
    """Compare runs with the first of them.

    Runs on another graph are compared by their accuracies and options only. Where two runs have other test nodes,
    predictions are compared on the test nodes of both, without an interval. A run on all labels has none: its
    out-of-fold predictions are compared.

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
    _check_runs(runs)
    scored = [compare(result) for result in runs.values()]
    relations = _relations([one.result for one in scored])
    rows = tuple(map(_row, runs, scored, relations))
    same = [place for place, relation in enumerate(relations) if relation != "other graph"]
    scores = _comparable([scored[place] for place in same])
    results = [*runs.values()]
    pairs = ((rows[place], (results[0], results[place]), (scored[0], scored[place])) for place in same[1:])
    changes = tuple(_change(*pair) for pair in pairs)
    return RunComparison(rows, _hop_rows(scores), _class_rows(scores), changes, differing_options(results))


def _check_runs(runs: Mapping[str, Result]) -> None:
    """Refuse fewer than two runs, and anything else than runs by name."""
    if not isinstance(runs, Mapping):
        raise ConfigError(
            f"A comparison needs runs by name, as in {{'a': result, 'b': result}}, not {type(runs).__name__}."
        )
    for result in runs.values():
        check_result(result)
    if len(runs) < 2:
        raise ConfigError(f"A comparison needs at least two runs, not {len(runs)}: give another one.")


def _comparable(scores: list[Comparison]) -> list[Comparison]:
    """Return the scores of runs on one graph, none where there is nothing to compare."""
    has_test = any(bool(one.result.data.test_mask.any()) for one in scores)
    return scores if len(scores) > 1 and has_test else []


def _relations(results: Sequence[Result]) -> list[Relation]:
    first, *others = results
    expected = data_hash(first.data)
    return ["same test nodes", *(_relation(first, other, expected) for other in others)]


def _relation(first: Result, other: Result, expected: str) -> Relation:
    if other.data is not first.data and data_hash(other.data) != expected:
        return "other graph"
    # The hash of the split would also differ where only training nodes were added.
    return "same test nodes" if torch.equal(first.data.test_mask, other.data.test_mask) else "other test nodes"


def _row(name: str, scored: Comparison, relation: Relation) -> RunRow:
    result = scored.result
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
        answer=answer_name(result),
        relation=relation,
        source=scored.source,
    )


def _hop_rows(scores: list[Comparison]) -> tuple[HopRow, ...]:
    by_hops = zip(*(each.hops for each in scores), strict=True)
    return tuple(HopRow(row[0].hops, row, _hop_gains(row[0].hops, scores)) for row in by_hops)


def _hop_gains(hops: str, scores: list[Comparison]) -> tuple[Gain | None, ...]:
    """Return the paired differences to the first run at one distance, None where the nodes there are not the same."""
    first, *others = scores
    nodes = _nodes_at(hops, first)
    return tuple(_gain(first, one, nodes) if torch.equal(nodes, _nodes_at(hops, one)) else None for one in others)


def _nodes_at(hops: str, scored: Comparison) -> Tensor:
    mask = scored.result.data.test_mask
    assert scored.distance is not None
    return mask if hops == "all" else mask & in_hops(scored.distance, hops)


def _gain(first: Comparison, other: Comparison, nodes: Tensor) -> Gain | None:
    """Return the paired difference on some nodes, None without any."""
    labels = first.result.data.y[nodes]
    gain = paired_gain(*(one.result.predict()[nodes] == labels for one in (first, other)))
    return gain if gain.nodes else None


def _class_rows(scores: list[Comparison]) -> tuple[ClassRow, ...]:
    # A module of the user may have outputs beyond the classes that occur; they have no test nodes.
    by_class = zip(*(each.classes for each in scores), strict=False)
    return tuple(ClassRow(row[0].name, tuple(each.ours for each in row)) for row in by_class)


def _change(row: RunRow, runs: tuple[Result, Result], scored: tuple[Comparison, Comparison]) -> Change:
    """Return the changed predictions of the models, and those among the predictions that are scored."""
    first, other = (one.result for one in scored)
    before, after, labels = first.predict(), other.predict(), first.data.y
    both = first.data.test_mask & other.data.test_mask
    changed = changed_nodes(row.name, *runs)
    gain = paired_gain((before == labels)[both], (after == labels)[both])
    return Change(
        run=row.name,
        nodes=first.data.num_nodes,
        changed=len(changed),
        test_nodes=gain.nodes,
        test_changed=int((before != after)[both].sum()),
        became_right=gain.corrected,
        became_wrong=gain.newly_wrong,
        gain=gain if row.relation == "same test nodes" and gain.nodes else None,
        predictions=changed,
    )
