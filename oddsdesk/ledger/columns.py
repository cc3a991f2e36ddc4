"""The columns that bets are exported in, and what each says of a bet."""

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import ClosingLine

Value = str | float | int | None
_RECKONED_DECIMALS: Final = 8


class ColumnKind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Milliseconds; written as ISO-8601 in UTC."""
    FLAG = "flag"


class BetColumn(NamedTuple):
    """One column of a table of bets."""

    key: str
    kind: ColumnKind
    value: Callable[[PlacedBet], Value]
    is_read: bool = True
    """Whether it is read back; the others follow from those that are."""

    @property
    def title(self) -> str:
        """What stands above it for people."""
        return self.key.replace("_pct", " %").replace("_", " ").capitalize()

    def written(self, bet: PlacedBet) -> Value:
        """Return what it says of a bet: times as texts, figures in full."""
        value = self.value(bet)
        if self.kind is ColumnKind.TIME and value is not None:
            return format_ms(int(value))
        return value


def _text(key: str, value: Callable[[PlacedBet], str] | None = None) -> BetColumn:
    return BetColumn(key, ColumnKind.TEXT, value or (lambda bet: getattr(bet, key)))


def _number(key: str, value: Callable[[PlacedBet], Value] | None = None) -> BetColumn:
    return BetColumn(key, ColumnKind.NUMBER, value or (lambda bet: getattr(bet, key)))


def _time(key: str, value: Callable[[PlacedBet], Value] | None = None) -> BetColumn:
    return BetColumn(key, ColumnKind.TIME, value or (lambda bet: getattr(bet, key)))


def _of_close(key: str, make: Callable[..., BetColumn], field: str) -> BetColumn:
    empty = "" if make is _text else None
    return make(key, lambda bet: empty if bet.close is None else getattr(bet.close, field))


def _reckoned(key: str, value: Callable[[PlacedBet], float | None]) -> BetColumn:
    """Return a column of figures without the dust of floats: 71.25, not 71.24999999999999."""

    def rounded(bet: PlacedBet) -> float | None:
        found = value(bet)
        return None if found is None else round(found, _RECKONED_DECIMALS)

    return BetColumn(key, ColumnKind.NUMBER, rounded, is_read=False)


def _line_text(close: ClosingLine) -> str:
    return " ".join(f"{odds:.10g}" for odds in close.line)


COLUMNS: Final = (
    BetColumn("bet", ColumnKind.NUMBER, lambda bet: bet.ident, is_read=False),
    _time("placed_at"),
    _time("kick_off"),
    _text("sport"),
    _text("competition"),
    _text("match_name"),
    _text("market_type"),
    _number("period"),
    _text("selection"),
    _text("bookmaker"),
    _text("account"),
    _number("odds"),
    _number("net_odds"),
    _number("stake"),
    _text("currency"),
    _number("fair_odds"),
    _number("ev_pct", lambda bet: bet.true_ev),
    _text("per"),
    _text("method"),
    _text("reference"),
    _text("preset"),
    BetColumn("practice", ColumnKind.FLAG, lambda bet: bet.practice),
    _text("cautions", lambda bet: " ".join(bet.cautions)),
    _text("result", lambda bet: "open" if bet.result is None else bet.result.value),
    _time("settled_at"),
    _number("cashed_stake"),
    _number("cashed_back"),
    _reckoned("profit", lambda bet: bet.profit),
    _of_close("close_odds", _number, "odds"),
    _of_close("close_fair_odds", _number, "fair_odds"),
    _of_close("close_method", _text, "method"),
    _of_close("close_reference", _text, "reference"),
    _of_close("close_decided", _number, "decided"),
    _text("close_line", lambda bet: "" if bet.close is None else _line_text(bet.close)),
    _of_close("close_at", _time, "at"),
    _of_close("no_close", _text, "why"),
    _of_close("moved_to", _text, "moved_to"),
    _of_close("moved_fair_odds", _number, "moved_fair_odds"),
    _reckoned("clv_pct", lambda bet: bet.clv_pct),
    BetColumn("clv_per", ColumnKind.TEXT, lambda bet: bet.clv_per, is_read=False),
    _text("note"),
    _number("age_ms"),
    _text("game_id"),
)
"""In the order in which they are exported."""


def close_of(
    odds: float | None,
    fair_odds: float | None,
    method: str,
    at: int | None,
    why: str,
    moved_to: str,
    moved_fair_odds: float | None,
    reference: str,
    decided: float | None,
    line: str,
) -> ClosingLine | None:
    """Return the closing line that columns tell of, None where they tell of none.

    Raises:
        ValueError: ``line`` is no list of odds.
    """
    if fair_odds is None and not why:
        return None
    prices = tuple(map(float, line.split()))
    return ClosingLine(
        *(odds, fair_odds, method, at, why, moved_to, moved_fair_odds),
        *(reference, decided, prices),
    )
