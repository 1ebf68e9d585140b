"""One of the two processes that train together, started by torchrun; the first writes the records."""

import json
import sys
from pathlib import Path

import torch

from highwaygraph.runtime.distributed import process_group, rank
from tests.golden import recipes
from tests.golden.records import records

if __name__ == "__main__":
    torch.set_num_threads(1)
    with process_group():
        found = records(recipes.mini_batches(processes=2))
        if rank() == 0:
            Path(sys.argv[1]).write_text(json.dumps(found))
