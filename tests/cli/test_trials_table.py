from highwaygraph.cli.trials_table import MOST_LISTED, trials_table
from highwaygraph.study.tune import TrialRecord, Tuned
from tests.helpers.rendered import rendered


def test_trials_are_in_the_order_of_the_score_that_decides() -> None:
    history = (
        TrialRecord(1, 0.7, "COMPLETE", {"fit.lr": 0.0123456, "network.hidden": 64}),
        TrialRecord(2, 0.9, "PRUNED", {"fit.lr": 0.02, "network.hidden": 32}),
        TrialRecord(3, 0.8, "COMPLETE", {"fit.lr": 0.03, "network.hidden": 128}),
        TrialRecord(4, None, "FAIL", {}),
    )
    shown = rendered(trials_table(Tuned(0.8, {}, 4, history)))
    title, heads, *rows = [line for line in shown.splitlines() if line.strip()]
    assert "4 trials; validation accuracy decides" in title
    assert heads.split() == ["Trial", "Validation", "%", "fit.lr", "hidden"]
    assert [row.split()[0] for row in rows] == ["3", "1", "2", "4"]
    assert "stopped early" in rows[2]
    assert "failed" in rows[3]
    assert "0.01235" in rows[1]


def test_many_trials_are_counted_and_one_is_singular() -> None:
    history = tuple(TrialRecord(i + 1, i / 100, "COMPLETE", {"fit.lr": 0.1}) for i in range(20))
    shown = rendered(trials_table(Tuned(0.19, {}, 20, history)))
    assert f"20 trials, the best {MOST_LISTED} of them listed" in shown
    assert len(shown.splitlines()) == MOST_LISTED + 2
    assert "1 trial;" in rendered(trials_table(Tuned(0.0, {}, 1, history[:1])))
