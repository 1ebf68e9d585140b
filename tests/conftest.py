"""One thread per test process, as workers run side by side; and no test fails because the machine is busy."""

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
