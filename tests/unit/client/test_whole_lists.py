"""Full pictures from a service that answers 500 items at a time."""

from typing import Any

import pytest

from oddsdesk.client import whole_lists
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import LIMIT, Slice, all_games, all_rows
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.resources import Game, OddsRow, Sport
from tests.kit.board import game, odds_row

ROWS = [
    odds_row(f"Book {number}", {"A": 2.0}, competition=competition, market_type=market_type)
    for competition, market_type, count in (
        ("EPL", "moneyline", 300),
        ("EPL", "total", 350),
        ("EPL", "spread", 520),
        ("NBA", "total", 40),
    )
    for number in range(count)
]


class Service(Client):
    """A service of many rows; with pages (D14), or of the plain contract."""

    def __init__(self, *, pages: bool, rows: list[OddsRow], games: list[Game]) -> None:
        super().__init__("http://127.0.0.1:1", "key")
        self._pages = pages
        self._rows = rows
        self._games = games

    async def sports(self) -> Listing[Sport]:
        return Listing([Sport("Any", ["EPL", "NBA"], 2)])

    async def odds(self, **asked: Any) -> Listing[OddsRow]:
        return self._cut(self._rows, asked)

    async def games(self, **asked: Any) -> Listing[Game]:
        return self._cut(self._games, asked)

    def _cut(self, items: list[Any], asked: dict[str, Any]) -> Listing[Any]:
        fields = {"competition", "market_type"} & set(asked)
        fitting = [
            item
            for item in items
            if all(asked[field] in (None, getattr(item, field)) for field in fields)
        ]
        since = int(asked.get("cursor") or 0)
        until = since + asked["limit"]
        more = self._pages and until < len(fitting)
        return Listing(fitting[since:until], str(until) if more else None)


async def read(service: Service) -> list[Slice]:
    return [part async for part in all_rows(service)]


def keys(parts: list[Slice]) -> list[tuple[str, ...]]:
    rows = [row for part in parts for row in part.rows]
    return sorted((row.competition, row.market_type, row.bookmaker) for row in rows)


ALL = sorted((row.competition, row.market_type, row.bookmaker) for row in ROWS)


async def test_pages_are_followed_where_there_are_any() -> None:
    parts = await read(Service(pages=True, rows=ROWS, games=[]))
    assert keys(parts) == ALL
    assert [len(part.rows) for part in parts] == [500, 500, 210]
    assert (parts[0].total, parts[-1].total, parts[-1].cut) == (None, 3, None)


async def test_without_pages_what_is_cut_is_asked_for_in_smaller_slices_and_said() -> None:
    parts = await read(Service(pages=False, rows=ROWS, games=[]))
    assert {part.cut for part in parts} == {None, "EPL, spread"}
    assert len(keys(parts)) == len(ALL) - 20
    assert set(keys(parts)) <= set(ALL)
    assert parts[-1].done == parts[-1].total == 2 + len(MARKET_TYPES)


async def test_one_answer_is_enough_where_all_fits() -> None:
    parts = await read(Service(pages=False, rows=ROWS[:40], games=[]))
    assert [(part.done, part.total, part.cut) for part in parts] == [(1, 1, None)]


@pytest.mark.parametrize("pages", [True, False])
async def test_every_game_is_read(pages: bool) -> None:
    games = [game(f"A{n} - B{n}", "EPL" if n % 2 else "NBA") for n in range(LIMIT + 100)]
    found, is_cut = await all_games(Service(pages=pages, rows=[], games=games))
    assert not is_cut
    assert {one.game_id for one in found} == {one.game_id for one in games}
    assert len(found) == len(games)


async def test_more_games_than_are_kept_are_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(whole_lists, "MOST_GAMES", LIMIT + 100)
    games = [game(f"A{n} - B{n}", "EPL") for n in range(LIMIT + 101)]
    found, is_cut = await all_games(Service(pages=True, rows=[], games=games))
    assert (len(found), is_cut) == (LIMIT + 100, True)
    assert caplog.messages == ["games: the service has more than 600; no more are read"]
    exactly, is_cut = await all_games(Service(pages=True, rows=[], games=games[1:]))
    assert (len(exactly), is_cut) == (LIMIT + 100, False)


async def test_a_competition_of_more_games_than_one_answer_holds_is_told() -> None:
    games = [game(f"A{n} - B{n}", "EPL") for n in range(LIMIT + 1)]
    found, is_cut = await all_games(Service(pages=False, rows=[], games=games))
    assert (len(found), is_cut) == (LIMIT, True)
