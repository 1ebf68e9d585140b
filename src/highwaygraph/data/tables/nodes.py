"""Rules for a table of nodes, the same for tables that are loaded and tables that are converted."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.tables.embedding import Embedding
from highwaygraph.data.tables.encoders import Encoder, Ignored, Text
from highwaygraph.data.tables.ids import select_nodes
from highwaygraph.data.tables.infer import infer_encoder, note_words
from highwaygraph.data.tables.label_lists import free_separator, holds_lists, read_label_lists
from highwaygraph.data.tables.labels import read_graphs, read_labels, read_split
from highwaygraph.data.tables.read_log import Column, ReadLog, Tally, quote_list
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.data.tables.text_models import TextModel
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError
from highwaygraph.graph.many_graphs import refuse_repeated
from highwaygraph.graph.multilabel import labelled_mask


class NodeKeys(NamedTuple):
    """Ids, labels, split and graphs of the nodes that are kept."""

    ids: list[Any]
    kept: NDArray[np.bool_]
    """Rows of the table that are kept."""
    y: Tensor
    classes: list[str]
    masks: dict[str, Tensor]
    """The three masks; empty where no labelled node is in a split."""
    graph_id: Tensor | None = None
    """Number of the graph of every node, where the user named its column."""
    label_separator: str = ""
    """Text between the labels of a node where they are written in one cell; empty for one class per node."""


def read_keys(keys: pd.DataFrame, roles: ColumnRoles, schema: Schema | None, log: ReadLog) -> NodeKeys:
    """Return the ids, labels, split and graphs of a table, and note the rows that are left out."""
    if roles.graph:
        refuse_repeated(tidy(keys[roles.id]).dropna().tolist())
    ids, kept = select_nodes(keys[roles.id], log)
    y, classes, separator = _read_classes(keys, roles, kept, schema, log)
    masks = read_split(keys[roles.split][kept], labelled_mask(y), ids, log) if roles.split else {}
    masks = masks if any(bool(mask.any()) for mask in masks.values()) else {}
    graphs = read_graphs(keys[roles.graph][kept], ids) if roles.graph else None
    return NodeKeys(ids, kept, y, classes, masks, graphs, separator)


def _read_classes(
    keys: pd.DataFrame, roles: ColumnRoles, kept: NDArray[np.bool_], schema: Schema | None, log: ReadLog
) -> tuple[Tensor, list[str], str]:
    """Return the labels, their names, and the separator where a node may have several of them."""
    known = schema.classes if schema else None
    if not roles.label:
        if roles.label_separator and schema is None:
            raise DataError("The table has no column of labels to separate: name it with --label (label=...).")
        return torch.full((int(kept.sum()),), -1), known or [], roles.label_separator
    column = keys[roles.label][kept]
    # A run of one class per node stays one of a class per node.
    if roles.label_separator or (schema is None and holds_lists(column)):
        y, classes = read_label_lists(column, roles.label_separator, known, log)
        return y, classes, roles.label_separator or free_separator(classes)
    return *read_labels(column, known, log), ""


def feature_columns(columns: Sequence[str], roles: ColumnRoles) -> list[str]:
    """Return the columns that may become features: neither a role nor the output of a run."""
    taken = (roles.id, roles.label, roles.split, roles.graph)
    return [name for name in columns if name not in taken and not name.startswith(RUN_PREFIX)]


def infer_encoders(
    nodes: pd.DataFrame, roles: ColumnRoles, log: ReadLog, text: TextModel | None = None
) -> dict[str, Encoder]:
    """Return the encoder of every column that may become features, and note columns of numbers read as words.

    Args:
        nodes: The table.
        roles: Its columns by role.
        log: Takes the findings.
        text: Model of the columns of text; their words are hashed unless given.
    """
    # Each looked up once: in a wide table, a lookup costs as much as a step of the inference.
    columns = {name: nodes[name] for name in feature_columns(list(nodes.columns), roles)}
    encoders = {name: infer_encoder(column) for name, column in columns.items()}
    for name, encoder in encoders.items():
        note_words(name, columns[name], encoder, log)
    return encoders if text is None else _with_text(encoders, text)


def _with_text(encoders: dict[str, Encoder], text: TextModel) -> dict[str, Encoder]:
    """Return the encoders with the model of texts in place of hashed words; lists of words stay as they are."""
    texts = [name for name, encoder in encoders.items() if isinstance(encoder, Text) and not encoder.listed]
    if not texts:
        raise DataError("No column of the nodes is read as text: leave out --text (text_encoder).")
    return encoders | dict.fromkeys(texts, Embedding.of(text))


class FeatureEncoder:
    """Encodes a table chunk by chunk and counts the cells that an encoder cannot read."""

    def __init__(self, encoders: dict[str, Encoder]) -> None:
        self.encoders = {name: encoder for name, encoder in encoders.items() if not isinstance(encoder, Ignored)}
        self._tallies = {name: Tally(e.unreadable.format(name=repr(name))) for name, e in self.encoders.items()}

    def apply(self, nodes: pd.DataFrame) -> Tensor | None:
        """Return the features of every node, None where no column becomes features."""
        missing = [name for name in self.encoders if name not in nodes]
        if missing:
            raise DataError(f"The nodes lack columns that the model was trained with: {quote_list(missing)}.")
        if not self.encoders:
            return None
        ends = np.cumsum([encoder.width for encoder in self.encoders.values()]).tolist()
        features = np.zeros((len(nodes), ends[-1]), dtype=np.float32)
        for (name, encoder), end in zip(self.encoders.items(), ends, strict=True):
            unreadable = encoder.write(nodes[name], features[:, end - encoder.width : end])
            if unreadable.any():
                self._tallies[name].add(nodes[[name]], unreadable)
        return torch.from_numpy(features)

    def report(self, log: ReadLog) -> None:
        """Note the counts after the last chunk."""
        for tally in self._tallies.values():
            log.find(tally.what, tally.examples, tally.count, "encoded as missing")


def encode_features(nodes: pd.DataFrame, encoders: dict[str, Encoder], log: ReadLog) -> Tensor | None:
    """Return the features of a whole table, None where no column becomes features; note unreadable cells."""
    encoder = FeatureEncoder(encoders)
    features = encoder.apply(nodes)
    encoder.report(log)
    return features


def _label_note(roles: ColumnRoles, keys: NodeKeys) -> str:
    if not keys.label_separator:
        return f"{len(keys.classes)} classes"
    how = f"separated by {roles.label_separator!r}" if roles.label_separator else "in lists"
    return f"{len(keys.classes)} labels, several per node, {how}"


def describe_columns(
    columns: Sequence[str], roles: ColumnRoles, encoders: dict[str, Encoder], keys: NodeKeys, log: ReadLog
) -> None:
    """Note the role of every column."""
    described: dict[str, tuple[str, str]] = {
        roles.id: ("id", f"{len(keys.ids):,} nodes"),
        roles.label: ("label", _label_note(roles, keys)),
        roles.split: ("split", "train, val and test"),
        roles.graph: ("graph", "the graph of every node"),
    }
    for name in columns:
        if name in described:
            log.columns.append(Column(name, *described[name]))
        elif name in encoders:
            width = encoders[name].width
            log.columns.append(Column(name, "feature" if width else "ignored", encoders[name].describe(), width))
        else:
            why = "the output of a run" if name.startswith(RUN_PREFIX) else "the model was trained without it"
            log.columns.append(Column(name, "ignored", f"left out: {why}"))
    ignored = [name for name, encoder in encoders.items() if isinstance(encoder, Ignored)]
    log.find("columns that become no features", ignored, len(ignored), "left out; highway inspect shows why")
    if len(ignored) == len(encoders):
        note = "no feature column: structural features (degree, eigenvectors) are used instead"
        log.columns.append(Column("(the graph itself)", "feature", note))
