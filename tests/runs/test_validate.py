import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

pytest.importorskip("pandas", reason="pandas is not installed")

from highwaygraph.config import Network
from highwaygraph.errors import HighwayError, RunError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import NETWORKS, build_network
from highwaygraph.runs.open import open_run
from highwaygraph.runs.validate import read_network
from tests.helpers.hostile import FIXTURES, checksums, hostile_runs, use_run


def changed(place: Path, file: str, entries: dict) -> Path:
    """Return a copy of a run with some entries of a JSON file or some tensors replaced, and valid checksums."""
    run = Path(shutil.copytree(FIXTURES / "run-full", place / "run"))
    if file.endswith(".json"):
        value = json.loads((run / file).read_text())
        (value[0] if isinstance(value, list) else value).update(entries)
        (run / file).write_text(json.dumps(value))
    else:
        save_file(load_file(run / file) | entries, run / file)
    checksums(run)
    return run


@pytest.mark.parametrize(
    ("file", "entries", "message"),
    [
        (
            "graph.safetensors",
            {"logits": torch.zeros(59, 3)},
            r"logits of float32 \(59, 3\) for 60 nodes",
        ),
        ("graph.safetensors", {"logits": torch.zeros(60, 2)}, "logits of float32"),
        ("graph.safetensors", {"typical_logits": torch.zeros(3, 3)}, "typical_logits of float32"),
        ("graph.safetensors", {"val_mask": torch.zeros(61, dtype=torch.bool)}, "val_mask must have one entry per node"),
        ("graph.safetensors", {"highway_edges": torch.full((2, 42), 60)}, "a highway leads to a node beyond 60"),
        ("graph.safetensors", {"highway_round": torch.zeros(42)}, "highway_round is of type float32"),
        ("graph.safetensors", {"highway_confidence": torch.zeros(41)}, "highway_confidence is of type"),
        ("rounds.json", {"epochs": "12"}, r"rounds\.json\.0\.epochs should be a valid integer, not '12'"),
        ("rounds.json", {"val": 7.5}, r"rounds\.json\.0\.val should be less than or equal to 1"),
        ("meta.json", {"kept": 2}, "round 3 of 2 is selected"),  # glossary: name of version 0.1
        ("meta.json", {"stopped": "never"}, r"meta\.json\.stopped should be"),
        ("meta.json", {"classes": ["a", 2]}, r"meta\.json\.classes\.1 should be a valid string"),
        ("meta.json", {"folder": ["/"]}, r"meta\.json\.folder should be a valid string"),
        ("meta.json", {"ids": "int"}, "invalid literal"),
        ("attributes.json", {"year": [1]}, "1 cells of 'year' for 60 nodes"),
        ("config.json", {"config": {"fit": {"lr": "fast"}}}, "lr should be a valid number"),
        ("config.json", {"network": {"model": "sage", "hidden": 10**9}}, "a network of other sizes than the weights"),
        ("config.json", {"network": {"model": "sage", "layers": 10**6}}, "a network of other sizes than the weights"),
        ("typical.json", {"round": {}}, "epochs field required"),
    ],
)
def test_a_run_with_valid_checksums_and_wrong_content_is_damaged(tmp_path, file, entries, message) -> None:
    with pytest.raises(RunError, match=f"is damaged .*{message}"):
        open_run(changed(tmp_path, file, entries))


@pytest.mark.parametrize("step", [60, pytest.param(1, marks=pytest.mark.slow)])
def test_a_hostile_run_is_refused_with_a_sentence_or_sound(tmp_path, step) -> None:
    refused = several = 0
    for path in hostile_runs(tmp_path, step):
        try:
            use_run(path)
        except HighwayError as error:
            refused += len(str(error).splitlines())
            several = max(several, len(str(error).splitlines()))
    assert refused > 1500 / step
    assert several == 1


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_is_compared_without_memory(name) -> None:
    options = Network(model=name, hidden=8, layers=3)
    weights = build_network(options, 5, 3).state_dict()
    graph = Graph(x=torch.zeros(1, 5))
    again = read_network(options, weights, graph, 3).state_dict()
    assert {n: w.shape for n, w in again.items()} == {n: w.shape for n, w in weights.items()}
    for other in ({"hidden": 8 * 10**8}, {"layers": 10**9}):
        with pytest.raises(ValueError, match="other sizes than the weights"):
            read_network(Network(**(options.model_dump() | other)), weights, graph, 3)
