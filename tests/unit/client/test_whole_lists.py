"""Full lists from a service that answers 500 items at a time, with pages or without."""

from typing import Any

import pytest

from oddsdesk.client import whole_lists
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import LIMIT, all_games, value_bet_slices
from oddsdesk.contract.resources import Game, ValueBet
from tests.kit.board import game, odds_row, value_bet
from tests.kit.contract_client import ContractClient


class Paged(Client):
    """A service with pages of games (D14)."""

    def __init__(self, games: list[Game]) -> None:
        super().__init__("http://127.0.0.1:1", "key")
        self._games = games

    async def games(self, **asked: Any) -> Listing[Game]:
        since = int(asked.get("cursor") or 0)
        until = since + asked["limit"]
        more = until < len(self._games)
        return Listing(self._games[since:until], str(until) if more else None)


def of_games(count: int, *codes: str, bookmaker: str = "Betfair") -> list[Any]:
    return [
        odds_row(
            bookmaker,
            {"A": 2.0},
            match_name=f"A{n} - B{n}",
            competition=codes[n % len(codes)],
            is_live=n % 4 == 3,
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [10, LIMIT - 1, LIMIT + 100])
async def test_every_game_is_read_page_after_page(count: int) -> None:
    games = [game(f"A{n} - B{n}") for n in range(count)]
    found, is_cut, _ = await all_games(Paged(games))
    assert (found, is_cut) == (games, False)


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (LIMIT + 100, {}),
        (LIMIT + 100, {"shuffles": True}),
        (350, {"most": 200}),
        (350, {"most": 200, "refuses_limits": True}),
        (350, {"most": 137, "shuffles": True}),
    ],
)
async def test_every_game_is_read_of_a_service_without_pages(
    count: int, options: dict[str, Any]
) -> None:
    client = ContractClient(of_games(count, "EPL", "LIGA", "MLS", "BUND"), **options)
    found, is_cut, _ = await all_games(client)
    assert not is_cut
    assert sorted(one.match_name for one in found) == sorted(f"A{n} - B{n}" for n in range(count))


async def test_a_competition_of_too_many_games_is_read_by_state_and_bookmaker() -> None:
    rows = [
        row
        for number in range(4)
        for row in of_games(900, "EPL", bookmaker=f"Book {number}")[number::4]
    ]
    client = ContractClient(rows)
    found, is_cut, _ = await all_games(client)
    assert (len(found), is_cut) == (900, False)
    assert {"is_live", "bookmaker"} <= {name for _, asked in client.asked for name in asked}


async def test_what_no_filter_divides_any_more_is_told() -> None:
    client = ContractClient(of_games(LIMIT + 200, "EPL"), has_live=False)
    found, is_cut, _ = await all_games(client)
    assert (len(found), is_cut) == (LIMIT, True)


async def test_more_games_than_are_kept_are_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(whole_lists, "MOST_GAMES", LIMIT + 100)
    games = [game(f"A{n} - B{n}", "EPL") for n in range(LIMIT + 101)]
    found, is_cut, _ = await all_games(Paged(games))
    assert (len(found), is_cut) == (LIMIT + 100, True)
    assert caplog.messages == ["games: the service has more than 600; the rest is not read"]
    exactly, is_cut, _ = await all_games(Paged(games[1:]))
    assert (len(exactly), is_cut) == (LIMIT + 100, False)


async def whole_bets(client: ContractClient) -> tuple[list[ValueBet], bool]:
    parts = [part async for part in value_bet_slices(client)]
    return [bet for part in parts for bet in part.bets], any(part.is_cut for part in parts)


@pytest.mark.parametrize("is_best_first", [True, False])
async def test_value_bets_are_read_by_ranges_of_ev(is_best_first: bool) -> None:
    client = ContractClient([])
    client.bets = [
        value_bet(bookmaker=f"Book {n}", ev_pct=round(1 + 18 * (n / 2200) ** 3, 3))
        for n in range(2200)
    ]
    client.bets.sort(key=lambda bet: bet.ev_pct, reverse=is_best_first)
    found, is_cut = await whole_bets(client)
    assert not is_cut
    assert {bet.bookmaker for bet in found} == {bet.bookmaker for bet in client.bets}
    assert client.requests <= 25


async def test_value_bets_of_one_ev_are_read_by_competition_and_bookmaker() -> None:
    client = ContractClient(of_games(8, "EPL", "LIGA"))
    client.bets = [
        value_bet(selection=f"Over {n}", competition=code, bookmaker="Betfair")
        for code in ("EPL", "LIGA")
        for n in range(400)
    ]
    found, is_cut = await whole_bets(client)
    assert ({(bet.competition, bet.selection) for bet in found}, is_cut) == (
        {(bet.competition, bet.selection) for bet in client.bets},
        False,
    )
    client.bets += [value_bet(selection=f"Over {n}") for n in range(400, 600)]
    found, is_cut = await whole_bets(client)
    assert is_cut


async def test_the_client_yields_every_item_once() -> None:
    client = ContractClient(of_games(LIMIT + 100, "EPL", "LIGA"))
    client.bets = [value_bet(bookmaker=f"B{n}", ev_pct=1 + n / 100) for n in range(700)]
    games = [one.match_name async for one in client.all_games()]
    assert sorted(games) == sorted({row.match_name for row in client.rows})
    assert len([one async for one in client.all_games(competition="EPL")]) == 300
    bets = [bet.bookmaker async for bet in client.all_value_bets()]
    assert sorted(bets) == sorted(bet.bookmaker for bet in client.bets)
    assert len([bet async for bet in client.all_value_bets(min_ev=2.0)]) == 600
