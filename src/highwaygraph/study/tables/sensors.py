"""Sensors: numbers in different units, and edges whose weights matter."""

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import Tables, make_tables, sample_classes, sample_edges, sample_numbers

STATES = ("blocked", "drift", "leak", "normal")
# Name, mean and deviation of every measurement, in its own unit.
UNITS = {
    "temperature_k": (293.0, 4.0),
    "pressure_pa": (101_325.0, 900.0),
    "flow_m3_s": (0.004, 0.0008),
    "voltage_mv": (3300.0, 40.0),
    "humidity": (0.45, 0.1),
    "frequency_hz": (2.4e9, 1e6),
    "vibration_g": (0.02, 0.006),
    "level_mm": (-120.0, 35.0),
}


def sensors(rng: Generator) -> Tables:
    """Return 1,500 sensors in four states.

    Args:
        rng: Random generator.

    Returns:
        The tables; the state is the label, and edges within a state weigh more.

    Example:
        >>> list(sensors(np.random.default_rng(0)).edges)
        ['source', 'target', 'weight']
    """
    y = sample_classes(rng, (15, 20, 15, 50), 1500)
    columns = {name: mean + spread * sample_numbers(rng, y, 0.45) for name, (mean, spread) in UNITS.items()}
    edges = sample_edges(rng, y, 8, 0.15)
    same = y[edges["source"]] == y[edges["target"]]
    weight = rng.gamma(2.0, np.where(same, 0.5, 0.05)).round(4) + 1e-4
    return make_tables(rng, np.asarray(STATES)[y], columns, {**edges, "weight": weight})
