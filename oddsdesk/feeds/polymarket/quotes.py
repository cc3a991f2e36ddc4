"""Quotes of Polymarket's games: gross odds at the best ask of each side."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from oddsdesk.contract.quotes import MOST_LEVELS, UNNAMED, Quote
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import DRAW, HIGHEST_FEE, UNREAD, Game, Selections
from oddsdesk.pricing.profiles import fee_name
from oddsdesk.pricing.selections import order_selections

BOOKMAKER: Final = "Polymarket"
USD: Final = "USD"
_CENTS: Final = 4
"""Decimals of amounts of money."""
_PLACES: Final = 6
"""Decimals of odds: exact enough for net odds, which are reckoned from them (D46)."""


def quotes_of(
    games: Iterable[Game], books: Books, now_ms: int, touched: Collection[str] | None = None
) -> list[Quote]:
    """Return what can be bought now, one quote a market; without odds where nothing is offered.

    ``touched`` leaves out markets of which no token is among them, or of which a book is still to
    come: what it offers is not known yet. A book stands until it is
    changed, so that its prices are of now, whenever they were last changed.
    """
    return [
        _quote(game, market_type, selections, books, now_ms)
        for game in games
        for market_type, selections in game.markets.items()
        if touched is None or _is_known(selections, books, touched)
    ]


def _is_known(selections: Selections, books: Books, touched: Collection[str]) -> bool:
    tokens = selections.values()
    return any(token in touched for token in tokens) and all(map(books.knows, tokens))


def _quote(
    game: Game, market_type: str, selections: Selections, books: Books, now_ms: int
) -> Quote:
    begun = game.kick_off is not None and game.kick_off <= now_ms
    fee = game.fees.get(market_type, HIGHEST_FEE)
    odds = offered = _odds(game, market_type, selections, books)
    unread = {UNNAMED: UNREAD} if market_type in game.unnamed else None
    if unread:
        odds = dict.fromkeys(selections, 0.0) | offered
    return Quote(
        bookmaker=BOOKMAKER if fee == HIGHEST_FEE else fee_name(BOOKMAKER, fee),
        match_name=game.match_name,
        competition=game.competition,
        market_type=market_type,
        period=0,
        odds=odds,
        scraped_at=now_ms,
        is_live=begun or bool(game.is_live),
        match_date=game.kick_off,
        url=game.url,
        sport=game.sport,
        offers={text: _offer(books, selections[text]) for text in offered} or None,
        unread=unread,
    )


def _odds(game: Game, market_type: str, selections: Selections, books: Books) -> dict[str, float]:
    """Odds in the field's order; a market with a draw that cannot be had would look two-way."""
    odds: dict[str, float] = {}
    for text in order_selections(market_type, game.match_name, selections):
        ask = books.best_ask(selections[text])
        if ask is not None and (price := _odds_of(ask)) > 1:
            odds[text] = price
    return {} if DRAW in selections and DRAW not in odds else odds


def _offer(books: Books, token: str) -> Offer:
    """Return the levels of a token: asks are what can be backed, bids what can be laid."""
    asks, bids = books.levels(token)
    back, lay = _levels(asks, sorted(asks)), _levels(bids, sorted(bids, reverse=True))
    return Offer(back=back, lay=lay, currency=USD)


def _levels(sizes: Mapping[float, float], prices: Iterable[float]) -> tuple[Level, ...]:
    """Return shares at prices as odds and the money that they cost; best first, each odds once."""
    levels: dict[float, float] = {}
    for price in prices:
        odds = _odds_of(price) if 0 < price < 1 else 0.0
        if odds > 1:
            levels[odds] = levels.get(odds, 0.0) + round(price * sizes[price], _CENTS)
        if len(levels) == MOST_LEVELS:
            break
    return tuple(levels.items())


def _odds_of(price: float) -> float:
    return round(1 / price, _PLACES)
