"""Bookmakers by what the log tells of them: a card a row, each figure as sure as it is."""

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.research.card_columns import FEW, ScorecardModel, market_text
from oddsdesk.desk.research.log import AskedSpan, ResearchLog, rows_text
from oddsdesk.desk.research.panel import ResearchPanel
from oddsdesk.desk.research.running import Work
from oddsdesk.desk.research.span_fields import SpanFields
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.time_format import day_text, moment_text
from oddsdesk.research.past.coverage import coverage_lines
from oddsdesk.research.past.log_words import in_span
from oddsdesk.research.scorecards.scoring import Scored, notes

_KEY: Final = "research/scorecards"
_ALL: Final = "all"
_MOST_CHIPS: Final = 6
_BEGIN: Final = EmptyState(
    "table",
    "What does the log tell of each bookmaker?",
    "Margin, best prices, value and how it closed, who moves first, who knows most. Goes through"
    " all that your server has recorded. Past seasons: Import files… (Ctrl+I).",
    "Run",
)


class KeptDays(msgspec.Struct):
    """What is kept between starts: the days, as they were typed."""

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
        self.table.setAccessibleName("Scorecards of bookmakers")
        self._found: Scored | None = None
        self._asked = AskedSpan()
        self._saved = Saved(layout, _KEY, KeptDays, KeptDays())
        kept = self._saved.get()
        self.span = SpanFields(kept.since, kept.until)
        self._market = _ALL
        self.chips = ChipRow("Which markets are shown")
        self.chips.chosen.connect(self._on_chips_chosen)
        add_action(self, "scorecards.market", self.chips.choose_next)
        self._assemble(theme, [*self.span.fields, self.chips], [])

    def _work(self, log: ResearchLog) -> Work:
        self._asked = self.span.span()
        self._saved.put(KeptDays(self.span.since.text(), self.span.until.text()))
        return partial(log.scorecards, self._asked)

    def _about(self) -> str:
        return "" if self._found is None else _about(self._found)

    def _state(self) -> EmptyState:
        if self._found is None:
            return _BEGIN
        told = self._notes(self._found)[0]
        return EmptyState("table", f"{told[0].upper()}{told[1:]}.", "", "Run again")

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
        shown = [card for card in cards if self._market in (_ALL, market_text(card.key))]
        self.model.show_rows({card.key: card for card in shown}, may_move=True)

    def _on_running_done(self, found: Scored) -> None:
        self._found = found
        markets = list(dict.fromkeys(market_text(card.key) for card in found.cards))
        chips = [(market, market) for market in markets[:_MOST_CHIPS]]
        self.chips.show_chips([(_ALL, "All"), *chips] if len(chips) > 1 else [])
        if self._market not in {key for key, _ in chips}:
            self._market = _ALL
        self._show_cards()
        if found.cards:
            self.messages.say(" · ".join(self._notes(found)), icon="info")
        self.show_state()

    def _notes(self, found: Scored) -> list[str]:
        when = in_span(self._asked.since_ms, self._asked.until_ms, moment_text)
        covered = coverage_lines(found.coverage, found.reference, found.close, day_text)
        closed = [f"CLV {found.close.text}"] if found.cards else []
        return [*notes(found, when, moment_text, day_text), *closed, *covered]

    def _on_chips_chosen(self, market: str) -> None:
        self._market = market
        self._show_cards()


def _about(found: Scored) -> str:
    return f"{found.games:,} games, {rows_text(found)}; faint: of fewer than {FEW}"
