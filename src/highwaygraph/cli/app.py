"""The app that commands join, and what ends every one of them: a sentence and an exit code."""

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from highwaygraph import __version__
from highwaygraph.cli.render import print_error
from highwaygraph.errors import HighwayError, HighwayWarning
from highwaygraph.runtime.progress import stderr

Show = Callable[..., None]


Flat = Parameter(name="*")


Json = Annotated[bool, Parameter(negative="", help="Print one JSON document instead of tables.")]


app = App(
    name="highway",
    version=__version__,
    help="Train any graph neural network so that nodes far from every label are classified well.",
    help_epilogue="With --debug, any command shows where an error came from.",
    # Ctrl-C is ours to explain.
    suppress_keyboard_interrupt=False,
    # Several values stand after one option: --fit.num_neighbors 10 5.
    default_parameter=Parameter(consume_multiple=True),
)


data_app = App(name="data", help="Bring public datasets, or convert a graph. Example: highway data get citeseer pubmed")


app.command(data_app)


def main(words: list[str] | None = None) -> None:
    """Run the command line and exit with 0, with 1 where something failed, or with 2 where it was asked wrongly."""
    words = sys.argv[1:] if words is None else words
    debug = "--debug" in words
    sys.exit(_guard(lambda: app([w for w in words if w != "--debug"], exit_on_error=False, print_error=False), debug))


def _guard(run: Callable[[], object], debug: bool) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell(warnings.showwarning)
            run()
    except (HighwayError, CycloptsError) as error:
        if debug:
            raise
        return print_error(str(error), getattr(error, "exit_code", 2))
    except KeyboardInterrupt:
        return print_error(
            "Stopped before the end: the same command begins again, or goes on with what is finished.", 130
        )
    except Exception as error:
        if debug:
            raise
        return print_error(f"{type(error).__name__}: {error} (add --debug to see where).", 1)
    return 0


def _tell(otherwise: Show) -> Show:
    """Return a way to show warnings in which ours are sentences, without the place in the code."""

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, HighwayWarning):
            stderr.print(str(message), soft_wrap=True)
        else:
            otherwise(message, category, *place, **more)

    return show
