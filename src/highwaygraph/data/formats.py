"""What files and columns are called, known without the libraries that read them."""

PARQUET = (".parquet", ".pq")


TABLES = (".csv", ".tsv", ".txt", *PARQUET)


NETWORKS = (".graphml", ".gexf", ".gml", ".edgelist", ".edges")


RUN_PREFIX = "highway_"
"""What names of exported columns begin with that are a run's: a model must not learn from its own answers."""
