"""The line above a matrix: which game, when, live or not, which markets, how many columns."""

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from oddsdesk.base.market_words import competition_text, shown_game
from oddsdesk.base.texts import _
from oddsdesk.board.model.matrix import GameEntry, Matrix
from oddsdesk.board.model.results import GameScore
from oddsdesk.desk.matrix.layout import groups_of
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.buttons import ChipRow, MenuButton
from oddsdesk.desk.ui.controls.labels import Dot, ElidedLabel, Label
from oddsdesk.desk.ui.formatting import kick_off_text, until_text
from oddsdesk.desk.ui.theme.theme import Theme, scale_height
from oddsdesk.desk.ui.theme.tokens import TextRole

_LEAST_TITLE = 90
"""In less than this a title says nothing; the tab has the name, too."""
_OTHER_ROOM = 110
"""What chips and the time until kick-off leave free, at texts of 100 %."""
_GONE = _("no longer listed")
_LEAST_WIDTH = 240
"""A window that is too small for the header cuts it, rather than to grow beyond the screen."""


class MatrixHeader(QWidget):
    """Says what game the matrix is of; tells which markets the user wants to see."""

    group_chosen = Signal(str)
    """The key of a group of markets (``layout.groups_of``)."""
    favourite_requested = Signal()
    """The user adds this game to the favourites, or removes it."""
    columns_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, spacing.BAR)
        self._title = ElidedLabel()
        self._title.setFont(theme.fonts.title)
        self._dot = Dot(theme)
        self._dot.show_ink(TextRole.LIVE)
        self._live = Label(_("Live"))
        self._live.setProperty("variant", "live")
        self._live.setFont(theme.fonts.strong)
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "soft")
        self._kick_off, self._details = "", ("", "")
        self._score_tip = ""
        self._said: tuple[object, ...] = ()
        self._counted = (0, 0)
        self.chips = ChipRow(_("Markets shown"))
        self.chips.setMinimumWidth(1)
        self.chips.chosen.connect(self.group_chosen)
        self.chips.chosen.connect(self._show_choice)
        self._menu = MenuButton(_("Markets"), tells_purpose=False)
        self._menu.setToolTip(_("Markets shown"))
        self._menu.menu_shown.aboutToShow.connect(self._fill_menu)
        self._chips: list[tuple[str, str]] = []
        self.columns = _button(_("Choose bookmaker columns (C): shown / all that price this game"))
        self.columns.clicked.connect(self.columns_requested)
        self.star = _button(_("Add to favourites (*)"))
        self.star.setAccessibleName(_("Favourite"))
        self.star.setCheckable(True)
        self.star.clicked.connect(self.favourite_requested)
        theme.changed.connect(self._show_star)
        self._show_star()
        self._lay_out()

    def show_game(
        self,
        game: Matrix | GameEntry | None,
        now_ms: int,
        score: GameScore | None = None,
        *,
        is_gone: bool = False,
    ) -> None:
        """Show the game, its kick-off and score; for an unknown game, change nothing.

        ``is_gone``: the service no longer lists it, even if its prices still show.
        """
        is_over = score is not None and score.is_over
        is_live = game is not None and game.is_live and not is_gone and not is_over
        playing = score.in_words if score is not None and is_live else ""
        self._live.setText(_("Live {playing}").format(playing=playing).rstrip())
        self._dot.setVisible(is_live)
        self._live.setVisible(is_live)
        if game is None:
            return
        self._title.show_text(shown_game(game.match_name))
        self._kick_off = kick_off_text(game.kick_off, now_ms)
        until = "" if game.kick_off is None else until_text(game.kick_off, now_ms)
        if score is not None and is_over:
            self._kick_off, until = score.in_words, _GONE if is_gone else self._kick_off
        elif is_gone:
            self._kick_off, until = _GONE, self._kick_off
        self._score_tip = "" if score is None else score.explained
        self._details = (competition_text(game.competition), until)
        said = game.match_name, is_live, playing, self._score_tip, self._kick_off, self._details
        if said != self._said:  # asked each second
            self._said = said
            self._fit()

    def show_markets(self, matrix: Matrix, columns: int) -> None:
        """Offer the groups of markets that the game has, and count the columns."""
        chips = groups_of(matrix.sections)
        self.chips.show_chips(chips)
        self._chips = chips
        self._counted = columns, len(matrix.bookmakers)
        self.columns.setAccessibleName(
            _("Columns {count}").format(count=self._count_text()).rstrip()
        )
        self._show_choice()

    def show_no_markets(self) -> None:
        """Offer no choice and count nothing: it is gone, until its markets are shown again."""
        self._chips, self._counted = [], (0, 0)
        self.columns.setAccessibleName(_("Columns"))
        self._show_choice()

    def free_room(self) -> QRect:
        """Return the place between the facts and what is chosen, where others may put something."""
        left = self._facts.x() + self._facts.width_of(self._facts.text()) + spacing.GAP
        choices = (part for part in (self.chips, self._menu) if not part.isHidden())
        right = next(choices, self.columns).x() - spacing.GAP
        return QRect(left, 0, max(0, right - left), self.height())

    def show_favourite(self, is_favourite: bool) -> None:
        """Say whether the game is one of the favourites."""
        self.star.setChecked(is_favourite)
        self._show_star()

    def _lay_out(self) -> None:
        line = spacing.horizontal(
            self, margins=(spacing.LEAD, 0, spacing.LEAD, 0), spacing=spacing.GAP
        )
        line.addWidget(self.star)
        line.addWidget(self._title)
        line.addWidget(self._dot)
        line.addWidget(self._live)
        line.addWidget(self._facts, 1)
        line.addWidget(self.chips)
        line.addWidget(self._menu)
        line.addWidget(self.columns)
        self._dot.hide()
        self._live.hide()

    def _show_star(self) -> None:
        is_on = self.star.isChecked()
        icon, ink = ("star-filled", TextRole.ACCENT) if is_on else ("star", TextRole.NOTE)
        self.star.setIcon(self._theme.icon(icon, ink))
        self.star.setToolTip(
            _("Remove from favourites (*)") if is_on else _("Add to favourites (*)")
        )

    def _show_choice(self) -> None:
        self._menu.show_value(dict(self._chips).get(self.chips.chosen_chip or "", ""))
        self._fit()

    def _count_text(self) -> str:
        """Return how many columns are shown, of all; empty where nobody prices the game."""
        shown, of_all = self._counted
        return f"{shown} / {of_all}" if of_all else ""

    def _fit(self) -> None:
        """Give way in this order: chips, how long until, competition, title; never the kick-off."""
        competition, until = self._details
        every = [competition, self._kick_off, until]
        facts = [every, every[:2], [self._kick_off]]
        texts = [" · ".join(filter(None, parts)) for parts in facts]
        self.setToolTip("\n".join(filter(None, (texts[0], self._score_tip))))
        count = self._count_text()
        self.columns.setText(
            _("Columns {count} ▾").format(count=count) if count else _("Columns ▾")
        )
        has_choice, room = len(self._chips) > 1, self._room()
        whole = self._facts.width_of(texts[0]) + self._theme.fonts.scaled(_OTHER_ROOM)
        has_chips = has_choice and room >= _width(self.chips) + whole
        self.chips.setVisible(has_chips)
        self._menu.setVisible(has_choice and not has_chips)
        if has_choice:
            room -= _width(self.chips if has_chips else self._menu)
        wanted = (whole, *map(self._facts.width_of, texts[1:]))
        fitting = [text for text, width in zip(texts, wanted, strict=True) if width <= room]
        if count and not fitting:
            self.columns.setText(f"{count} ▾")
        shown = fitting[0] if fitting else texts[-1]
        self._facts.show_text(shown)
        self._facts.setMinimumWidth(self._facts.width_of(shown))
        left = room + _width(self._title) - self._facts.width_of(shown)
        self._title.setVisible(left >= min(_LEAST_TITLE, _width(self._title)))

    def _room(self) -> int:
        """The pixels left by what is always shown, for facts and chips or the menu."""
        parts = [self.star, self._title, self.columns]
        if not self._live.isHidden():
            parts += [self._dot, self._live]
        return self.width() - 2 * spacing.LEAD - spacing.GAP - sum(map(_width, parts))

    def _fill_menu(self) -> None:
        menu = self._menu.menu_shown
        menu.clear()
        for key, title in self._chips:
            choice = menu.addAction(title, partial(self.chips.choose_chip, key))
            choice.setCheckable(True)
            choice.setChecked(key == self.chips.chosen_chip)

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _width(part: QWidget) -> int:
    return part.sizeHint().width() + spacing.GAP


def _button(tip: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("variant", "plain")
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
