"""The command-line app that all commands join, and the exit code of every command."""

import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from highwaygraph import __version__
from highwaygraph.cli.deferred_imports import deferred_imports
from highwaygraph.cli.help import HELP_ALL, Help
from highwaygraph.cli.output import print_error
from highwaygraph.cli.renamed import present_arguments
from highwaygraph.errors import HighwayError, HighwayWarning, shortened
from highwaygraph.runtime.progress import stderr

ShowWarning = Callable[..., None]
Flat = Parameter(name="*")
Json = Annotated[bool, Parameter(negative="", help="Print one JSON document instead of tables.")]
app = App(
    name="highway",
    version=__version__,
    help="Train any graph neural network so that nodes far from every label are classified well.\n\n"
    "Add --debug to any command to see the traceback of an error.",
    help_format="plaintext",
    # KeyboardInterrupt has a message and an exit code of its own.
    suppress_keyboard_interrupt=False,
    # Several values follow one option: --fit.num-neighbors 10 5.
    default_parameter=Parameter(consume_multiple=True, negative_iterable=""),
)
data_app = App(name="data", help="Download public datasets, or convert a graph. Example: highway data get citeseer")
app.command(data_app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: Arguments after the program's name; those of the process by default.

    Raises:
        SystemExit: Always, with 0 for success, 1 for a failure, 2 for a usage error and 130 for an interruption.
    """
    if "torch" not in sys.modules:
        # OpenMP reads it when torch is imported. Threads that wait sleep: else they slow each other down on busy cores.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_exit_code(lambda: _run([a for a in given if a != "--debug"]), debug="--debug" in given))


def _run(arguments: list[str]) -> None:
    arguments = present_arguments(arguments)
    app.help_formatter = Help.for_arguments(arguments)
    with deferred_imports():
        app(["--help" if a == HELP_ALL else a for a in arguments], exit_on_error=False, print_error=False)


def _exit_code(run: Callable[[], object], *, debug: bool) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _sentences(warnings.showwarning)
            run()
    except (HighwayError, CycloptsError) as error:
        if debug:
            raise
        return print_error(str(error), getattr(error, "exit_code", 2))
    except KeyboardInterrupt:
        return print_error("Interrupted: run the same command again; finished parts are kept.", 130)
    except OSError as error:
        if debug:
            raise
        place = shortened(str(error.filename or "A file"))
        return print_error(f"{place} cannot be read or written: {error.strerror or error}. Check the path.", 1)
    except Exception as error:
        if debug:
            raise
        return print_error(f"{type(error).__name__}: {error} (add --debug for the traceback).", 1)
    return 0


def _sentences(otherwise: ShowWarning) -> ShowWarning:
    """Return a `showwarning` that prints this library's warnings without their place in the code."""

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, HighwayWarning):
            stderr.print(str(message), soft_wrap=True)
        else:
            otherwise(message, category, *place, **more)

    return show
