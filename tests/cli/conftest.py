from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every command in an empty folder, so that unexpected files are found."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
