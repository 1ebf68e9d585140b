"""One class per built-in network."""
