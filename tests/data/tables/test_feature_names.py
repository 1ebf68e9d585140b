"""Names of features."""

import pandas as pd

import highwaygraph as hg
from highwaygraph.data.tables.feature_names import feature_names


def test_every_feature_of_a_table_has_a_name(tmp_path) -> None:
    rows = 40
    nodes = pd.DataFrame(
        {
            "id": range(rows),
            "label": ["a", "b"] * (rows // 2),
            "size": [float(i) if i % 7 else None for i in range(rows)],
            "town": ["Ulm", "Bonn"] * (rows // 2),
            "notes": [f"a text with many different words {i} {i + 1} and so on" for i in range(rows)],
        }
    )
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    pd.DataFrame({"source": range(rows - 1), "target": range(1, rows)}).to_csv(tmp_path / "edges.csv", index=False)
    data = hg.load(tmp_path)
    names = feature_names(data.encoders, data.x.size(1))
    assert len(names) == data.x.size(1)
    assert {"size", "size is missing", "town = Ulm", "town = Bonn", "notes, word 0"} <= set(names)
    assert (data.x[:, names.index("town = Ulm")] == 1).tolist() == [True, False] * (rows // 2)
