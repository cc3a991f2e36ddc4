"""Bookmakers by what the log tells of them: a card a row, each figure as sure as it is."""

from collections.abc import Callable
from typing import Final

from oddsdesk.clock import Clock
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.research.card_columns import FEW, ScorecardModel, market_text
from oddsdesk.desk.research.log import ResearchLog
from oddsdesk.desk.research.panel import ResearchPanel
from oddsdesk.desk.research.running import Work
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.research.scorecards.scoring import Scored

_ALL: Final = "all"
_MOST_CHIPS: Final = 6
_BEGIN: Final = EmptyState(
    "table",
    "What does the log tell of each bookmaker?",
    "Margin, best prices, value and how it closed, who moves first, who knows most. Goes through"
    " all that your server has recorded. Past seasons: Import files… (Ctrl+I).",
    "Run",
)


class ScorecardPanel(ResearchPanel):
    """Scores the bookmakers of the recorded log when the user asks for it."""

    ident = "scorecards"

    def __init__(self, theme: Theme, clock: Clock, log: Callable[[], ResearchLog | None]) -> None:
        model = ScorecardModel(clock)
        super().__init__(theme, log, model, LiveTable(theme, model, clock))
        self.model = model
        self.table.setAccessibleName("Scorecards of bookmakers")
        self._found: Scored | None = None
        self._market = _ALL
        self.chips = ChipRow("Which markets are shown")
        self.chips.chosen.connect(self._on_chips_chosen)
        add_action(self, "scorecards.market", self.chips.choose_next)
        self._assemble(theme, [self.chips], [])

    def _work(self, log: ResearchLog) -> Work:
        return log.scorecards

    def _about(self) -> str:
        return "" if self._found is None else _about(self._found)

    def _state(self) -> EmptyState:
        if self._found is None:
            return _BEGIN
        detail = "Holds and closing lines are of games that have begun."
        if not self._found.rows:
            return EmptyState("table", "Nothing was recorded yet.", detail, "Run again")
        return EmptyState("table", "No game of the log has begun yet.", detail, "Run again")

    def _exported(self) -> Table:
        return self.model.exported()

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
        if found.cards and not found.has_results:
            self.messages.say("No result is known: import football-data's seasons for log loss.")
        self.show_state()

    def _on_chips_chosen(self, market: str) -> None:
        self._market = market
        self._show_cards()


def _about(found: Scored) -> str:
    return f"{found.games:,} games, {found.rows:,} rows; faint: of fewer than {FEW}"
