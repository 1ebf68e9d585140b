"""A graph in memory: adjacency, distances, sampling, splits, validation."""
