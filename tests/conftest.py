"""One thread per test process: workers run side by side, and small tensors gain nothing from more."""

import torch

torch.set_num_threads(1)
