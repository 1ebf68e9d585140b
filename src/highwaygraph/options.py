"""Frozen sets of options with dotted names, and how to override them."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from highwaygraph.errors import ConfigError, did_you_mean, warn_renamed

T = TypeVar("T", bound="Options")


class Options(BaseModel):
    """A frozen, strictly named set of options."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)
    renamed: ClassVar[Mapping[str, str]] = {}
    """Names of version 0.1 by their present name; they are accepted with a warning until version 0.3."""
    renamed_values: ClassVar[Mapping[str, Mapping[Any, Any]]] = {}
    """The same for values, by the present name of their field."""

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**dict(_present(type(self), options)))
        except ValidationError as error:
            raise ConfigError(_sentence(error, type(self))) from error


def override(config: T, changes: Mapping[str, Any]) -> T:
    """Return the config with dotted names replaced, checked as a whole.

    Args:
        config: The config to start from; it is not changed.
        changes: New values by dotted name, such as `{"fit.lr": 1e-3}`.

    Returns:
        A config of the same type.

    Example:
        >>> import highwaygraph as hg
        >>> hg.override(hg.PRESETS["full"], {"fit.lr": 1e-3}).fit.lr
        0.001
    """
    values = config.model_dump()
    for given, value in changes.items():
        name, present = present_option(type(config), given, value)
        *path, last = name.split(".")
        here = values
        for part in path:
            inner = here.get(part)
            if not isinstance(inner, dict):
                raise _unknown(name, config)
            here = inner
        if last not in here or isinstance(here[last], dict):
            raise _unknown(name, config)
        here[last] = present
    return type(config)(**values)


def dotted(config: Options, prefix: str = "", *, only_set: bool = False) -> dict[str, Any]:
    """Return the config as a flat dictionary.

    Args:
        config: The config.
        prefix: Prefix of all names.
        only_set: Leave out fields that were not given explicitly.

    Returns:
        Values by dotted name.

    Example:
        >>> import highwaygraph as hg
        >>> dotted(hg.Pairs(weight=0.5), "pairs.", only_set=True)
        {'pairs.weight': 0.5}
    """
    flat: dict[str, Any] = {}
    for name in type(config).model_fields:
        value = getattr(config, name)
        if isinstance(value, Options):
            flat |= dotted(value, f"{prefix}{name}.", only_set=only_set)
        elif not only_set or name in config.model_fields_set:
            flat[prefix + name] = value
    return flat


def present_option(kind: type[Options], name: str, value: Any, *, warn: bool = True) -> tuple[str, Any]:
    """Return the present dotted name and value of an option; warn where either is a name of version 0.1."""
    present: list[str] = []
    given = value
    here: type[Options] | None = kind
    for part in name.split("."):
        field = part if here is None else here.renamed.get(part, part)
        if here is not None and not isinstance(value, Options | dict):
            value = here.renamed_values.get(field, {}).get(value, value) if isinstance(value, str) else value
        present.append(field)
        here = _section(here, field)
    new = ".".join(present)
    if warn and new != name:
        warn_renamed(name, new, stacklevel=5)
    elif warn and value is not given:
        warn_renamed(f"{name}={given}", f"{name}={value}", stacklevel=5)
    return new, value


def upgrade(kind: type[Options], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored values of version 0.1 under their present names, without a warning."""
    found = dict(_present(kind, values, warn=False))
    for name, value in found.items():
        section = _section(kind, name)
        if section is not None and isinstance(value, Mapping):
            found[name] = upgrade(section, value)
    return found


def _present(kind: type[Options], options: Mapping[str, Any], *, warn: bool = True) -> list[tuple[str, Any]]:
    return [present_option(kind, name, value, warn=warn) for name, value in options.items()]


def _section(kind: type[Options] | None, name: str) -> type[Options] | None:
    """Return the type of a field that is itself a set of options, else None."""
    field = None if kind is None else kind.model_fields.get(name)
    found = None if field is None else field.annotation
    return found if isinstance(found, type) and issubclass(found, Options) else None


def _unknown(name: str, config: Options) -> ConfigError:
    return ConfigError(f"There is no option {name!r}.{did_you_mean(name, dotted(config))}")


def _sentence(error: ValidationError, kind: type[Options]) -> str:
    """Return the first error of pydantic as one sentence with the names of the options."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("literal[", "float")))
    if first["type"] == "extra_forbidden":
        known = kind.model_fields if len(first["loc"]) == 1 else dotted(kind())
        return f"There is no option {place!r}.{did_you_mean(place, known)}"
    if first["type"] == "literal_error" and isinstance(first["input"], str):
        choices = re.findall(r"'([^']+)'", first["ctx"]["expected"])
        return f"There is no {place} {first['input']!r}.{did_you_mean(first['input'], choices)}"
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    got = "" if isinstance(first["input"], dict) else f", not {first['input']!r}"
    return f"{place or kind.__name__} {message}{got}."
