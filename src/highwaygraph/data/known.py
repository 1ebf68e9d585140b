"""What one graph teaches about reading another: how its columns became features, and its classes."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from highwaygraph.data.encoders import Encoder


class Known(NamedTuple):
    """The encoders by column, and the classes in their order."""

    encoders: "dict[str, Encoder]"
    classes: list[str]
