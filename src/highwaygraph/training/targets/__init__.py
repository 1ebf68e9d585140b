"""The target of a training: one class per node, or several labels per node."""
