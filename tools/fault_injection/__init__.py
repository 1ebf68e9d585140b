"""Fault injection: kill processes, corrupt files, compare tables with their truth, and count what went wrong."""
