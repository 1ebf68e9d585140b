"""Counters in the text format of Prometheus."""

from collections import Counter

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts requests, their seconds and predicted nodes; used by the event loop only.

    Example:
        >>> metrics = Metrics()
        >>> metrics.add("/health", 200, 0.001)
        >>> print(metrics.text().splitlines()[2])
        highway_requests_total{path="/health",status="200"} 1
    """

    def __init__(self) -> None:
        self.predicted = 0
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count one request.

        Args:
            path: The path of its route, not of its URL, so that the number of counters stays small.
            status: Its HTTP status.
            seconds: Its duration.
        """
        self._requests[path, status] += 1
        # Counter is typed for whole numbers, but adds any.
        self._seconds[path] += seconds  # type: ignore[assignment]

    def text(self) -> str:
        """Return all counters, a line each."""
        requests = {f'{{path="{path}",status="{status}"}}': n for (path, status), n in sorted(self._requests.items())}
        paths = sorted(self._seconds)
        counts = {path: sum(n for (of, _), n in self._requests.items() if of == path) for path in paths}
        return "".join(
            [
                *_family("highway_requests_total", "counter", "Requests by path and status.", requests),
                *_head("highway_request_seconds", "summary", "Duration of requests by path."),
                *(f'highway_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}\n' for path in paths),
                *(f'highway_request_seconds_count{{path="{path}"}} {counts[path]}\n' for path in paths),
                *_family("highway_predicted_nodes_total", "counter", "Nodes in answers.", {"": self.predicted}),
            ]
        )


def _head(name: str, kind: str, description: str) -> list[str]:
    return [f"# HELP {name} {description}\n", f"# TYPE {name} {kind}\n"]


def _family(name: str, kind: str, description: str, values: dict[str, int]) -> list[str]:
    return [*_head(name, kind, description), *(f"{name}{labels} {value}\n" for labels, value in values.items())]
