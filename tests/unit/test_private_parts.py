"""Canaries: what we override or use of uvicorn's and qasync's insides is as it was when read.

Where one fails after an update, the names say what to read again: compare our override with the
new text, mend it, then note the new digest (`python tests/unit/test_private_parts.py`).
"""

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import qasync
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from oddsdesk.server.edge.protocol import BoundedHttp
from oddsdesk.server.edge.websocket import BoundedWebSocket

ATTRIBUTES = {
    HttpToolsProtocol: {
        "cycle",
        "flow",
        "headers",
        "loop",
        "parser",
        "pipeline",
        "transport",
        "url",
    },
    RequestResponseCycle: {
        "disconnected",
        "keep_alive",
        "message_event",
        "more_body",
        "response_complete",
        "response_started",
    },
    WebSocketsSansIOProtocol: {
        "close_sent",
        "close_timer",
        "conn",
        "curr_msg_data_type",
        "frames",
        "handshake_complete",
        "loop",
        "queue",
        "read_paused",
        "scope",
        "transport",
    },
    qasync._SimpleTimer: {"_stopped"},
    qasync._QEventLoop: {"_timer"},
}
"""What we read or set on them: each is assigned or named somewhere in the class."""

DIGESTS = {
    "HttpToolsProtocol.connection_lost": "d94c8f881c93",
    "HttpToolsProtocol.connection_made": "57022c8ff63c",
    "HttpToolsProtocol.data_received": "77d64a8ed713",
    "HttpToolsProtocol.eof_received": "f2b20dd5492a",
    "HttpToolsProtocol.handle_websocket_upgrade": "616bf4fb0754",
    "HttpToolsProtocol.on_body": "a8b4e86add6c",
    "HttpToolsProtocol.on_header": "3c6232bfbe8d",
    "HttpToolsProtocol.on_headers_complete": "8340d55da54a",
    "HttpToolsProtocol.on_message_begin": "edabbefc2c67",
    "HttpToolsProtocol.on_message_complete": "637e321f44da",
    "HttpToolsProtocol.on_response_complete": "711703bdb94f",
    "HttpToolsProtocol.pause_writing": "97c57fc26189",
    "HttpToolsProtocol.resume_writing": "4440bc6ac6e6",
    "HttpToolsProtocol.shutdown": "1289206de08e",
    "HttpToolsProtocol.timeout_keep_alive_handler": "347bfacb1966",
    "ServerState.__init__": "50a659e9a998",
    "WebSocketsSansIOProtocol.data_received": "92336f21d502",
    "WebSocketsSansIOProtocol.handle_close": "b50fe407b9a5",
    "WebSocketsSansIOProtocol.handle_connect": "480d718a3ddb",
    "WebSocketsSansIOProtocol.handle_cont": "db14b27c157f",
    "WebSocketsSansIOProtocol.handle_parser_exception": "162a244b9584",
    "WebSocketsSansIOProtocol.handle_ping": "f1b618686f83",
    "WebSocketsSansIOProtocol.keepalive_timeout": "304d9b2dd412",
    "WebSocketsSansIOProtocol.send": "337c88bc1bbb",
    "WebSocketsSansIOProtocol.send_500_response": "403da3410eb1",
    "WebSocketsSansIOProtocol.send_receive_event_to_app": "d09536f6c21d",
    "WebSocketsSansIOProtocol.shutdown": "4cf457a1f59d",
    "WebSocketsSansIOProtocol.connection_lost": "a6f38b7afc4b",
    "WebSocketsSansIOProtocol.handle_events": "99c36984b962",
    "WebSocketsSansIOProtocol.receive": "935ec30df7aa",
    "_SimpleTimer.timerEvent": "e1a5e93544fa",
}


def overridden() -> dict[str, Callable[..., Any]]:
    """Return the methods of others that ours replace or extend, by name."""
    pairs = ((BoundedHttp, HttpToolsProtocol), (BoundedWebSocket, WebSocketsSansIOProtocol))
    found: dict[str, Callable[..., Any]] = {
        f"{base.__name__}.{name}": getattr(base, name)
        for mine, base in pairs
        for name in vars(mine)
        if inspect.isfunction(getattr(base, name, None)) and name != "__init__"
    }
    found["ServerState.__init__"] = ServerState.__init__  # what `SharedState` stands for
    found["_SimpleTimer.timerEvent"] = qasync._SimpleTimer.timerEvent
    return found


def digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function's text, its indentation and comment lines aside."""
    lines = [line.strip() for line in inspect.getsource(inspect.unwrap(function)).splitlines()]
    text = "\n".join(line for line in lines if line and not line.startswith("#"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def names_in(kind: type) -> set[str]:
    text = "".join(
        textwrap.dedent(inspect.getsource(each))
        for each in inspect.getmro(kind)
        if each.__module__.partition(".")[0] in {"uvicorn", "qasync"}
    )
    nodes = ast.walk(ast.parse(text))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("kind", ATTRIBUTES, ids=lambda kind: kind.__name__)
def test_attributes_that_are_used_are_still_there(kind: type) -> None:
    assert ATTRIBUTES[kind] - names_in(kind) == set()


def test_overridden_methods_are_as_they_were_read() -> None:
    now = {name: digest(function) for name, function in overridden().items()}
    assert now == DIGESTS


if __name__ == "__main__":
    for name, function in sorted(overridden().items()):
        print(f'    "{name}": "{digest(function)}",')
