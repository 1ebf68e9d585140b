"""The counters are valid Prometheus text."""

import re

from highwaygraph.service.metrics import Metrics

LINE = re.compile(r'(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [0-9.]+)')


def test_counters_by_path_and_status() -> None:
    metrics = Metrics()
    for status in (200, 200, 422):
        metrics.add("/predict", status, 0.25)
    metrics.predicted += 3
    text = metrics.text()
    assert all(LINE.fullmatch(line) for line in text.splitlines())
    assert text.endswith("\n")
    assert 'highway_requests_total{path="/predict",status="200"} 2\n' in text
    assert 'highway_request_seconds_sum{path="/predict"} 0.750000\n' in text
    assert 'highway_request_seconds_count{path="/predict"} 3\n' in text
    assert "highway_predicted_nodes_total 3\n" in text


def test_no_request_is_valid_too() -> None:
    assert all(LINE.fullmatch(line) for line in Metrics().text().splitlines())
