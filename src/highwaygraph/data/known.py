"""What one graph teaches about reading another: how its columns became features, and its classes."""

from typing import TYPE_CHECKING, NamedTuple

from torch_geometric.data import Data

if TYPE_CHECKING:
    from highwaygraph.data.encoders import Encoder


class Known(NamedTuple):
    """The encoders by column, the classes in their order, and the graph itself where new nodes are to join it."""

    encoders: "dict[str, Encoder]"
    classes: list[str]
    beside: Data | None = None
