"""Tables written to databases in one transaction."""

from typing import Any

import pyarrow as pa

from highwaygraph.data.databases.address import Address
from highwaygraph.data.databases.connect import connect
from highwaygraph.data.databases.connection import find_table
from highwaygraph.errors import DataError

# Columns of an earlier prediction, which may be replaced.
OUTPUT = {"id", "class", "confidence"}


# Those of several labels per node; there is no other column than a probability per label, whose name begins with p_.
LABELS, LABELS_MORE = {"id", "labels"}, {"known", "part", "hops"}


def write_table(columns: dict[str, list[Any]], address: Address, table: str, *, replace: bool = False) -> None:
    """Write a table of predictions to a database; all rows are written, or none.

    Args:
        columns: The values by column.
        address: The database; a file that does not exist is created.
        table: Name of the table, possibly as SCHEMA.TABLE.
        replace: Replace an earlier prediction of this name; any other table is refused.
    """
    rows = pa.table({name: _array(values) for name, values in columns.items()})
    with connect(address, write=True) as connection:
        found = find_table(table, connection.tables())
        if found is not None:
            if not replace:
                raise DataError(
                    f"The table {table!r} exists in {address}: choose another name, or replace it with --force."
                )
            names = set(connection.read(f"SELECT * FROM {found} LIMIT 0").read_all().schema.names)
            if not _is_prediction(names):
                raise DataError(f"The table {table!r} in {address} is no earlier prediction: choose another name.")
            connection.drop(found)
        connection.create(table, rows)


def _is_prediction(names: set[str]) -> bool:
    probabilities = names - LABELS - LABELS_MORE
    of_labels = names >= LABELS and bool(probabilities) and all(name.startswith("p_") for name in probabilities)
    return names >= OUTPUT or of_labels


def _array(values: list[Any]) -> pa.Array:
    found = pa.array(values)
    # Only numbers of hops may all be missing.
    return found.cast(pa.int64()) if pa.types.is_null(found.type) else found
