"""Requests that are refused: a status and one sentence."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from highwaygraph.errors import HighwayError, shortened

FAILED = "The service failed on this request; its log has the traceback."


# Characters of a sentence.
MOST_SHOWN = 500


class RefusedError(HighwayError):
    """A request that is not answered.

    Args:
        status: The HTTP status, from 400.
        sentence: The cause and the remedy.
        headers: Headers of the response.

    Example:
        >>> RefusedError(404, "There is no node 'a' in this run.").status
        404
    """

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, headers


def refuse(status: int, sentence: str, headers: Any = None) -> JSONResponse:
    """Return the response of a refused request."""
    return JSONResponse({"error": sentence}, status, headers)


async def on_refused(_: Request, error: Exception) -> JSONResponse:
    """Return the response of a `RefusedError`, of any other error of this library, or of Starlette's HTTPException."""
    if isinstance(error, RefusedError):
        return refuse(error.status, str(error), error.headers)
    if isinstance(error, HTTPException):
        return refuse(error.status_code, f"{error.detail}: GET /openapi.json lists paths and methods.", error.headers)
    # The request was read, but its values do not fit the run; the sentence may quote a cell of any length.
    return refuse(422, shortened(str(error), MOST_SHOWN)) if isinstance(error, HighwayError) else refuse(500, FAILED)
