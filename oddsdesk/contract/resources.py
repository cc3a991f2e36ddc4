"""Every resource of the contract as a struct, field for field.

Timestamps are D2 texts (``contract.times`` turns them into milliseconds). Fields that
an answer may leave out are ``UNSET`` then. How long names are at most is checked where
answers are read (D85).
"""

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.contract.names import Link, Name, Odds, Slug, Token, Whole

Timestamp = Name
T = TypeVar("T")


class Meta(msgspec.Struct, frozen=True):
    """What stands beside the data: requests left, items counted, where to go on (D14)."""

    rate_limit_remaining: int
    count: int | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET
    simulated: bool | UnsetType = UNSET
    """Of a moment of the past: whether some of these games were simulated."""
    mixed: bool | UnsetType = UNSET
    """Whether others of them were not."""
    shifted: bool | UnsetType = UNSET
    """Whether there may be old ones among them whose times were moved."""
    silences: list[list[str]] | UnsetType = UNSET
    """Of the history of prices: since and until when none of any game was recorded, by time."""


Level = tuple[float, float]
"""Decimal odds, and how much money is for sale at them: the stake that a backer can place."""


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bookmaker says of one selection besides its price.

    ``sid`` is its own name of the selection, ``bet_limit`` the most it takes, ``link`` its bet
    slip. ``back`` is what can be backed, the highest odds first; ``lay`` what can be laid, the
    lowest odds first, in backers' stakes. Both are before fees, in ``currency`` (ISO 4217).
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
    """An event as the list shows it."""

    slug: Slug
    match_name: Name
    competition: Name
    sport: Name
    match_date: Timestamp | None
    is_live: bool
    bookmaker_count: Whole
    source_sport: Name | UnsetType = UNSET
    """What is played, where the contract's table says ``Other``; the same in all answers."""


class SelectionOdds(msgspec.Struct, frozen=True):
    """One outcome and its decimal odds."""

    selection: Name
    odds: Odds


class ReferenceGroup(msgspec.Struct, frozen=True):
    """The reference bookmaker's prices of one market of an event."""

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
    """What an event detail holds, counted (D33)."""

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
    """One bookmaker's quote of one market: the odds row of the contract."""

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
    """By selection, where the levels of a book are known; an addition to the contract."""


class Game(msgspec.Struct, frozen=True):
    """A game as the list shows it."""

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
    """The reference bookmaker's price of a selection, with its maximum bet."""

    odds: Odds | None
    liquidity: float | None
    scraped_at: Timestamp | None
    offer: Offer | UnsetType = UNSET
    """Where the levels of a book are known; an addition to the contract."""


class BookOddsCell(msgspec.Struct, frozen=True):
    """A bookmaker's price of a selection."""

    odds: Odds | None
    scraped_at: Timestamp | None
    url: Link | None
    offer: Offer | UnsetType = UNSET
    """Where the levels of a book are known; an addition to the contract."""


class MatrixRow(msgspec.Struct, frozen=True):
    """One outcome: the reference apart, then every bookmaker of the market."""

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
    """A game with every market as selections by bookmakers."""

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
    """One move of a price: from ``scraped_at`` on it is ``odds``; null where withdrawn (D75)."""

    bookmaker: Name
    market_type: Name
    period: Whole
    selection: Name
    odds: float | None
    scraped_at: Timestamp
    is_live: bool


class ValueBet(msgspec.Struct, frozen=True):
    """A price that is better than fair, as the service says."""

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
    """What the token endpoint answers; ``expires_in`` in seconds."""

    token: Token
    expires_in: int


class Health(msgspec.Struct, frozen=True):
    """What the health endpoint answers (D15, D82).

    ``status`` is ``ok``, ``degraded`` where something is wrong but requests are answered, or
    ``unavailable``; ``database`` is ``ok`` or what is wrong with it, and ``reasons`` says what is
    wrong, a line each. ``simulated`` says that odds are made up, ``shifted`` that there may be old
    ones among them whose times were moved to now; ``sources`` names those of the last hour's odds,
    where any are known (D66); ``unpriced_reference`` the reference where no price of it is here.
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
    """What the readiness endpoint answers: ``ready``, or ``not ready`` with the reasons (D82)."""

    status: str
    reasons: list[Name] = []


class PriceMessage(msgspec.Struct, frozen=True):
    """A stream message: one selection's new odds.

    ``liquidity`` stands on the reference bookmaker's messages only, null if unknown (D41).
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
    """Where the levels of a book are known; an addition to the contract."""
