"""Scaling of node features, learned on the training graph: the result depends on neither units nor density."""

import copy
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from highwaygraph.config import Fit
from highwaygraph.graph.graph import Graph

# Root mean square length of a scaled row. Between 1/4 and 1/2 the recipe is level on the citation graphs; shorter rows
# learn too slowly at the usual learning rates, and weight decay wins.
LENGTH = 1 / 3


# The same for several node types: attention between types, such as HGTConv's, learns nothing from shorter rows within
# the usual number of epochs (docs/experiments.md).
HETERO_LENGTH = 2.0


# Rows of the features that the scaling is learned from.
SAMPLED_ROWS = 4096


# A column whose deviation is below this part of its mean holds rounding errors only.
LEAST_DEVIATION = 1e-6


# Columns of tables by kind of encoder: each group contributes alike to the length of a row.
GROUPS = {"number": "numbers", "date": "numbers", "flag": "categories", "category": "categories", "words": "text"}


class FeatureScaling(NamedTuple):
    """Scaled features: (x - shift) * factor, after the rows of some column ranges were divided by their length."""

    factor: Float[Tensor, "f"]
    shift: Float[Tensor, "f"] | None
    """Subtracted from dense columns; None where all are 0, so that sparse features stay sparse."""
    rows: tuple[tuple[int, int], ...]
    """Column ranges in which every row is divided by its length."""

    def apply(self, x: Float[Tensor, "n f"]) -> Float[Tensor, "n f"]:
        """Return the scaled features; empty rows stay empty."""
        scaled = _unit_rows(x, self.rows)
        scaled = scaled if self.shift is None else scaled - self.shift.to(x)
        return scaled * self.factor.to(x)


class _Columns(NamedTuple):
    """A range of columns of one group."""

    start: int
    stop: int
    group: str


def with_scaling(data: Graph, fit: Fit) -> Graph:
    """Return the graph with the scaling of its features, and of other node types, where fit.features=auto.

    Args:
        data: The graph; its features do not change.
        fit: Options.

    Returns:
        A shallow copy whose `scaling` is set, or the graph without one.
    """
    scaled = copy.copy(data)
    length = LENGTH if data.hetero is None else HETERO_LENGTH
    scaled.scaling = learn_scaling(data, length) if fit.features == "auto" else None
    if data.hetero is not None:
        tables = {name: Graph(x=x, encoders=data.hetero.encoders.get(name)) for name, x in data.hetero.x.items()}
        learned = {name: learn_scaling(one, length) for name, one in tables.items()} if fit.features == "auto" else {}
        scaled.hetero = replace(data.hetero, scaling=learned)
    return scaled


def learn_scaling(data: Graph, length: float = LENGTH) -> FeatureScaling:
    """Return the scaling that brings the rows of a graph's features to a mean length.

    Rows of sparse non-negative features, such as word counts, are divided by their length; columns of other features
    are standardised. Features of a table are scaled by group: numbers, categories and text contribute alike.

    Args:
        data: The graph.
        length: The root mean square length of a scaled row.

    Returns:
        The scaling.
    """
    some = data.x[torch.arange(0, len(data.x), max(len(data.x) // SAMPLED_ROWS, 1))].double()
    blocks = _table_columns(data.encoders) if data.encoders else [_plain_columns(some)]
    rows = tuple((block.start, block.stop) for block in blocks if block.group in ("text", "counts"))
    shift, factor = torch.zeros(some.size(1), dtype=torch.double), torch.ones(some.size(1), dtype=torch.double)
    if any(block.group == "dense" for block in blocks):
        shift, factor = _standardise(some)
    scaled = (_unit_rows(some, rows) - shift) * factor
    factor = factor * _group_factors(scaled, blocks, length)
    # In double precision: the shift of a column may be beyond the range of single precision.
    return FeatureScaling(factor, shift if shift.any() else None, rows)


def _table_columns(encoders: dict[str, Any]) -> list[_Columns]:
    """Return the columns of every encoder; lists of numbers are groups of their own."""
    blocks, start = [], 0
    for name, encoder in encoders.items():
        if encoder.width:
            blocks.append(_Columns(start, start + encoder.width, GROUPS.get(encoder.kind, f"vector {name}")))
            start += encoder.width
    return blocks


def _plain_columns(x: Tensor) -> _Columns:
    sparse = bool((x >= 0).all()) and int(x.count_nonzero()) < x.numel() / 2
    return _Columns(0, x.size(1), "counts" if sparse else "dense")


def _standardise(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean of every column and the inverse of its deviation, 0 for a constant column."""
    mean = x.mean(dim=0)
    # Divided by the largest first: the square of a very large number is infinite.
    peak = (x - mean).abs().amax(dim=0)
    deviation = peak * ((x - mean) / peak.clamp(min=1e-300)).square().mean(dim=0).sqrt()
    return mean, torch.where(deviation > LEAST_DEVIATION * mean.abs(), 1 / deviation, 0.0)


def _group_factors(x: Tensor, blocks: list[_Columns], length: float) -> Tensor:
    """Return the factor of every column that gives each of the groups present the same part in a row's length."""
    lengths: dict[str, Tensor] = {}
    for block in blocks:
        part = x[:, block.start : block.stop].square().sum(dim=1)
        lengths[block.group] = lengths.get(block.group, torch.zeros_like(part)) + part
    # Rows without any entry of a group have no part in its mean.
    squares = {group: float(rows[rows > 0].mean()) for group, rows in lengths.items() if bool((rows > 0).any())}
    factors = torch.zeros(x.size(1), dtype=torch.double)
    for block in blocks:
        if block.group in squares:
            factors[block.start : block.stop] = length / (len(squares) * squares[block.group]) ** 0.5
    return factors


def _unit_rows(x: Tensor, ranges: tuple[tuple[int, int], ...]) -> Tensor:
    """Return the features with every row of these column ranges divided by its length."""
    if not ranges:
        return x
    scaled = x.clone()
    for start, stop in ranges:
        part = x[:, start:stop]
        peak = part.abs().amax(dim=1, keepdim=True) if stop > start else part.new_ones(len(part), 1)
        part = part / torch.where(peak == 0, 1.0, peak)
        length = part.norm(dim=1, keepdim=True)
        scaled[:, start:stop] = part / torch.where(length == 0, 1.0, length)
    return scaled
