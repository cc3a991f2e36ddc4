"""Colours can be read wherever they are used, in every scheme."""

import math
from itertools import combinations

import pytest
from PySide6.QtGui import QFontInfo, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.base.places import resource_path
from oddsdesk.desk.ui.theme import theme as sheet
from oddsdesk.desk.ui.theme.theme import FAMILY, Scheme, Theme
from oddsdesk.desk.ui.theme.tokens import (
    FLASH_SHARE,
    HOVER_SHARE,
    HOVERED,
    PAIRS,
    READABLE,
    VISIBLE,
    SurfaceRole,
    TextRole,
    Tokens,
    contrast,
    lift,
    mix,
    tokens,
)

_TOLD_APART = 8
"""In CIELAB; about 2 can be seen side by side (CIE 1976)."""
_SPENT = (SurfaceRole.BEST, SurfaceRole.VALUE, SurfaceRole.REFERENCE)
_XYZ = (
    (0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)  # fmt: skip
_SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "without red": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "without green": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}  # fmt: skip
"""What eyes make of linear sRGB (Machado, Oliveira, Fernandes 2009, severity 1)."""

SCHEMES = [tokens(dark, blind) for dark in (True, False) for blind in (True, False)]
SCHEME_IDS = [f"{'dark' if t.is_dark else 'light'}-{t.up}" for t in SCHEMES]


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
@pytest.mark.parametrize("ink", list(PAIRS))
def test_every_ink_reads_on_every_ground_it_is_used_on(scheme: Tokens, ink: TextRole) -> None:
    for ground in PAIRS[ink]:
        assert contrast(scheme.ink(ink), scheme.ground(ground)) >= READABLE, ground.name
        if ground in HOVERED:
            hovered = mix(scheme.hover, scheme.ground(ground), HOVER_SHARE)
            assert contrast(scheme.ink(ink), hovered) >= READABLE, f"{ground.name} hovered"


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
def test_a_field_in_a_dialog_shows_where_it_is(scheme: Tokens) -> None:
    """In a light dialog its ground was 1.11:1, its border 1.2:1."""
    for ground in (SurfaceRole.WINDOW, SurfaceRole.PANEL):
        assert contrast(scheme.edge, scheme.ground(ground)) >= VISIBLE


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
@pytest.mark.parametrize("ground", [g for g in SurfaceRole if g is not SurfaceRole.WINDOW])
def test_a_price_reads_at_the_height_of_its_flash(scheme: Tokens, ground: SurfaceRole) -> None:
    for movement in (scheme.up, scheme.down):
        flash = mix(movement, scheme.ground(ground), FLASH_SHARE)
        assert contrast(scheme.ink(TextRole.STRONG), flash) >= READABLE


def test_every_ink_but_the_ghost_has_its_grounds() -> None:
    assert set(TextRole) - set(PAIRS) == {TextRole.GHOST}


@pytest.mark.parametrize("dark", [True, False])
def test_the_colour_blind_pair_replaces_green_and_red(dark: bool) -> None:
    plain, blind = tokens(dark), tokens(dark, colour_blind=True)
    assert (plain.up, plain.down) != (blind.up, blind.down)
    assert plain.ground(SurfaceRole.BEST) != blind.ground(SurfaceRole.BEST)
    assert plain.ink(TextRole.STRONG) == blind.ink(TextRole.STRONG)


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_IDS)
def test_what_colour_is_spent_on_is_told_apart(scheme: Tokens) -> None:
    panel = scheme.ground(SurfaceRole.PANEL)
    spent = {ground.name: scheme.ground(ground) for ground in _SPENT}
    spent |= {
        "up": mix(scheme.up, panel, FLASH_SHARE),
        "down": mix(scheme.down, panel, FLASH_SHARE),
    }
    is_for_blind = scheme.up in {tokens(dark, colour_blind=True).up for dark in (True, False)}
    for sight in _SIGHTS if is_for_blind else ("normal",):
        for one, other in combinations(spent, 2):
            apart = distance(spent[one], spent[other], sight)
            assert apart >= _TOLD_APART, f"{one} and {other}, {sight} sight: {apart:.1f}"


def distance(one: str, other: str, sight: str) -> float:
    """How far two colours are apart in CIELAB, as seen by an eye (CIE 1976)."""
    return math.dist(_lab(one, sight), _lab(other, sight))


def _lab(colour: str, sight: str) -> tuple[float, float, float]:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    seen = [min(1.0, max(0.0, _dot(row, linear))) for row in _SIGHTS[sight]]
    x, y, z = (_dot(row, seen) for row in _XYZ)
    fx, fy, fz = (_cube_root(part) for part in (x / 0.95047, y, z / 1.08883))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _dot(row: tuple[float, ...], values: list[float]) -> float:
    return sum(one * other for one, other in zip(row, values, strict=True))


def _cube_root(part: float) -> float:
    return part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_lifting_leaves_what_reads_already() -> None:
    assert lift("#101010", "#000000", ("#ffffff",)) == "#101010"
    assert contrast(lift("#999999", "#000000", ("#ffffff",)), "#ffffff") >= READABLE


def test_a_chosen_scheme_reaches_palette_and_style_sheet(theme: Theme, qapp: QApplication) -> None:
    for scheme, is_dark in ((Scheme.LIGHT, False), (Scheme.DARK, True)):
        theme.choose_scheme(scheme)
        assert theme.tokens.is_dark is is_dark
        window = qapp.palette().color(QPalette.ColorRole.Window).name()
        assert window == theme.tokens.ground(SurfaceRole.WINDOW)
        assert theme.tokens.ink(TextRole.SOFT) in qapp.styleSheet()


def test_a_change_is_told_once(theme: Theme, qtbot: QtBot) -> None:
    heard: list[None] = []
    theme.changed.connect(lambda: heard.append(None))
    theme.choose_scheme(Scheme.LIGHT, colour_blind=True)
    assert len(heard) == 1
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


def test_an_icon_is_read_once_for_screens_of_all_ratios(theme: Theme, monkeypatch) -> None:
    read: list[str] = []
    found = sheet.resource_path
    monkeypatch.setattr(
        sheet, "resource_path", lambda *parts: read.append(parts[-1]) or found(*parts)
    )
    made = sheet.icon("search", "#010203")
    assert len(made.availableSizes()) == 3
    assert read == ["search.svg"]


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
