"""Train any graph neural network so that nodes far from every label are classified well."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from highwaygraph.config import Config, Consistency, Fit, Highway, Mix, Network, Pairs, Select, Votes
from highwaygraph.errors import ConfigError, DataError, HighwayError, ModelError, RunError, warn_renamed
from highwaygraph.options import override
from highwaygraph.presets import PRESETS

if TYPE_CHECKING:
    from highwaygraph import models, transforms
    from highwaygraph.classifier import HighwayClassifier
    from highwaygraph.data import convert, load
    from highwaygraph.data.label_file import with_labels
    from highwaygraph.explanation.explain import explain, explain_nodes
    from highwaygraph.explanation.records import Explanation
    from highwaygraph.graph.hetero import hetero_metadata
    from highwaygraph.graph.splits import split, use_split
    from highwaygraph.labelling.suggest import suggest
    from highwaygraph.labelling.table import Suggestion, SuggestionTable
    from highwaygraph.report.comparison import compare_runs
    from highwaygraph.report.comparison_values import RunComparison
    from highwaygraph.runs.folds import Fold
    from highwaygraph.runs.history import Epoch, Round
    from highwaygraph.runs.open import open_run
    from highwaygraph.runs.result import Result
    from highwaygraph.runs.trackers.mlflow import MLflowTracker
    from highwaygraph.runs.trackers.protocol import RunEnd, RunStart, Tracker
    from highwaygraph.runs.trackers.tensorboard import TensorBoardTracker
    from highwaygraph.runs.trackers.wandb import WandbTracker
    from highwaygraph.training.choose_network import choose_network
    from highwaygraph.training.engine import train
    from highwaygraph.training.folds.cross_validate import CrossValidation, cross_validate

__version__ = version("highwaygraph")
__all__ = [
    "PRESETS",
    "Config",
    "ConfigError",
    "Consistency",
    "CrossValidation",
    "DataError",
    "Epoch",
    "Explanation",
    "Fit",
    "Fold",
    "Highway",
    "HighwayClassifier",
    "HighwayError",
    "MLflowTracker",
    "Mix",
    "ModelError",
    "Network",
    "Pairs",
    "Result",
    "Round",
    "RunComparison",
    "RunEnd",
    "RunError",
    "RunStart",
    "Select",
    "Suggestion",
    "SuggestionTable",
    "TensorBoardTracker",
    "Tracker",
    "Votes",
    "WandbTracker",
    "choose_network",
    "compare_runs",
    "convert",
    "cross_validate",
    "explain",
    "explain_nodes",
    "hetero_metadata",
    "load",
    "models",
    "open_run",
    "override",
    "split",
    "suggest",
    "train",
    "transforms",
    "use_split",
    "with_labels",
]

# These bring torch, which takes seconds to import: `highway --help` should not wait for it.
_LATER = {
    "CrossValidation": "training.folds.cross_validate",
    "Epoch": "runs.history",
    "Explanation": "explanation.records",
    "Fold": "runs.folds",
    "HighwayClassifier": "classifier",
    "MLflowTracker": "runs.trackers.mlflow",
    "Result": "runs.result",
    "Round": "runs.history",
    "RunComparison": "report.comparison_values",
    "RunEnd": "runs.trackers.protocol",
    "RunStart": "runs.trackers.protocol",
    "Suggestion": "labelling.table",
    "SuggestionTable": "labelling.table",
    "TensorBoardTracker": "runs.trackers.tensorboard",
    "Tracker": "runs.trackers.protocol",
    "WandbTracker": "runs.trackers.wandb",
    "choose_network": "training.choose_network",
    "compare_runs": "report.comparison",
    "convert": "data",
    "explain": "explanation.explain",
    "explain_nodes": "explanation.explain",
    "cross_validate": "training.folds.cross_validate",
    "hetero_metadata": "graph.hetero",
    "load": "data",
    "open_run": "runs.open",
    "split": "graph.splits",
    "suggest": "labelling.suggest",
    "train": "training.engine",
    "use_split": "graph.splits",
    "with_labels": "data.label_file",
}


def __getattr__(name: str) -> Any:
    if name in ("models", "transforms"):
        return import_module(f"highwaygraph.{name}")
    if name in _LATER:
        return getattr(import_module(f"highwaygraph.{_LATER[name]}"), name)
    if name == "Views":
        warn_renamed("highwaygraph.Views", "highwaygraph.Consistency")
        return Consistency
    raise AttributeError(f"module 'highwaygraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
