"""The records of an explanation; every value is plain, so that an explanation is written as JSON as it is."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """One classifier's part in the answer."""

    name: str
    """Name of the candidate, or "threshold" for the shift of a tuned threshold."""
    factor: float
    """Factor of its logits in the answer's logits."""
    predicted: str | None
    """Class that it predicts by itself; None for the threshold."""
    margin: float
    """Factor times the margin of its own logits; all parts sum to the answer's margin."""
    weight: float | None = None
    """Weight in a combination, as `highway train` prints it; None where the answer is no combination."""
    temperature: float | None = None
    """Temperature of its logits in a combination; the factor is the weight divided by it."""


@dataclass(frozen=True)
class MessageEffect:
    """A node of the receptive field, and the exact effect of its removal."""

    id: int | str
    hops: int
    """Hops from the explained node."""
    predicted: str
    """Class that the answer predicts for it."""
    label: str | None
    """Its class where it is a training node, else None."""
    effect: float
    """Margin with the node minus margin without it: above 0, its messages support the predicted class."""
    decides: bool
    """Whether the network prefers the runner-up without this node."""


@dataclass(frozen=True)
class LabelEffect:
    """A training label, and its influence on the network's weights."""

    id: int | str
    label: str
    hops: int | None
    """Hops from the explained node within its receptive field; None outside of it."""
    effect: float
    """Drop of the margin if the network were trained without this label, by the influence function."""
    share: float
    """Part of its absolute effect in the sum over all labels."""


@dataclass(frozen=True)
class FeatureEffect:
    """A feature, and the exact effect of its removal from the receptive field."""

    name: str
    column: int
    """Its column in the features."""
    own: bool
    """Whether the explained node itself has a value other than 0."""
    effect: float
    """Margin with the feature minus margin with zeros in its place."""
    decides: bool
    """Whether the network prefers the runner-up without this feature."""


@dataclass(frozen=True)
class VoteEffect:
    """A node that votes on the explained node."""

    id: int | str
    view: str
    """Features that it votes by, as in votes.views."""
    predicted: str
    """Class that it votes for: its label, or the prediction of the selected round."""
    label: str | None
    weight: float
    """Weight of its class probabilities in the vote."""
    effect: float
    """Its part in the voted probability of the predicted class minus that of the runner-up."""


@dataclass(frozen=True)
class HighwayReason:
    """A highway at the explained node, and the reason for it."""

    id: int | str
    """The node at its other end."""
    label: str | None
    """Class of the other end where it is a training node."""
    predicted: str
    """Class that the answer predicts for the other end."""
    same_prediction: bool
    round: int
    """Round whose predictions proposed it."""
    confidence: float
    """Confidence of the node at the end of the highway in that round."""
    pair_score: float
    """Probability in that round that both ends share a class (Eq. 9)."""
    similarity: float
    """Cosine similarity of the features of both ends."""
    shared: tuple[str, ...]
    """Features with the largest part in the similarity; a number or date of a table with the cells of both ends."""


@dataclass(frozen=True)
class NearestLabel:
    """The nearest training label on a graph."""

    hops: int | None
    """Hops to it; None where no path leads to one."""
    path: tuple[int | str, ...]
    """Ids of a shortest path from the node to the label, both included."""
    label: str | None
    """Class of that label."""
    same_class_hops: int | None
    """Hops to the nearest label of the predicted class."""


@dataclass(frozen=True)
class Explanation:
    """Why a node is predicted to be of its class.

    All margins are logits of the predicted class minus logits of the runner-up.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 3})
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> hg.explain(result, data.ids[7]).predicted in data.classes
        True
    """

    id: int | str
    node: int
    """The number of the node in the graph, from 0."""
    predicted: str
    confidence: float
    """Calibrated probability of the predicted class, as `highway predict` writes it."""
    runner_up: str
    """The second most probable class."""
    margin: float
    """Logit of the predicted class minus logit of the runner-up."""
    label: str | None
    """The class in the data, None where it is unknown."""
    split: str
    """train, val, test, or empty."""
    typical: str | None
    """Class that typical training predicts; None where it was not run."""
    answer: str
    """Name of the candidate that is the answer of the run."""
    parts: tuple[Part, ...]
    """Parts of the answer; their margins sum to `margin`."""
    network_margin: float | None
    """The network's part of the margin, recomputed on the receptive field; None where the network has no part."""
    field_nodes: int
    """Nodes of the subgraph that removal is computed on; 0 where the network has no part."""
    exact: bool
    """Whether this subgraph gives the same logits as the whole graph."""
    messages: tuple[MessageEffect, ...]
    labels: tuple[LabelEffect, ...]
    features: tuple[FeatureEffect, ...]
    voters: tuple[VoteEffect, ...]
    highways: tuple[HighwayReason, ...]
    """The highways at the node with the highest pair scores, similar ends first."""
    num_highways: int
    """All highways at the node."""
    highways_at_prediction: bool
    """Whether messages pass along highways when the node is predicted (highway.predict = highways)."""
    nearest_before: NearestLabel
    """The nearest label on the original graph."""
    nearest_after: NearestLabel
    """The nearest label on the graph with highways."""
    notes: tuple[str, ...]
    """Limits of this explanation, one sentence each."""

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists and plain values, for JSON."""
        return asdict(self)
