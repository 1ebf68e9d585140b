"""The base of the encoders of columns."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highwaygraph.data.tables.columns import Floats, is_gap, tidy
from highwaygraph.options import Options

Table = NDArray[np.float32]


class Encoded(NamedTuple):
    """The features of a column, and the cells that hold something the encoder cannot read."""

    features: Table
    unreadable: NDArray[np.bool_]


class ColumnEncoder(Options, ABC):
    """Encoder of one column."""

    unreadable: ClassVar[str] = "cells of {name} that cannot be read"
    """Description of cells that hold something the encoder cannot read."""

    @abstractmethod
    def read(self, column: pd.Series) -> Encoded:
        """Return the features of a column, and its unreadable cells."""

    def encode(self, column: pd.Series) -> Table:
        """Return the features of a column."""
        return self.read(tidy(column)).features

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of features."""


class Marked(ColumnEncoder):
    """One value per cell; missing ones become 0 and, if there were any, are marked in a second column."""

    missing: bool

    @property
    def width(self) -> int:
        """Number of features."""
        return 1 + self.missing

    def marked(self, values: Floats, column: pd.Series, mean: float = 0, scale: float = 1) -> Encoded:
        """Return the values of a column, shifted and scaled, and its cells that are not missing but have none."""
        unknown = np.isnan(values)
        finite = np.where(np.isfinite(values), (values - mean) / scale, 0)
        columns = [finite, ~np.isfinite(values)] if self.missing else [finite]
        # A number beyond float32 becomes infinite, and is refused with the features.
        with np.errstate(over="ignore"):
            features = np.stack(columns, axis=1).astype(np.float32)
        return Encoded(features, unknown & ~is_gap(column) if unknown.any() else unknown)


class Scaled(Marked):
    """Values shifted and scaled."""

    mean: float
    scale: float

    def scaled(self, values: Floats, column: pd.Series) -> Encoded:
        """Return one or two columns."""
        return self.marked(values, column, self.mean, self.scale)
