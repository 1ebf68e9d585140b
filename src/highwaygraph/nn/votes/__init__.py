"""Votes: a second prediction of every node from the predictions of nodes with similar features."""
