"""Reads the cells of a list of bets: results, commissions and kinds, as people write them.

``Commission`` may be a percentage or an amount. The title (``Commission %``), a sign in a cell
(``2 %``, ``€0.20``), an impossible figure or the profits of won bets decide; if none does, the
column is not read, and a message says that.

Free bets, each-way bets and lay bets do not earn what a stake earns at its odds. A line is one of
them if a column is named for it (``Free bet``: yes), if a column of kinds or sides has its name
(``Bet type``, ``Side``, ``Stake type``), if a cell of a note or an unused column has only its
name, or if a selection or market ends with it (``Old Tom EW``).
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.figures import FigureError, Habit, read_amount, taken_apart
from oddsdesk.base.text import as_written
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import CENT, folded_title, result_word, result_words
from oddsdesk.pricing.selections import Result, decided_share

if TYPE_CHECKING:
    from oddsdesk.base.spreadsheets import SheetRow

YES: Final = frozenset({"yes", "true", "1", "y", "oui", "ja", "si", "sim", "tak", "wahr", "vero"})
NO: Final = frozenset(
    {"no", "false", "0", "n", "non", "nein", "nee", "nej", "nei", "nao", "nie", "falsch", "falso"}
)


def read_result(text: str, words: Mapping[str, Result | None] | None = None) -> Result | None:
    """Return the result that a word names, None for an open bet.

    ``words`` are folded; those of all languages if None.

    Raises:
        FigureError: the word is not a result.
    """
    try:
        return (result_words() if words is None else words)[result_word(text)]
    except KeyError:
        known = "won, lost, void, half won, half lost, cashed out or open"
        raise FigureError(f"result {text!r}: expected {known}") from None


COMMISSION, COMMISSION_PCT, COMMISSION_AMOUNT = "commission", "commission %", "commission amount"
_MOST_SHARE: Final = 0.5
"""A larger figure cannot be a share of the winnings: 0.75 is percent."""
_WINS: Final = frozenset({Result.WON, Result.HALF_WON})


class CommissionKind(Enum):
    """What a column of commissions holds."""

    PERCENT = "as percent of the winnings"
    SHARE = "as a share of the winnings"
    """0.02 for 2 %; workbooks store percentages like this."""
    AMOUNT = "as an amount"


_BY_TITLE: Final = {
    COMMISSION_PCT: frozenset({CommissionKind.PERCENT, CommissionKind.SHARE}),
    COMMISSION_AMOUNT: frozenset({CommissionKind.AMOUNT}),
    COMMISSION: frozenset(CommissionKind),
}
COMMISSION_KEYS: Final = tuple(_BY_TITLE)
"""The most common first."""
PERCENT_SIGN: Final = "% "
"""What can follow a percentage."""


class StatedCommission(NamedTuple):
    """What a cell says about commission."""

    figure: float
    kinds: frozenset[CommissionKind]
    """The kinds that its sign allows."""


class BetLine(NamedTuple):
    """A bet of a list, with the other cells of its line."""

    number: int
    bet: PlacedBet
    profit: float | None
    commission: StatedCommission | None


class Commissions(NamedTuple):
    """How a list states commissions."""

    kind: CommissionKind | None = None
    """None if the list has no readable commission."""
    taken_for: str = ""
    """How it was read; empty if there is no commission."""
    doubt: str = ""
    """Why it is not read; empty if it is, or if there is none."""

    def net(self, line: BetLine) -> float | None:
        """Return the odds of a bet after commission; None if the commission does not give them.

        An amount does so only for a won bet, since others pay none.
        """
        bet, stated = line.bet, line.commission
        if (
            self.kind is None
            or stated is None
            or (self.kind is CommissionKind.AMOUNT and not _has_won(bet))
        ):
            return None
        stake = bet.stake * _share(bet) if self.kind is CommissionKind.AMOUNT else 1.0
        won = stake * (bet.odds - 1)
        return 1 + max(0.0, won - _kept(self.kind, stated.figure, won)) / stake


def read_commission(text: str, decimals: Habit | None) -> StatedCommission | None:
    """Return what a cell says; None for an empty one. A negative figure was charged as an amount.

    Raises:
        FigureError: not a number.
    """
    if not text:
        return None
    figure = read_amount("commission", text.rstrip(PERCENT_SIGN), decimals)
    kinds = frozenset(CommissionKind)
    if text.endswith("%"):
        kinds &= {CommissionKind.PERCENT}
    if figure < 0 or taken_apart(text).currency:
        kinds &= {CommissionKind.AMOUNT}
    return StatedCommission(abs(figure), kinds)


def commission_key(keys: Collection[str]) -> str | None:
    """Return which column of a list holds the commission; None if none does."""
    return next((key for key in COMMISSION_KEYS if key in keys), None)


def commissions_of(key: str, lines: Sequence[BetLine]) -> Commissions:
    """Return how a list states commissions; ``key`` is the meaning of the column's title."""
    with_figure = [line for line in lines if line.commission is not None]
    above = next(
        (stated.figure for line in with_figure if (stated := line.commission) and stated.figure),
        None,
    )
    if above is None:  # all zero: the kind does not matter
        return Commissions(CommissionKind.PERCENT) if with_figure else Commissions()
    sample = f"commission such as {above:g} was not read"
    kinds = _BY_TITLE[key].intersection(*map(_possible, with_figure))
    fitting = [_fitting(line) for line in with_figure]
    if frozenset() in fitting:
        return Commissions(doubt=f"{sample}: the listed profits are before commission")
    kinds = kinds.intersection(*filter(None, fitting))
    if not kinds:
        return Commissions(doubt=f"{sample}: other bets in the list contradict it")
    if len(kinds) > 1:
        return Commissions(
            doubt=f"{sample}: it may be a percentage or an amount; undo, name the column"
            " Commission % (2 for 2 %) or Commission amount, and import again"
        )
    (kind,) = kinds
    return Commissions(kind, f"commission {kind.value}")


def _possible(line: BetLine) -> frozenset[CommissionKind]:
    """Return what a figure can be by its sign and its size."""
    stated = line.commission
    if stated is None:
        return frozenset(CommissionKind)
    most = {
        CommissionKind.PERCENT: 100.0,
        CommissionKind.SHARE: _MOST_SHARE,
        CommissionKind.AMOUNT: _won(line.bet) + CENT if _has_won(line.bet) else math.inf,
    }
    return frozenset(kind for kind in stated.kinds if stated.figure <= most[kind])


def _fitting(line: BetLine) -> frozenset[CommissionKind] | None:
    """Return the kinds of commission that fit the listed profit; none if it is before commission.

    None if the profit does not decide: it is missing, or fits no kind.
    """
    stated, profit = line.commission, line.profit
    if stated is None or profit is None or not _has_won(line.bet):
        return None
    won = _won(line.bet)
    fits = frozenset(
        kind
        for kind in CommissionKind
        if abs(won - _kept(kind, stated.figure, won) - profit) <= CENT
    )
    if abs(won - profit) <= CENT:
        return None if fits else fits
    return fits or None


def _kept(kind: CommissionKind, figure: float, won: float) -> float:
    match kind:
        case CommissionKind.PERCENT:
            return won * figure / 100
        case CommissionKind.SHARE:
            return won * figure
        case CommissionKind.AMOUNT:
            return figure


def _won(bet: PlacedBet) -> float:
    """Return the winnings of a won bet before commission, without its stake."""
    return bet.stake * _share(bet) * (bet.odds - 1)


def _share(bet: PlacedBet) -> float:
    return 0.0 if bet.result is None else decided_share(bet.result)


def _has_won(bet: PlacedBet) -> bool:
    return bet.result in _WINS


class BetKind(Enum):
    """A kind of bet that is not imported, and the reason."""

    FREE = "a free bet, which does not earn what its stake would"
    EACH_WAY = "an each-way bet, which does not earn what its stake would"
    LAY = "a lay bet; lay bets aren't supported"


_FLAGS: Final = {
    **dict.fromkeys(("freebet", "freebets", "isfreebet", "freebetused", "snr"), BetKind.FREE),
    **dict.fromkeys(("freebetstake", "freebetamount"), BetKind.FREE),
    **dict.fromkeys(("bonusbet", "bonusbets", "isbonusbet", "isbonus"), BetKind.FREE),
    **dict.fromkeys(("eachway", "eachwaybet", "iseachway", "ew", "isew"), BetKind.EACH_WAY),
    **dict.fromkeys(("laybet", "islaybet", "islay"), BetKind.LAY),
}
"""Columns of yes or no, or of a count or fraction (``1/5``)."""
_MIXED: Final = {"bonus": BetKind.FREE, "lay": BetKind.LAY}
"""Columns that in other lists hold a bonus on top, or the odds of a hedge."""
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
    **dict.fromkeys(("freebet", "freebets", "bonus", "bonusbet", "bonusbets", "snr"), BetKind.FREE),
    **dict.fromkeys(("freebetsnr", "snrfreebet", "freebetsr", "srfreebet"), BetKind.FREE),
    **dict.fromkeys(("eachway", "eachwaybet", "ew"), BetKind.EACH_WAY),
    **dict.fromkeys(("lay", "laybet"), BetKind.LAY),
}
"""Whole cells, folded; those in ``_NAMED`` only count in a column of kinds."""
_NAMED: Final = {"free": BetKind.FREE, "sell": BetKind.LAY}
_BACKED: Final = frozenset({"back", "backbet", "b", "buy"})
_LETTERS: Final = {"b": "", "l": BetKind.LAY.value}
_NOTHING: Final = frozenset({*NO, "none", "na"})
_UNLESS: Final = r"(?<!\bno )(?<!\bnon )(?<!\bnon-)(?<!\bnot )(?<!\brisk )(?<!\brisk-)"
"""A risk-free bet is made with the user's own money."""
_WORDS: Final = {
    BetKind.LAY: re.compile(rf"{_UNLESS}\b(lay|lays|laid)\b"),
    BetKind.EACH_WAY: re.compile(rf"{_UNLESS}\b(each[ -]?way|e/w|ew)\b"),
    BetKind.FREE: re.compile(
        rf"{_UNLESS}\b(free[ -]?(bet|stake|play|credit)s?|snr|stake not returned"
        r"|bonus[ -]?(bets?|stakes?|money|cash|funds?|balance|credits?))\b(?!.*\bqualif)"
    ),
}
"""A bet that qualifies for a free bet is not one."""
_LONGEST: Final = 40
"""In characters; longer cells are prose."""

Reason = str | None
"""Why a line is not imported; empty: it is not of this kind; None: the cell does not say."""


class BetKinds(NamedTuple):
    """The lines of a list that are bets of kinds that are not imported."""

    refused: dict[int, str]
    """The reason for each line, by its number."""
    read: set[str]
    """Titles of the columns that decided."""


def bet_kinds_of(
    rows: "Sequence[SheetRow]",
    titles: Sequence[str],
    spare: Collection[str],
    described: Collection[str] = (),
) -> BetKinds:
    """Return the lines whose bets are not imported.

    ``spare``: titles of notes and unused columns; ``described``: of selections and markets.
    """
    found = BetKinds({}, set())
    for title in titles:
        reason_of = _reason_reader(title, is_spare=title in spare)
        if title in described:
            reason_of = _by_ending if reason_of is None else _either(reason_of, _by_ending)
        if reason_of is None:
            continue
        cells = {row.number: as_written(row.cells.get(title, "")) for row in rows}
        texts = {text for text in cells.values() if text}
        if reason_of is _by_words and _are_letters(title, texts):
            reason_of = _by_letter
        reasons = {text: reason_of(text) for text in texts}
        if folded_title(title) in _FLAGS or any(why is not None for why in reasons.values()):
            found.read.add(title)
        for number, text in cells.items():
            if why := reasons.get(text):
                found.refused.setdefault(number, why)
    return found


def _reason_reader(title: str, *, is_spare: bool) -> Callable[[str], Reason] | None:
    """Return the function that reads the cells of a column; None if it decides nothing."""
    name = folded_title(title)
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
    """Return whether a column has B for back and L for lay; L alone may mean live."""
    letters = {folded_title(text) for text in texts}
    return letters <= {*_LETTERS} and ("b" in letters or folded_title(title) in _SIDES)


def _by_flag(title: str, kind: BetKind, text: str) -> Reason:
    found = _by_mixed(kind, text)
    if found is not None:
        return found
    return kind.value if folded_title(text).isdecimal() else f"{title} {text!r}: expected yes or no"


def _by_mixed(kind: BetKind, text: str) -> Reason:
    word = folded_title(text)
    if not word.strip("0") or word in _NOTHING:
        return ""
    return kind.value if word in YES else _by_cell(text)


def _by_letter(text: str) -> Reason:
    return _LETTERS.get(folded_title(text))


def _either(
    one: Callable[[str], Reason], other: Callable[[str], Reason]
) -> Callable[[str], Reason]:
    return lambda text: one(text) or other(text)


def _by_ending(text: str) -> Reason:
    """Return that a selection is each-way: ``Old Tom EW``, ``To Win E/W (1/5 odds)``."""
    return BetKind.EACH_WAY.value if _EACH_WAY.search(text) else None


_EACH_WAY: Final = re.compile(r"\be/w\b|\beach[ -]?way\b|\sew\)?$|\(ew\)", re.IGNORECASE)
_MULTIPLE: Final = re.compile(
    r"\b(parlay|multi|acca|accumulator|combo|combi|kombi|combined|double(?! chance)|treble|sgp)",
    re.IGNORECASE,
)
LEG: Final = "a leg of a multiple in a separate row; multiples aren't supported"


def legs_of(
    titles: Sequence[str], rows: Sequence[tuple[int, Mapping[str, str]]], payments: Sequence[str]
) -> dict[int, str]:
    """Return lines that may be legs of one multiple: its payment, by line number.

    They say that they are of a multiple and share its date, stake and payment, which is in the
    first filled column of ``payments``. ``rows`` are by key, those of unknown titles after ``?``.
    """
    types = [f"?{title}" for title in titles if folded_title(title) in _TYPES]
    shared: dict[tuple[str, ...], list[int]] = {}
    for number, row in rows:
        payment = next(filter(None, map(row.get, payments)), None)
        if payment and any(_MULTIPLE.search(row.get(key, "")) for key in types):
            same = (row.get("placed_at", ""), row.get("stake", ""), row.get("bookmaker", ""))
            shared.setdefault((*same, payment), []).append(number)
    return {
        number: payment
        for (*_, payment), numbers in shared.items()
        if len(numbers) > 1
        for number in numbers
    }


def _by_words(text: str) -> Reason:
    word, plain = folded_title(text), text.casefold().replace("_", " ")
    if word in _BACKED:
        return ""
    if word in _NAMED:
        return _NAMED[word].value
    named = (kind.value for kind, words in _WORDS.items() if words.search(plain))
    return next(named, None) or _by_cell(text)


def _by_tags(text: str) -> Reason:
    return next(filter(None, map(_by_cell, re.split("[,;|]", text))), None)


def _by_cell(text: str) -> Reason:
    kind = _ALONE.get(folded_title(text)) if len(text) <= _LONGEST else None
    return None if kind is None else kind.value
