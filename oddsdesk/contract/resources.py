"""Every resource of the contract as a struct, field by field.

Timestamps are ISO texts (``contract.times`` converts them to milliseconds). Optional fields are
``UNSET`` if an answer leaves them out. The length of names is checked where answers are read.
"""

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.contract.texts import Link, Name, Odds, Slug, Timestamp, Token, Whole

T = TypeVar("T")


class Meta(msgspec.Struct, frozen=True):
    """Data about the answer: requests left, number of items, cursor of the next page."""

    rate_limit_remaining: int
    count: int | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET
    simulated: bool | UnsetType = UNSET
    """For a moment in the past: whether some of these games were simulated."""
    mixed: bool | UnsetType = UNSET
    """For a moment in the past: whether other games were not simulated."""
    shifted: bool | UnsetType = UNSET
    """Whether the odds may include old ones with shifted times."""
    silences: list[list[Timestamp]] | UnsetType = UNSET
    """For price histories: spans, from and until, in which nothing of any game was recorded."""


Level = tuple[float, float]
"""Decimal odds, and the amount for sale at them: the stake that a backer can place."""


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bookmaker's data on one selection, besides its price.

    ``sid`` is the bookmaker's name of the selection, ``bet_limit`` the most it takes, ``link`` its
    bet slip. ``back`` lists what can be backed, highest odds first; ``lay`` what can be laid,
    lowest odds first, in backer's stakes. Both are before fees, in ``currency`` (ISO 4217).
    """

    sid: str | None = None
    bet_limit: float | None = None
    link: str | None = None
    back: tuple[Level, ...] = ()
    lay: tuple[Level, ...] = ()
    currency: str | None = None


class Answer(msgspec.Struct, Generic[T], frozen=True):
    """The response envelope."""

    data: T
    meta: Meta


class Sport(msgspec.Struct, frozen=True):
    """A sport with its active competitions."""

    name: Name
    competition_codes: list[Name]
    event_count: Whole


class Bookmaker(msgspec.Struct, frozen=True):
    """A bookmaker scraped within the last 10 minutes."""

    name: Name
    odds_count: Whole
    has_live: bool
    last_scraped_at: Timestamp


class Event(msgspec.Struct, frozen=True):
    """An event in the list of events."""

    slug: Slug
    match_name: Name
    competition: Name
    sport: Name
    match_date: Timestamp | None
    is_live: bool
    bookmaker_count: Whole
    source_sport: Name | UnsetType = UNSET
    """The sport if the contract's table says ``Other``; the same in all answers."""


class SelectionOdds(msgspec.Struct, frozen=True):
    """One outcome and its decimal odds."""

    selection: Name
    odds: Odds


class ReferenceGroup(msgspec.Struct, frozen=True):
    """The sharp book's prices of one market of an event."""

    market_type: Name
    period: Whole
    selections: list[SelectionOdds]
    scraped_at: Timestamp


class MarketGroup(msgspec.Struct, frozen=True):
    """One bookmaker's prices of one market of an event."""

    bookmaker: Name
    market_type: Name
    period: Whole
    selections: list[SelectionOdds]
    scraped_at: Timestamp
    url: Link | None


class EventSummary(msgspec.Struct, frozen=True):
    """Counts of what an event detail contains."""

    bookmakers: list[Name]
    market_types: list[Name]
    total_markets: Whole


class EventDetail(msgspec.Struct, frozen=True):
    """An event with every market."""

    match_name: Name
    competition: Name
    sport: Name
    slug: Slug
    match_date: Timestamp | None
    markets: list[MarketGroup]
    reference: list[ReferenceGroup]
    summary: EventSummary
    source_sport: Name | UnsetType = UNSET


class OddsRow(msgspec.Struct, frozen=True):
    """One bookmaker's quote of one market: an odds row."""

    bookmaker: Name
    match_name: Name
    competition: Name
    sport: Name
    market_type: Name
    period: Whole
    is_live: bool
    odds: dict[Name, Odds]
    match_date: Timestamp | None
    scraped_at: Timestamp
    url: Link | None
    liquidity: float | None
    source_sport: Name | UnsetType = UNSET
    offers: dict[Name, Offer] | UnsetType = UNSET
    """By selection, if levels of a book or links to bet slips are known; an addition to the
    contract."""


class Game(msgspec.Struct, frozen=True):
    """A game in the list of games."""

    game_id: Name
    match_name: Name
    competition: Name
    sport: Name
    match_date: Timestamp | None
    is_live: bool
    bookmaker_count: Whole
    last_scraped_at: Timestamp | None
    source_sport: Name | UnsetType = UNSET


class ReferenceCell(msgspec.Struct, frozen=True):
    """The sharp book's price of a selection, with its maximum bet."""

    odds: Odds | None
    liquidity: float | None
    scraped_at: Timestamp | None
    offer: Offer | UnsetType = UNSET
    """Set if the levels of a book are known; an addition to the contract."""


class BookOddsCell(msgspec.Struct, frozen=True):
    """A bookmaker's price of a selection."""

    odds: Odds | None
    scraped_at: Timestamp | None
    url: Link | None
    offer: Offer | UnsetType = UNSET
    """Set if the levels of a book are known; an addition to the contract."""


class MatrixRow(msgspec.Struct, frozen=True):
    """One outcome: the sharp book's price, then every bookmaker's."""

    selection: Name
    reference: ReferenceCell | None
    books: dict[Name, BookOddsCell | None]


class MarketMatrix(msgspec.Struct, frozen=True):
    """One market of a game as a matrix."""

    market_type: Name
    period: Whole
    period_label: Name
    bookmakers: list[Name]
    reference_scraped_at: Timestamp | None
    selections: list[MatrixRow]


class GameMatrix(msgspec.Struct, frozen=True):
    """A game with every market as a matrix of selections and bookmakers."""

    game_id: Name
    match_name: Name
    competition: Name
    sport: Name
    match_date: Timestamp | None
    is_live: bool
    all_bookmakers: list[Name]
    markets: list[MarketMatrix]
    source_sport: Name | UnsetType = UNSET


class PriceChange(msgspec.Struct, frozen=True):
    """A price move: the price is ``odds`` from ``scraped_at`` on; null if no longer offered."""

    bookmaker: Name
    market_type: Name
    period: Whole
    selection: Name
    odds: float | None
    scraped_at: Timestamp
    is_live: bool


class HistoryRow(msgspec.Struct, frozen=True):
    """A price move with its game, in the history of all games."""

    game_id: Name
    match_name: Name
    competition: Name
    sport: Name
    match_date: Timestamp | None
    bookmaker: Name
    market_type: Name
    period: Whole
    selection: Name
    odds: float | None
    scraped_at: Timestamp
    is_live: bool
    source_sport: Name | UnsetType = UNSET


class ValueBet(msgspec.Struct, frozen=True):
    """A value bet: a price above the sharp book's fair odds, by the service's own figures."""

    match_name: Name
    selection: Name
    bookmaker: Name
    market_type: Name
    period: Whole
    odds: Odds
    reference_odds: float
    fair_odds: float
    ev_pct: float
    payout_rate: float
    liquidity: float | None
    competition: Name
    sport: Name
    detected_at: Timestamp
    match_date: Timestamp | None
    source_sport: Name | UnsetType = UNSET


class StreamToken(msgspec.Struct, frozen=True):
    """The answer of the token endpoint; ``expires_in`` in seconds."""

    token: Token
    expires_in: int


class Health(msgspec.Struct, frozen=True):
    """The answer of the health endpoint.

    ``status`` is ``ok``, ``degraded`` (something is wrong, but requests are answered) or
    ``unavailable``. ``database`` is ``ok`` or says what is wrong with it; ``reasons`` has one line
    per problem. ``simulated``: the odds are made up. ``shifted``: they may include old odds with
    shifted times. ``sources`` names the sources of the last hour's odds, if known.
    ``unpriced_reference`` names the sharp book if it has no prices.
    """

    status: str
    version: str
    database: str
    last_scraped_at: Timestamp | None
    simulated: bool = False
    reasons: list[Name] = []
    sources: list[Name] | UnsetType = UNSET
    shifted: bool = False
    unpriced_reference: Name | UnsetType = UNSET


class Readiness(msgspec.Struct, frozen=True):
    """The answer of the readiness endpoint: ``ready``, or ``not ready`` with the reasons."""

    status: str
    reasons: list[Name] = []


class PriceMessage(msgspec.Struct, frozen=True):
    """A stream message: one selection's new odds.

    ``liquidity`` is only in messages about the sharp book, null if unknown.
    """

    bookmaker: Name
    match_name: Name
    competition: Name
    sport: Name
    market_type: Name
    selection: Name
    odds: float
    period: Whole
    is_live: bool
    scraped_at: Timestamp
    liquidity: float | UnsetType | None = UNSET
    source_sport: Name | UnsetType = UNSET
    offer: Offer | UnsetType = UNSET
    """Set if the levels of a book are known; an addition to the contract."""
