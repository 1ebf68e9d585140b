"""The commands that follow a training, printed below its results."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

# Characters of a line for the spaces around a command and the longest word of its purpose.
LEAST_PURPOSE = 16


def next_steps(out: Path, *, explains: bool = True) -> RenderableType:
    """Return the commands to continue with, and what each of them is for.

    Args:
        out: The run folder.
        explains: Whether predictions of the run can be explained.

    Returns:
        A line per command.
    """
    run = shlex.quote(str(out))
    commands = {
        f"highway report {run}": "page with charts, the graph and the nodes to check first",
        f"highway predict {run} --out predictions.csv": "class and confidence of every node",
        f"highway explain {run} ID": "why a node has its class",
        f"highway compare {run} OTHER-RUN": "differences to another run",
    }
    if not explains:
        del commands[f"highway explain {run} ID"]
    return CommandList(commands)


def next_label_steps(out: Path) -> RenderableType:
    """Return the command to continue with after a run with several labels per node.

    Args:
        out: The run folder.

    Returns:
        A line.
    """
    command = f"highway predict {shlex.quote(str(out))} --out predictions.csv"
    return CommandList({command: "labels of every node, and the probability of each label"})


class CommandList:
    """Commands with their purposes beside them, or below them where a command would be cut off.

    Args:
        commands: The purpose of every command.
    """

    def __init__(self, commands: dict[str, str]) -> None:
        self.commands = commands

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield the list for the width of a console."""
        yield Text("Next:")
        if max(map(len, self.commands)) + LEAST_PURPOSE > options.max_width:
            for command, purpose in self.commands.items():
                yield Padding(Text(command, overflow="fold"), (0, 0, 0, 2))
                yield Padding(Text(purpose, style="dim"), (0, 0, 0, 4))
            return
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        # A command stays on one line, so that it can be copied; its purpose is wrapped.
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold", style="dim")
        for command, purpose in self.commands.items():
            table.add_row(Text(f"  {command}"), purpose)
        yield table
