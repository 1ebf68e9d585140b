"""One PostgreSQL server for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.helpers.postgresql import Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as found:
        yield found
