"""The matrix's columns and what stands above each."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from oddsdesk.board.matrix import Section
from oddsdesk.desk.matrix.cells import selection_text
from oddsdesk.desk.matrix.layout import BEST, FAIR, PAST, REFERENCE, SELECTION, WINDOW
from oddsdesk.desk.ui.formatting import odds_sample, window_sample
from oddsdesk.desk.ui.table.cells import Align, Column, Header, ShrinkStep

WITHOUT_AGE: Final = frozenset({SELECTION, FAIR, WINDOW, BEST, PAST})
"""The columns that show no bookmaker's prices."""
_WIDE_NAME: Final = "Both teams to score  Full Time"
_USUAL_NAME: Final = "Both teams to score"
_NARROW_NAME: Final = "Manchester +0.5"
_FOLD: Final = " " * 6
"""As wide as the mark before a section's title, and its semi-bold letters."""


def header_without_age(column: int, reference: str, method: str) -> Header:
    """Return what stands above a column of ``WITHOUT_AGE``."""
    if column == PAST:
        return Header("6 h", "", f"How the price of {reference} moved in the last 6 hours")
    if column == SELECTION:
        return Header("Selection")
    if column == WINDOW:
        return Header(
            "Value window",
            "from – to",
            "From which price the selection is value, and up to which: above it is suspicious; "
            "none: no price can be value by the rules",
        )
    if column == BEST:
        return Header(
            "Best",
            "of market",
            "The best price and who offers it (B goes there); on a section's row the hold of its "
            "best prices, below 0 an arbitrage",
        )
    method = method.replace("_", " ")
    note = method.replace("proportional", "prop.")
    return Header("Fair", note, f"Odds without margin, by the {method} method")


def reference_header(name: str, age: str, *, has_limits: bool) -> Header:
    """Return what stands above the reference's prices."""
    parts = (age, "limit" if has_limits else "")
    return Header(name, " · ".join(filter(None, parts)), _age_tip(name, age))


def price_header(name: str, age: str, *, is_favourite: bool) -> Header:
    """Return what stands above a bookmaker's prices."""
    tip = _age_tip(name, age)
    if is_favourite:
        return Header(f"★ {name}", age, f"{tip} · favourite", is_marked=True)
    return Header(name, age, tip)


def widest_name(sections: Iterable[Section]) -> str:
    """Return the widest text of the first column, for its width; the usual one of no sections."""
    names = [f"{section.title}{_FOLD}" for section in sections]
    names += [selection_text(section, line) for section in sections for line in section.lines]
    return max(names, key=len, default=_USUAL_NAME)


@lru_cache
def columns(_style: str, name: str, *, has_limits: bool) -> tuple[Column, ...]:
    """Return the columns up to the first bookmaker's, wide enough for this style of odds.

    The first takes the widest ``name``, if that is not all too wide.
    """
    odds = odds_sample()
    return (
        Column(_shorter(name, _WIDE_NAME), Align.LEFT),
        Column(odds, note_sample="888k" if has_limits else "", has_arrow=True, hangs=True),
        Column(odds, hangs=True),
        Column(window_sample()),
        Column(f"? {odds}", note_sample="Betfair UK +8", hangs=True),
        Column("88888"),
        Column(odds, has_arrow=True, hangs=True, most=124),
    )


@lru_cache
def narrowings(_style: str, name: str) -> tuple[ShrinkStep, ...]:
    """Return how the frozen columns give way where bookmakers would have no room."""
    odds = odds_sample()
    return (
        ShrinkStep(SELECTION, _shorter(name, _USUAL_NAME)),
        ShrinkStep(FAIR, odds),
        ShrinkStep(BEST, f"? {odds}"),
        ShrinkStep(SELECTION, _shorter(name, _NARROW_NAME)),
        ShrinkStep(REFERENCE, odds),
        ShrinkStep(PAST),
        ShrinkStep(FAIR),
    )


def _shorter(name: str, most: str) -> str:
    return min(name, most, key=len)


def _age_tip(name: str, age: str) -> str:
    return f"{name}: newest price seen {age} ago" if age else name
