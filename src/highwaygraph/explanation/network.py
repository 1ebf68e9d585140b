"""The network of a run as explanations use it: a copy on the CPU, and the graph that it predicts on."""

import copy
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from highwaygraph.config import Fit
from highwaygraph.errors import ModelError
from highwaygraph.explanation.receptive_field import Field, ball, induced_subgraph
from highwaygraph.graph.csr import CSR
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import undirected_adjacencies, with_csr
from highwaygraph.nn.batches import batch_builder, evaluate, own_inputs, predict_logits
from highwaygraph.nn.features import prepare_features, scale_features
from highwaygraph.nn.functional import shift_logits
from highwaygraph.nn.gnn import GNN
from highwaygraph.runs.history import ROUND, TYPICAL
from highwaygraph.runs.open import MissingModule
from highwaygraph.runs.result import Result

# Largest difference of logits, relative to the largest logit, at which two computations count as equal.
TOLERANCE = 3e-5


# Edges of a hop beyond which neighbours are sampled, for runs in mini-batches.
MOST_EDGES = 2**18


# First radius that is tried for a user's own module, whose number of layers is not known.
OWN_RADIUS = 3


class NetworkView(NamedTuple):
    """The network of a run with its inputs."""

    model: nn.Module
    """A copy on the CPU, for evaluation."""
    graph: Graph
    """The graph that the network predicts on; its features are not scaled."""
    parts: list[CSR]
    """Adjacencies with both directions of every edge."""
    logits: Float[Tensor, "n c"]
    """The network's logits of all nodes, without the shift of a threshold."""
    fit: Fit
    """Options of the run, for the CPU."""
    is_sampled: bool
    """Whether predictions use sampled neighbours: a user's own module in mini-batches."""

    @property
    def unscaled(self) -> Fit:
        """Options for features that are scaled already."""
        return self.fit.model_copy(update={"features": "raw", "factor": 1.0, "batch_size": 0})


def network_view(result: Result) -> NetworkView:
    """Return the network of a run with its inputs.

    Args:
        result: A finished run whose network has a part in the answer.

    Returns:
        The view; logits of all nodes are computed again unless the run holds them.
    """
    if isinstance(result.model, MissingModule):
        name = result.model.name
        raise ModelError(
            f"This run trained your own module {name}: explain it in Python, "
            f"hg.explain(hg.open_run(path, model={name}(...)), id)."
        )
    model = copy.deepcopy(result.model).cpu().eval()
    has_highways = result.config.highway.predict == "highways" and result.answer != TYPICAL
    graph = result.graph if has_highways else result.data
    fit = result.config.fit.model_copy(update={"device": "cpu"})
    is_sampled = bool(fit.labels_per_batch) and not isinstance(model, GNN)
    view = NetworkView(model, graph, undirected_adjacencies(graph), torch.empty(0, 0), fit, is_sampled)
    if result.answer in (ROUND, TYPICAL):
        return view._replace(logits=shift_logits(result.logits, -result.threshold_shift))
    inputs = own_inputs(model, prepare_features(model, batched_graph(view), fit), batched_graph(view))
    return view._replace(logits=predict_logits(model, *inputs).cpu())


def batched_graph(view: NetworkView) -> Graph:
    """Return the graph with a CSR adjacency where the run is in mini-batches."""
    return with_csr(view.graph) if view.fit.labels_per_batch else view.graph


def receptive_field(view: NetworkView, node: int) -> Field:
    """Return a subgraph around a node on which the network gives the same logits as on the whole graph.

    The subgraph has one hop more than the network, because degrees of the outermost nodes are too low. The radius grows
    until the logits of the node are those of the whole graph. Of a run in mini-batches, large subgraphs are sampled,
    and the logits are approximate.

    Args:
        view: The network.
        node: The node.

    Returns:
        The subgraph.
    """
    is_batched = bool(view.fit.labels_per_batch) or not view.graph.has_edge_index
    radius = view.model.num_hops + 1 if isinstance(view.model, GNN) else _own_radius(view)
    size = 0
    while True:
        found = ball(view.parts, node, radius, MOST_EDGES if is_batched else None)
        if not is_batched and (2 * len(found.nodes) > view.graph.num_nodes or len(found.nodes) == size):
            return _whole(view, node)
        field = Field(_scaled(view, found.nodes), found.nodes, found.hops, 0, is_whole=False, is_exact=False)
        if _is_exact(view, field, node):
            return field._replace(is_exact=found.is_complete and not view.is_sampled)
        if is_batched and (view.is_sampled or not found.is_complete or len(found.nodes) == size):
            return field
        size, radius = len(found.nodes), radius + 1


def _own_radius(view: NetworkView) -> int:
    return len(view.fit.num_neighbors) + 1 if view.is_sampled else OWN_RADIUS


def _whole(view: NetworkView, node: int) -> Field:
    nodes = torch.arange(view.graph.num_nodes)
    reached = ball(view.parts, node, view.graph.num_nodes, None)
    hops = torch.full((view.graph.num_nodes,), -1)
    hops[reached.nodes] = reached.hops
    return Field(_scaled(view, nodes), nodes, hops, node, is_whole=True, is_exact=True)


def _scaled(view: NetworkView, nodes: Tensor) -> Graph:
    graph = induced_subgraph(view.graph, nodes)
    graph.x = scale_features(graph.x, view.fit, view.graph.scaling)
    return graph


def _is_exact(view: NetworkView, field: Field, node: int) -> bool:
    features = prepare_features(view.model, field.graph, view.unscaled)
    inputs = own_inputs(view.model, features, field.graph)
    found = evaluate(view.model, batch_builder(view.model, *inputs)(torch.tensor([field.target])))[0]
    wanted = view.logits[node]
    return bool((found - wanted).abs().max() <= TOLERANCE * max(1.0, float(wanted.abs().max())))
