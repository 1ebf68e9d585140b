"""The base of the encoders of columns."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highwaygraph.data.tables.columns import Floats, Mask, is_gap
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.options import Options

Table = NDArray[np.float32]


class Encoded(NamedTuple):
    """The features of a column, and the cells that hold something the encoder cannot read."""

    features: Table
    unreadable: Mask


class ColumnEncoder(Options, ABC):
    """Encoder of one column."""

    unreadable: ClassVar[str] = "cells of {name} that cannot be read"
    """Description of cells that hold something the encoder cannot read."""

    @abstractmethod
    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write the features of a column into a table of zeros, and return its unreadable cells."""

    def read(self, column: pd.Series) -> Encoded:
        """Return the features of a column, and its unreadable cells."""
        table = np.zeros((len(column), self.width), dtype=np.float32)
        return Encoded(table, self.write(column, table))

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

    def mark(self, values: Floats, column: pd.Series, table: Table, mean: float = 0, scale: float = 1) -> Mask:
        """Write the values of a column, shifted and scaled; return its cells that are not missing but have none."""
        finite, unknown = np.isfinite(values), np.isnan(values)
        # A number beyond float32 becomes infinite, and is refused with the features.
        with np.errstate(over="ignore"):
            table[:, 0] = np.where(finite, (values - mean) / scale, 0)
        if self.missing:
            table[:, 1] = ~finite
        return unknown & ~is_gap(column) if unknown.any() else unknown


class Scaled(Marked):
    """Values shifted and scaled."""

    mean: float
    scale: float

    def write_scaled(self, values: Floats, column: pd.Series, table: Table) -> Mask:
        """Write one or two columns."""
        return self.mark(values, column, table, self.mean, self.scale)
