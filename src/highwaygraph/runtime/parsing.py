"""JSON and TOML of untrusted files: text that cannot be parsed, or values of other types, are a ValueError."""

import json
import reprlib
import tomllib
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import ValidationError

T_co = TypeVar("T_co", covariant=True)


@runtime_checkable
class Adapter(Protocol[T_co]):
    """A pydantic TypeAdapter."""

    def validate_python(self, value: Any, /, *, strict: bool | None = None) -> T_co:
        """Return the value as the type of the adapter."""
        ...


# No file of this library nests deeper than ten.
MAX_DEPTH = 64


def parse_json(text: str | bytes) -> Any:
    """Return the value in a JSON document.

    Args:
        text: The document.

    Raises:
        ValueError: It is no JSON, nested more than `MAX_DEPTH` deep, or has half of a surrogate pair, which is no text.

    Example:
        >>> parse_json('{"a": [1, null]}')
        {'a': [1, None]}
    """
    try:
        value = _shallow(json.loads(text))
    except RecursionError:
        raise _too_deep() from None
    if "\\ud" in (text if isinstance(text, str) else text.decode(errors="replace")).lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table in a TOML document; raise ValueError as `parse_json` does."""
    try:
        table: dict[str, Any] = _shallow(tomllib.loads(text))
    except RecursionError:
        raise _too_deep() from None
    return table


def checked(kind: Adapter[T_co], value: Any, name: str) -> T_co:
    """Return a parsed value as the type that it should have.

    Args:
        kind: The type; whole numbers may stand for floats, nothing else is converted.
        value: The value.
        name: Its name in the error.

    Raises:
        ValueError: The value is of another type; the message names the first place.

    Example:
        >>> from pydantic import TypeAdapter
        >>> checked(TypeAdapter(list[int]), [1, "2"], "counts")
        Traceback (most recent call last):
        ...
        ValueError: counts.1 should be a valid integer, not '2'
    """
    try:
        return kind.validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join([name, *(str(part) for part in first["loc"])])
        message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
        raise ValueError(f"{place} {message[:1].lower()}{message[1:]}, not {reprlib.repr(first['input'])}") from None


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
