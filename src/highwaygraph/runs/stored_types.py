"""The other node types of a run's graph, and the scaling of features, as a run folder stores them."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

import torch
from pydantic import BaseModel, Field
from torch import Tensor

from highwaygraph.data.tables.stored_encoders import read_encoders
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import OtherTypes, Relation, with_other_types
from highwaygraph.graph.validate import validate_features
from highwaygraph.nn.scaling import FeatureScaling

# JSON has no tuples.
Triple = Annotated[list[str], Field(min_length=3, max_length=3)]


class StoredTypes(BaseModel):
    """The entry of meta.json on several node types."""

    target: str
    types: list[str]
    """The other types, in the order of their tensors."""
    relations: list[Triple]
    """Relations outside the target type, in the order of their tensors."""
    own: list[Triple]
    """Relations within the target type."""
    encoders: dict[str, dict[str, Any]] = {}


def other_type_record(data: Graph) -> dict[str, Any] | None:
    """Return the names of types and relations, None where there is one node type."""
    others: OtherTypes | None = data.hetero
    if others is None:
        return None
    encoders = {
        name: {column: encoder.model_dump() for column, encoder in one.items()} for name, one in others.encoders.items()
    }
    return {
        "target": others.target,
        "types": list(others.x),
        "relations": [list(one) for one in others.edges],
        "own": [list(one) for one in others.own],
        "encoders": encoders,
    }


def other_type_tensors(data: Graph) -> dict[str, Tensor]:
    """Return features, edges and scalings of the other types by name."""
    if data.hetero is None:
        return {}
    scalings = {
        f"hetero_{place}_{part}": tensor
        for place, name in enumerate(data.hetero.x)
        if name in data.hetero.scaling
        for part, tensor in scaling_tensors(data.hetero.scaling[name]).items()
    }
    return {**data.hetero.tensors(), **scalings}


def read_other_types(graph: Graph, stored: StoredTypes, tensors: Mapping[str, Tensor]) -> Graph:
    """Return the graph with its other node types; raise ValueError where they do not fit together."""
    x = {name: validate_features(tensors[f"hetero_x_{place}"]) for place, name in enumerate(stored.types)}
    edges = {_relation(one): tensors[f"hetero_edges_{place}"] for place, one in enumerate(stored.relations)}
    counts = {stored.target: graph.num_nodes} | {name: len(table) for name, table in x.items()}
    for (source, label, target), index in edges.items():
        fits = index.dim() == 2 and len(index) == 2 and index.dtype == torch.int64 and {source, target} <= set(counts)
        limits = torch.tensor([[counts[source]], [counts[target]]]) if fits else None
        if limits is None or bool(((index < 0) | (index >= limits)).any()):
            raise ValueError(f"the edges {source}-{label}-{target} lead to nodes that do not exist")
    if not stored.own or any(one[0] != stored.target or one[2] != stored.target for one in stored.own):
        raise ValueError("the relation of highways is missing")
    scalings = {name: read_scaling(tensors, x[name].size(1), f"hetero_{i}_") for i, name in enumerate(stored.types)}
    known = {name: one for name, one in scalings.items() if one is not None}
    encoders = {name: read_encoders(stored.encoders[name], x[name].size(1)) or {} for name in stored.encoders}
    own = tuple(_relation(one) for one in stored.own)
    return with_other_types(graph, OtherTypes(stored.target, x, edges, own, encoders, known))


def _relation(names: list[str]) -> Relation:
    return cast(Relation, tuple(names))


def scaling_tensors(scaling: FeatureScaling) -> dict[str, Tensor]:
    """Return a scaling as named tensors."""
    shift = {} if scaling.shift is None else {"scaling_shift": scaling.shift}
    rows = torch.tensor(scaling.rows, dtype=torch.long).view(-1, 2)
    return {"scaling_factor": scaling.factor, "scaling_rows": rows} | shift


def read_scaling(tensors: Mapping[str, Tensor], features: int, prefix: str = "") -> FeatureScaling | None:
    """Return the scaling of the features, whose columns exist; runs of earlier versions have none."""
    name = f"{prefix}scaling_"
    if f"{name}factor" not in tensors:
        return None
    factor, rows, shift = tensors[f"{name}factor"], tensors[f"{name}rows"], tensors.get(f"{name}shift")
    for part, column in (("factor", factor), ("shift", shift)):
        if column is not None and (column.shape != (features,) or not column.is_floating_point()):
            raise ValueError(f"{name}{part} of shape {tuple(column.shape)} for {features:,} features")
    if rows.dim() != 2 or rows.size(1) != 2 or rows.is_floating_point():
        raise ValueError(f"{name}rows of shape {tuple(rows.shape)}")
    ranges = tuple((int(start), int(stop)) for start, stop in rows.tolist())
    if any(not 0 <= start <= stop <= features for start, stop in ranges):
        raise ValueError(f"{name}rows leads beyond {features:,} features")
    return FeatureScaling(factor, shift, ranges)
