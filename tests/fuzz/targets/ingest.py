"""What is posted to `/ingest`: taken or refused, whatever its pieces and its encoding."""

import asyncio
import gzip
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, Final

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.server.endpoints.ingest import IngestGate
from oddsdesk.server.gate import Service
from oddsdesk.store.values import Recorded

NOW_MS: Final = 1_790_000_000_000
MOST_PIECES: Final = 50
ANSWERS: Final = (200, 400)
OWNER: Final = (b"x-oddsdesk-secret", b"0")


def post(data: bytes) -> None:
    """Post a body, plain or packed: the size of its pieces, its encoding, then itself."""
    size, how = 1 + data[0] if data else 1, data[1:2]
    body = data[2:]
    if how == b"z":
        body = gzip.compress(body, mtime=0)
    asyncio.run(_post(body, size, b"gzip" if how in (b"z", b"g") else b""))


async def _post(body: bytes, size: int, encoding: bytes) -> None:
    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": "/ingest",
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"localhost"), OWNER, (b"content-encoding", encoding)],
    }
    pieces = [body[start : start + size] for start in range(0, len(body), size)][:MOST_PIECES]
    waiting = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    waiting.append({"type": "http.request", "body": body[MOST_PIECES * size :]})
    said: list[Any] = []

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        said.append(message)

    await IngestGate(_service())(scope, receive, send)
    assert said[0]["status"] in ANSWERS, said


def _service() -> Service:
    access = SimpleNamespace(circuit=SimpleNamespace(check_database=lambda: None))
    return Service(store=_Store(), access=access, clock=_now, owner=_Owner())


class _Owner:
    """Accepts every secret."""

    def matches(self, _said: bytes) -> bool:
        return True


class _Store:
    """Takes all quotes and results."""

    def record(self, quotes: list[Quote]) -> Future[Recorded]:
        done: Future[Recorded] = Future()
        done.set_result(Recorded(len(quotes), len(quotes), 0, 1))
        return done

    def record_results(self, _results: list[GameResult]) -> Future[None]:
        done: Future[None] = Future()
        done.set_result(None)
        return done


def _now() -> int:
    return NOW_MS
