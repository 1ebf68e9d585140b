"""The examples in the docstrings of all public names and of the equations run."""

import doctest
import inspect
from importlib import import_module

import pytest

import highwaygraph as hg

MODULES = (
    "training.pairs",
    "training.highways",
    "training.consistency",
    "training.metrics",
    "nn.functional",
    "options",
    "presets",
)
# Subclasses of HighwayError need no example of their own.
# The example of cross_validate is that of CrossValidation.
WITHOUT = ("ConfigError", "DataError", "ModelError", "RunError", "cross_validate")


def public_objects() -> dict[str, object]:
    """Return every public name, and the public functions of public modules."""
    found = {name: getattr(hg, name) for name in hg.__all__ if name != "PRESETS"}
    for name, value in list(found.items()):
        if inspect.ismodule(value):
            del found[name]
            parts = vars(value).items()
            found |= {f"{name}.{part}": one for part, one in parts if getattr(one, "__module__", "") == value.__name__}
    return found


def examples() -> list[doctest.DocTest]:
    """Return the examples of all public names, their methods, and the modules of the equations."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for name, value in public_objects().items() for test in finder.find(value, name)]
    for name in MODULES:
        module = import_module(f"highwaygraph.{name}")
        tests += finder.find(module, module.__name__)
    return [test for test in tests if test.examples]


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_example(test: doctest.DocTest) -> None:
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0


@pytest.mark.parametrize("name", [name for name in public_objects() if name not in WITHOUT])
def test_every_public_name_has_an_example(name) -> None:
    assert ">>>" in (inspect.getdoc(public_objects()[name]) or "")


@pytest.mark.parametrize("name", public_objects())
def test_every_public_function_documents_its_arguments(name) -> None:
    value = public_objects()[name]
    own = {name: value} if inspect.isfunction(value) else _methods(value)
    for place, function in own.items():
        text = inspect.getdoc(function) or ""
        assert text, place
        if text.startswith("Deprecated"):
            continue
        arguments = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
        assert not arguments or "Args:" in text, place


def _methods(kind: object) -> dict[str, object]:
    members = vars(kind).items() if inspect.isclass(kind) and not hasattr(kind, "model_fields") else ()
    return {name: one for name, one in members if inspect.isfunction(one) and not name.startswith("_")}
