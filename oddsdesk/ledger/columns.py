"""The columns that bets are exported in, and how each is read back."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.results import Result

Value = str | float | int | None


class ColumnKind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Milliseconds; written as ISO-8601 in UTC."""


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
    return BetColumn(key, ColumnKind.NUMBER, value, is_read=False)


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
    _text("cautions", lambda bet: " ".join(bet.cautions)),
    _text("result", lambda bet: "open" if bet.result is None else bet.result.value),
    _time("settled_at"),
    _number("cashed_stake"),
    _number("cashed_back"),
    _reckoned("profit", lambda bet: bet.profit),
    _of_close("close_odds", _number, "odds"),
    _of_close("close_fair_odds", _number, "fair_odds"),
    _of_close("close_method", _text, "method"),
    _of_close("close_at", _time, "at"),
    _of_close("no_close", _text, "why"),
    _of_close("moved_to", _text, "moved_to"),
    _of_close("moved_fair_odds", _number, "moved_fair_odds"),
    _reckoned("clv_pct", lambda bet: bet.clv_pct),
    _text("note"),
    _number("age_ms"),
    _text("game_id"),
)
"""In the order in which they are exported."""
RESULT_WORDS: Final[dict[str, Result | None]] = {
    **dict.fromkeys(("", "open", "pending", "placed", "o"), None),
    **dict.fromkeys(("won", "win", "w", "settledwin"), Result.WON),
    **dict.fromkeys(("lost", "loss", "lose", "l", "settledloss"), Result.LOST),
    **dict.fromkeys(
        ("void", "push", "p", "refund", "refunded", "cancelled", "settledpush", "settledvoid"),
        Result.VOID,
    ),
    **dict.fromkeys(("halfwon", "halfwin", "hw"), Result.HALF_WON),
    **dict.fromkeys(("halflost", "halfloss", "hl"), Result.HALF_LOST),
    **dict.fromkeys(("cashedout", "cashout", "cashed"), Result.CASHED_OUT),
}
"""What trackers call results, folded."""


_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+", re.ASCII)


_TOO_MUCH: Final = 1e12


_EXCEL_DAYS: Final = re.compile(r"[3-6][0-9]{4}(\.[0-9]+)?")
"""What a workbook holds where it shows a date: days, 1982 to 2091."""
_EXCEL_EPOCH_DAYS: Final = 25_569
"""1970 as Excel counts."""
_DAY_MS: Final = 86_400_000


class CellError(ValueError):
    """A cell that makes no sense; says what was expected."""


def fold(text: str) -> str:
    """Return a title or word without case, blanks and punctuation; ``%`` is ``pct``."""
    return "".join(letter for letter in text.replace("%", "pct").casefold() if letter.isalnum())


def read_result(text: str, words: Mapping[str, Result | None] = RESULT_WORDS) -> Result | None:
    """Return the result that a word names, None for an open bet; ``words`` are folded.

    Raises:
        CellError: it names none.
    """
    try:
        return words[fold(text)]
    except KeyError:
        known = "won, lost, void, half won, half lost, cashed out or open"
        raise CellError(f"result {text!r}: expected {known}") from None


def read_number(key: str, text: str) -> float:
    """Return a number; a currency's sign before it and thousands' commas may be there.

    A comma before three digits divides thousands, any other stands for the point.

    Raises:
        CellError: it is none, or not finite.
    """
    plain = text.strip("$€£ ")
    try:
        number = float(plain.replace(",", "") if _THOUSANDS.fullmatch(plain) else pointed(plain))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CellError(f"{key} {text!r}: expected a number such as 12.50")
    return number


def read_stake(text: str) -> float:
    """Return an amount above 0 that somebody typed, as ``read_number`` reads it.

    Raises:
        CellError: it is none.
    """
    try:
        stake = read_number("stake", text)
    except CellError:
        stake = math.nan
    if not 0 < stake < _TOO_MUCH:
        raise CellError("expected an amount above 0, such as 12.50")
    return stake


def pointed(text: str) -> str:
    """Return a number that is written with a comma as one with a point; others as they are."""
    return text.replace(".", "").replace(",", ".") if _COMMA.fullmatch(text) else text


def read_time(key: str, text: str) -> int:
    """Return a time in milliseconds; one without an offset is taken as UTC, as are Excel's days.

    Raises:
        CellError: it is no ISO-8601 time or date.
    """
    if _EXCEL_DAYS.fullmatch(text):
        return round((float(text) - _EXCEL_EPOCH_DAYS) * _DAY_MS)
    try:
        return parse_ms(text)
    except ValueError:
        pass
    try:
        return parse_ms(f"{datetime.fromisoformat(text).replace(tzinfo=None).isoformat()}Z")
    except ValueError:
        raise CellError(f"{key} {text!r}: expected a time such as 2026-04-16T18:30:00Z") from None


def close_of(
    odds: float | None,
    fair_odds: float | None,
    method: str,
    at: int | None,
    why: str,
    moved_to: str,
    moved_fair_odds: float | None,
) -> ClosingLine | None:
    """Return the closing line that columns tell of, None where they tell of none."""
    if fair_odds is None and not why:
        return None
    return ClosingLine(odds, fair_odds, method, at, why, moved_to, moved_fair_odds)
