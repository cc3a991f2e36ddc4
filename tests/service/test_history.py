"""``GET /api/games/{game_id}/history``; ours, beyond the contract (D75)."""

import asyncio
from typing import Any

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import Origin, Point
from oddsdesk.board.history.sources import LATE_MS, ServiceSource
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.client import HISTORY_PATH, Client, Listing, PriceChange, SyncClient
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import format_ms

MINUTE = 60_000
GAME = game_id("EPL", "Arsenal - Chelsea")
PATH = f"/api/games/{GAME}/history"
ARSENAL = ("moneyline", 0, "Arsenal")


@pytest.fixture
def moved(service: Any) -> Any:
    """Betfair moved twice, then withdrew a price in play; Pinnacle priced once."""
    service.quote()
    service.quote(bookmaker="Pinnacle", odds={"Arsenal": 2.0, "Draw": 3.3, "Chelsea": 3.7})
    service.now += MINUTE
    service.quote(odds={"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.6})
    service.now += MINUTE
    service.quote(odds={"Arsenal": 2.3, "Chelsea": 3.6}, is_live=True)
    return service


def odds_of(rows: Any, selection: str) -> list[Any]:
    return [row["odds"] for row in rows if row["selection"] == selection]


def test_every_move_is_answered_by_time_withdrawn_ones_as_null(moved: Any) -> None:
    """D75."""
    rows = moved.data(PATH, moved.key(), bookmaker="Betfair")
    assert odds_of(rows, "Arsenal") == [2.1, 2.2, 2.3]
    assert odds_of(rows, "Draw") == [3.4, None]
    assert rows == sorted(rows, key=lambda row: row["scraped_at"])
    assert rows[0] == {
        "bookmaker": "Betfair", "market_type": "moneyline", "period": 0, "selection": "Arsenal",
        "odds": 2.1, "scraped_at": format_ms(moved.now - 2 * MINUTE), "is_live": False,
    }  # fmt: skip


def test_it_is_narrowed_by_market_selection_bookmaker_and_time(moved: Any) -> None:
    """D75: from ``since`` to before ``until``."""
    key = moved.key()
    wanted = {"market_type": "moneyline", "period": "0", "selection": "Arsenal"}
    assert len(moved.data(PATH, key, **wanted)) == 4
    between = {"since": format_ms(moved.now - MINUTE), "until": format_ms(moved.now)}
    assert odds_of(moved.data(PATH, key, **wanted, **between), "Arsenal") == [2.2]
    assert moved.data(PATH, key, market_type="total") == []


async def test_when_nothing_was_recorded_is_told_and_is_a_gap_in_the_desk(moved: Any) -> None:
    """D75."""
    began, silent = moved.now, 40 * MINUTE
    moved.now += silent
    moved.quote(odds={"Arsenal": 2.4, "Draw": 3.4, "Chelsea": 3.6})
    (told,) = moved.get(PATH, moved.key()).json()["meta"]["silences"]
    assert told == [format_ms(began), format_ms(moved.now)]
    async with Client(moved.url, moved.key()) as client:
        source = ServiceSource(client, Board(lambda: moved.now))
        history = await source.history_of(GAME, ARSENAL, 0)
        again = await source.history_of(GAME, ARSENAL, 0)
    for each in (history, again):
        assert [(gap.since, gap.until) for gap in each.gaps] == [(began, moved.now)]


async def test_what_a_desk_did_not_hear_is_a_gap_where_a_service_tells_none(moved: Any) -> None:
    """D75: a service of the contract need not tell it."""
    board = Board(lambda: moved.now)
    board.subscribe_game(GAME)
    board.set_connection(Connection(link=Link.LIVE))
    board.set_connection(Connection(link=Link.WAITING))
    lost_at = moved.now
    moved.now += 5 * MINUTE
    board.set_connection(Connection(link=Link.LIVE))

    class Plain(Client):
        async def history(self, *given: Any, **asked: Any) -> Listing[PriceChange]:
            return Listing(list(await super().history(*given, **asked)))

    async with Plain(moved.url, moved.key()) as client:
        history = await ServiceSource(client, board).history_of(GAME, ARSENAL, 0)
    assert [(gap.since, gap.until) for gap in history.gaps] == [(lost_at, moved.now)]


def test_pages_hold_every_move_once(moved: Any) -> None:
    """D14."""
    key = moved.key()
    whole, paged, asked = moved.data(PATH, key), [], {"limit": 2}
    while True:
        answer = moved.get(PATH, key, **asked).json()
        assert answer["meta"]["count"] == len(answer["data"])
        paged += answer["data"]
        if "next_cursor" not in answer["meta"]:
            break
        asked["cursor"] = answer["meta"]["next_cursor"]
    assert paged == whole


BAD: list[dict[str, str]] = [
    {"since": "yesterday"},
    {"until": "2026-11-20T18:00:00"},
    {"since": "2026-11-20T18:00:00Z", "until": "2026-11-20T18:00:00Z"},
    {"market_type": "corners"},
    {"limit": "5001"},
    {"cursor": "nonsense"},
]


@pytest.mark.one_engine
def test_what_makes_no_sense_is_refused_and_an_unknown_game_is_none(moved: Any) -> None:
    """D10, D12."""
    key = moved.key()
    for asked in BAD:
        answer = moved.get(PATH, key, **asked)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    for ident in ("00000000-0000-0000-0000-000000000000", "nothing"):
        assert moved.get(f"/api/games/{ident}/history", key).status_code == 404


def test_it_is_for_plans_that_see_every_bookmaker_and_in_play_for_those_that_do(moved: Any) -> None:
    """D75, D20."""
    refused = moved.get(PATH, moved.key(Plan.FREE, "Betfair"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "bookmaker_forbidden")
    assert None not in odds_of(moved.data(PATH, moved.key(Plan.PRO)), "Draw")
    assert moved.get(PATH, "unknown").status_code == 401


@pytest.mark.one_engine
def test_both_clients_give_a_frame_in_one_line(moved: Any) -> None:
    with SyncClient(moved.url, moved.key(), clock=lambda: moved.now) as client:
        assert client.offers(HISTORY_PATH)
        rows = client.history(GAME, selection="Arsenal", bookmaker="Betfair").to_dicts()
        assert [row["odds"] for row in rows] == [2.1, 2.2, 2.3]
        assert len(list(client.all_history(GAME, limit=2))) == len(client.history(GAME))


@pytest.mark.one_engine
def test_the_desk_reads_it_and_then_only_what_is_new(moved: Any) -> None:
    board = Board(lambda: moved.now)

    async def read(source: ServiceSource) -> Any:
        return (
            await source.history_of(GAME, ARSENAL, 0),
            await source.history_of(GAME, ARSENAL, 0),
        )

    async def ask() -> None:
        async with Client(moved.url, moved.key()) as client:
            source = ServiceSource(client, board)
            first, second = await read(source)
            assert first.origin is Origin.SERVICE
            assert first.paths == second.paths
            began = moved.now - 2 * MINUTE
            assert first.paths["Pinnacle"] == [Point(began, 2.0)]
            assert [point.odds for point in first.paths["Betfair"]] == [2.1, 2.2, 2.3]
            assert first.since_ms == began
            moved.now += 30 * MINUTE
            moved.quote(odds={"Arsenal": 2.5, "Chelsea": 3.6}, is_live=True)
            again = await source.history_of(GAME, ARSENAL, 0)
            assert [point.odds for point in again.paths["Betfair"]][-2:] == [2.3, 2.5]
        async with Client(moved.url, moved.key(Plan.FREE, "Betfair")) as client:
            seen, _ = await read(ServiceSource(client, board))
            assert seen.origin is Origin.SEEN

    asyncio.run(ask())


@pytest.mark.one_engine
async def test_a_price_is_told_that_stood_before_what_is_asked_for(moved: Any) -> None:
    """The service has no moves of the last hour: who asked it for these alone would see no line."""
    board = Board(lambda: moved.now)
    async with Client(moved.url, moved.key()) as client:
        exhaust(board.merge_matrix(await client.game(GAME)))
        source, began = ServiceSource(client, board), moved.now - 2 * MINUTE
        moved.now += 60 * MINUTE
        history = await source.history_of(GAME, ARSENAL, moved.now - 30 * MINUTE)
        references = await source.references(GAME, [ARSENAL], moved.now - 30 * MINUTE)
    assert history.paths["Pinnacle"] == references.paths[ARSENAL] == [Point(began, 2.0)]


@pytest.mark.one_engine
async def test_of_the_reference_too_only_what_is_new_is_read(moved: Any) -> None:
    """The fair line asks for all sides of the line, each minute."""
    asked: list[str | None] = []

    class Noting(Client):
        async def history(self, *given: Any, **wanted: Any) -> Listing[PriceChange]:
            asked.append(wanted["since"])
            return await super().history(*given, **wanted)

    board = Board(lambda: moved.now)
    keys = [("moneyline", 0, side) for side in ("Arsenal", "Draw", "Chelsea")]
    async with Noting(moved.url, moved.key()) as client:
        exhaust(board.merge_matrix(await client.game(GAME)))
        source = ServiceSource(client, board)
        first = await source.references(GAME, keys, 0)
        moved.now += 30 * MINUTE
        moved.quote(bookmaker="Pinnacle", odds={"Arsenal": 2.1, "Draw": 3.3, "Chelsea": 3.7})
        again = await source.references(GAME, keys, 0)
        whole = await ServiceSource(client, board).references(GAME, keys, 0)
    assert first.origin is Origin.SERVICE
    assert [point.odds for point in again.paths[ARSENAL]] == [2.0, 2.1]
    assert again.paths == whole.paths
    began = moved.now - 32 * MINUTE
    assert asked == [None, format_ms(began - LATE_MS), None]
