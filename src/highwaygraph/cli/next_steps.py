"""The commands that follow a training, printed below its results."""

import shlex
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text


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
    return _table(commands)


def next_label_steps(out: Path) -> RenderableType:
    """Return the command to continue with after a run with several labels per node.

    Args:
        out: The run folder.

    Returns:
        A line.
    """
    command = f"highway predict {shlex.quote(str(out))} --out predictions.csv"
    return _table({command: "labels of every node, and the probability of each label"})


def _table(commands: dict[str, str]) -> RenderableType:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), title="Next:", title_justify="left")
    table.title_style = ""
    # A command stays on one line, so that it can be copied; its purpose is wrapped.
    table.add_column(no_wrap=True, overflow="ignore")
    table.add_column(overflow="fold", style="dim")
    for command, purpose in commands.items():
        table.add_row(Text(f"  {command}"), purpose)
    return table
