"""The description agrees with the service: its paths, its schemas and its answers."""

import json
from typing import Any

import pytest

from tests.helpers.service import NEW, client

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return client().get("/openapi.json").json()


def schema(description: dict[str, Any], name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}", "components": description["components"]}


def is_valid(description: dict[str, Any], name: str, value: Any) -> bool:
    return jsonschema.Draft202012Validator(schema(description, name)).is_valid(value)


def test_every_route_is_described(description) -> None:
    routes = {
        (route.path.replace(":path", ""), method.lower())
        for route in client().app.routes
        for method in route.methods - {"HEAD"}
    }
    assert {(path, m) for path, item in description["paths"].items() for m in item if m != "parameters"} == routes
    operations = [item[m]["operationId"] for item in description["paths"].values() for m in item if m != "parameters"]
    assert len(set(operations)) == len(routes)


def test_schemas_are_valid_and_references_lead_somewhere(description) -> None:
    for one in description["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(one)
    text = json.dumps(description)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names == set(description["components"]["schemas"])


def test_requests_and_answers_fit_their_schemas(description) -> None:
    assert is_valid(description, "Request", NEW)
    assert is_valid(description, "Request", {"ids": ["p000", 3]})
    for wrong in ({}, {"ids": []}, {"ids": ["p000"], "nodes": []}, {"nodes": [3]}, {"ids": ["p000"] * 21}):
        assert not is_valid(description, "Request", wrong)
    with client() as http:
        assert is_valid(description, "Predictions", http.post("/predict", json=NEW).json())
        assert is_valid(description, "Prediction", http.get("/nodes/p000").json())
        assert is_valid(description, "Health", http.get("/health").json())
        assert is_valid(description, "Error", http.get("/nodes/ghost").json())


def test_the_columns_of_the_run_are_named(description) -> None:
    assert set(description["components"]["schemas"]["Node"]["properties"]) == {"id", "kind", "text", "score"}
