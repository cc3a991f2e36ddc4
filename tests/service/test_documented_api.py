"""docs/api.md and docs/client.md agree with what they describe: nothing is missing or different."""

import inspect
import re
from typing import Any

import pytest

import oddsdesk.client
from oddsdesk.client import Client, ServiceError, SyncClient
from oddsdesk.contract.access import HOUR_S, ErrorCode, Plan
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.server.stream import endpoint, hub
from tests.kit.documented import DOCS, Section, sections

PAGE = {section.title: section for section in sections("api.md")}
ENDPOINTS = {
    tuple(title.split()): section
    for title, section in PAGE.items()
    if title.startswith(("GET ", "POST "))
}
CLIENT_PAGE = (DOCS / "client.md").read_text()
ALL = {"X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}
"""The headers that all answers of an endpoint have."""
BEYOND_OURS = {"1000", "1007", "1009"}
"""Close codes that are the protocol's own; the library sends 1007 and 1009."""


@pytest.fixture(scope="module")
def document(module_service: Any) -> dict[str, Any]:
    made: dict[str, Any] = module_service.http.get("/openapi.json").json()
    return made


def test_every_endpoint_is_described_and_none_besides(document: dict[str, Any]) -> None:
    served = {(m.upper(), path) for path, methods in document["paths"].items() for m in methods}
    assert set(ENDPOINTS) == served


def test_every_path_that_the_pages_name_is_one(document: dict[str, Any]) -> None:
    text = (DOCS / "api.md").read_text() + CLIENT_PAGE
    named = {path.rstrip("/") for path in re.findall(r"`(?:GET |POST )?(/api/[^`?$]*)", text)}
    assert "/api/odds" in named
    assert named <= set(document["paths"]) | {"/api/stream"}


@pytest.mark.parametrize("key", ENDPOINTS, ids=" ".join)
def test_parameters_stand_with_their_values_and_defaults(
    document: dict[str, Any], key: tuple[str, str]
) -> None:
    method, path = key
    served = [
        (each["name"], values(each["schema"]), default(each["schema"]))
        for each in document["paths"][path][method.lower()].get("parameters", ())
        if each["in"] == "query" and each["name"] != "format"
    ]
    described = [tuple(row[:3]) for row in ENDPOINTS[key].table("parameter")]
    assert sorted(described) == sorted(served)


def test_format_and_tags_are_of_all_that_reads(document: dict[str, Any]) -> None:
    """D113: described once, under Tables and Unchanged answers."""
    for path, operations in document["paths"].items():
        operation = operations.get("get", {})
        names = {each["name"] for each in operation.get("parameters", ())}
        others = ("/api/health", "/api/ready", "/api/stream/token", "/ingest", "/metrics")
        reads = path not in others
        assert ({"format", "If-None-Match"} <= names) == reads
        assert ("304" in operation.get("responses", ())) == reads
    described = {row[0] for row in PAGE["Tables"].table("header")}
    headers = document["paths"]["/api/odds"]["get"]["responses"]["200"]["headers"]
    assert described == {name for name in headers if name.startswith("X-") and name not in ALL}


def values(schema: dict[str, Any]) -> str:
    """How the page writes what a parameter may be."""
    if "enum" in schema:
        assert schema["enum"] == list(MARKET_TYPES)
        return "a market type"
    if "const" in schema:
        return str(schema["const"]).lower()
    if "maximum" in schema:
        return f"{schema['minimum']:g} to {schema['maximum']:g}"
    if "minimum" in schema:
        return f"{schema['minimum']:g} or more"
    return {"boolean": "true, false", "string": "string"}[schema["type"]]


def default(schema: dict[str, Any]) -> str:
    return f"{schema['default']:g}" if "default" in schema else ""


def test_every_error_code_stands_with_its_status(document: dict[str, Any]) -> None:
    served = document["components"]["schemas"]["ErrorDetail"]["properties"]["code"]["enum"]
    described = [(row[0], row[1]) for row in PAGE["Errors"].table("status")]
    assert sorted(described) == sorted((str(ErrorCode(code).status), code) for code in served)


def test_every_close_code_of_the_server_is_described(module_service: Any) -> None:
    """D24."""
    ours = {
        hub.UNAUTHORIZED, hub.FELL_BEHIND, hub.GOING_AWAY, endpoint.BAD_FILTER,
        endpoint.FORBIDDEN_FILTER, endpoint.TOO_MANY, endpoint.NOT_TEXT, endpoint.TRY_LATER,
    }  # fmt: skip
    described = {row[0] for row in PAGE["Close codes"].table("code")}
    assert described == {str(code) for code in ours} | BEYOND_OURS
    shown = module_service.http.get("/docs").text.partition("Close code")[2].partition("</table>")
    assert set(re.findall(r"\b[14]0\d\d\b", shown[0])) <= described


def test_a_stream_message_has_the_fields_of_the_page() -> None:
    """D41."""
    described = [row[0] for row in PAGE["Messages"].table("field")]
    assert described == list(PriceMessage.__struct_fields__)


def test_the_filters_of_the_stream_are_those_of_the_client() -> None:
    described = [row[0] for row in PAGE["The stream"].table("parameter")]
    asked = list(inspect.signature(Client.stream).parameters)
    assert ["self", *described[1:], "on_state"] == asked
    assert described[0] == "token"


def test_plans_stand_with_what_they_allow() -> None:
    """service.md, Limits."""
    rows = {row[0]: row[1:] for row in PAGE["Keys and plans"].table("plan")}
    assert set(rows) == {plan.value for plan in Plan}
    for plan in Plan:
        rights = plan.rights
        window = "an hour" if rights.window_s == HOUR_S else "a day"
        per_day = rights.connections_per_day
        assert rows[plan.value] == [
            f"{rights.requests:,} {window}",
            str(rights.in_flight),
            "all" if rights.all_bookmakers else "one, chosen for the account",
            yes(rights.value_bets),
            f"{per_day} tokens and {per_day} connections a day"
            if per_day
            else yes(rights.websocket),
            yes(rights.live),
        ]


def yes(allowed: bool) -> str:
    return "yes" if allowed else "no"


def test_every_market_type_is_named() -> None:
    text = PAGE["Answers"].text
    assert all(f"`{market_type}`" in text for market_type in MARKET_TYPES)


_NO_METHODS = {"quota", "clock_ahead_ms", "signs_of_life", "stream_together", "answer_size"}
"""Two that are read, two that are the desk's, and one that ``all_...`` methods share."""


def test_every_method_of_the_client_is_on_its_page_with_its_parameters() -> None:
    [section] = [each for each in sections("client.md") if each.title == "All methods"]
    described = dict(methods(section))
    public = {name for name in vars(Client) if not name.startswith("_")}
    assert set(described) == public - _NO_METHODS
    for name, parameters in described.items():
        if not name.startswith("all_"):
            asked = list(inspect.signature(getattr(Client, name)).parameters)
            assert parameters == asked[1:], name
        assert callable(getattr(SyncClient, name))


def methods(section: Section) -> list[tuple[str, list[str]]]:
    """Name and parameters of each method in the table's first column."""
    return [
        (name, [each for each in inside.split(", ") if each])
        for row in section.table("method")
        for name, inside in re.findall(r"(\w+)(?:\((.*?)\))?(?:`|$)", row[0])
    ]


def test_every_public_name_of_the_client_is_on_its_page() -> None:
    missing = [
        name for name in oddsdesk.client.__all__ if not re.search(rf"\b{name}\b", CLIENT_PAGE)
    ]
    assert missing == []


def test_every_error_class_is_in_the_table_of_the_page() -> None:
    [section] = [each for each in sections("client.md") if each.title == "Errors"]
    assert {row[0] for row in section.table("class")} == {
        each.__name__ for each in ServiceError.__subclasses__()
    }
