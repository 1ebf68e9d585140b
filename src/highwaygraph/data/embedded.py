"""The dataset that is inside the package."""

from pathlib import Path

CORA = Path(__file__).with_name("cora.npz")
"""Cora in Planetoid's node order, as tools/build_cora.py writes it."""
