"""Help pages: true defaults, groups, and lines of at most 80 columns."""

import re
import subprocess
import sys

import pytest

from highwaygraph.cli.help import COMMON, GROUPS, group_of
from highwaygraph.config import Config, LabelFile, Network, SplitChoice, Tables
from highwaygraph.options import dotted
from highwaygraph.presets import PRESETS
from tests.helpers.cli import run

COMMANDS = [[], ["train"], ["tune"], ["inspect"], ["verify"], ["predict"], ["export"], ["study"], ["report"], ["data"],
            ["data", "get"], ["data", "convert"]]  # fmt: skip


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def page(capsys, *arguments: str) -> str:
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    return out


def options(text: str) -> dict[str, str]:
    """Return the text of every option of a help page by its dotted name."""
    parts = re.split(r"(?m)^  (--\S+)", text)
    names = [re.sub(r"\[no-\]|--", "", name).replace("-", "_") for name in parts[1::2]]
    return dict(zip(names, (" ".join(part.split()) for part in parts[2::2]), strict=True))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("flag", ["--help", "--help-all"])
def test_no_line_is_longer_than_80_columns(capsys, command: list[str], flag: str) -> None:
    text = page(capsys, *command, flag)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text
    assert not command or command == ["data"] or "Example: highway" in text


@pytest.mark.parametrize("command", ["train", "tune"])
@pytest.mark.parametrize("name", PRESETS)
def test_the_defaults_are_those_of_the_preset(capsys, command: str, name: str) -> None:
    found = options(page(capsys, command, "--preset", name, "--help-all"))
    for option, value in dotted(PRESETS[name]).items():
        shown = " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
        assert f"default: {shown}]" in found[option], option
    # The network of train is chosen where the preset chooses its answer.
    chosen = {"model": "auto"} if command == "train" and PRESETS[name].select.typical else {}
    for option, value in (dotted(Network()) | chosen | dotted(SplitChoice())).items():
        assert f"default: {value}]" in found[option], option


def test_plus_is_the_default_preset(capsys) -> None:
    assert page(capsys, "train", "--help") == page(capsys, "train", "--preset=plus", "--help")
    assert "default: 0.3]" in options(page(capsys, "train", "--help"))["pairs.weight"]
    code, _, err = run(capsys, "train", "--preset", "fulll", "--help")
    assert (code, "Did you mean 'full'?" in err) == (2, True)


def test_what_the_graph_decides_is_auto(capsys) -> None:
    shown = options(page(capsys, "train", "--help"))
    assert "default: auto]" in shown["model"]
    assert "default: auto]" in shown["refit"]
    assert "default: gcn]" in options(page(capsys, "train", "--preset", "full", "--help"))["model"]
    assert "default: gcn]" in options(page(capsys, "tune", "--help"))["model"]


def test_help_lists_the_common_options_and_help_all_lists_every_one(capsys) -> None:
    short, everything = (options(page(capsys, "train", flag)) for flag in ("--help", "--help-all"))
    assert len(short) == 23
    assert set(short) <= set(COMMON)
    parts = (Config(), Network(), SplitChoice(), LabelFile(), Tables())
    fields = [name for part in parts for name in dotted(part)]
    assert set(fields) | set(short) <= set(everything)
    assert "highway train --help-all" in page(capsys, "train", "--help")


def test_options_are_grouped_with_the_common_ones_first(capsys) -> None:
    text = page(capsys, "train", "--help-all")
    titles = [line for line in text.splitlines() if line in GROUPS]
    assert titles == list(GROUPS)
    for title, part in zip(titles, re.split("|".join(f"(?m:^{t}$)" for t in GROUPS), text)[1:], strict=True):
        names = list(options(part))
        assert {group_of(name) for name in names} == {title}
        assert [name in COMMON for name in names] == sorted((name in COMMON for name in names), reverse=True)


def test_options_of_other_networks_are_left_out(capsys) -> None:
    found = options(page(capsys, "train", "--model", "grand", "--help-all"))
    assert "order" in found
    assert not {"mix.weight", "hyperedges"} & set(found)


def test_help_needs_no_torch() -> None:
    script = "import sys; from highwaygraph.cli import app; app.help_print([]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("False")
