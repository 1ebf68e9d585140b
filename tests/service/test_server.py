"""The socket of the service, and a server that drains."""

import signal
import socket
import threading
import time

import pytest
from starlette.applications import Starlette

from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.service.server import listen, run_server, url_of


def test_a_port_in_use_is_one_sentence() -> None:
    with listen("127.0.0.1", 0) as place:
        port = place.getsockname()[1]
        assert url_of(place) == f"http://127.0.0.1:{port}"
        with socket.create_connection(("127.0.0.1", port)), place.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        with pytest.raises(FailedError, match=f"Cannot listen on port {port} of 127.0.0.1 .*--port"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1", "x" * 300])
def test_an_address_that_cannot_be_used_is_one_sentence(host) -> None:
    with pytest.raises(FailedError, match="Cannot listen on port 0 of"):
        listen(host, 0)


def test_an_empty_host_is_refused() -> None:
    with pytest.raises(ConfigError, match="--host is empty, which would listen on every interface: choose another"):
        listen(" ", 0)


@pytest.mark.parametrize("delay", [0.1, 0.6], ids=["before its loop", "in its loop"])
def test_a_signal_ends_the_server_and_handlers_are_restored(delay) -> None:
    before = signal.getsignal(signal.SIGTERM)
    place = listen("127.0.0.1", 0)
    address = place.getsockname()
    threading.Timer(delay, signal.raise_signal, [signal.SIGTERM]).start()
    # A signal may come as soon as the server is announced.
    run_server(Starlette(), place, 1.0, lambda: time.sleep(0.2))
    assert signal.getsignal(signal.SIGTERM) is before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=1)
