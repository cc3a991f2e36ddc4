"""The top bar: connection, badge, sharp book, odds format and menu."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPaintEvent
from PySide6.QtWidgets import (
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from oddsdesk.base.numbers import choose_numbers, with_marks
from oddsdesk.base.texts import _, mid_sentence
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import CONSENSUS, CONSENSUS_CHOICES, LEARNED, MIDDLE, SERVICES_OWN
from oddsdesk.board.model.notices import (
    Connection,
    ConnectionChanged,
    Notice,
    ReferenceChanged,
    not_offered,
)
from oddsdesk.desk.settings.declared import NUMBERS, ODDS_FORMAT, REFERENCE, Choice
from oddsdesk.desk.settings.numbers import chosen_style
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.shell.palette import Entry, Kind
from oddsdesk.desk.shell.status_bar import link_ink
from oddsdesk.desk.ui.controls.buttons import MenuButton
from oddsdesk.desk.ui.controls.labels import Dot, ElidedLabel, Label, literal
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import choose_style, moment_text
from oddsdesk.desk.ui.spacing import BAR, GAP, HALF, STEP, horizontal
from oddsdesk.desk.ui.theme.theme import Theme, scale_height
from oddsdesk.pricing.consensus import CONSENSUS_TITLES
from oddsdesk.pricing.formats import format_odds
from oddsdesk.pricing.profiles import Kind as BookmakerKind

assert isinstance(ODDS_FORMAT.kind, Choice)
TITLES = dict(ODDS_FORMAT.kind.options)
"""The title of each style of ``pricing.formats``."""


class OddsFormat(QObject):
    """Applies the odds format, and how numbers and dates are written."""

    changed = Signal()
    """How odds, numbers or dates are written has changed, so they must be repainted."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        preferences.changed.connect(self._on_preferences_changed)
        choose_style(self.style)
        choose_numbers(chosen_style(preferences.get_setting))

    @property
    def style(self) -> str:
        """The style, one of ``pricing.formats.STYLES``."""
        return self._preferences.get_setting(ODDS_FORMAT)

    def choose_style(self, style: str) -> None:
        """Set and save the odds format."""
        self._preferences.keep_setting(ODDS_FORMAT, style)

    def _on_preferences_changed(self, key: str) -> None:
        if key == ODDS_FORMAT.key:
            choose_style(self.style)
            self.changed.emit()
        elif key in (each.key for each in NUMBERS.settings):
            choose_numbers(chosen_style(self._preferences.get_setting))
            self.changed.emit()


_SIMULATED: Final = _("Simulated odds")
_SHIFTED: Final = _("Old odds (times shifted)")
_LESS: Final = {_SIMULATED: _("Simulated"), _(" (times shifted)"): "", _("As of "): ""}
"""What narrow badges leave out first; tooltips have the full text."""


class Badge(ElidedLabel):
    """A badge that shortens its text rather than widening the window."""

    changed = Signal(str, str)
    """The new text, and its explanation."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._why = ""
        self.setProperty("variant", "badge")
        self.setFont(theme.fonts.medium)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def show_badge(self, text: str, why: str) -> None:
        """Show a text with a tooltip; hidden if the text is empty."""
        self._why = why
        self.show_text(text)
        self._elide()
        self.setVisible(bool(text))
        self.changed.emit(text, why)

    def twin(self, window: QWidget) -> "Badge":
        """Return a badge for another window that follows this one."""
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
        """Return the width that always shows whether odds are simulated."""
        least = min(self.sizeHint().width(), self.width_of(_LESS[_SIMULATED]))
        return QSize(least, super().minimumSizeHint().height())

    def _show_less(self) -> None:
        """Shorten the text without cutting words or times."""
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
    """Brand, connection, badge for unreal odds, controls and menu."""

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
        self._connection.setToolTip(_("Change the connection"))
        self.badge = Badge(theme)
        self._feed = ""
        button = QToolButton()
        button.setText(_("Menu"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setProperty("variant", "chip")
        button.setMenu(menu)
        button.setAccessibleName(_("Menu"))
        button.setToolTip(_("Everything oddsdesk can do; Ctrl+K finds it by name"))
        row = horizontal(self, margins=(GAP, 0, GAP, 0), spacing=STEP)
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
        """Show the name of the connection."""
        self._connection.setText(literal(f"{name} ▾"))
        self._connection.setAccessibleName(_("Connection: {name}").format(name=name))

    def show_feed(self, text: str) -> None:
        """Show a feed such as a replay in the badge; empty for none."""
        self._feed = text
        self._show()

    def add_control(self, control: QWidget, stretch: int = 0) -> None:
        """Add a control before the menu."""
        self._row.insertWidget(self._row.count() - 1, control, stretch)

    def open_menu(self) -> None:
        """Open the menu."""
        self._menu_button.showMenu()

    def close_panel(self) -> None:
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
            badge = _("As of {moment}{past_mark}").format(
                moment=moment_text(connection.as_of_ms), past_mark=_past_mark(connection)
            )
        why = not_offered(
            simulated=connection.simulated, shifted=connection.shifted, mixed=connection.is_mixed
        )
        self.badge.show_badge(badge, sentence(why) if why else "")


def _past_mark(connection: Connection) -> str:
    """Return the note on simulated or shifted odds behind a past moment."""
    if connection.is_mixed:
        return _(" · partly {simulated}").format(simulated=mid_sentence(_SIMULATED))
    told = _SIMULATED if connection.simulated else _SHIFTED if connection.shifted else ""
    return f" · {mid_sentence(told)}" if told else ""


_EXAMPLE = 2.1


class FormatButton(MenuButton):
    """Shows the odds format and offers the others with an example."""

    def __init__(self, odds_format: OddsFormat) -> None:
        super().__init__(_("Odds format"), tells_purpose=False)
        self._format = odds_format
        self.setToolTip(_("How odds are shown"))
        group = QActionGroup(self)
        self._choices: dict[str, QAction] = {}
        for style, title in TITLES.items():
            choice = self.menu_shown.addAction(title)
            choice.setCheckable(True)
            choice.triggered.connect(lambda _checked=False, s=style: odds_format.choose_style(s))
            group.addAction(choice)
            self._choices[style] = choice
        odds_format.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        style = self._format.style
        for each, choice in self._choices.items():
            choice.setText(f"{TITLES[each]}\t{with_marks(format_odds(_EXAMPLE, each))}")
        self._choices[style].setChecked(True)
        self.show_value(TITLES[style])


class ReferenceChoice(QObject):
    """The choice of the sharp book."""

    changed = Signal()
    """The sharp book has changed, or its name became known."""

    def __init__(self, board: Board, preferences: Preferences) -> None:
        super().__init__()
        self._board = board
        self._preferences = preferences
        self._unsubscribe = board.subscribe(lambda _notice: self.changed.emit(), ReferenceChanged)

    @property
    def chosen(self) -> str:
        """The choice as saved."""
        return self._board.desk_reference.chosen

    @property
    def reference_title(self) -> str:
        """The name of the sharp book; empty until the service has reported it."""
        return self._board.reference_name if self._board.desk_reference.is_named else ""

    def choose_reference(self, chosen: str) -> None:
        """Set and save the sharp book."""
        self._preferences.keep_setting(REFERENCE, chosen)

    def bookmakers(self) -> list[str]:
        """Return the names of the bookmakers with prices."""
        names = {
            *self._board.bookmakers_with_prices(),
            *filter(None, [self._board.desk_reference.service]),
        }
        return sorted(names - CONSENSUS_TITLES)

    def offered(self) -> list[tuple[str, str]]:
        """Return (choice, title): default, consensus, exchanges, then the other bookmakers."""
        board = self._board
        service = board.desk_reference.service
        own = _("Default") if service is None else _("Default ({service})").format(service=service)
        names = self.bookmakers()
        if self.chosen not in (SERVICES_OWN, *CONSENSUS_CHOICES, *names):
            names.append(self.chosen)
        profile_of = board.basis.profiles.profile_of
        names.sort(key=lambda name: profile_of(name).kind is not BookmakerKind.EXCHANGE)
        every = [(SERVICES_OWN, own), (CONSENSUS, _("Consensus of all bookmakers"))]
        if board.basis.learned.markets or self.chosen == LEARNED:
            every.append((LEARNED, _("Consensus (learned)")))
        listed = dict[str, None]()
        for name in names:
            listed[name] = None
            if profile_of(name).kind is BookmakerKind.EXCHANGE:
                listed[f"{name}{MIDDLE}"] = None
        return [*every, *((name, name) for name in listed)]

    def entries(self) -> Iterator[Entry]:
        """Yield the palette's entries."""
        for chosen, title in self.offered():
            yield Entry(
                f"reference {chosen}",
                Kind.ACTION,
                _("Sharp book: {title}").format(title=title),
                partial(self.choose_reference, chosen),
            )

    def close_panel(self) -> None:
        self._unsubscribe()


_ARROW: Final = " ▾"
_LEAST_LETTERS: Final = 10


class ReferenceButton(MenuButton):
    """Shows the sharp book and offers the others."""

    def __init__(self, choice: ReferenceChoice) -> None:
        super().__init__(_("Sharp book"), tells_purpose=True)
        self._choice = choice
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            _(
                "Fair odds come from this bookmaker, margin removed. They are used in "
                "every list, alert and bet. The service's own value bets and EV keep the "
                "service's sharp book."
            )
        )
        self.menu_shown.aboutToShow.connect(self._fill)
        choice.changed.connect(self._show)
        self._show()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the name, or of its beginning if the name is long."""
        hint, metrics = self.sizeHint(), self.fontMetrics()
        if not self._choice.reference_title:
            return hint
        name = metrics.horizontalAdvance(literal(self._choice.reference_title))
        kept = min(name, _LEAST_LETTERS * metrics.averageCharWidth())
        given_up = metrics.horizontalAdvance(self.text()[: -len(_ARROW)]) - kept
        return QSize(hint.width() - given_up, hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much as fits: all, the name alone, or its beginning."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        metrics = self.fontMetrics()
        missing = self.sizeHint().width() - self.width()
        if missing > 0:
            room = metrics.horizontalAdvance(option.text) - missing
            name = literal(self._choice.reference_title)
            arrow = metrics.horizontalAdvance(_ARROW)
            short = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(room - arrow, 0))
            option.text = short + _ARROW
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def _fill(self) -> None:
        menu = self.menu_shown
        menu.clear()
        group = QActionGroup(menu)
        offered = self._choice.offered()
        last_of_all = [chosen for chosen, _ in offered if chosen in CONSENSUS_CHOICES][-1]
        for chosen, title in offered:
            action = menu.addAction(literal(title))
            action.setCheckable(True)
            action.setChecked(chosen == self._choice.chosen)
            action.triggered.connect(
                lambda _checked=False, to=chosen: self._choice.choose_reference(to)
            )
            group.addAction(action)
            if chosen == last_of_all:
                menu.addSeparator()
        menu.offer_search()

    def _show(self) -> None:
        self.show_value(self._choice.reference_title)
