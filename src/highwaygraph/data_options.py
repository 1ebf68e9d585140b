"""Options of the data: the split, and the columns of tables."""

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from highwaygraph.options import Options


class SplitChoice(Options):
    """Split of the labelled nodes into training, validation and test."""

    renamed: ClassVar = {"few": "small_classes"}

    split: Literal["auto", "given", "random", "graph"] = "auto"
    """given: the masks; random: sampled per class; graph: whole graphs, at random; auto: given if there are masks."""
    split_column: int = Field(0, ge=0)
    """Column of the masks, where the graph has several splits."""
    split_seed: int = Field(0, ge=0)
    """Seed of a random split."""
    train: int | float = Field(20, gt=0)
    """Training nodes per class of a random split; of a split by graph, training graphs or their share below 1."""
    val: int | float = Field(30, ge=0)
    """Validation nodes per class, or graphs, as for train; 0 selects by folds. The other labels are for test."""
    small_classes: Literal["auto", "share", "refuse"] = "auto"
    """Classes with too few labels: share (half train), or refuse; auto refuses if --train or --val is given."""

    @model_validator(mode="after")
    def _coherent(self) -> "SplitChoice":
        if self.split != "graph" and (self.train != int(self.train) or self.val != int(self.val)):
            raise ValueError("train and val are whole numbers of nodes: shares below 1 are for --split graph")
        return self


class FoldChoice(Options):
    """Training on all labels, with scores by folds."""

    refit: bool = False
    """Cross-validate, then train on all training and validation labels; the default where no split is given."""
    folds: int = Field(5, ge=2)
    """Number of folds before a training on all labels; fewer where the labels allow no more."""


class LabelFile(Options):
    """A file of labels beside the graph."""

    labels: str = ""
    """CSV file of labels with the columns id and class, as highway label writes it; a split is then drawn anew."""
    known: Literal["all", "train", "none"] = "all"
    """Labels of the graph itself that are kept beside those of --labels: all, those of training nodes, or none."""


class Tables(Options):
    """Columns of a graph given as tables; those left empty are inferred."""

    nodes: str = ""
    """Table or query of the nodes, where the graph is in a database."""
    edges: str = ""
    """Table of the edges, if it is not in the folder of the nodes table; in a database, a table or a query."""
    id: str = ""
    """Column of the node ids."""
    label: str = ""
    """Column of the node labels."""
    label_separator: str = ""
    """Separator of the labels in a cell, as in ';', where a node may have several; never inferred."""
    ends: str = ""
    """The two columns of ids in the table of edges, as in a,b."""
    weight: str = ""
    """Column of the edges' weights; none to leave them out."""
    edge_type: str = ""
    """Column of the edges' types, for modules of your own; built-in networks do not use it."""
    edge_features: str = ""
    """Columns of the edges' features, numbers, as in a,b, for modules of your own."""
    text: str = ""
    """Encoder of columns of text: model2vec:PATH or sentence-transformers:NAME; words are hashed unless given."""
    split_by: str = ""
    """Column of the split, with values train, val and test."""
    graph: str = ""
    """Column of the graph that a node belongs to, where the tables hold several graphs; it is never inferred."""
    target: str = ""
    """Node type to classify, in a folder with a table per type, nodes.TYPE.csv; the one with labels unless given."""
