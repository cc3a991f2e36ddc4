"""The OpenAPI 3.1 document of the service, made from its endpoints and structs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final, get_args, get_origin

import msgspec

from oddsdesk import __version__
from oddsdesk.contract.access import HOUR_S, ErrorBody, ErrorCode, ErrorDetail, Plan, Rights
from oddsdesk.contract.flat_rows import columns_of
from oddsdesk.contract.resources import Health, Meta, Readiness, StreamToken
from oddsdesk.server.endpoints.ingest import INGEST_PATH, METRICS_PATH, Ingested, Rejected
from oddsdesk.server.gate import Endpoint, no_such_path, unauthorized
from oddsdesk.server.rest import FORMAT, Parameter, failed, unavailable
from oddsdesk.server.the_odds_api import ROOT as OTHER_ROOT
from oddsdesk.store.owner_secret import SECRET_HEADER

TITLE: Final = "oddsdesk odds comparison service"
LICENCE: Final = "MIT"
DESCRIPTION: Final = (
    "Decimal odds of many bookmakers next to a sharp book, and value bets: prices above the sharp"
    " book's fair odds. Read-only. Changes are pushed over the WebSocket /api/stream,"
    " which /asyncapi.json describes; see /docs."
)
_AS_ANOTHER: Final = (
    f" Paths below {OTHER_ROOT} answer as The Odds API does; its own documentation describes them."
)

_KEY: Final = "ApiKey"
_SECRET: Final = "OwnerSecret"  # noqa: S105 - its name
_CITATION: Final = re.compile(r" \(D\d+(?:, D\d+)*\)")
_ERRORS: Final = {
    "400": "A parameter's value is not allowed; the message names it.",
    "401": "The key is missing, empty or unknown.",
    "403": "The key's plan does not include this; upgrade_url is where to change it.",
    "404": "No such event, game or path.",
    "405": "The path has other methods, which Allow names.",
    "413": "The body is larger than 64 KiB; of /ingest, than 64 MiB.",
    "429": "A quota of the plan is used up; retry after Retry-After seconds.",
    "431": "The headers are longer than 16 KiB.",
    "500": "The server failed; retry with backoff.",
    "503": "The database is temporarily unavailable; retry with backoff.",
}
_EVERYWHERE: Final = ("405", "413", "431", "500", "503")
_SAID: Final = {
    ErrorCode.BAD_REQUEST: "limit: expected a whole number from 1 to 500, got '9999'",
    ErrorCode.UNAUTHORIZED: unauthorized().message,
    ErrorCode.LIVE_NOT_ON_PLAN: ("In-play odds are not part of the Pro plan; they need Pro+ Live."),
    ErrorCode.WEBSOCKET_NOT_ON_PLAN: ("The stream is not part of the Pro plan; it needs Pro+ RT."),
    ErrorCode.VALUE_BETS_NOT_ON_PLAN: "Value bets are not part of the Free plan; they need Pro.",
    ErrorCode.BOOKMAKER_FORBIDDEN: (
        "bookmaker: the Free plan has only 'Betfair', got 'Pinnacle'; use that one, or leave the"
        " parameter out."
    ),
    ErrorCode.WRITE_FORBIDDEN: (
        "This key is read-only; make one that can write: `oddsdesk keys create --write`."
    ),
    ErrorCode.NOT_FOUND: no_such_path().message,
    ErrorCode.METHOD_NOT_ALLOWED: "DELETE is not allowed here; use GET, HEAD.",
    ErrorCode.PAYLOAD_TOO_LARGE: "the body is larger than 65536 bytes",
    ErrorCode.HEADERS_TOO_LARGE: (
        "the request line, headers and chunk framing are larger than 16384 bytes"
    ),
    ErrorCode.RATE_LIMIT_EXCEEDED: (
        "The 5,500 requests an hour of the Pro plan are used up; retry in 600 s, at"
        " 2026-11-20T19:00:00.000Z."
    ),
    ErrorCode.INTERNAL_ERROR: failed().message,
    ErrorCode.SERVICE_UNAVAILABLE: unavailable().message,
}
"""Messages of the examples, one a status; for 403 also those of single endpoints."""
_FORBIDDEN: Final = {
    "/api/odds/live": ErrorCode.LIVE_NOT_ON_PLAN,
    "/api/value-bets": ErrorCode.VALUE_BETS_NOT_ON_PLAN,
    "/api/stream/token": ErrorCode.WEBSOCKET_NOT_ON_PLAN,
    INGEST_PATH: ErrorCode.WRITE_FORBIDDEN,
    METRICS_PATH: ErrorCode.WRITE_FORBIDDEN,
}
"""What a 403 of an endpoint says; elsewhere ``BOOKMAKER_FORBIDDEN``."""
_HEADERS: Final = {
    "X-RateLimit-Remaining": ("integer", "Requests left in the window."),
    "X-RateLimit-Reset": ("integer", "Unix time, in seconds, when the next window begins."),
    "X-Request-Id": (
        "string",
        "The request's id for the operator: yours, if you sent a valid one. Requests that are"
        " refused before they are read have none.",
    ),
    "Retry-After": ("integer", "Seconds to wait; a 503 of a server that stops has none."),
    "Allow": ("string", "The path's methods."),
}
_OF_ALL: Final = ("X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id")
_OF_STATUS: Final = {"405": "Allow", "429": "Retry-After", "503": "Retry-After"}
_TABLE_HEADERS: Final = {
    "X-Next-Cursor": ("string", "CSV: cursor of the next page, if there is one."),
    "X-Count": ("integer", "CSV: number of items, which may be several rows each."),
    "X-Simulated": ("boolean", "CSV: whether prices may be simulated."),
    "X-Mixed": ("boolean", "CSV of a past moment: whether others are not."),
    "X-Shifted": ("boolean", "CSV of a past moment: whether old odds may have shifted times."),
    "X-Silences": ("integer", "CSV of histories: spans without recording; JSON lists them."),
}
_KNOWN: Final = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "ETag of an earlier answer: 304 without a body if nothing has changed.",
    "schema": {"type": "string"},
}
_TAGS: Final = {
    "Names": "Sports and bookmakers.",
    "Odds": "Events, games and odds now, or at a past moment.",
    "Value": "Prices above the fair odds.",
    "History": "Price moves and results.",
    "Stream": "Tokens for /api/stream, which /asyncapi.json describes.",
    "Operation": "Whether the service works.",
    "Recording": "For programs that bring odds.",
}
_TAG_BY_WORD: Final = {
    "sports": "Names",
    "bookmakers": "Names",
    "value-bets": "Value",
    "history": "History",
    "results": "History",
}
_EXAMPLES: Final[dict[str, Any]] = {
    "accepted": 1,
    "all_bookmakers": ["Pinnacle", "Betfair"],
    "away": 1,
    "bookmaker": "Betfair",
    "bookmaker_count": 12,
    "bookmakers": ["Pinnacle", "Betfair"],
    "competition": "EPL",
    "competition_codes": ["EPL"],
    "corrections": [],
    "database": "ok",
    "detected_at": "2026-11-20T18:30:00.000Z",
    "event_count": 10,
    "ev_pct": 3.14,
    "expires_in": 300,
    "fair_odds": 2.16,
    "game_id": "f57bc353-44db-d759-f0b5-e7d2de2a7356",
    "home": 2,
    "kick_off": "2026-11-20T20:00:00.000Z",
    "last_scraped_at": "2026-11-20T18:30:00.000Z",
    "liquidity": 5000.0,
    "market_type": "moneyline",
    "market_types": ["moneyline"],
    "match_date": "2026-11-20T20:00:00.000Z",
    "match_name": "Arsenal - Chelsea",
    "odds_count": 1200,
    "payout_rate": 1.0397,
    "periods": [[1, 1, 0], [2, 1, 1]],
    "period_label": "Full Time",
    "rate_limit_remaining": 5487,
    "reason": "odds: expected an object",
    "reported_at": "2026-11-20T22:00:00.000Z",
    "result": "won",
    "scraped_at": "2026-11-20T18:30:00.000Z",
    "reference_scraped_at": "2026-11-20T18:30:00.000Z",
    "selection": "Arsenal",
    "slug": "Arsenal%20-%20Chelsea",
    "source": "scores",
    "sport": "Football",
    "status": "ok",
    "total_markets": 3,
    "token": "AAAAAAAAAAEAAAGdBx",
    "url": "https://example.org/arsenal-chelsea",
    "version": __version__,
}
"""Examples by field; the others follow from their types."""
_SELECTIONS: Final = ("Arsenal", "Draw", "Chelsea")
_STATUS: Final = {"ResultRow": "final", "Readiness": "ready"}


def example_of(schema: dict[str, Any], components: dict[str, Any], name: str = "") -> Any:
    """Return an example that fits a schema: what it requires, and fields that it may have not."""
    if "$ref" in schema:
        named = schema["$ref"].rpartition("/")[2]
        made = example_of(components[named], components)
        return made | {"status": _STATUS[named]} if named in _STATUS else made
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], components, name)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object" and "properties" in schema:
        required = schema.get("required", ())
        fields = schema["properties"].items()
        return {key: example_of(kind, components, key) for key, kind in fields if key in required}
    if schema.get("type") == "object":
        kind = schema["additionalProperties"]
        names = ("Betfair",) if name == "books" else _SELECTIONS
        return {each: example_of(kind, components, "odds") for each in names}
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    match schema.get("type"):
        case "array" if schema.get("items"):
            return [example_of(schema["items"], components)]
        case "array":
            return [example_of(each, components) for each in schema.get("prefixItems", ())]
        case "number":
            return 2.1
        case "integer":
            return int(max(schema.get("minimum", 0), 0))
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return "text"


def _add_examples(paths: dict[str, Any], components: dict[str, Any]) -> None:
    """Give each JSON answer without an example one that fits its schema."""
    for operations in paths.values():
        for operation in operations.values():
            for response in operation["responses"].values():
                shown = response.get("content", {}).get("application/json")
                if shown is not None and "example" not in shown:
                    shown["example"] = example_of(shown["schema"], components)


def _error_response(code: ErrorCode) -> dict[str, Any]:
    """Return the response of an error: its headers, its schema and an example with this code."""
    status = str(code.status)
    upgrade_url = "https://odds.example.org/docs#plans" if status == "403" else None
    body = ErrorBody(ErrorDetail(code.value, _SAID[code], upgrade_url))
    names = [*_OF_ALL, *([_OF_STATUS[status]] if status in _OF_STATUS else [])]
    is_of_key = code is ErrorCode.WRITE_FORBIDDEN
    return {
        "description": "The key is read-only." if is_of_key else _ERRORS[status],
        "headers": _headers(names),
        "content": _json({"$ref": "#/components/schemas/ErrorBody"}, body),
    }


def _headers(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _tag_of(path: str) -> str:
    words = path.split("/")
    return next((tag for word, tag in _TAG_BY_WORD.items() if word in words), "Odds")


def openapi_document(
    endpoints: Sequence[Endpoint], address: str, *, as_another: bool = False
) -> dict[str, Any]:
    """Return the document for these endpoints, the token endpoint and health, at an address.

    ``as_another``: The Odds API's paths are served, too.
    """
    types = [each.data for each in endpoints] + [Meta, StreamToken, Health, Readiness]
    types += [Ingested, ErrorBody]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    meta, token, health, readiness, ingested, _ = schemas[len(endpoints) :]
    plain_descriptions(components)
    components = _without_false(components)
    components["ErrorDetail"]["properties"]["code"]["enum"] = [code.value for code in ErrorCode]
    paths: dict[str, Any] = {
        _template(each.path): {"get": _operation(each, data, meta)}
        for each, data in zip(endpoints, schemas, strict=False)
    }
    paths["/api/stream/token"] = {"post": _token_operation(token)}
    paths["/api/health"] = {"get": _health_operation(health)}
    paths["/api/ready"] = {"get": _ready_operation(readiness)}
    paths[INGEST_PATH] = {"post": _ingest_operation(ingested)}
    paths[METRICS_PATH] = {"get": _metrics_operation()}
    _add_examples(paths, components)
    shared = {str(code.status): code for code in _SAID if code not in _FORBIDDEN.values()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "description": DESCRIPTION + _AS_ANOTHER * as_another,
            "version": __version__,
            "license": {"name": LICENCE, "identifier": LICENCE},
        },
        "servers": [{"url": address}],
        "security": [{_KEY: []}],
        "tags": [{"name": name, "description": meaning} for name, meaning in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": {name: _header(*said) for name, said in _HEADERS.items()},
            "responses": {status: _error_response(code) for status, code in shared.items()},
            "securitySchemes": {
                _KEY: {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
                _SECRET: {"type": "apiKey", "in": "header", "name": SECRET_HEADER},
            },
        },
    }


def _without_false(node: Any) -> Any:
    """Return schemas without ``"items": false`` after ``prefixItems``, which generators refuse.

    ``maxItems`` says the same.
    """
    if isinstance(node, list):
        return [_without_false(each) for each in node]
    if not isinstance(node, dict):
        return node
    is_refused = node.get("items") is False and "maxItems" in node
    return {
        name: _without_false(each)
        for name, each in node.items()
        if not (is_refused and name == "items")
    }


def plain_descriptions(schemas: dict[str, Any]) -> None:
    """Make docstrings into text for readers of the API."""
    for schema in schemas.values():
        text = _CITATION.sub("", schema["description"]).replace("``", "")
        schema["description"] = " ".join(text.split())


def _operation(endpoint: Endpoint, data: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    statuses = ["400", "401", "403", "404", "429"]
    if get_origin(endpoint.data) is list and "{" not in endpoint.path:
        statuses.remove("404")
    success = _success(_envelope(data, meta))
    item = get_args(endpoint.data)[0] if get_origin(endpoint.data) is list else endpoint.data
    table = f"A header and a row a price or item: {', '.join(columns_of(item))}."
    success["content"]["text/csv"] = {"schema": {"type": "string", "description": table}}
    tag = {"ETag": _header("string", "Weak tag of the data for this key, query and format.")}
    success["headers"] |= tag | {name: _header(*said) for name, said in _TABLE_HEADERS.items()}
    return {
        "operationId": _operation_id(endpoint.path),
        "tags": [_tag_of(endpoint.path)],
        "summary": endpoint.summary,
        "parameters": [
            *_path_parameters(endpoint.path),
            *map(_parameter, [*endpoint.parameters, FORMAT]),
            _KNOWN,
        ],
        "responses": {
            "200": success,
            "304": {
                "description": "Nothing has changed since the answer named by If-None-Match.",
                "headers": _headers(_OF_ALL) | tag,
            },
            **_error_responses(statuses, endpoint.path),
        },
    }


def _header(kind: str, meaning: str) -> dict[str, Any]:
    return {"description": meaning, "schema": {"type": kind}}


def _token_operation(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "streamToken",
        "tags": ["Stream"],
        "summary": (
            "A token that opens the stream within 300 s; not counted as a request. Free has 30"
            " tokens and 30 connections per UTC day; a failed handshake counts once its token was"
            " used."
        ),
        "responses": {
            "200": _success(schema),
            **_error_responses(["401", "403", "429"], "/api/stream/token"),
        },
    }


def _health_operation(schema: dict[str, Any]) -> dict[str, Any]:
    away = Health("unavailable", __version__, "unavailable", None)
    return _probe_operation(
        "health",
        "Health: whether the service can answer; needs no key.",
        {
            "200": ("It can answer.", _json(schema)),
            "503": ("Its database is unavailable.", _json(schema, away)),
        },
    )


def _ready_operation(schema: dict[str, Any]) -> dict[str, Any]:
    full = Readiness("not ready", ["nothing is recorded or valued: the disk is full"])
    return _probe_operation(
        "ready",
        "Readiness: whether the service answers and records; needs no key.",
        {
            "200": ("Ready.", _json(schema)),
            "503": ("Not ready; see the reasons.", _json(schema, full)),
        },
    )


def _probe_operation(
    name: str, summary: str, answers: dict[str, tuple[str, dict[str, Any]]]
) -> dict[str, Any]:
    headers = _headers(["X-Request-Id"])
    found = {
        status: {"description": meaning, "headers": headers, "content": content}
        for status, (meaning, content) in answers.items()
    }
    return {
        "operationId": name,
        "tags": ["Operation"],
        "summary": summary,
        "security": [],
        "responses": {**_error_responses([], ""), **found},
    }


def _metrics_operation() -> dict[str, Any]:
    text = {"text/plain": {"schema": {"type": "string"}, "example": "oddsdesk_owner 1.0\n"}}
    return {
        "operationId": "metrics",
        "tags": ["Operation"],
        "summary": (
            "Figures for Prometheus; needs a key that can write, or on the server's own machine"
            " the owner's secret. Not counted."
        ),
        "security": [{_KEY: []}, {_SECRET: []}],
        "responses": {
            "200": {
                "description": "Prometheus' text format.",
                "headers": _headers(_OF_ALL),
                "content": text,
            },
            **_error_responses(["401", "403"], METRICS_PATH),
        },
    }


def _ingest_operation(schema: dict[str, Any]) -> dict[str, Any]:
    line = (
        '{"bookmaker":"Betfair","match_name":"Arsenal - Chelsea","competition":"EPL",'
        '"market_type":"moneyline","period":0,"scraped_at":"2026-11-20T17:30:00Z",'
        '"odds":{"Arsenal":2.1,"Draw":3.4,"Chelsea":3.6}}\n'
    )
    lines = "A quote or a result in each line; up to 64 MiB, packed or not."
    refused = Ingested(0, 0, [Rejected(1, "odds: expected an object")]).as_answer()
    return {
        "operationId": "ingest",
        "tags": ["Recording"],
        "summary": (
            "Records odds and results; needs a key that can write, or on the server's own machine"
            " the owner's secret."
        ),
        "security": [{_KEY: []}, {_SECRET: []}],
        "parameters": [
            {
                "name": "Content-Encoding",
                "in": "header",
                "required": False,
                "description": "gzip for a compressed body.",
                "schema": {"type": "string", "enum": ["identity", "gzip", "x-gzip"]},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/x-ndjson": {
                    "schema": {"type": "string", "description": lines},
                    "example": line,
                },
                "application/octet-stream": {  # for generators that do not know the former
                    "schema": {"type": "string", "format": "binary", "description": lines}
                },
            },
        },
        "responses": {
            "200": {
                "description": "What was recorded; bad lines by number.",
                "headers": _headers(_OF_ALL),
                "content": _json(schema),
            },
            "400": {
                "description": "Every line is bad, or the body is.",
                "headers": _headers(_OF_ALL),
                "content": _json(
                    {"anyOf": [schema, {"$ref": "#/components/schemas/ErrorBody"}]}, refused.data
                ),
            },
            **_error_responses(["401", "403", "429"], INGEST_PATH),
        },
    }


def _envelope(data: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"data": data, "meta": meta},
        "required": ["data", "meta"],
    }


def _success(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": "Success.", "headers": _headers(_OF_ALL), "content": _json(schema)}


def _error_responses(statuses: Iterable[str], path: str) -> dict[str, Any]:
    """Return the errors of a path: with these statuses, and those of all paths."""
    found = {
        status: {"$ref": f"#/components/responses/{status}"}
        for status in sorted((*statuses, *_EVERYWHERE))
    }
    if "403" in found and path in _FORBIDDEN:
        found["403"] = _error_response(_FORBIDDEN[path])
    return found


def _json(schema: dict[str, Any], example: msgspec.Struct | None = None) -> dict[str, Any]:
    shown = {} if example is None else {"example": msgspec.to_builtins(example)}
    return {"application/json": {"schema": schema, **shown}}


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


_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --faint: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .5rem }
h3 { font: 600 1rem ui-monospace, monospace }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { background: var(--faint); padding: .75rem; overflow-x: auto; border-radius: 4px }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
th, td { border-bottom: 1px solid var(--line) }
"""

_START: Final = """
<h2 id="start">Start</h2>
<p>Send your key in the header <code>X-Api-Key</code> with every request. The operator of this
server creates keys with <code>oddsdesk keys create</code>.</p>
<pre>curl -H "X-Api-Key: $KEY" "{base}/api/odds?competition=EPL&amp;limit=10"</pre>
<p>Success is <code>{{"data": ..., "meta": {{"rate_limit_remaining": ...}}}}</code>, anything else
<code>{{"error": {{"code": ..., "message": ...}}}}</code>. Times are UTC, such as
<code>2026-11-20T18:30:00.000Z</code>.</p>
"""

_STREAM: Final = """
<h2 id="stream">Stream</h2>
<p>Fetch a token, open the WebSocket with it within 300 seconds, and send the text
<code>ping</code> every 30 seconds; the answer is <code>pong</code>. Every other message
is one selection's new odds as JSON.</p>
<pre>TOKEN=$(curl -sX POST -H "X-Api-Key: $KEY" {base}/api/stream/token | jq -r .token)
python -m websockets "{stream}/api/stream?token=$TOKEN&amp;sport=Football"</pre>
<p>Filters: <code>sport</code>, <code>competition</code>, <code>bookmaker</code>,
<code>game_id</code>; they combine. There is no replay: after every connect, read the current
state over REST, and fetch a fresh token each time.</p>
"""

CLOSE_CODES: Final = (
    ("1000", "Your client was silent for 5 minutes."),
    ("1001", "The server is shutting down; reconnect with backoff."),
    ("1003, 1007, 1009", "A frame was binary, not UTF-8, or longer than 1 KiB."),
    ("1013", "The database is temporarily unavailable; reconnect with backoff."),
    ("4000", "A filter's value is invalid."),
    ("4001", "The token is missing, expired or invalid, or its key was revoked."),
    ("4003", "Your plan may not use this filter."),
    ("4008", "Your client fell behind; read the current state again."),
    ("4029", "Today's connections are used up."),
)


def docs_page(document: dict[str, Any], base: str) -> str:
    """Return the page for an OpenAPI document; ``base`` is the address it is read at."""
    info = document["info"]
    schemas = document["components"]["schemas"]
    parts = [
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['description'])}</p>",
        f'<p>Version {escape(info["version"])}. For programs: <a href="/openapi.json">'
        'openapi.json</a>, <a href="/asyncapi.json">asyncapi.json</a></p>',
        _START.format(base=escape(base)),
        _plans(),
        '<h2 id="endpoints">Endpoints</h2>',
        *_endpoints(document["paths"]),
        _STREAM.format(base=escape(base), stream=escape(base.replace("http", "ws", 1))),
        _table(("Close code", "Meaning"), CLOSE_CODES),
        '<h2 id="errors">Errors</h2>',
        _table(("HTTP", "Meaning"), _error_table(document["components"]["responses"])),
        '<h2 id="objects">Objects</h2>',
        *_objects(schemas),
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style>{''.join(parts)}</html>"
    )


def _plans() -> str:
    rows = []
    for plan in Plan:
        rights = plan.rights
        window = "hour" if rights.window_s == HOUR_S else "day"
        rows.append(
            (
                plan.value,
                f"{rights.requests:,} an {window}"
                if window == "hour"
                else f"{rights.requests} a day",
                str(rights.in_flight),
                "all" if rights.all_bookmakers else "one, chosen for the account",
                "yes" if rights.value_bets else "no",
                _stream_right(rights),
                "yes" if rights.live else "no",
            )
        )
    headings = (
        "Plan",
        "Requests",
        "At a time",
        "Bookmakers",
        "Value bets",
        "Stream",
        "In-play odds",
    )
    change = (
        "<p>The operator of this server changes a plan with"
        " <code>oddsdesk accounts plan NAME PLAN</code>.</p>"
    )
    return f'<h2 id="plans">Plans</h2>{_table(headings, rows)}{change}'


def _stream_right(rights: Rights) -> str:
    if not rights.websocket:
        return "no"
    most = rights.connections_per_day
    return f"{most} tokens and {most} connections a day" if most else "yes"


def _endpoints(paths: dict[str, Any]) -> Iterator[str]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            yield f"<h3>{method.upper()} {escape(path)}</h3><p>{escape(operation['summary'])}</p>"
            rows = [
                (
                    each["name"],
                    _allowed(each["schema"]),
                    str(each["schema"].get("default", "")),
                    each["description"],
                )
                for each in operation.get("parameters", ())
                if each["in"] == "query"
            ]
            if rows:
                yield _table(("Parameter", "Values", "Default", "Meaning"), rows)


def _error_table(responses: dict[str, Any]) -> list[tuple[str, str]]:
    return [(status, response["description"]) for status, response in responses.items()]


def _objects(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f"<h3>{escape(name)}</h3><p>{escape(schema['description'])}</p>"
        fields = schema["properties"].items()
        yield _table(("Field", "Type"), [(field, _type(kind)) for field, kind in fields])


def _allowed(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "const" in schema:
        return str(schema["const"]).lower()
    if "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    return "true, false" if schema["type"] == "boolean" else str(schema["type"])


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    if "additionalProperties" in schema:
        return f"map from name to {_type(schema['additionalProperties'])}"
    return str(schema["type"])


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
