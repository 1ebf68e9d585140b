"""Pictures of pages for a look before a release."""

import pytest

from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_page import write_page
from tests.helpers.browser import CHROMIUM, chromium
from tests.helpers.compared import two_runs
from tools.page_pictures import take

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def test_a_page_has_a_picture_per_width_and_scheme(tmp_path) -> None:
    page = write_page(compare_runs(two_runs()), tmp_path / "compare.html")
    with chromium() as browser:
        found = take(browser, page, tmp_path / "comparison")
    names = [f"comparison-{width}-{scheme}.png" for width in (1280, 390) for scheme in ("light", "dark")]
    assert [path.name for path in found] == names
    assert all(path.stat().st_size > 10_000 for path in found)


def test_a_page_that_makes_a_request_is_refused(tmp_path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<!doctype html><title>x</title><img src="http://localhost:9/x.png" alt="">')
    with chromium() as browser, pytest.raises(RuntimeError, match=r"page\.html"):
        take(browser, page, tmp_path / "page")


def test_a_long_page_is_whole(tmp_path) -> None:
    from PIL import Image

    page = tmp_path / "long.html"
    rows = "".join(f'<div style="height:1000px;background:rgb({20 * i},0,0)"></div>' for i in range(12))
    page.write_text(f'<!doctype html><title>x</title><body style="margin:0">{rows}')
    with chromium() as browser:
        picture = Image.open(take(browser, page, tmp_path / "long")[0])
    assert picture.size == (1280, 12_000)
    assert [picture.getpixel((5, 1000 * i + 500)) for i in range(12)] == [(20 * i, 0, 0) for i in range(12)]
