"""Answers as flat rows, one a price, for tables and data frames."""

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import chain
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import UNSET

from oddsdesk.contract.resources import (
    EventDetail,
    GameMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    ReferenceGroup,
)

FlatRow = tuple[Any, ...]
"""Values in the order of ``columns_of``; ``UNSET`` where an answer leaves a field out."""

_LEVELS: Final = ("back", "lay", "currency")
_SLIP: Final = ("sid", "bet_limit", "link")
_NO_OFFER: Final = (UNSET,) * 6
_NO_PRICE: Final = (None, None, None, None)
_GAME: Final = ("match_name", "competition", "sport", "source_sport", "match_date")
_PRICE: Final = ("bookmaker", "odds", "scraped_at", "url")
_REFERENCE: Final = ("reference_odds", "reference_scraped_at")
_COLUMNS: Final[dict[type, tuple[str, ...]]] = {
    OddsRow: (
        *("bookmaker", "match_name", "competition", "sport", "market_type", "period", "is_live"),
        *("selection", "odds", "match_date", "scraped_at", "url", "liquidity", "source_sport"),
        *(*_LEVELS, *_SLIP),
    ),
    EventDetail: ("slug", *_GAME, "market_type", "period", "selection", *_PRICE, *_REFERENCE),
    GameMatrix: (
        *("game_id", *_GAME, "is_live", "market_type", "period", "period_label", "selection"),
        *(*_PRICE, *_LEVELS, *_REFERENCE, "liquidity", *_SLIP),
    ),
}


def columns_of(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names of the columns of an item's rows."""
    for whole, columns in _COLUMNS.items():
        if issubclass(kind, whole):
            return columns
    return kind.__struct_fields__


def rows_of(kind: type[msgspec.Struct], items: Iterable[Any]) -> Iterator[FlatRow]:
    """Yield the rows of items: one a price of odds rows, events and games, else one an item."""
    if issubclass(kind, tuple(_COLUMNS)):
        return chain.from_iterable(map(flat_rows, items))
    return map(attrgetter(*kind.__struct_fields__), items)


@singledispatch
def flat_rows(item: OddsRow | EventDetail | GameMatrix) -> Iterator[FlatRow]:
    """Yield a row for each selection of an odds row, and for each price of an event or a game.

    Those have the sharp book's price of the same selection too, and a row without ``bookmaker``
    where nobody else prices it.
    """
    raise TypeError(type(item))


@flat_rows.register
def _(quoted: OddsRow) -> Iterator[FlatRow]:
    market = (
        *(quoted.bookmaker, quoted.match_name, quoted.competition, quoted.sport),
        *(quoted.market_type, quoted.period, quoted.is_live),
    )
    seen = (quoted.match_date, quoted.scraped_at, quoted.url, quoted.liquidity, quoted.source_sport)
    offers = quoted.offers or {}
    for selection, odds in quoted.odds.items():
        yield (*market, selection, odds, *seen, *_offered(offers.get(selection)))


@flat_rows.register
def _(event: EventDetail) -> Iterator[FlatRow]:
    game = (
        *(event.slug, event.match_name, event.competition, event.sport, event.source_sport),
        event.match_date,
    )
    reference = {
        (group.market_type, group.period, each.selection): (each.odds, group)
        for group in event.reference
        for each in group.selections
    }
    priced = set()
    for group in event.markets:
        for each in group.selections:
            key = (group.market_type, group.period, each.selection)
            priced.add(key)
            price = (group.bookmaker, each.odds, group.scraped_at, group.url)
            yield (*game, *key, *price, *_group_price(reference.get(key)))
    for key, found in reference.items():
        if key not in priced:
            yield (*game, *key, None, None, None, None, *_group_price(found))


def _group_price(found: tuple[float, ReferenceGroup] | None) -> FlatRow:
    return (None, None) if found is None else (found[0], found[1].scraped_at)


@flat_rows.register
def _(game: GameMatrix) -> Iterator[FlatRow]:
    whole = (
        *(game.game_id, game.match_name, game.competition, game.sport, game.source_sport),
        *(game.match_date, game.is_live),
    )
    for market in game.markets:
        for line in market.selections:
            of_line = (market.market_type, market.period, market.period_label, line.selection)
            reference = _reference_price(line)
            for price, offered in _line_prices(line):
                levels, slip = offered[: len(_LEVELS)], offered[len(_LEVELS) :]
                yield (*whole, *of_line, *price, *levels, *reference, *slip)


def _line_prices(line: MatrixRow) -> list[tuple[FlatRow, FlatRow]]:
    prices = [
        ((bookmaker, cell.odds, cell.scraped_at, cell.url), _offered(cell.offer or None))
        for bookmaker, cell in line.books.items()
        if cell is not None and cell.odds is not None
    ]
    return prices or [(_NO_PRICE, _NO_OFFER)]


def _reference_price(line: MatrixRow) -> FlatRow:
    cell = line.reference
    return (None, None, None) if cell is None else (cell.odds, cell.scraped_at, cell.liquidity)


def _offered(offer: Offer | None) -> FlatRow:
    """Return the levels of a book and the data of a bet slip, where they are known."""
    if offer is None:
        return _NO_OFFER
    levels = (offer.back, offer.lay, offer.currency) if offer.back or offer.lay else _NO_OFFER[:3]
    slip = (offer.sid, offer.bet_limit, offer.link)
    return (*levels, *(UNSET if each is None else each for each in slip))
