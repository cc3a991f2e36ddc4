"""The matrix's columns and what stands above each."""

from functools import cache
from typing import Final

from oddsdesk.desk.models.figures import fair_sample, odds_sample
from oddsdesk.desk.models.matrix_layout import FAIR, PAST, REFERENCE, SELECTION, WINDOW
from oddsdesk.desk.widgets.cells import Align, Column, Header

WITHOUT_AGE: Final = frozenset({SELECTION, FAIR, WINDOW, PAST})
"""The columns that show no bookmaker's prices."""


def frozen_header(column: int, reference: str, method: str) -> Header:
    """Return what stands above a column of ``WITHOUT_AGE``."""
    if column == PAST:
        return Header("6 h", "", f"How the price of {reference} moved in the last 6 hours")
    if column == SELECTION:
        return Header("Selection")
    if column == WINDOW:
        return Header("Value window", "from – suspicious above")
    method = method.replace("_", " ")
    note = method.replace("proportional", "prop.")
    return Header("Fair", note, f"Odds without margin, by the {method} method")


def price_header(column: int, name: str, age: str, *, is_favourite: bool) -> Header:
    """Return what stands above a bookmaker's prices or the reference's."""
    tip = f"{name}: newest price seen {age} ago" if age else name
    if column == REFERENCE:
        return Header(name, f"{age} · limit" if age else "limit", tip)
    if is_favourite:
        return Header(f"★ {name}", age, f"{tip} · favourite", is_marked=True)
    return Header(name, age, tip)


@cache
def columns(_style: str) -> tuple[Column, ...]:
    """Return the frozen columns and that of a bookmaker, wide enough for this style of odds."""
    odds = odds_sample()
    window = max("best of market +88.8 %", f"{odds} – {odds}", key=len)
    return (
        Column("Both teams to score  Full Time", Align.LEFT),
        Column(odds, note_sample="888k", has_arrow=True),
        Column(fair_sample()),
        Column(window, most=200),
        Column("8888888"),
        Column(odds, has_arrow=True, most=128),
    )
