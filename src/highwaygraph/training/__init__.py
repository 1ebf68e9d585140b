"""Algorithm 1: rounds of training and the highways between them."""
