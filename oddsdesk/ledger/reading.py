"""Imports bets from files: our own tables, those of other trackers, and plain lists.

``ledger.bet_lists`` finds the lists in a file and what their columns hold. Odds format, decimal
sign, order of day and month and the worth of a unit are shown by the title, the tracker or the
cells; if none of them decides, the user is asked.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.figures import (
    FigureError,
    Habit,
    days_of,
    decimals_of,
    is_day_unclear,
    may_be_thousands,
    read_amount,
    read_number,
    read_time,
    taken_apart,
)
from oddsdesk.base.spreadsheets import SheetRow
from oddsdesk.base.text import as_written
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import market_named
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bet_lists import (
    KNOWN_KEYS,
    NEEDED,
    ListColumns,
    columns_of,
    read_lists,
    with_clocks,
)
from oddsdesk.ledger.bet_tables import BET_COLUMNS, EV_SHARE, OURS, PLAIN, ColumnKind, close_of
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, check_half
from oddsdesk.ledger.cells import (
    COMMISSION_KEYS,
    LEG,
    NO,
    PERCENT_SIGN,
    YES,
    BetLine,
    Commissions,
    bet_kinds_of,
    commission_key,
    commissions_of,
    legs_of,
    read_commission,
    read_result,
)
from oddsdesk.ledger.columns import (
    CENT,
    DATE_WORDS,
    ODDS_KEYS,
    ODDS_ROUNDING,
    PAYOUT,
    RETURNED,
    TIPSTER,
    TO_WIN,
    ListUnclearError,
    folded_title,
    result_by_profit,
    says_only_ended,
)
from oddsdesk.ledger.presets import NO_CHOICES, ListChoices
from oddsdesk.matching.names import shipped_names
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.formats import AMERICAN, DECIMAL, OddsFormatError, parse_odds
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result, decided_share

_KINDS: Final = {column.key: column.kind for column in BET_COLUMNS}
_READ: Final = frozenset(column.key for column in BET_COLUMNS if column.is_read) - {
    "odds",
    "result",
}
_DEFAULTS: Final = {"market_type": "", "competition": "", "match_name": "", "bookmaker": ""}
_DESCRIBED: Final = frozenset({"selection", "market_type"})
_PROFIT: Final = "profit"
_MONEY: Final = ("stake", _PROFIT, RETURNED, "cashed_stake", "cashed_back")
"""Columns of money, which may have thousands separators."""
_AMOUNTS: Final = frozenset({*_MONEY, "age_ms"})
_TEXTS: Final = frozenset({"note", "market_type"})
"""Columns that may only say that a bet is free, each-way or a lay; in our own lists, prose."""
_FIRST_ZONE_MS: Final = 14 * 60 * MINUTE_MS
"""The largest offset of a time zone ahead of UTC."""
LONGEST_CELL: Final = 10_000
"""In characters; the legs of a long accumulator take a few thousand."""
NO_MATCH: Final = (
    "no column holds the game: scores cannot settle these bets, and they get no closing line"
)
NO_DATE: Final = "no date: the bets count as placed now"
_SHIFTED: Final = (
    "more filled cells than titles ({}), so it is unclear which belongs to which; put figures"
    " with a decimal comma in quotes, or give each column a title"
)
NO_PROFILES: Final = Profiles()


class _Writing(NamedTuple):
    """A file's habits, where single cells are ambiguous."""

    words: Mapping[str, Result | None]
    """Words for results, folded."""
    odds: str
    """A style of ``pricing.formats``."""
    decimals: Mapping[str, Habit | None]
    """By column."""
    days: Mapping[str, Habit | None]
    """By column."""
    has_result: bool
    """Whether a column holds the results; if none does, they follow from profits or payouts."""
    has_currencies: bool
    """Whether its amounts are in several currencies."""
    unit: float | None
    """The worth of a unit, if amounts are in units."""
    in_units: frozenset[str]
    """Columns of amounts that are in units by their title."""


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
    has_date: bool = True
    """Whether a column holds the time of placing."""
    commission: str = ""
    """How commissions were read; empty if there were none."""
    date: str = ""
    """The title that was read as the time of placing, but may be that of the games."""
    remarks: Sequence[str] = ()
    """One line each: which of several columns is used, what a unit is worth."""
    keys: Mapping[str, str] = {}
    """What each column was read as, by its title; an unknown one begins with ``?``."""

    @property
    def read_as(self) -> str:
        """How the figures were read, in words."""
        date = f"{self.date} as the time of placing" if self.date else ""
        odds = f"{self.odds.replace('_', ' ')} odds"
        return ", ".join(filter(None, (odds, date, self.commission)))


def read_bets(
    data: bytes,
    now_ms: int,
    odds: str | None = None,
    profiles: Profiles = NO_PROFILES,
    choices: ListChoices = NO_CHOICES,
) -> ImportedBets:
    """Return the bets of a CSV or XLSX file; unreadable lines are left out and reported.

    ``odds`` is the odds format given by the user, a style of ``pricing.formats``; ``choices``
    are the answers to what the file does not show. Odds after commission come from a column, else
    from the profit of a won bet, else from the commission, else from ``profiles``.

    Raises:
        ListUnclearError: the file does not show how to read it.
        SheetError: not a table.
    """
    found = read_lists(data)
    return joined(
        [
            (each.place, read_rows(each.titles, each.rows, now_ms, odds, profiles, choices))
            for each in found.lists
        ],
        found.left_out,
    )


def joined(parts: Sequence[tuple[str, ImportedBets]], left_out: Sequence[str] = ()) -> ImportedBets:
    """Return the bets of several sheets as one; ``left_out`` are sheets without bets."""
    bets, undated = list[PlacedBet](), set[int]()
    for _, part in parts:
        undated |= {len(bets) + place for place in part.undated}
        bets += part.bets

    def lines(name: str) -> list[str]:
        return [f"{place} {line}".strip() for place, part in parts for line in getattr(part, name)]

    return parts[0][1]._replace(
        bets=bets,
        undated=undated,
        problems=lines("problems"),
        doubts=lines("doubts"),
        differing=lines("differing"),
        remarks=[*lines("remarks"), *(f"{name} is left out: it has no bets" for name in left_out)],
        left_out=[*dict.fromkeys(title for _, part in parts for title in part.left_out)],
        has_match=all(part.has_match for _, part in parts),
        has_date=all(part.has_date for _, part in parts),
    )


def read_rows(
    titles: Sequence[str],
    rows: Sequence[SheetRow],
    now_ms: int,
    odds: str | None = None,
    profiles: Profiles = NO_PROFILES,
    choices: ListChoices = NO_CHOICES,
) -> ImportedBets:
    """Return the bets of a table, as ``read_bets`` does."""
    bad = [row for row in rows if row.fault or row.beyond]
    rows = [row for row in rows if not (row.fault or row.beyond)]
    titles, rows, choices = with_clocks(titles, rows, choices)
    listed = columns_of(titles, rows, odds, choices)
    tracker, keys = listed.tracker, listed.keys
    named = [(row.number, _by_key(row, keys)) for row in rows]
    if tracker.has_legs:
        named = _with_legs(named)
    writing = _writing_of([row for _, row in named], listed, choices)
    unread = [title for title in titles if keys[title] not in KNOWN_KEYS]
    texts = [] if tracker is OURS else [title for title in titles if keys[title] in _TEXTS]
    described = [title for title in titles if tracker is not OURS and keys[title] in _DESCRIBED]
    kinds = bet_kinds_of(
        *(([], [], [], []) if tracker is OURS else (rows, titles, [*unread, *texts], described))
    )
    legs = legs_of(titles, named, (PAYOUT, TO_WIN))
    left_out = [title for title in unread if title not in kinds.read]
    problems = [f"line {row.number}: {row.fault or _SHIFTED.format(row.beyond)}" for row in bad]
    found = ImportedBets(
        bets=[],
        problems=problems,
        left_out=left_out,
        undated=set(),
        doubts=[],
        differing=[],
        tracker=tracker.name,
        odds=listed.style,
        has_match="match_name" in keys.values(),
        has_date="placed_at" in keys.values(),
    )
    tells_net = "net_odds" in keys.values()
    kept_by = "" if tells_net else commission_key(keys.values()) or ""
    lines = _read_lines(named, kinds.refused, legs, kept_by, now_ms, writing, found)
    if not writing.has_result:
        _check_payments([line.bet for line in lines], titles, keys, choices)
    found.doubts.extend(_too_early(lines, now_ms))
    charged = commissions_of(kept_by, lines) if kept_by else Commissions()
    if charged.doubt:
        found.doubts.insert(0, charged.doubt)
    for line in lines:
        net = charged.net(line)
        bet = line.bet if tells_net else _with_net(line.bet, line.profit, net, profiles)
        found.bets.append(bet)
        found.differing.extend(_differing(line, bet))
    dates = [
        title
        for title in titles
        if keys[title] == "placed_at" and folded_title(title) in DATE_WORDS
    ]
    paid = [title for key in (RETURNED, _PROFIT) for title in titles if keys[title] == key]
    if paid and not writing.has_result:
        listed.remarks.append(f"no column holds the result: it follows from {paid[-1]}")
    unit = [] if writing.unit is None else [f"1 unit is {writing.unit:g}"]
    return found._replace(
        commission=charged.taken_for,
        date=dates[0] if dates and tracker is PLAIN else "",
        remarks=[*listed.remarks, *unit],
        keys=keys,
    )


def _read_lines(
    rows: Iterable[tuple[int, Mapping[str, str]]],
    refused: Mapping[int, str],
    legs: Container[int],
    kept_by: str,
    now_ms: int,
    writing: _Writing,
    found: ImportedBets,
) -> list[BetLine]:
    """Return the readable lines; problems, doubts and undated bets are added to ``found``.

    ``refused`` says why lines are not read, ``legs`` are lines that may be legs of a multiple, and
    ``kept_by`` is the key of commissions, or empty.
    """
    lines = list[BetLine]()
    for number, row in rows:
        try:
            if number in refused:
                raise FigureError(refused[number])
            bet = _bet(row, now_ms, writing)
            profit = _profit(row, writing, bet.result)
            if number in legs and not _pays(bet, row, writing):
                raise FigureError(LEG)
        except (FigureError, BadBetError) as error:
            found.problems.append(f"line {number}: {error}")
            continue
        commission = None
        try:
            commission = read_commission(row.get(kept_by, ""), writing.decimals.get(kept_by))
        except FigureError as error:
            found.doubts.append(f"line {number}: {error}")
        if not row.get("placed_at"):
            found.undated.add(len(lines))
        lines.append(BetLine(number, bet, profit, commission))
    return lines


def _differing(line: BetLine, bet: PlacedBet) -> Iterator[str]:
    """Yield one line if a bet, with its net odds, has another profit than the list says."""
    profit = line.profit
    if profit is not None and bet.profit is not None and abs(bet.profit - profit) > CENT:
        said = f"profit {profit:+.2f} in the file, but {_result_text(bet)} is {bet.profit:+.2f}"
        yield f"line {line.number}: {said}"


def _by_key(row: SheetRow, keys: Mapping[str, str]) -> dict[str, str]:
    """Return the cells of a row by key; notes of several columns become one."""
    cells: dict[str, str] = {}
    for title, cell in row.cells.items():
        key, text = keys[title], as_written(cell)
        is_more = key == "note" and text and cells.get(key)
        cells[key] = f"{cells[key]}; {text}" if is_more else cells.get(key) or text
    return cells


def _check_payments(
    bets: Sequence[PlacedBet], titles: Sequence[str], keys: Mapping[str, str], choices: ListChoices
) -> None:
    """Refuse payouts that may be what each bet would pay if it won.

    Raises:
        ListUnclearError: each payout is stake × odds, and no column holds results.
    """
    paid = [title for title in titles if keys[title] == RETURNED]
    if not paid or _PROFIT in keys.values() or RETURNED in choices.columns or len(bets) < 2:
        return
    if all(bet.result is Result.WON for bet in bets):
        raise ListUnclearError(
            "columns",
            f"has no column for the result, and {paid[0]} is stake × odds in each row: choose"
            f" payout={paid[0]} if it was paid, or payout= if a win would pay it",
        )


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


def _writing_of(
    rows: Sequence[Mapping[str, str]], listed: ListColumns, choices: ListChoices
) -> _Writing:
    """Return the habits of a file: of each column, else of all its cells, else as the user chose.

    Raises:
        ListUnclearError: neither shows them.
    """
    odds, in_units = listed.style, listed.in_units
    numbers: dict[str, list[str]] = {}
    moments: dict[str, list[str]] = {}
    for row in rows:
        for key, text in row.items():
            kind = _KINDS.get(key)
            if kind is ColumnKind.TIME:
                moments.setdefault(key, []).append(text)
            elif key in COMMISSION_KEYS:
                numbers.setdefault(key, []).append(text.rstrip(PERCENT_SIGN))
            elif key in (RETURNED, PAYOUT, TO_WIN) or (
                kind is ColumnKind.NUMBER and (key != "odds" or odds == DECIMAL)
            ):
                numbers.setdefault(key, []).append(text)
    stakes = [taken_apart(text) for text in numbers.get("stake", [])]
    has_units = "stake" in in_units or any(stake.in_units for stake in stakes)
    if has_units and choices.unit is None:
        sample = next(filter(None, numbers.get("stake", [])), "")
        raise ListUnclearError("unit", f"stakes such as {sample} are in units, not money", sample)
    decimals = _habits(numbers, decimals_of, choices.decimals)
    if listed.tracker is not OURS and odds != AMERICAN:
        _ask_habit(
            "decimals",
            {key: numbers.get(key, []) for key in _MONEY},
            decimals,
            may_be_thousands,
            "figures such as {} may be thousands or have decimals",
        )
    days = _habits(moments, days_of, choices.dates)
    _ask_habit("dates", moments, days, is_day_unclear, "dates such as {} do not show the day")
    return _Writing(
        words=listed.words,
        odds=odds,
        decimals=decimals,
        days=days,
        has_result="result" in listed.keys.values(),
        has_currencies=len({stake.currency for stake in stakes} - {""}) > 1,
        unit=choices.unit if has_units else None,
        in_units=in_units,
    )


def _habits(
    cells: Mapping[str, Sequence[str]],
    habit_of: Callable[[Iterable[str]], Habit | None],
    chosen: Habit | None,
) -> dict[str, Habit | None]:
    """Return the habit of each column: its own, else the file's, else as the user chose."""
    of_file = habit_of([text for texts in cells.values() for text in texts])
    return {key: habit_of(texts) or of_file or chosen for key, texts in cells.items()}


def _ask_habit(
    about: str,
    cells: Mapping[str, Sequence[str]],
    habits: Mapping[str, Habit | None],
    is_unclear: Callable[[str], bool],
    problem: str,
) -> None:
    """Ask the user if cells are ambiguous and no habit decides.

    Raises:
        ListUnclearError: there are such cells.
    """
    for key, texts in cells.items():
        sample = next(filter(is_unclear, texts), "") if habits.get(key) is None else ""
        if sample:
            raise ListUnclearError(about, problem.format(sample), sample)


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


_GERMAN_TOTAL: Final = re.compile(r"(?:(.+) )?(über|ueber|unter) (\d+(?:[.,]\d+)?)", re.IGNORECASE)
_GERMAN_ANSWERS: Final = {"ja": "Yes", "nein": "No"}


def _in_english(selection: str, market_type: str) -> str:
    """Return a selection with the words that scores settle: ``Über 2,5`` is ``Over 2.5``."""
    if market_type == "btts":
        return _GERMAN_ANSWERS.get(selection.casefold(), selection)
    match = _GERMAN_TOTAL.fullmatch(selection)
    if match is None:
        return selection
    side = "Under" if match[2].casefold() == "unter" else "Over"
    return " ".join(filter(None, (match[1], side, match[3].replace(",", "."))))


def _bet(row: Mapping[str, str], now_ms: int, writing: _Writing) -> PlacedBet:
    read: dict[str, Any] = {
        key: _cell(key, text, writing) for key, text in row.items() if key in _READ and text
    }
    odds = _odds(row, writing.odds)
    for key in NEEDED:
        if key not in read:
            raise FigureError(f"{key}: missing")
    close = _close(read)
    result = _result(row, writing, read["stake"], odds)
    profit = _profit(row, writing, result)
    placed_at = min(now_ms, read.get("kick_off", now_ms + MINUTE_MS) - MINUTE_MS)
    fields: dict[str, Any] = _DEFAULTS | {"placed_at": placed_at, "method": ""} | read
    fields["period"] = int(fields.get("period", 0))
    if "age_ms" in fields:
        fields["age_ms"] = int(fields["age_ms"])
    _read_kind(fields)
    fields["cautions"] = tuple(fields.pop("cautions", "").split())
    fields["true_ev"] = fields.pop("ev_pct", _share(row))
    if row.get(TIPSTER):
        fields["note"] = "; ".join(filter(None, (f"by {row[TIPSTER]}", fields.get("note", ""))))
    sign = taken_apart(row["stake"]).currency if writing.has_currencies else ""
    fields["currency"] = fields.get("currency", sign).upper()
    fields["market_type"] = market_named(fields["market_type"])
    fields["selection"] = _in_english(fields["selection"], fields["market_type"])
    competition = shipped_names().competition_named(fields["competition"])
    fields.setdefault("sport", played_sport(competition))
    if fields["match_name"]:
        fields.setdefault("game_id", game_id(fields["competition"], fields["match_name"]))
    fields.setdefault("game_id", "")
    bet = PlacedBet(**fields | {"odds": odds, "close": close, "result": result})
    return check_half(check_bet(_ended(bet, profit)))


def _read_kind(fields: dict[str, Any]) -> None:
    """Turn the texts that name the kind of a bet and its legs into their values."""
    if kind := fields.pop("kind", ""):
        try:
            fields["kind"] = BetKind(kind)
        except ValueError:
            kinds = ", ".join(each.value for each in BetKind)
            raise FigureError(f"kind {kind!r}: expected one of {kinds}") from None
    if legs := fields.pop("legs", ""):
        try:
            fields["legs"] = msgspec.json.decode(legs, type=tuple[BetLeg, ...])
        except msgspec.DecodeError as error:
            raise FigureError(f"legs: expected a list as oddsdesk writes it: {error}") from None
    if "places" in fields:
        fields["places"] = int(fields["places"])


def _with_net(
    bet: PlacedBet, profit: float | None, net_odds: float | None, profiles: Profiles
) -> PlacedBet:
    """Return a bet with its odds after commission, exact to the cent that was paid.

    ``net_odds``: odds after the commission that the list states.
    """
    net = profiles.profile_of(bet.bookmaker).net(bet.odds) if net_odds is None else net_odds
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
        raise FigureError("profit or payout: needed for a bet that was cashed out")
    return msgspec.structs.replace(
        bet, cashed_stake=bet.size, cashed_back=max(0.0, bet.staked + profit)
    )


def _result(row: Mapping[str, str], writing: _Writing, stake: float, odds: float) -> Result | None:
    """Return the result that a row names, else that of its profit or payout; None for an open bet.

    Raises:
        FigureError: unknown word, or no result gives the profit.
    """
    text = row.get("result", "")
    is_named = bool(text) and not says_only_ended(text)
    if is_named or (not text and writing.has_result):
        return _cell("result", text, writing) if text else None
    profit = _profit(row, writing, Result.CASHED_OUT)
    if profit is None:
        if not text:
            return None
        raise FigureError(
            f"result {text!r} does not say how the bet ended: expected a profit or payout, or won,"
            " lost, void, half won, half lost, cashed out or open"
        )
    is_charged = any(row.get(key, "").strip(" 0.,%") for key in COMMISSION_KEYS)
    return result_by_profit(profit, stake, odds, is_charged=is_charged)


def _profit(row: Mapping[str, str], writing: _Writing, result: Result | None) -> float | None:
    """Return the listed profit of a bet, or that of its payout; None if neither is listed."""
    if text := row.get(_PROFIT, ""):
        return _money(_PROFIT, text, writing)
    if result is None or not (text := row.get(RETURNED, "")):
        return None
    return _money(RETURNED, text, writing) - _money("stake", row.get("stake", ""), writing)


def _pays(bet: PlacedBet, row: Mapping[str, str], writing: _Writing) -> bool:
    """Return whether a row's payment is that of its odds, not of a multiple."""
    key = PAYOUT if row.get(PAYOUT) else TO_WIN
    payment = _money(key, row[key], writing)
    expected = bet.stake * (bet.odds - 1) + (bet.stake if key == PAYOUT else 0)
    return abs(payment - expected) <= CENT + bet.stake * ODDS_ROUNDING


def _money(key: str, text: str, writing: _Writing) -> float:
    """Return an amount; units become money."""
    amount = read_amount(key, text, writing.decimals.get(key))
    parts = taken_apart(text)
    is_units = parts.in_units or (key in writing.in_units and not parts.currency)
    return amount * writing.unit if is_units and writing.unit is not None else amount


def _result_text(bet: PlacedBet) -> str:
    return "" if bet.result is None else bet.result.words


def _cell(key: str, text: str, writing: _Writing) -> Any:
    if len(text) > LONGEST_CELL:
        raise FigureError(
            f"{key}: expected at most {LONGEST_CELL:,} characters, got {len(text):,}: {shown(text)}"
        )
    if key == "result":
        return read_result(text, writing.words)
    if _KINDS[key] is ColumnKind.TIME:
        return read_time(key, text, writing.days.get(key))
    if _KINDS[key] is ColumnKind.FLAG:
        return _flag(key, text)
    if key in _AMOUNTS:
        return _money(key, text, writing)
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
