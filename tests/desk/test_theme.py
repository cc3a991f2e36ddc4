"""The theme applies a scheme to the whole application, and again when it changes."""

import pytest
from PySide6.QtGui import QFontInfo, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.theme.fonts import FAMILY
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.resource_files import resource_path


def test_a_chosen_scheme_reaches_palette_and_style_sheet(theme: Theme, qapp: QApplication) -> None:
    for scheme, is_dark in ((Scheme.LIGHT, False), (Scheme.DARK, True)):
        theme.choose(scheme)
        assert theme.tokens.is_dark is is_dark
        window = qapp.palette().color(QPalette.ColorRole.Window).name()
        assert window == theme.tokens.ground(SurfaceRole.WINDOW)
        assert theme.tokens.ink(TextRole.SOFT) in qapp.styleSheet()


def test_a_change_is_told_once(theme: Theme, qtbot: QtBot) -> None:
    told: list[None] = []
    theme.changed.connect(lambda: told.append(None))
    theme.choose(Scheme.LIGHT, colour_blind=True)
    assert len(told) == 1
    assert theme.is_colour_blind


def test_no_template_field_is_left_in_the_style_sheet(theme: Theme, qapp: QApplication) -> None:
    assert "$" not in qapp.styleSheet()


def test_the_bundled_font_is_used_and_its_figures_are_tabular(theme: Theme) -> None:
    for font in (theme.fonts.body, theme.fonts.strong, theme.fonts.small):
        assert QFontInfo(font).family() == FAMILY
        metrics = QFontMetricsF(font)
        widths = [metrics.horizontalAdvance(digit) for digit in "0123456789"]
        assert max(widths) - min(widths) < 0.1


def test_the_font_comes_with_its_licence() -> None:
    assert "SIL OPEN FONT LICENSE" in resource_path("fonts", "OFL.txt").read_text("utf-8")


@pytest.mark.parametrize("path", sorted(resource_path("icons").glob("*.svg")), ids=lambda p: p.stem)
def test_each_icon_takes_the_colour_asked_for(theme: Theme, path) -> None:
    drawn = theme.pixmap(path.stem, 32, 1, TextRole.LIVE).toImage()
    colours = {
        drawn.pixelColor(x, y).name()
        for x in range(32)
        for y in range(32)
        if drawn.pixelColor(x, y).alpha() == 255
    }
    assert theme.tokens.ink(TextRole.LIVE) in colours
