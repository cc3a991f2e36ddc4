"""How a list of bets writes its figures, and its cells read that way.

Odds format, decimal sign, order of day and month and the worth of a unit are shown by the title,
the tracker or the cells; if none of them decides, the user is asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

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
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.texts import shown
from oddsdesk.ledger.bet_lists import ListColumns
from oddsdesk.ledger.bet_tables import BET_COLUMNS, OURS, ColumnKind
from oddsdesk.ledger.cells import COMMISSION_KEYS, NO, PERCENT_SIGN, YES, read_result
from oddsdesk.ledger.columns import (
    ODDS_KEYS,
    PAYOUT,
    RETURNED,
    TO_WIN,
    ListUnclearError,
    folded_title,
)
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.pricing.formats import AMERICAN, DECIMAL, OddsFormatError, parse_odds
from oddsdesk.pricing.selections import Result

_KINDS: Final = {column.key: column.kind for column in BET_COLUMNS}
_MONEY: Final = ("stake", "profit", RETURNED, "liability", "refund", "cashed_stake", "cashed_back")
"""Columns of money, which may have thousands separators."""
_AMOUNTS: Final = frozenset({*_MONEY, "age_ms"})
LONGEST_CELL: Final = 10_000
"""In characters; the legs of a long accumulator take a few thousand."""


class Writing(NamedTuple):
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
    is_ours: bool
    """Whether oddsdesk wrote it."""
    has_currencies: bool
    """Whether its amounts are in several currencies."""
    unit: float | None
    """The worth of a unit, if amounts are in units."""
    in_units: frozenset[str]
    """Columns of amounts that are in units by their title."""


def writing_of(
    rows: Sequence[Mapping[str, str]], listed: ListColumns, choices: ListChoices
) -> Writing:
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
        raise ListUnclearError(
            "unit",
            _("stakes such as {sample} are in units, not money").format(sample=sample),
            sample,
        )
    decimals = _habits(numbers, decimals_of, choices.decimals)
    if listed.tracker is not OURS and odds != AMERICAN:
        _ask_habit(
            "decimals",
            {key: numbers.get(key, []) for key in _MONEY},
            decimals,
            may_be_thousands,
            _("figures such as {sample} may be thousands or have decimals"),
        )
    days = _habits(moments, days_of, choices.dates)
    _ask_habit(
        "dates", moments, days, is_day_unclear, _("dates such as {sample} do not show the day")
    )
    return Writing(
        words=listed.words,
        odds=odds,
        decimals=decimals,
        days=days,
        has_result="result" in listed.keys.values(),
        is_ours=listed.tracker is OURS,
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
            raise ListUnclearError(about, problem.format(sample=sample), sample)


def read_money(key: str, text: str, writing: Writing) -> float:
    """Return an amount; units become money."""
    amount = read_amount(key, text, writing.decimals.get(key))
    parts = taken_apart(text)
    is_units = parts.in_units or (key in writing.in_units and not parts.currency)
    return amount * writing.unit if is_units and writing.unit is not None else amount


def read_cell(key: str, text: str, writing: Writing) -> Any:
    """Return the value of a cell in the type of its column.

    Raises:
        FigureError: not such a value.
    """
    if len(text) > LONGEST_CELL:
        raise FigureError(
            _("{key}: expected at most {most:,} characters, got {count:,}: {text}").format(
                key=key, most=LONGEST_CELL, count=len(text), text=shown(text)
            )
        )
    if key == "result":
        return read_result(text, writing.words)
    if _KINDS[key] is ColumnKind.TIME:
        return read_time(key, text, writing.days.get(key))
    if _KINDS[key] is ColumnKind.FLAG:
        return _flag(key, text)
    if key in _AMOUNTS:
        return read_money(key, text, writing)
    return read_number(key, text) if _KINDS[key] is ColumnKind.NUMBER else text


def _flag(key: str, text: str) -> bool:
    word = folded_title(text)
    if word not in YES | NO:
        raise FigureError(_("{key} {text!r}: expected true or false").format(key=key, text=text))
    return word in YES


def read_odds(row: Mapping[str, str], style: str) -> float:
    """Return the decimal odds of a line; ``style`` is how the list writes odds.

    Raises:
        FigureError: not odds.
    """
    text = (row.get(ODDS_KEYS.get(style, "")) or row.get("odds", "")).strip()
    if style == DECIMAL:
        return read_number("odds", text)
    try:
        return parse_odds(text.replace(",", "") if style == AMERICAN else text, style)
    except OddsFormatError as error:
        raise FigureError(
            _("odds {text!r}: {error}").format(text=text, error=translated(str(error)))
        ) from None
