"""Bodies are read within limits and parsed without loss."""

import asyncio
from collections.abc import Callable

import pytest
from starlette.requests import Request
from starlette.types import Message

from highwaygraph.service.body import Limits, parse_json, read_body
from highwaygraph.service.refusal import RefusedError


def request(receive: Callable[[], object], length: str = "") -> Request:
    async def next_message() -> Message:
        found = receive()
        if found is None:
            await asyncio.sleep(30)
        return found

    headers = [(b"content-length", length.encode())] if length else []
    return Request({"type": "http", "headers": headers}, next_message)


def status(receive: Callable[[], object], length: str = "") -> int:
    limits = Limits(max_mib=0.001, timeout=0.05)
    with pytest.raises(RefusedError) as refused:
        asyncio.run(read_body(request(receive, length), limits))
    return refused.value.status


def test_a_body_in_parts_is_joined() -> None:
    parts = iter([(b"ab", True), (b"c", False)])

    def receive() -> Message:
        body, more = next(parts)
        return {"type": "http.request", "body": body, "more_body": more}

    assert asyncio.run(read_body(request(receive), Limits())) == b"abc"


def test_slow_incomplete_and_large_bodies_are_refused() -> None:
    assert status(lambda: None) == 408
    assert status(lambda: {"type": "http.disconnect"}) == 400
    assert status(lambda: {"type": "http.request", "body": b"x" * 2**24, "more_body": True}) == 413
    # Refused by the declared length, before anything is received.
    assert status(lambda: pytest.fail("read"), str(2**27)) == 413
    assert status(lambda: pytest.fail("read"), "9" * 5000) == 413


def test_the_rest_of_a_large_body_is_dropped_so_that_its_sender_sees_the_answer() -> None:
    parts = iter([(b"x" * 900, True), (b"x" * 900, True), (b"x", False)])

    def receive() -> Message:
        body, more = next(parts)
        return {"type": "http.request", "body": body, "more_body": more}

    assert status(receive, "1801") == 413
    assert not list(parts)


def test_numbers_keep_their_digits() -> None:
    assert parse_json(b"\xef\xbb\xbf[1.50, 007e1, 1]".replace(b"007e1", b"7E1")) == ["1.50", "7E1", "1"]


@pytest.mark.parametrize("body", [b"", b"{", b"NaN", b"[-Infinity]", b'{"a": 1, "a": 2}', b"[" * 100_000, b"\xff"])
def test_other_bodies_are_refused(body) -> None:
    with pytest.raises(RefusedError, match="^The body is no valid JSON in UTF-8 .*: correct it.$") as refused:
        parse_json(body)
    assert refused.value.status == 400
