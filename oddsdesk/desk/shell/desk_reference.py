"""Whom the desk judges prices by: said in the top bar, chosen there and in the palette."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QStylePainter

from oddsdesk.board.board import Board
from oddsdesk.board.notices import (
    ConnectionChanged,
    GamesChanged,
    MatrixLoaded,
    Notice,
    ValueBetsChanged,
)
from oddsdesk.board.reference import CONSENSUS, SERVICES_OWN
from oddsdesk.desk.settings.declared import REFERENCE
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.shell.palette_entries import Entry, Kind
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import Kind as BookmakerKind


class ReferenceChoice(QObject):
    """What there is to choose, and what is chosen."""

    changed = Signal()
    """Prices are judged by somebody else now, or the name became known."""

    def __init__(self, board: Board, preferences: Preferences) -> None:
        super().__init__()
        self._board = board
        self._preferences = preferences
        self._told = self.title
        self._unsubscribe = board.subscribe(
            self._on_board_notice, GamesChanged, MatrixLoaded, ValueBetsChanged, ConnectionChanged
        )

    @property
    def chosen(self) -> str:
        """The choice as it is kept."""
        return self._board.whose.chosen

    @property
    def title(self) -> str:
        """Whom prices are judged by now; empty until the service says whom."""
        return self._board.reference or ""

    def choose(self, chosen: str) -> None:
        """Judge by somebody else from now on, and keep it."""
        self._preferences.put(REFERENCE, chosen)

    def bookmakers(self) -> list[str]:
        """Return who has prices here, by name."""
        names = {*self._board.bookmakers(), *filter(None, [self._board.whose.service])}
        return sorted(names - {CONSENSUS_TITLE})

    def offered(self) -> list[tuple[str, str]]:
        """Return (choice, title): the service's own, all together, exchanges, then the others."""
        board = self._board
        service = board.whose.service
        own = "The service's own" if service is None else f"The service's own, {service}"
        names = self.bookmakers()
        if self.chosen not in (SERVICES_OWN, CONSENSUS, *names):
            names.append(self.chosen)
        profile_of = board.basis.profiles.of
        names.sort(key=lambda name: profile_of(name).kind is not BookmakerKind.EXCHANGE)
        every = [(SERVICES_OWN, own), (CONSENSUS, "Consensus of all bookmakers")]
        return [*every, *((name, name) for name in names)]

    def entries(self) -> Iterator[Entry]:
        """Yield what the palette offers."""
        for chosen, title in self.offered():
            yield Entry(
                f"reference {chosen}",
                Kind.ACTION,
                f"Judge prices by: {title}",
                partial(self.choose, chosen),
            )

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def _on_board_notice(self, _notice: Notice) -> None:
        if self.title != self._told:
            self._told = self.title
            self.changed.emit()


_ARROW: Final = " ▾"
_LEAST_LETTERS: Final = 10


class ReferenceButton(MenuButton):
    """Names whom prices are judged by and offers the others."""

    def __init__(self, choice: ReferenceChoice) -> None:
        super().__init__("Judged by", tells_purpose=True)
        self._choice = choice
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            "Whose prices, without margin, are the fair ones: in every list, alert and bet. "
            "The service's own list and EV stay by its own."
        )
        self.menu_shown.aboutToShow.connect(self._fill)
        choice.changed.connect(self._show)
        self._show()

    def minimumSizeHint(self) -> QSize:
        """Return the room for the name, or its beginning: large text leaves little on a screen."""
        hint, metrics = self.sizeHint(), self.fontMetrics()
        if not self._choice.title:
            return hint
        name = metrics.horizontalAdvance(literal(self._choice.title))
        kept = min(name, _LEAST_LETTERS * metrics.averageCharWidth())
        given_up = metrics.horizontalAdvance(self.text()[: -len(_ARROW)]) - kept
        return QSize(hint.width() - given_up, hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much as there is room for: all, the name alone, or its beginning."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        metrics = self.fontMetrics()
        missing = self.sizeHint().width() - self.width()
        if missing > 0:
            room = metrics.horizontalAdvance(option.text) - missing
            name = literal(self._choice.title)
            arrow = metrics.horizontalAdvance(_ARROW)
            short = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(room - arrow, 0))
            option.text = short + _ARROW
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def _fill(self) -> None:
        menu = self.menu_shown
        menu.clear()
        group = QActionGroup(menu)
        for chosen, title in self._choice.offered():
            action = menu.addAction(literal(title))
            action.setCheckable(True)
            action.setChecked(chosen == self._choice.chosen)
            action.triggered.connect(lambda _checked=False, to=chosen: self._choice.choose(to))
            group.addAction(action)
            if chosen == CONSENSUS:
                menu.addSeparator()

    def _show(self) -> None:
        self.show_value(self._choice.title)
