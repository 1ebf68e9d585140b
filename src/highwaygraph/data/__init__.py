"""Graphs in other formats, read into validated PyG data."""

from highwaygraph.data.load import convert, load

__all__ = ["convert", "load"]
