"""The page of other graphs: paired differences, simple baselines and the graphs where `plus` is behind."""

from highwaygraph.study.records import Record
from highwaygraph.study.spec import cells, read_study
from tools import other_graphs
from tools.other_graphs import Gap, behind, behind_list, gap, lines, results_table

TESTS = {"typical": {"zoo/acm": 0.8, "zoo/texas": 0.7}, "plus": {"zoo/acm": 0.9, "zoo/texas": 0.6}}


def record(cell, *, simple: float | None = None) -> Record:
    """Return a record whose test accuracy depends on preset, dataset and split."""
    test = TESTS[cell["preset"]][cell["dataset"]] + 0.01 * cell["split"] * (cell["preset"] == "plus")
    facts = {"test": test, "test_last": test}
    if simple is not None and cell["preset"] == "plus":
        simple_one = {"name": "label propagation", "val": 0.5, "test": simple}
        worse, trained = simple_one | {"name": "largest class", "test": 0.1}, simple_one | {"name": "HighwayGraph"}
        facts |= {"answer": "HighwayGraph", "candidates": [worse, simple_one, trained]}
    return Record(cell, facts)


def records(**options) -> list[Record]:
    study = read_study("zoo")
    wanted = [cells(study, {"dataset": dataset, "model": "gcn"}) for dataset in TESTS["plus"]]
    return [record(cell, **options) for part in wanted for cell in part]


def test_differences_are_paired_and_their_errors_are_over_splits() -> None:
    scores = {(split, seed): 80.0 + split + seed for split in range(2) for seed in range(2)}
    others = {key: 80.0 + key[1] for key in scores}
    assert gap(scores, others) == Gap(0.5, 0.5)
    assert str(gap(scores, others)) == "+0.5 (0.5)"
    assert gap({(0, 0): 1.0}, {(0, 0): 3.0}) == Gap(-2.0, None)
    assert not Gap(-2.0, None).is_behind
    assert gap(scores, {}) is None


def test_records_without_candidates_are_compared_with_typical_training() -> None:
    acm, texas = lines(records())
    assert (acm.title, texas.title) == ("acm, GCN", "texas, GCN")
    assert (behind(acm), acm.best_baseline) == ([], "")
    assert behind(texas) == ["typical training -8.0 (0.7)"]
    text = results_table([acm, texas])
    assert text.splitlines()[0] == "| graph, network | typical | `plus` | `plus` - typical (s.e.) |"
    assert "| acm, GCN | 80.0 | 92.0 | +12.0 (0.7) |" in text
    assert "| texas, GCN * | 70.0 | 62.0 | -8.0 (0.7) |" in text
    assert behind_list([acm, texas]) == "- **texas, GCN**: typical training -8.0 (0.7)"
    assert behind_list([acm]) == "None."
    (single,) = lines([one for one in records() if one.cell["split"] == 0 and one.cell["dataset"] == "zoo/texas"])
    assert behind_list([single]) == "None.\n\nOne split was run, which decides nothing: texas, GCN."


def test_simple_baselines_and_answers_are_shown() -> None:
    acm, texas = lines(records(simple=0.95))
    assert set(acm.baselines) == {"label propagation", "largest class"}
    assert acm.best_baseline == "label propagation"
    assert behind(acm) == ["label propagation -3.0 (0.7)"]
    assert len(behind(texas)) == 2
    text = results_table([acm])
    assert "| acm, GCN * | 80.0 | 92.0 | 95.0 | 10.0 | 95.0 | +12.0 (0.7) | -3.0 (0.7) | HighwayGraph 10 |" in text


def test_a_study_without_records_is_named(monkeypatch) -> None:
    monkeypatch.setattr(other_graphs, "read", lambda name: (read_study(name), [], []))
    assert "has not been run with this version; `highway study zoo` runs it" in other_graphs.section("zoo")


def test_an_unfinished_study_is_marked(monkeypatch) -> None:
    monkeypatch.setattr(other_graphs, "read", lambda name: (read_study(name), records(), []))
    text = other_graphs.section("zoo")
    assert text.startswith("This table is not complete: 40 of 440 runs are done.")
    assert text.endswith("- **texas, GCN**: typical training -8.0 (0.7)")
