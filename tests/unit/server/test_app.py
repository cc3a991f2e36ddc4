"""Callers differ from strangers by key, stream token or owner's secret, found without waiting."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.server.app import Door
from oddsdesk.server.edge.protocol import Sender
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.server.stream.endpoint import LIFETIME_S, issue_token
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.owner_secret import SECRET_HEADER, owner_secret_of

NOW = 1_750_000_000_000


@pytest.fixture
async def access(tmp_path: Path) -> AsyncIterator[AccessStore]:
    with contextlib.closing(open_access(tmp_path / "odds.db")) as opened:
        yield opened


class Judged:
    """A door's judgement of requests."""

    def __init__(self, access: AccessStore, folder: Path) -> None:
        self.now = NOW
        self.owner = owner_secret_of(folder / "odds.db")
        assert self.owner is not None
        (folder / "odds.db").touch()
        self.owner.make()
        self._loop_access = LoopAccess(access, lambda: NOW)
        store: Any = None
        service = Service(store, self._loop_access, lambda: self.now, owner=self.owner)
        self.door = Door(service)

    def of(self, url: str, *headers: tuple[str, str]) -> Sender:
        given = [(name.lower().encode(), value.encode()) for name, value in headers]
        return self.door.sender_of(url.encode(), given)

    def close(self) -> None:
        self._loop_access.end_thread()


@pytest.fixture
def judged(access: AccessStore, tmp_path: Path) -> Any:
    made = Judged(access, tmp_path)
    yield made
    made.close()


async def test_a_known_key_makes_a_caller(judged: Judged, access: AccessStore) -> None:
    key = access.keys.create("a", Plan.PRO, None, NOW).secret
    assert judged.of("/api/odds?limit=5", ("X-Api-Key", key)) is Sender.CALLER
    assert judged.of("/api/odds", ("X-Api-Key", key + "0")) is Sender.STRANGER
    assert judged.of("/api/odds", ("X-Api-Key", key), ("X-Api-Key", key)) is Sender.STRANGER
    assert judged.of("/api/odds") is Sender.STRANGER
    access.keys.rotate(key)
    assert judged.of("/api/odds", ("X-Api-Key", key)) is Sender.STRANGER


async def test_probes_are_known_by_their_path(judged: Judged) -> None:
    for path in ("/api/health", "/api/ready", "/api/ready?x=1"):
        assert judged.of(path) is Sender.PROBE
    assert judged.of("/api/readyness") is Sender.STRANGER


async def test_a_stream_token_makes_a_caller_of_the_stream(
    judged: Judged, access: AccessStore
) -> None:
    made = access.keys.create("a", Plan.PRO_LIVE, None, NOW)
    caller = access.keys.caller(made.secret)
    assert caller is not None
    token = issue_token(access.secret, caller, NOW)
    assert judged.of(f"/api/stream?bookmaker=Bwin&token={token}") is Sender.CALLER
    assert judged.of(f"/api/odds?token={token}") is Sender.STRANGER
    for stale in ("od_none", made.secret + "0"):
        key = ("X-Api-Key", stale)
        assert judged.of(f"/api/stream?token={token}", key) is Sender.CALLER, "the token decides"
        assert judged.of("/api/stream", key) is Sender.STRANGER
    forged = issue_token(b"another secret", caller, NOW)
    for wrong in (forged, "nonsense", "", f"{token}&token={token}"):
        assert judged.of(f"/api/stream?token={wrong}") is Sender.STRANGER
    other = access.keys.create("b", Plan.PRO_LIVE, None, NOW).secret
    scope = {
        "path": "/api/stream",
        "query_string": f"token={token}".encode(),
        "headers": [(b"x-api-key", other.encode())],
    }
    assert judged.door.caller_of(scope) == caller
    judged.now += LIFETIME_S * 1000
    assert judged.of(f"/api/stream?token={token}") is Sender.STRANGER, "it is over"


async def test_the_owners_secret_makes_a_caller(judged: Judged) -> None:
    assert judged.owner is not None
    secret = judged.owner.read_secret()
    assert secret is not None
    assert judged.of("/ingest", (SECRET_HEADER, secret)) is Sender.CALLER
    assert judged.of("/ingest", (SECRET_HEADER, secret[:-1])) is Sender.STRANGER
