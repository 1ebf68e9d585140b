"""Grids of runs, their records and tables, and hyper-parameter search."""
