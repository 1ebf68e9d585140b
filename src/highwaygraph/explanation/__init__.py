"""Explanations of predictions: messages, labels, features, votes and highways of one node."""
