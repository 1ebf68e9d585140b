"""Room for the large tables of an answer, kept from one answer to the next."""

import torch
from jaxtyping import Float
from torch import Tensor


class Desk:
    """Tables by name, each in the memory of the last one so called: new memory costs more time than to fill it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[str, Tensor] = {}

    def table(self, name: str, rows: int, width: int) -> Float[Tensor, "n d"]:
        """Return a table with anything in it; what was called so before is overwritten with it."""
        flat = self._kept.get(name)
        if flat is None or len(flat) < rows * width:
            # Let go of first, so that both are never held.
            self._kept[name] = torch.empty(0)
            flat = self._kept[name] = torch.empty(rows * width)
        return flat[: rows * width].view(rows, width)
