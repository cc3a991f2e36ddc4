"""GET /openapi.json and /docs (issue 3, item 7)."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.results import GameResult, SelectionResult

pytestmark = pytest.mark.one_engine

REFERENCE = "Pinnacle"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
}


@pytest.fixture
def service(module_service: Any) -> Any:
    return module_service


@pytest.fixture
def document(service: Any) -> dict[str, Any]:
    answer = service.http.get("/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    made: dict[str, Any] = answer.json()
    return made


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from references(each)


def resolved(document: dict[str, Any], reference: str) -> Any:
    node: Any = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


def fits(document: dict[str, Any], schema: dict[str, Any], value: Any) -> bool:
    """Whether a value is what a schema of ours says; every field is named there."""
    if "$ref" in schema:
        return fits(document, resolved(document, schema["$ref"]), value)
    if "anyOf" in schema:
        return any(fits(document, each, value) for each in schema["anyOf"])
    if not isinstance(value, TYPES[schema["type"]]):
        return False
    match schema["type"]:
        case "object" if "properties" in schema:
            fields = schema["properties"]
            return set(schema["required"]) <= set(value) <= set(fields) and all(
                fits(document, fields[name], each) for name, each in value.items()
            )
        case "object":
            kind = schema["additionalProperties"]
            return all(fits(document, kind, each) for each in value.values())
        case "array":
            return all(fits(document, schema["items"], each) for each in value)
        case _:
            return True


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    found = set(references(document))
    assert len(found) > 20
    for reference in found:
        assert resolved(document, reference)


def test_every_path_of_the_contract_is_described(document: dict[str, Any]) -> None:
    """service.md, Endpoints."""
    assert document["openapi"] == "3.1.0"
    assert {(path, *operations) for path, operations in document["paths"].items()} == {
        ("/api/sports", "get"),
        ("/api/bookmakers", "get"),
        ("/api/events", "get"),
        ("/api/events/{id}", "get"),
        ("/api/odds", "get"),
        ("/api/odds/live", "get"),
        ("/api/odds/{bookmaker}", "get"),
        ("/api/games", "get"),
        ("/api/games/{game_id}", "get"),
        ("/api/games/{game_id}/history", "get"),
        ("/api/history", "get"),
        ("/api/value-bets", "get"),
        ("/api/results", "get"),
        ("/api/stream/token", "post"),
        ("/api/health", "get"),
        ("/api/ready", "get"),
        ("/ingest", "post"),
    }
    ids = [
        operation["operationId"]
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    assert len(set(ids)) == len(ids)


def test_parameters_stand_with_their_bounds(document: dict[str, Any]) -> None:
    """service.md, Limits."""
    parameters = document["paths"]["/api/events"]["get"]["parameters"]
    schemas = {each["name"]: each["schema"] for each in parameters}
    assert schemas["limit"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200}
    assert schemas["stale_minutes"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 60,
        "default": 10,
    }
    assert all(each["description"] for each in parameters)


def test_no_text_cites_what_a_reader_has_not(document: dict[str, Any]) -> None:
    assert not re.findall(r"\(D\d+", str(document))


def test_answers_are_what_the_document_says(service: Any, document: dict[str, Any]) -> None:
    service.quote(url="https://example.org/a")
    service.quote(bookmaker=REFERENCE, liquidity=5.0, odds={"Arsenal": 2.0})
    won = SelectionResult("moneyline", 0, "Arsenal", "won")
    told = GameResult("EPL", "Arsenal - Chelsea", service.now, 2, 1, selections=(won,))
    corrected = msgspec.structs.replace(told, away=0)
    service.store.record_results([told, corrected]).result(10)
    key = service.key()
    game = service.data("/api/games", key)[0]["game_id"]
    asked = 0
    for path, operations in document["paths"].items():
        if path == "/ingest":
            continue
        for method, operation in operations.items():
            filled = path.replace("{id}", "Arsenal%20-%20Chelsea").replace("{game_id}", game)
            filled = filled.replace("{bookmaker}", "Betfair")
            answer = service.http.request(method, filled, headers={"X-Api-Key": key})
            assert answer.status_code == 200, answer.text
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            assert fits(document, schema, answer.json()), (filled, answer.text)
            assert not fits(document, schema, {**answer.json(), "unnamed": 1})
            asked += 1
    assert asked == 16


def test_each_example_fits_its_schema(document: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    answers = list(document["components"]["responses"].values())
    for operations in document["paths"].values():
        for operation in operations.values():
            assert "example" in operation["responses"]["200"]["content"]["application/json"]
            answers += operation["responses"].values()
    shown = [each["content"]["application/json"] for each in answers if "content" in each]
    assert len(shown) > 25
    for each in shown:
        schema = {**each["schema"], "components": document["components"]}
        jsonschema.Draft202012Validator(schema).validate(each["example"])
    codes = {each["example"]["error"]["code"] for each in shown if "error" in each["example"]}
    assert {"rate_limit_exceeded", "service_unavailable", "unauthorized"} <= codes


def test_each_operation_has_a_tag_and_refusals_say_when_to_retry(document: dict[str, Any]) -> None:
    tags = {each["name"] for each in document["tags"]}
    used = [
        operation["tags"]
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    assert {tag for each in used for tag in each} == tags
    assert all(len(each) == 1 for each in used)
    assert document["info"]["license"] == {"name": "MIT", "identifier": "MIT"}
    for status in ("429", "503"):
        assert "Retry-After" in document["components"]["responses"][status]["headers"]


def test_ingest_is_what_the_document_says(service: Any, document: dict[str, Any]) -> None:
    operation = document["paths"]["/ingest"]["post"]
    line = operation["requestBody"]["content"]["application/x-ndjson"]["example"]
    keys = service.access.keys
    writer = keys.create("a program", Plan.PRO, None, service.now, may_write=True).secret
    for body, status in ((line, 200), ("nonsense\n", 400), (line + "nonsense\n", 200)):
        answer = service.http.post("/ingest", content=body, headers={"X-Api-Key": writer})
        assert answer.status_code == status, answer.text
        shown = operation["responses"][str(status)]["content"]["application/json"]
        assert fits(document, shown["schema"], answer.json()), answer.text
    reader = {"X-Api-Key": service.key()}
    assert service.http.post("/ingest", content=line, headers=reader).status_code == 403


def test_errors_are_what_the_document_says(service: Any, document: dict[str, Any]) -> None:
    for answer in (
        service.http.get("/api/odds"),
        service.get("/api/value-bets", service.key(Plan.FREE)),
    ):
        response = document["components"]["responses"][str(answer.status_code)]
        assert fits(document, response["content"]["application/json"]["schema"], answer.json())


def test_the_page_names_every_path_and_needs_nothing_else(
    service: Any, document: dict[str, Any]
) -> None:
    answer = service.http.get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = answer.text
    for path in document["paths"]:
        assert path in page
    assert "5,500 an hour" in page
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.findall(r"<script|<link|<img|src=|@import|url\(", page)
    elsewhere = set(re.findall(r"(?:https?|wss?)://[^/\s\"<&]+", page))
    assert elsewhere <= {service.url, service.url.replace("http", "ws")}


def test_an_upgrade_leads_to_the_plans_on_that_page(service: Any) -> None:
    """D21."""
    refused = service.get("/api/value-bets", service.key(Plan.FREE)).json()["error"]
    address, _, fragment = refused["upgrade_url"].partition("#")
    assert f'id="{fragment}"' in service.http.get(address).text


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_documentation_is_only_read(service: Any, path: str) -> None:
    answer = service.http.post(path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


def test_the_page_says_how_many_tokens_and_connections_free_has(service: Any) -> None:
    """D22: a failed handshake uses a token up, so users need to know both limits."""
    page = service.http.get("/docs").text
    assert "30 tokens and 30 connections a day" in page
    assert "a failed handshake counts once its token was used" in page
