"""Reading every value bet, however many pages."""

from typing import Any

import msgspec

from oddsdesk.board.intake.reading_plan import BetReader, Pace, ReadingPlan
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Budget, Quota
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.contract.resources import Bookmaker, Sport, ValueBet
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
            if asked.get("min_ev", 0) <= bet.ev_pct <= asked.get("max_ev", 100)
            and all(getattr(bet, name) == asked.get(name, getattr(bet, name)) for name in _AXES)
        ]
        first = int(asked.get("cursor") or 0)
        end = first + asked["limit"]
        return Listing(of[first:end], str(end) if self._has_pages and end < len(of) else None)

    async def bookmakers(self, **_asked: Any) -> Listing[Bookmaker]:
        names = sorted({bet.bookmaker for bet in self.bets})
        return Listing([Bookmaker(name, 1, False, "") for name in names])

    async def sports(self) -> Listing[Sport]:
        return Listing([Sport("Football", ["EPL", "LIGA"], 2), Sport("Tennis", ["ATP"], 1)])


_AXES = ("sport", "competition", "bookmaker")


def bets(count: int, **more: Any) -> list[ValueBet]:
    return [value_bet(bookmaker=f"Book {i}", **more) for i in range(count)]


def reader(desk: Desk, client: Client, plan: ReadingPlan | None = None) -> BetReader:
    plan = plan or ReadingPlan(desk.board, lambda: desk.now, Pace())
    budget = Budget(lambda: desk.now, lambda: client.quota)
    return BetReader(client, desk.board, lambda: desk.now, budget, plan)


async def test_every_page_is_read_and_a_long_list_seldomer(desk: Desk) -> None:
    client = ListClient(bets(12 * LIMIT + 1))
    plan = ReadingPlan(desk.board, lambda: desk.now, Pace())
    await reader(desk, client, plan).read_bets()
    assert len(desk.board.value_bets) == 12 * LIMIT + 1
    assert len(client.asked) == 13
    assert not desk.board.values.is_cut
    assert (plan.value_bets_reading().cost, plan.value_bets_reading().most) == (13, 3600 / 13)


async def test_a_pass_takes_a_tenth_of_the_requests_left_and_says_that_it_was_cut(
    desk: Desk,
) -> None:
    client = ListClient(bets(4 * LIMIT))
    client.left = 29
    await reader(desk, client).read_bets()
    assert len(client.asked) == 2
    assert len(desk.board.value_bets) == 2 * LIMIT
    assert desk.board.values.is_cut


async def test_a_service_without_pages_is_read_whole_or_said_to_have_more(desk: Desk) -> None:
    client = ListClient(bets(2 * LIMIT + 1), has_pages=False)
    client.bets = [
        msgspec.structs.replace(bet, ev_pct=1 + number / 100)
        for number, bet in enumerate(client.bets)
    ]
    await reader(desk, client).read_bets()
    assert len(desk.board.value_bets) == 2 * LIMIT + 1
    assert not desk.board.values.is_cut
    client.bets = [value_bet(selection=f"Over {line}.5") for line in range(LIMIT + 5)]
    await reader(desk, client).read_bets()
    assert desk.board.values.is_cut
