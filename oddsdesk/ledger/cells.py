"""Reads the cells of a list of bets: results, commissions and kinds, as people write them.

``Commission`` may be a percentage or an amount. The title (``Commission %``), a sign in a cell
(``2 %``, ``€0.20``), an impossible figure or the profits of won bets decide; if none does, the
column is not read, and a message says that.

A line is a free bet, an each-way bet, a lay or of another kind if a column is named for it
(``Free bet``: yes), if a column of kinds or sides has its name (``Bet type``, ``Side``, ``Stake
type``), if a cell of a note or an unused column has only its name, or if a selection, market or
stake ends with it (``Old Tom EW``).
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.figures import FigureError, Habit, read_amount, taken_apart
from oddsdesk.base.text import as_written
from oddsdesk.base.texts import _, translated
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import CENT, folded_title, kind_words, result_word, result_words
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
        known = _("won, lost, void, half won, half lost, cashed out or open")
        raise FigureError(
            _("result {text!r}: expected {known}").format(text=text, known=known)
        ) from None


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


_COMMISSIONS: Final = {
    CommissionKind.PERCENT: _("commission as percent of the winnings"),
    CommissionKind.SHARE: _("commission as a share of the winnings"),
    CommissionKind.AMOUNT: _("commission as an amount"),
}
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
        stake = bet.size * _share(bet) if self.kind is CommissionKind.AMOUNT else 1.0
        won = stake * (bet.net - 1)
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
    sample = _("commission such as {above:g} was not read").format(above=above)
    kinds = _BY_TITLE[key].intersection(*map(_possible, with_figure))
    fitting = [_fitting(line) for line in with_figure]
    if frozenset() in fitting:
        return Commissions(
            doubt=_("{sample}: the listed profits are before commission").format(sample=sample)
        )
    kinds = kinds.intersection(*filter(None, fitting))
    if not kinds:
        return Commissions(
            doubt=_("{sample}: other bets in the list contradict it").format(sample=sample)
        )
    if len(kinds) > 1:
        return Commissions(
            doubt=_(
                "{sample}: it may be a percentage or an amount; undo, name the "
                "column Commission % (2 for 2 %) or Commission amount, and import "
                "again"
            ).format(sample=sample)
        )
    (kind,) = kinds
    return Commissions(kind, _COMMISSIONS[kind])


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
    return bet.size * _share(bet) * (bet.net - 1)


def _share(bet: PlacedBet) -> float:
    return 0.0 if bet.result is None else decided_share(bet.result)


def _has_won(bet: PlacedBet) -> bool:
    return bet.result in _WINS


_FREE, _BACK_TOO = BetKind.FREE, BetKind.FREE_RETURNED
_FLAGS: Final = {
    **dict.fromkeys(("freebet", "freebets", "isfreebet", "freebetused", "snr"), _FREE),
    **dict.fromkeys(("freebetstake", "freebetamount"), _FREE),
    **dict.fromkeys(("bonusbet", "bonusbets", "isbonusbet", "isbonus"), _FREE),
    **dict.fromkeys(("eachway", "eachwaybet", "iseachway", "ew", "isew"), BetKind.EACH_WAY),
    **dict.fromkeys(("laybet", "islaybet", "islay"), BetKind.LAY),
}
"""Columns of yes or no, or of a count or fraction (``1/5``)."""
_MIXED: Final = {
    "bonus": _FREE,
    "lay": BetKind.LAY,
    **dict.fromkeys(("stakereturned", "stakeback", "isstakereturned", "sr"), _BACK_TOO),
    **dict.fromkeys(("boost", "boosted", "isboosted", "oddsboost", "profitboost"), BetKind.BOOST),
    **dict.fromkeys(("riskfree", "isriskfree", "riskfreebet", "moneyback"), BetKind.REFUND),
    **dict.fromkeys(("insurance", "insured", "refundifitloses"), BetKind.REFUND),
    **dict.fromkeys(("parlay", "isparlay", "multiple", "ismultiple"), BetKind.MULTIPLE),
}
"""Columns that in other lists hold something else, such as the odds of a hedge."""
_TYPES: Final = frozenset(
    {
        *("type", "bettype", "typeofbet", "wagertype", "bidtype", "ordertype"),
        *("kind", "betkind", "kindofbet", "staketype", "typeofstake", "stakekind"),
        *("fundstype", "moneytype", "typ", "art", "wetttyp", "wettentyp", "artderwette"),
        *("tipo", "tipodeapuesta", "typedepari", "tipodiscommessa", "tipodeaposta", "tipologia"),
        *("soort", "speltyp", "spilltype", "spiltype", "rodzaj"),
    }
)
_SIDES: Final = frozenset(
    {"side", "betside", "orderside", "backlay", "backorlay", "layback", "layorback", "bl"}
)
_TAGS: Final = frozenset({"tag", "tags", "labels"})
_ALONE: Final = {
    **dict.fromkeys(("freebet", "freebets", "bonus", "bonusbet", "bonusbets", "snr"), _FREE),
    **dict.fromkeys(("freebetsnr", "snrfreebet"), _FREE),
    **dict.fromkeys(("freebetsr", "srfreebet", "freebetstakereturned"), _BACK_TOO),
    **dict.fromkeys(("eachway", "eachwaybet", "ew"), BetKind.EACH_WAY),
    **dict.fromkeys(("lay", "laybet"), BetKind.LAY),
    **dict.fromkeys(("boost", "boosted", "oddsboost", "profitboost"), BetKind.BOOST),
    **dict.fromkeys(("priceboost", "superboost", "enhancedodds"), BetKind.BOOST),
    **dict.fromkeys(("riskfree", "riskfreebet", "betinsurance", "nosweatbet"), BetKind.REFUND),
}
"""Whole cells, folded; those in ``_NAMED`` only count in a column of kinds."""
_NAMED: Final = {"free": _FREE, "fb": _FREE, "sr": _BACK_TOO, "sell": BetKind.LAY}
_BACKED: Final = frozenset({"back", "backbet", "b", "buy"})
_LETTERS: Final = {"b": frozenset[BetKind](), "l": frozenset({BetKind.LAY})}
_NOTHING: Final = frozenset({*NO, "none", "na"})
_UNLESS: Final = r"(?<!\bno )(?<!\bnon )(?<!\bnon-)(?<!\bnot )(?<!\brisk )(?<!\brisk-)"
"""A risk-free bet is made with the user's own money."""
_WORDS: Final = {
    BetKind.LAY: re.compile(rf"{_UNLESS}\b(lay|lays|laid)\b"),
    BetKind.EACH_WAY: re.compile(rf"{_UNLESS}\b(each[ -]?way|e/w|ew)\b"),
    _FREE: re.compile(
        rf"{_UNLESS}\b(free[ -]?(bet|stake|play|credit)s?|snr|stake not returned"
        r"|bonus[ -]?(bets?|stakes?|money|cash|funds?|balance|credits?))\b(?!.*\bqualif)"
    ),
    _BACK_TOO: re.compile(r"\b(stake (is )?returned|sr)\b"),
    BetKind.BOOST: re.compile(r"\b(boost(ed)?|enhanced)\b"),
    BetKind.REFUND: re.compile(
        r"\b(risk[ -]?free|no[ -]?sweat|second[ -]?chance|money[ -]?back|bet[ -]?insurance"
        r"|(stake |)refund(ed)? if)\b"
    ),
    BetKind.MULTIPLE: re.compile(
        r"\b(parlay|multi\b|multiple\b|acca|accumulator|combo|combi|kombi|combined|treble"
        r"|double(?! chance)|sgp)"
    ),
}
"""A bet that qualifies for a free bet is not one."""
_EACH_WAY: Final = re.compile(r"\be/w\b|\beach[ -]?way\b|\sew\)?$|\(ew\)", re.IGNORECASE)
_LONGEST: Final = 40
"""In characters; longer cells are prose."""
_FRACTION: Final = re.compile(r"(?<![\d/])1 ?/ ?([2-9]|1\d)(?![\d/])")
_PLACES: Final = re.compile(r"\b(\d{1,2}) ?(?:places?|pl|plätze|plazas|places payées)\b")
_COUNTED: Final = re.compile(r"\b1(?:[-,]\d)*[-,](\d)\b")
"""1-2-3."""

Said = frozenset[BetKind] | None
"""The kinds that a cell names; none if it says no; None if it says nothing."""


class LineKind(NamedTuple):
    """What the cells of a line say about the kind of its bet."""

    kinds: frozenset[BetKind] = frozenset()
    texts: str = ""
    """The cells that named a kind."""
    free: str = ""
    """The amount of a column such as ``Free bet amount``."""
    wrong: str = ""
    """Why the kind cannot be read; empty if it can."""

    @property
    def is_free_sure(self) -> bool:
        """Whether a cell says if the stake of a free bet is returned."""
        return bool(_SURE.search(self.texts)) or _BACK_TOO in self.kinds

    def kind(self, *, has_legs: bool) -> BetKind:
        """Return the kind of the bet.

        Raises:
            FigureError: no single kind.
        """
        said = self.kinds
        if self.wrong:
            raise FigureError(self.wrong)
        if BetKind.LAY in said:
            return BetKind.LAY
        if BetKind.EACH_WAY in said:
            for other in (_FREE, BetKind.MULTIPLE):
                if other in said:
                    raise FigureError(
                        _("an each-way bet that is a {kind} too: record its parts by hand").format(
                            kind=translated(other.words)
                        )
                    )
            return BetKind.EACH_WAY
        if _FREE in said:
            return _BACK_TOO if _BACK_TOO in said else _FREE
        for kind in (BetKind.REFUND, BetKind.BOOST):
            if kind in said:
                return kind
        return BetKind.MULTIPLE if has_legs else BetKind.BACK


def place_terms(text: str) -> tuple[float | None, int | None]:
    """Return the share of the winnings that a place pays, and how many places do; None if unsaid.

    ``E/W (1/5 odds 3 places)``, ``1/4 1-2-3``.
    """
    fraction = _FRACTION.search(text)
    places = _PLACES.search(text.casefold()) or _COUNTED.search(text)
    return (
        None if fraction is None else 1 / int(fraction[1]),
        None if places is None else int(places[1]),
    )


_SURE: Final = re.compile(r"\b(snr|not returned)\b", re.IGNORECASE)
PLAIN_LINE: Final = LineKind()


class LineKinds(NamedTuple):
    """The kinds of a list's bets."""

    by_line: dict[int, LineKind]
    """By line number; a line that is not in it is a back bet."""
    read: set[str]
    """Titles of the columns that decided."""
    unknown: list[str]
    """Words in a column that the user chose for the kind, which name no known kind."""


def kinds_of_lines(
    rows: "Sequence[SheetRow]",
    titles: Sequence[str],
    spare: Collection[str],
    described: Collection[str] = (),
    chosen: str = "",
) -> LineKinds:
    """Return what a list says about the kinds of its bets.

    ``spare``: titles of notes and unused columns; ``described``: of selections, markets and stakes;
    ``chosen``: of the column that the user chose for the kind.
    """
    found = LineKinds({}, set(), [])
    for title in titles:
        name = folded_title(title)
        read = _by_words if title == chosen else _cell_reader(title, is_spare=title in spare)
        if title in described:
            read = _by_ending if read is None else _either(read, _by_ending)
        if read is None:
            continue
        cells = {row.number: as_written(row.cells.get(title, "")) for row in rows}
        texts = {text for text in cells.values() if text}
        if read is _by_words and _are_letters(title, texts):
            read = _by_letter
        said = {text: _said(read, title, text) for text in texts}
        if name in _FLAGS or any(each.has_said for each in said.values()):
            found.read.add(title)
        if title == chosen:
            known = kind_words()
            found.unknown.extend(
                text
                for text, each in sorted(said.items())
                if not each.has_said and folded_title(text) not in known
            )
        is_amount = _FLAGS.get(name) is _FREE
        for number, text in cells.items():
            its = said.get(text)
            if its is None or not (its.kinds or its.wrong):
                continue
            held = found.by_line.get(number, PLAIN_LINE)
            found.by_line[number] = LineKind(
                held.kinds | its.kinds,
                f"{held.texts} | {text}",
                text if is_amount and _is_figure(text) else held.free,
                held.wrong or its.wrong,
            )
    return found


def _is_figure(text: str) -> bool:
    return folded_title(text).isdecimal() and folded_title(text) not in YES


class _SaidByCell(NamedTuple):
    kinds: frozenset[BetKind]
    has_said: bool
    wrong: str = ""


def _said(read: "_Reader", title: str, text: str) -> _SaidByCell:
    try:
        said = read(text)
    except FigureError as error:
        return _SaidByCell(frozenset(), True, f"{title} {error}")
    return _SaidByCell(said or frozenset(), said is not None)


_Reader = Callable[[str], Said]


def _cell_reader(title: str, *, is_spare: bool) -> _Reader | None:
    """Return the function that reads the cells of a column; None if it decides nothing."""
    name = folded_title(title)
    if name in _FLAGS:
        return partial(_by_flag, _FLAGS[name])
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


def _by_flag(kind: BetKind, text: str) -> Said:
    found = _by_mixed(kind, text)
    if found is not None:
        return found
    if _is_figure(text):
        return frozenset({kind})
    raise FigureError(_("{text!r}: expected yes or no").format(text=text))


def _by_mixed(kind: BetKind, text: str) -> Said:
    word = folded_title(text)
    if not word.strip("0") or word in _NOTHING:
        return frozenset()
    is_share = kind is BetKind.BOOST and word.removesuffix("pct").strip("0").isdecimal()  # 25 %
    return frozenset({kind}) if word in YES or is_share else _by_cell(text)


def _by_letter(text: str) -> Said:
    return _LETTERS.get(folded_title(text))


def _either(one: _Reader, other: _Reader) -> _Reader:
    return lambda text: one(text) or other(text)


def _by_ending(text: str) -> Said:
    """Return that a selection is each-way: ``Old Tom EW``, ``To Win E/W (1/5 odds)``."""
    return frozenset({BetKind.EACH_WAY}) if _EACH_WAY.search(text) else None


def without_each_way(text: str) -> str:
    """Return a selection or a stake without the words that it is each-way: ``Old Tom``."""
    plain = _EACH_WAY.sub("", text)
    plain = re.sub(r"\(\s*\)|[\s(,-]+$", "", plain).strip()
    return plain or text


def _by_words(text: str) -> Said:
    word, plain = folded_title(text), text.casefold().replace("_", " ")
    if word in _BACKED:
        return frozenset()
    if word in _NAMED:
        return _kinds(_NAMED[word])
    if word in _VALUES:
        return _kinds(_VALUES[word])
    named = frozenset(kind for kind, words in _WORDS.items() if words.search(plain))
    if BetKind.REFUND in named:  # risk-free, refunded as a free bet
        named -= {_FREE, _BACK_TOO}
    if named - {_BACK_TOO}:
        return named
    return _by_cell(text)


_VALUES: Final = {folded_title(kind.value): kind for kind in BetKind if kind is not BetKind.BACK}


def _by_tags(text: str) -> Said:
    named = [said for said in map(_by_cell, re.split("[,;|]", text)) if said is not None]
    return frozenset().union(*named) if named else None


def _by_cell(text: str) -> Said:
    if len(text) > _LONGEST:
        return None
    word = folded_title(text)
    kind = _ALONE.get(word) or kind_words().get(word)
    return None if kind in (None, BetKind.BACK) else _kinds(kind)


def _kinds(kind: BetKind) -> frozenset[BetKind]:
    return frozenset({kind, _FREE} if kind is _BACK_TOO else {kind})
