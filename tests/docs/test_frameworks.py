"""Runs the blocks of the page on Lightning and skorch where these packages are installed."""

import pytest

from tests.helpers.commands import ROOT, blocks

PAGE = ROOT / "docs/howto/frameworks.md"


# Both packages warn of their own use of other packages.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("heading", "package"), [("Lightning", "pytorch_lightning"), ("skorch", "skorch")])
def test_the_blocks_of_a_section_run(heading, package, tmp_path, monkeypatch) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = [block for block in blocks(PAGE, "py") if block in section]
    assert found
    names: dict[str, object] = {"__name__": "block"}
    exec("import highwaygraph as hg\n" + "\n".join(found), names)
    assert len(names["result"].rounds) >= 1
