"""What the desk's dialog does with the embedded server, from another thread."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import Key, LocalServerError
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import parse_ms
from oddsdesk.server.run.embedded import EmbeddedServer
from oddsdesk.server.settings import Settings

T = TypeVar("T")
LIMIT_S = 10
LINE = (
    '{"bookmaker":"Betfair","match_name":"Arsenal - Chelsea","competition":"EPL",'
    '"market_type":"moneyline","period":0,"odds":{"Arsenal":2.1,"Draw":3.4,"Chelsea":3.6},'
    '"scraped_at":"2026-04-16T12:00:00.000Z"}\n'
)


@pytest.fixture
def server(tmp_path: Path):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start_server()
    yield server
    assert server.stop_server()


@pytest.fixture
def ask(server: EmbeddedServer) -> Callable[[Coroutine[Any, Any, T]], T]:
    """Wait for an answer, as a thread without a loop does."""
    return lambda question: server.calls.run_on_loop(question).result(LIMIT_S)


def _key_of(keys: list[Key], account: str) -> Key:
    (found,) = (key for key in keys if key.account == account)
    return found


def _status(server: EmbeddedServer, key: str) -> int:
    return httpx.get(f"{server.url}/api/games", headers={"X-Api-Key": key}).status_code


def test_a_key_opens_until_it_is_rotated_and_its_successor_until_it_is_revoked(server, ask):
    secret = ask(server.create_key("anna", Plan.PRO, None))
    made = _key_of(ask(server.api_keys()), "anna")
    assert _status(server, secret) == 200
    rotated = ask(server.rotate_key(made.key_id))
    assert (_status(server, secret), _status(server, rotated)) == (401, 200)
    ask(server.revoke_key(made.key_id))
    assert _status(server, rotated) == 401
    listed = _key_of(ask(server.api_keys()), "anna")
    assert listed.is_revoked
    assert rotated not in listed.masked


def test_a_free_key_sees_the_bookmaker_it_was_made_for(server, ask):
    secret = ask(server.create_key("tom", Plan.FREE, "Betfair"))
    assert _key_of(ask(server.api_keys()), "tom").bookmaker == "Betfair"
    assert _status(server, secret) == 200


def test_a_changed_account_has_its_rights_and_a_removed_one_none(server, ask):
    secret = ask(server.create_key("anna", Plan.FREE, "Betfair"))
    assert ask(server.change_rights("anna", Plan.PRO, "Pinnacle")) == ""
    bets = f"{server.url}/api/value-bets"
    headers = {"X-Api-Key": secret}
    assert httpx.get(bets, headers=headers).status_code == 200
    warning = ask(server.change_rights("anna", Plan.FREE, None))
    assert warning == "its keys get no odds: Free has one bookmaker, and none is chosen"
    warning = ask(server.change_rights("anna", Plan.PRO, "Pinacle"))
    assert warning.startswith("on Free its keys would get no odds: no bookmaker")
    asked = ask(server.account_warning(Plan.PRO, "Pinacle"))
    assert asked == warning
    assert ask(server.account_warning(Plan.FREE, "pinnacle")) == ""
    ask(server.change_rights("anna", Plan.FREE, None))
    assert httpx.get(bets, headers=headers).status_code == 403
    ask(server.drop_account("anna"))
    assert [key.account for key in ask(server.api_keys())] == ["desk"]
    assert _status(server, secret) == 401


def test_the_sixth_key_of_an_account_is_refused(server, ask):
    for _ in range(5):
        ask(server.create_key("anna", Plan.PRO, None))
    with pytest.raises(LocalServerError, match="5 keys"):
        ask(server.create_key("anna", Plan.PRO, None))


def test_a_feed_added_while_serving_runs_stops_and_starts_again(server, ask, tmp_path):
    file = tmp_path / "quotes.ndjson"
    file.write_text(LINE)
    ask(server.add_feed(f"replay:{file}", 60.0))
    (feed,) = ask(server.feed_reports())
    assert (feed.is_running, feed.speed, feed.simulated) == (True, 60.0, False)
    assert feed.recorded_at == parse_ms(json.loads(LINE)["scraped_at"])
    ask(server.stop_feed(feed.number))
    (feed,) = ask(server.feed_reports())
    assert (feed.is_running, feed.problem) == (False, "")
    ask(server.start_feed(feed.number))
    assert ask(server.feed_reports())[0].is_running


def test_a_feed_is_removed_once_it_is_stopped_and_its_number_not_given_again(server, ask, tmp_path):
    for _ in range(2):
        ask(server.add_feed("simulator", 1.0))
    with pytest.raises(LocalServerError, match="is running; stop it first"):
        ask(server.remove_feed(2))
    ask(server.stop_feed(2))
    ask(server.remove_feed(2))
    with pytest.raises(LocalServerError, match="no such feed"):
        ask(server.remove_feed(2))
    ask(server.add_feed("simulator", 1.0))
    assert [feed.number for feed in ask(server.feed_reports())] == [1, 3]


def test_a_feed_that_cannot_be_opened_is_not_kept(server, ask, tmp_path):
    with pytest.raises(LocalServerError, match="no such file"):
        ask(server.add_feed(f"replay:{tmp_path}/none.ndjson", 1.0))
    assert ask(server.feed_reports()) == []


def test_a_stopped_feed_whose_file_is_gone_says_so(server, ask, tmp_path):
    file = tmp_path / "quotes.ndjson"
    file.write_text(LINE)
    ask(server.add_feed(f"replay:{file}", 1.0))
    ask(server.stop_feed(1))
    file.unlink()
    with pytest.raises(LocalServerError, match="no such file"):
        ask(server.start_feed(1))


def test_the_database_is_described_and_copied_while_in_use(server, ask, tmp_path):
    state = ask(server.database())
    assert (state.path, state.reference) == (tmp_path / "odds.db", "Pinnacle")
    assert state.size >= state.path.stat().st_size > 0
    target = tmp_path / "copy.db"
    shares: list[float] = []
    size = ask(server.back_up(target, keys=False, bets=False, progress=shares.append))
    assert size == target.stat().st_size
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    copy = sqlite3.connect(target)
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    copy.close()


def test_a_copy_that_cannot_be_written_says_where(server, ask, tmp_path):
    target = tmp_path / "nowhere" / "copy.db"
    with pytest.raises(LocalServerError, match="nowhere"):
        ask(server.back_up(target, keys=False, bets=False, progress=lambda _share: None))


async def test_a_server_that_ends_breaks_its_backup_off(server, ask, tmp_path):
    stopping = []

    def stop_meanwhile(_share: float) -> None:
        if not stopping:
            stopping.append(threading.Thread(target=server.stop_server))
            stopping[0].start()
        stopping[0].join(LIMIT_S / 100)

    target = tmp_path / "copy.tar"
    with pytest.raises(LocalServerError):
        await server._back_up(target, True, False, stop_meanwhile)
    stopping[0].join()
    assert not server.is_running
    assert not list(tmp_path.glob(".copy.tar.*"))


def test_retention_can_be_changed_while_serving(server, ask):
    assert ask(server.database()).keep_days == 0
    ask(server.keep_days(7))
    assert ask(server.database()).keep_days == 7


def test_an_older_desks_retention_is_adopted_only_where_the_database_has_none(server, ask):
    assert ask(server.keep_days_unless_set(14))
    assert not ask(server.keep_days_unless_set(1))
    assert ask(server.database()).keep_days == 14


async def test_after_the_server_has_stopped_every_answer_says_so(tmp_path):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start_server()
    assert server.stop_server()
    with pytest.raises(LocalServerError, match="stopped"):
        await server.api_keys()


async def test_who_asks_while_the_server_stops_is_answered_or_told_so(tmp_path, caplog):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start_server()
    stopping = threading.Thread(target=server.stop_server)
    stopping.start()
    answers = set()
    while stopping.is_alive():
        questions = [server.api_keys() for _ in range(20)]
        answers |= set(map(type, await asyncio.gather(*questions, return_exceptions=True)))
    assert answers <= {list, LocalServerError}
    assert not caplog.records


def test_the_log_tells_how_prices_moved_and_since_when(server, ask, tmp_path):
    file = tmp_path / "odds.ndjson"
    file.write_text(LINE)
    ask(server.add_feed(f"replay:{file}", 1))
    game, line = game_id("EPL", "Arsenal - Chelsea"), ("moneyline", 0, "Draw")
    deadline = time.monotonic() + LIMIT_S
    while not (points := ask(server.read(lambda reader: reader.history(game, *line, 0)))):
        assert time.monotonic() < deadline
    assert [(point.bookmaker, point.odds) for point in points] == [("Betfair", 3.4)]
