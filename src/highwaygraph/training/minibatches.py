"""Training by lots: a few labelled nodes at a time, each with drawn surroundings, so that memory follows the lot."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.utils.data import Sampler as Order
from torch_geometric.loader import NodeLoader

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import adjacencies, hops_between
from highwaygraph.nn.batches import Batch, batch_builder, num_neighbors, subgraph_builder
from highwaygraph.nn.features import MappedFeatures
from highwaygraph.runtime.distributed import data_parallel, rank, shard, world_size
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.rng import generator
from highwaygraph.training.batches import (
    BatchModule,
    ConsistencyBatch,
    RoundData,
    RoundInputs,
    TrainingStep,
    ValidationBatch,
    node_weights,
    uses_consistency,
    val_weights,
)
from highwaygraph.training.pairs import BY_DISTANCE, PairTargets, pair_targets, sample_pairs

# Features of validation surroundings that are kept from epoch to epoch; more are drawn again, the same ones.
KEPT = 2**27


# Training nodes all of whose distances are kept; of more, each lot looks for its own.
NEAR = 2**11


class EpochOrder(Order[list[int]]):
    """Every labelled node once an epoch, a lot at a time, with as many unlabelled ones by chance if they are wanted.

    Of several processes each takes its share of one order; the first nodes come twice where it does not come out even.
    """

    def __init__(self, labelled: int, others: int, size: int, seed: int, number: int) -> None:
        self.labelled, self.others, self.size, self.seed, self.number = labelled, others, size, seed, number
        self.each = math.ceil(labelled / world_size())
        # Set before each epoch, which has streams of its own: a training may begin in the middle.
        self.epoch = 0

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.randperm(self.labelled, generator=self._draw("order"))
        own = torch.cat([order, order])[rank() * self.each : (rank() + 1) * self.each]
        chance = self._draw(f"others {rank()}")
        for lot in own.split(self.size):
            count = len(lot) if self.others else 0
            more = torch.randint(max(self.others, 1), (count,), generator=chance).unique()
            yield torch.cat([lot, self.labelled + more]).tolist()

    def __len__(self) -> int:
        return math.ceil(self.each / self.size)

    def _draw(self, purpose: str) -> Generator:
        return generator(self.seed, f"{purpose} {self.number} {self.epoch}")


def minibatch_data(
    model: nn.Module,
    features: MappedFeatures,
    graph: Graph,
    config: Config,
    number: int,
    *,
    setting: RoundInputs | None = None,
) -> RoundData:
    """Return the task of that round, its nodes a lot at a time."""
    setting = setting or RoundInputs()
    device = find_device(config.fit.device)
    val = graph.val_mask.nonzero().flatten()
    lots = _MiniBatches(model, graph, config, number, setting)
    exams = _exams(model, features, graph, val[shard(len(val))], config)
    weights = val_weights(graph.y[val], setting, device)
    return RoundData(lots, exams, weights, config.fit.monitor == "f1", None, data_parallel(BatchModule(model)))


class _MiniBatches:
    """What an epoch's steps learn from, drawn anew whenever it is called."""

    def __init__(self, model: nn.Module, graph: Graph, config: Config, number: int, setting: RoundInputs) -> None:
        self.model, self.graph, self.config, self.setting = model, graph, config, setting
        self.device = find_device(config.fit.device)
        self.train = graph.train_mask.nonzero().flatten()
        self.weights = node_weights(graph.y[self.train], config, self.device)
        self.wide = uses_consistency(config, setting)
        self.number = number
        self.distance = _distance(graph, self.train, config)
        others = (~graph.train_mask).nonzero().flatten() if self.wide else self.train[:0]
        self.order = EpochOrder(len(self.train), len(others), config.fit.batch_size, config.seed, number)
        self.loader = self._loader(torch.cat([self.train, others]))
        self.samplers = [
            NeighborSampler(adjacencies(one), num_neighbors(model, config.fit), config.seed) for one in setting.drawn
        ]

    def __call__(self, epoch: int) -> Iterator[TrainingStep]:
        self.order.epoch = epoch
        self.draw = generator(self.config.seed, f"lots {self.number} {rank()} {epoch}")
        return map(self._lot, self.loader)

    def _loader(self, nodes: Tensor) -> NodeLoader:
        fit, graph = self.config.fit, self.graph
        lean = Graph(x=graph.x, y=graph.y, edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=graph.num_nodes)
        return SubgraphLoader(
            lean,
            NeighborSampler(adjacencies(graph), num_neighbors(self.model, fit), self.config.seed),
            input_nodes=nodes,
            batch_sampler=self.order,
            # A stream of its own: the loader draws seeds that nobody uses.
            generator=generator(self.config.seed, "loader"),
            num_workers=fit.num_workers,
            # Forked workers share the graph; others would be sent a copy.
            multiprocessing_context="fork" if fit.num_workers else None,
        )

    def _lot(self, piece: Graph) -> TrainingStep:
        assert piece.input_id is not None
        places = piece.input_id[piece.input_id < len(self.train)]
        count, look = len(places), subgraph_builder(self.model, piece, self.config.fit)
        labels = piece.y[:count]
        return TrainingStep(
            inputs=look(torch.arange(count)),
            labels=labels.to(self.device),
            weights=None if self.weights is None else self.weights[places],
            pairs=self._pairs(labels, places).to(self.device) if self.config.pairs.weight else None,
            wide=self._look_wide(piece, look, count) if self.wide else None,
        )

    def _look_wide(self, piece: Graph, look: Callable[[Tensor | None], Batch], count: int) -> ConsistencyBatch:
        assert piece.n_id is not None
        assert piece.batch_size is not None
        seeds, shares = torch.arange(piece.batch_size), self.setting.shares
        drawn = []
        if self.samplers:
            chosen = self.samplers[int(torch.randint(len(self.samplers), (), generator=self.draw))]
            other = with_features(chosen.draw(piece.n_id[seeds]), self.graph)
            drawn = [subgraph_builder(self.model, other, self.config.fit)(seeds)]
        shares = None if shares is None else shares.to(self.device)
        return ConsistencyBatch(look(seeds), drawn, shares, seeds[:count], seeds[count:])

    def _pairs(self, labels: Tensor, places: Tensor) -> PairTargets:
        options, count, total = self.config.pairs, len(labels), len(self.train)
        # Of the pairs asked for in all, a lot draws as many as its share of all pairs.
        share = count * max(count - 1, 1) / (total * max(total - 1, 1))
        limit = -(-int(options.limit * share * 2**20) // 2**20) or int(options.limit > 0)
        near = None
        if self.distance is not None:
            near = self.distance[places][:, places]
        elif options.strategy in BY_DISTANCE:
            near = hops_between(self.graph, self.train[places])
        return pair_targets(
            labels, sample_pairs(count, options.strategy, limit, self.draw, near), options.positive_weight
        )


class SubgraphLoader(NodeLoader):  # type: ignore[misc]
    """PyG's loader, with what the sampler knows of the whole graph's edges."""

    def filter_fn(self, out: Any) -> Graph:
        """Return the piece with features, labels and weights."""
        piece: Graph = super().filter_fn(out)
        _, _, piece.weighted_degree, weight = out.metadata
        if weight is not None:
            piece.edge_weight = weight
        return piece


def with_features(piece: Graph, graph: Graph) -> Graph:
    """Return drawn surroundings with the features of their nodes."""
    piece.x, piece.y = graph.x[piece.n_id], graph.y[piece.n_id]
    return piece


def _exams(
    model: nn.Module, features: MappedFeatures, graph: Graph, val: Tensor, config: Config
) -> Callable[[], Iterator[ValidationBatch]]:
    look, device = batch_builder(model, features, graph), find_device(config.fit.device)

    def draw() -> Iterator[ValidationBatch]:
        return (ValidationBatch(look(nodes), graph.y[nodes].to(device)) for nodes in val.split(config.fit.batch_size))

    kept: list[ValidationBatch] = []
    for exam in draw():
        kept.append(exam)
        if sum(one.inputs.x.shape[0] for one in kept) * graph.x.size(1) > KEPT:
            return draw
    return lambda: iter(kept)


def _distance(graph: Graph, train: Tensor, config: Config) -> Tensor | None:
    if not config.pairs.weight or config.pairs.strategy not in BY_DISTANCE or len(train) > NEAR:
        return None
    return hops_between(graph, train)
