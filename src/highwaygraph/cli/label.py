"""The command that opens a local page to label nodes in."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import quote

from cyclopts import Parameter
from pydantic import Field

from highwaygraph.cli.app import Flat, Json, app
from highwaygraph.cli.output import print_result
from highwaygraph.cli.serve import MAX_PORT, TOKEN
from highwaygraph.config import Config, Network, Tables
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.options import Options, override
from highwaygraph.presets import preset
from highwaygraph.runtime.progress import spinner, stderr

if TYPE_CHECKING:
    from highwaygraph.annotation.workspace import Choices, Workspace
    from highwaygraph.graph.graph import Graph

HOST = "127.0.0.1"
# Seconds to answer requests that have begun when the server ends.
DRAIN = 5.0


class Page(Options):
    """The page and its address."""

    port: int = Field(8081, ge=0, le=MAX_PORT)
    """Port of this computer; 0 for any that is free."""
    token: Annotated[str | None, Parameter(env_var=TOKEN)] = None
    """Token in the address of the page; that of the variable HIGHWAYGRAPH_TOKEN, or a new one, unless given."""
    open: Annotated[bool, Parameter(negative="")] = False
    """Open the page in the browser."""


class Labelling(Options):
    """The labels, and the model of the page."""

    labels: Path | None = None
    """CSV file that answers are written to, and from which labelling continues; DATA-labels.csv unless given."""
    classes: str = ""
    """Classes that the graph does not have, separated by commas; others can be added on the page."""
    known: Literal["all", "train", "none"] = "all"
    """Labels of the graph itself that count: all; train, those of training nodes; none, for a trial."""
    retrain_every: int = Field(5, ge=1)
    """Labels after which the model is retrained."""
    seed: int = Field(0, ge=0)
    """Seed of the random generators."""


DEFAULT_PAGE, DEFAULT_LABELLING = Page(), Labelling()


@app.command
def label(
    data: str,
    /,
    *,
    labelling: Annotated[Labelling, Flat] = DEFAULT_LABELLING,
    preset_name: Annotated[str, Parameter(name="--preset")] = "typical",
    page: Annotated[Page, Flat] = DEFAULT_PAGE,
    json: Json = False,
    network: Annotated[Network, Flat] = Network(),
    tables: Annotated[Tables, Flat] = Tables(),
) -> None:
    """Label nodes in a local page, which suggests the next ones and retrains a model in the background.

    Example: highway label papers/ --labels labels.csv

    Parameters
    ----------
    data
        A graph, as for train; it may have no labels yet.
    preset_name
        Preset of the model of the page; typical is the fastest.
    """
    _check_extras()
    config = override(preset(preset_name), {"seed": labelling.seed})
    graph, path = _read(data, tables, labelling)
    _label(graph, path, _choices(network, config, labelling), page, json=json)


def _check_extras() -> None:
    from highwaygraph.runtime.environment import require_extra

    for module in ("starlette", "uvicorn", "pandas", "jinja2", "matplotlib"):
        require_extra(module, "highway label", "label")


def _read(data: str, tables: Tables, labelling: Labelling) -> "tuple[Graph, Path]":
    from highwaygraph.cli import loading
    from highwaygraph.data.label_file import hide_labels
    from highwaygraph.graph.hetero import refuse_several_types
    from highwaygraph.runs.outputs import check_output, plain_name

    graph = hide_labels(loading.read_unlabelled(data, tables), labelling.known)
    refuse_several_types(graph, "The labelling page is", "write labels into the table of the target type")
    if bool((graph.y >= 0).all()):
        raise DataError("All nodes have a label in the data: for a trial, --known none leaves their labels out.")
    path = (labelling.labels or Path(f"{plain_name(graph.title)}-labels.csv")).resolve()
    if not path.exists():
        check_output(path)
    return graph, path


def _names(classes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in classes.split(",") if name.strip()))


def _choices(network: Network, config: Config, labelling: Labelling) -> "Choices":
    from highwaygraph.annotation.scores import train_and_score
    from highwaygraph.annotation.workspace import Choices

    if network.is_auto:
        raise ConfigError("The page trains one network: name it with --model.")
    return Choices(
        partial(train_and_score, network, config), _names(labelling.classes), labelling.retrain_every, labelling.seed
    )


def _label(graph: "Graph", path: Path, choices: "Choices", page: Page, *, json: bool) -> None:
    from highwaygraph.annotation.app import build_app
    from highwaygraph.annotation.label_store import LabelStore
    from highwaygraph.annotation.workspace import Workspace
    from highwaygraph.data.tables.read_log import counted
    from highwaygraph.service.guard import check_token
    from highwaygraph.service.server import listen, run_server, url_of

    token = check_token(page.token)
    store = LabelStore(path, graph)
    with store.locked(), listen(HOST, page.port, "choose another one with --port") as place:
        with spinner("layout of the graph"):
            workspace = Workspace(graph, store, choices)
        url = f"{url_of(place)}/?token={quote(token, safe='')}"
        start = partial(_print_start, workspace, url, opened=page.open, json=json)
        run_server(build_app(workspace, token), place, DRAIN, start)
    count = len(workspace.session.answers())
    stderr.print(f"{counted(count, 'answers')} {'is' if count == 1 else 'are'} in {path}.", soft_wrap=True)


def _print_start(workspace: "Workspace", url: str, *, opened: bool, json: bool) -> None:
    """Print the address of the page, and open it where that is wanted."""
    from highwaygraph.data.tables.read_log import counted

    answers, path = len(workspace.session.answers()), workspace.store.path
    if json:
        print_result({"url": url, "labels": str(path), "answers": answers})
    else:
        found = f"{path} has {counted(answers, 'answers')}" if answers else f"Answers are written to {path}"
        print_result(f"{found}. Label at {url} (Ctrl-C stops).")
    # A pipe would get it at the end only.
    sys.stdout.flush()
    if opened:
        import webbrowser

        webbrowser.open(url)
