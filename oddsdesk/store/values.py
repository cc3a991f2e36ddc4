"""The store's own types for arguments and results; other results are the contract's structs."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer, Timestamp
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.market import Prices

SILENT_MS: Final = 10 * MINUTE_MS
"""Where the log has no price of any game for this long, it was not being written."""

T = TypeVar("T")
SelectionKey = tuple[str, int, str]
"""Market type, period, selection."""


class Recorded(msgspec.Struct, frozen=True):
    """What a recording did (D42): quotes kept, price changes, older quotes skipped.

    ``last_seq`` is the end of the log after it; ``skipped_prices`` are those of the older quotes.
    """

    quotes: int
    changes: int
    skipped: int
    last_seq: int
    skipped_prices: int = 0
    older: tuple[tuple[int, Quote], ...] = ()
    """The skipped quotes, each with the row of its game and in its words."""


class Skipped(msgspec.Struct):
    """What recordings skipped, since newer quotes of the same markets are recorded."""

    quotes: int = 0
    prices: int = 0
    quotes_there: int = 0
    """Of these, whose prices the log has at their time: nothing of them is lost."""
    prices_there: int = 0

    def add_recorded(
        self, recorded: Recorded, are_in_log: Callable[[Sequence[tuple[int, Quote]]], list[bool]]
    ) -> None:
        """Count what a recording skipped; ``are_in_log`` asks the log (``Reader.are_in_log``)."""
        if not recorded.skipped:
            return
        self.quotes += recorded.skipped
        self.prices += recorded.skipped_prices
        there = are_in_log(recorded.older)
        for (_, quote), is_there in zip(recorded.older, there, strict=True):
            if is_there:
                self.quotes_there += 1
                self.prices_there += len(quote.odds)

    def line(self) -> str | None:
        """Return a line on why quotes were skipped; None where none were."""
        if not self.quotes:
            return None
        if self.quotes == self.quotes_there:
            return f"quotes skipped, whose prices were recorded before: {self.quotes:,}"
        there = ""
        if self.quotes_there:
            there = f", {self.quotes_there:,} of them with prices that were recorded before"
        return (
            f"quotes skipped, since newer ones of their markets are recorded:"
            f" {self.quotes:,}{there}; history is not filled in later: to have it, record these in"
            " a new database, then what `oddsdesk export quotes` writes of this one"
        )


class Visibility(msgspec.Struct, frozen=True):
    """What a caller may see: one bookmaker or (None) all, in-play prices or not (D19, D20)."""

    bookmaker: str | None = None
    live: bool = True
    share: tuple[str, ...] | None = None
    """Without the prices of sources that forbid passing on, but for these; None: with all (D66)."""


class DatedGame(NamedTuple):
    """A game that has a kick-off, as the database calls it."""

    game_id: str
    begins_ms: int
    sport: str
    competition: str
    match_name: str
    has_time: bool = True


class Filters(msgspec.Struct, frozen=True):
    """What a caller asks for; unknown values match nothing (D10). Sports ignore case."""

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    market_type: str | None = None
    is_live: bool | None = None


class MoveFilter(msgspec.Struct, frozen=True):
    """Which moves of a game are asked for: all but for what is given (D75).

    From ``since`` to before ``until``, by ``scraped_at`` in milliseconds.
    """

    market_type: str | None = None
    period: int | None = None
    selection: str | None = None
    bookmaker: str | None = None
    since: int | None = None
    until: int | None = None


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Items in order; ``next_cursor`` is None on the last page (D14)."""

    items: list[T]
    next_cursor: str | None


class EncodedOddsRow(msgspec.Struct, frozen=True):
    """An odds row of the contract whose ``odds`` are JSON already."""

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
    """JSON already, where the levels of a book are known."""


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One row of the log; times in milliseconds, the sport as ``played_sport`` has it.

    ``game`` is the row of the game in this database; ``odds`` None: withdrawn;
    ``liquidity`` is the reference's only (D32). One that ``is_left_out`` is told to nobody (D66).
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
    """What stands of the market by now, JSON by selection, where the levels of a book are known."""


class MarketKey(NamedTuple):
    """A market of a game; ``game`` is the row of the game in this database."""

    game: int
    market_type: str
    period: int


class FoundValueBet(msgspec.Struct, frozen=True):
    """A value bet as the rules found it, unrounded; its ``MarketKey`` is told beside it.

    ``line`` is what it was valued by: the reference's odds of the whole line group.
    """

    bookmaker: str
    selection: str
    odds: float
    line: dict[str, float]
    reference_odds: float
    fair_odds: float
    ev_pct: float
    payout_rate: float


class HistoryPoint(msgspec.Struct, frozen=True):
    """A bookmaker's price from ``scraped_at`` (milliseconds) on; None: withdrawn."""

    bookmaker: str
    odds: float | None
    is_live: bool
    scraped_at: int


class StandingQuote(NamedTuple):
    """What a bookmaker says now of a market of a game; times in milliseconds."""

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
    """By selection, where the levels of a book are known."""


class ValuedGame(NamedTuple):
    """A game whose prices may be value; ``row`` is its row in this database."""

    row: int
    match_name: str
    sport: str


class ValuedMarket(NamedTuple):
    """A market of a game and what all bookmakers say of it, by name and of whatever age.

    ``has_bets`` says that value bets of it are stored.
    """

    market_type: str
    period: int
    prices: list[Prices]
    has_bets: bool
