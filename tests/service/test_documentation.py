"""GET /openapi.json and /docs (issue 3, item 7)."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from oddsdesk.contract.access import ErrorCode, Plan
from oddsdesk.contract.results import GameResult, SelectionResult
from oddsdesk.server.endpoints.openapi import openapi_document

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
        ("/metrics", "get"),
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
        if path in ("/ingest", "/metrics"):
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
            [(kind, shown), *_] = operation["responses"]["200"]["content"].items()
            assert kind in ("application/json", "text/plain")
            assert "example" in shown
            answers += operation["responses"].values()
    contents = [each["content"] for each in answers if "content" in each]
    shown = [each["application/json"] for each in contents if "application/json" in each]
    assert len(shown) > 25
    for each in shown:
        schema = {**each["schema"], "components": document["components"]}
        jsonschema.Draft202012Validator(schema).validate(each["example"])
    codes = {each["example"]["error"]["code"] for each in shown if "error" in each["example"]}
    assert {"rate_limit_exceeded", "service_unavailable", "unauthorized"} <= codes


def error_examples(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The path, status and example of each answer that is no success."""
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if "$ref" in response:
                    response = resolved(document, response["$ref"])
                if int(status) >= 400:
                    yield path, status, response["content"]["application/json"]["example"]


def test_each_example_of_an_error_has_a_code_of_its_status(document: dict[str, Any]) -> None:
    forbidden = {}
    for path, status, example in error_examples(document):
        if path in ("/api/health", "/api/ready") and "error" not in example:
            assert (status, example["status"]) in (("503", "unavailable"), ("503", "not ready"))
            continue
        error = example["error"]
        assert ErrorCode(error["code"]).status == int(status)
        assert ("upgrade_url" in error) == (status == "403")
        assert "min_ev" not in error["message"]
        if status == "403":
            forbidden[path] = error["code"]
        if path == "/ingest" and status == "400":
            assert (example["accepted"], len(example["rejected"])) == (0, 1)
    assert forbidden["/api/odds/live"] == "live_not_on_plan"
    assert forbidden["/api/value-bets"] == "value_bets_not_on_plan"
    assert forbidden["/api/stream/token"] == "websocket_not_on_plan"
    assert forbidden["/ingest"] == forbidden["/metrics"] == "write_forbidden"


def test_errors_have_the_headers_that_are_described(service: Any, document: dict[str, Any]) -> None:
    """Every status that a reading client can meet, and the headers of the answer."""
    key, free = service.key(), service.key(Plan.FREE, "Betfair")
    tokens = [
        service.http.post("/api/stream/token", headers={"X-Api-Key": free}) for _ in range(31)
    ]
    large = {"X-Api-Key": key, "X-Large": "x" * 20_000}
    answers = [
        service.get("/api/odds", key, limit=0),
        service.get("/api/odds", "unknown"),
        service.get("/api/odds", free, bookmaker="Pinnacle"),
        service.get("/api/games/none", key),
        service.http.delete("/api/odds", headers={"X-Api-Key": key}),
        service.http.request("GET", "/api/odds", headers={"X-Api-Key": key}, content=b"x" * 70_000),
        tokens[-1],
        service.http.get("/api/odds", headers=large),
    ]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [400, 401, 403, 404, 405, 413, 429, 431]
    usual = {"cache-control", "connection", "content-length", "content-type", "date"}
    for status, answer in zip(statuses, answers, strict=True):
        described = {
            name.lower() for name in document["components"]["responses"][str(status)]["headers"]
        }
        sent = set(answer.headers) - usual - {"x-content-type-options"}
        assert described - sent == {"x-request-id"}, status  # the program adds that
        assert sent <= described, status


def test_every_time_is_described_as_one(document: dict[str, Any]) -> None:
    found = set()
    for name, schema in document["components"]["schemas"].items():
        for field, kind in schema["properties"].items():
            if field.endswith("_at") or field == "match_date":
                kinds = kind.get("anyOf", [kind])
                assert kinds[0]["format"] == "date-time", (name, field)
                found.add(name)
    assert {"OddsRow", "Health", "ResultRow", "ValueBet", "PriceChange"} <= found


def test_generators_of_clients_find_no_schema_that_is_false(document: dict[str, Any]) -> None:
    """openapi-python-client refuses ``"items": false``, which ``maxItems`` says as well."""

    def nodes(node: Any) -> Iterator[dict[str, Any]]:
        for each in node.values() if isinstance(node, dict) else node:
            if isinstance(each, dict | list):
                yield from nodes(each)
        if isinstance(node, dict):
            yield node

    pairs = [node for node in nodes(document) if "prefixItems" in node]
    assert len(pairs) >= 3
    for node in pairs:
        assert "items" not in node
        assert node["maxItems"] == node["minItems"] == len(node["prefixItems"])


def test_another_interface_is_mentioned_where_it_is_served(document: dict[str, Any]) -> None:
    """D112: its paths are described by The Odds API, not here."""
    assert "/v4" not in str(document)
    served = openapi_document([], "/", as_another=True)
    assert "/v4" in served["info"]["description"]


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
