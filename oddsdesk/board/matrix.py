"""A game as selections by bookmakers: keys, rows, sections and the whole matrix."""

import math
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.pool import Pool
from oddsdesk.board.prices import Price
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.outcomes import AWAY, handicap_text
from oddsdesk.pricing.value import ReferenceLine

_NO_LINE = float("-inf")


QuoteKey = tuple[str, int, str | None]
"""Market type, period, bookmaker: what one odds row is about."""


class SectionKey(NamedTuple):
    """A line group of a game; ``group`` is ``LineGroup.key``."""

    market_type: str
    period: int
    group: str


class CellKey(NamedTuple):
    """A price of a game; ``bookmaker`` None is the reference's own."""

    market_type: str
    period: int
    selection: str
    bookmaker: str | None


class RowKey(NamedTuple):
    """A price among all games; ``bookmaker`` None is the reference's own."""

    game_id: str
    market_type: str
    period: int
    selection: str
    bookmaker: str | None


class Offer(NamedTuple):
    """The best price of some bookmakers that nothing speaks against; empty where there is none."""

    net: float | None
    """Net odds."""
    bookmakers: tuple[str, ...]
    """Those that offer it, by name."""


class Doubted(NamedTuple):
    """A price that is higher than the best one, but not to be relied upon."""

    bookmaker: str
    odds: float
    """Gross, as offered."""
    net: float
    caution: Caution
    """Why: suspicious, stale, or in play where the reference is not."""


NOBODY: Final[frozenset[str]] = frozenset()
"""No bookmakers; one for all sections, of which there are many."""
NO_OFFER: Final = Offer(None, ())


class Offers(NamedTuple):
    """What is best of a selection."""

    mine: Offer = NO_OFFER
    """Of the user's bookmakers; of all where none is chosen."""
    of_all: Offer = NO_OFFER
    """Of all bookmakers other than the reference."""
    doubted: Doubted | None = None
    """The highest price above these that is doubted; of the user's bookmakers above theirs."""

    @property
    def bookmakers(self) -> tuple[str, ...]:
        """Every bookmaker that is named."""
        doubted = () if self.doubted is None else (self.doubted.bookmaker,)
        return (*self.mine.bookmakers, *self.of_all.bookmakers, *doubted)


class BestOffer:
    """The best prices of a selection: nobody offers any."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: Offers | None = Offers()
        """None: they are found out when somebody looks."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BestOffer) and self.found() == other.found()

    def found(self) -> Offers:
        """Return the best prices."""
        return self.known or Offers()

    def invalidate(self) -> None:
        """Drop the cached best prices."""


class SelectionRow(msgspec.Struct):
    """One selection: the reference apart, then a price a bookmaker."""

    selection: str
    reference: Price | None = None
    limits: dict[str | None, float | None] = msgspec.field(default_factory=dict)
    """The maximum bet of the bookmaker that the service says it of; mostly the reference."""
    prices: dict[str, Price] = msgspec.field(default_factory=dict)
    """By bookmaker; withdrawn ones stay for a while."""
    fair: float | None = None
    """Devigged odds of the reference's line group, None where it is never valued (D27)."""
    decided: float = 1.0
    """The share of a stake that is won or lost on average; the rest comes back (D53)."""
    value_from: float | None = None
    """From these net odds on the selection is a value bet by the rules."""
    suspicious_above: float | None = None
    """Above these net odds the rules call the price an error."""
    offer: BestOffer = msgspec.field(default_factory=BestOffer)
    near: tuple[str, ...] = ()
    """Who offers the least edge before commission: only their prices can be value."""
    near_from: float = math.inf
    """From which odds on a price can have the least edge, rounding included."""

    @property
    def best(self) -> float | None:
        """The best net odds of the user's bookmakers; of all where none is chosen."""
        return self.offer.found().mine.net

    @property
    def best_bookmakers(self) -> tuple[str, ...]:
        """The bookmakers that offer ``best``, by name."""
        return self.offer.found().mine.bookmakers

    @property
    def best_of_all(self) -> Offer:
        """The best price of all bookmakers other than the reference."""
        return self.offer.found().of_all

    @property
    def doubted(self) -> Doubted | None:
        """A higher price that is not to be relied upon."""
        return self.offer.found().doubted

    @property
    def liquidity(self) -> float | None:
        """The reference's maximum bet, None where nobody tells."""
        return self.limits.get(None)

    def price_of(self, bookmaker: str | None) -> Price | None:
        """Return a bookmaker's price, None being the reference."""
        return self.reference if bookmaker is None else self.prices.get(bookmaker)

    def all_prices(self) -> dict[str | None, Price]:
        """Return every price by bookmaker, the reference's under None."""
        held: dict[str | None, Price] = dict(self.prices.items())
        if self.reference is not None:
            held[None] = self.reference
        return held

    def priced_by(self) -> list[str | None]:
        """Return the bookmakers that price it, None being the reference."""
        bookmakers: list[str | None] = list(self.prices)
        return bookmakers if self.reference is None else [None, *bookmakers]


class MarketFacts(msgspec.Struct):
    """What is known of a market beside the prices of each line group; by bookmaker."""

    game_id: str = ""
    competition: str = ""
    stale: set[str | None] = msgspec.field(default_factory=set)
    """Whose prices are stale."""
    unread: set[str | None] = msgspec.field(default_factory=set)
    """Who prices a selection that could not be read."""
    drew_at: dict[str | None, int] = msgspec.field(default_factory=dict)
    """When a draw was last seen that is no longer offered, in milliseconds."""


class LineHolds(Mapping[str, float]):
    """Hold in percent by bookmaker, of those that price the whole line group: nobody does."""

    __slots__ = ()

    def __getitem__(self, bookmaker: str) -> float:
        raise KeyError(bookmaker)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def best(self) -> float | None:
        """Return the hold of the best prices that go together, None where there are none."""
        return None

    def forget(self) -> None:
        """Note that a price moved, or is judged otherwise: what was worked out is of before."""


class Section(msgspec.Struct):
    """A line group of a market: the selections that settle against each other."""

    key: SectionKey
    match_name: str
    sport: str
    line: float | None
    period_label: str
    complete: bool
    """Whether all sides are there, once, and none overlap."""
    rows: list[SelectionRow]
    """One a selection, in the order of D7."""
    sides: tuple[str, ...] = ()
    """What each row bets on: ``home``, ``draw``, ``over``, ...; empty for unread text."""
    reference: ReferenceLine | None = None
    """The reference's prices as the rules judge by them; None where it prices no full group."""
    pool: Pool | None = None
    """The votes that ``reference`` is made of, where the bookmakers together are the reference."""
    overround: float | None = None
    """S, the sum of 1/odds of the reference's line group."""
    reference_hold: float | None = None
    holds: LineHolds = msgspec.field(default_factory=LineHolds)
    other_bets: frozenset[str] = NOBODY
    """Bookmakers that bet on something else: with a draw or without (D27); never best."""
    doubts: dict[tuple[str, str | None], frozenset[Caution]] = msgspec.field(default_factory=dict)
    """What speaks against a price beside the others of the line, by selection and bookmaker: its
    own line is below 100 %, or it is a placeholder; such prices are never best."""
    has_long_odds: bool = False
    market: MarketFacts = msgspec.field(default_factory=MarketFacts)
    """What is known of the whole market, shared by its line groups."""
    push: tuple[float | None, float | None] = (0.0, 0.0)
    """The chance that the line is hit, before the game and in play; None where it can be and
    nobody tells (D53)."""

    @property
    def best_hold(self) -> float | None:
        """Hold of the best net prices that go together, in percent; below 0 is an arbitrage."""
        return self.holds.best()

    @property
    def title(self) -> str:
        """What people call it, such as ``Handicap -1.5``."""
        group = self.key.group
        if self.key.market_type == "player_prop" and group:
            return group
        return f"{market_title(self.key.market_type)} {group}".rstrip()

    def title_for(self, selection: str) -> str:
        """Return the title with the line as a selection has it: ``Handicap +1.5`` of away teams."""
        if not self.line or self.side_of(selection) != AWAY:
            return self.title
        return f"{market_title(self.key.market_type)} {handicap_text(-self.line)}"

    def line_beside(self, bookmaker: str | None) -> ReferenceLine | None:
        """Return the reference's line as the prices of a bookmaker are judged by it.

        A consensus is asked without the bookmaker's own operator (D60); None is the reference.
        """
        if self.pool is None:
            return self.reference
        pooled = self.pool.of(bookmaker)
        return None if pooled is None else pooled.line

    def push_beside(self, bookmaker: str | None) -> float | None:
        """Return how likely a stake there comes back by that line; None: not known (D53)."""
        line = self.line_beside(bookmaker)
        return self.push[line is not None and bool(line.is_live)]

    def row_of(self, selection: str) -> SelectionRow:
        """Return the row of a selection of this section."""
        return next(row for row in self.rows if row.selection == selection)

    def side_of(self, selection: str) -> str:
        """Return what a selection bets on; empty where its text fits no form."""
        for row, side in zip(self.rows, self.sides, strict=False):
            if row.selection == selection:
                return side
        return ""

    def a_cell_each(self) -> list[CellKey]:
        """Return the key of one price of each row that has any left."""
        market_type, period, _ = self.key
        return [
            CellKey(market_type, period, row.selection, bookmaker)
            for row in self.rows
            for bookmaker in row.priced_by()[:1]
        ]

    def order(self) -> tuple[int, int, float, str]:
        """Return what sections are sorted by: market type, period, line."""
        rank = MARKET_RANK.get(self.key.market_type, len(MARKET_RANK))
        line = _NO_LINE if self.line is None else self.line
        return rank, self.key.period, line, self.key.group


class Place(NamedTuple):
    """Where a selection stands."""

    section: Section
    row: SelectionRow
    side: str
    """As ``Section.side_of``."""


class Matrix(msgspec.Struct):
    """A game with every market that is known; read it, the board alone changes it."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    bookmakers: tuple[str, ...] = ()
    """The columns, by name, without the reference."""
    sections: tuple[Section, ...] = ()
    """Market types in the order of the contract's table, then period, then line."""
    read_at: int | None = None
    """When the whole matrix was last read; None while prices came from stream or rows only."""

    def prices(self) -> Iterator[Price]:
        """Yield every price, the reference's among them."""
        for section in self.sections:
            for row in section.rows:
                if row.reference is not None:
                    yield row.reference
                yield from row.prices.values()
