"""JSON and TOML of untrusted files: text that cannot be parsed, or is nested too deeply, is a ValueError."""

import json
import tomllib
from typing import Any

# No file of this library nests deeper than ten.
MAX_DEPTH = 64


def parse_json(text: str | bytes) -> Any:
    """Return the value in a JSON document.

    Args:
        text: The document.

    Raises:
        ValueError: It is no JSON, or nested more than `MAX_DEPTH` deep.

    Example:
        >>> parse_json('{"a": [1, null]}')
        {'a': [1, None]}
    """
    try:
        return _shallow(json.loads(text))
    except RecursionError:
        raise _too_deep() from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table in a TOML document; raise ValueError as `parse_json` does."""
    try:
        table: dict[str, Any] = _shallow(tomllib.loads(text))
    except RecursionError:
        raise _too_deep() from None
    return table


def _shallow(value: Any) -> Any:
    """Return the value; a deep one would exhaust the stack of whatever walks through it later."""
    level, depth = [value], 0
    while level := [inner for outer in level for inner in _inner(outer)]:
        depth += 1
        if depth > MAX_DEPTH:
            raise _too_deep()
    return value


def _inner(value: Any) -> list[Any]:
    """Return the containers within a value."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in values if isinstance(inner, dict | list)]


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {MAX_DEPTH} deep")
