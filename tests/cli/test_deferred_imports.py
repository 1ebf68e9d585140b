"""Deferred modules: commands start without them, and their first use gives the usual module."""

import subprocess
import sys
from importlib import import_module

from highwaygraph.cli.deferred_imports import deferred_imports

# Each in a process of its own: in this one, the tests have imported PyG long ago.
START = """
import sys
from highwaygraph.cli.deferred_imports import DEFERRED, _Finder, deferred_imports
with deferred_imports():
    import torch_geometric
    import highwaygraph.training.engine
assert _Finder not in sys.meta_path
"""


def run(script: str) -> list[str]:
    """Return the words that a script prints after the start above."""
    done = subprocess.run([sys.executable, "-c", START + script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_library_starts_without_them() -> None:
    script = "print(*(m for m in ('torch._dynamo.utils', 'transformers', 'sympy', 'pandas') if m in sys.modules))"
    assert run(script) == []


def test_inspection_of_all_modules_executes_none() -> None:
    script = """
import inspect
inspect.getmodule(inspect.currentframe())
print(*(type(sys.modules[name]).__name__ for name in DEFERRED))
"""
    assert run(script) == ["_Deferred", "_Deferred"]


def test_first_use_fills_the_module_in_place() -> None:
    script = """
import torch
module = sys.modules["torch._dynamo"]
model = torch.nn.Linear(2, 2)
torch.optim.Adam(model.parameters()).zero_grad()  # torch's optimizers use its compiler
print(module is torch._dynamo, callable(vars(module)["disable"]), type(module.__loader__).__name__)
from torch_geometric.datasets import Planetoid
print(torch_geometric.datasets.Planetoid is Planetoid)
"""
    assert run(script) == ["True", "True", "SourceFileLoader", "True"]


def test_import_of_a_submodule_executes_the_package_first() -> None:
    script = """
package = sys.modules["torch_geometric.datasets"]
print("Planetoid" in vars(package))
import torch_geometric.datasets.planetoid
print("Planetoid" in vars(package))
"""
    assert run(script) == ["False", "True"]


def test_packages_without_an_init_file_are_imported(tmp_path, monkeypatch) -> None:
    (tmp_path / "namespace_of_tests").mkdir()
    (tmp_path / "namespace_of_tests" / "one.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    with deferred_imports():
        assert import_module("namespace_of_tests.one").VALUE == 1


def test_two_threads_get_the_complete_module() -> None:
    script = """
from threading import Thread
found = []
threads = [Thread(target=lambda: found.append(torch_geometric.datasets.ZINC)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(found), len(set(found)))
"""
    assert run(script) == ["4", "1"]
