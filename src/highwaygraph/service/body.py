"""The body of a request: read within limits of size and time, and parsed as JSON."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from highwaygraph.errors import shortened
from highwaygraph.service.refusal import RefusedError

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of one request, and of all that wait.

    Example:
        >>> Limits(max_nodes=10).max_nodes
        10
    """

    max_nodes: int = 1000
    """Most nodes of a request."""
    max_mib: float = 8.0
    """Most MiB of a body."""
    timeout: float = 60.0
    """Seconds to receive a body, and seconds until its predictions are there."""
    max_waiting: int = 64
    """Most requests that wait for the worker thread."""


DEFAULT_LIMITS = Limits()


# A client that is still sending does not see an answer: this much of a body above the limit is read and dropped.
MOST_DROPPED = 64 * MIB


class Written(str):
    """A number of a JSON document as it is written, so that its digits reach the encoders as those of a CSV file do."""

    __slots__ = ()


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body; refuse one that is too large, too slow or incomplete.

    Args:
        request: The request.
        limits: Its limits.

    Returns:
        The bytes.
    """
    most = int(limits.max_mib * MIB)
    declared = request.headers.get("content-length", "")
    # A client with the header Expect sends nothing after a refusal.
    dropped = 0 if "expect" in request.headers else MOST_DROPPED
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > most + dropped):
        raise _too_large(limits)
    try:
        return await asyncio.wait_for(_received(request, most, lambda: _too_large(limits)), limits.timeout)
    except TimeoutError as error:
        raise RefusedError(408, f"The body did not arrive within {limits.timeout:g} seconds: send it again.") from error
    except ClientDisconnect as error:
        raise RefusedError(400, "The connection ended before the body was complete: send it again.") from error


async def _received(request: Request, most: int, too_large: Callable[[], RefusedError]) -> bytes:
    received, total = bytearray(), 0
    async for chunk in request.stream():
        total += len(chunk)
        if total > most + MOST_DROPPED:
            raise too_large()
        if total <= most:
            received += chunk
        else:
            received.clear()
    if total > most:
        raise too_large()
    return bytes(received)


def _too_large(limits: Limits) -> RefusedError:
    # The rest of the body may not have been read, so that the connection cannot be used again.
    return RefusedError(
        413,
        f"The body is larger than {limits.max_mib:g} MiB: send fewer nodes at once, or raise --max-mib.",
        {"connection": "close"},
    )


def parse_json(body: bytes) -> Any:
    r"""Return a JSON document with its numbers as they are written.

    Args:
        body: JSON in UTF-8.

    Returns:
        The document; numbers are `Written`.

    Example:
        >>> parse_json(b'{"score": 1.50}')
        {'score': '1.50'}
    """
    try:
        # A byte order mark is accepted, as in CSV files.
        text = body.decode("utf-8-sig")
        return json.loads(
            text, parse_int=Written, parse_float=Written, parse_constant=_not_json, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise RefusedError(400, f"The body is no valid JSON in UTF-8 ({shortened(reason)}): correct it.") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


def _not_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")
