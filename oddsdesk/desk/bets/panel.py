"""The user's bets: open and settled, what came of them, and how much of that is luck."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QMenu,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.games import GameEntry
from oddsdesk.clock import Clock
from oddsdesk.desk.bets.actions import BetsActions
from oddsdesk.desk.bets.bar import BetsBar
from oddsdesk.desk.bets.columns import BetsModel
from oddsdesk.desk.bets.facts import AtRisk, facts_of
from oddsdesk.desk.bets.files import BetsFiles
from oddsdesk.desk.bets.report_model import COLUMNS as REPORT_COLUMNS
from oddsdesk.desk.bets.report_model import ReportModel
from oddsdesk.desk.bets.view_list import ViewList
from oddsdesk.desk.bets.views import VIEWS, View, counts, listed, matching, state_without_bets
from oddsdesk.desk.export.bets import table_of_bets
from oddsdesk.desk.export.files import CSV, XLSX, FileFormat
from oddsdesk.desk.export.tables import ExportColumn, Table
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import close_by, stake_plan
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.controls.facts_bar import FactsBar
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import Placeholder
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bets import BetState, PlacedBet, counted
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.reporting import (
    Grouping,
    OneClose,
    by_currency,
    by_one_close,
    in_order,
    split_report,
    whole_report,
)
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.reports import course

_LEAST_FOR_CHART = 430
"""A panel that is lower has no room for the chart."""
_LEAST_FOR_LIST = 620
"""A panel that is narrower, at texts of 100 %, has no room for the list of views: M goes through
them."""
_AGES_MS = 30_000
"""How often bets are looked at anew, since games end."""


class BetsPanel(QWidget):
    """Shows what the ledger holds; each change is in the file before it is shown."""

    game_requested = Signal(str)
    """The id of the game of a bet."""
    waiting_changed = Signal(int)
    """How many bets want a result."""
    close_again_requested = Signal()
    """The user wants closing lines of other games replaced."""

    def __init__(
        self,
        theme: Theme,
        clock: Clock,
        preferences: Preferences,
        records: Records,
        profiles: Callable[[], Profiles],
        bookmakers: Callable[[], Iterable[str]],
        games: Callable[[], Iterable[GameEntry]],
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._clock = clock
        self._preferences = preferences
        self._records = records
        self._theme = theme
        self._currency: str | None = None
        self._shown: list[PlacedBet] = []
        self.model, self.report = BetsModel(clock), ReportModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName("Your bets")
        self.table.set_selection_mode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.reports = LiveTable(theme, self.report, clock)
        self.reports.setAccessibleName("Report of your bets")
        self.actions_on_bets = BetsActions(
            records,
            theme,
            clock,
            self.selected,
            self.current,
            profiles,
            bookmakers,
            games,
            lambda: stake_plan(preferences.get),
            self,
        )
        self.files = BetsFiles(records, theme, clock, profiles, self)
        self.views = ViewList(theme)
        self.facts, self.chart = FactsBar(theme), CourseChart(theme)
        acts = self.actions_on_bets
        self.bar = BetsBar(
            theme,
            (
                ("Bet", "What can be done with the selected bets", acts.bet_menu),
                ("Settle", "How the selected bets ended", acts.settle_menu),
                ("File", "Results, import and export", self._file_menu()),
            ),
        )
        self.messages, self.question = MessageBar(theme), MessageBar(theme)
        self._offers_redo = False
        self._offers_closing = False
        self._wrongly_closed = 0
        """How many closes of other games were told last."""
        self.placeholder = Placeholder(theme)
        self.placeholder.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # its keys go on there
        self._ages = QTimer(self, interval=_AGES_MS)
        self._may_move = True
        """Whether the chart may come or go: never while somebody is at the rows below it."""
        self._lay_out()
        self._connect()
        self.show_all()

    def close_panel(self) -> None:
        """Write nothing more."""
        self._ages.stop()
        self.files.close()

    def selected(self) -> list[PlacedBet]:
        """Return the selected bets; none while a report is shown."""
        if self._stack.currentWidget() is not self.table:
            return []
        return [self.model.entry(row) for row in self.table.selected_rows()]

    def current(self) -> PlacedBet | None:
        """Return the bet that the keyboard is on where it is selected, else the first that is."""
        bets, index = self.selected(), self.table.current()
        at = self.model.entry(index.row()) if bets and index.isValid() else None
        return at if at in bets else next(iter(bets), None)

    def choose_view(self, key: str) -> None:
        """Show another list, or a report."""
        self.views.choose(key)

    def show_all(self) -> None:
        """Show the bets as they stand now."""
        now, words = self._clock(), self.bar.filter.text().casefold().split()
        every = list(self._records.bets())
        currencies = by_currency(every)
        if self._currency not in currencies:
            self._currency = next(iter(currencies), None)
        self.bar.show_currencies(currencies)
        self._shown = matching(currencies.get(self._currency or "", []), words)
        self._show_table(self._view(), now, total=len(every), has_filter=bool(words))
        self._show_figures(now)
        numbers = counts(self._shown, now)
        self.views.show_counts(numbers)
        self.waiting_changed.emit(counts(counted(every), now)[BetState.TO_SETTLE.value])
        self._offer_closing(sum(bet.has_others_close for bet in counted(every)))

    def say_closed_again(self, text: str) -> None:
        """Say what came of replacing closing lines."""
        self._say(text, "Undo")

    def _offer_closing(self, wrong: int) -> None:
        """Offer to replace the closing lines of other games, once for each number of them."""
        if wrong and wrong != self._wrongly_closed:
            self._offers_closing = True
            self.messages.say(closes_text(wrong), icon="warning", action="Close again")
        self._wrongly_closed = wrong

    def _view(self) -> View:
        return VIEWS[self.views.current]

    def _show_table(self, view: View, now: int, *, total: int, has_filter: bool) -> None:
        if view.grouping is None:
            bets = listed(self._shown, view, now)
            self.model.show_rows({(bet.ident or 0,): bet for bet in bets}, may_move=True)
            self._select_current()
            table, rows = self.table, len(bets)
            self.bar.show_facts(_count_text(bets, total))
        else:
            closed = self._closed()
            found = split_report(closed.bets, view.grouping, zone=None)
            self.report.show_rows({(of,): (of, each) for of, each in found.items()}, may_move=True)
            table, rows = self.reports, len(found)
            said = (_report_text(self._shown, view.grouping), closed.text)
            self.bar.show_facts("; ".join(filter(None, said)))
        if not rows:
            self.placeholder.say(state_without_bets(view, total=total, has_filter=has_filter))
        self._show_page(table if rows else self.placeholder)

    def _select_current(self) -> None:
        """Select the bet that the keyboard is on where none is: keys act on what is selected."""
        current = self.table.current()
        if current.isValid() and not self.table.selected_rows():
            self.table.set_current(current.row(), current.column())

    def _show_page(self, page: QWidget) -> None:
        """Show a page; the keyboard goes with it where it was in the one before."""
        before, focus = self._stack.currentWidget(), self.focusWidget()
        was_there = (
            before is not None
            and focus is not None
            and focus.hasFocus()
            and (before is focus or before.isAncestorOf(focus))
        )
        self._stack.setCurrentWidget(page)
        if was_there and page is not before:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_figures(self, now: int) -> None:
        found, plan = whole_report(self._closed().bets), stake_plan(self._preferences.get)
        is_own = not self._currency
        risk = AtRisk(
            placed_in(self._shown, now).total,
            plan.bankroll if is_own else None,
            plan.total_cap,
            placed_in(self._shown, now, simulated=True).total,
        )
        self.facts.show_facts(facts_of(found, risk))
        self.chart.show_steps(course(each for _, each in in_order(self._shown)))
        self._fit()

    def _closed(self) -> OneClose:
        """Return the bets with closes that can be compared; the rows show them as recorded."""
        return by_one_close(self._shown, close_by(self._preferences.get))

    def _fit(self) -> None:
        has_bets = next(self._records.bets(), None) is not None
        has_course = whole_report(self._shown).bets > 0
        self.facts.setVisible(has_bets)
        if self._may_move:
            self.chart.setVisible(has_course and self.height() >= _LEAST_FOR_CHART)
            self._may_move = not self.model.rowCount()
        self.chart.fit(self.height() * 3 // 10)
        has_room = self.width() >= self._theme.fonts.scaled(_LEAST_FOR_LIST)
        self._side.setVisible(has_bets and has_room)

    def _file_menu(self) -> QMenu:
        menu = QMenu(self)
        for ident, act in (
            ("bets.results", self.files.ask_results),
            ("bets.import", self.files.ask_bets),
            ("bets.export_csv", partial(self._export, CSV)),
            ("bets.export_xlsx", partial(self._export, XLSX)),
            ("bets.export_bet_analytix", lambda: self.files.ask_bet_analytix(self._shown)),
        ):
            menu.addAction(add_action(self, ident, act))
        return menu

    def _export(self, file_format: FileFormat) -> None:
        self.files.ask_export(self.exported(), file_format, "bets")

    def exported(self) -> Table:
        """Return what is shown as a table: bets with all that is known of them, or a report."""
        view = self._view()
        if view.grouping is None:
            rows = range(self.model.rowCount())
            return table_of_bets([self.model.entry(row) for row in rows])
        columns = [ExportColumn(each.key, each.title, each.kind) for each in REPORT_COLUMNS]
        by = self._closed().by
        table = Table(tuple(columns), self.report.exported())
        return table.with_shared(close_reference=by.reference, close_method=by.method)

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        for page in (self.table, self.reports, self.placeholder):
            self._stack.addWidget(page)
        main = QVBoxLayout()
        main.setSpacing(0)
        for part in (self.facts, self.chart, self.bar, body, self.messages, self.question):
            main.addWidget(part)
        main.setStretchFactor(body, 1)
        rule = QFrame()
        rule.setProperty("variant", "rule")
        rule.setFixedWidth(1)
        self._side = QWidget()
        side = QHBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(0)
        side.addWidget(self.views)
        side.addWidget(rule)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(main, 1)
        whole.insertWidget(0, self._side)  # the keyboard comes to the table first
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        acts = self.actions_on_bets
        self._records.bets_changed.connect(self.show_all)
        self._theme.changed.connect(self._fit)
        self._records.failed.connect(self._say_trouble)
        self._preferences.changed.connect(lambda _key: self.show_all())
        self.views.chosen.connect(self._on_views_chosen)
        self.bar.filter_changed.connect(lambda _text: self._show_anew())
        self.bar.currency_chosen.connect(self._on_bar_currency_chosen)
        acts.said.connect(self._say)
        acts.asked.connect(self._ask)
        self.question.action_requested.connect(self._on_question_action_requested)
        self.question.closed.connect(self.table.setFocus)
        acts.game_requested.connect(lambda bet: self.game_requested.emit(bet.game_id))
        self.files.said.connect(self._say_of_file)
        self.files.brought_nothing.connect(self.messages.say)
        self.files.failed.connect(self._say_trouble)
        self.messages.action_requested.connect(self._on_messages_action_requested)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        add_action(self, "bets.filter", self.bar.filter.setFocus)
        add_action(self, "bets.view", self.views.choose_next)
        self.table.opened.connect(lambda _index: acts.ask_edit())
        self.table.current_changed.connect(lambda _index: self._select_current())
        self.table.scrolling.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.scrolling.customContextMenuRequested.connect(self._show_menu)
        for table, model in ((self.table, self.model), (self.reports, self.report)):
            table.header_clicked.connect(model.sort_by)
        self._ages.timeout.connect(self.show_all)

    def _say(self, text: str, action: str) -> None:
        self._close_question()
        self._offers_closing = False
        self._offers_redo = action == "Redo"
        icon = "check" if action else "info"  # what was done can be undone
        self.messages.say(text, icon=icon, action=action, passes=True)

    def _say_of_file(self, text: str, can_undo: bool) -> None:
        """Say what came of a file until that is read; Undo goes as everywhere."""
        self._offers_redo = self._offers_closing = False
        self.messages.say(text, icon="check", action="Undo" if can_undo else "", action_passes=True)

    def _ask(self, text: str, yes: str) -> None:
        self.messages.hide()
        self.question.ask(text, yes)

    def _say_trouble(self, text: str) -> None:
        self.messages.say(text, icon="warning", ink=TextRole.DOWN)

    def _show_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        acts = self.actions_on_bets
        acts.keep_up_to_date(menu)
        menu.addActions(acts.settle_menu.actions())
        menu.addSeparator()
        menu.addActions(acts.bet_menu.actions())
        menu.popup(self.table.scrolling.viewport().mapToGlobal(at))

    def _on_views_chosen(self, _key: str) -> None:
        grouping = self._view().grouping
        if grouping is not None:
            self.report.order_by(grouping)
        self._show_anew()

    def _on_bar_currency_chosen(self, currency: str) -> None:
        self._currency = currency
        self._show_anew()

    def _show_anew(self) -> None:
        """Show other bets than before."""
        self._may_move = True
        self.show_all()

    def _close_question(self) -> None:
        if self.question.isVisible():
            self.question.hide()
            self.table.setFocus()

    def _on_question_action_requested(self) -> None:
        self._close_question()
        self.actions_on_bets.do_asked()

    def _on_messages_action_requested(self) -> None:
        if self._offers_closing:
            self._offers_closing = False
            self.messages.hide()
            self.close_again_requested.emit()
            return
        acts = self.actions_on_bets
        (acts.redo if self._offers_redo else acts.undo)()

    def _on_placeholder_action_requested(self) -> None:
        if self.bar.filter.text():
            self.bar.filter.clear()
        else:
            self.actions_on_bets.ask_new()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ages.start()
        self._may_move = True
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._may_move = True
        self._fit()


def closes_text(wrong: int) -> str:
    """Return what is said of closing lines that are other games'."""
    lines = "1 closing line is" if wrong == 1 else f"{wrong:,} closing lines are"
    return f"{lines} of another game of the same teams, and in no figure."


def _count_text(bets: Sequence[PlacedBet], total: int) -> str:
    if not total:
        return ""
    rows, practice = len(bets), sum(bet.practice for bet in bets)
    text = f"{rows:,} of {total:,}" if rows != total else f"{rows:,}"
    text += f" bet{'' if total == 1 else 's'}"
    return f"{text}, {practice:,} practice" if practice else text


def _report_text(bets: Iterable[PlacedBet], by: Grouping) -> str:
    practice = sum(bet.practice and bet.result is not None for bet in bets)
    text = f"settled bets by {by.value}"
    return f"{text}, without {practice:,} of practice" if practice else text
