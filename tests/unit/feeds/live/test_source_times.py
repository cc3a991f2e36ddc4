"""Where a source's clock is ahead of ours, its prices are of when it was asked (D65)."""

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.source_times import SourceTimes

NOW = 1_795_000_000_000
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
