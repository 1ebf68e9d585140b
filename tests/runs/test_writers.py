"""Every writer on a full disk and through links: the old file stays, and no file elsewhere is changed."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from highwaygraph.errors import FailedError
from tests.helpers.example import run
from tests.helpers.writers import REPLACING, WRITERS, full_disk, tree, with_other_logits

SRC = Path(__file__).resolve().parents[2] / "src" / "highwaygraph"
WRITING = {
    *("write_text", "write_bytes", "touch", "savez", "savez_compressed", "save_file"),
    *("to_parquet", "to_excel", "to_pickle", "to_json", "write_graphml", "savefig", "tofile", "dump", "mkstemp"),
}
STAGED = "inside a staged file or folder"
ALLOWED = {
    ("data/download.py", "write_bytes"): STAGED,
    ("data/mapped/external_sort.py", "open"): "temporary files inside a staged folder",
    ("data/mapped/store.py", "memmap"): STAGED,
    ("data/mapped/store.py", "open"): STAGED,
    ("data/mapped/store.py", "touch"): STAGED,
    ("data/mapped/store.py", "write_text"): STAGED,
    ("data/npz.py", "open"): STAGED,
    ("data/npz.py", "savez_compressed"): STAGED,
    ("data/safetensors_io.py", "save_file"): STAGED,
    ("report/run_page.py", "savefig"): "into memory",
    ("report/style.py", "savefig"): "inside staged files, or into memory",
    ("runs/export.py", "write_graphml"): STAGED,
    ("runs/folder.py", "save_file"): STAGED,
    ("runs/folder.py", "write_bytes"): STAGED,
    ("runs/folder.py", "write_text"): STAGED,
    ("runs/predictions.py", "to_parquet"): STAGED,
    ("runs/predictions.py", "write_bytes"): STAGED,
    ("runtime/environment.py", "write_text"): "a setting of the kernel, no file",
    ("study/records.py", "open"): "lines are appended, and cut off again if they are incomplete",
}


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize("name", REPLACING)
def test_a_full_disk_keeps_the_old_files(tmp_path, name: str, limit: int) -> None:
    REPLACING[name](run(), tmp_path)
    before = tree(tmp_path)
    with full_disk(limit), pytest.raises(FailedError, match="File too large"):
        REPLACING[name](with_other_logits(run()), tmp_path)
    assert tree(tmp_path) == before
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_no_partial_file(tmp_path, name: str) -> None:
    with full_disk(1000), pytest.raises(FailedError, match="File too large"):
        WRITERS[name](run(), tmp_path)
    assert tree(tmp_path) == {}
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("name", REPLACING)
def test_a_link_is_replaced_and_its_target_stays(tmp_path, name: str) -> None:
    for folder in ("out", "elsewhere"):
        (tmp_path / folder).mkdir()
    written = REPLACING[name](run(), tmp_path / "out")
    for number, path in enumerate(written):
        if path.name not in ("config.json", "model.safetensors"):
            path.rename(tmp_path / "elsewhere" / str(number))
            path.symlink_to(tmp_path / "elsewhere" / str(number))
    before = tree(tmp_path / "elsewhere")
    assert REPLACING[name](with_other_logits(run()), tmp_path / "out") == written
    assert tree(tmp_path / "elsewhere") == before
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))


def direct_writes() -> Iterator[tuple[str, str]]:
    """Yield module and call of everything in the package that writes a file outside of runtime/atomic.py."""
    for path in sorted(SRC.rglob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        for call in calls if path.name != "atomic.py" else []:
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            modes = {str(value.value) for value in values if isinstance(value, ast.Constant)}
            opened = name in ("open", "memmap", "fdopen") and modes & {
                "w",
                "wb",
                "w+",
                "r+",
                "a",
                "ab",
                "x",
                "xb",
                "r+b",
            }
            if name in WRITING or opened:
                yield path.relative_to(SRC).as_posix(), name


def test_no_module_writes_directly() -> None:
    found = Counter(direct_writes())
    assert not set(found) - set(ALLOWED), "write through runtime/atomic.py, or add the call with its reason"
    assert not set(ALLOWED) - set(found), "no longer there"
