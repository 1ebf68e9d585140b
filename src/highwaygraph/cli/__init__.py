"""The command line: words become values here, and errors become one sentence and an exit code."""

# Importing the commands is what makes them part of the app.
from highwaygraph.cli import graphs, studies, train
from highwaygraph.cli.app import app, main

__all__ = ["app", "graphs", "main", "studies", "train"]
