"""The token, and the counting of requests."""

import hmac

import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.service.guard import check_token
from tests.helpers.service import TOKEN, client


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer \xff"])
@pytest.mark.parametrize("path", ["/metrics", "/openapi.json", "/nodes/p000", "/else", "/health/"])
def test_requests_without_the_token_are_refused(path, value) -> None:
    http = client()
    http.headers.clear()
    found = http.get(path, headers={"Authorization": value.encode("latin-1")} if value else {})
    assert (found.status_code, found.headers["www-authenticate"]) == (401, "Bearer")
    assert found.json()["error"].startswith("The token is missing or wrong")


def test_the_scheme_has_no_case_and_health_is_free() -> None:
    http = client()
    assert http.get("/metrics", headers={"Authorization": f"bearer  {TOKEN}"}).status_code == 200
    http.headers.clear()
    assert http.get("/health").status_code == 200


def test_tokens_are_compared_in_constant_time(monkeypatch) -> None:
    compared = []
    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((a, b)) or real(a, b))
    client().get("/metrics")
    assert compared == [(TOKEN.encode(), TOKEN.encode())]


def test_unknown_paths_share_one_counter() -> None:
    http = client()
    for path in ("/a", "/b", "/nodes/p000", "/nodes/x/y"):
        http.get(path)
    text = http.get("/metrics").text
    assert 'highway_requests_total{path="other",status="404"} 2' in text
    assert 'highway_requests_total{path="/nodes/",status="404"} 1' in text


def test_new_tokens_differ_and_weak_ones_are_refused() -> None:
    assert check_token(None) != check_token(None)
    assert check_token("0123456789abcdef") == "0123456789abcdef"
    for weak in ("", "short", "0123456789 abcdef", "0123456789abcde\n", "é" * 20):
        with pytest.raises(ConfigError, match="A token has at least 16 letters"):
            check_token(weak)
