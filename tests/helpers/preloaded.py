"""Modules that commands import when they run, loaded once for all of their processes."""

import matplotlib.pyplot
import networkx
import optuna
import pandas
import pyarrow.parquet
import sklearn.manifold

from highwaygraph.cli import report_files, study_run
from highwaygraph.data.tables import sources, stream
from highwaygraph.report import html, inspection, run_page, study_page, summary
from tests.helpers import declared_sources

__all__ = [
    "declared_sources", "html", "inspection", "matplotlib", "networkx", "optuna", "pandas", "pyarrow", "report_files",
    "run_page", "sklearn", "sources", "stream", "study_page", "study_run", "summary",
]  # fmt: skip
