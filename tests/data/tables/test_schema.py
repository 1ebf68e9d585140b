"""The schema by which another table is read like the first."""

from pathlib import Path

import highwaygraph as hg
from highwaygraph.data.tables.schema import IDS, LABELS, SPLITS, ColumnRoles

PAPERS = Path(__file__).parents[2] / "fixtures/v0_1_0/papers"


def test_usual_names_of_columns_do_not_overlap() -> None:
    assert len({*IDS, *LABELS, *SPLITS}) == len(IDS) + len(LABELS) + len(SPLITS)
    assert not any(ColumnRoles())


def test_a_run_hands_its_encoders_and_classes_on() -> None:
    data = hg.split(hg.load(PAPERS), train=3, val=3, seed=0, small_classes="share")
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
    result = hg.train(hg.models.build("gcn", data, hidden=4), data, config, seed=0)
    schema = result.schema()
    assert schema.encoders == data.encoders
    assert schema.classes == data.classes
    again = hg.load(PAPERS, schema=schema)
    assert again.x.equal(data.x)
