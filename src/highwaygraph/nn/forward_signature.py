"""Refusal of a forward that no call fits, by its signature: a trial forward pass would fail for an unclear reason."""

from collections.abc import Collection, Mapping
from inspect import Parameter

from torch import nn

from highwaygraph.errors import ModelError
from highwaygraph.graph.graph import EDGE_VALUES
from highwaygraph.nn.forward_inputs import POSITIONAL, ForwardInputs, forward_inputs, forward_parameters, takes_data

CALLS = "forward(x, edge_index), also with edge_weight, edge_attr or edge_type by name, forward(data), or forward(x)"
"""The calls on a graph of one node type, as errors list them."""


CALLS_WITH_TYPES = (
    "forward(x_dict, edge_index_dict), forward(data) with a HeteroData, or forward(x) with the target type"
)
"""The calls on a graph of several node types."""


# Names of the first two arguments; the further ones are passed by name.
FIRST, FIRST_WITH_TYPES = ("x", "edge_index"), ("x_dict", "edge_index_dict")


VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def refuse_unfilled(model: nn.Module, *, several_types: bool) -> None:
    """Refuse a module whose forward has required arguments that no call fills, or arguments in another order.

    Args:
        model: Any module; one without a signature is not checked.
        several_types: Whether the graph has several node types.

    Example:
        >>> refuse_unfilled(nn.Linear(4, 2), several_types=False)
    """
    parameters, name = forward_parameters(model), f"{type(model).__name__}.forward"
    calls, first = (CALLS_WITH_TYPES, FIRST_WITH_TYPES) if several_types else (CALLS, FIRST)
    if not several_types and (found := [one for one in FIRST_WITH_TYPES if one in parameters]):
        raise ModelError(
            f"{name} has the argument {found[0]!r}, but the graph has one node type: a module is called as {calls}."
        )
    if wrong := _misplaced(parameters, first):
        raise ModelError(
            f"{name} has the argument {wrong!r} in another place than the call ({', '.join(parameters)}): change the "
            f"order; a module is called as {calls}."
        )
    filled = _filled(model, parameters, several_types=several_types)
    for argument, one in parameters.items():
        if one.default is Parameter.empty and one.kind not in VARIABLE and argument not in filled:
            raise ModelError(
                f"{name} requires the argument {argument!r}, which no call fills: give it a default, or pass its value "
                f"to the constructor; a module is called as {calls}."
            )


def call_text(inputs: ForwardInputs, values: Collection[str]) -> str:
    """Return the call of a module as an error shows it.

    Args:
        inputs: The arguments that its forward takes.
        values: Names of the values that the edges of the graph have.

    Example:
        >>> call_text(ForwardInputs("edges", ("edge_attr",)), ["edge_attr", "edge_type"])
        'forward(x, edge_index, edge_attr)'
    """
    if inputs.kind in ("data", "hetero data"):
        return "forward(data)"
    if inputs.kind == "features":
        return "forward(x)"
    if inputs.kind == "dicts":
        return "forward(x_dict, edge_index_dict)"
    return f"forward({', '.join([*FIRST, *(name for name in inputs.optional if name in values)])})"


def _misplaced(parameters: Mapping[str, Parameter], first: tuple[str, str]) -> str | None:
    """Return the first argument of a known name whose place in the call is another one."""
    given = [name for name, one in parameters.items() if one.kind in POSITIONAL]
    for name in parameters:
        place = given.index(name) if name in given else -1
        if name in first and place != first.index(name):
            return name
        if name in EDGE_VALUES and 0 <= place < len(first):
            return name
    return None


def _filled(model: nn.Module, parameters: Mapping[str, Parameter], *, several_types: bool) -> set[str]:
    """Return the arguments that get a value."""
    given = [name for name, one in parameters.items() if one.kind in POSITIONAL]
    if forward_inputs(model).kind != "edges":
        return set(given[:1])
    # A further required argument beside a Data: its name decides that it is one.
    if given and takes_data(parameters[given[0]]) and "edge_index" not in given:
        return set(given[:1])
    by_name = [
        one for one in EDGE_VALUES if one in parameters and parameters[one].kind is not Parameter.POSITIONAL_ONLY
    ]
    return set(given[:2]) | set(by_name if not several_types else [])
