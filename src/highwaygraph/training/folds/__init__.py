"""Cross-validation, and a model trained on all labels after it."""
