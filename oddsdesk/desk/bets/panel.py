"""The Bets tab: open and settled bets, reports, profit and luck."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QMenu, QWidget
from shiboken6 import isValid

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.desk.bets import accounts, views
from oddsdesk.desk.bets.actions import REDO, UNDO, BetsActions
from oddsdesk.desk.bets.bar import BetsBar, CurrencyChoice
from oddsdesk.desk.bets.columns import BetsModel
from oddsdesk.desk.bets.files import BetsFiles
from oddsdesk.desk.bets.reports import MOST_AHEAD, AtRisk, ReportModel, facts_of
from oddsdesk.desk.export.files import CSV, XLSX, FileFormat, Table, table_of, table_of_bets
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SETTLE_BETS, close_by, stake_plan
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.controls.bars import FactsBar
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.messages import MessageBar, sentence
from oddsdesk.desk.ui.list_panel import ListPanel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger import reporting
from oddsdesk.ledger.accounts import (
    Balance,
    MoneyTables,
    Movement,
    Rate,
    balance_before,
    balances,
    total_in_main,
)
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import BetState, PlacedBet, counted
from oddsdesk.ledger.fair_values import FairNow
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.risk import BetsAhead, bets_ahead
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.reports import course

_LEAST_FOR_CHART, _LEAST_FOR_FIGURES = 430, 260
"""A lower panel, at 100 % text size, has no room for the chart, or for figures above the bar."""
_LEAST_FOR_LIST = 620
"""A narrower panel, at 100 % text size, has a menu in place of the list of views."""
_RUNS, _MOST_RESULTS = 4_000, 1_000
"""Limits for the risk ahead, so that it takes milliseconds; `oddsdesk ledger risk` uses more."""
_AGES_MS = 30_000
"""How often the list is refreshed, as games start and end."""


class BetsPanel(ListPanel):
    """Shows the ledger; each change is written to the file before it is shown."""

    game_requested = Signal(str)
    """The id of the game of a bet."""
    seen = Signal()
    """The user looks at the bets."""
    waiting_changed = Signal(int)
    """How many bets need a result."""
    close_again_requested = Signal()
    """The user wants wrong closing lines replaced."""

    def __init__(
        self,
        theme: Theme,
        clock: Clock,
        preferences: Preferences,
        records: Records,
        profiles: Callable[[], Profiles],
        bookmakers: Callable[[], Iterable[str]],
        games: Callable[[], Iterable[GameEntry]],
        fair_now: FairNow = lambda _: None,
    ) -> None:
        """``fair_now`` returns the current fair price of a bet."""
        super().__init__(theme, idle_ms=_AGES_MS)
        self._clock = clock
        self._preferences = preferences
        self._records = records
        self._theme = theme
        self._currency: str | None = None
        self._revealed: int | None = None
        """The number of a bet that was just recorded, until it is selected."""
        self._listed: list[PlacedBet] = []
        """The bets that fit the filter, in every currency."""
        self._shown: list[PlacedBet] = []
        """Those of them in one currency, which the figures are of."""
        self._ahead: tuple[list[PlacedBet], BetsAhead] | None = None
        """Open bets, and their risk."""
        self._hidden_columns: frozenset[str] = frozenset()
        self._found_said = ("", "")
        self.model = BetsModel(clock, records.proposal)
        self.report = ReportModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName(_("Your bets"))
        self.table.set_selection_mode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.reports = LiveTable(theme, self.report, clock)
        self.reports.setAccessibleName(_("Report of your bets"))
        self.account_list = accounts.AccountsModel(clock)
        self.accounts = LiveTable(theme, self.account_list, clock)
        self.accounts.setAccessibleName(_("Your accounts at bookmakers"))
        self._profiles, self._bookmakers = profiles, bookmakers
        self.actions_on_bets = BetsActions(
            records,
            theme,
            clock,
            self.selected,
            self.current_bet,
            profiles,
            bookmakers,
            games,
            lambda: stake_plan(preferences.get_setting),
            self,
            fair_now,
        )
        self.files = BetsFiles(records, theme, clock, profiles, self)
        self.views = views.ViewList(theme)
        self.facts, self.chart = FactsBar(theme), CourseChart(theme)
        self.currencies = CurrencyChoice()
        acts = self.actions_on_bets
        self.money_menu = self._new_money_menu()
        acts.bet_menu.addSeparator()
        acts.bet_menu.addActions(self.money_menu.actions())
        self.bar = BetsBar(
            theme,
            (
                (pgettext("menu", "Bet"), _("Record, edit or delete bets"), acts.bet_menu),
                (_("Settle"), _("Settle the selected bets"), acts.settle_menu),
                (_("File"), _("Results, import and export"), self._file_menu()),
            ),
            views.ViewMenu(self.views, self),
        )
        self.found = MessageBar(theme, closable=False)
        """Why the current bet is to be settled, with a button that settles it as found."""
        self.question = MessageBar(theme)
        self._act_of_message: Callable[[], None] = acts.undo_change
        """What the button of the message below the list does."""
        self._undoes: int | None = None
        """The number of the change that this button undoes; None if it does something else."""
        self._wrongly_closed = 0
        """How many wrong closing lines were reported last."""
        self.placeholder.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # the panel's keys work there
        self._chart_may_move = True
        """Whether the chart may be shown or hidden: not while the user works in the rows below
        it."""
        self._lay_out()
        self._connect()
        self.show_all()

    def close_panel(self) -> None:
        """Write nothing more."""
        self._idle.stop()
        self.files.end_writing()

    def selected(self) -> list[PlacedBet]:
        """Return the selected bets; none while a report is shown."""
        if self._stack.currentWidget() is not self.table:
            return []
        return [self.model.entry(row) for row in self.table.selected_rows()]

    def current_bet(self) -> PlacedBet | None:
        """Return the bet with the keyboard focus if it is selected, else the first selected one."""
        bets, index = self.selected(), self.table.current_cell()
        at = self.model.entry(index.row()) if bets and index.isValid() else None
        return at if at in bets else next(iter(bets), None)

    def choose_view(self, key: str) -> None:
        """Show another list, or a report."""
        self.views.choose_view(key)

    def show_all(self) -> None:
        """Show the current state of all bets."""
        now, words = self._clock(), self.bar.filter.text().casefold().split()
        every = list(self._records.placed_bets())
        currencies = reporting.by_currency(every)
        if self._currency not in currencies:
            self._currency = next(iter(currencies), None)
        self.currencies.show_currencies(currencies, self._currency)
        self._listed = views.matching(every, words)
        self._shown = [bet for bet in self._listed if bet.currency == self._currency]
        self._show_table(self._view(), now, total=len(every), has_filter=bool(words))
        self._select_revealed()
        self._show_figures(now)
        proposed = self._records.proposal
        self.views.show_counts(views.count_views(self._listed, now, proposed))
        waiting = views.count_views(counted(every), now, proposed)
        self.waiting_changed.emit(waiting[BetState.TO_SETTLE.value])
        self._show_found()
        self._offer_closing(sum(bet.has_others_close for bet in counted(every)))

    def _show_found(self) -> None:
        """Show in full why the current bet is to be settled; it may be cut in its row."""
        bet = self.current_bet() if self._view().key == BetState.TO_SETTLE.value else None
        proposal = None if bet is None else self._records.proposal(bet)
        if proposal is None:
            self.found.hide()
            return
        said, action = sentence(translated(proposal.why)), self.actions_on_bets.name_found()
        if self.found.isHidden() or (said, action) != self._found_said:
            self._found_said = said, action
            self.found.show_message(said, action=action)

    def _reveal(self, bet: PlacedBet) -> None:
        """Show a bet that was just recorded, whatever was shown before, and select it."""
        words = self.bar.filter.text().casefold().split()
        if not views.matching([bet], words):
            self.bar.filter.clear()
        if self._view().grouping or not views.bets_in_view([bet], self._view(), self._clock()):
            self.views.choose_view(views.ALL)
        self._revealed = bet.ident
        self.show_all()

    def say_settled(self, text: str) -> None:
        """Show which bets settled by themselves, until the user dismisses it."""
        self._say_of_file(text, True)

    def say_to_check(self, text: str) -> None:
        """Show which settled bets need a check, until the user dismisses it."""
        self._offer(text, _("Show"), self.show_to_settle, icon="warning")

    def show_to_settle(self) -> None:
        """List all bets to settle."""
        self.bar.filter.clear()
        self.choose_view(BetState.TO_SETTLE.value)
        self._select_first()

    def say_closed_again(self, text: str) -> None:
        """Report the outcome of replacing closing lines."""
        self._say(text, UNDO)

    def _offer_closing(self, wrong: int) -> None:
        """Offer to replace wrong closing lines, once for each number of them."""
        if wrong and wrong != self._wrongly_closed:
            self._offer(closes_text(wrong), _("Replace"), self._close_again, icon="warning")
        self._wrongly_closed = wrong

    def _view(self) -> views.View:
        return views.VIEWS[self.views.current_view]

    def _show_table(self, view: views.View, now: int, *, total: int, has_filter: bool) -> None:
        if view is views.ACCOUNTS:
            found = balances(self._records.placed_bets(), self._records.book, self._profiles(), now)
            self.account_list.show_balances(found)
            table = self.accounts
            self.bar.show_facts(accounts.total_text(found, self._records.book))
        elif view.grouping is None:
            bets = views.bets_in_view(self._listed, view, now, self._records.proposal)
            self._show_columns(view)
            self.model.show_rows({(bet.ident or 0,): bet for bet in bets}, may_move=True)
            self._select_current()
            table = self.table
            self.bar.show_facts(_count_text(bets, total))
        else:
            closed = self._closed()
            split = reporting.split_report(closed.bets, view.grouping, zone=None)
            self.report.show_rows({(of,): (of, each) for of, each in split.items()}, may_move=True)
            table = self.reports
            said = (_report_text(self._shown, view.grouping), translated(closed.close_text))
            self.bar.show_facts("; ".join(filter(None, said)))
        self._show_rows_of(
            table,
            lambda: views.state_without_bets(
                view,
                total=total,
                has_filter=has_filter,
                currency=self._currency or "",
                settles=self._preferences.get_setting(SETTLE_BETS),
            ),
        )

    def _show_columns(self, view: views.View) -> None:
        hidden = views.EMPTY_COLUMNS.get(view.key, frozenset())
        if all(bet.kind is BetKind.BACK for bet in self._shown):
            hidden |= {"kind"}
        if hidden != self._hidden_columns:
            self._hidden_columns = hidden
            kept = "settled" if view.key == BetState.TO_SETTLE.value else ""
            self.model.fit_view(hidden, kept)
            self.table.show_columns()

    def _select_revealed(self) -> None:
        """Select the bet that was just recorded, once it is listed."""
        row = None if self._revealed is None else self.model.row_of_key((self._revealed,))
        if row is not None:
            self._revealed = None
            self.table.set_current(row)

    def _select_current(self) -> None:
        """If no bet is selected, select the focused one, as keys act on the selection."""
        current = self.table.current_cell()
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
        found, plan = (
            reporting.whole_report(self._closed().bets),
            stake_plan(self._preferences.get_setting),
        )
        is_own = self._currency in ("", None, self._records.book.main)
        risk = AtRisk(
            placed_in(self._shown, now).total,
            plan.bankroll if is_own else None,
            plan.total_cap,
            placed_in(self._shown, now, simulated=True).total,
        )
        figures = facts_of(found, risk, self._ahead_of_open())
        self.facts.fill_facts(figures)
        self.bar.show_figures(f"{each.title} {each.figure}" for each in figures)
        self.chart.show_steps(course(each for _, each in reporting.in_order(self._shown)))
        self._fit()

    def _ahead_of_open(self) -> BetsAhead | None:
        """Return what the open bets shown may win and lose; None if they are too many.

        Cached until they change.
        """
        held = [bet for bet in counted(self._shown) if bet.open_size]
        if len(held) > MOST_AHEAD:
            return None
        if self._ahead is None or self._ahead[0] != held:
            self._ahead = held, bets_ahead(held, runs=_RUNS, most_results=_MOST_RESULTS)
        return self._ahead[1]

    def _closed(self) -> reporting.OneClose:
        """Return the bets with comparable closing lines; the rows show the recorded ones."""
        return reporting.by_one_close(self._shown, close_by(self._preferences.get_setting))

    def _fit(self) -> None:
        has_bets = next(self._records.placed_bets(), None) is not None
        has_course = reporting.whole_report(self._shown).bets > 0
        scaled = self._theme.fonts.scaled
        has_figures = self.height() >= scaled(_LEAST_FOR_FIGURES)
        self.facts.setVisible(has_bets and has_figures)
        if self._chart_may_move:
            self.chart.setVisible(has_course and self.height() >= scaled(_LEAST_FOR_CHART))
            self._chart_may_move = not self.model.rowCount()
        self.chart.fit_chart(self.height() * 3 // 10)
        has_list = self.width() >= scaled(_LEAST_FOR_LIST)
        self._side.setVisible(has_bets and has_list)
        self.bar.stand_in(
            figures=has_bets and not has_figures,
            views=self._view().title if has_bets and not has_list else "",
        )

    def _new_money_menu(self) -> QMenu:
        menu = QMenu(self)
        for ident, act in (("bets.move", self._ask_movement), ("bets.rates", self._ask_rates)):
            menu.addAction(add_action(self, ident, act))
        return menu

    def _account(self) -> Balance | None:
        """Return the current account; None while another view is shown."""
        index = self.accounts.current_cell()
        is_shown = self._view() is views.ACCOUNTS and index.isValid()
        return self.account_list.entry(index.row()) if is_shown else None

    def _ask_movement(self) -> None:
        """Open the dialog for a deposit, a withdrawal or the balance that a bookmaker shows."""
        book, now = self._records.book, self._clock()
        dialog = accounts.MovementDialog(
            self._theme, self._account(), self._bookmakers(), book.main, self._balance, now, self
        )

        def record(movement: Movement) -> None:
            def write(money: MoneyTables) -> Callable[[], None]:
                made = money.add_movement(movement)
                return lambda: self._confirm_moved(dialog, made)

            self._records.change_money(write, partial(_close_or_report, dialog))

        dialog.recorded.connect(record)
        dialog.open()

    def _balance(self, movement: Movement) -> float:
        """Return the balance of a movement's account without it."""
        bets, book = self._records.placed_bets(), self._records.book
        return balance_before(movement, bets, book, self._profiles(), self._clock())

    def _confirm_moved(self, dialog: FormDialog, made: Movement) -> None:
        _close_or_report(dialog, "")
        if self._view() is not views.ACCOUNTS:
            self.choose_view(views.ACCOUNTS.key)

        def remove() -> None:
            def write(money: MoneyTables) -> Callable[[], None]:
                money.remove_movement(made.ident or 0)
                return self.messages.hide

            self._records.change_money(write)

        amount = f"{num(abs(made.amount)):,.2f} {made.currency}".rstrip()
        self._offer(_MOVED[made.kind].format(amount=amount), _("Remove"), remove, icon="check")

    def _ask_rates(self) -> None:
        """Open the dialog for the main currency and exchange rates."""
        book, account = self._records.book, self._account()
        found = balances(self._records.placed_bets(), book, self._profiles(), self._clock())
        missing = total_in_main(found)[1]
        there = "" if account is None else account.currency
        wanted = there if there in missing else next(iter(missing), "")
        dialog = accounts.RatesDialog(self._theme, book, wanted, self._clock(), self)

        def save(main: str, rate: Rate | None) -> None:
            def write(money: MoneyTables) -> Callable[[], None]:
                money.choose_main(main)
                if rate is not None:
                    money.set_rate(rate)
                return lambda: _close_or_report(dialog, "")

            self._records.change_money(write, partial(_close_or_report, dialog))

        dialog.given.connect(save)
        dialog.open()

    def _file_menu(self) -> QMenu:
        menu = QMenu(self)
        for ident, act in (
            ("bets.results", self.files.ask_results),
            ("bets.import", self.files.ask_bets),
            ("bets.import_columns", self.files.ask_bets_and_columns),
            ("bets.export_csv", partial(self._export, CSV)),
            ("bets.export_xlsx", partial(self._export, XLSX)),
            ("bets.export_bet_analytix", lambda: self.files.ask_bet_analytix(self._shown)),
        ):
            menu.addAction(add_action(self, ident, act))
        return menu

    def _export(self, file_format: FileFormat) -> None:
        self.files.ask_export(self.exported(), file_format, "bets")

    def exported(self) -> Table:
        """Return the current view as a table: the bets with all their fields, or the report."""
        view = self._view()
        if view is views.ACCOUNTS:
            return table_of(self.account_list)
        if view.grouping is None:
            return table_of_bets(self.model.standing())
        table, by = table_of(self.report), self._closed().by
        return table.with_shared(close_reference=by.reference, close_method=by.method)

    def _lay_out(self) -> None:
        main = self._lay_out_list(self.bar, self.table, self.reports, self.accounts)
        figures = spacing.horizontal(spacing=0)
        figures.addWidget(self.facts, 1)
        figures.addWidget(self.currencies)
        main.insertLayout(0, figures)
        main.insertWidget(1, self.chart)
        main.insertWidget(main.indexOf(self.messages), self.found)
        main.addWidget(self.question)
        rule = QFrame()
        rule.setProperty("variant", "rule")
        rule.setFixedWidth(1)
        self._side = QWidget()
        spacing.horizontal(self._side, self.views, rule, spacing=0)
        whole = spacing.horizontal(self, spacing=0)
        whole.addLayout(main, 1)
        whole.insertWidget(0, self._side)  # added last, so that Tab reaches the table first
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        acts = self.actions_on_bets
        self._records.bets_changed.connect(self.show_all)
        self._records.bets_changed.connect(self._withdraw_undo)
        self._records.money_changed.connect(self.show_all)
        self._records.proposals_changed.connect(self._on_records_proposals_changed)
        self._theme.changed.connect(self._fit)
        self._records.failed.connect(self._say_trouble)
        self._preferences.changed.connect(lambda _key: self.show_all())
        self.views.chosen.connect(self._on_views_chosen)
        self.bar.filter_changed.connect(lambda _text: self._show_selection())
        self.currencies.chips.chosen.connect(self._on_currency_chosen)
        acts.said.connect(self._say)
        acts.recorded.connect(self._reveal)
        acts.asked.connect(self._ask)
        self.question.action_requested.connect(self._on_question_action_requested)
        self.question.closed.connect(self.table.setFocus)
        acts.game_requested.connect(lambda bet: self.game_requested.emit(bet.game_id))
        self.files.said.connect(self._say_of_file)
        self.files.brought_nothing.connect(self.messages.show_message)
        self.files.failed.connect(self._say_trouble)
        self.messages.action_requested.connect(self._on_messages_action_requested)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        add_action(self, "bets.filter", self.bar.filter.setFocus)
        add_action(self, "bets.view", self.views.choose_next)
        self.table.opened.connect(lambda _index: self._open_current())
        self.table.current_changed.connect(lambda _index: self._select_current())
        self.table.scrolling.selectionModel().selectionChanged.connect(self._show_found)
        self.found.action_requested.connect(acts.settle_as_found)
        self._offer_menu(self.table, self._new_menu)
        self.accounts.opened.connect(lambda _index: self._ask_movement())
        self._offer_menu(self.accounts, lambda: self.money_menu)

    def _open_current(self) -> None:
        """Settle the current bet as found if it is to be settled, else edit it."""
        is_to_settle = self._view().key == BetState.TO_SETTLE.value
        if not (is_to_settle and self.actions_on_bets.settle_as_found()):
            self.actions_on_bets.ask_edit()

    def _say(self, text: str, action: str) -> None:
        self._close_question()
        acts = self.actions_on_bets
        act = acts.redo if action == REDO else acts.undo_change
        icon = "check" if action else "info"  # it can be undone
        self._offer(text, action, act, icon=icon, passes=True)

    def _say_of_file(self, text: str, can_undo: bool) -> None:
        """Show the outcome of a file until it is dismissed; Undo stays while it is the last
        change."""
        undo = self.actions_on_bets.undo_change
        self._offer(text, UNDO if can_undo else "", undo, icon="check")

    def _offer(
        self, text: str, action: str, act: Callable[[], None], *, icon: str, passes: bool = False
    ) -> None:
        """Show a message with a button that does ``act``."""
        self._act_of_message = act
        self._undoes = self._records.last_change if action == UNDO else None
        named = _("Undo (Ctrl+Z)") if action == UNDO else action
        self.messages.show_message(text, icon=icon, action=named, passes=passes)

    def _withdraw_undo(self) -> None:
        """Offer no undo of a change that is no longer the last."""
        if self._undoes not in (None, self._records.last_change):
            self._undoes = None
            self.messages.hide_action()

    def _ask(self, text: str, yes: str) -> None:
        self.messages.hide()
        self.question.ask_question(text, yes)

    def _say_trouble(self, text: str) -> None:
        self.messages.show_message(text, icon="warning", ink=TextRole.DOWN)

    def _new_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        acts = self.actions_on_bets
        acts.keep_up_to_date(menu)
        menu.addActions(acts.settle_menu.actions())
        menu.addSeparator()
        menu.addActions(acts.bet_menu.actions())
        return menu

    def _on_idle_timeout(self) -> None:
        self.show_all()

    def _on_records_proposals_changed(self) -> None:
        self.show_all()
        self.model.refresh_all()

    def _on_views_chosen(self, _key: str) -> None:
        grouping = self._view().grouping
        if grouping is not None:
            self.report.order_by(grouping)
        self._show_selection()
        if self._view().key == BetState.TO_SETTLE.value:
            self._select_first()

    def _select_first(self) -> None:
        """Select the first bet if none is, so that the reason why it is open is shown in full."""
        if self.model.rowCount() and not self.table.selected_rows():
            self.table.set_current(0)

    def _on_currency_chosen(self, currency: str) -> None:
        self._currency = currency
        self._show_selection()

    def _show_selection(self) -> None:
        """Show another selection of bets."""
        self._chart_may_move = True
        self.show_all()

    def _close_question(self) -> None:
        if self.question.isVisible():
            self.question.hide()
            self.table.setFocus()

    def _on_question_action_requested(self) -> None:
        self._close_question()
        self.actions_on_bets.do_asked()

    def _on_messages_action_requested(self) -> None:
        self._act_of_message()

    def _close_again(self) -> None:
        self.messages.hide()
        self.close_again_requested.emit()

    def _on_placeholder_action_requested(self) -> None:
        if self._view() is views.ACCOUNTS:
            self._ask_movement()
        elif self.bar.filter.text():
            self.bar.filter.clear()
        else:
            self.actions_on_bets.ask_new()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._chart_may_move = True
        self._fit()
        self.seen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._chart_may_move = True
        self._fit()


_MOVED = {
    "deposit": _("Deposit of {amount} recorded."),
    "withdrawal": _("Withdrawal of {amount} recorded."),
    "correction": _("Correction of {amount} recorded."),
}


def _close_or_report(dialog: FormDialog, problem: str) -> None:
    """Close a dialog, or show in it why nothing was recorded; it may already be closed."""
    if isValid(dialog):
        dialog.close_or_report(problem)


def closes_text(wrong: int) -> str:
    """Return the message about closing lines of other games."""
    return ngettext(
        "{count} closing line belongs to another game between these teams and is not counted.",
        "{count} closing lines belong to other games between the same teams and are not counted.",
        wrong,
    ).format(count=f"{num(wrong):,}")


def _count_text(bets: Sequence[PlacedBet], total: int) -> str:
    if not total:
        return ""
    rows, practice = len(bets), sum(bet.practice for bet in bets)
    text = (
        ngettext("{count} bet", "{count} bets", total)
        if rows == total
        else ngettext("{count} of {total} bet", "{count} of {total} bets", total)
    ).format(count=f"{num(rows):,}", total=f"{num(total):,}")
    if not practice:
        return text
    return _("{bets}, {count} practice").format(bets=text, count=f"{num(practice):,}")


def _report_text(bets: Iterable[PlacedBet], by: reporting.Grouping) -> str:
    practice = sum(bet.practice and bet.result is not None for bet in bets)
    group = views.GROUP_WORDS[by]
    if not practice:
        return _("settled bets by {group}").format(group=group)
    return _("settled bets by {group}, {count} practice excluded").format(
        group=group, count=f"{num(practice):,}"
    )
