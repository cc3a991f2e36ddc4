"""The OpenAPI 3.1 document of the service, made from its endpoints and structs."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_origin

import msgspec

from oddsdesk import __version__
from oddsdesk.contract.errors import ErrorBody, ErrorCode
from oddsdesk.contract.resources import Health, Meta, Readiness, StreamToken
from oddsdesk.server.gate import Endpoint
from oddsdesk.server.parameters import Parameter

TITLE: Final = "oddsdesk odds comparison service"
DESCRIPTION: Final = (
    "Decimal odds of many bookmakers beside a sharp reference, and the prices that are better"
    " than its fair odds. Read-only. Changes are pushed over the WebSocket /api/stream; /docs"
    " says how."
)

_KEY: Final = "ApiKey"
_CITATION: Final = re.compile(r" \(D\d+(?:, D\d+)*\)")
_ERRORS: Final = {
    "400": "A parameter's value is not allowed; the message names it.",
    "401": "The key is missing, empty or unknown.",
    "403": "The key's plan does not include this; upgrade_url says where to change it.",
    "404": "There is no such event, game or path.",
    "429": "A quota of the plan is used up; retry after Retry-After seconds.",
    "500": "The server failed; retry with backoff.",
    "503": "The database is unavailable for the moment; retry with backoff.",
}
_HEADERS: Final = {
    "X-RateLimit-Remaining": "Requests left in the window.",
    "X-RateLimit-Reset": "Unix time in seconds after which to retry.",
}


def openapi_document(endpoints: Sequence[Endpoint], address: str) -> dict[str, Any]:
    """Return the document for these endpoints, the token endpoint and health, at an address."""
    types = [each.data for each in endpoints] + [Meta, StreamToken, Health, Readiness, ErrorBody]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    meta, token, health, readiness, error = schemas[len(endpoints) :]
    for schema in components.values():
        schema["description"] = _CITATION.sub("", schema["description"]).replace("``", "")
    components["ErrorDetail"]["properties"]["code"]["enum"] = [code.value for code in ErrorCode]
    paths: dict[str, Any] = {
        _template(each.path): {"get": _operation(each, data, meta)}
        for each, data in zip(endpoints, schemas, strict=False)
    }
    paths["/api/stream/token"] = {"post": _token_operation(token)}
    paths["/api/health"] = {"get": _health_operation(health)}
    paths["/api/ready"] = {"get": _ready_operation(readiness)}
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "description": DESCRIPTION, "version": __version__},
        "servers": [{"url": address}],
        "security": [{_KEY: []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": {
                name: {"description": meaning, "schema": {"type": "integer"}}
                for name, meaning in _HEADERS.items()
            },
            "responses": {
                status: {"description": meaning, "content": _json(error)}
                for status, meaning in _ERRORS.items()
            },
            "securitySchemes": {_KEY: {"type": "apiKey", "in": "header", "name": "X-Api-Key"}},
        },
    }


def _operation(endpoint: Endpoint, data: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    statuses = ["400", "401", "403", "404", "429", "500", "503"]
    if get_origin(endpoint.data) is list and "{" not in endpoint.path:
        statuses.remove("404")
    return {
        "operationId": _operation_id(endpoint.path),
        "summary": endpoint.summary,
        "parameters": [*_path_parameters(endpoint.path), *map(_parameter, endpoint.parameters)],
        "responses": {"200": _success(_envelope(data, meta)), **_errors(statuses)},
    }


def _token_operation(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "streamToken",
        "summary": (
            "A token that opens the stream within 300 s; costs no request. Free has 30 tokens and"
            " 30 connections a UTC day; a handshake that fails after its token has used one up."
        ),
        "responses": {"200": _success(schema), **_errors(["401", "403", "429", "500", "503"])},
    }


def _health_operation(schema: dict[str, Any]) -> dict[str, Any]:
    shown = {"content": _json(schema)}
    return {
        "operationId": "health",
        "summary": "Whether the service can answer; needs no key.",
        "security": [],
        "responses": {
            "200": {"description": "It can.", **shown},
            "503": {"description": "Its database is unavailable.", **shown},
        },
    }


def _ready_operation(schema: dict[str, Any]) -> dict[str, Any]:
    shown = {"content": _json(schema)}
    return {
        "operationId": "ready",
        "summary": "Whether the service answers and records; needs no key.",
        "security": [],
        "responses": {
            "200": {"description": "It does.", **shown},
            "503": {"description": "It does not; the reasons say why.", **shown},
        },
    }


def _envelope(data: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"data": data, "meta": meta},
        "required": ["data", "meta"],
    }


def _success(schema: dict[str, Any]) -> dict[str, Any]:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}
    return {"description": "Success.", "headers": headers, "content": _json(schema)}


def _errors(statuses: Iterable[str]) -> dict[str, Any]:
    return {status: {"$ref": f"#/components/responses/{status}"} for status in statuses}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = dict(parameter.schema)
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": "query",
        "required": False,
        "description": parameter.meaning,
        "schema": schema,
    }


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in _template(path).split("/")
        if part.startswith("{")
    ]


def _template(path: str) -> str:
    return path.replace(":path}", "}")


def _operation_id(path: str) -> str:
    """``/api/odds/{bookmaker}`` is ``oddsByBookmaker``."""
    first, *rest = _template(path).removeprefix("/api/").replace("-", "/").split("/")
    words = [f"By{part[1:-1].title()}" if part[0] == "{" else part.title() for part in rest]
    return "".join([first, *words]).replace("_", "")
