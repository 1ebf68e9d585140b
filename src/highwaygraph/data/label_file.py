"""Label files: a CSV table of node ids and classes, which `highway label` writes and `highway train --labels` reads."""

import copy
import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import torch
from torch_geometric.data import Data

from highwaygraph.data.spreadsheet import quote_formula, unquote_formula
from highwaygraph.errors import ConfigError, DataError, did_you_mean, shortened
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.validate import MASKS, validate_labels

Kind = Literal["label", "not sure", "skipped"]
Known = Literal["all", "train", "none"]
COLUMNS = ("id", "class", "answer", "time")


# In the column `answer`, the mark of the first label of a class that the graph does not have.
NEW_CLASS = "new class"


class Answer(NamedTuple):
    """The answer to one node."""

    node: int
    """The number of the node in the graph."""
    kind: Kind
    label: str = ""
    """Name of the class; empty where the node has none."""
    time: str = ""
    """When it was given, in ISO 8601."""


class Row(NamedTuple):
    """A row of the file, with its line for error messages."""

    line: int
    id: str
    label: str
    answer: str
    time: str


def with_labels(data: Data, path: str | os.PathLike[str], known: Known = "all") -> Graph:
    """Return the graph with the labels of a label file, and without its masks.

    Args:
        data: A graph; its labels are kept where the file has none.
        path: A CSV file with the columns id and class, such as `highway label` writes.
        known: Labels of the graph itself that are kept: all, those of training nodes, or none.

    Returns:
        A shallow copy; classes that no node has are left out.

    Example:
        >>> import tempfile
        >>> import highwaygraph as hg
        >>> cora = hg.load("cora")
        >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        ...     written = file.write(f"id,class\\n{cora.ids[0]},Theory\\n{cora.ids[5]},Neural_Networks\\n")
        ...     file.flush()
        ...     graph = hg.with_labels(cora, file.name, known="none")
        >>> int((graph.y >= 0).sum()), graph.classes
        (2, ['Theory', 'Neural_Networks'])
    """
    graph = hide_labels(data, known)
    return apply_answers(graph, read_answers(Path(path), graph))


def hide_labels(data: Data, known: Known) -> Graph:
    """Return the graph with these of its own labels only, and without masks; the names of its classes stay."""
    labels, graph = validate_labels(data), copy.copy(as_graph(data))
    refuse_several_labels(graph, "A label file", "write the labels into data.y or the table of nodes")
    if known not in get_args(Known):
        raise ConfigError(f"known is one of {', '.join(get_args(Known))}, not {known!r}.")
    if graph.is_mapped:
        raise DataError(
            "Label files are for graphs in memory, and this one is memory-mapped: write the labels into its table of "
            "nodes and convert it again."
        )
    if known == "train":
        if not graph.has_split or graph.train_mask.dim() != 1:
            raise DataError("The graph has no single train_mask, which known='train' (--known train) needs.")
        labels = torch.where(graph.train_mask, labels, -1)
    graph.classes = class_list(graph)
    graph.y = torch.full_like(labels, -1) if known == "none" else labels.clone()
    for name in MASKS:
        if name in graph:
            del graph[name]
    return graph


def class_list(graph: Graph) -> list[str]:
    """Return the names of the classes, numbers where they have none; empty for a graph without labels."""
    if graph.classes:
        return list(graph.classes)
    return [str(number) for number in range(int(graph.y.max()) + 1)] if len(graph.y) else []


def apply_answers(graph: Graph, answers: Iterable[Answer], first: Sequence[str] = ()) -> Graph:
    """Return the graph with the labels of the answers; classes without any label are left out.

    Args:
        graph: The graph, with the labels that are known from the start.
        answers: The answers.
        first: Classes that come first and are never left out, such as those of a model.

    Returns:
        A shallow copy.
    """
    place = {name: number for number, name in enumerate(graph.classes or [])}
    y = graph.y.clone()
    for answer in answers:
        if answer.kind == "label":
            y[answer.node] = place.setdefault(answer.label, len(place))
    names = list(place)
    used = [names[number] for number in y[y >= 0].unique().tolist()]
    kept = list(dict.fromkeys([*first, *used]))
    number_of = {name: number for number, name in enumerate(kept)}
    changed = copy.copy(graph)
    # The last entry is that of label -1.
    changed.y = torch.tensor([*(number_of.get(name, -1) for name in names), -1])[y]
    changed.classes = kept or None
    return changed


def read_answers(path: Path, graph: Graph, *, rewritten: bool = False) -> list[Answer]:
    """Return the answers in a file in its order; refuse one that does not fit the graph.

    Args:
        path: The file.
        graph: The graph; without names of classes, every class is accepted.
        rewritten: Refuse a file with further columns, which would be lost when it is written again.

    Returns:
        One answer per node.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"Cannot read the label file {path} ({error.strerror}): check the path.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The label file {path} is not in UTF-8: save it as CSV in UTF-8.") from error
    rows = _rows(text, path.name, rewritten=rewritten)
    _check_classes(rows, graph.classes or [], path.name)
    return _answers(rows, graph.ids or range(graph.num_nodes), path.name)


def format_answers(answers: Iterable[Answer], ids: Sequence[object], classes: Iterable[str]) -> str:
    """Return the content of a label file.

    Args:
        answers: The answers in order.
        ids: The id of every node.
        classes: The classes of the graph; the first label of any other class is marked.

    Returns:
        CSV text with the columns id, class, answer and time.

    Example:
        >>> answers = [Answer(1, "label", "a", "2026-01-01"), Answer(0, "skipped")]
        >>> print(format_answers(answers, ["x", "y"], ["a"]), end="")
        id,class,answer,time
        y,a,label,2026-01-01
        x,,skipped,
    """
    written, seen = io.StringIO(), set(classes)
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    marks = bool(seen)
    for answer in answers:
        is_new = marks and answer.kind == "label" and answer.label not in seen
        seen.add(answer.label)
        kind = NEW_CLASS if is_new else answer.kind
        table.writerow([quote_formula(str(ids[answer.node])), quote_formula(answer.label), kind, answer.time])
    return written.getvalue()


def _rows(text: str, name: str, *, rewritten: bool) -> list[Row]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        if "id" not in head or "class" not in head:
            raise DataError(f"{name} is no label file: its first line has to name the columns id and class.")
        if rewritten and (other := [column for column in head if column and column not in COLUMNS]):
            raise DataError(
                f"{name} has columns that a label file does not keep (first: {shortened(other[0])!r}): choose another "
                "file with --labels."
            )
        places = [head.index(column) if column in head else -1 for column in COLUMNS]
        rows = []
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found = [cells[place].strip() if 0 <= place < len(cells) else "" for place in places]
                rows.append(Row(reader.line_num, unquote_formula(found[0]), unquote_formula(found[1]), *found[2:]))
    except csv.Error as error:
        raise DataError(f"{name} is no valid CSV in line {reader.line_num} ({error}): correct it.") from error
    return rows


def _check_classes(rows: list[Row], classes: Sequence[str], name: str) -> None:
    new = {row.label for row in rows if row.answer == NEW_CLASS}
    unknown = [row for row in rows if classes and row.label and row.label not in new and row.label not in classes]
    if unknown:
        first = unknown[0]
        count = len({row.label for row in unknown})
        raise DataError(
            f"{name} names {_counted(count, 'class', 'classes')} that the graph does not have (first: "
            f"{shortened(first.label)!r} in line {first.line}): correct the class, or write {NEW_CLASS} into the "
            f"column answer of that line.{did_you_mean(first.label, classes)}"
        )


def _answers(rows: list[Row], ids: Sequence[object], name: str) -> list[Answer]:
    wanted = {row.id for row in rows}
    place = {text: node for node, one in enumerate(ids) if (text := str(one)) in wanted}
    if unknown := [row for row in rows if row.id not in place]:
        raise DataError(
            f"{name} names {_counted(len({row.id for row in unknown}), 'node')} that the graph does not have (first: "
            f"{shortened(unknown[0].id)!r} in line {unknown[0].line}): correct the ids, or give the graph of this file."
        )
    found: dict[str, Row] = {}
    for row in rows:
        before = found.get(row.id)
        if before is not None and before.label and row.label and before.label != row.label:
            raise DataError(
                f"{name} labels node {shortened(row.id)!r} twice, {shortened(before.label)!r} in line {before.line} "
                f"and {shortened(row.label)!r} in line {row.line}: remove one of the lines."
            )
        if before is None or row.label:
            found[row.id] = row
    return [Answer(place[row.id], _kind(row), row.label, row.time) for row in found.values()]


def _kind(row: Row) -> Kind:
    """Return the kind of an answer; a row without a class is no label, whatever its column `answer` holds."""
    if row.label:
        return "label"
    return "not sure" if row.answer == "not sure" else "skipped"


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
