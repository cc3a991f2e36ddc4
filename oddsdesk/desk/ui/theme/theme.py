"""The theme: which scheme is on, its tokens, fonts and icons, and applying it all.

Widgets ask for a style by their ``variant`` property: ``panel``, ``bar``, ``foot``, ``chip``,
``note``, ``soft``, ``live``, ``value``, ``plain``, ``badge``.

Labels that Qt makes itself, such as a tooltip's, show their text letter by letter: each is polished
before it measures its text, and a tooltip's before it gets one, so none guesses that it is rich.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from pathlib import Path
from string import Template
from typing import Final, TypeVar

import msgspec
from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, Qt, QTemporaryDir, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QStyle,
    QStyleOptionViewItem,
    QTabBar,
    QWidget,
)

from oddsdesk.base.places import resource_path
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.spacing import STEP
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, Tokens, tokens

FAMILY = "Inter"
BODY_PX = 12.5
SMALL_PX = 11.0
TITLE_PX = 17.0
BIG_PX = 23.8
_POINTS_PER_INCH = 72
_FILES = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf")

_log = logging.getLogger(__name__)


class Fonts(msgspec.Struct, frozen=True):
    """The fonts of the desk; all have tabular figures."""

    body: QFont
    medium: QFont
    """Column titles."""
    strong: QFont
    """Section titles, what one acts on in a list."""
    small: QFont
    """What recedes: limit, age, the second line of a header."""
    title: QFont
    big: QFont
    """The one figure that a panel is about."""
    percent: int = 100
    """The size of texts, 100 as they were made."""

    def row_height(self, least: int) -> int:
        """Return the height of a row of text: ``least``, or more where the font needs it."""
        return max(self.scaled(least), round(QFontMetricsF(self.body).height()) + 4)

    def scaled(self, size: int) -> int:
        """Return a size that is meant for texts of 100 % as it is for these."""
        return round(size * self.percent / 100)

    def all_fonts(self) -> tuple[QFont, ...]:
        """Return every font, in the same order for every size."""
        return self.body, self.medium, self.strong, self.small, self.title, self.big


def add_font_files() -> None:
    """Make the bundled family known; the system's own stands in where files are missing."""
    for name in _FILES:
        path = resource_path("fonts", name)
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            _log.warning("font %s cannot be read; the system's font is used", path)


def make_fonts(percent: int = 100) -> Fonts:
    """Return the fonts at a share of their size."""
    sizes = (BODY_PX, SMALL_PX, TITLE_PX, BIG_PX)
    body, small, title, big = (px * percent / 100 for px in sizes)
    return Fonts(
        body=_font(body, QFont.Weight.Normal),
        medium=_font(body, QFont.Weight.Medium),
        strong=_font(body, QFont.Weight.DemiBold),
        small=_font(small, QFont.Weight.Normal),
        title=_font(title, QFont.Weight.DemiBold),
        big=_font(big, QFont.Weight.DemiBold),
        percent=percent,
    )


def _font(pixels: float, weight: QFont.Weight) -> QFont:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font = QFont([FAMILY, *system.families()])
    font.setWeight(weight)
    font.setPointSizeF(pixels * _POINTS_PER_INCH / _dots_per_inch())
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _dots_per_inch() -> float:
    return QGuiApplication.primaryScreen().logicalDotsPerInch()


_TAB = 31
_TAB_LEAST, _TAB_MOST = 112, 290
"""A tab is no wider: long names are elided, and whole in the tooltip."""

_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QSplitter::handle { background: $line; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget::title { background: $panel; padding: 6px 12px; text-align: left; }
QFrame[variant="panel"], QWidget[variant="panel"] { background: $panel; border: none; }
QWidget[variant="bar"] { background: $panel; border: none; border-bottom: 1px solid $line; }
QFrame[variant="popup"] { background: $panel; border: 1px solid $line; }
QFrame[variant="popup"] QListWidget { background: $panel; border: none; }
QFrame[variant="popup"] QListWidget::item { height: ${list_row}px; padding: 0 4px; color: $strong; }
QFrame[variant="popup"] QListWidget::item:selected { background: $selected; }
QProgressBar { background: $line; border: none; border-radius: 2px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QWidget[variant="window"] { background: $window; border: none; }
QWidget[variant="foot"] { background: $raised; border: none; border-top: 1px solid $line; }
QLabel { background: transparent; }
QLabel[textFormat="AutoText"], QToolTip { qproperty-textFormat: PlainText; }
QLabel[variant="strong"] { color: $strong; font-weight: 600; }
QLabel[variant="soft"] { color: $soft; }
QLabel[variant="note"] { color: $note; }
QLabel[variant="live"] { color: $live; }
QLabel[variant="value"] { color: $value; }
QLabel[variant="up"] { color: $up; }
QLabel[variant="down"] { color: $down; }
QFrame[variant="rule"] { background: $line; border: none; }
QLabel[variant="badge"] {
    background: $value_ground; color: $value; border-radius: ${radius}px; padding: 2px 8px;
}
QLabel[variant="key"] {
    color: $note; border: 1px solid $line; border-radius: 3px; padding: 0 5px; background: $panel;
}
QListView[variant="floating"] {
    background: $panel; border: 1px solid $handle; border-radius: ${radius}px;
}
QToolBar { background: $panel; border: none; spacing: 0; padding: 0; }

QToolTip { background: $raised; color: $strong; border: 1px solid $line; padding: 5px 7px; }

QLineEdit {
    background: $window; color: $strong; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 ${step}px; min-height: ${inner}px; selection-background-color: $accent;
    selection-color: $panel;
}
QLineEdit:focus { border-color: $accent; }
QLineEdit > QToolButton { border: none; background: transparent; padding: 0; }

QComboBox, QSpinBox, QDoubleSpinBox {
    background: $window; color: $strong; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 10px; min-height: ${inner}px; selection-background-color: $accent;
    selection-color: $panel;
}
QSpinBox, QDoubleSpinBox { max-height: ${inner}px; }
QAbstractSpinBox QLineEdit { background: transparent; border: none; padding: 0; min-height: 0; }
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: $accent; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { color: $ghost; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow, QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url("$down_arrow"); width: 10px; height: 10px;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url("$up_arrow"); width: 10px; height: 10px;
}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button { border: none; background: transparent; width: 20px; }
QComboBox QAbstractItemView {
    background: $panel; color: $strong; border: 1px solid $line; padding: 3px;
    selection-background-color: $selected; selection-color: $strong;
}
QCheckBox { spacing: 8px; }
QCheckBox::indicator, QListView::indicator, QTableView::indicator, QTreeView::indicator {
    width: 14px; height: 14px; border: 1px solid $note; border-radius: 3px; background: $window;
}
QCheckBox::indicator:checked, QListView::indicator:checked, QTableView::indicator:checked,
QTreeView::indicator:checked {
    background: $accent; border-color: $accent; image: url("$tick");
}
QCheckBox::indicator:focus { border-color: $accent; }
QPushButton[variant="primary"] { background: $accent; color: $panel; border-color: $accent; }
QPushButton[variant="primary"]:hover { background: $accent; color: $window; }
QPushButton[variant="primary"]:focus { border-color: $strong; }
QPushButton[variant="primary"]:disabled {
    background: transparent; color: $ghost; border-color: $line;
}
QDialog QHeaderView { background: $raised; }
QDialog QHeaderView::section {
    background: $raised; color: $soft; border: none; border-bottom: 1px solid $line;
    padding: 0 ${step}px; height: ${inner}px;
}
QDialog QTreeView, QDialog QTableView {
    background: $panel; border: 1px solid $line; border-radius: ${radius}px;
}
QDialog QTreeView:focus, QDialog QTableView:focus { border-color: $accent; }
QDialog QLineEdit, QDialog QComboBox, QDialog QSpinBox, QDialog QDoubleSpinBox,
QDialog QDateEdit, QDialog QTimeEdit, QDialog QDateTimeEdit, QDialog QPlainTextEdit {
    background: $panel; border: 1px solid $edge;
}
QDialog QAbstractSpinBox QLineEdit, QDialog QComboBox QLineEdit {
    background: transparent; border: none;
}
QDialog QLineEdit:focus, QDialog QComboBox:focus, QDialog QSpinBox:focus,
QDialog QDoubleSpinBox:focus, QDialog QPlainTextEdit:focus { border-color: $accent; }
QDialog QTableView::item { padding: 0 ${step}px; }
QDialog QTreeView::item { height: ${row}px; padding: 0 4px; color: $strong; }
QDialog QTreeView::item:selected { background: $selected; color: $strong; }

QPushButton, QToolButton[variant="chip"] {
    background: transparent; color: $soft; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 10px; min-height: ${inner}px;
}
QPushButton:hover, QToolButton[variant="chip"]:hover { color: $strong; background: $raised; }
QPushButton:checked, QToolButton[variant="chip"]:checked, QPushButton:pressed {
    color: $strong; background: $selected; border-color: $selected;
}
QPushButton:focus, QToolButton[variant="chip"]:focus { border-color: $accent; }
QPushButton:disabled, QToolButton[variant="chip"]:disabled { color: $ghost; }
QToolButton[variant="plain"] {
    background: transparent; color: $soft; border: 1px solid transparent;
    border-radius: ${radius}px; padding: 2px 5px;
}
QToolButton[variant="plain"]:hover { background: $raised; color: $strong; }
QToolButton[variant="plain"]:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }

QMenu { background: $panel; color: $strong; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 4px 22px 4px 22px; border-radius: 3px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $ghost; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenuBar { background: $window; color: $soft; border-bottom: 1px solid $line; }
QMenuBar::item { padding: 4px 8px; background: transparent; }
QMenuBar::item:selected { background: $raised; color: $strong; }

QTabBar { background: $window; qproperty-drawBase: 0; }
QTabBar::scroller { width: ${scroller}px; }
QTabBar > QToolButton { background: $window; border: none; }
QTabBar > QToolButton::left-arrow { image: url("$left_arrow"); width: 10px; height: 10px; }
QTabBar > QToolButton::right-arrow { image: url("$right_arrow"); width: 10px; height: 10px; }
QTabBar::tab {
    background: $window; color: $soft; padding: 0 14px; min-height: ${tab}px;
    min-width: ${tab_least}px; max-width: ${tab_most}px;
    border: none; border-right: 1px solid $line; border-bottom: 1px solid $line;
    border-top: 2px solid $window;
}
QTabBar::tab:selected {
    background: $panel; color: $strong; border-top-color: $accent; border-bottom-color: $panel;
}
QTabBar::tab:hover:!selected { color: $strong; }
QTabWidget::pane { border: none; background: $panel; }

QStatusBar { background: $panel; color: $soft; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QAbstractScrollArea { border: none; background: $panel; }
QAbstractScrollArea::corner { background: $panel; }
QTreeView, QListView, QTableView { outline: none; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $handle; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $ghost; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def style_sheet(tokens: Tokens, fonts: Fonts) -> str:
    """Return the style sheet of a scheme, what holds text as high as its fonts need."""
    inks = {ink.name.lower(): tokens.ink(ink) for ink in TextRole}
    return _SHEET.substitute(
        inks,
        window=tokens.ground(SurfaceRole.WINDOW),
        panel=tokens.ground(SurfaceRole.PANEL),
        raised=tokens.ground(SurfaceRole.RAISED),
        selected=tokens.ground(SurfaceRole.SELECTED),
        value_ground=tokens.ground(SurfaceRole.VALUE),
        down_arrow=icon_file("chevron-down", tokens.ink(TextRole.SOFT)),
        up_arrow=icon_file("chevron-up", tokens.ink(TextRole.SOFT)),
        left_arrow=icon_file("chevron-left", tokens.ink(TextRole.SOFT)),
        right_arrow=icon_file("chevron-right", tokens.ink(TextRole.SOFT)),
        tick=icon_file("check", tokens.ground(SurfaceRole.PANEL)),
        line=tokens.line,
        edge=tokens.edge,
        handle=tokens.line,
        radius=spacing.RADIUS,
        step=spacing.STEP,
        inner=fonts.scaled(spacing.CONTROL - 2),
        row=fonts.row_height(spacing.ROW),
        list_row=fonts.row_height(spacing.SECTION_ROW),
        tab=fonts.scaled(_TAB),
        scroller=fonts.scaled(2 * spacing.CONTROL),
        tab_least=fonts.scaled(_TAB_LEAST),
        tab_most=fonts.scaled(_TAB_MOST),
    )


SIZE = 16
_SCALES = (1, 2, 3)


@cache
def icon(name: str, colour: str) -> QIcon:
    """Return an icon of the set, such as ``search``, in one colour.

    Raises:
        FileNotFoundError: the set has no icon of that name.
    """
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(pixmap(name, colour, SIZE, scale))
    return made


@cache
def icon_file(name: str, colour: str) -> str:
    """Return a path of an icon in one colour, for style sheets: they take files only."""
    folder = _drawn_folder()
    text = _source(name).replace("currentColor", colour)
    file = Path(folder.path()) / f"{name}-{colour.removeprefix('#')}.svg"
    file.write_text(text, encoding="utf-8")
    return file.as_posix()


@cache
def pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """Return an icon of ``size`` device-independent pixels for a screen of that pixel ratio."""
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    _drawing(name, colour).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return drawn


@cache
def _drawing(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def _source(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


@cache
def _drawn_folder() -> QTemporaryDir:
    """A folder of this run; it goes with the program."""
    return QTemporaryDir()


_ROLE = QPalette.ColorRole


def palette(tokens: Tokens) -> QPalette:
    """Return the palette that stands for the tokens."""
    made = QPalette()
    for role, colour in _roles(tokens).items():
        made.setColor(role, QColor(colour))
    for role in (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText, _ROLE.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.ink(TextRole.GHOST)))
    return made


def _roles(tokens: Tokens) -> dict[QPalette.ColorRole, str]:
    strong = tokens.ink(TextRole.STRONG)
    panel, raised = tokens.ground(SurfaceRole.PANEL), tokens.ground(SurfaceRole.RAISED)
    return {
        _ROLE.Window: tokens.ground(SurfaceRole.WINDOW),
        _ROLE.WindowText: strong,
        _ROLE.Base: panel,
        _ROLE.AlternateBase: raised,
        _ROLE.Text: strong,
        _ROLE.PlaceholderText: tokens.ink(TextRole.NOTE),
        _ROLE.Button: raised,
        _ROLE.ButtonText: strong,
        _ROLE.BrightText: tokens.ink(TextRole.LIVE),
        _ROLE.ToolTipBase: raised,
        _ROLE.ToolTipText: strong,
        _ROLE.Highlight: tokens.ground(SurfaceRole.SELECTED),
        _ROLE.HighlightedText: strong,
        _ROLE.Accent: tokens.accent,
        _ROLE.Link: tokens.ink(TextRole.ACCENT),
        _ROLE.LinkVisited: tokens.ink(TextRole.ACCENT),
        _ROLE.Light: raised,
        _ROLE.Midlight: tokens.line,
        _ROLE.Mid: tokens.line,
        _ROLE.Dark: tokens.line,
        _ROLE.Shadow: tokens.ground(SurfaceRole.WINDOW),
    }


class Scheme(Enum):
    """What the user chose; the value is the word that settings keep."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_QT_SCHEMES = {
    Scheme.SYSTEM: Qt.ColorScheme.Unknown,
    Scheme.LIGHT: Qt.ColorScheme.Light,
    Scheme.DARK: Qt.ColorScheme.Dark,
}


class Theme(QObject):
    """The style of the whole application: one object, passed to widgets that paint themselves.

    Widgets drawn by Qt follow by themselves. Those that keep colours or fonts take them again
    on ``changed``.
    """

    changed = Signal()

    def __init__(
        self,
        application: QApplication,
        scheme: Scheme = Scheme.SYSTEM,
        *,
        colour_blind: bool = False,
    ) -> None:
        super().__init__(application)
        self._application = application
        self.scheme = scheme
        """What was chosen; whether it is dark now is ``tokens.is_dark``."""
        self.is_colour_blind = colour_blind
        """Whether blue and orange stand for green and red."""
        self.flashes = True
        """Whether a price that moves lights up for a moment; off for less motion."""
        add_font_files()
        self.text_size = 100
        """The size of texts in percent."""
        self.fonts = make_fonts()
        application.setStyle("Fusion")
        application.setFont(self.fonts.body)
        self.choose_scheme(scheme, colour_blind=colour_blind)
        application.styleHints().colorSchemeChanged.connect(self._on_hints_color_scheme_changed)

    def choose_scheme(self, scheme: Scheme, *, colour_blind: bool = False) -> None:
        """Change to a scheme; everything on screen is repainted."""
        self.scheme = scheme
        self.is_colour_blind = colour_blind
        fonts = self._fonts_by_widget(self.fonts)
        self._application.styleHints().setColorScheme(_QT_SCHEMES[scheme])
        self._apply(fonts)

    def zoom(self, percent: int) -> None:
        """Write everything larger or smaller: 100 is the size it was made for."""
        if percent == self.text_size:
            return
        before, self.text_size = self.fonts, percent
        self.fonts = make_fonts(percent)
        self._apply(self._fonts_by_widget(before))

    @contextmanager
    def keeping_fonts(self, panel: QWidget) -> Iterator[None]:
        """Let a panel go to another window with the fonts that its parts have of their own.

        Qt gives them back those that they had when a style sheet was first put on them.
        """
        parts = [panel, *panel.findChildren(QWidget)]
        fonts = [(part, QFont(part.font())) for part in parts if _has_own_font(part)]
        yield
        _give(fonts)

    def _fonts_by_widget(self, before: Fonts) -> "_FontsByWidget":
        """Return what widgets that have a font of their own are to have after ``before``."""
        sizes = {
            _kind(old): new
            for old, new in zip(before.all_fonts(), self.fonts.all_fonts(), strict=True)
        }
        wanted = [(w, self._font_of(w, sizes)) for w in self._application.allWidgets()]
        return [(widget, font) for widget, font in wanted if font is not None]

    def _font_of(self, widget: QWidget, sizes: dict[tuple[int, int], QFont]) -> QFont | None:
        """The font for a widget that sets its own; tab bars keep theirs, too."""
        if isinstance(widget, QTabBar):
            return self.fonts.body
        return sizes.get(_kind(widget.font())) if _has_own_font(widget) else None

    def colour(self, ink: TextRole) -> QColor:
        """Return the colour of a text."""
        return QColor(self.tokens.ink(ink))

    def icon(self, name: str, ink: TextRole = TextRole.SOFT) -> QIcon:
        """Return an icon of the set in the colour of an ink."""
        return icon(name, self.tokens.ink(ink))

    def pixmap(self, name: str, size: int, ratio: float, ink: TextRole = TextRole.NOTE) -> QPixmap:
        """Return an icon of ``size`` pixels for a screen of that pixel ratio."""
        return pixmap(name, self.tokens.ink(ink), size, ratio)

    def _is_dark(self) -> bool:
        if self.scheme is not Scheme.SYSTEM:
            return self.scheme is Scheme.DARK
        return self._application.styleHints().colorScheme() is not Qt.ColorScheme.Light

    def _apply(self, fonts: "_FontsByWidget") -> None:
        self.tokens = tokens(self._is_dark(), self.is_colour_blind)
        # WORKAROUND Qt: where a style sheet is on, a widget's font is the one kept for it at
        # the last polish, and a new sheet gives some the font from before. So: off and on.
        self._application.setStyleSheet("")
        _give(fonts)
        self._application.setFont(self.fonts.body)
        self._application.setPalette(palette(self.tokens))
        self._application.setStyleSheet(style_sheet(self.tokens, self.fonts))
        self.changed.emit()
        _give(fonts)

    def _on_hints_color_scheme_changed(self) -> None:
        if self.scheme is Scheme.SYSTEM and self._is_dark() != self.tokens.is_dark:
            self._apply(self._fonts_by_widget(self.fonts))


_FontsByWidget = list[tuple[QWidget, QFont]]


def _give(fonts: _FontsByWidget) -> None:
    for widget, font in fonts:
        widget.setFont(font)


def _kind(font: QFont) -> tuple[int, int]:
    """Return a font's size and weight, by which it is found; rounded, as sheets alter it."""
    return round(font.pointSizeF() * 4), font.weight()


def _has_own_font(widget: QWidget) -> bool:
    return widget.testAttribute(Qt.WidgetAttribute.WA_SetFont)


class Scaled(QObject):
    """Scales a size of a widget, given for texts of 100 %, with the size of texts."""

    def __init__(
        self, widget: QWidget, theme: Theme, size: int, give: Callable[[int], object]
    ) -> None:
        super().__init__(widget)
        self._theme = theme
        self._size = size
        self._give = give
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._give(self._theme.fonts.scaled(self._size))


def resize_scaled(window: QWidget, theme: Theme, width: int, height: int) -> None:
    """Size a window for the size of texts, within the screen."""
    room, scaled = window.screen().availableGeometry(), theme.fonts.scaled
    window.resize(min(scaled(width), room.width()), min(scaled(height), room.height()))


def scale_height(widget: QWidget, theme: Theme, height: int) -> None:
    """Give a widget a fixed height that grows with the size of texts."""
    Scaled(widget, theme, height, widget.setFixedHeight)


def scale_least_width(
    widget: QWidget, theme: Theme, width: int, *, most_share: float = 1.0
) -> None:
    """Give a widget a least width that grows with the size of texts, up to a share of the screen.

    It is never less than ``width``.
    """
    most = max(width, round(widget.screen().availableGeometry().width() * most_share))
    Scaled(widget, theme, width, lambda wanted: widget.setMinimumWidth(min(wanted, most)))


def scale_most_width(widget: QWidget, theme: Theme, width: int) -> None:
    """Give a widget a greatest width that grows with the size of texts."""
    Scaled(widget, theme, width, widget.setMaximumWidth)


_BORDER: Final = 1
"""The editor of a number field begins at its outer edge, those of others within the border."""
_Spin = TypeVar("_Spin", bound=QAbstractSpinBox)


def inset(spin: _Spin) -> _Spin:
    """Set the text of a number field in from its edge: Qt's style sheets do not reach it."""
    spin.lineEdit().setTextMargins(STEP + _BORDER, 0, 0, 0)
    return spin


_BAR: Final = 3
"""Pixels of accent at the left of the chosen row."""


def paint_row_ground(
    painter: QPainter, option: QStyleOptionViewItem, tokens: Tokens, *, hovers: bool = False
) -> None:
    """Fill a row; the chosen one is marked, and with ``hovers`` the one under the mouse.

    The one that the keyboard is on has a frame.
    """
    is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
    ground = SurfaceRole.SELECTED if is_chosen else SurfaceRole.PANEL
    if hovers and not is_chosen and option.state & QStyle.StateFlag.State_MouseOver:
        ground = SurfaceRole.RAISED
    painter.fillRect(option.rect, QColor(tokens.ground(ground)))
    if is_chosen:
        bar = QRect(option.rect.left(), option.rect.top(), _BAR, option.rect.height())
        painter.fillRect(bar, QColor(tokens.accent))
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QColor(tokens.accent))
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
