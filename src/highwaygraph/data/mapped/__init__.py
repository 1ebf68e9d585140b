"""Graphs on disk as memory-mapped arrays."""
