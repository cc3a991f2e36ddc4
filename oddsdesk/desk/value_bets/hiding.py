"""Hiding a bet, a game, a market or a bookmaker among the value bets, and showing it again."""

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.clock import Clock
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.desk.value_bets.subjects import BetSubject
from oddsdesk.ledger.hidden import Hidden, HiddenKind, HiddenThings, bet_key, hidden_until
from oddsdesk.ledger.open_bets import outcome_named

_KINDS: Final = {
    HiddenKind.BET: "This bet",
    HiddenKind.GAME: "This game",
    HiddenKind.MARKET: "This market",
    HiddenKind.BOOKMAKER: "This bookmaker",
}
_LEAST_SIZE: Final = (460, 280)


class Hiding(QObject):
    """Hides what ``subject`` names at that moment; ``menu`` gets the actions."""

    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self,
        records: Records,
        clock: Clock,
        subject: Callable[[], BetSubject | None],
        owner: QWidget,
        menu: QMenu,
    ) -> None:
        super().__init__(owner)
        self._records = records
        self._clock = clock
        self._subject = subject
        self._owner = owner
        menu.addSeparator()
        self._for_now = menu.addMenu("Hide until tomorrow")
        self._for_good = menu.addMenu("Hide for good")
        hide = add_action(owner, "values.hide", partial(self.hide, HiddenKind.BET, for_good=False))
        hide.setText("This bet")
        self._for_now.addAction(hide)
        for kind in tuple(_KINDS)[1:]:
            self._offer(self._for_now, kind)
        for kind in _KINDS:
            self._offer(self._for_good, kind)
        self._show = add_action(owner, "values.hidden", self.ask)
        menu.addAction(self._show)
        menu.aboutToShow.connect(self._on_menu_about_to_show)

    def hide(self, kind: HiddenKind, *, for_good: bool) -> None:
        """Hide the selected bet, or what it is of."""
        subject = self._subject()
        thing = None if subject is None else _thing(kind, subject)
        if thing is None:
            return
        now = self._clock()
        kick_off = None if subject is None else subject.kick_off
        until = hidden_until(kind, kick_off, now, for_good=for_good)
        kept = Hidden(kind, thing.key, thing.title, until)
        self._records.hide(kept, now)
        self.said.emit(f"Hidden: {kept.title}. “What is hidden…” shows it again.")

    def ask(self) -> None:
        """Show what is hidden, to be shown again."""
        things = HiddenThings(self._records.hidden, self._clock()).things
        dialog = HiddenDialog(things, self._owner)
        dialog.chosen.connect(self._records.unhide)
        dialog.open()

    def _offer(self, menu: QMenu, kind: HiddenKind) -> None:
        for_good = menu is self._for_good
        menu.addAction(_KINDS[kind], lambda: self.hide(kind, for_good=for_good))

    def _on_menu_about_to_show(self) -> None:
        subject = self._subject()
        for menu in (self._for_now, self._for_good):
            menu.setEnabled(subject is not None)
        count = len(HiddenThings(self._records.hidden, self._clock()))
        self._show.setText(f"What is hidden… ({count})" if count else "What is hidden…")
        self._show.setEnabled(bool(count))


class HiddenDialog(QDialog):
    """Lists what is hidden; what is ticked is shown again."""

    chosen = Signal(object)
    """A ``Hidden`` that is to be shown again."""

    def __init__(self, things: list[Hidden], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("What is hidden")
        self.setMinimumSize(*_LEAST_SIZE)
        self._things = things
        self.items = QListWidget()
        self.items.setAccessibleName("What is hidden")
        for thing in things:
            until = "for good" if thing.until is None else f"until {moment_text(thing.until)}"
            item = QListWidgetItem(f"{thing.title}, {until}", self.items)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        show = QPushButton("Show again")
        show.setProperty("variant", "primary")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(show, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self._on_accepted)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        whole.setSpacing(STEP)
        for part in (Label("Tick what the list of value bets is to show again."), self.items):
            whole.addWidget(part)
        whole.addWidget(buttons)

    def _on_accepted(self) -> None:
        for row, thing in enumerate(self._things):
            if self.items.item(row).checkState() is Qt.CheckState.Checked:
                self.chosen.emit(thing)


def _thing(kind: HiddenKind, subject: BetSubject) -> Hidden | None:
    """Return what would be hidden; None where the bet's text cannot be read."""
    game_id, market_type, _, selection, _ = subject.key
    pair = teams(subject.match_name)
    game = f"{pair[0]} v {pair[1]}" if pair else subject.match_name
    if kind is HiddenKind.GAME:
        return Hidden(kind, game_id, game)
    if kind is HiddenKind.MARKET:
        return Hidden(kind, market_type, market_title(market_type))
    if kind is HiddenKind.BOOKMAKER:
        return Hidden(kind, subject.bookmaker, subject.bookmaker)
    outcome = outcome_named(
        subject.bet_key, subject.match_name, subject.sport, in_play=subject.is_live
    )
    if outcome is None:
        return None
    return Hidden(kind, bet_key(outcome), f"{selection}, {market_title(market_type)}, {game}")
