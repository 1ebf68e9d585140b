"""A PostgreSQL server for tests: a cluster in a temporary folder that listens on the loopback interface only."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

USER, PASSWORD = "ada", "s3cret/p@ss#word"
"""A password with every character that an address has to escape."""


class Server(NamedTuple):
    """A running server."""

    port: int

    def url(self, password: str = PASSWORD, database: str = "postgres", port: int | None = None) -> str:
        """Return the address of a database."""
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{port or self.port}/{database}"


def programs() -> Path | None:
    """Return the folder of initdb and pg_ctl: on the path, or that of Debian's newest package."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").is_file() and (place / "pg_ctl").is_file()), None)


def free_port() -> int:
    """Return a port of the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_server() -> Iterator[Server]:
    """Yield a server; skip the test, with the reason, where it cannot be started."""
    pytest.importorskip("adbc_driver_postgresql", reason="adbc-driver-postgresql is not installed")
    place = programs()
    if place is None:
        pytest.skip("PostgreSQL is not installed (apt install postgresql)")
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        (folder / "password").write_text(PASSWORD)
        user = _user(folder)
        cluster = str(folder / "cluster")
        _run([place / "initdb", "-D", cluster, "-U", USER, "--auth=scram-sha-256", f"--pwfile={folder / 'password'}",
              "--encoding=UTF8", "--locale=C", "--no-sync"], user)  # fmt: skip
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        _run([place / "pg_ctl", "-D", cluster, "-w", "-l", folder / "log", "-o", options, "start"], user)
        try:
            yield Server(port)
        finally:
            _run([place / "pg_ctl", "-D", cluster, "-w", "-m", "immediate", "stop"], user)


def _user(folder: Path) -> str | None:
    """Return the user that runs the server: PostgreSQL refuses root."""
    if os.geteuid():
        return None
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")
    for path in (folder, *folder.iterdir()):
        os.chown(path, entry.pw_uid, entry.pw_gid)
    return "postgres"


def _run(command: list[Any], user: str | None) -> None:
    subprocess.run(
        [str(part) for part in command], check=True, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd="/", env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )  # fmt: skip
