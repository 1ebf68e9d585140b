"""Errors become a status and one sentence."""

import asyncio
import json

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from highwaygraph.errors import DataError
from highwaygraph.service.refusal import RefusedError, on_refused


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (RefusedError(413, "Too large: send less.", {"connection": "close"}), 413, "Too large: send less."),
        (DataError("No column 'a'."), 422, "No column 'a'."),
        (DataError("x" * 10_000), 422, "x" * 499 + "…"),
        (HTTPException(405), 405, "Method Not Allowed: GET /openapi.json lists paths and methods."),
        (KeyError("secret"), 500, "The service failed on this request; its log has the traceback."),
    ],
)
def test_every_error_has_a_status_and_a_sentence(error, status, sentence) -> None:
    found = asyncio.run(on_refused(Request({"type": "http"}), error))
    assert (found.status_code, json.loads(found.body)) == (status, {"error": sentence})
    assert ("connection" in found.headers) == (status == 413)
