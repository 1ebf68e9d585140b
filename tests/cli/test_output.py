import json

from highwaygraph.cli import output, render


def test_nothing_is_wrapped_in_a_pipe(capsys, monkeypatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    output.print_result(render.study_table("A study", ["a head"] * 30, [["82.9 ± 1.1"] * 30]))
    assert max(line.count("82.9 ± 1.1") for line in capsys.readouterr().out.splitlines()) == 30


def test_a_command_stays_on_one_line_for_copying(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    command = "highway train " + "--fit.lr 0.1 " * 20
    output.print_result(command)
    assert capsys.readouterr().out == command + "\n"


def test_a_dict_is_one_json_document(capsys) -> None:
    output.print_result({"a": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}


def test_an_error_returns_its_exit_code(capfd) -> None:
    assert output.print_error("A sentence with [brackets].", 2) == 2
