"""`highway serve` as a process on a free port."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(run: Path, *options: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Start the service and yield its process and its first output; kill it where the test has not ended it."""
    words = [sys.executable, "-m", "highwaygraph", "serve", str(run), *options, "--port", "0", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=os.environ | variables, text=True, **pipes) as process:
        try:
            lines = iter(process.stdout.readline, "}\n")
            yield process, json.loads("".join(lines) + "}")
        finally:
            process.kill()


def start_and_stop(run: Path, *options: str) -> None:
    """Start the service with the options of a page, on a free port; end it by SIGTERM and check its exit code."""
    if "--port" in options:
        place = options.index("--port")
        options = (*options[:place], *options[place + 2 :])
    with served(run, *options) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
