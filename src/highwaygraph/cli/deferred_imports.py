"""Modules that PyG imports and few commands use: a command executes them at their first use."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

DEFERRED = ("torch._dynamo", "torch_geometric.datasets")
"""torch's compiler; and PyG's datasets, which import pandas and, where it is installed, transformers."""


class _Deferred(ModuleType):
    """A module whose code runs at the first access to an attribute that it does not have yet.

    The lazy module of the standard library runs its code at the first access to any attribute, `__file__` included,
    which `inspect` reads of every module.
    """

    _lock = RLock()

    def __getattr__(self, name: str) -> Any:
        # Another thread waits here until the module is complete; the same thread sees the names defined so far.
        with self._lock:
            if isinstance(loader := self.__loader__, _Loader):
                loader.execute(self)
        return super().__getattribute__(name)


class _Loader(Loader):
    """Defers a module, and executes it by the loader that it would have had."""

    def __init__(self, usual: Loader) -> None:
        self.usual = usual

    def exec_module(self, module: ModuleType) -> None:
        # An import of a submodule reads it, and the package has to be complete by then.
        del module.__path__
        module.__class__ = _Deferred

    def execute(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        module.__loader__ = spec.loader = self.usual
        module.__path__ = spec.submodule_search_locations or []
        self.usual.exec_module(module)


class _Finder:
    """Finds the deferred modules, before the usual finders do."""

    @staticmethod
    def find_spec(name: str, path: Iterable[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in DEFERRED:
            return None
        # The path of a namespace package is iterable, but no sequence.
        spec = PathFinder.find_spec(name, None if path is None else list(path), target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


@contextmanager
def deferred_imports() -> Iterator[None]:
    """Execute the deferred modules, where they are imported within, at their first use.

    Example:
        >>> with deferred_imports():
        ...     import torch_geometric
        >>> torch_geometric.datasets.Planetoid.__name__
        'Planetoid'
    """
    sys.meta_path.insert(0, _Finder)
    try:
        yield
    finally:
        sys.meta_path.remove(_Finder)
