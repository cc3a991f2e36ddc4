"""Health and a database that is out of reach (D15; service.md, Errors: 503)."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from oddsdesk import __version__
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.fairness import THREADS, FairShares
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.values import Origin


def test_health_needs_no_key(service: Any) -> None:
    """D15."""
    answer = service.http.get("/api/health")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "version": __version__,
        "database": "ok",
        "last_scraped_at": None,
        "simulated": False,
        "reasons": [],
        "shifted": False,
    }


def test_health_says_when_prices_were_last_seen(service: Any) -> None:
    """D15."""
    service.quote(scraped_at=service.now - 5)
    assert service.http.get("/api/health").json()["last_scraped_at"] == "2026-11-20T17:59:59.995Z"


def test_health_says_that_prices_are_simulated_until_there_are_real_ones(service: Any) -> None:
    """The contract (D15) has no such field."""
    odds = {"Arsenal": 2.1, "Chelsea": 3.6}
    made_up = Quote("Made up", "Arsenal - Chelsea", "EPL", "moneyline", 0, odds, service.now)
    service.store.record([made_up], simulated=True).result(timeout=10)
    assert service.http.get("/api/health").json()["simulated"] is True
    service.quote()
    assert service.http.get("/api/health").json()["simulated"] is False
    rows = service.data("/api/odds", service.key())
    assert {row["bookmaker"] for row in rows} == {"Betfair"}


def test_health_says_that_old_prices_were_moved_to_now(service: Any) -> None:
    """Not in the contract (D15). Real prices end it after 20 minutes."""
    service.store.record([service.quote()], shifted=True).result(timeout=10)
    service.quote(bookmaker="Bwin")
    assert service.http.get("/api/health").json()["shifted"] is True
    service.now += 21 * 60_000
    service.quote(bookmaker="Bwin")
    assert service.http.get("/api/health").json()["shifted"] is False


def test_health_says_that_no_price_of_the_reference_is_here(service: Any) -> None:
    """The contract (D15) has no such field."""
    service.quote()
    told = service.http.get("/api/health").json()
    assert (told["unpriced_reference"], told["status"]) == (service.store.reference, "ok")
    service.quote(bookmaker=service.store.reference)
    assert "unpriced_reference" not in service.http.get("/api/health").json()


def test_health_names_the_sources_of_the_last_hours_odds(service: Any) -> None:
    """Not in the contract (D15); left out where no source is known (D66)."""
    told = [service.quote()]
    for source in ("the-odds-api", "polymarket"):
        service.store.record(told, origin=Origin(source)).result(timeout=10)
    assert service.http.get("/api/health").json()["sources"] == ["polymarket", "the-odds-api"]
    service.now += 61 * 60_000
    assert "sources" not in service.http.get("/api/health").json()


def test_probes_are_in_no_line_of_other_requests(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D82, D83: callers without a key fill that line."""

    async def never(*_: Any) -> None:
        raise AssertionError("a probe waits in a line")

    monkeypatch.setattr(FairShares, "__call__", never)
    for path in ("/api/ready", "/api/health"):
        assert service.http.get(path).status_code == 200


def test_probes_wait_for_no_thread_that_others_use(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D82: whatever callers keep busy, probes have a separate thread."""
    key, reader, free = service.key(), service.store.reader, threading.Event()
    is_busy = threading.Semaphore(0)

    def busy() -> Any:
        if "probe" not in threading.current_thread().name:
            is_busy.release()
            assert free.wait(30)
        return reader()

    monkeypatch.setattr(service.store, "reader", busy)
    with ThreadPoolExecutor(4) as callers:
        asked = [callers.submit(service.get, "/api/odds", key) for _ in range(4)]
        try:
            for _ in range(THREADS):
                assert is_busy.acquire(timeout=30)
            for path in ("/api/ready", "/api/health"):
                assert service.http.get(path).status_code == 200
                known = service.get(path, key)
                assert known.status_code == 200
                assert known.headers["x-ratelimit-remaining"] == str(5500 - len(asked))
        finally:
            free.set()
    assert [each.result().status_code for each in asked] == [200] * 4


def test_an_unknown_key_does_not_matter_to_health(service: Any) -> None:
    """D15."""
    assert service.get("/api/health", "nonsense").status_code == 200


def corrupt(path: Path) -> bytes:
    """Overwrite a database behind its back; return what it was."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    return whole


@pytest.mark.parametrize(
    "error", [StoreUnavailableError("/secret/path: locked"), StoreError("/secret/path: gone")]
)
def test_an_unreadable_store_is_503_until_it_can_be_read(
    service: Any, error: StoreError, monkeypatch: pytest.MonkeyPatch
) -> None:
    """service.md, Errors: service_unavailable; issue 3, item 6: recovery without a restart."""
    service.quote()
    key = service.key()
    before = int(service.get("/api/odds", key).headers["x-ratelimit-remaining"])

    def refuse() -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(service.store, "reader", refuse)
        answer = service.get("/api/odds", key)
        health = service.http.get("/api/health")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "service_unavailable"
    assert int(answer.headers["retry-after"]) > 0
    assert int(answer.headers["x-ratelimit-remaining"]) == before
    assert (health.status_code, health.json()["status"]) == (503, "unavailable")
    assert "secret" not in answer.text + health.text
    assert len(service.data("/api/odds", key)) == 1


def test_a_damaged_odds_file_is_503(file_service: Any) -> None:
    """service.md, Errors: service_unavailable."""
    service = file_service
    for number in range(300):
        service.quote(match_name=f"Team {number} - Other")
    key = service.key()
    whole = corrupt(service.path)
    answer = service.get("/api/odds", key)
    assert answer.status_code == 503
    service.path.write_bytes(whole)


def test_an_unreadable_access_file_is_503(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """service.md, Errors: the caller is not said to be unknown then."""
    key = service.key()

    def refuse(*_: Any) -> None:
        raise StoreUnavailableError("disk I/O error")

    monkeypatch.setattr(service.access._file, "read_with", refuse)
    answer = service.get("/api/odds", key)
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "service_unavailable"
    assert "x-ratelimit-remaining" not in answer.headers
    assert service.get("/api/health", key).json()["status"] == "unavailable"
