"""Kinds of bets that are not kept here, as lists tell of them: free, each-way and lay bets.

What they earn is not what a stake earns at odds. A line is of one by a column that is named for it
(``Free bet``: yes), by the words of one that names kinds or sides (``Bet type``, ``Side``,
``Stake type``), and where a cell of another column that is not read for more, or is a note, says
nothing else.
"""

import re
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from oddsdesk.formula_texts import as_written
from oddsdesk.ledger.cells import NO, YES, fold
from oddsdesk.spreadsheets import SheetRow


class Kind(Enum):
    """A kind of bet, and why it is not kept."""

    FREE = "a free bet, whose profit is not that of its stake"
    EACH_WAY = "an each-way bet, whose profit is not that of its stake"
    LAY = "a lay bet: not kept here"


_FLAGS: Final = {
    **dict.fromkeys(("freebet", "freebets", "isfreebet", "freebetused", "snr"), Kind.FREE),
    **dict.fromkeys(("freebetstake", "freebetamount"), Kind.FREE),
    **dict.fromkeys(("bonusbet", "bonusbets", "isbonusbet", "isbonus"), Kind.FREE),
    **dict.fromkeys(("eachway", "eachwaybet", "iseachway", "ew", "isew"), Kind.EACH_WAY),
    **dict.fromkeys(("laybet", "islaybet", "islay"), Kind.LAY),
}
"""Columns that say yes or no, or how much of it there is (``1/5``)."""
_MIXED: Final = {"bonus": Kind.FREE, "lay": Kind.LAY}
"""Columns that elsewhere hold what was paid on top, or the odds of a hedge."""
_TYPES: Final = frozenset(
    {
        *("type", "bettype", "typeofbet", "wagertype", "bidtype", "ordertype"),
        *("kind", "betkind", "kindofbet", "staketype", "typeofstake", "stakekind"),
        *("fundstype", "moneytype"),
    }
)
_SIDES: Final = frozenset(
    {"side", "betside", "orderside", "backlay", "backorlay", "layback", "layorback", "bl"}
)
_TAGS: Final = frozenset({"tag", "tags", "labels"})
_ALONE: Final = {
    **dict.fromkeys(("freebet", "freebets", "bonus", "bonusbet", "bonusbets", "snr"), Kind.FREE),
    **dict.fromkeys(("freebetsnr", "snrfreebet", "freebetsr", "srfreebet"), Kind.FREE),
    **dict.fromkeys(("eachway", "eachwaybet", "ew"), Kind.EACH_WAY),
    **dict.fromkeys(("lay", "laybet"), Kind.LAY),
}
"""By whole cells, folded; ``_NAMED`` those that only a column of kinds may mean so."""
_NAMED: Final = {"free": Kind.FREE, "sell": Kind.LAY}
_BACKED: Final = frozenset({"back", "backbet", "b", "buy"})
_LETTERS: Final = {"b": "", "l": Kind.LAY.value}
_NOTHING: Final = frozenset({*NO, "none", "na"})
_UNLESS: Final = r"(?<!\bno )(?<!\bnon )(?<!\bnon-)(?<!\bnot )(?<!\brisk )(?<!\brisk-)"
"""A risk-free bet is one of the user's own money."""
_WORDS: Final = {
    Kind.LAY: re.compile(rf"{_UNLESS}\b(lay|lays|laid)\b"),
    Kind.EACH_WAY: re.compile(rf"{_UNLESS}\b(each[ -]?way|e/w|ew)\b"),
    Kind.FREE: re.compile(
        rf"{_UNLESS}\b(free[ -]?(bet|stake|play|credit)s?|snr|stake not returned"
        r"|bonus[ -]?(bets?|stakes?|money|cash|funds?|balance|credits?))\b(?!.*\bqualif)"
    ),
}
"""What qualifies for a free bet is none."""
_LONGEST: Final = 40
"""In characters; a longer cell is a text."""

Told = str | None
"""Why a line is not kept; empty: its cell says that it is no such bet; None: it says nothing."""


class Kinds(NamedTuple):
    """What the lines of a list say of kinds that are not kept."""

    refused: dict[int, str]
    """Why a line is not kept, by its number."""
    read: set[str]
    """Titles of the columns that tell."""


def kinds_of(rows: Sequence[SheetRow], titles: Sequence[str], spare: Collection[str]) -> Kinds:
    """Return which lines are of bets that are not kept.

    ``spare``: titles of columns that are not read for more, and of notes.
    """
    found = Kinds({}, set())
    for title in titles:
        tell = _teller(title, is_spare=title in spare)
        if tell is None:
            continue
        cells = {row.number: as_written(row.cells.get(title, "")) for row in rows}
        texts = {text for text in cells.values() if text}
        if tell is _by_words and _are_letters(title, texts):
            tell = _by_letter
        told = {text: tell(text) for text in texts}
        if fold(title) in _FLAGS or any(why is not None for why in told.values()):
            found.read.add(title)
        for number, text in cells.items():
            if why := told.get(text):
                found.refused.setdefault(number, why)
    return found


def _teller(title: str, *, is_spare: bool) -> Callable[[str], Told] | None:
    """Return what tells by a cell of a column; None where nothing does."""
    name = fold(title)
    if name in _FLAGS:
        return partial(_by_flag, title, _FLAGS[name])
    if name in _MIXED:
        return partial(_by_mixed, _MIXED[name])
    if name in _TYPES | _SIDES:
        return _by_words
    if name in _TAGS:
        return _by_tags
    return _by_cell if is_spare else None


def _are_letters(title: str, texts: Collection[str]) -> bool:
    """Whether a column has B for back and L for lay; L alone may be live."""
    letters = {fold(text) for text in texts}
    return letters <= {*_LETTERS} and ("b" in letters or fold(title) in _SIDES)


def _by_flag(title: str, kind: Kind, text: str) -> Told:
    found = _by_mixed(kind, text)
    if found is not None:
        return found
    return kind.value if fold(text).isdecimal() else f"{title} {text!r}: expected yes or no"


def _by_mixed(kind: Kind, text: str) -> Told:
    word = fold(text)
    if not word.strip("0") or word in _NOTHING:
        return ""
    return kind.value if word in YES else _by_cell(text)


def _by_letter(text: str) -> Told:
    return _LETTERS.get(fold(text))


def _by_words(text: str) -> Told:
    word, plain = fold(text), text.casefold().replace("_", " ")
    if word in _BACKED:
        return ""
    if word in _NAMED:
        return _NAMED[word].value
    named = (kind.value for kind, words in _WORDS.items() if words.search(plain))
    return next(named, None) or _by_cell(text)


def _by_tags(text: str) -> Told:
    return next(filter(None, map(_by_cell, re.split("[,;|]", text))), None)


def _by_cell(text: str) -> Told:
    kind = _ALONE.get(fold(text)) if len(text) <= _LONGEST else None
    return None if kind is None else kind.value
