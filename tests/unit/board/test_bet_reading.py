"""Reading every value bet, however many pages."""

from typing import Any

from oddsdesk.board.bet_reading import BetReader
from oddsdesk.board.reading_plan import Pace, ReadingPlan
from oddsdesk.client.answers import Listing
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Quota
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.contract.resources import Sport, ValueBet
from tests.kit.board import Desk, value_bet


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


def reader(desk: Desk, client: Client, plan: ReadingPlan | None = None) -> BetReader:
    plan = plan or ReadingPlan(desk.board, lambda: desk.now, Pace())
    budget = Budget(lambda: desk.now, lambda: client.quota)
    return BetReader(client, desk.board, lambda: desk.now, budget, plan)


async def test_every_page_is_read_and_a_long_list_seldomer(desk: Desk) -> None:
    client = ListClient(bets(12 * LIMIT + 1))
    plan = ReadingPlan(desk.board, lambda: desk.now, Pace())
    await reader(desk, client, plan).read()
    assert len(desk.board.value_bets) == 12 * LIMIT + 1
    assert len(client.asked) == 13
    assert not desk.board.values.is_cut
    assert (plan.value_bets().cost, plan.value_bets().most) == (13, 3600 / 13)


async def test_a_pass_takes_a_tenth_of_the_requests_left_and_says_that_it_was_cut(
    desk: Desk,
) -> None:
    client = ListClient(bets(4 * LIMIT))
    client.left = 29
    await reader(desk, client).read()
    assert len(client.asked) == 2
    assert len(desk.board.value_bets) == 2 * LIMIT
    assert desk.board.values.is_cut


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
    assert not desk.board.values.is_cut
    client.bets = bets(LIMIT + 5)
    await reader(desk, client).read()
    assert len(desk.board.value_bets) == LIMIT
    assert desk.board.values.is_cut
