"""Lists of bets of other programs: their column titles and their words.

A list is recognised by its titles. These programs' columns are documented or known from several
exports:

- **Pikkit** ``transactions.csv``: ``bet_id, sportsbook, type, status, odds, closing_line, ev,
  amount, profit, time_placed_iso, time_settled_iso, bet_info, tags, sports, leagues``;
- **Bet-Analytix**: ``Date;Type;Sport;Label;Odds;Stake;State;Bookmaker;Tipster;Category;
  Competition;BetType;Closing;...;Comment``, with the selections of a combined bet below it;
- **OddsJam** bet tracker: ``created_at, sportsbook, event_name, bet_name, market_name, odds,
  stake, bet_profit, status, ...``, odds American.

All others are plain lists, with titles such as ``Date, Sport, Selection, Stake, Odds, Result``
(``ledger.columns``).
"""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from oddsdesk.base.text import safe_text
from oddsdesk.base.texts import _
from oddsdesk.contract.times import format_minute, format_ms
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg, paid_by_legs
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.columns import TitleMeanings, folded_title, meanings_of
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.formats import AMERICAN, DECIMAL
from oddsdesk.pricing.selections import Result

Value = str | float | int | None
_RECKONED_DECIMALS: Final = 8


class ColumnKind(Enum):
    """The type of a column's values."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Milliseconds; written as ISO-8601 in UTC."""
    FLAG = "flag"


_TITLES: Final = {"net_ev_pct": "Net EV %", "ev_pct": "EV % after safety margin"}


class BetColumn(NamedTuple):
    """One column of a table of bets."""

    key: str
    kind: ColumnKind
    value: Callable[[PlacedBet], Value]
    is_read: bool = True
    """Whether it is read on import; other columns are derived."""

    @property
    def column_title(self) -> str:
        """The title that people see."""
        if (title := _TITLES.get(self.key)) is not None:
            return title
        return self.key.replace("_pct", " %").replace("_", " ").capitalize()

    def written(self, bet: PlacedBet) -> Value:
        """Return a bet's value: times as texts, figures in full."""
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
    """Return a column of rounded figures: 71.25, not 71.24999999999999."""

    def rounded(bet: PlacedBet) -> float | None:
        found = value(bet)
        return None if found is None else round(found, _RECKONED_DECIMALS)

    return BetColumn(key, ColumnKind.NUMBER, rounded, is_read=False)


def _line_text(close: ClosingLine) -> str:
    return " ".join(f"{odds:.10g}" for odds in close.line)


BET_COLUMNS: Final = (
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
    _text("kind", lambda bet: bet.kind.value),
    _number("odds"),
    _number("net_odds"),
    _number("stake"),
    _reckoned("liability", lambda bet: bet.liability),
    _number("unboosted_odds"),
    _number("refund", lambda bet: bet.refund or None),
    _text("refund_as"),
    _number("place_fraction"),
    _number("places"),
    _text("legs", lambda bet: legs_text(bet.legs)),
    _text("currency"),
    _number("fair_odds"),
    _reckoned("net_ev_pct", lambda bet: bet.ev),
    _number("ev_pct", lambda bet: bet.true_ev),
    _text("per"),
    _text("method"),
    _text("reference"),
    _text("derived"),
    _text("preset"),
    BetColumn("practice", ColumnKind.FLAG, lambda bet: bet.practice),
    _text("cautions", lambda bet: " ".join(bet.cautions)),
    _text("result", lambda bet: "open" if bet.result is None else bet.result.value),
    _time("settled_at"),
    _text("settled_by"),
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
    _text("source_id"),
)
"""The columns in the order of exports."""


def legs_text(legs: Sequence[BetLeg]) -> str:
    """Return the legs of a multiple as a JSON text; empty without legs."""
    return msgspec.json.encode(legs).decode() if legs else ""


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
    """Return the closing line in the columns, None if there is none.

    Raises:
        ValueError: ``line`` is not a list of odds.
    """
    if fair_odds is None and not why:
        return None
    prices = tuple(map(float, line.split()))
    return ClosingLine(
        *(odds, fair_odds, method, at, why, moved_to, moved_fair_odds),
        *(reference, decided, prices),
    )


NO_WORDS: Final[Mapping[str, Result | None]] = MappingProxyType({})
EV_SHARE: Final = "ev"
_OWN: Final = {
    folded_title(title): column.key
    for column in BET_COLUMNS
    for title in (column.key, column.column_title)
}


class Tracker(NamedTuple):
    """A program whose lists are known."""

    name: str
    signs: frozenset[str]
    """Folded titles that all its lists have."""
    keys: Mapping[str, str]
    """What titles mean only in its lists."""
    words: Mapping[str, Result | None] = NO_WORDS
    """What result words mean only in its lists."""
    odds: str | None = None
    """Its odds format; None if the cells must decide."""
    has_legs: bool = False
    """Whether a line without date and stake is a leg of the bet above."""


BET_ANALYTIX_TITLES: Final = (
    *("Date", "Type", "Sport", "Label", "Odds", "Stake", "State", "Bookmaker", "Tipster"),
    *("Category", "Competition", "BetType", "Closing", "EstimatedProbability", "Commission"),
    *("Bonus", "Live", "Freebet", "Cashout", "Eachway", "Comment"),
)
BET_ANALYTIX_WORDS: Final[Mapping[str, Result | None]] = {
    "p": None,
    "w": Result.WON,
    "l": Result.LOST,
    "v": Result.VOID,
    "hw": Result.HALF_WON,
    "hl": Result.HALF_LOST,
}
"""Here P is a pending bet, elsewhere a push."""
OURS: Final = Tracker(
    "", frozenset({"placedat", "netodds", "closefairodds", "agems"}), {}, odds=DECIMAL
)
TRACKERS: Final = (
    OURS,
    Tracker("Pikkit", frozenset({"sportsbook", "betinfo", "amount", "status"}), {"ev": EV_SHARE}),
    Tracker(
        "Bet-Analytix",
        frozenset({"date", "label", "odds", "stake", "state", "bookmaker"}),
        {"label": "selection", "bettype": "market_type"},
        BET_ANALYTIX_WORDS,
        has_legs=True,
    ),
    Tracker(
        "OddsJam",
        frozenset({"sportsbook", "eventname", "betname", "marketname", "betprofit"}),
        {"betprofit": "profit", "gameid": "?game_id"},
        odds=AMERICAN,
    ),
)
"""Our own lists first."""
PLAIN: Final = Tracker("", frozenset(), {})


def tracker_of(titles: Sequence[str]) -> Tracker:
    """Return the program whose list has these titles; ``PLAIN`` if unknown."""
    folded = set(map(folded_title, titles))
    return next((each for each in TRACKERS if each.signs <= folded), PLAIN)


def titles_of(titles: Sequence[str], tracker: Tracker, columns: Mapping[str, str]) -> TitleMeanings:
    """Return what titles mean; ``columns`` are the titles by key that the user chose.

    Raises:
        ListUnclearError: a chosen title is not in the list.
    """
    return meanings_of(titles, _OWN, tracker.keys, columns)


def write_csv(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as UTF-8 CSV that is safe to open in a spreadsheet."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([column.key for column in BET_COLUMNS])
    for bet in bets:
        values = (column.written(bet) for column in BET_COLUMNS)
        writer.writerow([safe_text(each) if isinstance(each, str) else each for each in values])
    text.detach()


def write_json(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as a JSON array of objects with column names as keys."""
    file.write(json.dumps([bet_fields(bet) for bet in bets], indent=2).encode() + b"\n")


class ForBetAnalytix(NamedTuple):
    """The result of an export for Bet-Analytix."""

    written: int
    changed: list[str]
    """One line each: what Bet-Analytix has no place for, and what was done instead."""


def write_bet_analytix(bets: Iterable[PlacedBet], file: BinaryIO) -> ForBetAnalytix:
    """Write bets in Bet-Analytix's import format, times in UTC.

    It cannot represent cash-outs and would count practice bets, so both are left out. Odds are
    after commission, so that profits are the same there. It has no lays, refunds and place terms:
    a lay is written as a back of the other side, and an each-way bet as its two parts.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(BET_ANALYTIX_TITLES)
    left_out, written = 0, list[PlacedBet]()
    held = list(bets)
    of_money = list(counted(held))
    for bet in of_money:
        rows = _for_bet_analytix(bet)
        if not rows:
            left_out += 1
            continue
        for row in rows:
            writer.writerow([safe_text(str(row.get(title, ""))) for title in BET_ANALYTIX_TITLES])
        written.append(bet)
    text.detach()
    return ForBetAnalytix(len(written), [*_changed(written, left_out, len(held) - len(of_money))])


def _changed(written: Iterable[PlacedBet], left_out: int, practice: int) -> Iterable[str]:
    if practice:
        yield _("practice bets left out: {count}").format(count=practice)
    if left_out:
        yield _("cashed-out and refunded bets left out: {count}").format(count=left_out)
    kinds = Counter(bet.kind for bet in written)
    if lays := kinds[BetKind.LAY]:
        yield _(
            "lays written as backs of the other side, with the liability as the stake: {count}"
        ).format(count=lays)
    if each_way := kinds[BetKind.EACH_WAY]:
        yield _("each-way bets written as two bets, win and place: {count}").format(count=each_way)
    if charged := sum(map(_is_charged, written)):
        yield _("odds after commission or tax (odds taken are in the comment): {count}").format(
            count=charged
        )
    currencies = Counter(bet.currency for bet in written)
    if set(currencies) <= {""}:
        return
    named = ", ".join(f"{count} {name or _('no currency')}" for name, count in currencies.items())
    if len(currencies) > 1:
        yield _(
            "currencies are only in the comment, and Bet-Analytix adds them up: {currencies}"
        ).format(currencies=named)
    else:
        yield _("the currency is only in the comment: {currency}").format(currency=named)


def _is_charged(bet: PlacedBet) -> bool:
    return bet.kind is not BetKind.LAY and not math.isclose(bet.net, bet.odds)


_Row = dict[str, str | float]
_WORDS: Final = {result: word.upper() for word, result in BET_ANALYTIX_WORDS.items()}


def _for_bet_analytix(bet: PlacedBet) -> list[_Row]:
    """Return the lines of a bet; none if they would have another profit than the bet."""
    is_refunded = bet.kind is BetKind.REFUND and bet.refund_as == "money"
    if bet.cashed_stake or bet.result is Result.CASHED_OUT:
        return []
    if is_refunded and bet.result in (Result.LOST, Result.HALF_LOST):
        return []
    if bet.kind is BetKind.EACH_WAY:
        return [_part_row(bet, part) for part in ("win", "place")]
    row = _bet_row(bet)
    match bet.kind:
        case BetKind.LAY:
            row |= {"Label": f"Lay {row['Label']}", "Odds": round(bet.net, 6)}
            row |= {"Stake": round(bet.size, 6), "Commission": 0}
            row["Comment"] = "; ".join(
                filter(None, (f"lay of {bet.stake:g} at {bet.odds:g}", str(row["Comment"])))
            )
        case BetKind.FREE_RETURNED:  # there a free bet pays its winnings only
            row |= {"Odds": round(bet.net + 1, 6), "Commission": 0}
    if bet.kind.is_free:
        row["Freebet"] = "Yes"
    if not bet.legs:
        return [row]
    if bet.result is not None and bet.result is not Result.LOST:
        row["Odds"] = round(paid_by_legs(float(row["Odds"]), bet.legs, bet.result), 6)
    return [row | {"Type": "Combined"}, *map(_leg_row, bet.legs)]


def _bet_row(bet: PlacedBet) -> _Row:
    close = None if bet.close is None or bet.kind is BetKind.LAY else bet.close.odds
    is_charged = _is_charged(bet)
    taken = f"taken at {bet.odds}" if is_charged else ""
    return {
        "Date": format_minute(bet.placed_at),
        "Type": "Simple",
        "Sport": bet.sport,
        "Label": " · ".join(filter(None, (bet.selection, bet.match_name))),
        "Odds": round(bet.net, 6) if is_charged else bet.odds,
        "Stake": bet.stake,
        "State": _WORDS.get(bet.result, ""),
        "Bookmaker": bet.bookmaker,
        "Competition": bet.competition,
        "BetType": bet.market_type,
        "Closing": "" if close is None else close,
        "Commission": 0 if is_charged else "",
        "Comment": "; ".join(filter(None, (bet.note, taken, bet.currency))),
    }


def _part_row(bet: PlacedBet, part: str) -> _Row:
    """Return the win or the place half of an each-way bet."""
    row, odds, result = _bet_row(bet), bet.net, bet.result
    if part == "place":
        odds = 1 + (odds - 1) * (bet.place_fraction or 0.0)
    if result is Result.PLACED:
        result = Result.WON if part == "place" else Result.LOST
    return row | {
        "Label": f"{row['Label']} ({part})",
        "Odds": round(odds, 6),
        "Stake": bet.stake / 2,
        "State": _WORDS[result],
    }


def _leg_row(leg: BetLeg) -> _Row:
    return {
        "Sport": leg.sport,
        "Label": " · ".join(filter(None, (leg.selection, leg.match_name))),
        "Odds": round(leg.odds, 6),
        "State": _WORDS.get(leg.result, ""),
        "Competition": leg.competition,
        "BetType": leg.market_type,
    }


def bet_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet as a dictionary by column; its legs are a list of dictionaries.

    ``staked`` and ``free_staked`` are what reports count.
    """
    fields: dict[str, Any] = {column.key: column.written(bet) for column in BET_COLUMNS}
    staked = {
        "staked": round(bet.staked, _RECKONED_DECIMALS),
        "free_staked": round(bet.free_staked, _RECKONED_DECIMALS),
    }
    return fields | staked | {"legs": msgspec.to_builtins(bet.legs)}
