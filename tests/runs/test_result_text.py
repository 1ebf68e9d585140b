from dataclasses import replace
from html.parser import HTMLParser

from torch_geometric.nn import GraphSAGE

from highwaygraph.options import override
from highwaygraph.runs.history import STOP_REASONS
from highwaygraph.runs.result_text import model_name
from tests.helpers.example import NASTY, run
from tests.helpers.refitted import refitted
from tests.helpers.trained import named_run


def test_a_result_prints_as_about_eight_lines() -> None:
    result = named_run()
    lines = str(result).splitlines()
    assert 6 <= len(lines) <= 9
    assert all(len(line) <= 120 for line in lines)
    assert lines[0].startswith("HighwayGraph result: toy, 180 nodes, 30 train")
    assert "gcn, 2 layers, hidden 16, seed 5" in lines[1]
    assert f"round {result.best_round} selected (the last); {STOP_REASONS[result.stopped]}" in lines[2]
    assert f"{100 * result.val:.1f} % accuracy" in lines[3]
    assert f"{100 * result.test:.1f} % accuracy" in lines[4]
    assert f"{result.highways.size(1):,} in the graph" in lines[5]


def test_the_score_that_selected_the_round_is_named_in_words() -> None:
    config = override(named_run().config, {"highway.keep": "best", "fit.monitor": "balanced_accuracy"})
    assert "(the best by validation balanced accuracy)" in str(replace(named_run(), config=config))


def test_scores_by_folds_are_named() -> None:
    result = refitted()
    assert result.folds is not None
    lines = str(result).splitlines()
    assert "selected (by folds)" in lines[2]
    assert lines[3].split()[0] == "folds"
    assert f"{100 * result.folds.accuracy:.1f} % accuracy, 95 % interval" in lines[3]


def test_the_baseline_is_compared() -> None:
    assert "typical training" in str(run())
    assert "typical training" not in str(run(baseline=False))


def test_a_notebook_shows_a_table() -> None:
    class Rows(HTMLParser):
        count = 0

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.count += tag == "tr"

    result = named_run()
    data = result.data.clone()
    data.name = NASTY
    text = replace(result, data=data)._repr_html_()
    rows = Rows()
    rows.feed(text)
    assert rows.count == len(str(result).splitlines())
    assert NASTY not in text


def test_a_users_module_is_named_by_its_class() -> None:
    assert model_name(replace(named_run(), model=GraphSAGE(12, 8, 2, 3))) == "GraphSAGE"
