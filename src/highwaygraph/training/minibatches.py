"""Mini-batches of labelled nodes with neighbour sampling: memory grows with the batch, not with the graph."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.utils.data import Sampler
from torch_geometric.loader import NodeLoader

from highwaygraph.config import Config, Fit
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import adjacencies, hops_between
from highwaygraph.nn.batches import ModelBatch, batch_builder, compute_logits, num_neighbors, subgraph_builder
from highwaygraph.nn.features import MappedFeatures
from highwaygraph.runtime.distributed import data_parallel, rank, shard, world_size
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.rng import generator
from highwaygraph.training.batches import Batch, RoundData, Views, uses_consistency, val_weights
from highwaygraph.training.pairs import BY_DISTANCE, PairTargets, sample_pairs
from highwaygraph.training.targets.choose import target_of

# Validation batches with up to this many feature values are cached; more are sampled again in every epoch.
MAX_CACHED_VALUES = 2**27


# Where the mini-batches of an epoch are limited: validation nodes, evenly sampled, and their mini-batches.
MAX_VAL_NODES, VAL_BATCH = 2**11, 2**9


# Distances between up to this many training nodes are computed once; of more, per mini-batch.
MAX_DISTANCE_NODES = 2**11


# The names of random streams decide the results and never change.
ORDER, UNLABELLED, BATCHES, LOADER = "order", "others", "lots", "loader"  # glossary: stream name


class EpochOrder(Sampler[list[int]]):
    """Batch sampler: every labelled node once an epoch, with as many random unlabelled nodes where there are any.

    Several processes share one order; the first nodes occur twice where it does not divide evenly. With max_batches,
    an epoch ends after so many mini-batches, and the next one has an order of its own.
    """

    def __init__(self, labelled: int, unlabelled: int, fit: Fit, seed: int, number: int) -> None:
        self.labelled, self.unlabelled, self.seed, self.number = labelled, unlabelled, seed, number
        self.size, per_rank = fit.labels_per_batch, math.ceil(labelled / world_size())
        self.per_rank = min(per_rank, fit.max_batches * self.size) if fit.max_batches else per_rank
        # Set before each epoch. Every epoch has streams of its own: a resumed run starts in the middle.
        self.epoch = 0

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.randperm(self.labelled, generator=self._generator(ORDER))
        own = torch.cat([order, order])[rank() * self.per_rank : (rank() + 1) * self.per_rank]
        rng = self._generator(f"{UNLABELLED} {rank()}")
        for nodes in own.split(self.size):
            count = len(nodes) if self.unlabelled else 0
            more = torch.randint(max(self.unlabelled, 1), (count,), generator=rng).unique()
            yield torch.cat([nodes, self.labelled + more]).tolist()

    def __len__(self) -> int:
        return math.ceil(self.per_rank / self.size)

    def _generator(self, purpose: str) -> Generator:
        return generator(self.seed, f"{purpose} {self.number} {self.epoch}")


def minibatch_data(
    model: nn.Module,
    features: MappedFeatures,
    graph: Graph,
    config: Config,
    number: int,
    *,
    views: Sequence[Graph] = (),
    prior: Tensor | None = None,
    votes: Tensor | None = None,
) -> RoundData:
    """Return the data of a round that trains in mini-batches.

    Args:
        model: The model of the round.
        features: The features, read per mini-batch.
        graph: The graph of the round, with a CSR adjacency.
        config: All options.
        number: The round, counted from 1.
        views: Graphs with highways for the consistency step.
        prior: The estimated class prior.
        votes: Logits that votes add to the consistency targets, for every node.

    Returns:
        The round data of this process.
    """
    device, val = find_device(config.fit.device), _val_nodes(graph, config.fit)
    return RoundData(
        batches=_MiniBatches(model, graph, config, number, views, votes=votes),
        val_batches=_val_batches(model, features, graph, val[shard(len(val))], config),
        forward=data_parallel(_Forward(model)),
        prior=None if prior is None else prior.to(device),
        val_weights=val_weights(graph.y[val], prior, device),
        target=target_of(graph),
    )


class _Forward(nn.Module):
    """The model as a module that takes a model batch, for torch's DistributedDataParallel."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: ModelBatch, visible: Tensor | None = None) -> Tensor:
        return compute_logits(self.model, inputs, visible)


class _MiniBatches:
    """The mini-batches of an epoch, sampled anew at every call."""

    def __init__(
        self,
        model: nn.Module,
        graph: Graph,
        config: Config,
        number: int,
        views: Sequence[Graph],
        *,
        votes: Tensor | None,
    ) -> None:
        self.model, self.graph, self.config, self.number, self.votes = model, graph, config, number, votes
        self.device = find_device(config.fit.device)
        self.train = graph.train_mask.nonzero().flatten()
        self.weights = target_of(graph).node_weights(graph.y[self.train], config, self.device)
        self.consistency = uses_consistency(config, views)
        self.distance = _distance(graph, self.train, config)
        unlabelled = (~graph.train_mask).nonzero().flatten() if self.consistency else self.train[:0]
        self.order = EpochOrder(len(self.train), len(unlabelled), config.fit, config.seed, number)
        self.loader = self._loader(torch.cat([self.train, unlabelled]))
        self.samplers = [self._sampler(view) for view in views]

    def __call__(self, epoch: int) -> Iterator[Batch]:
        self.order.epoch = epoch
        self.rng = generator(self.config.seed, f"{BATCHES} {self.number} {rank()} {epoch}")
        return map(self._batch, self.loader)

    def _sampler(self, graph: Graph) -> NeighborSampler:
        return NeighborSampler(adjacencies(graph), num_neighbors(self.model, self.config.fit), self.config.seed)

    def _loader(self, nodes: Tensor) -> NodeLoader:
        fit, graph = self.config.fit, self.graph
        lean = Graph(x=graph.x, y=graph.y, edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=graph.num_nodes)
        return SubgraphLoader(
            lean,
            self._sampler(graph),
            input_nodes=nodes,
            batch_sampler=self.order,
            # A stream of its own: the loader draws seeds for its workers, which nothing uses.
            generator=generator(self.config.seed, LOADER),
            num_workers=fit.num_workers,
            # Forked workers share the graph; spawned ones would each receive a copy.
            multiprocessing_context="fork" if fit.num_workers else None,
        )

    def _batch(self, subgraph: Graph) -> Batch:
        assert subgraph.input_id is not None
        places = subgraph.input_id[subgraph.input_id < len(self.train)]
        subgraph.scaling = self.graph.scaling
        count, build = len(places), subgraph_builder(self.model, subgraph, self.config.fit)
        labels = subgraph.y[:count]
        return Batch(
            inputs=build(torch.arange(count)),
            labels=labels.to(self.device),
            weights=None if self.weights is None else self.weights[places],
            pairs=self._pairs(labels, places).to(self.device) if self.config.pairs.weight else None,
            views=self._views(subgraph, build, count) if self.consistency else None,
        )

    def _views(self, subgraph: Graph, build: Callable[[Tensor | None], ModelBatch], count: int) -> Views:
        assert subgraph.n_id is not None
        assert subgraph.batch_size is not None
        seeds, augmented = torch.arange(subgraph.batch_size), []
        if self.samplers:
            sampler = self.samplers[int(torch.randint(len(self.samplers), (), generator=self.rng))]
            view = with_features(sampler.draw(subgraph.n_id[seeds]), self.graph)
            augmented = [subgraph_builder(self.model, view, self.config.fit)(seeds)]
        votes = None if self.votes is None else self.votes[subgraph.n_id[seeds[count:]]].to(self.device)
        return Views([build(seeds), *augmented], seeds[:count], seeds[count:], votes)

    def _pairs(self, labels: Tensor, places: Tensor) -> PairTargets:
        options, count, total = self.config.pairs, len(labels), len(self.train)
        # A mini-batch samples the fraction of `limit` that its pairs are of all pairs.
        fraction = count * max(count - 1, 1) / (total * max(total - 1, 1))
        limit = -(-int(options.limit * fraction * 2**20) // 2**20) or int(options.limit > 0)
        distance = None
        if self.distance is not None:
            distance = self.distance[places][:, places]
        elif options.strategy in BY_DISTANCE:
            distance = hops_between(self.graph, self.train[places])
        pairs = sample_pairs(count, options.strategy, limit, self.rng, distance)
        return target_of(self.graph).pair_targets(labels, pairs, options.positive_weight)


class SubgraphLoader(NodeLoader):  # type: ignore[misc]
    """PyG's loader; its subgraphs keep the degrees and the values per edge of the whole graph."""

    def filter_fn(self, out: Any) -> Graph:
        """Return the sampled subgraph with features, labels and values per edge."""
        subgraph: Graph = super().filter_fn(out)
        _, _, subgraph.weighted_degree, values = out.metadata
        subgraph.update(values)
        return subgraph


def with_features(subgraph: Graph, graph: Graph) -> Graph:
    """Return a sampled subgraph with the features and labels of its nodes."""
    subgraph.x, subgraph.y = graph.x[subgraph.n_id], graph.y[subgraph.n_id]
    subgraph.scaling = graph.scaling
    return subgraph


def _val_batches(
    model: nn.Module, features: MappedFeatures, graph: Graph, val: Tensor, config: Config
) -> Callable[[], Iterator[Batch]]:
    build, device = batch_builder(model, features, graph), find_device(config.fit.device)
    size = max(config.fit.labels_per_batch, VAL_BATCH if config.fit.max_batches else 1)

    def sample() -> Iterator[Batch]:
        return (Batch(build(nodes), graph.y[nodes].to(device)) for nodes in val.split(size) if len(nodes))

    cached: list[Batch] = []
    for batch in sample():
        cached.append(batch)
        if sum(one.inputs.x.shape[0] for one in cached) * graph.x.size(1) > MAX_CACHED_VALUES:
            # Sampled again from a fixed seed, they are the same in every epoch.
            return sample
    return lambda: iter(cached)


def _val_nodes(graph: Graph, fit: Fit) -> Tensor:
    """Return the validation nodes of every epoch; short epochs have a sample, or validation would be all the work."""
    val = graph.val_mask.nonzero().flatten()
    return val[:: math.ceil(len(val) / MAX_VAL_NODES)] if fit.max_batches and len(val) else val


def _distance(graph: Graph, train: Tensor, config: Config) -> Tensor | None:
    if not config.pairs.weight or config.pairs.strategy not in BY_DISTANCE or len(train) > MAX_DISTANCE_NODES:
        return None
    return hops_between(graph, train)
