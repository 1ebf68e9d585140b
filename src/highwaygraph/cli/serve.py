"""The command that serves the predictions of a run over HTTP."""

import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from highwaygraph.cli.app import Json, app
from highwaygraph.cli.output import print_result
from highwaygraph.errors import ConfigError
from highwaygraph.runtime.progress import stderr

if TYPE_CHECKING:
    from highwaygraph.graph.graph import Graph

TOKEN = "HIGHWAYGRAPH_TOKEN"
LOOPBACK = ("127.", "::1", "localhost")
MAX_PORT = 65_535


@app.command
def serve(
    run: Path,
    /,
    *,
    host: str = "127.0.0.1",
    port: NonNegativeInt = 8080,
    token: Annotated[str | None, Parameter(env_var=TOKEN)] = None,
    text: str = "",
    max_nodes: PositiveInt = 1000,
    max_mib: PositiveFloat = 8.0,
    timeout: PositiveFloat = 60.0,
    json: Json = False,
) -> None:
    """Serve the predictions of a run over HTTP: nodes of its graph by id, and new nodes with their edges.

    Example: highway serve runs/mine --port 8080

    Parameters
    ----------
    run
        A run folder.
    host
        Address of the network interface; other machines can connect to 0.0.0.0.
    port
        Port; 0 for any that is free.
    token
        Token of requests; that of the variable HIGHWAYGRAPH_TOKEN, or a new one that is printed, unless given.
    text
        Encoder of the run's columns of text, where its folder was moved: model2vec:PATH or sentence-transformers:NAME.
    max_nodes
        Most nodes of a request.
    max_mib
        Most MiB of a request.
    timeout
        Most seconds to receive a request, to answer it, and to finish at SIGTERM.
    """
    _serve(run, (host, port), token, text, (max_nodes, max_mib, timeout), json=json)


def _serve(
    run: Path, address: tuple[str, int], token: str | None, text: str, limits: tuple[int, float, float], *, json: bool
) -> None:
    _check_extra()
    from highwaygraph.runs.open import open_run
    from highwaygraph.service.app import build_app
    from highwaygraph.service.body import Limits
    from highwaygraph.service.guard import check_token
    from highwaygraph.service.server import listen, run_server, url_of

    if address[1] > MAX_PORT:
        raise ConfigError(f"--port is at most {MAX_PORT}, not {address[1]}: choose another one.")
    if not all(map(math.isfinite, limits)):
        raise ConfigError("--max-mib and --timeout are finite numbers: choose others.")
    used = check_token(token)
    result = open_run(run)
    _open_text_models(result.data, text)
    service = build_app(result, used, Limits(*limits))
    place = listen(*address)
    if not address[0].startswith(LOOPBACK):
        stderr.print("Requests and the token are not encrypted: use a reverse proxy with TLS.", soft_wrap=True)
    start = partial(_print_start, url_of(place), used, run, result.data.num_nodes, given=token is not None, json=json)
    run_server(service, place, limits[-1], start)


def _open_text_models(data: "Graph", text: str) -> None:
    """Load the models of the run's texts before any request needs them; refuse a run whose models are not found."""
    from highwaygraph.data.tables.embedding import Embedding, open_stored_models, with_text_model

    if data.encoders or text:
        stored = data.encoders or {}
        data.encoders = with_text_model(stored, text) if text else open_stored_models(stored)
    functions = {one.source for one in (data.encoders or {}).values() if isinstance(one, Embedding) and one.is_function}
    for name in sorted(functions):
        stderr.print(f"New nodes are not supported: the text of this run was encoded by {name}.", soft_wrap=True)


def _check_extra() -> None:
    from highwaygraph.runtime.environment import require_extra

    for module in ("starlette", "uvicorn", "pandas"):
        require_extra(module, "highway serve", "serve")


def _print_start(url: str, token: str, run: Path, nodes: int, *, given: bool, json: bool) -> None:
    """Print the address, and the token where it is new."""
    if json:
        print_result({"url": url, "nodes": nodes} | ({} if given else {"token": token}))
    else:
        print_result(f"Serving {run} ({nodes:,} nodes) at {url}. Ctrl-C stops it.")
        if not given:
            print_result(f"Token: {token}")
    # A pipe would get it at the end only.
    sys.stdout.flush()
