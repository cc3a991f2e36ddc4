"""Quotes of Betfair's games: odds are what can be backed; lay prices stand beside them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.feeds.betfair.books import Book, Books, Runner
from oddsdesk.feeds.betfair.catalogue import DRAW, UNREAD, Market
from oddsdesk.feeds.notation import signed_text
from oddsdesk.pricing.profiles import delayed_name
from oddsdesk.pricing.selections import order_selections

BOOKMAKER: Final = "Betfair Exchange"
CURRENCY: Final = "GBP"
"""That of the exchange: the stream's amounts are in it, and answers where it is asked for."""
LEVELS: Final = 3
"""So many levels of each side are kept: as many as an answer gives."""


class Priced(NamedTuple):
    """A quote whose bookmaker says where its prices come late (D66).

    ``is_open``: bets are taken, so that without odds nobody offers any just now.
    """

    quote: Quote
    is_open: bool


def quotes_of(
    markets: Mapping[str, Market],
    books: Books,
    now_ms: int,
    touched: Collection[str] | None = None,
) -> list[Priced]:
    """Return what can be backed now, one quote a market of which all is known.

    A market that is suspended or over has no odds, which withdraws it. A book stands until it
    is changed, so that its prices are of now, whenever they were last changed.
    """
    found: list[Priced] = []
    for ident, market in markets.items():
        book = books.book(ident) if touched is None or ident in touched else None
        if book is not None and book.is_known:
            quote = _quote(market, book, now_ms, is_delayed=books.is_delayed(ident))
            found.append(Priced(quote, book.is_open))
    return found


def _quote(market: Market, book: Book, now_ms: int, *, is_delayed: bool) -> Quote:
    runners = _runners(market, book) if book.is_open else {}
    odds = {text: runner.back[0][0] for text, runner in runners.items()}
    unread = None
    if book.is_open and any(ident not in market.selections for ident, _ in book.active()):
        named = [text for text, _ in _named(market, book)]
        odds, unread = dict.fromkeys(named, 0.0) | odds, {UNNAMED: UNREAD}
    return Quote(
        bookmaker=delayed_name(BOOKMAKER) if is_delayed else BOOKMAKER,
        match_name=market.match_name,
        competition=market.competition,
        market_type=market.market_type,
        period=market.period,
        odds=odds,
        scraped_at=now_ms,
        is_live=book.definition is not None and book.definition.in_play,
        match_date=market.kick_off,
        sport=market.sport,
        offers={text: _offer(runner) for text, runner in runners.items()} or None,
        unread=unread,
    )


def _offer(runner: Runner) -> Offer:
    back, lay = _possible(runner.back), _possible(runner.lay)
    return Offer(back=back[:LEVELS], lay=lay[:LEVELS], currency=CURRENCY)


def _possible(levels: Iterable[Level]) -> tuple[Level, ...]:
    return tuple(level for level in levels if level[0] > 1)


def _runners(market: Market, book: Book) -> dict[str, Runner]:
    """Return who can be backed in the field's order.

    Nobody while a draw has no offers: the market would look two-way.
    """
    found: dict[str, Runner] = {}
    for text, runner in _named(market, book):
        if (price := runner.best_back) is not None and price > 1:
            found[text] = runner
    if DRAW in market.selections.values() and DRAW not in found:
        return {}
    order = order_selections(market.market_type, market.match_name, found)
    return {text: found[text] for text in order}


def _named(market: Market, book: Book) -> Iterator[tuple[str, Runner]]:
    """Yield the runners that still run and what each selects; not those of an unknown name."""
    for (ident, handicap), runner in book.active().items():
        text = market.selections.get(ident)
        if text is not None:
            is_spread = market.market_type == "spread"
            yield f"{text} {signed_text(handicap)}" if is_spread else text, runner
