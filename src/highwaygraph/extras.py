"""Libraries that only some installations have: found when they are needed, or the way to them is said."""

from importlib import import_module
from typing import Any

from highwaygraph.errors import ConfigError


def need(module: str, what: str, extra: str) -> Any:
    """Return the module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.split(".", maxsplit=1)[0].replace("sklearn", "scikit-learn")
        raise ConfigError(f"{what} needs {name}: pip install 'highwaygraph[{extra}]'.") from error
