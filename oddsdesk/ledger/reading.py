"""Imports bets from files: our own tables, those of other trackers, and plain lists.

``ledger.bet_lists`` finds the lists in a file and what their columns hold, ``ledger.list_figures``
reads their cells, ``ledger.list_legs`` finds the legs of multiples, and ``ledger.list_bets`` reads
each bet as the kind that it is.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from oddsdesk.base.figures import FigureError
from oddsdesk.base.numbers import date_text, num
from oddsdesk.base.spreadsheets import SheetRow
from oddsdesk.base.text import as_written
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bet_lists import KNOWN_KEYS, columns_of, listed_kinds, read_lists, with_clocks
from oddsdesk.ledger.bet_tables import OURS, PLAIN
from oddsdesk.ledger.bets import BadBetError, PlacedBet
from oddsdesk.ledger.cells import (
    BetLine,
    Commissions,
    LineKinds,
    commission_key,
    commissions_of,
    read_commission,
)
from oddsdesk.ledger.columns import CENT, DATE_WORDS, RETURNED, ListUnclearError, folded_title
from oddsdesk.ledger.list_bets import Habits, read_bet, said_habits, with_net
from oddsdesk.ledger.list_figures import Writing, writing_of
from oddsdesk.ledger.list_legs import Line, lines_of
from oddsdesk.ledger.presets import NO_CHOICES, ListChoices
from oddsdesk.pricing.formats import DECIMAL
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result

_PROFIT: Final = "profit"
_MOST: Final = 5
_FIRST_ZONE_MS: Final = 14 * 60 * MINUTE_MS
"""The largest offset of a time zone ahead of UTC."""
NO_MATCH: Final = _(
    "no column holds the game: scores cannot settle these bets, and they get no closing line"
)
NO_DATE: Final = _("no date: the bets count as placed now")
_SHIFTED: Final = _(
    "more filled cells than titles ({cells}), so it is unclear which belongs to which; put figures"
    " with a decimal comma in quotes, or give each column a title"
)
ODDS_FORMATS: Final = (
    *(N_("decimal odds"), N_("american odds"), N_("fractional odds"), N_("hong kong odds")),
    *(N_("malay odds"), N_("indonesian odds")),
)
"""How ``ImportedBets.read_as`` names a style."""
NO_PROFILES: Final = Profiles()


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
        date = _("{column} as the time of placing").format(column=self.date) if self.date else ""
        odds = translated(f"{self.odds.replace('_', ' ')} odds")
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
    for _name, part in parts:
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
        remarks=[
            *lines("remarks"),
            *(_("{name} is left out: it has no bets").format(name=name) for name in left_out),
        ],
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
    writing = writing_of([row for _, row in named], listed, choices)
    unread = [title for title in titles if keys[title] not in KNOWN_KEYS]
    kinds = LineKinds({}, set(), []) if tracker is OURS else listed_kinds(rows, titles, keys)
    placed = (
        [Line(number, row) for number, row in named]
        if tracker is OURS
        else lines_of(named, kinds.by_line, writing, has_legs_below=tracker.has_legs)
    )
    left_out = [title for title in unread if title not in kinds.read]
    problems = [
        _("line {number}: {error}").format(
            number=row.number, error=translated(row.fault) or _SHIFTED.format(cells=row.beyond)
        )
        for row in bad
    ]
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
    lines = _read_lines(placed, kept_by, now_ms, writing, found, listed.remarks)
    if not writing.has_result:
        _check_payments([line.bet for line in lines], titles, keys, choices)
    found.doubts.extend(_too_early(lines, now_ms))
    if kinds.unknown:
        found.doubts.append(
            _("unknown kinds, recorded as back bets: {words}").format(
                words=", ".join(kinds.unknown[:_MOST])
            )
        )
    charged = commissions_of(kept_by, lines) if kept_by else Commissions()
    if charged.doubt:
        found.doubts.insert(0, charged.doubt)
    for line in lines:
        net = charged.net(line)
        bet = line.bet if tells_net else with_net(line.bet, line.profit, net, profiles)
        found.bets.append(bet)
        found.differing.extend(_differing(line, bet))
    dates = [
        title
        for title in titles
        if keys[title] == "placed_at" and folded_title(title) in DATE_WORDS
    ]
    paid = [title for key in (RETURNED, _PROFIT) for title in titles if keys[title] == key]
    if paid and not writing.has_result:
        listed.remarks.append(
            _("no column holds the result: it follows from {column}").format(column=paid[-1])
        )
    unit = (
        [] if writing.unit is None else [_("1 unit is {amount:g}").format(amount=num(writing.unit))]
    )
    return found._replace(
        commission=charged.taken_for,
        date=dates[0] if dates and tracker is PLAIN else "",
        remarks=[*listed.remarks, *unit],
        keys={
            title: "kind" if title in kinds.read and key not in KNOWN_KEYS else key
            for title, key in keys.items()
        },
    )


def _read_lines(
    placed: Sequence[Line],
    kept_by: str,
    now_ms: int,
    writing: Writing,
    found: ImportedBets,
    remarks: list[str],
) -> list[BetLine]:
    """Return the readable lines; problems, doubts and undated bets are added to ``found``.

    ``kept_by`` is the key of commissions, or empty. How kinds were read is added to ``remarks``.
    """
    lines, habits, used = list[BetLine](), _habits_of(placed, now_ms, writing), Habits()
    vague = 0
    for line in placed:
        number, row = line.number, line.row
        try:
            read = read_bet(line, now_ms, writing, habits)
        except (FigureError, BadBetError) as error:
            found.problems.append(
                _("line {number}: {error}").format(number=number, error=translated(str(error)))
            )
            continue
        used.update(read.habits)
        vague += BetKind.MULTIPLE in line.said.kinds and not read.bet.legs
        commission = None
        try:
            commission = read_commission(row.get(kept_by, ""), writing.decimals.get(kept_by))
        except FigureError as error:
            found.doubts.append(
                _("line {number}: {error}").format(number=number, error=translated(str(error)))
            )
        if not row.get("placed_at"):
            found.undated.add(len(lines))
        lines.append(BetLine(number, read.bet, read.profit, commission))
    remarks.extend(said_habits(used))
    if vague:
        found.doubts.append(
            _("multiples without odds of their legs, recorded as one selection: {count}").format(
                count=vague
            )
        )
    return lines


def _habits_of(placed: Iterable[Line], now_ms: int, writing: Writing) -> Habits:
    """Return what the profits of a list show about its lays, free and each-way bets."""
    habits = Habits()
    for line in placed:
        if line.said.kinds:
            with contextlib.suppress(FigureError, BadBetError):
                habits.update(read_bet(line, now_ms, writing, Habits()).sure)
    return habits


def _differing(line: BetLine, bet: PlacedBet) -> Iterator[str]:
    """Yield one line if a bet, with its net odds, has another profit than the list says."""
    profit = line.profit
    if profit is not None and bet.profit is not None and abs(bet.profit - profit) > CENT:
        yield (
            _(
                "line {number}: profit {listed:+.2f} in the file, but {result} is {profit:+.2f}"
            ).format(
                number=line.number,
                listed=num(profit),
                result=_result_text(bet),
                profit=num(bet.profit),
            )
        )


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
            _(
                "has no column for the result, and {column} is stake × odds in each row: "
                "choose payout={column} if it was paid, or payout= if a win would pay it"
            ).format(column=paid[0]),
        )


def _too_early(lines: Iterable[BetLine], now_ms: int) -> Iterator[str]:
    """Yield one line if bets were placed on a day that has not begun anywhere."""
    ahead = [line for line in lines if line.bet.placed_at > now_ms + _FIRST_ZONE_MS]
    if ahead:
        others = len(ahead) - 1
        day = datetime.fromtimestamp(ahead[0].bet.placed_at / 1000, UTC)
        where = _("line {number}").format(number=ahead[0].number)
        if others:
            where = _("line {number} and {count} more").format(number=ahead[0].number, count=others)
        yield _(
            "{where}: placed on a day in the future, {day}: if that is the day of the game, name "
            "the column Kick-off, undo and import again"
        ).format(where=where, day=date_text(day))


def _result_text(bet: PlacedBet) -> str:
    return "" if bet.result is None else translated(bet.result.words)
