"""The top bar: which desk this is, what it is connected to, and the menu."""

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, not_offered
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.desk.shell.odds_format import TITLES, OddsFormat
from oddsdesk.desk.shell.status_bar import link_ink
from oddsdesk.desk.ui.controls.dot import Dot
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label, literal
from oddsdesk.desk.ui.controls.scaling import scale_height
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import BAR, GAP, HALF, STEP
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.pricing.formats import format_odds

_SIMULATED: Final = "Simulated odds"
_SHIFTED: Final = "Old odds, moved to now"
_LESS: Final = {_SIMULATED: "Simulated", ", moved to now": "", "As of ": ""}
"""What badges leave out where they are narrow, then what is behind a dot; tips say all of it."""


class Badge(ElidedLabel):
    """Gives way where it is narrow, but for its tip: it would make the window wider."""

    changed = Signal(str, str)
    """Another text is shown, and why."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._why = ""
        self.setProperty("variant", "badge")
        self.setFont(theme.fonts.medium)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def show_badge(self, text: str, why: str) -> None:
        """Show a text, and on its tip why; none for an empty text."""
        self._why = why
        self.show_text(text)
        self._elide()
        self.setVisible(bool(text))
        self.changed.emit(text, why)

    def twin(self, window: QWidget) -> "Badge":
        """Return a badge for another window that says the same from now on."""
        other = Badge(self._theme, window)
        other.show_badge(self._whole, self._why)
        self.changed.connect(other.show_badge)
        return other

    def _elide(self) -> None:
        super()._elide()
        if self._shown != self._whole:
            self._show_less()
        self.setToolTip("\n".join(filter(None, (self.toolTip(), self._why))))

    def minimumSizeHint(self) -> QSize:
        """Return the room that says whose odds these are not, whatever else is said."""
        least = min(self.sizeHint().width(), self.width_of(_LESS[_SIMULATED]))
        return QSize(least, super().minimumSizeHint().height())

    def _show_less(self) -> None:
        """Leave out some of what is said, rather than to cut a word or a moment."""
        less = self._whole
        for said, left in _LESS.items():
            less = less.replace(said, left)
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        if metrics.horizontalAdvance(less) > room:
            less = less.partition(" · ")[0]
        shown = metrics.elidedText(less, Qt.TextElideMode.ElideRight, room)
        if shown != self._shown:
            self._shown = shown
            self.update()


class TopBar(QWidget):
    """Brand, connection, a badge for odds that are not the market's, and the menu."""

    def __init__(self, board: Board, theme: Theme, connections: QMenu, menu: QMenu) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        scale_height(self, theme, BAR)
        self._board = board
        brand = Label("oddsdesk")
        brand.setFont(theme.fonts.strong)
        self._dot = Dot(theme)
        self._connection = QToolButton()
        self._connection.setProperty("variant", "plain")
        self._connection.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._connection.setMenu(connections)
        self._connection.setToolTip("Change the connection")
        self.badge = Badge(theme)
        self._feed = ""
        button = QToolButton()
        button.setText("Menu")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setProperty("variant", "chip")
        button.setMenu(menu)
        button.setAccessibleName("Menu")
        button.setToolTip("Panels, settings, bookmakers and help; all of it is in the palette, too")
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(STEP)
        row.addWidget(brand)
        row.addSpacing(HALF)
        row.addWidget(self._dot)
        row.addWidget(self._connection)
        row.addSpacing(HALF)
        row.addWidget(self.badge)
        row.addStretch(1)
        row.addWidget(button)
        self._row = row
        self._menu_button = button
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)
        self._show()

    def show_connection(self, name: str) -> None:
        """Name what the desk is connected to."""
        self._connection.setText(literal(f"{name} ▾"))
        self._connection.setAccessibleName(f"Connection: {name}")

    def show_feed(self, text: str) -> None:
        """Name a feed that is not the market itself, such as a replay; empty for none."""
        self._feed = text
        self._show()

    def add_control(self, control: QWidget, stretch: int = 0) -> None:
        """Set a control before the menu, right of those set before."""
        self._row.insertWidget(self._row.count() - 1, control, stretch)

    def open_menu(self) -> None:
        """Open the menu, as a click on it would."""
        self._menu_button.showMenu()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show()

    def _show(self) -> None:
        connection = self._board.connection
        self._dot.show_ink(link_ink(connection))
        badge = self._feed
        if connection.simulated:
            badge = _SIMULATED
        elif connection.shifted and not badge:
            badge = _SHIFTED
        if connection.as_of_ms is not None:
            badge = f"As of {moment_text(connection.as_of_ms)}{_past_mark(connection)}"
        why = not_offered(
            simulated=connection.simulated, shifted=connection.shifted, mixed=connection.is_mixed
        )
        self.badge.show_badge(badge, sentence(why) if why else "")


def _past_mark(connection: Connection) -> str:
    """Return what to say behind a moment of the past of odds that nobody offered then."""
    if connection.is_mixed:
        return f" · partly {_SIMULATED.lower()}"
    told = _SIMULATED if connection.simulated else _SHIFTED if connection.shifted else ""
    return f" · {told.lower()}" if told else ""


_EXAMPLE = 2.1


class FormatButton(MenuButton):
    """Names the format that odds are written in and offers the others, each with an example."""

    def __init__(self, odds_format: OddsFormat) -> None:
        super().__init__("Odds format", tells_purpose=False)
        self._format = odds_format
        self.setToolTip("How odds are written, everywhere at once")
        group = QActionGroup(self)
        self._choices: dict[str, QAction] = {}
        for style, title in TITLES.items():
            choice = self.menu_shown.addAction(f"{title}\t{format_odds(_EXAMPLE, style)}")
            choice.setCheckable(True)
            choice.triggered.connect(lambda _checked=False, s=style: odds_format.choose(s))
            group.addAction(choice)
            self._choices[style] = choice
        odds_format.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        style = self._format.style
        self._choices[style].setChecked(True)
        self.show_value(TITLES[style])
