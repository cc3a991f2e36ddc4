"""The Scorecards tab: bookmakers compared by the recorded log, with intervals."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.desk.export.files import ExportColumn, Table
from oddsdesk.desk.research.log import AskedSpan, ResearchLog, clv_text, games_text, rows_text
from oddsdesk.desk.research.panel import ResearchPanel, SpanFields, Work
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.buttons import ChoiceButton
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.formatting import day_text, moment_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.research.coverage import coverage_lines, in_span
from oddsdesk.research.intervals import SHARE, Interval
from oddsdesk.research.scorecards import Card, CardKey, Scored, notes

_KEY: Final = "research/scorecards"
_ALL: Final = "all"
_BEGIN: Final = EmptyState(
    "table",
    _("How good is each bookmaker?"),
    _(
        "Compares their margins, best prices, value, CLV, speed and closing lines in all "
        "odds your server has recorded. For past seasons, use Import files… (Ctrl+I)."
    ),
    _("Run"),
)


class KeptDays(msgspec.Struct):
    """The days kept between starts, as entered."""

    since: str = ""
    until: str = ""


class ScorecardPanel(ResearchPanel):
    """Scores the bookmakers of the recorded log when the user asks for it."""

    ident = "scorecards"

    def __init__(
        self, theme: Theme, clock: Clock, log: Callable[[], ResearchLog | None], layout: Layout
    ) -> None:
        model = ScorecardModel(clock)
        super().__init__(theme, log, model, LiveTable(theme, model, clock))
        self.model = model
        self.table.setAccessibleName(_("Bookmaker scorecards"))
        self._found: Scored | None = None
        self._asked = AskedSpan()
        """The days of the run that was started last."""
        self._of = AskedSpan()
        """The days of the result."""
        self._saved = Saved(layout, _KEY, KeptDays, KeptDays())
        kept = self._saved.get_value()
        self.span = SpanFields(theme, kept.since, kept.until)
        self.market = ChoiceButton(_("Market"), (_ALL, pgettext("markets", "All")))
        self.market.setToolTip(_("Which markets are shown (M)"))
        self.market.chosen.connect(lambda _market: self._show_cards())
        add_action(self, "scorecards.market", self.market.choose_next)
        self._assemble(theme, [*self.span.fields, self.market], [])

    def _work(self, log: ResearchLog) -> Work:
        self._asked = self.span.span()
        self._saved.keep_value(KeptDays(self.span.since.text(), self.span.until.text()))
        return partial(log.scorecards, self._asked)

    def _about(self) -> str:
        return "" if self._found is None else _about(self._found)

    def _state(self) -> EmptyState:
        if self._found is None:
            return _BEGIN
        told = self._all_notes(self._found)[0]
        return EmptyState("table", f"{told[0].upper()}{told[1:]}.", "", _("Run again"))

    def _is_of_choices(self) -> bool:
        return self.span.span() == self._of

    def _notes(self) -> list[str]:
        found = self._found
        return [] if found is None or not found.cards else self._all_notes(found)

    def _exported(self) -> Table:
        table = self.model.exported()
        if self._found is None:
            return table
        by = self._found.close
        return table.with_shared(
            reference=self._found.reference, close_reference=by.reference, close_method=by.method
        )

    def _show_cards(self) -> None:
        cards = [] if self._found is None else self._found.cards
        chosen = self.market.chosen_key
        shown = [card for card in cards if chosen in (_ALL, market_text(card.key))]
        self.model.show_rows({card.key: card for card in shown}, may_move=True)

    def _on_running_done(self, found: Scored) -> None:
        self._found, self._of = found, self._asked
        markets = sorted({market_text(card.key) for card in found.cards})
        self.market.offer((market, market) for market in markets)
        self._show_cards()
        self._say_notes()
        self.show_state()

    def _all_notes(self, found: Scored) -> list[str]:
        when = in_span(self._of.since_ms, self._of.until_ms, moment_text)
        covered = coverage_lines(found.coverage, found.reference, found.close, day_text)
        closed = [clv_text(found.close)] if found.cards else []
        noted = notes(found, when, moment_text, day_text)
        return [*map(translated, noted), *closed, *map(translated, covered)]


def _about(found: Scored) -> str:
    faint = _("faint: fewer than {count} samples").format(count=FEW)
    return f"{games_text(found.games)}, {rows_text(found)}; {faint}"


FEW: Final = 30
"""Figures from fewer samples are shown faintly."""
_HIGHEST: Final = float("inf")
_FIGURES: Final = (
    *("hold_pct", "best_pct", "clv_pct", "age_s", "lag_s", "tied_pct"),
    *("log_loss", "log_loss_vs_reference"),
)


def market_text(key: CardKey) -> str:
    """Return the market, period and sport of a card."""
    period = f" · {translated(period_label(key.sport, key.period))}" if key.period else ""
    return f"{translated(market_title(key.market_type))}{period}, {translated(key.sport)}"


def _figure(
    key: str,
    title: str,
    sample: str,
    digits: int,
    tip: str,
    *,
    sign: str = "",
    priority: Priority = Priority.ESSENTIAL,
    more: Callable[[Card], str] = lambda _: "",
    unknown: str = "",
) -> ColumnSpec[Card, int]:
    def found(card: Card) -> Interval:
        of: Interval = getattr(card, key)
        return of

    def number(figure: float) -> str:
        return f"{num(figure):{sign},.{digits}f}".replace("-", "−")

    def cell(card: Card, _now: int) -> Cell:
        of = found(card)
        if of.figure is None:
            return Cell(unknown if of.count else "", TextRole.NOTE)
        is_few = of.low is None or of.count < FEW
        return Cell(
            number(of.figure),
            TextRole.NOTE if is_few else TextRole.STRONG,
            note=_reach(of, number),
            is_strong=not is_few,
        )

    def order_of(card: Card) -> float:
        figure = found(card).figure
        return _HIGHEST if figure is None else figure

    def cell_tip(card: Card, _now: int) -> str:
        of = found(card)
        if of.figure is None:
            return more(card).lstrip() or _("No data for this figure")
        if of.low is None or of.high is None:
            text = _("From {count:,}: too few for an interval")
            return text.format(count=num(of.count)) + more(card)
        text = _("From {count:,}: {share:.0%} between {low} and {high}")
        sure = text.format(
            count=num(of.count), share=num(SHARE), low=number(of.low), high=number(of.high)
        )
        return sure + more(card)

    note = f"±{max('88.88', sample.lstrip('+'), key=len)} · 88,888"
    narrow = {Priority.EXTRA: "", Priority.USEFUL: f"{sample} {note}"}  # useful: with its note
    return ColumnSpec(
        key,
        title,
        Column(sample, note_sample=note, narrow=narrow.get(priority)),
        cell,
        order_of,
        kind=Kind.NUMBER,
        order=order_of,
        tip=tip,
        cell_tip=cell_tip,
        priority=priority,
    )


def _reach(of: Interval, number: Callable[[float], str]) -> str:
    """Return half the interval and the count; a question mark if there are too few samples."""
    if of.low is None or of.high is None:
        return f"? · {num(of.count):,}"
    return f"±{number((of.high - of.low) / 2).lstrip('+')} · {num(of.count):,}"


def _tied(card: Card) -> str:
    tied = card.tied_pct.figure
    if not tied:
        return ""
    text = _("{percent:.0f} % were read at the same moment, so who moved first is unknown")
    return f"\n{text.format(percent=num(tied))}"


def _tied_age(card: Card) -> str:
    if card.age_s.figure is not None or not card.age_s.count:
        return ""
    text = _(
        "Half or more may have been read at the same moment as the move, so their age is unknown"
    )
    return f"\n{text}"


def _own_loss(card: Card) -> str:
    own = card.log_loss
    if own.figure is None:
        return ""
    text = _("Own log loss {loss:.3f}, from {count:,}")
    return f"\n{text.format(loss=num(own.figure), count=num(own.count))}"


_TIED: Final = pgettext("prices read at the same moment", "tied")
_SHARP: Final = pgettext("a bookmaker", "sharp")


def _name(card: Card, _now: int) -> Cell:
    note = _SHARP if card.is_reference else ""
    return Cell(card.key.bookmaker, TextRole.STRONG, note=note, is_strong=True)


COLUMNS: Final[tuple[ColumnSpec[Card, int], ...]] = (
    ColumnSpec(
        "bookmaker",
        N_("Bookmaker"),
        Column(
            f"Betfair Exchange {_SHARP}",
            Align.LEFT,
            stretches=True,
            widest="Betfair Exchange second",
        ),
        _name,
        lambda card: card.key.bookmaker,
        order=lambda card: card.key.bookmaker.casefold(),
    ),
    ColumnSpec(
        "market",
        N_("Market"),
        Column(
            "Match result, Football",
            Align.LEFT,
            stretches=True,
            likes="Match result · 1st Period, Hockey",
            widest="Both teams to score · 2nd Half, Football",
        ),
        lambda card, _now: Cell(market_text(card.key), TextRole.SOFT),
        lambda card: market_text(card.key),
        order=lambda card: (
            card.key.sport,
            MARKET_RANK.get(card.key.market_type, len(MARKET_RANK)),
            card.key.period,
        ),
    ),
    _figure(
        "hold_pct",
        N_("Hold % pre-close"),
        "8.88",
        2,
        _("Median margin of the last prices before the close, before fees"),
    ),
    _figure(
        "best_pct",
        N_("Best % pre-close"),
        "88.8",
        1,
        _("How often its last price before the close was the best, after commission"),
    ),
    ColumnSpec(
        "value_bets",
        N_("Value"),
        Column("8,888"),
        lambda card, _now: Cell(f"{num(card.value_bets):,}", TextRole.SOFT),
        lambda card: card.value_bets,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_("Value bets at this bookmaker, each price counted once"),
    ),
    _figure(
        "clv_pct", N_("CLV %"), "+88.88", 2, _("Average closing line value of these bets"), sign="+"
    ),
    _figure(
        "age_s",
        N_("Age s"),
        "88,888",
        0,
        _("How old its price was when the sharp book moved"),
        priority=Priority.EXTRA,
        more=_tied_age,
        unknown=_TIED,
    ),
    _figure(
        "lag_s",
        N_("Lag s"),
        "+88,888",
        0,
        _(
            "Time from a move of the sharp book to this bookmaker's nearest move the "
            "same way, for moves it followed. Below 0: it moved first"
        ),
        sign="+",
        priority=Priority.EXTRA,
        more=_tied,
        unknown=_TIED,
    ),
    _figure(
        "log_loss_vs_reference",
        N_("Loss vs sharp"),
        "+0.8888",
        4,
        _(
            "Log loss of its closing line (margin removed) minus the sharp book's, for "
            "lines that both closed and that have a result. Below 0 it is sharper"
        ),
        sign="+",
        priority=Priority.USEFUL,
        more=_own_loss,
    ),
)
_HOLD: Final = [column.key for column in COLUMNS].index("hold_pct")


class ScorecardModel(StableRowsModel[CardKey, Card]):
    """The scorecards, the lowest hold on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, _HOLD, clock)

    def tip(self, row: int, column: int) -> str:
        """Return the interval of a figure."""
        return COLUMNS[column].cell_tip(self.entry(row), self._clock())

    def exported(self) -> Table:
        """Return the cards in their order, each figure with count and interval."""
        texts = ("bookmaker", "sport", "market_type")
        columns = [ExportColumn(name, name.replace("_", " ")) for name in texts]
        for name in ("period", "value_bets", *_ends()):
            columns.append(ExportColumn(name, name.replace("_", " "), Kind.NUMBER))
        cards = [self.entry(row) for row in range(self.rowCount())]
        return Table(tuple(columns), [_values(card) for card in cards])


def _ends() -> list[str]:
    return [f"{name}{end}" for name in _FIGURES for end in ("", "_count", "_low", "_high")]


def _values(card: Card) -> list[Any]:
    found = [getattr(card, name) for name in _FIGURES]
    figures = [each for of in found for each in (of.figure, of.count, of.low, of.high)]
    return [*card.key, card.value_bets, *figures]
