"""Members of a result under their names of version 0.1, accepted until version 0.3."""

from typing import Any

from highwaygraph.errors import warn_renamed
from highwaygraph.runs.history import Baseline, HighwayTable


class RenamedMembers:
    """The earlier names; each warns and returns the member of the present name."""

    best_round: int
    baseline: Baseline | None
    highway_table: HighwayTable
    with_baseline: Any
    schema: Any
    edge_list: Any

    @property
    def roads(self) -> HighwayTable:  # glossary: name of version 0.1
        """Deprecated: `highway_table`."""
        warn_renamed("Result.roads", "Result.highway_table")  # glossary: name of version 0.1
        return self.highway_table

    @property
    def kept(self) -> int:  # glossary: name of version 0.1
        """Deprecated: `best_round`, which counts from 1."""
        warn_renamed("Result.kept", "Result.best_round (counted from 1)")  # glossary: name of version 0.1
        return self.best_round - 1

    @property
    def typical(self) -> Baseline | None:
        """Deprecated: `baseline`."""
        warn_renamed("Result.typical", "Result.baseline")
        return self.baseline

    def beside(self, typical: Any) -> Any:  # glossary: name of version 0.1
        """Deprecated: `with_baseline`."""
        warn_renamed("Result.beside", "Result.with_baseline")  # glossary: name of version 0.1
        return self.with_baseline(typical)

    def known(self, *, attach: bool = False) -> Any:  # glossary: name of version 0.1
        """Deprecated: `schema`."""
        warn_renamed("Result.known", "Result.schema")  # glossary: name of version 0.1
        return self.schema(attach=attach)

    def listed(self) -> Any:  # glossary: name of version 0.1
        """Deprecated: `edge_list`."""
        warn_renamed("Result.listed", "Result.edge_list")  # glossary: name of version 0.1
        return self.edge_list()
