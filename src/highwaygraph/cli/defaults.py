"""Choices of `highway train` where the user has made none: the network, and folds or one split."""

from highwaygraph.cli import loading
from highwaygraph.config import Config, FoldChoice, Network, SplitChoice
from highwaygraph.data.tables.read_log import counted
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.folds import all_labels, labelled_nodes, possible_folds, refuse_one_class
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import HETERO, network_for
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.options import override
from highwaygraph.runtime.distributed import world_size
from highwaygraph.runtime.progress import stderr
from highwaygraph.training.sized_config import with_size


def default_network(network: Network, data: Graph, config: Config) -> Network:
    """Return the options of the network; where none is named, it is chosen on validation.

    A preset whose answer is not chosen among candidates trains a GCN, as the paper does. So does a graph that is
    trained in mini-batches, because the choice takes several trainings, and one with several labels per node.

    Args:
        network: The options of the network.
        data: The graph.
        config: All options.

    Returns:
        The options, with `auto` as their model where the network is to be chosen.
    """
    network = network_of_types(network, data)
    is_chosen = "model" not in network.model_fields_set and config.select.typical and not data.is_multilabel
    if not is_chosen or data.is_mapped or world_size() > 1 or _in_minibatches(data, network, config):
        return network
    return override(network, {"model": "auto"})


def network_of_types(network: Network, data: Graph) -> Network:
    """Return the options of the network; for several node types, where none is named, of the one made for them.

    Args:
        network: The options of the network.
        data: The graph.
    """
    if data.hetero is None or "model" in network.model_fields_set:
        return network
    target, others = data.hetero.target, ", ".join(data.hetero.x)
    sentence = f"Several node types: the network {HETERO} classifies the nodes of type {target} and reads {others} too."
    stderr.print(sentence, soft_wrap=True)
    return override(network, {"model": HETERO})


def choose_nodes(
    data: Graph, folds: FoldChoice, split: SplitChoice, network: Network, config: Config
) -> tuple[Graph, int]:
    """Return the graph with its split and 0, or the graph whose labels are divided into folds and their number.

    Args:
        data: The graph; it may have a split.
        folds: The options on folds.
        split: The options on the split.
        network: The network.
        config: All options.
    """
    if not data.is_multilabel:
        refuse_one_class(data, data.y[data.y >= 0])
    number = choose_folds(data, folds, split, network, config)
    if not number:
        return loading.choose_split(data, split), 0
    graph = loading.choose_labels(data, split)
    return graph, lower_folds(graph, number)


def choose_folds(data: Graph, folds: FoldChoice, split: SplitChoice, network: Network, config: Config) -> int:
    """Return the number of folds after which all labels train, printing a choice that the user has not made.

    Folds are the default for a graph without a split where no option requires one, because a split would leave most
    labels to validation and test. A graph that is trained in mini-batches is split: folds would take several times as
    long, and such a graph has labels enough. Folds do not support several labels per node.

    Args:
        data: The graph; it may have a split.
        folds: The options on folds.
        split: The options on the split.
        network: The network.
        config: All options.

    Returns:
        The number of folds; 0 for a training on one split.
    """
    is_refused = "refit" in folds.model_fields_set and not folds.refit
    if is_refused and split.val == 0:
        raise ConfigError("--val 0 leaves no validation nodes, which --no-refit needs: leave out one of the two.")
    if folds.refit or split.val == 0:
        return folds.folds
    is_given = is_refused or bool(split.model_fields_set) or data.has_split
    if is_given or data.is_mapped or data.is_multilabel or world_size() > 1:
        return 0
    number = possible_folds(data, folds.folds)
    if not number or _in_minibatches(data, network, config):
        return 0
    fewer = f", the most that the labels allow instead of {folds.folds}" if number < folds.folds else ""
    stderr.print(
        f"No split is given: the scores come from {number} folds{fewer}, then all {len(labelled_nodes(data)):,} labels "
        "train (--no-refit holds out validation and test nodes instead).", soft_wrap=True)  # fmt: skip
    return number


def lower_folds(data: Graph, folds: int) -> int:
    """Return the number of folds, lowered to what the labels allow, printing the change.

    Args:
        data: The graph whose training and validation nodes, or all labelled nodes, are divided.
        folds: The wanted number of folds.

    Returns:
        The number of folds; graphs without any possible folds are refused.
    """
    labels = data.y[labelled_nodes(data)]
    number = possible_folds(data, folds)
    largest = int(labels.bincount().max()) if len(labels) else 0
    shown = f"{counted(len(labels), 'labels')} to train on, at most {largest} of a class"
    if not number:
        raise DataError(
            f"{shown}, are too few for folds, which need three of a class and two of another: label more nodes, raise "
            "--train where it is given, or leave out --refit and --val 0."
        )
    if number < folds:
        stderr.print(f"{number} folds instead of {folds}: there are {shown}.", soft_wrap=True)
    return number


def _in_minibatches(data: Graph, network: Network, config: Config) -> bool:
    built = override(network, {"model": "gcn"}) if network.is_auto else network
    graph = with_scaling(all_labels(data), config.fit)
    return with_size(network_for(built, graph), graph, config, shown=False).fit.labels_per_batch > 0
