"""The lists of bets in a file: which tables are lists, and what their columns hold."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from oddsdesk.base.figures import FigureError, at_clock, read_number
from oddsdesk.base.spreadsheets import MOST_BYTES, SheetError, SheetRow, read_tables
from oddsdesk.base.text import as_written
from oddsdesk.base.texts import _
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bet_tables import BET_COLUMNS, EV_SHARE, OURS, Tracker, titles_of, tracker_of
from oddsdesk.ledger.cells import COMMISSION_KEYS, LineKind, LineKinds, kinds_of_lines
from oddsdesk.ledger.columns import (
    CLOCK_WORDS,
    DATE_WORDS,
    ODDS_KEYS,
    PAYOUT,
    RETURNED,
    TIPSTER,
    TO_WIN,
    ListUnclearError,
    folded_title,
    one_column_each,
    result_words,
)
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.pricing.formats import AMERICAN, DECIMAL, FRACTIONAL
from oddsdesk.pricing.selections import Result

NEEDED: Final = ("selection", "stake")
"""Keys of the columns that each list of bets has, besides odds."""
_OTHERS: Final = {EV_SHARE, TIPSTER, RETURNED, TO_WIN, PAYOUT, *COMMISSION_KEYS}
KNOWN_KEYS: Final = {*(column.key for column in BET_COLUMNS), *ODDS_KEYS.values(), *_OTHERS}
"""The keys of columns that are read."""
_TEXTS: Final = frozenset({"note", "market_type", "place_fraction"})
"""Columns read only for the kind of a bet; free text in our own lists."""
_DESCRIBED: Final = frozenset({"selection", "market_type", "stake"})
_PAID_OTHERWISE: Final = frozenset(
    {
        *(BetKind.LAY, BetKind.EACH_WAY, BetKind.FREE, BetKind.FREE_RETURNED),
        *(BetKind.REFUND, BetKind.MULTIPLE),
    }
)
_MOST_NAMED: Final = 8
_WHOLE_MOMENT: Final = 8
"""Characters; a shorter text is not a date with a year."""


class BetList(NamedTuple):
    """One table of bets of a file."""

    place: str
    """Its sheet, for messages: `` sheet 2``; empty if it is the only table."""
    titles: list[str]
    rows: list[SheetRow]


class BetLists(NamedTuple):
    """The tables of bets of a file."""

    lists: list[BetList]
    left_out: list[str]
    """Sheets that have rows but no titles of bets: ``sheet 1``."""


def read_lists(data: bytes) -> BetLists:
    """Return the lists of bets in a file; in a workbook, each sheet with titles of bets.

    If no table has them, the first one is returned, so that its titles can be asked about.

    Raises:
        SheetError: not a table.
    """
    if len(data) > MOST_BYTES:
        raise SheetError(_("is larger than 64 MB"))
    tables = [
        BetList(each.place, each.titles, list(each.rows)) for each in read_tables(data, _is_of_bets)
    ]
    lists = [each for each in tables if _is_of_bets(each.titles)] or tables[:1]
    others = [each.place.strip() for each in tables if each.rows and each not in lists]
    if len(tables) == 1:
        lists = [tables[0]._replace(place="")]
    return BetLists(lists, others)


def _is_of_bets(titles: Sequence[str]) -> bool:
    """Return whether a line has at least two of the three columns that each list of bets has."""
    keys = set(titles_of(titles, tracker_of(titles), {}).keys.values())
    return len(keys & {*NEEDED}) + bool(keys & {"odds", *ODDS_KEYS.values()}) > 1


class ListColumns(NamedTuple):
    """What the columns of a list hold."""

    tracker: Tracker
    keys: Mapping[str, str]
    """By title, one title for each; an unknown one begins with ``?``."""
    remarks: list[str]
    """One line each: which of several columns is used, and why."""
    in_units: frozenset[str]
    """Keys of amounts that are in units by their title."""
    words: Mapping[str, Result | None]
    """Words for results, folded."""
    style: str
    """The odds format."""


def columns_of(
    titles: Sequence[str], rows: Sequence[SheetRow], odds: str | None, choices: ListChoices
) -> ListColumns:
    """Return what the columns of a table hold.

    Raises:
        ListUnclearError: the table does not show it.
    """
    tracker = tracker_of(titles)
    meanings, in_units = titles_of(titles, tracker, choices.columns)
    _check_titles(meanings)
    words = {**result_words(), **tracker.words}
    cells = {title: [as_written(row.cells.get(title, "")) for row in rows] for title in titles}
    style_of = _style_teller(meanings, cells, odds or tracker.odds, choices.odds)
    judged = _plain_cells(titles, rows, meanings, cells) if tracker is not OURS else cells
    keys, remarks = one_column_each(meanings, cells, words, style_of, judged)
    with_odds = [title for title in titles if keys[title] in {"odds", *ODDS_KEYS.values()}]
    style = style_of(min(with_odds, key=lambda title: keys[title] == "odds"))
    of_units = frozenset(keys[title] for title in in_units)
    return ListColumns(tracker, keys, remarks, of_units, words, style)


def listed_kinds(
    rows: Sequence[SheetRow], titles: Sequence[str], keys: Mapping[str, str]
) -> LineKinds:
    """Return what another program's list says about the kinds of its bets; ``keys`` by title."""
    return kinds_of_lines(
        rows,
        titles,
        [title for title in titles if keys[title] not in KNOWN_KEYS or keys[title] in _TEXTS],
        [title for title in titles if keys[title] in _DESCRIBED],
        next((title for title in titles if keys[title] == "kind"), ""),
    )


def _plain_cells(
    titles: Sequence[str],
    rows: Sequence[SheetRow],
    keys: Mapping[str, str],
    cells: Mapping[str, Sequence[str]],
) -> Mapping[str, Sequence[str]]:
    """Return the cells of bets that pay stake × odds; those of all bets if there are none."""
    by_line = listed_kinds(rows, titles, keys).by_line
    plain = [
        not by_line.get(row.number, LineKind()).kinds & _PAID_OTHERWISE
        and any(row.cells.get(title) for title in titles if keys[title] == "stake")
        for row in rows
    ]
    if not any(plain):
        return cells
    return {title: list(itertools.compress(texts, plain)) for title, texts in cells.items()}


def with_clocks(
    titles: Sequence[str], rows: Sequence[SheetRow], choices: ListChoices
) -> tuple[Sequence[str], Sequence[SheetRow], ListChoices]:
    """Return a table whose ``Time`` is joined with its ``Date``; alone, it is the date."""
    clocks = [title for title in titles if folded_title(title) in CLOCK_WORDS]
    chosen = set(map(folded_title, choices.columns.values()))
    if len(clocks) != 1 or folded_title(clocks[0]) in chosen:
        return titles, rows, choices
    (clock,) = clocks
    days = [title for title in titles if folded_title(title) in DATE_WORDS]
    keys = titles_of(titles, tracker_of(titles), choices.columns).keys
    if not days and "placed_at" not in {*keys.values(), *choices.columns}:
        if any(len(row.cells.get(clock, "")) > _WHOLE_MOMENT for row in rows):
            choices = choices.over(ListChoices(columns={"placed_at": clock}))
        return titles, rows, choices
    if len(days) != 1:
        return titles, rows, choices
    joined = list[SheetRow]()
    try:
        for row in rows:
            moment = at_clock(
                as_written(row.cells.get(days[0], "")), as_written(row.cells.get(clock, ""))
            )
            cells = {title: cell for title, cell in row.cells.items() if title != clock}
            joined.append(row._replace(cells=cells | {days[0]: moment}))
    except FigureError:  # the column holds something else
        return titles, rows, choices
    return [title for title in titles if title != clock], joined, choices


def _check_titles(keys: Mapping[str, str]) -> None:
    """Refuse a table without the columns of bets, and name the unknown columns."""
    held = {*keys.values()} | ({"stake"} if "liability" in keys.values() else set())
    missing = [key for key in NEEDED if key not in held]
    if not ({"odds", *ODDS_KEYS.values()} & set(keys.values())):
        missing.append("odds")
    if not missing:
        return
    unknown = [title for title, key in keys.items() if key not in KNOWN_KEYS]
    columns = ", ".join(missing)
    said = _("not a list of bets: no column for {columns}").format(columns=columns)
    if unknown:
        more = len(unknown) - _MOST_NAMED
        named = ", ".join(unknown[:_MOST_NAMED])
        if more > 0:
            named = _("{names} and {count} more").format(names=named, count=more)
        said = _("not a list of bets: no column for {columns}; unknown: {unknown}").format(
            columns=columns, unknown=named
        )
    raise ListUnclearError("columns", said)


def _style_teller(
    keys: Mapping[str, str], columns: Mapping[str, Sequence[str]], known: str | None, chosen: str
) -> Callable[[str], str]:
    """Return the function that returns the odds format of a column by its title.

    ``known`` is the known format; ``chosen`` applies if the cells do not decide.
    """
    by_key = {key: style for style, key in ODDS_KEYS.items()}

    def style_of(title: str) -> str:
        style = by_key.get(keys[title]) or known
        try:
            return style or _style_of_cells([cell for cell in columns[title] if cell])
        except ListUnclearError:
            if chosen:
                return chosen
            raise

    return style_of


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
        sample = [*odd, *numbers][0]
        raise ListUnclearError(
            "odds",
            _("odds such as {sample} may be decimal, American or something else").format(
                sample=sample
            ),
            sample,
        )
    return DECIMAL


def _number(cell: str) -> float | None:
    try:
        return read_number("odds", cell)
    except FigureError:
        return None
