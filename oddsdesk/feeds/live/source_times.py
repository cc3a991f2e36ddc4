"""When a source says that it saw its prices, where its clock is ahead of ours (D65)."""

from collections.abc import Iterable, Iterator

import msgspec

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote

_Market = tuple[str | None, str, str, str, str, int]


class SourceTimes:
    """The times of one part of a source: none lies ahead of when it was asked."""

    def __init__(self) -> None:
        self._ahead: dict[_Market, int] = {}
        """When markets were asked for last that the source had seen later."""

    def settled(self, quotes: Iterable[Quote], now_ms: int) -> Iterator[Quote]:
        """Yield the quotes of an answer, of which none is older than what it corrects.

        Where a time lay ahead, it was wrong, so that what is said next may have an earlier one.
        """
        before, self._ahead = self._ahead, {}
        for quote in quotes:
            market = _market_of(quote)
            at_ms = not_ahead(max(quote.scraped_at, before.get(market, 0)), now_ms)
            if at_ms != quote.scraped_at:
                self._ahead[market] = at_ms
                quote = msgspec.structs.replace(quote, scraped_at=at_ms)
            yield quote


def not_ahead(scraped_at: int, now_ms: int) -> int:
    """Return the time of a price, ours where it lies ahead; by more it is refused (D42)."""
    is_ahead = now_ms < scraped_at <= now_ms + CLOCK_TOLERANCE_MS
    return now_ms if is_ahead else scraped_at


def _market_of(quote: Quote) -> _Market:
    return (
        quote.event,
        quote.competition,
        quote.match_name,
        quote.bookmaker,
        quote.market_type,
        quote.period,
    )
