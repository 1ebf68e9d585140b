"""The graph that all packages share: a PyG Data whose further attributes are declared and typed."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.errors import DataError, did_you_mean, warn_renamed
from highwaygraph.graph.csr import CSR

if TYPE_CHECKING:
    pass

if TYPE_CHECKING:
    from highwaygraph.graph.hetero import OtherTypes  # noqa: F401 (used in the type of an attribute)

T = TypeVar("T")


EDGE_VALUES = ("edge_weight", "edge_attr", "edge_type")
"""Names of the values per edge that a module's forward may take."""


class Attribute(Generic[T]):
    """An optional attribute in the graph's store; it reads as None where it is not set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, graph: None, owner: type) -> "Attribute[T]": ...

    @overload
    def __get__(self, graph: "Graph", owner: type) -> T | None: ...

    def __get__(self, graph: "Graph | None", owner: type) -> "Attribute[T] | T | None":
        if graph is None:
            return self
        value: T | None = graph.get(self.name)
        return value

    def __set__(self, graph: "Graph", value: T | None) -> None:
        graph[self.name] = value


class Graph(Data):
    """A PyG Data with declared attributes; edges are an `edge_index`, a CSR adjacency, or both.

    It behaves as any Data: copies, transforms and loaders of PyG work on it.
    """

    x: Tensor
    """Features, a row per node; memory-mapped where the graph is on disk."""
    y: Tensor
    """Class of every node, -1 where it is unknown; or a row of 0 and 1 per node, a column per label."""
    edge_index: Tensor
    """Edges as PyG lists them; a mapped graph has none (see `has_edge_index`)."""
    edge_weight: Tensor | None
    """Weight of every edge in `edge_index`."""
    edge_attr: Tensor | None
    """Features of every edge in `edge_index`."""
    edge_type = Attribute[Tensor]()
    """Type of every edge in `edge_index`, 0, 1, 2, ..."""
    relations = Attribute[list[str]]()
    """Name of every edge type."""
    num_nodes: int
    train_mask: Tensor
    val_mask: Tensor
    test_mask: Tensor
    ids = Attribute[Sequence[Any]]()
    """The user's own id of every node."""
    classes = Attribute[list[str]]()
    """Name of every class."""
    name = Attribute[str]()
    """Name of the dataset, file or folder."""
    graph_id = Attribute[Tensor]()
    """Number of the graph that every node belongs to, 0, 1, 2, ..., where the data is made of several graphs."""
    hetero = Attribute["OtherTypes"]()
    """The other node types and their relations (`graph.hetero.OtherTypes`), where there are several node types."""
    csr = Attribute[CSR]()
    """Adjacency by target node, without self-loops, for mini-batches and mapped graphs."""
    highway_values = Attribute[dict[str, Tensor]]()
    """Weight, features and type of every highway, where they are fixed by a training graph."""
    highway_csr = Attribute[CSR]()
    """Adjacency of the highways, beside `csr`."""
    weighted_degree = Attribute[Tensor]()
    """In a sampled subgraph, the weighted degree of every node in the whole graph."""
    n_id = Attribute[Tensor]()
    """In a sampled subgraph, the node of the whole graph that every node is."""
    input_id = Attribute[Tensor]()
    """In a mini-batch of PyG's loader, the position of every seed among the loader's nodes."""
    batch_size = Attribute[int]()
    """In a mini-batch of PyG's loader, the number of seeds, which come first."""
    true_label_mask = Attribute[Tensor]()
    """Training nodes with a label of their own, where others have a pseudo-label."""
    folder = Attribute[str]()
    """Folder of the memory-mapped arrays, for a graph on disk."""
    digest = Attribute[str]()
    """Checksum of these arrays."""
    encoders = Attribute[dict[str, Any]]()
    """Encoder of every column that became features, for a graph read from tables."""
    column_roles = Attribute[dict[str, str]]()
    """Column or columns of every role, for a graph read from tables."""
    attributes = Attribute[dict[str, Sequence[Any]]]()
    """First columns of the node table, as reports show them."""
    read_log = Attribute[Any]()
    """How tables were read: the role of every column, and what was left out or merged."""
    scaling = Attribute[Any]()
    """Scaling of the features, learned on the training graph, where fit.features=auto."""
    num_attached = Attribute[int]()
    """Number of new nodes at the end, where nodes were attached to the graph of a run."""

    @property
    def has_edge_index(self) -> bool:
        """Whether the edges are listed in `edge_index`."""
        return "edge_index" in self

    @property
    def is_mapped(self) -> bool:
        """Whether the arrays are memory-mapped from a folder."""
        return self.folder is not None

    @property
    def is_multilabel(self) -> bool:
        """Whether a node may have several labels: `y` has a column per label."""
        return "y" in self and self.y.dim() == 2

    @property
    def has_split(self) -> bool:
        """Whether the graph has a training mask."""
        return "train_mask" in self

    @property
    def reading(self) -> Any:
        """Deprecated: `read_log`."""
        warn_renamed("data.reading", "data.read_log")
        return self.read_log

    @property
    def title(self) -> str:
        """Name of the graph, or `graph` where it has none."""
        return self.name or "graph"


def as_graph(data: Data) -> Graph:
    """Return any PyG Data as a graph: itself, or a shallow copy with the same attributes; refuse any other object."""
    check_one_graph(data)
    return data if isinstance(data, Graph) else Graph.from_dict(data.to_dict())


def check_one_graph(data: object) -> None:
    """Refuse a list of graphs, a HeteroData and anything else that is no graph."""
    if not isinstance(data, Data):
        raise DataError(
            f"One graph is needed, not {type(data).__name__}: call hg.load first, which joins a list of Data and takes "
            "the target type of a HeteroData."
        )


def with_attributes(graph: Graph, names: Sequence[str]) -> Graph:
    """Return the graph with these of its attributes, the user's columns that a run folder and a report show.

    Args:
        graph: A graph, for example one read from tables.
        names: Names of the columns; none to leave out all of them.

    Returns:
        A shallow copy; features, ids and labels are the same.
    """
    known = graph.attributes or {}
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) if known else " The graph has none."
            raise DataError(f"There is no column {name!r} to show.{hint}")
    chosen = copy.copy(graph)
    chosen.attributes = {name: known[name] for name in names} or None
    return chosen
