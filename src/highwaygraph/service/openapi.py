"""The OpenAPI 3.1 description of the service."""

from typing import Any

from highwaygraph import __version__
from highwaygraph.service.requests import RunColumns

Json = dict[str, Any]


SCALARS = ["string", "number", "boolean", "null"]
ID: Json = {"type": ["string", "number"], "description": "Id of a node."}
CELL: Json = {"type": [*SCALARS, "array"], "items": {"type": SCALARS}}


REFUSALS = {
    "400": "The body is no valid JSON.",
    "401": "The token is missing or wrong.",
    "404": "The run has no such node.",
    "408": "The body arrived too slowly.",
    "413": "The body is too large, or has too many nodes.",
    "422": "The values do not fit the run.",
    "503": "Too many requests wait.",
    "504": "The predictions took too long.",
}


def describe(columns: RunColumns, classes: list[str], max_nodes: int) -> Json:
    """Return the description of the service of one run.

    Args:
        columns: The columns of the run.
        classes: Names of its classes.
        max_nodes: Most nodes of a request.

    Returns:
        An OpenAPI document.

    Example:
        >>> sorted(describe(RunColumns(), ["a", "b"], 10)["paths"])
        ['/health', '/metrics', '/nodes/{id}', '/openapi.json', '/predict']
    """
    return {
        "openapi": "3.1.0",
        "info": {"title": "HighwayGraph", "version": __version__, "description": "Node classification by one run."},
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _requests(columns, max_nodes) | _answers(classes),
        },
    }


def _paths() -> Json:
    node = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}, "description": "Id of a node."}
    body = {"required": True, "content": {"application/json": {"schema": _ref("Request")}}}
    health = _operation("health", "Whether the service answers", _ref("Health"), ())
    return {
        "/health": {"get": health | {"security": []}},
        "/metrics": {"get": _operation("metrics", "Counters for Prometheus", None, ("401",))},
        "/openapi.json": {"get": _operation("openapi", "This description", {"type": "object"}, ("401",))},
        "/nodes/{id}": {
            "parameters": [node],
            "get": _operation("node", "Prediction of a node of the run", _ref("Prediction"), ("401", "404")),
        },
        "/predict": {
            "post": _operation(
                "predict",
                "Predictions of nodes of the run, or of new nodes that are attached to its graph",
                _ref("Predictions"),
                tuple(status for status in REFUSALS if status != "404"),
            )
            | {"requestBody": body}
        },
    }


def _operation(name: str, summary: str, schema: Json | None, refusals: tuple[str, ...]) -> Json:
    content = {"text/plain": {"schema": {"type": "string"}}} if schema is None else _json(schema)
    refused = {status: {"description": REFUSALS[status], "content": _json(_ref("Error"))} for status in refusals}
    responses = {"200": {"description": "The answer.", "content": content}} | refused
    return {"operationId": name, "summary": summary, "responses": responses}


def _requests(columns: RunColumns, max_nodes: int) -> Json:
    node = {"id": ID} | dict.fromkeys(columns.features, CELL)
    edge = {"source": ID, "target": ID} | dict.fromkeys(columns.edge_values, CELL)
    listed: Json = {"type": "array", "minItems": 1, "maxItems": max_nodes}
    by_id = {"ids": listed | {"items": ID}}
    new = {"nodes": listed | {"items": _ref("Node")}, "edges": {"type": "array", "items": _ref("Edge")}}
    return {
        "Request": {"oneOf": [_object(by_id, ("ids",), closed=True), _object(new, ("nodes",), closed=True)]},
        "Node": _object(node, (), "A new node: its id and the columns of the run; a missing one is an empty cell."),
        "Edge": _object(
            edge, columns.edge_values, "An edge of a new node; both ends may be new, or one may be of the run."
        ),
    }


def _answers(classes: list[str]) -> Json:
    row: Json = {
        "id": ID,
        "class": {"type": "string", "enum": classes},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "hops": {"type": ["integer", "null"], "description": "Hops to the nearest label; null without a path."},
        "highways": {"type": "string", "description": "Other ends of the node's first highways."},
        "label": {"type": "string", "description": "Known class of a node of the run, empty without one."},
        "part": {"enum": ["train", "val", "test", "none"], "description": "Part of the split of a node of the run."},
    }
    row |= {f"p_{name}": {"type": "number", "minimum": 0, "maximum": 1} for name in classes}
    findings = {"type": "array", "items": {"type": "string"}, "description": "Rows and columns that were left out."}
    answer = {"predictions": {"type": "array", "items": _ref("Prediction")}, "findings": findings}
    return {
        "Prediction": _object(row, ("id", "class", "confidence")),
        "Predictions": _object(answer, ("predictions", "findings")),
        "Health": _object({"status": {"const": "ok"}, "nodes": {"type": "integer"}}, ("status", "nodes")),
        "Error": _object({"error": {"type": "string", "description": "One sentence."}}, ("error",)),
    }


def _object(properties: Json, required: tuple[str, ...], description: str = "", *, closed: bool = False) -> Json:
    found: Json = {"type": "object", "properties": properties, "required": list(required)}
    if description:
        found["description"] = description
    return found | {"additionalProperties": False} if closed else found


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}
