"""The application of the labelling page: its routes, and handlers of errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from highwaygraph.annotation.page import label_page
from highwaygraph.annotation.requests import check_page, read_answer, read_node, read_undo, read_window
from highwaygraph.annotation.workspace import Workspace
from highwaygraph.errors import HighwayError
from highwaygraph.service.body import Limits, parse_json, read_body
from highwaygraph.service.guard import FREE, Guard
from highwaygraph.service.metrics import Metrics
from highwaygraph.service.refusal import on_refused

PATHS = ("/", FREE, "/api/state", "/api/map", "/api/answer", "/api/undo", "/api/retrain")
LIMITS = Limits(max_mib=0.1, timeout=30.0)
SENTENCE = "The token in the address is missing or wrong: open the whole address that highway label has printed."
HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}


class Endpoints:
    """The endpoints of one session; files and tensors are handled in threads, so that the event loop never waits."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def health(self, _: Request) -> Response:
        """Return that the server answers."""
        return JSONResponse({"status": "ok"})

    async def page(self, _: Request) -> Response:
        """Return the page."""
        return HTMLResponse(await run_in_threadpool(label_page, self._workspace), headers=HEADERS)

    async def state(self, request: Request) -> Response:
        """Return the state of a window, with the node that it has chosen or the next suggestion."""
        window = read_window(request.query_params.get("window"))
        node = request.query_params.get("node")
        chosen = None if node is None else read_node(node, self._workspace.graph.num_nodes)
        return await self._state(window, chosen)

    async def map(self, _: Request) -> Response:
        """Return the columns of the map that change."""
        return JSONResponse(await run_in_threadpool(self._workspace.map_columns), headers=HEADERS)

    async def answer(self, request: Request) -> Response:
        """Save an answer and return the next state."""
        found = read_answer(await self._body(request), self._workspace.graph.num_nodes)
        give = partial(self._workspace.session.give, found.window, found.node, found.given, found.seen)
        await run_in_threadpool(give)
        self._workspace.trainer.notify()
        return await self._state(found.window, None)

    async def undo(self, request: Request) -> Response:
        """Take back the last answer and return the state with its node."""
        window = read_undo(await self._body(request))
        node = await run_in_threadpool(self._workspace.session.undo, window)
        self._workspace.trainer.notify()
        return await self._state(window, node)

    async def retrain(self, request: Request) -> Response:
        """Start a training now."""
        window = read_undo(await self._body(request))
        self._workspace.trainer.notify(retrain=True)
        return await self._state(window, None)

    async def _body(self, request: Request) -> Any:
        document = parse_json(await read_body(request, LIMITS))
        check_page(document, self._workspace.identity.answers)
        return document

    async def _state(self, window: str, node: int | None) -> Response:
        return JSONResponse(await run_in_threadpool(self._workspace.state, window, node), headers=HEADERS)


def build_app(workspace: Workspace, token: str) -> Starlette:
    """Return the ASGI application of a session, which starts and ends its background thread.

    Args:
        workspace: The session.
        token: The token of the page's address, which its requests send as a header.

    Returns:
        The application.
    """
    endpoints = Endpoints(workspace)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        workspace.trainer.start()
        yield
        await run_in_threadpool(workspace.trainer.close)

    guard = Middleware(Guard, token=token, metrics=Metrics(), paths=PATHS, page="/", sentence=SENTENCE)
    app = Starlette(
        routes=[
            Route("/", endpoints.page),
            Route(FREE, endpoints.health),
            Route("/api/state", endpoints.state),
            Route("/api/map", endpoints.map),
            Route("/api/answer", endpoints.answer, methods=["POST"]),
            Route("/api/undo", endpoints.undo, methods=["POST"]),
            Route("/api/retrain", endpoints.retrain, methods=["POST"]),
        ],
        middleware=[guard],
        exception_handlers=dict.fromkeys((HighwayError, HTTPException, Exception), on_refused),
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app
