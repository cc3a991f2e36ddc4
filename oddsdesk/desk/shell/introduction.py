"""The first start in three sentences: what this shows, what is not real, how to get what is."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFont, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.desk.settings.declared import INTRODUCTION
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, LEAD, STEP

_WHAT = (
    "Every price of many bookmakers stands beside a sharp reference, and what is better than "
    "its fair price is marked as value."
)
_SIMULATED = "The odds you see now are simulated: no bookmaker offers them."
_MIXED = "Simulated odds are among those you see: no bookmaker offers these."
_SHIFTED = "Old odds are among those you see, moved to now: no bookmaker offers these any more."
_REAL = "The odds you see now come from the connection named above."
_HOW = "For real odds, get them live, some without a key; connect to an odds service; or import "
_IMPORT = "files of your own (Ctrl+I)."
_IMPORT_ELSEWHERE = "files of your own on the embedded server."


_LEAST_BESIDE = 780
"""Where it is narrower the buttons stand below the text."""
_LEAST_HIGH = 560
"""Where the window is lower, what it shows is not told: that leaves more of it."""


class Introduction(QWidget):
    """A strip above the tabs that goes for good when it is closed."""

    live_requested = Signal()
    service_requested = Signal()

    def __init__(
        self, theme: Theme, board: Board, preferences: Preferences, importing: QAction
    ) -> None:
        super().__init__()
        self._importing = importing
        self._theme = theme
        self._board = board
        self._preferences = preferences
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Introduction")
        self._title = Label("What this shows")
        self._title.setFont(theme.fonts.strong)
        self._text = Label(wordWrap=True)
        self._text.setProperty("variant", "soft")
        live = QPushButton("Get live odds…")
        live.setProperty("variant", "primary")
        live.clicked.connect(self.live_requested)
        connect = QPushButton("Connect to a service…")
        connect.clicked.connect(self.service_requested)
        close = QPushButton("Got it")
        close.clicked.connect(lambda: preferences.put(INTRODUCTION, False))
        texts = QVBoxLayout()
        texts.setSpacing(HALF)
        texts.addWidget(self._title)
        texts.addWidget(self._text)
        row = self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(LEAD, GAP, GAP, GAP)
        row.setSpacing(STEP)
        row.addLayout(texts, 1)
        row.addSpacing(GAP)
        buttons = self._buttons = QHBoxLayout()
        buttons.setSpacing(STEP)
        buttons.addWidget(live)
        buttons.addWidget(connect)
        buttons.addWidget(close)
        buttons.addStretch()
        row.addLayout(buttons)
        self._fitted: tuple[str, int, QFont] | None = None
        """The text that has its height, in which width and font."""
        preferences.changed.connect(self._show)
        importing.enabledChanged.connect(self._fit)
        theme.changed.connect(self._fit)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)
        self._show()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def _show(self) -> None:
        self._fit()
        self.setVisible(self._preferences.get(INTRODUCTION))

    def _fit(self) -> None:
        connection = self._board.connection
        real = _SHIFTED if connection.shifted else _REAL
        made_up = _MIXED if connection.is_mixed else _SIMULATED
        said = {True: made_up, False: real, None: ""}[connection.simulated]
        is_low = self.window().height() < self._theme.fonts.scaled(_LEAST_HIGH)
        self._title.setVisible(not is_low)
        how = _HOW + (_IMPORT if self._importing.isEnabled() else _IMPORT_ELSEWHERE)
        self._text.setText(" ".join(part for part in ("" if is_low else _WHAT, said, how) if part))
        is_narrow = self.width() < self._theme.fonts.scaled(_LEAST_BESIDE)
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        beside = 0 if is_narrow else self._buttons.sizeHint().width() + 2 * STEP + GAP
        room = self.width() - LEAD - GAP - beside
        fitted = self._text.text(), room, self._text.font()
        if fitted == self._fitted:  # else each news of the connection would lay out the window
            return
        self._fitted = fitted
        # A window's middle is not asked how high it must be for its width: a label has to insist,
        # and answers never less than it insisted on before.
        self._text.setMinimumHeight(0)
        self._text.setMinimumHeight(self._text.heightForWidth(room))

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
