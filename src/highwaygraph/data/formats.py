"""Suffixes of files and names of columns, without the libraries that read them."""

PARQUET = (".parquet", ".pq")


TABLES = (".csv", ".tsv", ".txt", *PARQUET)


NETWORKS = (".graphml", ".gexf", ".gml", ".edgelist", ".edges")


RUN_PREFIX = "highway_"
"""Prefix of exported columns with the output of a run: a model must not be trained on its own predictions."""
