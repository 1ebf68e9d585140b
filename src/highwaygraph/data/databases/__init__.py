"""Tables and queries of databases: SQLite and DuckDB files, and PostgreSQL servers."""
