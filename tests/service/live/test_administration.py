"""What the desk's dialog does with the embedded server, from another thread."""

import json
import sqlite3
import threading
import time
from pathlib import Path

import httpx
import pytest

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.server.administration import Administration
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.keys import KeyLimitError
from oddsdesk.store.sqlite.backup import ODDS_ONLY, Contents

LIMIT_S = 10
LINE = (
    '{"bookmaker":"Betfair","match_name":"Arsenal - Chelsea","competition":"EPL",'
    '"market_type":"moneyline","period":0,"odds":{"Arsenal":2.1,"Draw":3.4,"Chelsea":3.6},'
    '"scraped_at":"2026-04-16T12:00:00.000Z"}\n'
)


@pytest.fixture
def server(tmp_path: Path):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start()
    yield server
    assert server.stop()


@pytest.fixture
def administration(server: EmbeddedServer) -> Administration:
    assert server.administration is not None
    return server.administration


def _status(server: EmbeddedServer, key: str) -> int:
    return httpx.get(f"{server.url}/api/games", headers={"X-Api-Key": key}).status_code


def test_a_key_opens_until_it_is_rotated_and_its_successor_until_it_is_revoked(
    server, administration
):
    made = administration.create_key("anna", Plan.PRO, None).result(LIMIT_S)
    assert _status(server, made.secret) == 200
    rotated = administration.rotate_key(made.key.key_id).result(LIMIT_S)
    assert (_status(server, made.secret), _status(server, rotated.secret)) == (401, 200)
    administration.revoke_key(made.key.key_id).result(LIMIT_S)
    assert _status(server, rotated.secret) == 401
    listed = {key.account: key for key in administration.keys().result(LIMIT_S)}
    assert listed["anna"].is_revoked
    assert rotated.secret not in listed["anna"].masked


def test_a_free_key_sees_the_bookmaker_it_was_made_for(server, administration):
    made = administration.create_key("tom", Plan.FREE, "Betfair").result(LIMIT_S)
    assert made.key.bookmaker == "Betfair"
    assert _status(server, made.secret) == 200


def test_a_changed_account_has_its_rights_and_a_removed_one_none(server, administration):
    made = administration.create_key("anna", Plan.FREE, "Betfair").result(LIMIT_S)
    assert administration.change_account("anna", Plan.PRO, "Pinnacle").result(LIMIT_S) == ""
    bets = f"{server.url}/api/value-bets"
    headers = {"X-Api-Key": made.secret}
    assert httpx.get(bets, headers=headers).status_code == 200
    warning = administration.change_account("anna", Plan.FREE, None).result(LIMIT_S)
    assert warning == "its keys see no odds: Free shows one bookmaker, and none is chosen"
    warning = administration.change_account("anna", Plan.PRO, "Pinacle").result(LIMIT_S)
    assert warning.startswith("on Free its keys would see no odds: no bookmaker")
    administration.change_account("anna", Plan.FREE, None).result(LIMIT_S)
    assert httpx.get(bets, headers=headers).status_code == 403
    removed = administration.remove_account("anna").result(LIMIT_S)
    assert removed.key_ids == (made.key.key_id,)
    assert _status(server, made.secret) == 401


def test_the_sixth_key_of_an_account_is_refused(administration):
    for _ in range(5):
        administration.create_key("anna", Plan.PRO, None).result(LIMIT_S)
    with pytest.raises(KeyLimitError, match="5 keys"):
        administration.create_key("anna", Plan.PRO, None).result(LIMIT_S)


def test_a_feed_added_while_serving_runs_stops_and_starts_again(server, administration, tmp_path):
    file = tmp_path / "quotes.ndjson"
    file.write_text(LINE)
    administration.add_feed(f"replay:{file}", 60.0).result(LIMIT_S)
    (feed,) = administration.feeds().result(LIMIT_S)
    assert (feed.is_running, feed.speed, feed.simulated) == (True, 60.0, False)
    assert feed.recorded_at == parse_ms(json.loads(LINE)["scraped_at"])
    administration.stop_feed(feed.number).result(LIMIT_S)
    (feed,) = administration.feeds().result(LIMIT_S)
    assert (feed.is_running, feed.problem) == (False, "")
    administration.start_feed(feed.number).result(LIMIT_S)
    assert administration.feeds().result(LIMIT_S)[0].is_running


def test_a_feed_is_removed_once_it_is_stopped_and_its_number_not_given_again(
    server, administration, tmp_path
):
    for _ in range(2):
        administration.add_feed("simulator", 1.0).result(LIMIT_S)
    with pytest.raises(FeedError, match="it runs; stop it first"):
        administration.remove_feed(2).result(LIMIT_S)
    administration.stop_feed(2).result(LIMIT_S)
    administration.remove_feed(2).result(LIMIT_S)
    with pytest.raises(FeedError, match="none of that number"):
        administration.remove_feed(2).result(LIMIT_S)
    administration.add_feed("simulator", 1.0).result(LIMIT_S)
    assert [feed.number for feed in administration.feeds().result(LIMIT_S)] == [1, 3]


def test_a_feed_that_cannot_be_opened_is_not_kept(administration, tmp_path):
    with pytest.raises(FeedError, match="no such file"):
        administration.add_feed(f"replay:{tmp_path}/none.ndjson", 1.0).result(LIMIT_S)
    assert administration.feeds().result(LIMIT_S) == []


def test_a_stopped_feed_whose_file_is_gone_says_so(administration, tmp_path):
    file = tmp_path / "quotes.ndjson"
    file.write_text(LINE)
    administration.add_feed(f"replay:{file}", 1.0).result(LIMIT_S)
    administration.stop_feed(1).result(LIMIT_S)
    file.unlink()
    with pytest.raises(FeedError, match="no such file"):
        administration.start_feed(1).result(LIMIT_S)


def test_the_database_is_described_and_copied_while_in_use(server, administration, tmp_path):
    state = administration.database().result(LIMIT_S)
    assert (state.path, state.reference) == (tmp_path / "odds.db", "Pinnacle")
    assert state.size >= state.path.stat().st_size > 0
    target = tmp_path / "copy.db"
    shares: list[float] = []
    done = administration.back_up(target, ODDS_ONLY, shares.append).result(LIMIT_S)
    assert done.size == target.stat().st_size
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    copy = sqlite3.connect(target)
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    copy.close()


def test_a_copy_that_cannot_be_written_says_where(administration, tmp_path):
    target = tmp_path / "nowhere" / "copy.db"
    with pytest.raises(StoreError, match="nowhere"):
        administration.back_up(target, ODDS_ONLY, lambda _share: None).result(LIMIT_S)


def test_a_server_that_ends_breaks_its_backup_off(server, administration, tmp_path):
    stopping = []

    def stop_meanwhile(_share: float) -> None:
        if not stopping:
            stopping.append(threading.Thread(target=server.stop))
            stopping[0].start()
        stopping[0].join(LIMIT_S / 100)

    target = tmp_path / "copy.tar"
    backup = administration.back_up(target, Contents(keys=True), stop_meanwhile)
    with pytest.raises(StoreUnavailableError):
        backup.result(LIMIT_S)
    stopping[0].join()
    assert not server.is_running
    assert not list(tmp_path.glob(".copy.tar.*"))


def test_retention_can_be_changed_while_serving(administration):
    assert administration.database().result(LIMIT_S).keep_days == 0
    administration.keep_log(7).result(LIMIT_S)
    assert administration.database().result(LIMIT_S).keep_days == 7


def test_an_older_desks_retention_is_adopted_only_where_the_database_has_none(administration):
    assert administration.adopt_keep_days(14).result(LIMIT_S)
    assert not administration.adopt_keep_days(1).result(LIMIT_S)
    assert administration.database().result(LIMIT_S).keep_days == 14


def test_after_the_server_has_stopped_every_answer_says_so(tmp_path):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start()
    assert server.administration is not None
    assert server.stop()
    with pytest.raises(StoreUnavailableError, match="stopped"):
        server.administration.keys().result(LIMIT_S)


def test_who_asks_while_the_server_stops_is_answered_or_told_so(tmp_path, caplog):
    server = EmbeddedServer(Settings(tmp_path / "odds.db", port=0))
    server.start()
    administration = server.administration
    assert administration is not None
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    refusals = []
    while stopping.is_alive():
        refusals += [
            answer.exception(LIMIT_S) for answer in [administration.log_state(0) for _ in range(20)]
        ]
    assert {type(each) for each in refusals} <= {type(None), StoreUnavailableError}
    assert not caplog.records


def test_the_log_tells_how_prices_moved_and_since_when(server, administration, tmp_path):
    file = tmp_path / "odds.ndjson"
    file.write_text(LINE)
    administration.add_feed(f"replay:{file}", 1).result(LIMIT_S)
    game, line = game_id("EPL", "Arsenal - Chelsea"), ("moneyline", 0, "Draw")
    deadline = time.monotonic() + LIMIT_S
    while not (points := administration.history(game, *line, 0).result(LIMIT_S)):
        assert time.monotonic() < deadline
    assert [(point.bookmaker, point.odds) for point in points] == [("Betfair", 3.4)]
    state = administration.log_state(0).result(LIMIT_S)
    assert state.began is not None
    assert state.silences == []
    assert administration.reference_history(game, [line], 0).result(LIMIT_S) == {}
