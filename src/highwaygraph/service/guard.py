"""The token of every request, and its place in the metrics."""

import hmac
import re
import secrets
import time
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from highwaygraph.errors import ConfigError
from highwaygraph.service.metrics import Metrics
from highwaygraph.service.refusal import refuse

FREE = "/health"
"""The path that needs no token, for load balancers."""


OTHER = "other"
"""Path in the metrics of requests that no route has."""


LEAST = 16


SENTENCE = "The token is missing or wrong: send the header Authorization: Bearer TOKEN."


def check_token(token: str | None) -> str:
    """Return the token, or a new one where none is given; refuse one that is short or that a header cannot hold.

    Args:
        token: The user's token.

    Returns:
        The token.

    Example:
        >>> len(check_token(None))
        32
    """
    if token is None:
        return secrets.token_urlsafe(24)
    if not re.fullmatch(rf"[!-~]{{{LEAST},}}", token):
        raise ConfigError(f"A token has at least {LEAST} letters, digits and signs without spaces: choose another one.")
    return token


class Guard:
    """ASGI middleware: refuses requests without the token and counts all of them.

    Args:
        app: The application.
        token: The token, which requests send as `Authorization: Bearer TOKEN`.
        metrics: Counts the requests.
        paths: The paths of the routes; those that end in / stand for all paths below.
        page: A path that a browser opens, with the token in its address as `?token=TOKEN`.
        sentence: The error of a request without the token.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        metrics: Metrics,
        paths: tuple[str, ...],
        *,
        page: str | None = None,
        sentence: str = SENTENCE,
    ) -> None:
        self._app, self._token, self._metrics, self._paths = app, token.encode(), metrics, paths
        self._page, self._refused = page, refuse(401, sentence, {"www-authenticate": "Bearer"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def observe(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await (self._app if self._is_allowed(scope) else self._refused)(scope, receive, observe)
        finally:
            self._metrics.add(self._route(scope["path"]), status, time.perf_counter() - started)

    def _is_allowed(self, scope: Scope) -> bool:
        if scope["path"] == FREE:
            return True
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        if scope["path"] == self._page and scope["method"] == "GET" and not given:
            values = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
            scheme, token = b"bearer", values[0].encode()
        # The time of the comparison does not depend on the number of equal characters.
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)

    def _route(self, path: str) -> str:
        return next((one for one in self._paths if path == one or (one[-1] == "/" and path.startswith(one))), OTHER)
