"""A table of nodes: the rows that are kept, and the columns that become features."""

import pandas as pd
import pytest

from highwaygraph.data.tables.encoders import Number
from highwaygraph.data.tables.nodes import FeatureEncoder, encode_features, feature_columns, infer_encoders, read_keys
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError

NODES = pd.DataFrame(
    {"id": ["a", None, "b", "a"], "label": ["x", "y", "", "x"], "size": [1.0, 2.0, 4.0, 8.0], "highway_class": "x"}
)
ROLES = ColumnRoles("id", "label", "")


def test_rows_without_an_id_and_repeated_ids_are_left_out_and_noted() -> None:
    log = ReadLog()
    keys = read_keys(NODES, ROLES, None, log)
    assert (keys.ids, keys.kept.tolist()) == (["a", "b"], [True, False, True, False])
    assert (keys.y.tolist(), keys.classes) == ([0, -1], ["x"])
    assert [finding.count for finding in log.findings] == [1, 1]


def test_roles_and_the_output_of_a_run_are_no_features() -> None:
    assert feature_columns(list(NODES.columns), ROLES) == ["size"]


def test_a_trained_column_has_to_be_there() -> None:
    encoders = infer_encoders(NODES, ROLES, ReadLog())
    features = encode_features(NODES, encoders, ReadLog())
    assert features is not None
    assert features.shape == (4, 1)
    with pytest.raises(DataError, match="lack columns that the model was trained with: 'size'"):
        encode_features(NODES.drop(columns="size"), encoders, ReadLog())


def test_cells_that_an_encoder_cannot_read_are_counted() -> None:
    column = pd.DataFrame({"size": ["1", "2", "NA", "many", "more"]}).apply(tidy)
    encoder = FeatureEncoder({"size": Number(mean=0, scale=1, missing=True)})
    features = encoder.apply(column)
    assert features is not None
    assert features[:, 0].tolist() == [1, 2, 0, 0, 0]
    encoder.apply(column)
    encoder.report(log := ReadLog())
    assert str(log.findings[0]) == "4 words in the column 'size' of numbers (many, more, many, ...): encoded as missing"
