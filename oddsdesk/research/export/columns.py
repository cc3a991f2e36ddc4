"""What the columns of exports hold, in words and as types."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

from oddsdesk.ledger.columns import COLUMNS as BET_COLUMNS
from oddsdesk.ledger.columns import ColumnKind


class Kind(StrEnum):
    """What the values of a column are."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    TIME = "time"
    """Milliseconds in Python; a timestamp in UTC in Parquet, else ISO-8601."""
    ODDS = "odds"
    """Selection to decimal odds: a map in Parquet, an object in JSON, which is a text in CSV."""


class Column(NamedTuple):
    """One column, always in this place."""

    name: str
    kind: Kind
    meaning: str


Row = tuple[Any, ...]
_GAME: Final = (
    Column("game_id", Kind.TEXT, "the game; the same for ever for a competition and a name"),
    Column("match_name", Kind.TEXT, "the teams as stored"),
    Column("competition", Kind.TEXT, "the competition's code"),
    Column("sport", Kind.TEXT, "what is played, as the source says; `Other` where nobody told"),
    Column("match_date", Kind.TIME, "the kick-off, as known now; null if unknown"),
)
_MARKET: Final = (
    Column("bookmaker", Kind.TEXT, "who quotes"),
    Column("market_type", Kind.TEXT, "such as moneyline, spread, total"),
    Column("period", Kind.INTEGER, "0 full time or game, 1 first half, quarter or set, ..."),
)
_IS_LIVE: Final = Column("is_live", Kind.BOOLEAN, "whether the price is in play")
_SCRAPED_AT: Final = Column("scraped_at", Kind.TIME, "when the price was read at the bookmaker")

CHANGES: Final = (
    Column("seq", Kind.INTEGER, "the number of the row in the log, growing"),
    Column("recorded_at", Kind.TIME, "when the row was written"),
    _SCRAPED_AT,
    *_GAME,
    *_MARKET,
    Column("selection", Kind.TEXT, "the outcome"),
    Column("odds", Kind.NUMBER, "decimal odds from then on; null: withdrawn"),
    _IS_LIVE,
)
"""One row a move of a price, in the order of the log."""

QUOTES: Final = (
    *_MARKET[:1],
    *_GAME[1:4],
    *_MARKET[1:],
    _IS_LIVE,
    Column("odds", Kind.ODDS, "decimal odds by selection; empty: withdrawn"),
    _GAME[4],
    _SCRAPED_AT,
    Column("liquidity", Kind.NUMBER, "the bookmaker's maximum bet, null if unknown"),
)
"""One row each time a market of a bookmaker changed: what ``oddsdesk ingest`` reads."""

_OF_BETS: Final = {
    ColumnKind.TEXT: Kind.TEXT,
    ColumnKind.NUMBER: Kind.NUMBER,
    ColumnKind.TIME: Kind.TIME,
    ColumnKind.FLAG: Kind.BOOLEAN,
}
_WHOLE: Final = frozenset({"bet", "period", "age_ms"})
_OF_BET: Final = {
    "bet": "its number in the ledger",
    "placed_at": "when it was recorded as placed",
    "kick_off": "when the game begins",
    "odds": "decimal odds as they were taken",
    "net_odds": "these after the bookmaker's commission",
    "fair_odds": "the fair odds when it was placed",
    "ev_pct": "the edge by net odds then, in percent",
    "per": "of what unit that edge is: staked, or decided where pushes were not known",
    "method": "how the reference's margin was taken out",
    "practice": "whether it was placed at a simulated price: no money is on it",
    "cautions": "what spoke against the price, separated by blanks",
    "result": "open, won, lost, void, half_won, half_lost or cashed_out",
    "profit": "what it brought; null while it is open",
    "close_odds": "the reference's last odds before kick-off",
    "close_fair_odds": "the fair odds of the closing line",
    "no_close": "why there is no closing line",
    "moved_to": "where the line moved to, where it moved",
    "close_reference": "whose closing line it is",
    "close_decided": "the share of the stake decided on average, by the close; null if not known",
    "close_line": "the gross odds of all sides of the closing line, with blanks between",
    "clv_pct": "what the bet was worth by the closing line, in percent",
    "clv_per": "of what unit that is: staked, or decided where pushes were not known",
    "age_ms": "how old the price was, in milliseconds",
}
BETS: Final = tuple(
    Column(
        column.key,
        Kind.INTEGER if column.key in _WHOLE else _OF_BETS[column.kind],
        _OF_BET.get(column.key, column.title.lower()),
    )
    for column in BET_COLUMNS
)
"""One row a bet of the ledger, by the time it was placed."""

EXPORTS: Final = {"changes": CHANGES, "quotes": QUOTES, "bets": BETS}


def described(sources: list[str]) -> dict[str, Any]:
    """Return what ``schema.json`` says: every export's columns, and whose prices there are."""
    return {
        "made_by": "oddsdesk",
        "times": "UTC; milliseconds",
        "sources": sources,
        "exports": {
            name: [
                {"name": column.name, "type": column.kind.value, "meaning": column.meaning}
                for column in columns
            ]
            for name, columns in EXPORTS.items()
        },
    }
