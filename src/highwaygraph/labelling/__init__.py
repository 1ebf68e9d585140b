"""Nodes to label next: strategies of active learning on graphs, and suggestions with a reason for each node."""
