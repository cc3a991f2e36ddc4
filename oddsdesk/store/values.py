"""The store's types for arguments and results; other results are the contract's structs.

An origin is stored per bookmaker and game, not per price: if a source that forbids passing on sent
any of them, all are left out for others, so that nothing slips through.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer, ValueBet
from oddsdesk.contract.texts import Timestamp
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Prices
from oddsdesk.pricing.selections import order_selections
from oddsdesk.store.errors import BadCursorError

SILENT_MS: Final = 10 * MINUTE_MS
"""If no price of any game came for this long, nothing was being recorded (ms)."""

T = TypeVar("T")
SelectionKey = tuple[str, int, str]
"""Market type, period, selection."""


class Recorded(msgspec.Struct, frozen=True):
    """The result of a recording: kept quotes, price changes, skipped older quotes.

    ``last_seq`` is the end of the log after it; ``skipped_prices`` are those of the older quotes.
    """

    quotes: int
    changes: int
    skipped: int
    last_seq: int
    skipped_prices: int = 0
    older: tuple[tuple[int, Quote], ...] = ()
    """The skipped quotes, each with its game's row and in its spelling."""


class Skipped(msgspec.Struct):
    """What recordings skipped because newer quotes of the same markets are recorded."""

    quotes: int = 0
    prices: int = 0
    quotes_there: int = 0
    """Those whose prices are in the log at their time: nothing is lost."""
    prices_there: int = 0

    def add_recorded(
        self, recorded: Recorded, are_in_log: Callable[[Sequence[tuple[int, Quote]]], list[bool]]
    ) -> None:
        """Count a recording's skipped quotes; ``are_in_log`` is ``Reader.are_in_log``."""
        if not recorded.skipped:
            return
        self.quotes += recorded.skipped
        self.prices += recorded.skipped_prices
        there = are_in_log(recorded.older)
        for (_, quote), is_there in zip(recorded.older, there, strict=True):
            if is_there:
                self.quotes_there += 1
                self.prices_there += quote.price_count

    def in_a_line(self) -> str | None:
        """Return a line on why quotes were skipped; None if none were."""
        if not self.quotes:
            return None
        if self.quotes == self.quotes_there:
            return N_(f"quotes skipped, whose prices were recorded before: {self.quotes:,}")
        if self.quotes_there:
            there = self.quotes_there
            return N_(
                "quotes skipped, because newer ones of their markets are recorded:"
                f" {self.quotes:,}, {there:,} of them already recorded. History is not filled in"
                " later: record these in a new database first, then what `oddsdesk export quotes`"
                " writes from this one"
            )
        return N_(
            "quotes skipped, because newer ones of their markets are recorded:"
            f" {self.quotes:,}. History is not filled in later: record these in a new"
            " database first, then what `oddsdesk export quotes` writes from this one"
        )


class Visibility(msgspec.Struct, frozen=True):
    """What a caller may see: one bookmaker or (None) all, in-play prices or not."""

    bookmaker: str | None = None
    live: bool = True
    share: tuple[str, ...] | None = None
    """Sources to include although they forbid passing on; the others are left out. None: all."""

    def of_share(self, share: tuple[str, ...] | None) -> "Visibility":
        """Return the visibility with only what may be passed on."""
        return self if share is None else msgspec.structs.replace(self, share=share)


class DatedGame(NamedTuple):
    """A game with a kick-off, by the database's name."""

    game_id: str
    begins_ms: int
    sport: str
    competition: str
    match_name: str
    has_time: bool = True


class Filters(msgspec.Struct, frozen=True):
    """A caller's filters of a list, now or at a moment; unknown values match nothing.

    Sports ignore case. A filter by a column of quotes is a field here, in ``QUOTE_FILTERS``, and a
    parameter of the list in ``server.endpoints.lists``.
    """

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    market_type: str | None = None
    is_live: bool | None = None


QUOTE_FILTERS: Final = ("bookmaker", "market_type")
"""Filters that are columns of quotes and value bets, by the column's name."""


class MarketFilter(msgspec.Struct, frozen=True):
    """A caller's filter of a game's markets."""

    bookmaker: str | None = None
    market_type: str | None = None
    period: int | None = None


class MoveFilter(msgspec.Struct, frozen=True):
    """Filters on the moves of a game.

    From ``since`` to before ``until``, by ``scraped_at`` in milliseconds.
    """

    market_type: str | None = None
    period: int | None = None
    selection: str | None = None
    bookmaker: str | None = None
    since: int | None = None
    until: int | None = None


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Items in order; ``next_cursor`` is None on the last page."""

    items: list[T]
    next_cursor: str | None


class EncodedOddsRow(msgspec.Struct, frozen=True):
    """An odds row of the contract whose ``odds`` are already JSON."""

    bookmaker: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    is_live: bool
    odds: msgspec.Raw
    match_date: Timestamp | None
    scraped_at: Timestamp
    url: str | None
    liquidity: float | None
    source_sport: str | UnsetType = UNSET
    offers: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Already JSON, if the levels of a book are known."""


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One log row; times in milliseconds, the sport from ``played_sport``.

    ``game`` is the game's row in this database; ``odds`` None: no longer offered; ``liquidity`` is
    the sharp book's only. A row that ``is_left_out`` is sent to nobody.
    """

    seq: int
    game: int
    game_id: str
    match_name: str
    competition: str
    sport: str
    bookmaker: str
    market_type: str
    period: int
    selection: str
    odds: float | None
    is_live: bool
    scraped_at: int
    liquidity: float | None
    is_left_out: bool = False
    offers: str | None = None
    """The market's current offers, JSON by selection, if the levels of a book are known."""


class MarketKey(NamedTuple):
    """A market of a game; ``game`` is the game's row in this database."""

    game: int
    market_type: str
    period: int


class FoundValueBet(msgspec.Struct, frozen=True):
    """A value bet as found by the rules, unrounded; its ``MarketKey`` is separate.

    ``line`` is what it was valued by: the sharp book's odds of the whole line.
    """

    bookmaker: str
    selection: str
    odds: float
    line: dict[str, float]
    reference_odds: float
    fair_odds: float
    ev_pct: float
    payout_rate: float

    def as_row(self, now_ms: int) -> tuple[object, ...]:
        """Return the columns of its row in ``value_bet``, from ``bookmaker`` on."""
        bookmaker, selection, odds, line, *figures = msgspec.structs.astuple(self)
        return bookmaker, selection, odds, msgspec.json.encode(line).decode(), *figures, now_ms


class HistoryPoint(msgspec.Struct, frozen=True):
    """A bookmaker's price from ``scraped_at`` (milliseconds) on; None: no longer offered."""

    bookmaker: str
    odds: float | None
    is_live: bool
    scraped_at: int


class StandingQuote(NamedTuple):
    """A bookmaker's current prices of a market; times in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None
    bookmaker: str
    market_type: str
    period: int
    odds: dict[str, float]
    scraped_at: int
    is_live: bool
    offers: dict[str, Offer] | None = None
    """By selection, if the levels of a book are known."""


class ValuedGame(NamedTuple):
    """A game to value; ``row`` is its row in this database."""

    row: int
    match_name: str
    sport: str


class ValuedMarket(NamedTuple):
    """A market of a game with all bookmakers' prices, by name and of any age.

    ``has_bets``: value bets of it are stored.
    """

    market_type: str
    period: int
    prices: list[Prices]
    has_bets: bool


@lru_cache(maxsize=65_536)
def ordered_selections(
    market_type: str, match_name: str, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the selections of a market in the contract's order."""
    return tuple(order_selections(market_type, match_name, names))


FORBIDDING: Final = frozenset({"the-odds-api"})
"""Sources whose terms forbid passing their prices on; NDJSON lines name them by their ids."""


class Origin(msgspec.Struct, frozen=True):
    """A source of prices; ``may_share``: its terms allow passing them on."""

    source: str
    may_share: bool = True


def origin_named(source: str) -> Origin:
    """Return the origin of prices in one of our own formats."""
    return Origin(source, source.strip().casefold() not in FORBIDDING)


Place = TypeVar("Place", bound=msgspec.Struct)
MAX_LENGTH: Final = 4_096
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class GamePlace(msgspec.Struct, array_like=True, tag="g", forbid_unknown_fields=True):
    """The last game of an answer; ``live`` = among the live ones, which come first."""

    live: bool
    kickoff: Int64
    match_name: str
    competition: str


class OddsPlace(msgspec.Struct, array_like=True, tag="o", forbid_unknown_fields=True):
    """The last odds row of an answer."""

    live: bool
    kickoff: Int64
    match_name: str
    competition: str
    bookmaker: str
    market_type: str
    period: Int64


class DatedBet(NamedTuple):
    """A value bet, and when its two prices were seen; times in milliseconds."""

    bet: ValueBet
    is_live: bool
    scraped_at: int
    reference_scraped_at: int
    market_odds: str
    """All the bookmaker's odds of the market, as JSON by selection."""


class BetPlace(msgspec.Struct, array_like=True, tag="v", forbid_unknown_fields=True):
    """The last value bet of an answer."""

    ev_pct: float
    game: Int64
    market_type: str
    period: Int64
    bookmaker: str
    selection: str


class MovePlace(msgspec.Struct, array_like=True, tag="m", forbid_unknown_fields=True):
    """The last move of an answer."""

    scraped_at: Int64
    seq: Int64


class HistoryPlace(msgspec.Struct, array_like=True, tag="h", forbid_unknown_fields=True):
    """The last move of an answer about all games; without a time, the end of its game."""

    game_id: str
    scraped_at: Int64 | None = None
    seq: Int64 = 0


class ResultPlace(msgspec.Struct, array_like=True, tag="r", forbid_unknown_fields=True):
    """The last result of an answer."""

    kick_off: Int64
    competition: str
    plain_name: str
    source: str
    bookmaker: str


def to_cursor(place: msgspec.Struct) -> str:
    """Return the cursor that leads back to a place."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).rstrip(b"=").decode()


def from_cursor(cursor: str, kind: type[Place]) -> Place:
    """Return the place of a cursor.

    Raises:
        BadCursorError: it is not from an answer of this list.
    """
    try:
        if len(cursor) > MAX_LENGTH:
            raise ValueError("too long")
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError, binascii.Error, msgspec.DecodeError) as error:
        raise BadCursorError(
            "cursor: expected the next_cursor of an earlier answer of this list"
        ) from error
