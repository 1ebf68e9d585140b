"""The process of the service: its socket, its signals, and its end."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from highwaygraph.errors import ConfigError, FailedError

# Connections at once; further ones get 503.
MAX_CONNECTIONS = 256


# Seconds that a connection without a request stays open.
KEEP_ALIVE = 5


REMEDY = "choose another one with --port, or another --host"


def listen(host: str, port: int, remedy: str = REMEDY) -> socket.socket:
    """Return a socket that listens; the error of an address that cannot be used names the remedy.

    Args:
        host: Name or address of an interface.
        port: Port; 0 for any that is free.
        remedy: The end of the error's sentence.

    Returns:
        The socket.

    Example:
        >>> with listen("127.0.0.1", 0) as place:
        ...     place.getsockname()[0]
        '127.0.0.1'
    """
    if not host.strip():
        raise ConfigError(f"--host is empty, which would listen on every interface: {remedy}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        place = socket.create_server((host, port), family=family, backlog=MAX_CONNECTIONS)
    except (OSError, UnicodeError) as error:
        # Python appends the address, which the sentence names already.
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while attempting")[0]
        raise FailedError(f"Cannot listen on port {port} of {host} ({reason}): {remedy}.") from error
    # Connections inherit it. Without it, the body of an answer waits 40 ms for the acknowledgement of its head.
    place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return place


def url_of(place: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = place.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(app: ASGIApp, place: socket.socket, drain: float, notify: Callable[[], object]) -> None:
    """Answer requests until SIGTERM or SIGINT; requests that have begun are answered first.

    Args:
        app: The application.
        place: A listening socket, which is closed at the end.
        drain: Most seconds to answer requests that have begun.
        notify: Called when connections are accepted and signals are handled.
    """
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=max(1, round(drain)),
        )
    )
    with place, _stopped_by_signals(server):
        notify()
        server.run(sockets=[place])


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """End the server at a signal; uvicorn sends it again after its end, which would end the process with an error."""

    def stop(*_: Any) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
