"""Answers as flat rows, one a price: what a data frame is made of; and a game as odds rows."""

from collections.abc import Iterable, Iterator
from functools import partial, singledispatch
from typing import Any

import msgspec
from msgspec import UNSET

from oddsdesk.client.partial_answers import MatrixInPart, RowInPart
from oddsdesk.contract.quotes import UNNAMED
from oddsdesk.contract.resources import (
    BookOddsCell,
    EventDetail,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    ReferenceGroup,
)

Row = dict[str, Any]


def to_dicts(items: Iterable[Any]) -> list[Row]:
    """Return flat rows of what the service answered or streamed.

    An odds row gives one row a selection, with the columns ``selection`` and ``odds``; so do
    events and games, with the reference's price of the same selection beside each
    (``reference_odds``), and a row whose ``bookmaker`` is None where nobody else prices it.
    Everything else gives one row an item.
    """
    return [row for item in items for row in _rows(item)]


@singledispatch
def _rows(item: Any) -> Iterator[Row]:
    yield msgspec.to_builtins(item)


@_rows.register
def _(quoted: OddsRow) -> Iterator[Row]:
    fields = _fields(quoted, *(name for name in OddsRow.__struct_fields__ if name != "offers"))
    offers = quoted.offers or {}
    for selection, odds in quoted.odds.items():
        price: Row = {}
        for name, value in fields.items():
            price |= {"selection": selection, "odds": odds} if name == "odds" else {name: value}
        yield price | _levels(offers.get(selection))


@_rows.register
def _(event: EventDetail) -> Iterator[Row]:
    whole = _fields(
        event, "slug", "match_name", "competition", "sport", "source_sport", "match_date"
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
            cell = BookOddsCell(each.odds, group.scraped_at, group.url)
            yield {**whole, **_event_price(key, group.bookmaker, cell, reference.get(key))}
    for key, found in reference.items():
        if key not in priced:
            yield {**whole, **_event_price(key, None, None, found)}


def _event_price(
    key: tuple[str, int, str],
    bookmaker: str | None,
    cell: BookOddsCell | None,
    reference: tuple[float, ReferenceGroup] | None,
) -> Row:
    odds, group = reference or (None, None)
    return {
        **dict(zip(("market_type", "period", "selection"), key, strict=True)),
        **_price(bookmaker, cell),
        "reference_odds": odds,
        "reference_scraped_at": group and group.scraped_at,
    }


@_rows.register
def _(game: GameMatrix) -> Iterator[Row]:
    whole = _fields(
        game,
        "game_id",
        "match_name",
        "competition",
        "sport",
        "source_sport",
        "match_date",
        "is_live",
    )
    for market in game.markets:
        for line in market.selections:
            for price in _line_prices(line):
                yield {**whole, **_line_fields(market, line), **price, **_reference(line)}


def _line_fields(market: MarketMatrix, line: MatrixRow) -> Row:
    fields = _fields(market, "market_type", "period", "period_label")
    return {**fields, "selection": line.selection}


def _line_prices(line: MatrixRow) -> list[Row]:
    prices = [
        _price(bookmaker, cell)
        for bookmaker, cell in line.books.items()
        if cell is not None and cell.odds is not None
    ]
    return prices or [_price(None, None)]


def _price(bookmaker: str | None, cell: BookOddsCell | None) -> Row:
    cell = cell or BookOddsCell(None, None, None)
    fields = _fields(cell, "odds", "scraped_at", "url")
    return {"bookmaker": bookmaker, **fields, **_levels(cell.offer or None)}


def _levels(offer: Offer | None) -> Row:
    """Return the levels of a book, where they are known."""
    return {} if offer is None else _fields(offer, "back", "lay", "currency")


def _reference(line: MatrixRow) -> Row:
    cell = line.reference
    return {
        "reference_odds": cell and cell.odds,
        "reference_scraped_at": cell and cell.scraped_at,
        "liquidity": cell and cell.liquidity,
    }


def _fields(item: msgspec.Struct, *names: str) -> Row:
    named = ((name, getattr(item, name)) for name in names)
    return {name: value for name, value in named if value is not msgspec.UNSET}


def reference_of(matrix: GameMatrix) -> str | None:
    """Return the reference's name, which stands among ``all_bookmakers`` only (D9)."""
    columns = {name for market in matrix.markets for name in market.bookmakers}
    others = [name for name in matrix.all_bookmakers if name not in columns]
    return others[0] if has_reference(matrix) and len(others) == 1 else None


def has_reference(matrix: GameMatrix) -> bool:
    """Return whether the reference prices anything of a game."""
    return any(
        row.reference is not None and row.reference.odds is not None
        for market in matrix.markets
        for row in market.selections
    )


def rows_of_game(matrix: GameMatrix, *, is_live: bool = False) -> list[OddsRow]:
    """Return a game as odds rows, those of the reference left out: their links are not in it.

    ``is_live``: whether its prices are in play, which a game does not say of each.
    """
    return [row for market in matrix.markets for row in _rows_of(matrix, market, is_live=is_live)]


def _rows_of(matrix: GameMatrix, market: MarketMatrix, *, is_live: bool) -> Iterator[OddsRow]:
    priced: dict[str, dict[str, BookOddsCell]] = {}
    unread: dict[str, dict[str, str]] = {}
    for line in market.selections:
        for bookmaker, cell in line.books.items():
            if cell is None or cell.odds is None:
                continue
            if cell.scraped_at is None:
                unread.setdefault(bookmaker, {})[line.selection] = "scraped_at: no time"
            else:
                priced.setdefault(bookmaker, {})[line.selection] = cell
    where = market.market_type, market.period
    for each in matrix.unread if isinstance(matrix, MatrixInPart) else ():
        if each.bookmaker and each[:2] == where:
            unread.setdefault(each.bookmaker, {})[each.selection or UNNAMED] = "not read"
    for bookmaker in unread:
        priced.setdefault(bookmaker, {})
    for bookmaker, cells in priced.items():
        is_part = bookmaker in unread
        yield (partial(RowInPart, unread=unread[bookmaker]) if is_part else OddsRow)(
            bookmaker=bookmaker,
            match_name=matrix.match_name,
            competition=matrix.competition,
            sport=matrix.sport,
            market_type=market.market_type,
            period=market.period,
            is_live=is_live,
            odds={name: cell.odds for name, cell in cells.items() if cell.odds is not None},
            match_date=matrix.match_date,
            scraped_at=max(
                (cell.scraped_at for cell in cells.values() if cell.scraped_at), default=""
            ),
            url=next((cell.url for cell in cells.values() if cell.url), None),
            liquidity=None,
            source_sport=matrix.source_sport,
            offers={name: cell.offer for name, cell in cells.items() if cell.offer is not UNSET}
            or UNSET,
        )
