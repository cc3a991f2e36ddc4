"""The theme: which scheme is on, its tokens, fonts and icons, and applying it all."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

from oddsdesk.desk.ui.theme import icons
from oddsdesk.desk.ui.theme.fonts import Fonts, add_font_files, make_fonts
from oddsdesk.desk.ui.theme.sheet import style_sheet
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, Tokens, tokens

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
        self._scheme = scheme
        self._colour_blind = colour_blind
        self.flashes = True
        """Whether a price that moves lights up for a moment; off for less motion."""
        add_font_files()
        self._text_size = 100
        self.fonts = make_fonts()
        application.setStyle("Fusion")
        application.setFont(self.fonts.body)
        self.choose(scheme, colour_blind=colour_blind)
        application.styleHints().colorSchemeChanged.connect(self._on_hints_color_scheme_changed)

    @property
    def scheme(self) -> Scheme:
        """What was chosen; whether it is dark now is ``tokens.is_dark``."""
        return self._scheme

    @property
    def is_colour_blind(self) -> bool:
        """Whether blue and orange stand for green and red."""
        return self._colour_blind

    def choose(self, scheme: Scheme, *, colour_blind: bool = False) -> None:
        """Change to a scheme; everything on screen is repainted."""
        self._scheme = scheme
        self._colour_blind = colour_blind
        fonts = self._fonts_by_widget(self.fonts)
        self._application.styleHints().setColorScheme(_QT_SCHEMES[scheme])
        self._apply(fonts)

    @property
    def text_size(self) -> int:
        """The size of texts in percent."""
        return self._text_size

    def zoom(self, percent: int) -> None:
        """Write everything larger or smaller: 100 is the size it was made for."""
        if percent == self._text_size:
            return
        before, self._text_size = self.fonts, percent
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
        sizes = {_kind(old): new for old, new in zip(before.all(), self.fonts.all(), strict=True)}
        wanted = [(w, self._font_of(w, sizes)) for w in self._application.allWidgets()]
        return [(widget, font) for widget, font in wanted if font is not None]

    def _font_of(self, widget: QWidget, sizes: dict[tuple[int, int], QFont]) -> QFont | None:
        """What a widget that has a font of its own is to have; tab bars keep theirs, too."""
        if isinstance(widget, QTabBar):
            return self.fonts.body
        return sizes.get(_kind(widget.font())) if _has_own_font(widget) else None

    def colour(self, ink: TextRole) -> QColor:
        """Return the colour of a text."""
        return QColor(self.tokens.ink(ink))

    def icon(self, name: str, ink: TextRole = TextRole.SOFT) -> QIcon:
        """Return an icon of the set in the colour of an ink."""
        return icons.icon(name, self.tokens.ink(ink))

    def pixmap(self, name: str, size: int, ratio: float, ink: TextRole = TextRole.NOTE) -> QPixmap:
        """Return an icon of ``size`` pixels for a screen of that pixel ratio."""
        return icons.pixmap(name, self.tokens.ink(ink), size, ratio)

    def _is_dark(self) -> bool:
        if self._scheme is not Scheme.SYSTEM:
            return self._scheme is Scheme.DARK
        return self._application.styleHints().colorScheme() is not Qt.ColorScheme.Light

    def _apply(self, fonts: "_FontsByWidget") -> None:
        self.tokens = tokens(self._is_dark(), self._colour_blind)
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
        if self._scheme is Scheme.SYSTEM and self._is_dark() != self.tokens.is_dark:
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
