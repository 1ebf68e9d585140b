from pathlib import Path

from highwaygraph.cli.next_steps import next_steps
from tests.helpers.rendered import rendered


def test_the_commands_name_the_run_folder() -> None:
    shown = rendered(next_steps(Path("runs/x")))
    assert "highway report runs/x" in shown
    assert "highway predict runs/x --out predictions.csv" in shown
    assert "highway compare runs/x" in shown
    assert "highway explain runs/x ID" in shown
    assert "explain" not in rendered(next_steps(Path("runs/x"), explains=False))


def test_a_folder_with_a_space_is_quoted() -> None:
    assert "highway report 'runs/my run'" in rendered(next_steps(Path("runs/my run")))


def test_no_command_is_cut_off_in_a_narrow_terminal() -> None:
    for width in (40, 60, 80):
        shown = rendered(next_steps(Path("runs/quite/a/long/path")), width)
        assert max(map(len, shown.splitlines())) <= width
        assert "predictions.csv" in shown
    narrow = " ".join(rendered(next_steps(Path("runs/quite/a/long/path")), 60).split())
    assert "highway predict runs/quite/a/long/path --out predictions.csv class and confidence" in narrow
