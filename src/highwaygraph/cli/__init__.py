"""The command line: arguments become options, and errors become one sentence and an exit code."""

# Importing a module of commands registers them with the app.
from highwaygraph.cli import compare, explain, graphs, label, serve, studies, suggest, train
from highwaygraph.cli.app import app, main

__all__ = ["app", "compare", "explain", "graphs", "label", "main", "serve", "studies", "suggest", "train"]
