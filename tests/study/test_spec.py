import pytest

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError
from highwaygraph.options import dotted, override
from highwaygraph.presets import PRESETS
from highwaygraph.study.spec import (
    OTHERS,
    SHIPPED,
    SplitSizes,
    Study,
    cell_key,
    cells,
    options,
    preset_config,
    read_study,
    shipped_studies,
    split_sizes,
)
from highwaygraph.study.tables.generate import TABLES

ZOO = [
    f"zoo/{name}"
    for name in (
        *("acm", "actor", "airport", "amazon_photo", "blogcatalog", "chameleon_filtered", "citeseer_full"),
        *("minesweeper", "texas", "uai2010", "wiki"),
    )
]


def test_cells_are_selected_by_their_axes() -> None:
    table1 = read_study("table1")
    assert len(cells(table1)) == 720
    assert len(cells(table1, {"dataset": "cora", "model": "gcn"})) == 60
    with pytest.raises(ConfigError, match="no axis 'modle' in table1. Did you mean 'model'"):
        cells(table1, {"modle": "gcn"})
    with pytest.raises(ConfigError, match="model is never 'gcm'. Did you mean 'gcn'"):
        cells(table1, {"model": "gcm"})
    with pytest.raises(ConfigError, match="no study 'tabel1'. Did you mean 'table1'"):
        read_study("tabel1")


@pytest.mark.parametrize("name", shipped_studies())
def test_every_shipped_study_is_valid(name) -> None:
    study = read_study(name)
    known = {"dataset", "model", "preset", "split", "seed", *OTHERS}
    known |= set(dotted(PRESETS["full"])) | {f"network.{option}" for option in dotted(Network())}
    for axes in (study.grid, study.options, *study.tuned, *study.variants.values()):
        assert set(axes) <= known
    assert set(study.grid.get("preset", [])) <= {*PRESETS, *study.variants}
    assert {variant["preset"] for variant in study.variants.values()} <= set(PRESETS)
    assert set(study.grid["dataset"]) <= {"cora", "citeseer", "pubmed", *ZOO, *(f"tables/{name}" for name in TABLES)}
    assert {sizes.dataset for sizes in study.sizes} <= set(study.grid["dataset"])
    places = [{k: v for k, v in number.items() if k not in ("mean", "deviation")} for number in study.paper]
    assert len({cell_key(place) for place in places}) == len(places)
    for place in places:
        assert all(value in study.grid[axis] for axis, value in place.items())
    assert all(50 < number["mean"] < 100 for number in study.paper)


def test_a_variant_is_a_preset_with_other_options() -> None:
    study = read_study("plus1")
    place = {"dataset": "cora", "model": "gcn", "split": "0", "seed": "0"}
    [shuffled] = cells(study, place | {"preset": "plus, shuffled votes"})
    config = preset_config(study, shuffled)
    assert config == override(PRESETS["plus"], {"votes.control": "shuffled"})


def test_the_papers_tables_are_complete() -> None:
    assert {n: len(read_study(n).paper) for n in ("table1", "table2", "table3", "table4")} == {
        "table1": 48,
        "table2": 12,
        "table3": 20,
        "table4": 25,
    }
    assert len(read_study("table2").others) == 8
    assert (SHIPPED / "table1.toml").is_file()


def test_options_of_a_cell_override_tuned_ones() -> None:
    table2 = read_study("table2")
    cell = {"dataset": "pubmed", "model": "graphmix", "preset": "full", "split": 0, "seed": 0, "fit.lr": 0.5}
    network, changes = options(table2, cell)
    assert (network.mix.weight, network.hidden, network.bias) == (1.0, 16, False)
    assert (changes["fit.lr"], changes["fit.epochs"]) == (0.5, 2000)
    assert options(table2, cell | {"dataset": "cora"})[0].mix.weight == 10.0


def test_the_studies_of_other_graphs_cover_all_of_them() -> None:
    zoo, tables = read_study("zoo"), read_study("tables")
    assert zoo.grid["dataset"] == ZOO
    assert tables.grid["dataset"] == [f"tables/{name}" for name in TABLES]
    assert (len(cells(zoo)), len(cells(tables))) == (440, 240)
    assert {study.small_classes for study in (zoo, tables)} == {"share"}
    assert read_study("table1").small_classes == "refuse"


def test_a_dataset_may_have_sizes_of_its_own() -> None:
    own = {"dataset": "b", "train": 3, "val": 4, "per": "graph"}
    grid = {"dataset": ["a", "b"], "model": ["gcn"], "split": [0], "seed": [0]}
    study = Study(name="toy", title="A toy", protocol="random", val=7, sizes=[own], grid=grid)
    assert split_sizes(study, {"dataset": "a"}) == SplitSizes(dataset="a", train=20, val=7)
    assert split_sizes(study, {"dataset": "b"}) == SplitSizes(**own)
    assert split_sizes(study, {"dataset": "b", "train": 9}) == SplitSizes(**own | {"train": 9})
    with pytest.raises(ConfigError, match="train"):
        Study(name="toy", title="A toy", protocol="random", sizes=[own | {"train": 0}], grid=grid)
