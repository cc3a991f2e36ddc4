"""The table of a report: a row for each bookmaker, sport, market, preset or month."""

from collections.abc import Callable
from typing import Final, NamedTuple

from PySide6.QtCore import Qt

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.desk.bet_cells import profit_cell
from oddsdesk.desk.ui.controls.bars import Fact
from oddsdesk.desk.ui.formatting import signed_hundredths_text, signed_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.reporting import Grouping, luck_text
from oddsdesk.ledger.risk import BetsAhead
from oddsdesk.pricing.reports import MOST_EXACT, Report

ReportRow = tuple[str, Report]
"""The name of the group, and its report."""
_LOWEST: Final = float("-inf")


def _figure(
    key: str,
    title: str,
    sample: str,
    value: Callable[[Report], float | None],
    text: Callable[[float], str],
    *,
    known: Callable[[Report], int] | None = None,
    priority: Priority = Priority.ESSENTIAL,
    tip: str = "",
) -> ColumnSpec[ReportRow, int]:
    """Return a column; ``known`` returns how many bets have the figure, if not all have it."""

    def cell(row: ReportRow, _now: int) -> Cell:
        figure, found = value(row[1]), row[1]
        if figure is None:
            return Cell("", TextRole.SOFT)
        count = found.bets if known is None else known(found)
        note = _of(f"{num(count):,}") if count < found.bets else ""
        return Cell(text(figure), TextRole.SOFT, note=note)

    def order_of(row: ReportRow) -> float:
        figure = value(row[1])
        return _LOWEST if figure is None else figure

    return ColumnSpec(
        key,
        title,
        Column(sample) if known is None else Column(sample, note_sample=_of("1,000"), narrow=""),
        cell,
        lambda row: value(row[1]),
        kind=Kind.NUMBER,
        order=order_of,
        descending_first=True,
        priority=priority,
        tip=tip,
    )


def _of(count: str) -> str:
    return _("of {count}").format(count=count)


def _percent(figure: float) -> str:
    return f"{signed_text(figure)} %"


def _profit(row: ReportRow, _now: int) -> Cell:
    return profit_cell(row[1].profit)


COLUMNS: Final[tuple[ColumnSpec[ReportRow, int], ...]] = (
    ColumnSpec(
        "of",
        N_("Group"),
        Column("Betfair Exchange", Align.LEFT, stretches=True, widest="Both teams to score or so"),
        lambda row, _now: Cell(translated(row[0]), TextRole.STRONG, is_strong=True),
        lambda row: row[0],
        order=lambda row: row[0].casefold(),
        tip=_("What the bets are grouped by"),
    ),
    _figure(
        "bets",
        N_("Bets"),
        "1,000",
        lambda found: found.bets,
        lambda count: f"{num(count):,}",
        tip=_("Settled bets"),
    ),
    _figure(
        "staked",
        N_("Staked"),
        "10,000.00",
        lambda found: found.staked,
        lambda amount: f"{num(amount):,.2f}",
        tip=_("Money at risk: the liability of lays; free bets do not count"),
    ),
    ColumnSpec(
        "profit",
        N_("Profit"),
        Column("+1,000.00"),
        _profit,
        lambda row: row[1].profit,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_("After commission"),
    ),
    _figure(
        "yield_pct",
        N_("Yield"),
        "+10.0 %",
        lambda found: found.yield_pct,
        _percent,
        tip=_("Profit as a percentage of the stakes"),
    ),
    _figure(
        "expected",
        N_("Expected"),
        "+1,000.00",
        lambda found: found.expected if found.expected_bets else None,
        signed_hundredths_text,
        known=lambda found: found.expected_bets,
        priority=Priority.EXTRA,
        tip=_(
            "Profit expected from the EV when the bets were placed. “of 120”: only 120 have an EV"
        ),
    ),
    _figure(
        "clv_pct",
        N_("CLV"),
        "+10.0 %",
        lambda found: found.clv_pct,
        _percent,
        known=lambda found: found.clv_bets,
        tip=_("Average closing line value. “of 120”: only 120 bets have a closing line"),
    ),
    _figure(
        "beaten_pct",
        N_("Beat the close"),
        "100 %",
        lambda found: found.beaten_pct,
        "{:.0f} %".format,
        priority=Priority.EXTRA,
        tip=_("Share of these bets that beat the closing line"),
    ),
    _figure(
        "drawdown",
        N_("Drawdown"),
        "−1,000.00",
        lambda found: found.drawdown.depth,
        signed_hundredths_text,
        priority=Priority.EXTRA,
        tip=_("Largest fall of the profit from a peak"),
    ),
    _figure(
        "z",
        N_("Z-score"),
        "−10.0",
        lambda found: found.z,
        lambda figure: f"{num(figure):.1f}".replace("-", "−"),
        tip=_(
            "Profit in standard deviations of the same bets with no edge. Not shown for "
            "{count} outcomes or fewer"
        ).format(count=MOST_EXACT),
    ),
    ColumnSpec(
        "luck",
        N_("Luck"),
        Column("about one in 100 as bad by chance", Align.LEFT),
        lambda row, _now: Cell(luck_text(row[1]), TextRole.NOTE),
        lambda row: luck_text(row[1]),
        tip=_(
            "How often bets with no edge do as well, or as badly. Nested lines on a game count as "
            "one outcome. “about”: markets on one game are treated as independent"
        ),
        priority=Priority.EXTRA,
    ),
)
_OF, _STAKED = ([column.key for column in COLUMNS].index(key) for key in ("of", "staked"))


class ReportModel(StableRowsModel[tuple[str], ReportRow]):
    """The reports of a view by group; the highest turnover first."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, _STAKED, clock)

    def order_by(self, grouping: Grouping) -> None:
        """Use the default order of a report: the last month first, else the highest stakes."""
        self._sorted_by = _OF if grouping is Grouping.MONTH else _STAKED
        self._descending = True
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)


_LARGE: Final = 1_000
MOST_AHEAD: Final = 200
"""The most open bets whose risk ahead is worked out at once; for more, use a terminal."""
_SELDOM: Final = 0.05
"""The least chance of the result shown as the risk ahead, or a worse one."""


class AtRisk(NamedTuple):
    """The stakes at risk, and the limit."""

    amount: float
    bankroll: float | None
    """None for a currency other than the user's."""
    cap: float
    practice: float
    """The amount of open practice bets."""


def facts_of(found: Report, risk: AtRisk, ahead: BetsAhead | None) -> list[Fact]:
    """Return a report as headline figures with their notes; a dash for missing ones.

    ``ahead`` is the risk of the open bets; None if there are more than ``MOST_AHEAD``.
    """
    drawdown = found.drawdown
    return [
        Fact(
            _("Profit"),
            signed_hundredths_text(found.profit) if found.bets else "–",
            _expected(found),
        ),
        Fact(_("Yield"), _percent_or_none(found.yield_pct), _staked(found)),
        Fact(_("Closing line"), _percent_or_none(found.clv_pct), _beaten(found)),
        Fact(_("Luck"), _luck(found), luck_text(found)),
        Fact(
            _("Drawdown"),
            signed_hundredths_text(drawdown.depth) if found.bets else "–",
            _("over {bets}").format(bets=_bets(drawdown.bets)) if drawdown.depth else "",
        ),
        _risk(risk),
        _ahead(ahead),
    ]


def _staked(found: Report) -> str:
    text = (
        _("on {staked} staked, {free} free, {bets}")
        if found.free_staked
        else _("on {staked} staked, {bets}")
    )
    return text.format(
        staked=_amount(found.staked), free=_amount(found.free_staked), bets=_bets(found.bets)
    )


def _expected(found: Report) -> str:
    if not found.expected_bets:
        return ""
    is_some = found.expected_bets < found.bets
    text = _("expected {profit} of {bets}") if is_some else _("expected {profit}")
    return text.format(
        profit=signed_hundredths_text(found.expected), bets=_bets(found.expected_bets)
    )


def _beaten(found: Report) -> str:
    if found.beaten_pct is None:
        return ""
    return _("{share} % of {count} beat it").format(
        share=f"{num(found.beaten_pct):.0f}", count=found.clv_bets
    )


def _risk(risk: AtRisk) -> Fact:
    apart = ""
    if risk.practice:
        apart = _("practice {amount} excluded").format(amount=_amount(risk.practice))
    if risk.bankroll is None:
        return Fact(_("At risk"), f"{num(risk.amount):,.2f}", apart)
    share = risk.amount / risk.bankroll * 100
    of = _("{amount}, cap {share} %").format(
        amount=_amount(risk.amount), share=f"{num(risk.cap * 100):.0f}"
    )
    return Fact(_("At risk"), f"{num(share):.1f} %", ", ".join(filter(None, (of, apart))))


def _ahead(found: BetsAhead | None) -> Fact:
    if found is None:
        why = _("over {count} open bets: run oddsdesk ledger risk").format(count=MOST_AHEAD)
        return Fact(_("Risk ahead"), "–", why)
    if not found.bets:
        return Fact(_("Risk ahead"), "–", "")
    ahead = found.ahead
    seldom = ahead.quantile(_SELDOM)
    chance = f"{num(ahead.chance_down() * 100):.0f}"
    if seldom == ahead.results[0][0]:
        detail = _("worst case, {chance} % chance of a loss").format(chance=chance)
    else:
        this = sum(of_one for result, of_one in ahead.results if result <= seldom)
        detail = _("{this} % chance of this or worse, {chance} % of a loss").format(
            this=f"{num(this * 100):.0f}", chance=chance
        )
    return Fact(_("Risk ahead"), signed_hundredths_text(seldom), detail)


def _amount(amount: float) -> str:
    """Return an amount, without decimals from a thousand on."""
    return f"{num(amount):,.2f}" if amount < _LARGE else f"{num(amount):,.0f}"


def _percent_or_none(figure: float | None) -> str:
    return "–" if figure is None else f"{signed_text(figure)} %"


def _luck(found: Report) -> str:
    """Return the z-score, or the number of outcomes if they are too few for one."""
    if found.z is not None:
        return f"z {num(found.z):.1f}".replace("-", "−")
    if not found.outcomes:
        return "–"
    text = ngettext("{count} outcome", "{count} outcomes", found.outcomes)
    return text.format(count=found.outcomes)


def _bets(count: int) -> str:
    return ngettext("{count} bet", "{count} bets", count).format(count=count)
