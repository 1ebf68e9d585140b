"""Frozen sets of options with dotted names, and the one way to change them."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from highwaygraph.errors import ConfigError, did_you_mean

T = TypeVar("T", bound="Options")


class Options(BaseModel):
    """A frozen, strictly named set of options."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValidationError as error:
            raise ConfigError(_sentence(error, type(self))) from error


def override(config: T, changes: Mapping[str, Any]) -> T:
    """Return the config with dotted names replaced, as in {'fit.lr': 1e-3}, checked as a whole."""
    values = config.model_dump()
    for name, value in changes.items():
        *path, last = name.split(".")
        here = values
        for part in path:
            inner = here.get(part)
            if not isinstance(inner, dict):
                raise _unknown(name, config)
            here = inner
        if last not in here or isinstance(here[last], dict):
            raise _unknown(name, config)
        here[last] = value
    return type(config)(**values)


def dotted(config: Options, prefix: str = "", *, only_set: bool = False) -> dict[str, Any]:
    """Return the config flat, as {'fit.lr': 0.01, ...}; only_set keeps what was given explicitly."""
    flat: dict[str, Any] = {}
    for name in type(config).model_fields:
        value = getattr(config, name)
        if isinstance(value, Options):
            flat |= dotted(value, f"{prefix}{name}.", only_set=only_set)
        elif not only_set or name in config.model_fields_set:
            flat[prefix + name] = value
    return flat


def _unknown(name: str, config: Options) -> ConfigError:
    return ConfigError(f"There is no option {name!r}.{did_you_mean(name, dotted(config))}")


def _sentence(error: ValidationError, kind: type[Options]) -> str:
    """Say the first thing pydantic found in the user's words."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("literal[", "float")))
    if first["type"] == "extra_forbidden":
        known = kind.model_fields if len(first["loc"]) == 1 else dotted(kind())
        return f"There is no option {place!r}.{did_you_mean(place, known)}"
    if first["type"] == "literal_error" and isinstance(first["input"], str):
        choices = re.findall(r"'([^']+)'", first["ctx"]["expected"])
        return f"There is no {place} {first['input']!r}.{did_you_mean(first['input'], choices)}"
    what = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    got = "" if isinstance(first["input"], dict) else f", not {first['input']!r}"
    return f"{place or kind.__name__} {what}{got}."
