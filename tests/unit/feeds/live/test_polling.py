"""When a feed that polls reads, whatever its clock does."""

from typing import Any

import msgspec
import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.live_feed import LiveSpec
from oddsdesk.feeds.live.polling import PollingFeed, SourceTimes, Withdrawals

NOW = 1_795_000_000_000
DAY = 86_400_000


class _Feed(PollingFeed):
    source_name = "test"
    base_url = "http://127.0.0.1:9"

    async def read(self, part: str, now_ms: int) -> Any:
        """Nothing is asked."""

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Say one price, seen now."""
        return [Quote("A", "B - C", "EPL", "moneyline", 0, {"B": 2.0, "C": 2.0}, now_ms)]


async def test_a_clock_that_is_put_back_delays_no_reading() -> None:
    """D84: what was due a minute from then would be read a day later."""
    now_ms = NOW

    async def sleep(seconds: float) -> None:
        nonlocal now_ms
        now_ms += round(seconds * 1000)

    feed = _Feed(LiveSpec("test:part", "test", ("part",), {}), sleep=sleep)
    batches = feed.batches(lambda: now_ms)
    seen = []
    for jump in (0, DAY, -DAY, 0):
        now_ms += jump
        (quote,) = await anext(batches)
        seen.append(quote.scraped_at - NOW)
    await batches.aclose()
    assert seen == [0, DAY, 60_000, 120_000]


MINUTE = 60_000


def quote(scraped_at: int, price: float = 2.0) -> Quote:
    return Quote("A", "Home vs Away", "EPL", "moneyline", 0, {"Home": price}, scraped_at)


def times(source: SourceTimes, now_ms: int, *scraped_at: int) -> list[int]:
    said = [quote(each) for each in scraped_at]
    return [each.scraped_at - NOW for each in source.settled(said, now_ms)]


def test_no_price_is_seen_after_it_was_asked_for() -> None:
    assert times(SourceTimes(), NOW, NOW + 4 * MINUTE, NOW, NOW - MINUTE) == [0, 0, -MINUTE]


def test_what_follows_a_time_ahead_is_not_older_until_it_is_later_by_itself() -> None:
    source = SourceTimes()
    assert times(source, NOW, NOW + 4 * MINUTE) == [0]
    assert times(source, NOW + MINUTE, NOW - 5 * MINUTE) == [0]
    assert times(source, NOW + 2 * MINUTE, NOW - 4 * MINUTE) == [0]
    assert times(source, NOW + 3 * MINUTE, NOW + 2 * MINUTE) == [2 * MINUTE]
    assert times(source, NOW + 4 * MINUTE, NOW - MINUTE) == [-MINUTE]


DAY_OF_WITHDRAWALS = 24 * 60 * MINUTE
QUOTE = Quote(
    "A",
    "Home vs Away",
    "EPL",
    "moneyline",
    0,
    {"Home": 2.0},
    NOW,
    match_date=NOW + DAY_OF_WITHDRAWALS,
)


def quote_of_withdrawals(**changes: Any) -> Quote:
    return msgspec.structs.replace(QUOTE, **changes)


def test_it_takes_two_answers_in_a_row() -> None:
    held = Withdrawals()
    assert held.withdrawn_after([QUOTE], NOW) == []
    assert held.withdrawn_after([], NOW + MINUTE) == []
    (gone,) = held.withdrawn_after([], NOW + 2 * MINUTE)
    assert (gone.odds, gone.scraped_at) == ({}, NOW + 2 * MINUTE)
    assert held.withdrawn_after([], NOW + 3 * MINUTE) == []


def test_one_answer_is_enough_of_a_source_that_says_everything() -> None:
    held = Withdrawals(at_once=True)
    assert held.withdrawn_after([QUOTE, quote_of_withdrawals(bookmaker="B")], NOW) == []
    (gone,) = held.withdrawn_after([QUOTE], NOW + MINUTE)
    assert (gone.bookmaker, gone.odds) == ("B", {})


def test_what_an_answer_could_not_say_is_not_withdrawn_until_it_is_read() -> None:
    held = Withdrawals(at_once=True)
    held.withdrawn_after([QUOTE, quote_of_withdrawals(bookmaker="B")], NOW)
    for _ in range(3):
        assert held.withdrawn_after([QUOTE], NOW, lambda each: each.bookmaker == "A") == []
    (gone,) = held.withdrawn_after([QUOTE], NOW)
    assert gone.bookmaker == "B"


def test_a_market_that_is_there_and_cannot_be_read_is_not_missing() -> None:
    held, unread = Withdrawals(), quote_of_withdrawals(odds={}, unread={"Home": "no number"})
    for answer in ([QUOTE], [unread], [unread], [unread]):
        assert held.withdrawn_after(answer, NOW) == []
    held.withdrawn_after([], NOW + MINUTE)
    (gone,) = held.withdrawn_after([], NOW + 2 * MINUTE)
    assert (gone.odds, gone.unread) == ({}, None)


def test_a_price_that_comes_back_between_is_not_withdrawn() -> None:
    held = Withdrawals()
    for answer in ([QUOTE], [], [QUOTE], []):
        assert held.withdrawn_after(answer, NOW) == []


def test_the_withdrawal_bears_the_time_of_the_answer_by_the_sources_clock() -> None:
    held = Withdrawals()
    other = quote_of_withdrawals(bookmaker="B")
    held.withdrawn_after([QUOTE, other], NOW)
    held.withdrawn_after([other], NOW)
    later = quote_of_withdrawals(bookmaker="B", scraped_at=NOW + 70_000)
    (gone,) = held.withdrawn_after([later], NOW + 100_000)
    assert (gone.bookmaker, gone.scraped_at) == ("A", NOW + 70_000)


def test_a_kick_off_that_moves_withdraws_nothing() -> None:
    held = Withdrawals()
    for hours in (0, 1, 2, 3):
        moved = quote_of_withdrawals(match_date=NOW + DAY_OF_WITHDRAWALS + hours * 60 * MINUTE)
        assert held.withdrawn_after([moved], NOW) == []


def test_teams_that_meet_again_are_told_apart_by_the_kick_off() -> None:
    held = Withdrawals()
    again = quote_of_withdrawals(match_date=NOW + 2 * DAY_OF_WITHDRAWALS)
    held.withdrawn_after([QUOTE, again], NOW)
    held.withdrawn_after([again], NOW)
    (gone,) = held.withdrawn_after([again], NOW)
    assert gone.match_date == QUOTE.match_date


def test_other_markets_of_the_same_bookmaker_stay() -> None:
    held = Withdrawals()
    total = quote_of_withdrawals(market_type="total", odds={"Over 2.5": 1.9})
    held.withdrawn_after([QUOTE, total], NOW)
    held.withdrawn_after([total], NOW)
    (gone,) = held.withdrawn_after([total], NOW)
    assert gone.market_type == "moneyline"


def test_two_games_of_a_day_are_told_apart_by_their_ids() -> None:
    """D51: a doubleheader of a few hours is no kick-off that moved."""
    held = Withdrawals()
    first = quote_of_withdrawals(event="source:1")
    second = quote_of_withdrawals(
        event="source:2", match_date=NOW + DAY_OF_WITHDRAWALS + 300 * MINUTE
    )
    held.withdrawn_after([first, second], NOW)
    held.withdrawn_after([second], NOW)
    (gone,) = held.withdrawn_after([second], NOW)
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
    before = [
        quote_of_withdrawals(event="source:1"),
        quote_of_withdrawals(event="source:1", bookmaker="B"),
    ]
    held.withdrawn_after([*before, quote_of_withdrawals(match_name="Third vs Fourth")], NOW)
    after = quote_of_withdrawals(event="source:1", scraped_at=NOW + 1, **changes)
    other = quote_of_withdrawals(match_name="Third vs Fourth", scraped_at=NOW + 5)
    gone = held.withdrawn_after([after, other], NOW + MINUTE)
    assert [(each.bookmaker, each.match_date, each.odds, each.scraped_at) for each in gone] == [
        ("A", QUOTE.match_date, {}, NOW + 1),
        ("B", QUOTE.match_date, {}, NOW + 5),
    ]
    assert {each.match_name for each in gone} == {QUOTE.match_name}
    assert held.withdrawn_after([after, other], NOW + 2 * MINUTE) == []
