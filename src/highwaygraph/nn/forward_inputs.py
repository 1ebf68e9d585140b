"""The call of any module's forward: with features and edges, with features alone, or with a PyG Data."""

import inspect
from collections.abc import Mapping
from inspect import Parameter
from typing import Any, Literal, NamedTuple

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.data import Data, HeteroData

from highwaygraph.errors import ModelError
from highwaygraph.graph.graph import EDGE_VALUES, Graph

# Names of a single argument that is a Data, where it has no annotation.
DATA_NAMES = ("data", "batch", "graph", "g", "d")


# Absence of a value per edge, in words of the user.
MEANING = {"edge_weight": "edge weights", "edge_attr": "edge features", "edge_type": "edge types"}


POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


Kind = Literal["edges", "data", "features", "dicts", "hetero data"]


class ForwardInputs(NamedTuple):
    """The arguments that a module's forward takes."""

    kind: Kind
    """edges: forward(x, edge_index, ...); data: forward(data); features: forward(x).

    Where there are several node types, dicts: forward(x_dict, edge_index_dict); hetero data: forward(data).
    """
    optional: tuple[str, ...] = ()
    """Names of the values per edge that it takes, in the order of EDGE_VALUES."""
    required: tuple[str, ...] = ()
    """Those without a default."""


def forward_inputs(model: nn.Module) -> ForwardInputs:
    """Return the arguments that the module's forward takes, by its signature.

    Args:
        model: Any module; one of PyG's networks with `supports_edge_weight = False` takes no weights, and likewise for
            edge features.

    Example:
        >>> from torch_geometric.nn import GAT
        >>> forward_inputs(GAT(4, 8, 2)).optional
        ('edge_attr',)
    """
    parameters = forward_parameters(model)
    given = [name for name, one in parameters.items() if one.kind in POSITIONAL]
    needed = [name for name in given if parameters[name].default is Parameter.empty]
    if given and len(needed) <= 1 and takes_data(parameters[given[0]]):
        return ForwardInputs("data", EDGE_VALUES)
    taken = tuple(name for name in EDGE_VALUES if name in parameters and _supports(model, name))
    variable = any(one.kind is Parameter.VAR_POSITIONAL for one in parameters.values())
    if len(given) == 1 and not taken and not variable:
        return ForwardInputs("features")
    return ForwardInputs("edges", taken, tuple(name for name in taken if parameters[name].default is Parameter.empty))


def edge_values(model: nn.Module, inputs: ForwardInputs, graph: Graph) -> dict[str, Tensor]:
    """Return the values per edge that the module takes; raise a ModelError where they do not fit together."""
    name = type(model).__name__
    if graph.edge_weight is not None and "edge_weight" not in inputs.optional:
        raise ModelError(
            f"The data has edge weights, but {name}.forward has no argument edge_weight: add it, or remove "
            "data.edge_weight."
        )
    values = {key: graph.get(key) for key in inputs.optional}
    for key in inputs.required:
        if values[key] is None:
            raise ModelError(
                f"{name}.forward needs {key}, but the graph has no {MEANING[key]}: set data.{key}, or give the "
                "argument a default."
            )
    return {key: value for key, value in values.items() if value is not None}


def call_forward(
    model: nn.Module,
    kind: Kind,
    x: Float[Tensor, "n f"],
    edge_index: Int[Tensor, "2 e"],
    values: Mapping[str, Tensor],
) -> Any:
    """Return the output of the module's forward.

    Args:
        model: The module.
        kind: The arguments that its forward takes.
        x: The features.
        edge_index: The edges.
        values: Values per edge, by name.
    """
    if kind == "data":
        # Labels and masks are left out: a module shall not see the labels of the nodes that it classifies.
        return model(Data(x=x, edge_index=edge_index, num_nodes=x.size(0), **values))
    return model(x) if kind == "features" else model(x, edge_index, **values)


def forward_parameters(model: nn.Module) -> Mapping[str, Parameter]:
    """Return the arguments of the module's forward by name; none where it has no signature."""
    declared = getattr(getattr(model, "signature", None), "param_dict", None)
    if isinstance(declared, Mapping):
        # PyG's Sequential takes any arguments, and declares those that it needs.
        return {str(name): Parameter(str(name), Parameter.POSITIONAL_OR_KEYWORD) for name in declared}
    try:
        return inspect.signature(model.forward).parameters
    except (TypeError, ValueError):
        # Compiled code may have no signature.
        return {}


def takes_data(parameter: Parameter) -> bool:
    """Return whether an argument is a Data, by its annotation or its name."""
    kind = parameter.annotation
    if isinstance(kind, type) and kind is not Parameter.empty:
        return issubclass(kind, Data | HeteroData)
    if isinstance(kind, str):
        return kind.rsplit(".", maxsplit=1)[-1] in ("Data", "Batch", "HeteroData")
    return parameter.name in DATA_NAMES


def _supports(model: nn.Module, name: str) -> bool:
    """Return whether the module uses the value; PyG's networks take some arguments that they have no use for."""
    return getattr(model, f"supports_{name}", True) is not False
