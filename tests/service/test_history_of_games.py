"""``GET /api/history``; ours, beyond the contract (D75): the moves of all games."""

import gzip
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import pytest

from oddsdesk.client import (
    MOVES_PATH,
    BadRequestError,
    Client,
    HistoryRow,
    NotFoundError,
    SyncClient,
    to_dicts,
)
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import format_ms
from oddsdesk.server.endpoints import lists
from tests.kit.plain_service import plain_service
from tests.kit.running_service import HOUR_MS, NOW

MINUTE = 60_000
PATH = "/api/history"
EPL = game_id("EPL", "Arsenal - Chelsea")


@pytest.fixture
def moved(service: Any) -> Any:
    """Three games of two competitions; a draw is withdrawn in play."""
    service.quote()
    service.quote(bookmaker="Pinnacle", odds={"Arsenal": 2.0, "Draw": 3.3, "Chelsea": 3.7})
    service.quote(match_name="Leeds - Everton", odds={"Leeds": 2.5, "Draw": 3.2, "Everton": 3.0})
    service.now += MINUTE
    service.quote(odds={"Arsenal": 2.2, "Chelsea": 3.6}, is_live=True)
    service.quote(match_name="A - B", competition="LIG1", odds={"A": 1.5}, match_date=None)
    return service


def pages(service: Any, key: str, **asked: Any) -> list[Any]:
    rows = []
    while True:
        answer = service.get(PATH, key, **asked).json()
        assert answer["meta"]["count"] == len(answer["data"])
        rows += answer["data"]
        if "next_cursor" not in answer["meta"]:
            return rows
        asked["cursor"] = answer["meta"]["next_cursor"]


def test_every_game_s_moves_are_answered_with_their_game(moved: Any) -> None:
    """D75."""
    rows = moved.data(PATH, moved.key())
    assert len(rows) == 12
    assert rows == sorted(rows, key=lambda row: (row["game_id"], row["scraped_at"]))
    (draw,) = (row for row in rows if row["odds"] is None)
    assert draw == {
        "game_id": EPL, "match_name": "Arsenal - Chelsea", "competition": "EPL",
        "sport": "Football", "match_date": format_ms(NOW + HOUR_MS), "bookmaker": "Betfair",
        "market_type": "moneyline", "period": 0, "selection": "Draw", "odds": None,
        "scraped_at": format_ms(moved.now), "is_live": True,
    }  # fmt: skip
    (dated,) = {row["match_date"] for row in rows if row["competition"] == "LIG1"}
    assert dated is None
    of_game = moved.data(f"/api/games/{EPL}/history", moved.key())
    fields = list(of_game[0])
    assert [{name: row[name] for name in fields} for row in rows if row["game_id"] == EPL] == (
        of_game
    )


def test_pages_of_any_size_hold_every_move_once(moved: Any) -> None:
    """D14."""
    key = moved.key()
    whole = moved.data(PATH, key)
    for limit in (1, 2, 5, 12):
        assert pages(moved, key, limit=limit) == whole


@pytest.mark.one_engine
def test_a_page_that_takes_long_ends_after_a_game_and_goes_on(
    moved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D14."""
    key = moved.key()
    whole = moved.data(PATH, key)
    monkeypatch.setattr(lists, "_LONGEST_PAGE_S", 0.0)
    first = moved.data(PATH, key)
    assert len({row["game_id"] for row in first}) == 1
    assert pages(moved, key) == whole


def test_it_is_narrowed_as_lists_and_histories_are(moved: Any) -> None:
    """D75."""
    key = moved.key()
    assert len(moved.data(PATH, key, competition="EPL")) == 11
    assert len(moved.data(PATH, key, sport="FOOTBALL", bookmaker="Pinnacle")) == 3
    assert moved.data(PATH, key, market_type="total") == []
    late = moved.data(PATH, key, since=format_ms(moved.now), competition="EPL", period="0")
    assert [row["odds"] for row in late if row["selection"] in ("Arsenal", "Draw")] == [2.2, None]
    early = moved.data(PATH, key, until=format_ms(moved.now))
    assert len(early) == 9


BAD: list[dict[str, str]] = [
    {"since": "yesterday"},
    {"until": "2026-11-20T18:00:00"},
    {"since": "2026-11-20T18:00:00Z", "until": "2026-11-20T18:00:00Z"},
    {"market_type": "corners"},
    {"limit": "10001"},
    {"limit": "0"},
    {"cursor": "nonsense"},
    {"as_of": "2026-11-20T18:00:00Z"},
]


@pytest.mark.one_engine
def test_what_makes_no_sense_is_refused(moved: Any) -> None:
    """D10, D12; the cursor of another list, too."""
    key = moved.key()
    other = moved.get(f"/api/games/{EPL}/history", key, limit=1).json()["meta"]["next_cursor"]
    for asked in (*BAD, {"cursor": other}):
        answer = moved.get(PATH, key, **asked)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request"), asked


def test_it_is_for_plans_that_see_every_bookmaker_and_costs_a_request_a_page(moved: Any) -> None:
    """D75, D20."""
    refused = moved.get(PATH, moved.key(Plan.FREE, "Betfair"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "bookmaker_forbidden")
    assert not any(row["is_live"] for row in moved.data(PATH, moved.key(Plan.PRO)))
    assert moved.get(PATH, "unknown").status_code == 401
    key = moved.key(Plan.PRO)
    left = [moved.get(PATH, key, limit=2).json()["meta"]["rate_limit_remaining"] for _ in "abc"]
    assert left == [5499, 5498, 5497]


@pytest.mark.one_engine
def test_an_answer_is_packed_for_clients_that_accept_it(moved: Any) -> None:
    key = moved.key()
    answered = {}
    for accepted in ("identity", "gzip;q=0", "br", "gzip", "deflate, gzip;q=0.5"):
        headers = {"X-Api-Key": key, "Accept-Encoding": accepted}
        with moved.http.stream("GET", PATH, headers=headers) as answer:
            body = b"".join(answer.iter_raw())
            packed = answer.headers.get("content-encoding") == "gzip"
        assert packed == (accepted in ("gzip", "deflate, gzip;q=0.5"))
        assert int(answer.headers["content-length"]) == len(body)
        answered[accepted] = (gzip.decompress(body) if packed else body).partition(b'"meta"')[0]
    assert len(set(answered.values())) == 1


@pytest.mark.one_engine
def test_it_says_that_prices_are_simulated_and_when_nothing_was_recorded(service: Any) -> None:
    """D75."""
    quote = service.quote()
    began = service.now
    service.now += 40 * MINUTE
    service.quote(odds={**quote.odds, "Arsenal": 2.4})
    meta = service.get(PATH, service.key()).json()["meta"]
    assert meta["simulated"] is False
    assert meta["silences"] == [[format_ms(began), format_ms(service.now)]]


def season(begins: int) -> Iterator[Quote]:
    """A season in the shape of football-data's: 380 games, 84 moves each."""
    teams = [f"Team {number}" for number in range(20)]
    for number, (home, away) in enumerate(permutations(teams, 2)):
        kick_off = begins + number * 17 * HOUR_MS
        sides = {
            "moneyline": (home, "Draw", away),
            "total": ("Over 2.5", "Under 2.5"),
            "spread": (f"{home} -0.5", f"{away} +0.5"),
        }
        for at in (kick_off - 24 * HOUR_MS, kick_off):
            for book, (market, names) in product(range(6), sides.items()):
                odds = dict.fromkeys(names, 2 + (book + number + at // HOUR_MS) % 9 / 10)
                game = f"{home} vs {away}"
                yield Quote(f"Book {book}", game, "EPL", market, 0, odds, at, match_date=kick_off)


@pytest.mark.one_engine
async def test_a_season_with_its_results_is_read_in_a_few_requests(service: Any) -> None:
    """D75."""
    begins = NOW - 330 * 24 * HOUR_MS
    quotes = sorted(season(begins), key=lambda quote: quote.scraped_at)
    service.record(*quotes)
    games = {quote.match_name: quote.match_date for quote in quotes}
    results = [GameResult("EPL", name, at, 2, 1) for name, at in games.items()]
    service.store.record_results(results).result(30)
    key, span = service.key(), {"since": format_ms(begins - 48 * HOUR_MS), "until": format_ms(NOW)}
    async with Client(service.url, key) as client:
        moves = [move async for move in client.all_moves(competition="EPL", **span)]
        ended = [row async for row in client.all_results(competition="EPL", **span)]
        assert client.quota is not None
        used = Plan.PRO_LIVE.rights.requests - client.quota.remaining
    assert used == 5
    assert len({row.game_id for row in ended}) == 380
    told = sorted(
        (quote.match_name, quote.bookmaker, name, format_ms(quote.scraped_at), odds)
        for quote in quotes
        for name, odds in quote.odds.items()
    )
    assert len(told) == 31_920
    found = [(m.match_name, m.bookmaker, m.selection, m.scraped_at, m.odds) for m in moves]
    assert sorted(found) == told


class OfAnother(Client):
    """Reads the service as one that has only the history of each game."""

    async def offers(self, path: str, parameter: str = "") -> bool:
        return path != MOVES_PATH and await super().offers(path, parameter)


@pytest.mark.one_engine
async def test_a_service_without_it_is_read_game_by_game_which_is_said_before(
    moved: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """D75."""
    key = moved.key()
    asked: list[dict[str, Any]] = [
        {},
        {"competition": "EPL", "bookmaker": "Betfair", "period": 0},
        {"since": format_ms(moved.now - 40 * HOUR_MS), "competition": "EPL"},
        {"since": format_ms(moved.now - MINUTE), "until": format_ms(moved.now)},
    ]
    async with (
        Client(moved.url, key) as client,
        OfAnother(moved.url, key, clock=lambda: moved.now) as other,
    ):
        for parameters in asked:
            caplog.clear()
            slow = [move async for move in other.all_moves(**parameters)]
            fast = [move async for move in client.all_moves(**parameters)]
            assert sorted(slow, key=repr) == sorted(fast, key=repr) != []
            if "competition" in parameters:
                assert "2 games are read one by one, 2 requests or more" in caplog.text
            assert ("listed day by day, 3 requests" in caplog.text) == (parameters is asked[2])
        with pytest.raises(BadRequestError, match="since"):
            await anext(other.all_moves(since="yesterday"))


@pytest.mark.one_engine
async def test_a_service_without_any_history_says_so(moved: Any) -> None:
    """D75."""
    async with plain_service(moved.url) as plain, Client(plain.url, moved.key()) as client:
        with pytest.raises(NotFoundError, match="no price history"):
            await anext(client.all_moves())
        with pytest.raises(NotFoundError):
            await client.moves()


@pytest.mark.one_engine
def test_both_clients_give_a_frame_in_one_line(moved: Any) -> None:
    with SyncClient(moved.url, moved.key()) as client:
        assert client.offers(MOVES_PATH, "competition")
        rows = to_dicts(client.all_moves(competition="EPL", limit=2))
        assert rows == client.moves(competition="EPL").to_dicts()
        assert list(rows[0]) == list(moved.data(PATH, moved.key())[0])
        first = next(client.all_moves())
        assert isinstance(first, HistoryRow)
