"""What two good answers in a row lack is withdrawn (D65)."""

from typing import Any

import msgspec
import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.withdrawals import Withdrawals

NOW = 1_795_000_000_000
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
QUOTE = Quote("A", "Home vs Away", "EPL", "moneyline", 0, {"Home": 2.0}, NOW, match_date=NOW + DAY)


def quote(**changes: Any) -> Quote:
    return msgspec.structs.replace(QUOTE, **changes)


def test_it_takes_two_answers_in_a_row() -> None:
    held = Withdrawals()
    assert held.after([QUOTE], NOW) == []
    assert held.after([], NOW + MINUTE) == []
    (gone,) = held.after([], NOW + 2 * MINUTE)
    assert (gone.odds, gone.scraped_at) == ({}, NOW + 2 * MINUTE)
    assert held.after([], NOW + 3 * MINUTE) == []


def test_one_answer_is_enough_of_a_source_that_says_everything() -> None:
    held = Withdrawals(at_once=True)
    assert held.after([QUOTE, quote(bookmaker="B")], NOW) == []
    (gone,) = held.after([QUOTE], NOW + MINUTE)
    assert (gone.bookmaker, gone.odds) == ("B", {})


def test_what_an_answer_could_not_say_is_not_withdrawn_until_it_is_read() -> None:
    held = Withdrawals(at_once=True)
    held.after([QUOTE, quote(bookmaker="B")], NOW)
    for _ in range(3):
        assert held.after([QUOTE], NOW, lambda each: each.bookmaker == "A") == []
    (gone,) = held.after([QUOTE], NOW)
    assert gone.bookmaker == "B"


def test_a_market_that_is_there_and_cannot_be_read_is_not_missing() -> None:
    held, unread = Withdrawals(), quote(odds={}, unread={"Home": "no number"})
    for answer in ([QUOTE], [unread], [unread], [unread]):
        assert held.after(answer, NOW) == []
    held.after([], NOW + MINUTE)
    (gone,) = held.after([], NOW + 2 * MINUTE)
    assert (gone.odds, gone.unread) == ({}, None)


def test_a_price_that_comes_back_between_is_not_withdrawn() -> None:
    held = Withdrawals()
    for answer in ([QUOTE], [], [QUOTE], []):
        assert held.after(answer, NOW) == []


def test_the_withdrawal_bears_the_time_of_the_answer_by_the_sources_clock() -> None:
    held = Withdrawals()
    other = quote(bookmaker="B")
    held.after([QUOTE, other], NOW)
    held.after([other], NOW)
    later = quote(bookmaker="B", scraped_at=NOW + 70_000)
    (gone,) = held.after([later], NOW + 100_000)
    assert (gone.bookmaker, gone.scraped_at) == ("A", NOW + 70_000)


def test_a_kick_off_that_moves_withdraws_nothing() -> None:
    held = Withdrawals()
    for hours in (0, 1, 2, 3):
        moved = quote(match_date=NOW + DAY + hours * 60 * MINUTE)
        assert held.after([moved], NOW) == []


def test_teams_that_meet_again_are_told_apart_by_the_kick_off() -> None:
    held = Withdrawals()
    again = quote(match_date=NOW + 2 * DAY)
    held.after([QUOTE, again], NOW)
    held.after([again], NOW)
    (gone,) = held.after([again], NOW)
    assert gone.match_date == QUOTE.match_date


def test_other_markets_of_the_same_bookmaker_stay() -> None:
    held = Withdrawals()
    total = quote(market_type="total", odds={"Over 2.5": 1.9})
    held.after([QUOTE, total], NOW)
    held.after([total], NOW)
    (gone,) = held.after([total], NOW)
    assert gone.market_type == "moneyline"


def test_two_games_of_a_day_are_told_apart_by_their_ids() -> None:
    """D51: a doubleheader of a few hours is no kick-off that moved."""
    held = Withdrawals()
    first = quote(event="source:1")
    second = quote(event="source:2", match_date=NOW + DAY + 300 * MINUTE)
    held.after([first, second], NOW)
    held.after([second], NOW)
    (gone,) = held.after([second], NOW)
    assert gone.event == "source:1"


@pytest.mark.parametrize(
    "changes",
    [
        {"match_name": "Home FC vs Away"},
        {"match_name": "Away vs Home"},
        {"match_date": QUOTE.match_date + 26 * 60 * MINUTE},
    ],
)
def test_what_an_id_is_called_no_more_is_withdrawn_at_once(changes: dict[str, Any]) -> None:
    """At the time of the price that follows, which may be the same game's."""
    held = Withdrawals()
    before = [quote(event="source:1"), quote(event="source:1", bookmaker="B")]
    held.after([*before, quote(match_name="Third vs Fourth")], NOW)
    after = quote(event="source:1", scraped_at=NOW + 1, **changes)
    other = quote(match_name="Third vs Fourth", scraped_at=NOW + 5)
    gone = held.after([after, other], NOW + MINUTE)
    assert [(each.bookmaker, each.match_date, each.odds, each.scraped_at) for each in gone] == [
        ("A", QUOTE.match_date, {}, NOW + 1),
        ("B", QUOTE.match_date, {}, NOW + 5),
    ]
    assert {each.match_name for each in gone} == {QUOTE.match_name}
    assert held.after([after, other], NOW + 2 * MINUTE) == []
