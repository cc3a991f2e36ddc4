"""Type: Inter with tabular figures, in the few sizes the desk uses."""

import logging

import msgspec
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QGuiApplication

from oddsdesk.resource_files import resource_path

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

    def all(self) -> tuple[QFont, ...]:
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
