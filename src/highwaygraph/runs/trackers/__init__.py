"""Experiment trackers: a protocol, and adapters for TensorBoard, MLflow and Weights & Biases."""
