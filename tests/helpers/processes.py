"""Commands for tests/runs/test_fault_injection.py, in forked processes that start at once."""

import ctypes
import multiprocessing as mp
import os
import random
import resource
import signal
import sys
from pathlib import Path

import torch

from highwaygraph.cli import main
from highwaygraph.cli import training_run as _loaded  # noqa: F401 (the commands import it when they run)

CONTEXT = mp.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.helpers.processes"])


def obey() -> None:
    """Let permissions count for this process, as they do for all but root."""
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None).capset(header, none):
        raise OSError("capset")


def command(folder: Path, words: list[str], most: int | None = None, *, obeys: bool = False) -> None:
    """Run a command there without a word, writing no file larger than `most` bytes."""
    os.chdir(folder)
    torch.set_num_threads(1)
    sys.argv = ["highway", *words]
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(folder / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream.fileno())
    if most is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    if obeys:
        obey()
    main(words)


def finish(folder: Path, words: list[str], draw: random.Random, patience: float) -> int:
    """Run the command again and again, each time killed within so many seconds, until it ends by itself."""
    kills = 0
    while True:
        process = CONTEXT.Process(target=command, args=(folder, words))
        process.start()
        # A little longer each time, or a slow machine would never get anywhere.
        process.join(draw.uniform(0, patience * 1.03**kills))
        if process.exitcode is not None:
            said = (folder / "said.txt").read_text()
            assert process.exitcode == 0, said
            return kills
        process.kill()
        process.join()
        kills += 1
