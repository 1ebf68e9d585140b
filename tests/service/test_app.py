"""The endpoints, through Starlette's test client."""

import pytest

from highwaygraph.service.app import PATHS
from highwaygraph.service.body import Limits
from tests.helpers.service import NEW, client, malformed


def test_the_endpoints_answer() -> None:
    with client() as http:
        assert http.get("/health").json() == {"status": "ok", "nodes": 180}
        assert http.get("/nodes/p003").json()["id"] == "p003"
        assert http.get("/openapi.json").json()["openapi"] == "3.1.0"
        rows = http.post("/predict", json=NEW).json()["predictions"]
        assert [row["id"] for row in rows] == ["n0", "n1", "n2", "n3"]
        assert [row["hops"] is None for row in rows] == [False, False, True, False]
        assert len(http.post("/predict", json={"ids": ["p001", "p000"]}).json()["predictions"]) == 2
        text = http.get("/metrics").text
    assert 'highway_requests_total{path="/predict",status="200"} 2' in text
    assert "highway_predicted_nodes_total 7" in text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nodes/ghost", 404),
        ("GET", "/nodes/", 404),
        ("GET", "/nodes/a/b%2Fc%00", 404),
        ("GET", "/else", 404),
        ("GET", "/predict/", 404),
        ("GET", "/predict", 405),
        ("POST", "/health", 405),
        ("DELETE", "/nodes/p000", 405),
    ],
)
def test_other_paths_and_methods_are_refused(method, path, status) -> None:
    with client() as http:
        found = http.request(method, path)
    assert found.status_code == status
    assert found.json()["error"].endswith(".")


def test_malformed_requests_never_fail_the_service() -> None:
    statuses = []
    with client() as http:
        for body in malformed(200):
            found = http.post("/predict", content=body)
            statuses.append(found.status_code)
            assert found.status_code in (200, 400, 413, 422), (body, found.text)
            if found.status_code != 200:
                sentence = found.json()["error"]
                assert (sentence[-1], "\n" in sentence, "Traceback" in sentence) == (".", False, False), sentence
        assert http.post("/predict", json=NEW).status_code == 200
    assert len(statuses) == 200
    assert statuses.count(400) > 60
    assert statuses.count(422) > 60
    assert statuses.count(200) < 40


def test_size_and_number_are_limited() -> None:
    with client(Limits(max_nodes=2, max_mib=0.001)) as http:
        found = http.post("/predict", content=b" " * 2000)
        assert (found.status_code, "larger than 0.001 MiB" in found.json()["error"]) == (413, True)
        # Without a declared length.
        assert http.post("/predict", content=(b" " * 100 for _ in range(20))).status_code == 413
        found = http.post("/predict", json={"ids": ["p000", "p001", "p002"]})
        assert (found.status_code, "at most 2 nodes, not 3" in found.json()["error"]) == (413, True)


def test_an_unexpected_error_is_one_sentence() -> None:
    http = client()
    endpoints = http.app.routes[-1].endpoint.__self__
    del endpoints.predictor._positions
    found = http.get("/nodes/p000")
    assert (found.status_code, "Traceback" in found.text, "its log" in found.json()["error"]) == (500, False, True)


def test_every_route_has_a_path_in_the_metrics() -> None:
    routes = {route.path.split("{")[0] for route in client().app.routes}
    assert routes == set(PATHS)
