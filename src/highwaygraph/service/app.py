"""The application: routes, and handlers of errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from highwaygraph.errors import HighwayError
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.service.body import DEFAULT_LIMITS, Limits, read_body
from highwaygraph.service.guard import FREE, Guard
from highwaygraph.service.metrics import CONTENT_TYPE, Metrics
from highwaygraph.service.openapi import describe
from highwaygraph.service.predictor import Predictor
from highwaygraph.service.refusal import on_refused
from highwaygraph.service.worker import Worker

PATHS = (FREE, "/metrics", "/openapi.json", "/nodes/", "/predict")


class Endpoints:
    """The endpoints of one run."""

    def __init__(self, result: Result, limits: Limits) -> None:
        self.predictor, self.limits = Predictor(result), limits
        self.metrics, self.worker = Metrics(), Worker(limits)
        classes = class_names(result.data, result.logits.size(1))
        self._description = describe(self.predictor.columns, classes, limits.max_nodes)

    async def health(self, _: Request) -> Response:
        """Return that the service answers."""
        return JSONResponse({"status": "ok", "nodes": self.predictor.result.data.num_nodes})

    async def show_metrics(self, _: Request) -> Response:
        """Return the counters."""
        return PlainTextResponse(self.metrics.text(), media_type=CONTENT_TYPE)

    async def openapi(self, _: Request) -> Response:
        """Return the description of the service."""
        return JSONResponse(self._description)

    async def node(self, request: Request) -> Response:
        """Return the prediction of a node of the run."""
        row = self.predictor.node(request.path_params["id"])
        self.metrics.predicted += 1
        return JSONResponse(row)

    async def predict(self, request: Request) -> Response:
        """Return the predictions of several nodes, of the run or new."""
        body = await read_body(request, self.limits)
        answer = await self.worker.run(partial(self.predictor.answer, body, self.limits.max_nodes))
        self.metrics.predicted += len(answer["predictions"])
        return JSONResponse(answer)


def build_app(result: Result, token: str, limits: Limits = DEFAULT_LIMITS) -> Starlette:
    """Return the ASGI application that serves a run.

    Args:
        result: A run of a built-in network, opened or just trained.
        token: The token that requests have to send.
        limits: Limits of a request.

    Returns:
        The application, for uvicorn or any other ASGI server.
    """
    refuse_several_labels(result.data, "A service", "predict with highway predict RUN DATA or result.predict(data)")
    endpoints = Endpoints(result, limits)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        endpoints.worker.close()

    app = Starlette(
        routes=[
            Route("/health", endpoints.health),
            Route("/metrics", endpoints.show_metrics),
            Route("/openapi.json", endpoints.openapi),
            # An id may contain slashes.
            Route("/nodes/{id:path}", endpoints.node),
            Route("/predict", endpoints.predict, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, token=token, metrics=endpoints.metrics, paths=PATHS)],
        exception_handlers=dict.fromkeys((HighwayError, HTTPException, Exception), on_refused),
        lifespan=lifespan,
    )
    # Another path is an error of the client, not a redirect.
    app.router.redirect_slashes = False
    return app
