"""The top bar: which desk this is, what it is connected to, and the menu."""

from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.desk.moments import moment_text
from oddsdesk.desk.panels.status_bar import link_ink
from oddsdesk.desk.theme.spacing import BAR, GAP, HALF, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.dot import Dot
from oddsdesk.desk.widgets.plain import Label, literal
from oddsdesk.desk.widgets.scaled import scale_height


class TopBar(QWidget):
    """Brand, connection, a badge for odds that are not the market's, and the menu."""

    def __init__(self, board: Board, theme: Theme, connections: QMenu, menu: QMenu) -> None:
        super().__init__()
        self.setProperty("look", "bar")
        scale_height(self, theme, BAR)
        self._board = board
        brand = Label("oddsdesk")
        brand.setFont(theme.fonts.strong)
        self._dot = Dot(theme)
        self._connection = QToolButton()
        self._connection.setProperty("look", "plain")
        self._connection.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._connection.setMenu(connections)
        self._connection.setToolTip("Change the connection")
        self._badge = Label()
        self._badge.setProperty("look", "badge")
        self._badge.setFont(theme.fonts.medium)
        self._badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._feed = ""
        button = QToolButton()
        button.setText("Menu")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setProperty("look", "chip")
        button.setMenu(menu)
        button.setAccessibleName("Menu")
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(STEP)
        row.addWidget(brand)
        row.addSpacing(HALF)
        row.addWidget(self._dot)
        row.addWidget(self._connection)
        row.addSpacing(HALF)
        row.addWidget(self._badge)
        row.addStretch(1)
        row.addWidget(button)
        self._row = row
        self._menu_button = button
        self._unsubscribe = board.subscribe(self._on_board_notice)
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
        """Hear no more of the board."""
        self._unsubscribe()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, ConnectionChanged):
            self._show()

    def _show(self) -> None:
        connection = self._board.connection
        self._dot.show_ink(link_ink(connection))
        badge = "Simulated odds" if connection.simulated else self._feed
        if connection.as_of_ms is not None:
            badge = f"As of {moment_text(connection.as_of_ms)}"
        self._badge.setText(badge)
        self._badge.setVisible(bool(badge))
