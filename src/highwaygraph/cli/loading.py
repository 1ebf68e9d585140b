"""Graphs for the commands: read, split, attached to a run's graph, or converted."""

from pathlib import Path
from typing import Any

from highwaygraph.config import LabelFile, SplitChoice, Tables
from highwaygraph.data.label_file import hide_labels, with_labels
from highwaygraph.data.load import convert as write_mapped
from highwaygraph.data.load import load
from highwaygraph.data.tables.read_log import ReadLog, quote_list
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, is_weighted, without_weights
from highwaygraph.graph.split_sizes import split_sizes
from highwaygraph.graph.splits import classes_below, small_class_rule, split, use_split, validate_split
from highwaygraph.graph.validate import MASKS
from highwaygraph.nn.factory import accepts_edge_weight
from highwaygraph.nn.modules import num_classes
from highwaygraph.runs.other_graphs import load_like
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.runtime.progress import stderr

# Of a command without --labels.
NO_FILE = LabelFile()


def read(source: str, tables: Tables, model: str | None = None, label_file: LabelFile = NO_FILE) -> Graph:
    """Return the graph of a path or a name, printing its findings where it is read to be trained on.

    Args:
        source: Path of a graph, or the name of a dataset.
        tables: Columns of a graph given as tables.
        model: Name of the network to train, if any; a graph without labels is then refused.
        label_file: Further labels of its nodes.

    Returns:
        The graph, without edge weights where the network has no use for them.
    """
    data = _with_label_file(_load(source, tables, labels=not label_file.labels), label_file)
    if model is None:
        return data
    log = data.read_log
    if not bool((data.y >= 0).any()):
        names = f" (columns: {quote_list(c.name for c in log.columns)})" if log else ""
        if data.is_mapped:
            raise DataError("No node has a label: convert the graph again, naming their column with --label.")
        raise DataError(f"No node has a label: name the column that holds them with --label{names}.")
    _print_findings(log)
    if not degrees(data).any():
        stderr.print("The graph has no edges: every node is classified by its own features alone.", soft_wrap=True)
    if model != "auto" and is_weighted(data) and not accepts_edge_weight(model):
        stderr.print(f"{model} takes no edge weights: they are left out.", soft_wrap=True)
        return without_weights(data)
    return data


def _with_label_file(data: Graph, choice: LabelFile) -> Graph:
    """Return the graph with the labels of a file, printing how many labels it has from where."""
    if not choice.labels:
        if choice.known != "all":
            raise ConfigError("--known is about the labels beside those of a file: name the file with --labels.")
        return data
    merged = with_labels(data, choice.labels, choice.known)
    own = int((hide_labels(data, choice.known).y >= 0).sum())
    total = int((merged.y >= 0).sum())
    kept = f" and {own:,} of the graph itself, which --known none leaves out" if own else ""
    nodes = "1 labelled node" if total == 1 else f"{total:,} labelled nodes"
    stderr.print(f"{nodes}: labels of {choice.labels}{kept}.", soft_wrap=True)
    return merged


def read_unlabelled(source: str, tables: Tables) -> Graph:
    """Return a graph that may have no labels at all, printing its findings."""
    data = _load(source, tables, labels=False)
    _print_findings(data.read_log)
    if data.read_log and not tables.label and not bool((data.y >= 0).any()):
        columns = quote_list(column.name for column in data.read_log.columns if column.features)
        stderr.print(
            f"No column holds labels: name it with --label where there is one (read as features: {columns}).",
            soft_wrap=True,
        )
    return data


def _print_findings(log: ReadLog | None) -> None:
    for finding in log.findings if log else ():
        stderr.print(str(finding), soft_wrap=True)


def read_like(source: str, tables: Tables, result: Result, *, attach: bool = False) -> Graph:
    """Return another graph, read by the schema of a run.

    Args:
        source: Path of the other graph.
        tables: Columns of a graph given as tables.
        result: The run.
        attach: Treat the graph as new nodes of the run's graph; its edges may refer to existing node ids.

    Returns:
        The other graph, or the run's graph with the new nodes.
    """
    data = load_like(result, source, tables.edges or None, attach=attach, **_names(tables))
    _print_findings(data.read_log)
    return data


def _load(source: str, tables: Tables, **options: Any) -> Graph:
    return load(source, tables.edges or None, **_names(tables), **options)


def _names(tables: Tables) -> dict[str, Any]:
    return {
        "nodes": tables.nodes,
        "id": tables.id,
        "label": tables.label,
        "split": tables.split_by,
        "weight": tables.weight,
        "ends": tables.ends,
        "edge_type": tables.edge_type,
        "edge_features": tables.edge_features,
        "label_separator": tables.label_separator,
        "graph": tables.graph,
        "target": tables.target,
        "text_encoder": tables.text or None,
    }


def convert(source: str, tables: Tables, folder: Path) -> Graph:
    """Write a graph to a folder of memory-mapped arrays, printing the progress and the findings."""
    names = _names(tables)
    if names.pop("graph") or names.pop("target"):
        raise DataError("--graph and --target are not supported on disk: leave them out, or train on the tables.")
    data = write_mapped(source, folder, tables.edges or None, **names, notify=stderr.print)
    _print_findings(data.read_log)
    return data


def choose_split(data: Graph, choice: SplitChoice, *, needs_val: bool = True) -> Graph:
    """Return the graph with its given split, or one column of it, or a random split of nodes or whole graphs."""
    if choice.split == "graph":
        sizes = {name: getattr(choice, name) for name in ("train", "val") if name in choice.model_fields_set}
        return split(data, seed=choice.split_seed, by="graph", **sizes)
    if choice.split == "random" or (choice.split == "auto" and not data.has_split):
        given = bool({"train", "val"} & choice.model_fields_set)
        small = small_class_rule(choice.small_classes, sizes_given=given)
        drawn = split(data, train=choice.train, val=choice.val, seed=choice.split_seed, small_classes=small)
        if small == "share":
            _print_small_classes(drawn, choice)
        return drawn
    if data.has_split and (without_effect := _options_of_a_random_split(choice)):
        has = "has" if len(without_effect) == 1 else "have"
        names = " and ".join(without_effect)
        stderr.print(
            f"The graph has a split of its own, so that {names} {has} no effect: --split random draws another one.",
            soft_wrap=True,
        )
    return validate_split(one_split(data, choice), needs_val=needs_val)


def one_split(data: Graph, choice: SplitChoice) -> Graph:
    """Return the graph with one column of its masks, where they hold several splits."""
    wide = any(name in data and data[name].dim() == 2 for name in MASKS)
    return use_split(data, choice.split_column) if wide else data


def choose_labels(data: Graph, choice: SplitChoice) -> Graph:
    """Return the graph for a training on all labels: with its split, or without one where none is given or drawn.

    Args:
        data: The graph; test nodes of its split are not trained on.
        choice: The split; it is drawn where its training nodes, its seed or a positive number of validation nodes are
            given.

    Returns:
        The graph; its training and validation nodes, or all labelled nodes, are divided into folds.
    """
    if data.is_mapped:
        raise DataError("Folds need the graph in memory, but this one is on disk: leave out --refit and --val 0.")
    given = _options_of_a_random_split(choice)
    if given and data.has_split and choice.split in ("auto", "given"):
        raise ConfigError(
            f"{given[0]} is about a random split, and the graph has a split of its own: leave it out, or add --split "
            "random."
        )
    if choice.split == "auto" and not data.has_split and not given:
        return data
    return choose_split(data, choice, needs_val=False)


def _options_of_a_random_split(choice: SplitChoice) -> list[str]:
    """Return the options that the user has given and that only a random split reads; no validation nodes need none."""
    given = {"train", "val", "split_seed"} & choice.model_fields_set
    return [f"--{name.replace('_', '-')}" for name in sorted(given) if name != "val" or choice.val]


def _print_small_classes(data: Graph, choice: SplitChoice) -> None:
    """Print the classes of a split that have too few labels, and its sizes."""
    small = classes_below(data.y, int(choice.train + choice.val))
    if small:
        names = class_names(data, num_classes(data))
        stderr.print(
            f"Fewer than {choice.train} + {choice.val} labels in {len(small)} of {len(names)} classes "
            f"({quote_list(f'{names[c]}: {n}' for c, n in small.items())}): at most half of each trains, the rest "
            f"is divided between validation and test: {split_sizes(data)}.", soft_wrap=True)  # fmt: skip
