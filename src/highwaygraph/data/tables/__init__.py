"""A table of nodes and a table of edges, read into a graph."""
