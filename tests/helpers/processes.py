"""Commands for tests/runs/test_fault_injection.py, in forked processes that start quickly."""

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


def drop_capabilities() -> None:
    """Drop the capabilities of root, so that file permissions apply to this process."""
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None).capset(header, none):
        raise OSError("capset")


def command(
    folder: Path, arguments: list[str], file_limit: int | None = None, *, drop_privileges: bool = False
) -> None:
    """Run a command in a folder, with its output in a file and no file larger than `file_limit` bytes."""
    os.chdir(folder)
    torch.set_num_threads(1)
    sys.argv = ["highway", *arguments]
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream.fileno())
    if file_limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    if drop_privileges:
        drop_capabilities()
    main(arguments)


def finish(folder: Path, arguments: list[str], rng: random.Random, seconds: float) -> int:
    """Run the command repeatedly, killed at a random moment within some seconds, until it finishes; count kills."""
    kills = 0
    while True:
        process = CONTEXT.Process(target=command, args=(folder, arguments))
        process.start()
        # A little longer each time: otherwise a slow machine would never finish.
        process.join(rng.uniform(0, seconds * 1.03**kills))
        if process.exitcode is not None:
            output = (folder / "output.txt").read_text()
            assert process.exitcode == 0, output
            return kills
        process.kill()
        process.join()
        kills += 1
