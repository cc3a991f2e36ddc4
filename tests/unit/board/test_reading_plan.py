"""What each reading costs and how much depends on it."""

import pytest
from msgspec.structs import replace

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.reading_plan import GAMES, ROWS, VALUE_BETS, Pace, ReadingPlan, open_game
from oddsdesk.contract.times import format_ms
from tests.kit.board import GAME, NOW, Desk, game

HOUR_MS = 3_600_000


@pytest.fixture
def plan(desk: Desk) -> ReadingPlan:
    return ReadingPlan(desk.board, lambda: desk.now, Pace())


def listed(desk: Desk, in_hours: float, *, is_live: bool = False, competition: str = "EPL") -> None:
    kick_off = format_ms(NOW + round(in_hours * HOUR_MS))
    desk.board.load_games([game(competition=competition, match_date=kick_off, is_live=is_live)])


@pytest.mark.parametrize(("pages", "seconds"), [(1, 10), (33, 33), (100, 100), (500, 300)])
def test_the_more_rows_there_are_the_rarer_they_are_read(
    plan: ReadingPlan, pages: int, seconds: float
) -> None:
    plan.pages[ROWS] = pages
    assert plan.rows().most == 3600 / seconds
    assert plan.rows().cost == pages


def test_a_game_counts_by_how_soon_it_begins(desk: Desk, plan: ReadingPlan) -> None:
    rates = []
    for hours in (0.1, 2, 30, 90):
        listed(desk, hours)
        rates.append(plan.game(GAME).change_rate)
    assert rates == sorted(rates, reverse=True)
    listed(desk, -1, is_live=True)
    assert plan.game(GAME).change_rate == rates[0] == plan.game("unknown").change_rate


def test_all_games_count_as_one_that_is_open(desk: Desk, plan: ReadingPlan) -> None:
    listed(desk, 2)
    assert plan.rows().weight == plan.game(GAME).weight
    assert plan.rows().change_rate == plan.game(GAME).change_rate


def test_the_kick_offs_of_all_games_are_looked_at_again_in_time(
    desk: Desk, plan: ReadingPlan
) -> None:
    listed(desk, 2)
    before = plan.rows().change_rate
    desk.now += 2 * HOUR_MS
    assert plan.rows().change_rate > before


def test_what_is_streamed_needs_less_reading_and_value_bets_are_not(
    desk: Desk, plan: ReadingPlan
) -> None:
    listed(desk, 2)
    before = [plan.rows(), plan.game(GAME), plan.value_bets(), plan.games()]
    desk.board.set_connection(Connection(link=Link.LIVE))
    after = [plan.rows(), plan.game(GAME), plan.value_bets(), plan.games()]
    shares = [b.change_rate / a.change_rate for a, b in zip(before, after, strict=True)]
    assert shares == pytest.approx([0.1, 0.1, 1, 1])


def test_what_the_plan_lacks_is_neither_read_nor_told(desk: Desk, plan: ReadingPlan) -> None:
    periods = {GAMES: 300.0, VALUE_BETS: 60.0}
    said = "Value bets every 60 seconds, the list of games every 5 minutes"
    assert plan.in_words(periods) == said
    desk.board.set_connection(replace(desk.board.connection, has_value_bets=False))
    assert plan.value_bets().weight == 0
    assert plan.in_words(periods) == "The list of games every 5 minutes"


def test_the_plan_reads_as_that_of_feeds_does(desk: Desk, plan: ReadingPlan) -> None:
    listed(desk, 2)
    periods = {ROWS: 840.0, open_game(GAME): 20.0, open_game("other"): 34.0}
    said = "Prices of 1 competition every 14 minutes, of open games every 20 and 34 seconds"
    assert plan.in_words(periods) == said
    assert plan.in_words({}) == ""
