"""Answers with bad parts: bad cells are skipped and counted, the rest is read.

Everything here runs only after the strict reading of an answer failed. Odds of null, 0 or 1 mean
that a selection is not offered now. Other odds that make no sense are unread: they do not say that
the price is gone, so the last known price stays.
"""

import re
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL, sport_of
from oddsdesk.contract.identity import fold_name, teams
from oddsdesk.contract.quotes import MOST_ODDS, UNNAMED, is_disabled, is_number
from oddsdesk.contract.resources import (
    BookOddsCell,
    EventDetail,
    GameMatrix,
    MarketGroup,
    MatrixRow,
    OddsRow,
    Offer,
    ReferenceCell,
    ReferenceGroup,
)
from oddsdesk.contract.texts import LONGEST_LINK, LONGEST_NAME, shown
from oddsdesk.contract.times import parse_ms

_TEXT_OR_NAN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b', re.DOTALL)


class Losses(msgspec.Struct):
    """The bad parts of an answer: cells that are unread, and whole rows left out."""

    cells: int = 0
    rows: int = 0
    first: str = ""
    """The fault of the first one."""

    def add_cell(self, reason: str) -> None:
        """Count a cell."""
        self.cells += 1
        self.first = self.first or reason

    def add_row(self, reason: str) -> None:
        """Count a row."""
        self.rows += 1
        self.first = self.first or reason

    def add_losses(self, other: "Losses") -> None:
        """Add the losses of another answer."""
        self.cells += other.cells
        self.rows += other.rows
        self.first = self.first or other.first

    def __bool__(self) -> bool:
        """Tell whether anything was lost."""
        return bool(self.cells or self.rows)

    def __str__(self) -> str:
        """Return the losses in one line."""
        counted = [(self.cells, "value"), (self.rows, "row")]
        parts = [f"{n:,} {word}{'s' if n > 1 else ''}" for n, word in counted if n]
        return f"{' and '.join(parts)}, the first: {self.first}"


class RowInPart(OddsRow, frozen=True):
    """An odds row with some odds that could not be read."""

    unread: dict[str, str] = msgspec.field(default_factory=dict)
    """As ``Quote.unread``: why, by selection; with ``UNNAMED`` for all that the row lacks."""

    @property
    def has_nothing(self) -> bool:
        """Whether only the names of its game and market could be read."""
        return UNNAMED in self.unread and not self.odds


class UnreadPrice(NamedTuple):
    """A price of a game that could not be read; None: any, including the reference's."""

    market_type: str | None = None
    period: int | None = None
    selection: str | None = None
    bookmaker: str | None = None
    is_reference: bool = False


class MatrixInPart(GameMatrix, frozen=True):
    """A game with some prices that could not be read."""

    unread: tuple[UnreadPrice, ...] = ()


def without_nan(body: bytes) -> bytes:
    """Return a document with NaN and Infinity, which JSON does not have, as strings."""
    if b"NaN" not in body and b"Infinity" not in body:
        return body
    return _TEXT_OR_NAN.sub(lambda found: found[0] if found[0][:1] == b'"' else b'"NaN"', body)


def row_in_part(row: Any, losses: Losses) -> RowInPart | None:
    """Read the parts of an odds row that make sense; None if it does not name its market.

    ``row`` is decoded JSON.
    """
    if not isinstance(row, dict) or not _is_about_market(row):
        losses.add_row(N_(f"expected an odds row, got {shown(str(row)[:80])}"))
        return None
    unread, odds = dict[str, str](), dict[str, float]()
    place = f"{row['bookmaker']}, {row['match_name']}"
    reason = _fault_of_row(row)
    if reason is None:
        for name, price in row["odds"].items():
            if len(name) > LONGEST_NAME:
                unread.setdefault(UNNAMED, N_("a name is too long"))
            elif is_price(price):
                odds[name] = price
            elif not _is_disabled(price):
                unread[name] = N_(f"odds of {shown(name)}: {shown(str(price))}")
    else:
        unread[UNNAMED] = reason
    if reason is None and row["market_type"] == "moneyline" and row.get("sport") != FOOTBALL:
        _drop_without_draw(row, odds, unread)
    for why in unread.values():
        losses.add_cell(f"{shown(place)}: {why}")
    sport = row.get("sport")
    return RowInPart(
        bookmaker=row["bookmaker"],
        match_name=row["match_name"],
        competition=row["competition"],
        sport=str(sport) if is_name(sport) else sport_of(row["competition"]),
        market_type=row["market_type"],
        period=row["period"],
        is_live=row.get("is_live") is True,
        odds=odds,
        match_date=_time_or_none(row.get("match_date"), losses),
        scraped_at=row["scraped_at"] if is_time(row.get("scraped_at")) else "",
        url=_link(row.get("url"), losses),
        liquidity=_amount(row.get("liquidity"), losses),
        source_sport=_name_or_unset(row.get("source_sport")),
        offers=_offers(row.get("offers"), losses),
        unread=unread,
    )


def _drop_without_draw(row: dict[str, Any], odds: dict[str, float], unread: dict[str, str]) -> None:
    """Drop both teams' odds if the draw was not read: they would look like a bet with overtime."""
    both = {fold_name(team).casefold() for team in teams(row["match_name"]) or ()}
    draws = [name for name in row["odds"] if fold_name(name).casefold() not in both]
    if both and any(name not in odds for name in draws):
        if any(name in unread for name in draws) or UNNAMED in unread:
            unread |= dict.fromkeys(odds, N_("not read without the draw"))
        odds.clear()


def _is_about_market(row: dict[str, Any]) -> bool:
    texts = ("bookmaker", "match_name", "competition", "market_type")
    return all(is_name(row.get(name)) for name in texts) and is_period(row.get("period"))


def _fault_of_row(row: dict[str, Any]) -> str | None:
    """Return why a row cannot be read at all."""
    if not is_time(row.get("scraped_at")):
        return f"scraped_at: {shown(str(row.get('scraped_at')))}"
    if not isinstance(row.get("is_live"), bool):
        return f"is_live: {shown(str(row.get('is_live')))}"
    if not isinstance(row.get("odds"), dict):
        return f"odds: {shown(str(row.get('odds')))}"
    return None


def matrix_row_in_part(
    row: Any, market: tuple[str, int], unread: list[UnreadPrice], losses: Losses
) -> MatrixRow | None:
    """Read the parts of a game's row that make sense; add the others to ``unread``."""
    selection = row.get("selection") if isinstance(row, dict) else None
    books = row.get("books") if isinstance(row, dict) else None
    if not is_name(selection) or not isinstance(books, dict):
        losses.add_row(N_(f"expected a row of a game, got {shown(str(row)[:80])}"))
        unread.append(UnreadPrice(*market))
        return None
    assert isinstance(selection, str)

    def price_of(raw: Any, bookmaker: str | None) -> tuple[float | None, str | None] | None:
        """Return odds and time of a cell; None where it makes no sense, which is noted."""
        is_cell = isinstance(raw, dict)
        price, at = (raw.get("odds"), raw.get("scraped_at")) if is_cell else (None, None)
        is_offered = not _is_disabled(price)
        if not is_cell or (is_offered and not (is_price(price) and is_time(at))):
            losses.add_cell(f"{selection}, {bookmaker or 'reference'}: {shown(str(raw)[:80])}")
            unread.append(UnreadPrice(*market, selection, bookmaker, bookmaker is None))
            return None
        return price if is_offered else None, at if is_time(at) else None

    read: dict[str, BookOddsCell | None] = {}
    for name, raw in books.items():
        if not is_name(name):
            losses.add_cell(f"{selection}: {shown(name[:80])}")
            unread.append(UnreadPrice(*market, selection))
        elif raw is None or (found := price_of(raw, name)) is None:
            read[name] = None
        else:
            link, offer = _link(raw.get("url"), losses), _offer(raw.get("offer"), losses)
            read[name] = BookOddsCell(*found, link, offer)
    reference, raw = None, row.get("reference")
    if raw is not None and (found := price_of(raw, None)) is not None:
        (odds, at), limit = found, _amount(raw.get("liquidity"), losses)
        reference = ReferenceCell(odds, limit, at, _offer(raw.get("offer"), losses))
    return MatrixRow(selection, reference, read)


def event_in_part(kind: type[EventDetail], event: Any, losses: Losses) -> EventDetail:
    """Read an event's details without the prices and groups that make no sense.

    Raises:
        msgspec.ValidationError: something else in it is wrong.
    """
    if isinstance(event, dict):
        event = dict(event)
        for name, group in (("markets", MarketGroup), ("reference", ReferenceGroup)):
            if isinstance(event.get(name), list):
                groups = (_group_in_part(group, each, losses) for each in event[name])
                event[name] = [each for each in groups if each is not None]
    return msgspec.convert(event, kind, from_attributes=True)


def _group_in_part(kind: Any, group: Any, losses: Losses) -> Any:
    try:
        if isinstance(group, dict) and isinstance(group.get("selections"), list):
            kept = []
            for each in group["selections"]:
                price = each.get("odds") if isinstance(each, dict) else "none"
                if is_price(price) and is_name(each.get("selection")):
                    kept.append(each)
                elif not _is_disabled(price):
                    losses.add_cell(shown(str(each)[:80]))
            url = {"url": _link(group.get("url"), losses)} if "url" in group else {}
            group = {**group, "selections": kept, **url}
        if not is_time(group.get("scraped_at") if isinstance(group, dict) else None):
            raise ValueError("scraped_at: expected a time")
        return msgspec.convert(group, kind)
    except ValueError as error:
        losses.add_row(str(error))
        return None


def is_price(value: Any) -> bool:
    """Return whether a value is decimal odds of an offered selection."""
    return is_number(value) and 1 < value <= MOST_ODDS


def is_name(value: Any) -> bool:
    """Return whether a value is a name of usual length."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME


def is_period(value: Any) -> bool:
    """Return whether a value is the number of a period that can be stored."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def is_time(value: Any) -> bool:
    """Return whether a value is a time that can be read."""
    try:
        return isinstance(value, str) and len(value) <= LONGEST_NAME and bool(parse_ms(value))
    except ValueError:
        return False


def _is_disabled(price: Any) -> bool:
    return price is None or (is_number(price) and is_disabled(price))


def _time_or_none(value: Any, losses: Losses) -> str | None:
    if value is None or is_time(value):
        return None if value is None else str(value)
    losses.add_cell(f"match_date: {shown(str(value)[:80])}")
    return None


def _link(value: Any, losses: Losses) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and len(value) <= LONGEST_LINK:
        return value
    losses.add_cell(f"url: {shown(str(value)[:80])}")
    return None


def _amount(value: Any, losses: Losses) -> float | None:
    if value is None or is_number(value):
        return value
    losses.add_cell(f"liquidity: {shown(str(value)[:80])}")
    return None


def _name_or_unset(value: Any) -> str | msgspec.UnsetType:
    return value if is_name(value) else msgspec.UNSET


def _offers(value: Any, losses: Losses) -> dict[str, Offer] | msgspec.UnsetType:
    if value is None or not isinstance(value, dict):
        return msgspec.UNSET
    read = {name: _offer(each, losses) for name, each in value.items() if is_name(name)}
    kept = {name: each for name, each in read.items() if isinstance(each, Offer)}
    return kept or msgspec.UNSET


def _offer(value: Any, losses: Losses) -> Offer | msgspec.UnsetType:
    if value is None:
        return msgspec.UNSET
    try:
        return msgspec.convert(value, Offer)
    except msgspec.ValidationError as error:
        losses.add_cell(f"offers: {error}")
        return msgspec.UNSET
