"""The encoder of a column of text by a model of texts."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field, PrivateAttr

from highwaygraph.data.tables.column_encoder import ColumnEncoder, Table
from highwaygraph.data.tables.columns import Mask, factorize
from highwaygraph.data.tables.text_models import FUNCTION, Encode, TextModel, open_text_model
from highwaygraph.errors import DataError

# Texts that are encoded at once.
CHUNK = 2**12


# Vectors of the same function differ by rounding between machines.
TOLERANCE = 1e-3


class Embedding(ColumnEncoder):
    """Texts as vectors of a model, which is stored as its name and its digest; missing cells become zeros."""

    kind: Literal["embedding"] = "embedding"
    source: str
    """Name of the model."""
    size: int = Field(ge=1)
    digest: str = ""
    """SHA-256 of the model's files; empty for a function."""
    probe: tuple[float, ...] = ()
    """Vector of a fixed text, for a function."""
    _model: TextModel | None = PrivateAttr(None)

    @classmethod
    def of(cls, model: TextModel) -> "Embedding":
        """Return the encoder of a model."""
        made = cls(source=model.source, size=model.size, digest=model.digest, probe=model.probe)
        made._model = model
        return made

    def using(self, model: TextModel) -> "Embedding":
        """Return this encoder with its model given; refuse another model."""
        near = np.allclose(self.probe, model.probe, TOLERANCE, TOLERANCE) if self._fits(model) else False
        if not near or model.digest != self.digest:
            raise DataError(
                f"The text of this run was encoded by {self.source}, and {model.source} has other weights or returns "
                "other vectors: give the model that it was trained with."
            )
        return Embedding.of(model)

    @property
    def is_function(self) -> bool:
        """Whether the texts were encoded by a function, which is not stored."""
        return self.source.startswith(FUNCTION)

    def opened(self) -> "Embedding":
        """Return this encoder with its model loaded; refuse one whose model is missing or another one."""
        return Embedding.of(self._open())

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write a column per entry of the vectors; a text that occurs often is encoded once."""
        codes, distinct = factorize(column)
        vectors = np.zeros((len(distinct) + 1, self.size), dtype=np.float32)
        model = self._open() if distinct else None
        for start in range(0, len(distinct), CHUNK):
            assert model is not None
            vectors[start : start + CHUNK][: len(distinct) - start] = model.vectors(distinct[start : start + CHUNK])
        # The last row is that of the code -1, a missing cell.
        table[:] = vectors[codes]
        return np.zeros(len(column), dtype=bool)

    @property
    def width(self) -> int:
        """Number of features."""
        return self.size

    def describe(self) -> str:
        """Return a description for the log."""
        return f"text, as {self.size} numbers of {self.source}"

    def _fits(self, model: TextModel) -> bool:
        return (model.size, len(model.probe)) == (self.size, len(self.probe))

    def _open(self) -> TextModel:
        """Return the model, loaded by its name where it was not given."""
        if self._model is not None:
            return self._model
        if self.is_function:
            raise DataError(
                f"The text of this run was encoded by {self.source}: pass that function to hg.load as text_encoder."
            )
        return self.using(open_text_model(self.source))._open()


def with_text_model(encoders: Mapping[str, Any], given: str | Encode) -> dict[str, Any]:
    """Return stored encoders with the model of their texts given.

    Args:
        encoders: The encoders by column.
        given: As for `open_text_model`; it has to be the model that the run was trained with.
    """
    if not any(isinstance(encoder, Embedding) for encoder in encoders.values()):
        raise DataError("The run's graph has no column that a text encoder reads: leave out --text (text_encoder).")
    model = open_text_model(given)
    return {name: one.using(model) if isinstance(one, Embedding) else one for name, one in encoders.items()}


def open_stored_models(encoders: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored encoders with the models of their texts loaded; functions are not stored and stay missing."""
    return {
        name: one.opened() if isinstance(one, Embedding) and not one.is_function else one
        for name, one in encoders.items()
    }
