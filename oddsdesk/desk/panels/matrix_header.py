"""The line above a matrix: which game, when, live or not, which markets, how many columns."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from oddsdesk.board.games import GameEntry
from oddsdesk.board.matrix import Matrix
from oddsdesk.contract.identity import teams
from oddsdesk.desk.models.market_groups import groups_of
from oddsdesk.desk.moments import kick_off_text, until_text
from oddsdesk.desk.theme import spacing
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.chips import ChipRow
from oddsdesk.desk.widgets.dot import Dot
from oddsdesk.desk.widgets.elided_label import ElidedLabel


class MatrixHeader(QWidget):
    """Says what game the matrix is of; tells which markets the user wants to see."""

    group_chosen = Signal(str)
    """The key of a group of markets (``market_groups``)."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("look", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(spacing.BAR)
        self._title = ElidedLabel()
        self._title.setFont(theme.fonts.title)
        self._dot = Dot(theme)
        self._dot.show_ink(Ink.LIVE)
        self._live = QLabel("Live")
        self._live.setProperty("look", "live")
        self._live.setFont(theme.fonts.strong)
        self._facts = ElidedLabel()
        self._facts.setProperty("look", "soft")
        self.chips = ChipRow("Markets shown")
        self.chips.chosen.connect(self.group_chosen)
        self._columns = QLabel()
        self._columns.setProperty("look", "note")
        self._columns.setToolTip(
            "Bookmakers that price the markets shown, of all that price this game"
        )
        self._lay_out()

    def show_game(self, game: Matrix | GameEntry | None, now_ms: int) -> None:
        """Say which game it is and when it is played."""
        if game is None:
            return
        pair = teams(game.match_name)
        self._title.show_text(f"{pair[0]} v {pair[1]}" if pair else game.match_name)
        facts = [game.competition, kick_off_text(game.kick_off, now_ms)]
        if game.kick_off is not None:
            facts.append(until_text(game.kick_off, now_ms))
        self._facts.show_text(" · ".join(facts))
        self._dot.setVisible(game.is_live)
        self._live.setVisible(game.is_live)

    def show_markets(self, matrix: Matrix, columns: int) -> None:
        """Offer the groups of markets that the game has, and count the columns."""
        chips = groups_of(matrix.sections)
        self.chips.show_chips(chips)
        self.chips.setVisible(len(chips) > 1)
        self._columns.setText(f"Columns {columns} / {len(matrix.bookmakers)}")

    def _lay_out(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        line.setSpacing(spacing.GAP)
        line.addWidget(self._title)
        line.addWidget(self._dot)
        line.addWidget(self._live)
        line.addWidget(self._facts, 1)
        line.addWidget(self.chips)
        line.addWidget(self._columns)
        self._dot.hide()
        self._live.hide()
