"""Generated tables of nodes and edges of the kinds people have, with the class of every node known."""
