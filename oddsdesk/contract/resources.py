"""Every resource of the contract as a struct, field for field.

Timestamps are D2 texts (``contract.times`` turns them into milliseconds). Fields that
an answer may leave out are ``UNSET`` then.
"""

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

Timestamp = str
T = TypeVar("T")


class Meta(msgspec.Struct, frozen=True):
    """What stands beside the data: requests left, items counted, where to go on (D14)."""

    rate_limit_remaining: int
    count: int | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class Answer(msgspec.Struct, Generic[T], frozen=True):
    """The response envelope."""

    data: T
    meta: Meta


class Sport(msgspec.Struct, frozen=True):
    """A sport with its active competitions."""

    name: str
    competition_codes: list[str]
    event_count: int


class Bookmaker(msgspec.Struct, frozen=True):
    """A bookmaker scraped within the last 10 minutes."""

    name: str
    odds_count: int
    has_live: bool
    last_scraped_at: Timestamp


class Event(msgspec.Struct, frozen=True):
    """An event as the list shows it."""

    slug: str
    match_name: str
    competition: str
    sport: str
    match_date: Timestamp | None
    is_live: bool
    bookmaker_count: int


class SelectionOdds(msgspec.Struct, frozen=True):
    """One outcome and its decimal odds."""

    selection: str
    odds: float


class ReferenceGroup(msgspec.Struct, frozen=True):
    """The reference bookmaker's prices of one market of an event."""

    market_type: str
    period: int
    selections: list[SelectionOdds]
    scraped_at: Timestamp


class MarketGroup(msgspec.Struct, frozen=True):
    """One bookmaker's prices of one market of an event."""

    bookmaker: str
    market_type: str
    period: int
    selections: list[SelectionOdds]
    scraped_at: Timestamp
    url: str | None


class EventSummary(msgspec.Struct, frozen=True):
    """What an event detail holds, counted (D33)."""

    bookmakers: list[str]
    market_types: list[str]
    total_markets: int


class EventDetail(msgspec.Struct, frozen=True):
    """An event with every market."""

    match_name: str
    competition: str
    sport: str
    slug: str
    match_date: Timestamp | None
    markets: list[MarketGroup]
    reference: list[ReferenceGroup]
    summary: EventSummary


class OddsRow(msgspec.Struct, frozen=True):
    """One bookmaker's quote of one market: the odds row of the contract."""

    bookmaker: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    is_live: bool
    odds: dict[str, float]
    match_date: Timestamp | None
    scraped_at: Timestamp
    url: str | None
    liquidity: float | None


class Game(msgspec.Struct, frozen=True):
    """A game as the list shows it."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: Timestamp | None
    is_live: bool
    bookmaker_count: int
    last_scraped_at: Timestamp | None


class ReferenceCell(msgspec.Struct, frozen=True):
    """The reference bookmaker's price of a selection, with its maximum bet."""

    odds: float | None
    liquidity: float | None
    scraped_at: Timestamp | None


class BookOddsCell(msgspec.Struct, frozen=True):
    """A bookmaker's price of a selection."""

    odds: float | None
    scraped_at: Timestamp | None
    url: str | None


class MatrixRow(msgspec.Struct, frozen=True):
    """One outcome: the reference apart, then every bookmaker of the market."""

    selection: str
    reference: ReferenceCell | None
    books: dict[str, BookOddsCell | None]


class MarketMatrix(msgspec.Struct, frozen=True):
    """One market of a game as a matrix."""

    market_type: str
    period: int
    period_label: str
    bookmakers: list[str]
    reference_scraped_at: Timestamp | None
    selections: list[MatrixRow]


class GameMatrix(msgspec.Struct, frozen=True):
    """A game with every market as selections by bookmakers."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: Timestamp | None
    is_live: bool
    all_bookmakers: list[str]
    markets: list[MarketMatrix]


class ValueBet(msgspec.Struct, frozen=True):
    """A price that is better than fair, as the service says."""

    match_name: str
    selection: str
    bookmaker: str
    market_type: str
    period: int
    odds: float
    reference_odds: float
    fair_odds: float
    ev_pct: float
    payout_rate: float
    liquidity: float | None
    competition: str
    sport: str
    detected_at: Timestamp
    match_date: Timestamp | None


class StreamToken(msgspec.Struct, frozen=True):
    """What the token endpoint answers; ``expires_in`` in seconds."""

    token: str
    expires_in: int


class Health(msgspec.Struct, frozen=True):
    """What the health endpoint answers (D15); ``simulated`` says that odds are made up."""

    status: str
    version: str
    database: str
    last_scraped_at: Timestamp | None
    simulated: bool = False


class PriceMessage(msgspec.Struct, frozen=True):
    """A stream message: one selection's new odds.

    ``liquidity`` stands on the reference bookmaker's messages only, null if unknown (D41).
    """

    bookmaker: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    selection: str
    odds: float
    period: int
    is_live: bool
    scraped_at: Timestamp
    liquidity: float | UnsetType | None = UNSET
