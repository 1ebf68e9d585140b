"""One thread per process a test starts, as tests run side by side; and none fails because the machine is busy."""

import os

# Before torch is imported, and inherited: threads of several processes on one core wait for each other at every step.
os.environ["OMP_NUM_THREADS"] = "1"

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
