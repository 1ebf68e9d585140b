"""The numbers and pictures of the README are those of results/; its commands are run by test_commands."""

from pathlib import Path

from tools import readme

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text()


def test_generated_parts_are_up_to_date(tmp_path, monkeypatch) -> None:
    copy, picture = tmp_path / "README.md", tmp_path / "hops.svg"
    copy.write_text(TEXT)
    monkeypatch.setattr(readme, "README", copy)
    monkeypatch.setattr(readme, "FIGURE", picture)
    readme.draw()
    assert copy.read_text() == TEXT
    assert picture.read_text() == (ROOT / "docs/images/hops.svg").read_text()
