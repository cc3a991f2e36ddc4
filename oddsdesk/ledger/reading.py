"""Imports bets from files: our own tables, those of other trackers, and plain lists.

Column titles identify a file (``ledger.bet_tables``). The odds format is decided by the title, the
tracker or the cells; if none of them decides, the user is asked. The decimal sign and the order of
day and month are decided by all cells of a file together (``base.figures``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.figures import (
    SIGNS,
    FigureError,
    Habit,
    days_of,
    decimals_of,
    read_amount,
    read_number,
    read_time,
    sign_of,
)
from oddsdesk.base.spreadsheets import SheetError, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import market_named
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.ledger.bet_tables import (
    BET_COLUMNS,
    DATE,
    EV_SHARE,
    ODDS_KEYS,
    OURS,
    PLAIN,
    TIPSTER,
    ColumnKind,
    Tracker,
    close_of,
    keys_of,
    tracker_of,
)
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, check_half
from oddsdesk.ledger.cells import (
    CENT,
    COMMISSION_KEYS,
    NO,
    PERCENT_SIGN,
    RESULT_WORDS,
    YES,
    BetLine,
    Commissions,
    bet_kinds_of,
    commission_key,
    commissions_of,
    folded_title,
    read_commission,
    read_result,
)
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.formats import AMERICAN, DECIMAL, FRACTIONAL, OddsFormatError, parse_odds
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result, decided_share

_NEEDED: Final = ("selection", "stake")
_KINDS: Final = {column.key: column.kind for column in BET_COLUMNS}
_READ: Final = frozenset(column.key for column in BET_COLUMNS if column.is_read) - {"odds"}
_OTHERS: Final = {EV_SHARE, TIPSTER, *COMMISSION_KEYS}
_SAID: Final = {*_KINDS, *ODDS_KEYS.values(), *_OTHERS}
_DEFAULTS: Final = {"market_type": "", "competition": "", "match_name": "", "bookmaker": ""}
_AMOUNTS: Final = frozenset({"stake", "cashed_stake", "cashed_back", "age_ms"})
"""Columns of numbers that may have thousands separators."""
_TEXTS: Final = frozenset({"note", "market_type"})
"""Columns that may only say that a bet is free, each-way or a lay; in our own lists, prose."""
_PROFIT: Final = "profit"
_MOST_NAMED: Final = 8
_FIRST_ZONE_MS: Final = 14 * 60 * MINUTE_MS
"""The largest offset of a time zone ahead of UTC."""
LONGEST_CELL: Final = 10_000
"""In characters; the legs of a long accumulator take a few thousand."""
NO_MATCH: Final = (
    "no column holds the game: scores cannot settle these bets, and they get no closing line"
)
NO_PROFILES: Final = Profiles()


class OddsUnclearError(SheetError):
    """The odds format of a file is unclear; ``sample`` is one of its odds."""

    def __init__(self, sample: str) -> None:
        super().__init__(f"odds such as {sample} may be decimal, American or something else")
        self.sample = sample


class _Writing(NamedTuple):
    """A file's habits, where single cells are ambiguous."""

    words: Mapping[str, Result | None]
    """Words for results, folded."""
    odds: str
    """A style of ``pricing.formats``."""
    decimals: Habit | None
    days: Habit | None
    has_currencies: bool
    """Whether its amounts have signs of several currencies."""


class ImportedBets(NamedTuple):
    """The bets of a file."""

    bets: list[PlacedBet]
    problems: list[str]
    """One line per unreadable row: its number, and what was expected."""
    left_out: list[str]
    """Titles of columns that are not used."""
    undated: set[int]
    """Positions of bets without a date: they count as placed now, or before the game if that has
    started."""
    doubts: list[str]
    """One line each: what the list says but is not read."""
    differing: list[str]
    """One line each: a bet whose listed profit differs from its result."""
    tracker: str = ""
    """The program of the list; empty for our own and plain ones."""
    odds: str = DECIMAL
    """The odds format, a style of ``pricing.formats``."""
    has_match: bool = True
    """Whether a column holds the game."""
    commission: str = ""
    """How commissions were read; empty if there were none."""
    date: str = ""
    """The title that was read as the time of placing, but may be that of the games."""

    @property
    def read_as(self) -> str:
        """How the figures were read, in words."""
        date = f"{self.date} as the time of placing" if self.date else ""
        odds = f"{self.odds.replace('_', ' ')} odds"
        return ", ".join(filter(None, (odds, date, self.commission)))


def read_bets(
    data: bytes, now_ms: int, odds: str | None = None, profiles: Profiles = NO_PROFILES
) -> ImportedBets:
    """Return the bets of a CSV or XLSX file; unreadable lines are left out and reported.

    ``odds`` is the odds format given by the user, a style of ``pricing.formats``. Odds after
    commission come from a column, else from the profit of a won bet, else from the commission, else
    from ``profiles``.

    Raises:
        OddsUnclearError: the odds format is unclear.
        SheetError: not a table, or no columns of bets.
    """
    titles, rows = read_sheet(data)
    tracker = tracker_of(titles)
    keys = keys_of(titles, tracker)
    _check_titles(keys)
    named = [
        (row.number, {keys[title]: as_written(cell) for title, cell in row.cells.items()})
        for row in rows
    ]
    if tracker.has_legs:
        named = _with_legs(named)
    cells = [row for _, row in named]
    style = odds or _style(keys, tracker, cells)
    writing = _writing_of(cells, tracker, style)
    unread = [title for title in titles if keys[title] not in _SAID]
    texts = [] if tracker is OURS else [title for title in titles if keys[title] in _TEXTS]
    kinds = bet_kinds_of(rows, titles, [*unread, *texts])
    left_out = [title for title in unread if title not in kinds.read]
    has_match = "match_name" in keys.values()
    found = ImportedBets([], [], left_out, set(), [], [], tracker.name, style, has_match)
    tells_net = "net_odds" in keys.values()
    kept_by = None if tells_net else commission_key(keys.values())
    lines = list[BetLine]()
    for number, row in named:
        if number in kinds.refused:
            found.problems.append(f"line {number}: {kinds.refused[number]}")
            continue
        try:
            bet, profit = _bet(row, now_ms, writing), _profit(row, writing)
        except (FigureError, BadBetError) as error:
            found.problems.append(f"line {number}: {error}")
            continue
        commission = None
        try:
            commission = read_commission(row.get(kept_by or "", ""), writing.decimals)
        except FigureError as error:
            found.doubts.append(f"line {number}: {error}")
        if not row.get("placed_at"):
            found.undated.add(len(lines))
        lines.append(BetLine(number, bet, profit, commission))
    found.doubts.extend(_too_early(lines, now_ms))
    charged = commissions_of(kept_by, lines) if kept_by else Commissions()
    if charged.doubt:
        found.doubts.insert(0, charged.doubt)
    for line in lines:
        bet, profit = line.bet, line.profit
        if not tells_net:
            bet = _with_net(bet, profit, charged.net(line), profiles)
        found.bets.append(bet)
        if profit is not None and bet.profit is not None and abs(bet.profit - profit) > CENT:
            said = f"profit {profit:+.2f} in the file, but {_result_text(bet)} is {bet.profit:+.2f}"
            found.differing.append(f"line {line.number}: {said}")
    dates = [
        title for title in titles if keys[title] == "placed_at" and folded_title(title) == DATE
    ]
    date = dates[0] if dates and tracker is PLAIN else ""
    return found._replace(commission=charged.taken_for, date=date)


def _too_early(lines: Iterable[BetLine], now_ms: int) -> Iterator[str]:
    """Yield one line if bets were placed on a day that has not begun anywhere."""
    ahead = [line for line in lines if line.bet.placed_at > now_ms + _FIRST_ZONE_MS]
    if ahead:
        others = f" and {len(ahead) - 1} more" if len(ahead) > 1 else ""
        day = format_ms(ahead[0].bet.placed_at)[:10]
        yield (
            f"line {ahead[0].number}{others}: placed on a day in the future, {day}: if that"
            " is the day of the game, name the column Kick-off, undo and import again"
        )


def _check_titles(keys: Mapping[str, str]) -> None:
    """Refuse a table without the columns of bets, and name the unknown columns."""
    missing = [key for key in _NEEDED if key not in keys.values()]
    if not {"odds", *ODDS_KEYS.values()} & set(keys.values()):
        missing.append("odds")
    if not missing:
        return
    unknown = [title for title, key in keys.items() if key not in _SAID]
    said = f"not a list of bets: no column for {', '.join(missing)}"
    if unknown:
        more = len(unknown) - _MOST_NAMED
        named = ", ".join(unknown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        said += f"; unknown: {named}"
    raise SheetError(said)


def _with_legs(rows: Sequence[tuple[int, dict[str, str]]]) -> list[tuple[int, dict[str, str]]]:
    """Return bets with the selections listed below them added to their notes."""
    bets: list[tuple[int, dict[str, str]]] = []
    for number, row in rows:
        if bets and not row.get("placed_at") and not row.get("stake"):
            bet = bets[-1][1]
            leg = f"{row.get('selection', '')} {row.get('odds', '')}".strip()
            bet["note"] = "; ".join(filter(None, (bet.get("note", ""), leg)))
        else:
            bets.append((number, dict(row)))
    return bets


def _style(keys: Mapping[str, str], tracker: Tracker, rows: Sequence[Mapping[str, str]]) -> str:
    """Return the odds format, from a title, the tracker or the cells.

    Raises:
        OddsUnclearError: none of them decides.
    """
    told = next((style for style, key in ODDS_KEYS.items() if key in keys.values()), tracker.odds)
    return told or _style_of_cells([cell for row in rows if (cell := row.get("odds", "").strip())])


def _style_of_cells(cells: Sequence[str]) -> str:
    """Return the odds format by what only that format has.

    Fractions have a slash. American odds have a sign or are 100 or more, and never less: a number
    below 100 is decimal. If all numbers are 100 or more, or below 1, they do not decide.
    """
    if any("/" in cell for cell in cells):
        return FRACTIONAL
    numbers = {cell: number for cell in cells if (number := _number(cell)) is not None}
    if any(cell.startswith("+") or number <= -100 for cell, number in numbers.items()):
        return AMERICAN
    odd = [cell for cell, number in numbers.items() if -100 < number < 1 and number != 0]
    if not odd and any(number < 100 for number in numbers.values()):
        return DECIMAL
    if numbers:
        raise OddsUnclearError([*odd, *numbers][0])
    return DECIMAL


def _number(cell: str) -> float | None:
    try:
        return read_number("odds", cell)
    except FigureError:
        return None


def _writing_of(rows: Sequence[Mapping[str, str]], tracker: Tracker, odds: str) -> _Writing:
    """Return the habits of a file, judged by all its cells."""
    numbers, moments, signs = list[str](), list[str](), set[str]()
    for row in rows:
        for key, text in row.items():
            kind = _KINDS.get(key)
            if kind is ColumnKind.TIME:
                moments.append(text)
            elif kind is ColumnKind.NUMBER and (key != "odds" or odds == DECIMAL):
                numbers.append(text)
            elif key in COMMISSION_KEYS:
                numbers.append(text.rstrip(PERCENT_SIGN))
        signs.add(sign_of(row.get("stake", "")))
    return _Writing(
        words={**RESULT_WORDS, **tracker.words},
        odds=odds,
        decimals=decimals_of(numbers),
        days=days_of(moments),
        has_currencies=len(signs & set(SIGNS.values())) > 1,
    )


def _close(read: dict[str, Any]) -> ClosingLine | None:
    """Remove the closing line's columns from a row and return the line."""
    line = read.pop("close_line", "")
    try:
        return close_of(
            read.pop("close_odds", None),
            read.pop("close_fair_odds", None),
            read.pop("close_method", ""),
            read.pop("close_at", None),
            read.pop("no_close", ""),
            read.pop("moved_to", ""),
            read.pop("moved_fair_odds", None),
            read.pop("close_reference", ""),
            read.pop("close_decided", None),
            line,
        )
    except ValueError:
        raise FigureError(f"close_line: expected odds separated by spaces, got {line!r}") from None


def _bet(row: Mapping[str, str], now_ms: int, writing: _Writing) -> PlacedBet:
    read: dict[str, Any] = {
        key: _cell(key, text, writing) for key, text in row.items() if key in _READ and text
    }
    odds = _odds(row, writing.odds)
    for key in _NEEDED:
        if key not in read:
            raise FigureError(f"{key}: missing")
    close = _close(read)
    result = read.pop("result", None)
    placed_at = min(now_ms, read.get("kick_off", now_ms + MINUTE_MS) - MINUTE_MS)
    fields: dict[str, Any] = _DEFAULTS | {"placed_at": placed_at, "method": ""} | read
    fields["period"] = int(fields.get("period", 0))
    if "age_ms" in fields:
        fields["age_ms"] = int(fields["age_ms"])
    fields["cautions"] = tuple(fields.pop("cautions", "").split())
    fields["true_ev"] = fields.pop("ev_pct", _share(row))
    if row.get(TIPSTER):
        fields["note"] = "; ".join(filter(None, (f"by {row[TIPSTER]}", fields.get("note", ""))))
    sign = sign_of(row["stake"]) if writing.has_currencies else ""
    fields["currency"] = fields.get("currency", sign).upper()
    fields["market_type"] = market_named(fields["market_type"])
    fields.setdefault("sport", played_sport(fields["competition"]))
    if fields["match_name"]:
        fields.setdefault("game_id", game_id(fields["competition"], fields["match_name"]))
    fields.setdefault("game_id", "")
    bet = PlacedBet(**fields | {"odds": odds, "close": close, "result": result})
    return check_half(check_bet(_ended(bet, _profit(row, writing))))


def _with_net(
    bet: PlacedBet, profit: float | None, told: float | None, profiles: Profiles
) -> PlacedBet:
    """Return a bet with its odds after commission, exact to the cent that was paid.

    ``told``: odds after the commission that the list states.
    """
    net = profiles.profile_of(bet.bookmaker).net(bet.odds) if told is None else told
    if bet.result in (Result.WON, Result.HALF_WON) and profit is not None and profit > 0:
        won = bet.stake * decided_share(bet.result)
        is_gross = abs(profit - won * (bet.odds - 1)) <= CENT
        net = bet.odds if is_gross else 1 + profit / won
    return bet if net == bet.odds else msgspec.structs.replace(bet, net_odds=net)


def _ended(bet: PlacedBet, profit: float | None) -> PlacedBet:
    """Return a bet; a cash-out that is known only by its profit gets its amount."""
    if bet.result is not Result.CASHED_OUT or bet.cashed_stake:
        return bet
    if profit is None:
        raise FigureError("profit: needed for a bet that was cashed out")
    return msgspec.structs.replace(
        bet, cashed_stake=bet.stake, cashed_back=max(0.0, bet.stake + profit)
    )


def _profit(row: Mapping[str, str], writing: _Writing) -> float | None:
    """Return the listed profit of a bet; None if it is not listed."""
    text = row.get(_PROFIT, "")
    return read_amount(_PROFIT, text, writing.decimals) if text else None


def _result_text(bet: PlacedBet) -> str:
    return "" if bet.result is None else bet.result.value.replace("_", " ")


def _cell(key: str, text: str, writing: _Writing) -> Any:
    if len(text) > LONGEST_CELL:
        raise FigureError(
            f"{key}: expected at most {LONGEST_CELL:,} characters, got {len(text):,}: {shown(text)}"
        )
    if key == "result":
        return read_result(text, writing.words)
    if _KINDS[key] is ColumnKind.TIME:
        return read_time(key, text, writing.days)
    if _KINDS[key] is ColumnKind.FLAG:
        return _flag(key, text)
    if key in _AMOUNTS:
        return read_amount(key, text, writing.decimals)
    return read_number(key, text) if _KINDS[key] is ColumnKind.NUMBER else text


def _flag(key: str, text: str) -> bool:
    word = folded_title(text)
    if word not in YES | NO:
        raise FigureError(f"{key} {text!r}: expected true or false")
    return word in YES


def _odds(row: Mapping[str, str], style: str) -> float:
    text = (row.get(ODDS_KEYS.get(style, "")) or row.get("odds", "")).strip()
    if style == DECIMAL:
        return read_number("odds", text)
    try:
        return parse_odds(text.replace(",", "") if style == AMERICAN else text, style)
    except OddsFormatError as error:
        raise FigureError(f"odds {text!r}: {error}") from None


def _share(row: Mapping[str, str]) -> float | None:
    """Return the EV that Pikkit states as a fraction, in percent."""
    text = row.get(EV_SHARE, "")
    return read_number("ev", text) * 100 if text else None
