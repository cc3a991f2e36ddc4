"""What tests of the desk share: an application with its theme, and a game that is quoted."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy  # noqa: F401 - whole, before the desk's thread reads it: `pytest.approx` asks it
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.base.clock import system_clock
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.matrix.layout import BookmakerColumns
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.desk.ui.formatting import choose_style
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.pricing.derived import Band, BandKey
from oddsdesk.pricing.formats import AMERICAN, DECIMAL
from tests.kit.quoted_game import REFERENCE, QuotedGame


@pytest.fixture(scope="session", autouse=True)
def _stays_without_windows(qapp: QApplication) -> None:
    """As the program does: a loop does not end because the windows of an earlier test are gone."""
    qapp.setQuitOnLastWindowClosed(False)


@pytest.fixture(scope="session")
def _session_theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Scheme.DARK)


@pytest.fixture
def theme(_session_theme: Theme) -> Theme:
    """The theme of the application, dark at the start of each test."""
    if _session_theme.scheme is not Scheme.DARK or _session_theme.is_colour_blind:
        _session_theme.choose_scheme(Scheme.DARK)
    return _session_theme


@pytest.fixture
def american_odds() -> Iterator[None]:
    """Odds are written, and typed, in American style."""
    choose_style(AMERICAN)
    yield
    choose_style(DECIMAL)


@pytest.fixture(autouse=True)
def _pointer(qapp: QApplication) -> Iterator[None]:
    """The pointer goes back to where it was: windows that come later would lie under it."""
    before = QCursor.pos()
    yield
    if QCursor.pos() != before:
        QCursor.setPos(before)


@pytest.fixture(autouse=True)
def _modifiers(qapp: QApplication) -> Iterator[None]:
    """A click with Shift leaves it held, and what is selected later would be so with Shift."""
    yield
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)
        assert qapp.keyboardModifiers() == Qt.KeyboardModifier.NoModifier


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """The file in which the desk keeps how it is arranged, empty."""
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
def preferences(qapp: QApplication, layout: Layout) -> Preferences:
    """The settings of a new user."""
    return Preferences(layout)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QMainWindow]:
    """A main window that holds nothing yet.

    It goes after the fixtures that use it. pytest-qt would close it before, and what they end
    would be deleted whenever Qt's loop came to it.
    """
    made = QMainWindow()
    made.resize(900, 600)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def columns(tmp_path: Path) -> BookmakerColumns:
    """The order of bookmakers as a new user has it."""
    return BookmakerColumns(Layout(tmp_path / "columns.ini"))


@pytest.fixture
def quoted() -> QuotedGame:
    """A game with a match result, a total of 2.5 goals and a first-half result."""
    game = QuotedGame()
    game.quote(
        "moneyline",
        {
            "Everton": {REFERENCE: 3.29, "Bovada": 3.20, "Matchbook": 3.35},
            "Draw": {REFERENCE: 3.36, "Bovada": 3.30, "Matchbook": 3.40},
            "Liverpool": {REFERENCE: 2.31, "Bovada": 2.27, "Matchbook": 2.40},
        },
    )
    game.quote(
        "total",
        {
            "Over 2.5": {REFERENCE: 1.94, "Bovada": 1.91, "Matchbook": 2.00, "Betsson": 1.92},
            "Under 2.5": {REFERENCE: 1.94, "Bovada": 1.91, "Matchbook": 1.98, "Betsson": 1.88},
        },
    )
    game.quote("moneyline", {"Everton": {"Unibet": 3.48}}, period=1)
    game.load()
    return game


@pytest.fixture
def derived(quoted: QuotedGame) -> QuotedGame:
    """The same game: its double chance is implied, its total of 3.5 is modelled; both have value.

    The modelled one is off by at most 1 percentage point.
    """
    distances = (("moneyline", "none"), ("total", "none"), ("total", "1"))
    cells = [BandKey("Football", *cell) for cell in distances]
    quoted.board.set_bands(dict.fromkeys(cells, Band(0.01, 100)))
    quoted.quote("double_chance", {"1X": {"Unibet": 1.72}, "X2": {"Unibet": 1.46}})
    quoted.quote("total", {"Over 3.5": {"Unibet": 3.85}, "Under 3.5": {"Unibet": 1.28}})
    quoted.load()
    return quoted


@pytest.fixture
async def session(qapp: QApplication, tmp_path: Path) -> AsyncIterator[EmbeddedSession]:
    """An embedded server that runs, without a feed."""
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    made = EmbeddedSession(profile, system_clock)
    await made.start_session()
    yield made
    await made.stop_session()
