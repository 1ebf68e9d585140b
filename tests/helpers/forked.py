"""Processes that are forked from one with all modules loaded, so that each starts in milliseconds."""

from tests.helpers.processes import CONTEXT, command

CONTEXT.set_forkserver_preload(["tests.helpers.processes", "tests.helpers.preloaded"])

__all__ = ["CONTEXT", "command"]
