"""Graphs in other people's formats, read into checked PyG data."""

from highwaygraph.data.load import convert, load

__all__ = ["convert", "load"]
