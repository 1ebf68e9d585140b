import base64
import hashlib
import json
import re

import pytest

from highwaygraph.errors import FailedError
from highwaygraph.report import html


def test_json_in_a_page_cannot_end_its_script() -> None:
    value = {"id": "</script><script>alert(1)</script>", "line": "a\u2028b & c"}
    text = str(html.document(value))
    assert "<" not in text
    assert "&" not in text
    assert json.loads(text) == value


def test_the_policy_allows_only_these_scripts() -> None:
    policy = html.policy(["let a = 1;"])
    digest = base64.b64encode(hashlib.sha256(b"let a = 1;").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "connect-src" not in policy
    assert html.policy([], connects=True).endswith("connect-src 'self'")


def test_an_undefined_variable_is_an_error() -> None:
    with pytest.raises(Exception, match="undefined"):
        html.render("run.html", {}, {})


def test_a_page_is_written_atomically(tmp_path) -> None:
    path = html.write(tmp_path / "deep" / "a.html", "é")
    assert path.read_text(encoding="utf-8") == "é"
    assert [p.name for p in path.parent.iterdir()] == ["a.html"]
    (tmp_path / "file").touch()
    with pytest.raises(FailedError, match="Choose another file with --out"):
        html.write(tmp_path / "file" / "a.html", "")


def test_no_style_contains_its_closing_tag() -> None:
    for path in html.ASSETS.glob("*.css"):
        assert not re.search("</style", path.read_text(), re.IGNORECASE)
