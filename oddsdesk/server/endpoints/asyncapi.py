"""The AsyncAPI 3.0 document of the stream, made from its structs and parameters."""

from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from oddsdesk import __version__
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.server.endpoints.openapi import CLOSE_CODES, LICENCE, plain_descriptions
from oddsdesk.server.stream.endpoint import FILTERS, STREAM_PATH, TOKEN

_DESCRIPTION: Final = (
    "Changes of odds over a WebSocket. Fetch a token with POST /api/stream/token, open the stream"
    " with it within 300 seconds, and send ping every 30 seconds. There is no replay: after every"
    " connect, read the current state over REST (/openapi.json)."
)
_EXAMPLE: Final = PriceMessage(
    bookmaker="Pinnacle",
    match_name="Arsenal - Chelsea",
    competition="EPL",
    sport="Football",
    market_type="moneyline",
    selection="Arsenal",
    odds=2.1,
    period=0,
    is_live=False,
    scraped_at="2026-11-20T18:30:00.000Z",
    liquidity=5000.0,
)


def asyncapi_document(address: str) -> dict[str, Any]:
    """Return the document for a service at an address, from the server's side."""
    _, schemas = msgspec.json.schema_components(
        [PriceMessage], ref_template="#/components/schemas/{name}"
    )
    plain_descriptions(schemas)
    names = ("price", "ping", "pong")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "oddsdesk price stream",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": LICENCE},
        },
        "defaultContentType": "application/json",
        "servers": {"service": _server(address)},
        "channels": {
            "stream": {
                "address": STREAM_PATH,
                "description": f"The server closes it with a code: {_codes()}",
                "servers": [{"$ref": "#/servers/service"}],
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
                "bindings": {"ws": {"method": "GET", "query": _query(), "bindingVersion": "0.1.0"}},
            }
        },
        "operations": {
            "sendPrice": _operation("send", "One selection's new odds.", "price"),
            "receivePing": {
                **_operation("receive", "Keepalive, at least every 5 minutes.", "ping"),
                "reply": {"channel": _channel(), "messages": [_message("pong")]},
            },
        },
        "components": {
            "schemas": _as_draft_7(schemas),
            "messages": {
                "price": {
                    "name": "PriceMessage",
                    "title": "A price change",
                    "contentType": "application/json",
                    "payload": {"$ref": "#/components/schemas/PriceMessage"},
                    "examples": [{"payload": msgspec.to_builtins(_EXAMPLE)}],
                },
                "ping": _text("ping"),
                "pong": _text("pong"),
            },
        },
    }


def _server(address: str) -> dict[str, Any]:
    """Return where the stream is; for https it is wss."""
    parts = urlsplit(address)
    protocol = "wss" if parts.scheme == "https" else "ws"
    path = {"pathname": parts.path} if parts.path else {}
    return {"host": parts.netloc, "protocol": protocol, **path}


def _query() -> dict[str, Any]:
    parameters = [*TOKEN, *FILTERS]
    meanings = {"token": "A token that was not used yet."}
    return {
        "type": "object",
        "properties": {
            each.name: {
                **each.schema,
                "description": meanings.get(each.name) or each.meaning or f"One {each.name}.",
            }
            for each in parameters
        },
        "required": [each.name for each in TOKEN],
    }


def _operation(action: str, summary: str, message: str) -> dict[str, Any]:
    return {
        "action": action,
        "channel": _channel(),
        "summary": summary,
        "messages": [_message(message)],
    }


def _channel() -> dict[str, str]:
    return {"$ref": "#/channels/stream"}


def _message(name: str) -> dict[str, str]:
    return {"$ref": f"#/channels/stream/messages/{name}"}


def _text(word: str) -> dict[str, Any]:
    payload = {"type": "string", "const": word}
    return {
        "name": word,
        "title": f"The text {word}",
        "contentType": "text/plain",
        "payload": payload,
    }


def _codes() -> str:
    return " ".join(f"{code}: {meaning}" for code, meaning in CLOSE_CODES)


def _as_draft_7(node: Any) -> Any:
    """Return schemas in the dialect of AsyncAPI, which writes pairs in another way."""
    if isinstance(node, list):
        return [_as_draft_7(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {name: _as_draft_7(each) for name, each in node.items()}
    if "prefixItems" in made:
        made["additionalItems"] = made.pop("items", True)
        made["items"] = made.pop("prefixItems")
    return made
