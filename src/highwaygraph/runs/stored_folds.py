"""Out-of-fold predictions in a run folder: records as folds.json, predictions beside those of the graph."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.runs.folder import Contents
from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.history import from_record, to_record
from highwaygraph.runtime.parsing import checked

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class _Record(BaseModel):
    """The record of a fold, with null for NaN."""

    number: Count
    nodes: Count
    accuracy: Share
    typical: Share | None
    val: Share | None
    best_round: Count
    epochs: list[Count] = Field(min_length=1)
    typical_epochs: int = Field(0, ge=0)
    answer: str = ""
    network: str = ""
    seconds: float = 0.0


LOGITS = ("fold_logits", "fold_typical_logits")
RECORDS = TypeAdapter(Annotated[list[_Record], Field(min_length=2)])


def fold_records(folds: OutOfFold) -> list[dict[str, Any]]:
    """Return the records for folds.json."""
    return [to_record(asdict(one)) for one in folds.folds]


def fold_summary(folds: OutOfFold) -> dict[str, Any]:
    """Return the scores by folds, for JSON."""
    low, high = folds.interval
    scores = {"accuracy": folds.accuracy, "error": folds.error, "low": low, "high": high}
    return to_record(scores | {"typical": folds.typical_accuracy}) | {"each": fold_records(folds)}


def fold_tensors(folds: OutOfFold | None) -> dict[str, Tensor]:
    """Return the predictions, for the tensors of the run."""
    if folds is None:
        return {}
    typical = {} if folds.typical is None else {"fold_typical_logits": folds.typical}
    return {"fold_nodes": folds.nodes, "fold_number": folds.fold, "fold_logits": folds.logits} | typical


def read_folds(contents: Contents, data: Graph, classes: int) -> OutOfFold | None:
    """Return the out-of-fold predictions of a run, None where it has none.

    Args:
        contents: The content of the run folder.
        data: The graph with its split.
        classes: Number of columns of the logits.

    Raises:
        ValueError: Records and predictions do not fit each other or the graph.
    """
    if contents.folds is None:
        return None
    records = checked(RECORDS, contents.folds, "folds.json")
    folds = tuple(Fold(**from_record(one.model_dump() | {"epochs": tuple(one.epochs)})) for one in records)
    nodes, number = contents.graph["fold_nodes"], contents.graph["fold_number"]
    if nodes.tolist() != data.train_mask.nonzero().flatten().tolist():
        raise ValueError("the folds are of other nodes than the training nodes")
    counts = number.bincount(minlength=len(folds)).tolist() if _is_index(number, len(nodes)) else []
    if counts != [one.nodes for one in folds] or [one.number for one in folds] != [*range(1, len(folds) + 1)]:
        raise ValueError("folds.json has other numbers of nodes than the folds")
    logits, typical = (_logits(contents.graph, name, (len(nodes), classes)) for name in LOGITS)
    if logits is None:
        raise ValueError("there are no fold_logits")
    return OutOfFold(nodes, data.y[nodes], number, logits, typical, folds)


def _is_index(number: Tensor, count: int) -> bool:
    whole = not number.is_floating_point() and not number.is_complex()
    return whole and number.shape == (count,) and int(number.min()) >= 0


def _logits(tensors: Mapping[str, Tensor], name: str, shape: tuple[int, int]) -> Tensor | None:
    logits = tensors.get(name)
    if logits is not None and (logits.shape != shape or not logits.is_floating_point()):
        raise ValueError(f"{name} of shape {tuple(logits.shape)} in place of {shape}")
    return logits
