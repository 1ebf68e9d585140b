import pytest

from highwaygraph.errors import ConfigError, RunError
from highwaygraph.study.records import read_records
from highwaygraph.study.spec import cells, read_study
from highwaygraph.study.validate import MAX_CELLS, check_count

HEAD = 'title = "t"\nprotocol = "random"\n'
GRID = '[grid]\ndataset = ["cora"]\nmodel = ["gcn"]\nsplit = [0]\nseed = [0]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 2000 + "]" * 2000, "nested more than"),
        ('name = "x"\n' + HEAD + GRID, "has an entry 'name'"),
        (HEAD + "[grid]\ndataset = ['cora']\nmodel = ['gcn']\nseed = [0]", "has no axis 'split'"),
        (HEAD + GRID.replace("[0]", "[]"), "grid.split is empty"),
        (HEAD + GRID.replace("[0]", "[2020-01-01]"), r"grid.split.0 should be a valid integer"),
        (HEAD + GRID.replace("[0]", "[-1]"), "grid.split.0 should be greater than or equal to 0"),
        (HEAD + GRID.replace('["gcn"]', "[3]"), "grid.model.0 should be a valid string"),
        (HEAD + GRID + '"fit.lr" = [{a = 1}]', "grid.fit.lr"),
        (HEAD + GRID + '"fit.lr" = [07:32:00]', "grid.fit.lr"),
        (HEAD + "options = {a = 1979-05-27}\n" + GRID, "options.a"),
        (HEAD + GRID + '[[paper]]\nmodel = "gcn"\nmean = "high"', "paper.mean should be a valid number"),
        (HEAD + 'tuned_as = "toy.toml"\n' + GRID, "tuned as toy.toml, which is tuned as another"),
        (HEAD + 'fit_as = "pluss"\n' + GRID, "no preset 'pluss'. Did you mean 'plus'"),
        (HEAD + 'small_classes = "drop"\n' + GRID, "small_classes"),
        (HEAD + GRID + '[[sizes]]\ndataset = "cora"\ntrain = 3', "val"),
        (HEAD + "grid = 3", "grid should be a valid dictionary"),
        ("title = 3", "title should be a valid string"),
    ],
)
def test_toml_of_odd_types_is_a_sentence(tmp_path, monkeypatch, text, message) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.toml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_study("toy.toml")


def test_cells_are_counted_before_they_are_listed(tmp_path) -> None:
    axes = "".join(f'"network.a{number}" = {list(range(30))}\n' for number in range(8))
    (tmp_path / "wide.toml").write_text(HEAD + GRID + axes)
    study = read_study(str(tmp_path / "wide.toml"))
    with pytest.raises(ConfigError, match="wide has 656,100,000,000 cells, more than 100,000"):
        cells(study)
    assert len(cells(study, {f"network.a{number}": "3" for number in range(7)})) == 30
    check_count("x", {"a": [0] * MAX_CELLS})


@pytest.mark.parametrize(
    "line",
    [
        "[" * 2000 + "]" * 2000,
        "[]",
        '{"cell": [], "test": 1, "test_last": 1}',
        '{"cell": {}, "test": "x", "test_last": 1}',
        '{"cell": {"a": {}}, "test": 1, "test_last": 1}',
        '{"cell": {}, "test": 1, "test_last": 1, "hops": [1]}',
        '{"cell": {}, "test": 1, "test_last": 1, "config": 3}',
        '{"cell": {}, "test": 1, "test_last": 1, "versions": [3]}',
    ],
)
def test_a_record_of_odd_types_is_a_sentence(tmp_path, line) -> None:
    (tmp_path / "toy.jsonl").write_text(line + "\n")
    with pytest.raises(RunError, match="has a line that is no record"):
        read_records(tmp_path / "toy.jsonl")
