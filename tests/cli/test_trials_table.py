from highwaygraph.cli.trials_table import MOST_LISTED, record, tie_lines, trials_table
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


MANY = {"fit.lr": 0.0123456, "fit.weight_decay": 0.0001, "fit.features": "auto", "network.hidden": 64,
        "network.dropout": 0.5, "pairs.weight": 0.1}  # fmt: skip


def test_names_of_options_are_whole_in_a_narrow_terminal() -> None:
    found = Tuned(0.7, MANY, 1, (TrialRecord(1, 0.7, "COMPLETE", MANY),))
    wide, narrow = (rendered(trials_table(found), width) for width in (120, 80))
    assert "fit.weight_decay  fit.features" in wide
    lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in narrow.splitlines()]
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == ["Trial", "Validation", "%", "Options"]
    assert any("fit.weight_decay 0.0001" in line for line in lines)


def test_a_tie_is_named_with_the_rule_that_decided() -> None:
    history = tuple(
        TrialRecord(number, val, "COMPLETE", {"fit.lr": 0.1}, likelihood)
        for number, val, likelihood in ((1, 1.0, -0.3), (2, 0.9, -0.01), (3, 1.0, -0.1))
    )
    found = Tuned(1.0, {}, 3, history)
    assert tie_lines(found) == [
        "A tie: trials 1, 3 have the best validation accuracy, 100.0 %; trial 3 has the highest log-likelihood on "
        "validation (-0.1, next -0.3)."
    ]
    assert rendered(trials_table(found)).splitlines()[2].split()[:2] == ["3", "<"]
    assert (record(found)["trial"], record(found)["tied"]) == (3, [1, 3])
    earlier = Tuned(1.0, {}, 3, tuple(trial._replace(log_likelihood=None) for trial in history))
    assert tie_lines(earlier)[0].endswith("; trial 1 is the first of them.")
    equal = Tuned(1.0, {}, 3, tuple(trial._replace(log_likelihood=-0.2) for trial in history))
    assert tie_lines(equal)[0].endswith("; trial 1 is the first with the highest log-likelihood (-0.2).")
    assert tie_lines(Tuned(1.0, {}, 2, history[:2])) == []
