"""Help pages: options in groups, the common ones first, with the defaults of the chosen preset."""

import re
import textwrap
from dataclasses import dataclass
from typing import Any

from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console, ConsoleOptions
from rich.text import Text

from highwaygraph.cli.renamed import COMMANDS
from highwaygraph.config import FoldChoice, LabelFile, Network, SplitChoice, Tables
from highwaygraph.options import dotted
from highwaygraph.presets import preset

HELP_ALL = "--help-all"
DEFAULT_PRESET = "plus"
GROUPS = ("Basic", "Data and split", "Network", "Method", "Optimisation", "Large graphs")
COMMON = (
    "preset", "trials", "storage", "seed", "out", "force", "resume", "no_attributes", "baseline",
    "json",
    "label", "labels", "split", "train", "val", "refit",
    "model", "hidden", "dropout",
    "highway.rounds", "pairs.weight", "consistency.weight",
    "fit.epochs", "fit.lr",
    "fit.batch_size",
)  # fmt: skip
"""Options that `--help` lists, in this order; `--help-all` lists every option."""
LARGE = {"fit.batch_size", "fit.max_batches", "fit.num_neighbors", "fit.num_workers", "fit.num_threads"}
NAME_WIDTH, MOST_WIDTH = 28, 100
# A space at which no line is broken.
TIED = "\u00a0"


@dataclass(frozen=True)
class Help:
    """A cyclopts help formatter for plain, grouped pages."""

    command: str = ""
    preset: str = DEFAULT_PRESET
    model: str | None = None
    everything: bool = False

    @classmethod
    def for_arguments(cls, arguments: list[str]) -> "Help":
        """Return the formatter for a command line: its command, preset and network decide the defaults shown."""
        command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
        model = _value_of("--model", arguments)
        return cls(command, _value_of("--preset", arguments) or DEFAULT_PRESET, model, HELP_ALL in arguments)

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        """Print one panel; the options of a command that trains are printed in groups."""
        width = min(console.width, MOST_WIDTH)
        if not self.command or panel.title != "Parameters":
            return _print_group(console, str(panel.title), panel.entries, width)
        defaults = dotted(preset(self.preset)) | self._chosen_by_data()
        entries = [_with_default(entry, defaults) for entry in panel.entries if self._is_listed(entry)]
        entries.sort(key=lambda e: COMMON.index(name) if (name := option_name(e)) in COMMON else len(COMMON))
        for group in GROUPS:
            _print_group(console, group, [e for e in entries if group_of(option_name(e)) == group], width)
        _print_wrapped(console, self._note(len(entries), len(panel.entries)), width)

    def render_usage(self, console: Console, _: ConsoleOptions, usage: Any) -> None:
        """Print the usage line."""
        console.print(Text(f"Usage: {str(usage).strip()}\n"))

    def _chosen_by_data(self) -> dict[str, str]:
        """Return the options of `train` that `cli.defaults` chooses for the graph, where the user has not."""
        if self.command != "train":
            return {}
        return {"refit": "auto"} | ({"model": "auto"} if preset(self.preset).select.typical else {})

    def _is_listed(self, entry: HelpEntry) -> bool:
        if not self.everything:
            return option_name(entry) in COMMON
        return self.model is None or self.model in (networks_of(option_name(entry)) or (self.model,))

    def _note(self, listed: int, total: int) -> str:
        source = f"Defaults are those of --preset {self.preset}; add --preset NAME to see those of another preset."
        if self.everything:
            return source
        return f"{source} {listed} of {total} options are listed: highway {self.command} {HELP_ALL} lists all of them."


def option_name(entry: HelpEntry) -> str:
    """Return the dotted name of an option as `dotted` writes it, such as 'fit.batch_size'."""
    return entry.names[0].removeprefix("--").replace("-", "_") if entry.names else ""


def group_of(name: str) -> str:
    """Return the group of an option of `train` or `tune`."""
    section = name.split(".", maxsplit=1)[0]
    if section in ("pairs", "highway", "consistency", "votes"):
        return "Method"
    if section == "fit":
        return "Large graphs" if name in LARGE else "Optimisation"
    if section in Network.model_fields:
        return "Network"
    about_data = (SplitChoice, FoldChoice, LabelFile, Tables)
    return "Data and split" if any(name in options.model_fields for options in about_data) else "Basic"


def networks_of(name: str) -> tuple[str, ...]:
    """Return the networks that alone have an option, by the start of its description ('grand only: ...')."""
    field = Network.model_fields.get(name.split(".", maxsplit=1)[0])
    found = re.match(r"([a-z0-9, ]+?) only:", field.description or "") if field else None
    return tuple(re.findall(r"[a-z0-9]+", found[1])) if found else ()


def _value_of(option: str, arguments: list[str]) -> str | None:
    """Return the last value given for an option, before anything is parsed."""
    found = None
    for place, argument in enumerate(arguments):
        name, separator, value = argument.partition("=")
        if name == option:
            found = value if separator else next(iter(arguments[place + 1 :]), None)
    return found


def _with_default(entry: HelpEntry, defaults: dict[str, Any]) -> HelpEntry:
    name = option_name(entry)
    return entry.copy(default=_shown(defaults[name])) if name in defaults else entry


def _shown(value: Any) -> str:
    """Return a default as it is typed on the command line."""
    return " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _print_group(console: Console, title: str, entries: list[HelpEntry], width: int) -> None:
    if not entries:
        return
    labels = [_label(entry) for entry in entries]
    # Short names, such as those of commands, leave more room to their descriptions.
    names = NAME_WIDTH if title in GROUPS else min(NAME_WIDTH, max(map(len, labels)))
    console.print(Text(title, style="bold"))
    for entry, whole in zip(entries, labels, strict=True):
        label = whole
        lines = _wrapped(_description(entry), width - names - 4)
        if len(label) > names:
            console.print(Text(f"  {label}", style="cyan"))
            label = ""
        for line in lines or [""]:
            console.print(Text.assemble((f"  {label:<{names}}", "cyan"), f"  {line}"))
            label = ""
    console.print()


def _wrapped(words: str, width: int) -> list[str]:
    lines = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(TIED, " ") for line in lines]


def _print_wrapped(console: Console, words: str, width: int) -> None:
    console.print("\n".join(_wrapped(words, width)), highlight=False)


def _label(entry: HelpEntry) -> str:
    """Return the name of an entry with its placeholder; a flag and its negative form are written --[no-]flag."""
    if not entry.names:
        return " ".join(entry.display_labels)
    name, choices = entry.names[0], "|".join(entry.choices or ())
    if entry.negative_names:
        *path, last = name.removeprefix("--").split(".")
        name = "--" + ".".join([*path, f"[no-]{last}"])
    kind = entry.metavar or ""
    # A number or one word, such as FLOAT|auto; longer lists of choices stand in the description.
    kind = kind if kind == "CHOICE" else kind.replace("CHOICE", choices)
    return f"{name} {kind}".strip()


def _description(entry: HelpEntry) -> str:
    words = str(getattr(entry.description, "primary_renderable", entry.description) or "").strip()
    facts = [" | ".join(entry.choices)] if entry.choices and entry.metavar == "CHOICE" else []
    # A flag without a negative form is off unless given.
    is_flag = not entry.metavar and not entry.negative_names
    shown = entry.default not in (None, "", "''", '""', "None") and not (is_flag and entry.default == "False")
    facts += [f"default:{TIED}{entry.default}"] if shown else ["required"] if entry.required else []
    return f"{words} [{'; '.join(facts)}]" if facts else words
