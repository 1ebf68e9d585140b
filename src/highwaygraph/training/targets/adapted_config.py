"""The config of a run after the options that its target does not support were left out."""

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.runtime.distributed import rank
from highwaygraph.runtime.progress import stderr
from highwaygraph.training.targets.choose import target_of


def adapted_config(graph: Graph, config: Config, *, shown: bool = True) -> Config:
    """Return the config without the parts that do not carry over to several labels per node.

    Args:
        graph: The graph.
        config: All options.
        shown: Print one sentence that names these parts.

    Returns:
        The same config for one class per node.

    Example:
        >>> import torch
        >>> import highwaygraph as hg
        >>> graph = Graph(y=torch.tensor([[1, 1], [0, 1]]))
        >>> adapted_config(graph, hg.PRESETS["plus"], shown=False).highway.rounds
        1
    """
    adapted = target_of(graph).adapt(config)
    left_out = _left_out(config, adapted)
    if left_out and shown and rank() == 0:
        *first, last = left_out
        names = f"{', '.join(first)} and {last}" if first else last
        stderr.print(f"Several labels per node: {names} do not carry over and are left out.", soft_wrap=True)
    return adapted


def _left_out(before: Config, after: Config) -> list[str]:
    """Return the parts of a method that one config has and the other has not."""
    parts = {
        "further rounds with highways": before.highway.rounds > after.highway.rounds,
        "the alignment with a class prior": before.consistency.align_prior > after.consistency.align_prior,
        "votes": bool(before.votes.views) > bool(after.votes.views),
        "the combination of candidates": before.select.combine > after.select.combine,
    }
    return [name for name, is_left_out in parts.items() if is_left_out]
