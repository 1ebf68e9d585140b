import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from torch import nn

import highwaygraph as hg
from highwaygraph.config import Network
from highwaygraph.nn.factory import HETERO, NETWORKS, build_network, network_for, network_of
from tests.helpers.library import library

SOURCE = Path(hg.__file__).parent
# The value checks its own options, and the factory maps names to classes.
ALLOWED = {"network_options.py", "nn/factory.py"}


def test_every_name_has_a_class_of_its_own() -> None:
    assert {*NETWORKS, HETERO, "auto"} == set(get_args(Network.model_fields["model"].annotation))
    assert len(set(NETWORKS.values())) == len(NETWORKS)
    for name, network in NETWORKS.items():
        assert type(build_network(Network(model=name, hidden=8), 5, 3)) is network


def test_build_documents_every_network() -> None:
    assert all(f"- `{name}`:" in hg.models.build.__doc__ for name in (*NETWORKS, HETERO))


def test_options_are_those_of_any_built_in_network() -> None:
    data = hg.load(library(30))
    for name in ("gcn", HETERO):
        options = Network(model=name, hidden=8)
        assert network_of(network_for(options, data)) == options
    assert network_of(nn.Linear(2, 2)) is None


def test_no_other_module_branches_on_the_name_of_a_network() -> None:
    places = {str(path.relative_to(SOURCE)): branches(path.read_text()) for path in SOURCE.rglob("*.py")}
    assert {place: lines for place, lines in places.items() if lines and place not in ALLOWED} == {}


def test_branches_are_found() -> None:
    assert branches("if network.model == 'gcn': pass") == [1]
    assert branches("x = 1 if 'gat' != self.network.model else 2") == [1]
    assert branches("\nmatch network.model:\n    case 'gcn': pass") == [2]
    assert branches("if name in ('gcn', 'sage'): pass") == [1]
    assert branches("if 'gat' == name: pass") == [1]
    assert branches("print(f'{network.model}')\nif model.network == other: pass") == []


def branches(source: str) -> list[int]:
    """Return the lines that compare something with a network's name, or match or compare `network.model`."""
    compared: Iterator[tuple[int, list[ast.expr]]] = (
        (node.lineno, [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.subject])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare | ast.Match)
    )
    return [line for line, parts in compared if any(_is_model(part) or _is_name(part) for part in parts)]


def _is_model(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node).endswith("network.model")


def _is_name(node: ast.expr) -> bool:
    names = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return any(isinstance(name, ast.Constant) and name.value in NETWORKS for name in names)
