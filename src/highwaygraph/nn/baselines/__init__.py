"""Simple classifiers that every run is compared with: each takes a graph with its split and returns logits."""
