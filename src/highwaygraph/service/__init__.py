"""An HTTP service that classifies nodes of a run, and new nodes attached to its graph."""
