"""A game: its entry in the list, its prices, and these by selection and bookmaker as a matrix."""

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import UnsetType

from oddsdesk.base.market_words import market_text, selection_text
from oddsdesk.base.numbers import with_marks
from oddsdesk.base.texts import _
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.contract.quotes import MOST_LEVELS
from oddsdesk.contract.resources import Game, Level, OddsRow, Offer, PriceMessage
from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.selections import AWAY, LineGroup, handicap_text, line_groups
from oddsdesk.pricing.stakes import Depth
from oddsdesk.pricing.value import SERVICE_RULES, Derived, ListRules, ReferenceLine

if TYPE_CHECKING:
    from oddsdesk.board.valuation.deriving import DerivedPool
    from oddsdesk.board.valuation.pool import Pool


class Price(msgspec.Struct, gc=False):
    """A selection's decimal odds at one bookmaker; times in milliseconds.

    Of one that is held only ``heard_at`` is ever set: whatever else is news makes another.
    """

    odds: float
    scraped_at: int
    """When the price was last read at the bookmaker."""
    changed_at: int
    """When the odds last moved; where no move was seen, when they were first seen."""
    heard_at: int
    """When this desk last received the price, by its own clock."""
    previous: float | None = None
    """The odds before the last move; None while no move was seen."""
    move_heard_at: int | None = None
    """When this desk received the last move, by its own clock; reading it again keeps that."""
    url: str | None = None
    is_live: bool | None = None
    """Whether it is in play; None until an answer or message tells (a matrix may not)."""
    withdrawn_at: int | None = None
    """When the price was found to be gone, by the desk's own clock (inferred)."""
    depth: Depth | None = None
    """What was for sale at ``scraped_at``; None where nobody tells."""

    @property
    def direction(self) -> int:
        """1 where the odds last rose, -1 where they fell, 0 where no move was seen."""
        if self.previous is None:
            return 0
        return (self.odds > self.previous) - (self.odds < self.previous)

    @property
    def is_offered(self) -> bool:
        """Whether the price is still there."""
        return self.withdrawn_at is None


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """What one answer or message says of a price; None where it does not say."""

    odds: float
    scraped_at: int
    heard_at: int
    url: str | None = None
    is_live: bool | None = None
    depth: Depth | None = None


def depth_of(offer: Offer | UnsetType | None, odds: float) -> Depth | None:
    """Return the amounts that can be backed and laid, best odds first.

    None if no amounts are known. If only lay odds are known, there are no levels to back.

    Raises:
        ValueError: the levels make no sense: not the best first, or not those of these odds.
    """
    if not offer or not (offer.back or offer.lay):
        return None
    levels = offer.back[:MOST_LEVELS]
    is_falling = all(one[0] > other[0] for one, other in pairwise(levels))
    is_sound = is_falling and all(o > 1 and s >= 0 for o, s in levels)
    if levels and (levels[0][0] != odds or not is_sound):
        raise ValueError(f"expected levels from {odds:g} down")
    lay = lay_levels_of(offer, odds)
    return Depth(levels, offer.currency or "", lay) if levels or lay else None


def lay_levels_of(offer: Offer, odds: float) -> tuple[Level, ...]:
    """Return the lay levels; none if they make no sense against the back odds."""
    levels = offer.lay[:MOST_LEVELS]
    is_rising = all(one[0] < other[0] for one, other in pairwise(levels))
    is_above = not levels or levels[0][0] > odds
    is_sound = all(odds > 1 and size >= 0 for odds, size in levels)
    return levels if is_rising and is_above and is_sound else ()


def link_of(offer: Offer | None, url: str | None) -> str | None:
    """Return where a selection is bet on: its bet slip where that is known, else the game."""
    return url if offer is None else offer.link or url


def observe(held: Price | None, seen: Sighting) -> Price:
    """Return the price after a sighting.

    One that is older, or says nothing new, leaves the same price, received later: all that
    hold it judge its age by that.
    """
    if held is None:
        return Price(
            odds=seen.odds,
            scraped_at=seen.scraped_at,
            changed_at=seen.scraped_at,
            heard_at=seen.heard_at,
            url=seen.url,
            is_live=seen.is_live,
            depth=seen.depth,
        )
    moved = seen.odds != held.odds
    if seen.scraped_at < held.scraped_at or (
        seen.scraped_at == held.scraped_at
        and not moved
        and held.withdrawn_at is None
        and (seen.is_live is None or seen.is_live is held.is_live)
        and (seen.url or held.url) == held.url
        and (seen.depth is None or seen.depth == held.depth)
    ):
        held.heard_at = seen.heard_at
        return held
    fresh_start = moved or held.withdrawn_at is not None
    return Price(
        odds=seen.odds if moved else held.odds,
        scraped_at=seen.scraped_at,
        changed_at=seen.scraped_at if fresh_start else held.changed_at,
        heard_at=seen.heard_at,
        previous=held.odds if moved else held.previous,
        move_heard_at=seen.heard_at if moved else held.move_heard_at,
        url=seen.url or held.url,
        is_live=_state(held, moved=moved) if seen.is_live is None else seen.is_live,
        depth=held.depth if seen.depth == held.depth else seen.depth,
    )


def _state(held: Price, *, moved: bool) -> bool | None:
    """In play as last stated; unknown after a move that did not say: the game may have begun."""
    return None if moved and not held.is_live else held.is_live


def withdraw(held: Price, now_ms: int) -> Price:
    """Return the price as gone since ``now_ms``; unchanged where it was gone already."""
    if not held.is_offered:
        return held
    return msgspec.structs.replace(held, withdrawn_at=now_ms)


UNNAMED_REFERENCE: Final = _("Sharp book")
"""What the service's reference is called, and its prices kept under, until it tells its name."""


_NO_LINE = float("-inf")


QuoteKey = tuple[str, int, str]
"""Market type, period, bookmaker: what one odds row is about."""
Move = tuple[QuoteKey, str, Price | None, Price]
"""Which price it is, by quote and selection; before and after it moved, was withdrawn or came
back."""


class SectionKey(NamedTuple):
    """A line group of a game; ``group`` is ``LineGroup.key``."""

    market_type: str
    period: int
    group: str


class CellKey(NamedTuple):
    """A price of a game."""

    market_type: str
    period: int
    selection: str
    bookmaker: str


class RowKey(NamedTuple):
    """A price among all games."""

    game_id: str
    market_type: str
    period: int
    selection: str
    bookmaker: str


class BestPrice(NamedTuple):
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


class Laid(NamedTuple):
    """A lay of the other selection of a market of two: the same bet as a back of this one."""

    selection: str
    """What is laid."""
    bookmaker: str
    lay_odds: float
    odds: float
    """Of the back that it is, before commission."""
    net: float
    """The same after commission, per unit of liability."""


NOBODY: Final[frozenset[str]] = frozenset()
"""No bookmakers; one for all sections, of which there are many."""
NO_OFFER: Final = BestPrice(None, ())


class Offers(NamedTuple):
    """What is best of a selection."""

    mine: BestPrice = NO_OFFER
    """Of the user's bookmakers; of all where none is chosen."""
    of_all: BestPrice = NO_OFFER
    """Of all bookmakers other than the reference."""
    doubted: Doubted | None = None
    """The highest price above these that is doubted; of the user's bookmakers above theirs."""
    lay: Laid | None = None
    """The best lay at the user's bookmakers, where it pays more than ``mine``."""
    lay_of_all: Laid | None = None
    """The best lay at all of them, where it pays more than ``of_all``."""

    @property
    def named_bookmakers(self) -> tuple[str, ...]:
        """Every bookmaker that is named."""
        others = (each.bookmaker for each in self[2:] if each is not None)
        return (*self.mine.bookmakers, *self.of_all.bookmakers, *others)


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


class MarketFacts(msgspec.Struct):
    """What is known of a whole market, by bookmaker."""

    game_id: str = ""
    competition: str = ""
    reference: str = ""
    """The bookmaker that the others are judged by; empty where that is none."""
    stale: set[str] = msgspec.field(default_factory=set)
    """Whose prices are stale."""
    unread: set[str] = msgspec.field(default_factory=set)
    """Who prices a selection that could not be read."""
    laying: set[str] = msgspec.field(default_factory=set)
    """Who has ever said what can be laid: others need not be asked."""
    drew_at: dict[str, int] = msgspec.field(default_factory=dict)
    """When a draw was last seen that is no longer offered, in milliseconds."""


class SelectionRow(msgspec.Struct):
    """One selection with a price a bookmaker."""

    selection: str
    market: MarketFacts = msgspec.field(default_factory=MarketFacts)
    """What is known of the whole market, shared by its selections."""
    limits: dict[str, float | None] = msgspec.field(default_factory=dict)
    """The maximum bet of the bookmaker that the service says it of; mostly the reference."""
    prices: dict[str, Price] = msgspec.field(default_factory=dict)
    """By bookmaker, the reference among them; withdrawn ones stay for a while."""
    fair: float | None = None
    """Devigged odds of the reference's line group, None where it is never valued."""
    decided: float = 1.0
    """The share of a stake that is won or lost on average; the rest comes back."""
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
    def best_of_all(self) -> BestPrice:
        """The best price of all bookmakers other than the reference."""
        return self.offer.found().of_all

    @property
    def doubted(self) -> Doubted | None:
        """A higher price that is not to be relied upon."""
        return self.offer.found().doubted

    @property
    def lay_instead(self) -> Laid | None:
        """The lay of the other selection that pays more than ``best``."""
        return self.offer.found().lay

    @property
    def liquidity(self) -> float | None:
        """The reference's maximum bet, None where nobody tells."""
        return self.limits.get(self.market.reference)

    @property
    def reference(self) -> Price | None:
        """The reference's price."""
        return self.prices.get(self.market.reference)

    def others(self) -> list[tuple[str, Price]]:
        """Return who else prices it, and the prices: only these are compared and bet on."""
        reference = self.market.reference
        return [each for each in self.prices.items() if each[0] != reference]


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

    def invalidate_holds(self) -> None:
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
    """One for each selection, in the market's order."""
    sides: tuple[str, ...] = ()
    """What each row bets on: ``home``, ``draw``, ``over``, ...; empty for unread text."""
    reference: ReferenceLine | None = None
    """The reference's line that prices are judged by. If it does not price the whole group, this is
    derived from its other lines; None if that is not possible."""
    pool: "Pool | DerivedPool | None" = None
    """The votes that ``reference`` is made of, where the bookmakers together are the reference."""
    sources: tuple["Section", ...] = ()
    """The sections that a derived ``reference`` comes from; empty if it is not derived."""
    overround: float | None = None
    """S, the sum of 1/odds of the reference's line group."""
    reference_hold: float | None = None
    holds: LineHolds = msgspec.field(default_factory=LineHolds)
    other_bets: frozenset[str] = NOBODY
    """Bookmakers that bet on something else: with a draw or without; never best."""
    doubts: dict[tuple[str, str], frozenset[Caution]] = msgspec.field(default_factory=dict)
    """What speaks against a price given the others of the line, by selection and bookmaker: its
    own line is below 100 %, or it is a placeholder; such prices are never best."""
    has_long_odds: bool = False
    market: MarketFacts = msgspec.field(default_factory=MarketFacts)
    """What is known of the whole market, shared by its line groups."""
    rules: ListRules = SERVICE_RULES
    """The rules that a listed price must pass."""
    push: tuple[float | None, float | None] = (0.0, 0.0)
    """The chance that the line is hit, before the game and in play; None where it can be and
    nobody tells."""

    @property
    def has_own_line(self) -> bool:
        """Whether the reference prices a full group itself."""
        return self.reference is not None and self.reference.derived is None

    @property
    def derived(self) -> Derived | None:
        """How its fair odds follow from the reference's other lines; None if they do not."""
        return None if self.reference is None else self.reference.derived

    @property
    def best_hold(self) -> float | None:
        """Hold of the best net prices that go together, in percent; below 0 is an arbitrage."""
        return self.holds.best()

    @property
    def line_title(self) -> str:
        """What people call it, such as ``Handicap -1.5``."""
        group = self.key.group
        if self.key.market_type == "player_prop" and group:
            return selection_text(group)
        return f"{market_text(self.key.market_type)} {selection_text(group)}".rstrip()

    def title_for(self, selection: str) -> str:
        """Return the title with the line as a selection has it: ``Handicap +1.5`` of away teams."""
        if not self.line or self.side_of(selection) != AWAY:
            return self.line_title
        return f"{market_text(self.key.market_type)} {with_marks(handicap_text(-self.line))}"

    def line_without(self, bookmaker: str) -> ReferenceLine | None:
        """Return the sharp book's line that a bookmaker's prices are judged by.

        A consensus leaves out the bookmaker's own operator.
        """
        if self.pool is None:
            return self.reference
        pooled = self.pool.pooled_without(bookmaker)
        return None if pooled is None else pooled.line

    def push_without(self, bookmaker: str) -> float | None:
        """Return the chance of a push by that line; None if unknown."""
        line = self.line_without(bookmaker)
        return self.push[line is not None and bool(line.is_live)]

    def selection_row(self, selection: str) -> SelectionRow:
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
            for bookmaker in list(row.prices)[:1]
        ]

    def section_order(self) -> tuple[int, int, float, str]:
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
    reference: str = ""
    """The bookmaker that the others are judged by; empty where that is none."""
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
                yield from row.prices.values()


def offered(price: Price | None) -> float | None:
    """Return the odds of a price that is there, else None."""
    return price.odds if price is not None and price.withdrawn_at is None else None


def state_of(prices: Iterable[Price]) -> bool | None:
    """Whether a line group is in play: one price that is will do; None where nobody said."""
    known = [price.is_live for price in prices if price.is_live is not None]
    return any(known) if known else None


def priced_by(section: Section, bookmaker: str) -> list[SelectionRow]:
    """Return the rows that a bookmaker offers."""
    return [row for row in section.rows if offered(row.prices.get(bookmaker)) is not None]


def own_group(section: Section, rows: Sequence[SelectionRow]) -> LineGroup | None:
    """The line group that some rows form by themselves, None where it is not complete."""
    if len(rows) < 2:
        return None
    selections = tuple([row.selection for row in rows])
    return complete_group(section.key.market_type, section.match_name, selections, section.sport)


@lru_cache(maxsize=1 << 15)
def complete_group(
    market_type: str, match_name: str, selections: tuple[str, ...], sport: str
) -> LineGroup | None:
    """Return the line group that selections form by themselves, None where it is not complete."""
    groups = line_groups(market_type, match_name, selections, sport)
    return groups[0] if len(groups) == 1 and groups[0].complete else None


_log = logging.getLogger(__name__)
_MOST_IDS: Final = 50_000
"""Kept at a time; a stream may name games without end."""


class GameEntry(msgspec.Struct, frozen=True):
    """A game of the list; times in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    bookmaker_count: int
    last_scraped_at: int | None


class GameIds:
    """Ids of games by their names: those that the service gave, else as the contract makes them."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], str] = {}

    def learn_id(self, game: GameEntry) -> None:
        """Take the id that the service gave a game."""
        self._ids[game.competition, game.match_name] = game.game_id

    def id_of(self, competition: str, match_name: str) -> str:
        """Return the id of a game, listed or not."""
        key = (competition, match_name)
        found = self._ids.get(key)
        if found is None:
            if len(self._ids) >= _MOST_IDS:
                self._ids.clear()  # the next list tells again what the service named
            found = self._ids[key] = game_id(competition, match_name)
        return found


def game_entry(game: Game) -> GameEntry:
    """Read a game of the wire."""
    return GameEntry(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_in(game),
        kick_off=optional_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        last_scraped_at=optional_ms(game.last_scraped_at),
    )


def entry_of_price(said: PriceMessage | OddsRow) -> GameEntry:
    """Return a game as far as one price describes it."""
    return GameEntry(
        game_id=game_id(said.competition, said.match_name),
        match_name=said.match_name,
        competition=said.competition,
        sport=sport_in(said),
        kick_off=optional_ms(said.match_date) if isinstance(said, OddsRow) else None,
        is_live=said.is_live,
        bookmaker_count=1,
        last_scraped_at=None,
    )


@lru_cache(maxsize=8192)
def optional_ms(text: str | None) -> int | None:
    """Return the milliseconds that a timestamp names; None for none, or for nonsense, logged."""
    try:
        return None if text is None else parse_ms(text)
    except ValueError as error:
        _log.warning("a time could not be read: %s", error)
        return None
