"""Two tables, nodes and edges, read into a graph."""
