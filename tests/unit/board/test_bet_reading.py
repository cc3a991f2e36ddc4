"""Reading every value bet, however many pages, and reading again where one fell."""

import asyncio
from typing import Any

from oddsdesk.board.bet_reading import VALUE_BETS, BetReader
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.polling import Job, Poller
from oddsdesk.client.answers import Listing
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Quota
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.clock import system_clock
from oddsdesk.contract.resources import Sport, ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.slices import exhaust
from oddsdesk.tasks import Jobs
from tests.kit.board import GAME, NOW, REFERENCE, Desk, matrix, message, value_bet


class ListClient(Client):
    """A client of a service that lists ``bets``, with pages (D14) or without."""

    def __init__(self, bets: list[ValueBet], *, has_pages: bool = True) -> None:
        super().__init__("http://127.0.0.1:9", "none")
        self.bets = bets
        self.asked: list[dict[str, Any]] = []
        self.left: int | None = None
        self._has_pages = has_pages

    @property
    def quota(self) -> Quota | None:
        return None if self.left is None else Quota(self.left, None, 0)

    async def value_bets(self, **asked: Any) -> Listing[ValueBet]:
        self.asked.append(asked)
        of = [
            bet
            for bet in self.bets
            if bet.sport == asked.get("sport", bet.sport)
            and bet.competition == asked.get("competition", bet.competition)
        ]
        first = int(asked.get("cursor") or 0)
        end = first + asked["limit"]
        return Listing(of[first:end], str(end) if self._has_pages and end < len(of) else None)

    async def sports(self) -> Listing[Sport]:
        return Listing([Sport("Football", ["EPL", "LIGA"], 2), Sport("Tennis", ["ATP"], 1)])


def bets(count: int, **more: Any) -> list[ValueBet]:
    return [value_bet(bookmaker=f"Book {i}", **more) for i in range(count)]


def reader(
    desk: Desk, client: Client, budget: Budget | None = None, period_s: float = 5.0
) -> BetReader:
    asked = budget or Budget(system_clock)
    return BetReader(client, desk.board, lambda: desk.now, asked, period_s)


async def test_every_page_is_read_and_a_long_list_seldomer(desk: Desk) -> None:
    client, budget = ListClient(bets(12 * LIMIT + 1)), Budget(system_clock)
    await reader(desk, client, budget).read()
    assert len(desk.board.value_bets) == 12 * LIMIT + 1
    assert len(client.asked) == 13
    assert not desk.board.listed.is_cut
    assert budget.period_s(VALUE_BETS) == 13.0


async def test_a_pass_takes_a_tenth_of_the_requests_left_and_says_that_it_was_cut(
    desk: Desk,
) -> None:
    client = ListClient(bets(4 * LIMIT))
    client.left = 29
    await reader(desk, client).read()
    assert len(client.asked) == 2
    assert len(desk.board.value_bets) == 2 * LIMIT
    assert desk.board.listed.is_cut


async def test_a_service_without_pages_is_asked_by_sport_and_competition(desk: Desk) -> None:
    client = ListClient(
        [
            *bets(LIMIT - 1),
            *bets(LIMIT - 1, competition="LIGA"),
            *bets(3, sport="Tennis", competition="ATP"),
        ],
        has_pages=False,
    )
    await reader(desk, client).read()
    assert len(desk.board.value_bets) == 2 * LIMIT + 1
    assert not desk.board.listed.is_cut
    client.bets = bets(LIMIT + 5)
    await reader(desk, client).read()
    assert len(desk.board.value_bets) == LIMIT
    assert desk.board.listed.is_cut


async def test_the_list_is_read_again_soon_after_a_bet_fell() -> None:
    desk = Desk()
    client, budget = ListClient([value_bet()]), Budget(system_clock)
    bet_reader = reader(desk, client, budget, 3_600)
    jobs = Jobs()
    poller = Poller(budget, system_clock, lambda *_: None, lambda: 0.0, jobs)
    done: asyncio.Queue[int] = asyncio.Queue()

    async def read() -> None:
        await bet_reader.read()
        done.put_nowait(len(client.asked))

    desk.board.subscribe(lambda notice: bet_reader.hurry_on_falls(poller, notice))
    odds = {REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88}, "Betfair": {"Over 2.5": 2.15}}
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    poller.add(Job(VALUE_BETS, 3_600, 1, read))
    async with asyncio.timeout(10):
        assert await done.get() == 1
        desk.now += 1_800_000
        heard = message("Over 2.5", 2.10, at=NOW + 1, market_type="total")
        desk.board.apply_all([heard])
        assert not desk.board.value_bets[RowKey(GAME, "total", 0, "Over 2.5", "Betfair")].is_value
        client.bets = [value_bet(odds=2.17, detected_at=format_ms(NOW + 2))]
        assert await done.get() == 2
        await jobs.stop()
        bet_reader.stop()
    assert [entry.odds for entry in desk.board.value_bets.values()] == [2.17]
