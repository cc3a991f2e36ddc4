"""What tests of the desk share: an application with its theme, and a game that is quoted."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import (
    BookOddsCell,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    PriceMessage,
    ReferenceCell,
)
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Scheme, Theme

NOW_MS = 1_776_340_800_000
REFERENCE = "Pinnacle"
_PERIODS = ("Full Time", "1st Half", "2nd Half")


@pytest.fixture(scope="session")
def _session_theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Scheme.DARK)


@pytest.fixture
def theme(_session_theme: Theme) -> Theme:
    """The theme of the application, dark at the start of each test."""
    if _session_theme.scheme is not Scheme.DARK or _session_theme.is_colour_blind:
        _session_theme.choose(Scheme.DARK)
    return _session_theme


@pytest.fixture(autouse=True)
def _pointer(qapp: QApplication) -> Iterator[None]:
    """The pointer goes back to where it was: windows that come later would lie under it."""
    before = QCursor.pos()
    yield
    if QCursor.pos() != before:
        QCursor.setPos(before)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """The file in which the desk keeps how it is arranged, empty."""
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
def preferences(qapp: QApplication, layout: Layout) -> Preferences:
    """The settings of a new user."""
    return Preferences(layout)


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    """A main window that holds nothing yet."""
    made = QMainWindow()
    qtbot.addWidget(made)
    made.resize(900, 600)
    return made


@pytest.fixture
def columns(tmp_path: Path) -> BookmakerColumns:
    """The order of bookmakers as a new user has it."""
    return BookmakerColumns(Layout(tmp_path / "columns.ini"))


class Clock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.now = NOW_MS

    def __call__(self) -> int:
        return self.now


class QuotedGame:
    """Everton v Liverpool on a board of its own; tests quote, load and move its prices."""

    name, competition = "Everton - Liverpool", "EPL"
    id = game_id(competition, name)

    def __init__(self) -> None:
        self.clock = Clock()
        self.board = Board(self.clock)
        self._markets: dict[tuple[str, int], dict[str, dict[str, float]]] = {}

    def quote(
        self, market_type: str, prices: Mapping[str, Mapping[str, float]], period: int = 0
    ) -> None:
        """Set the prices of a market: selection -> bookmaker -> odds."""
        market = self._markets.setdefault((market_type, period), {})
        for selection, odds in prices.items():
            market[selection] = dict(odds)

    def load(self) -> None:
        """Let the board read the whole picture."""
        names = {name for rows in self._markets.values() for row in rows.values() for name in row}
        self.board.load_matrix(
            GameMatrix(
                self.id,
                self.name,
                self.competition,
                "Football",
                format_ms(NOW_MS + 241_200_000),
                False,
                sorted(names),
                [self._market(*key, rows) for key, rows in self._markets.items()],
            )
        )

    def tell(
        self,
        bookmaker: str,
        market_type: str,
        selection: str,
        odds: float,
        period: int = 0,
        *,
        is_live: bool = False,
    ) -> None:
        """Let the stream tell of a price, scraped now."""
        self.board.apply(
            PriceMessage(
                bookmaker,
                self.name,
                self.competition,
                "Football",
                market_type,
                selection,
                odds,
                period,
                is_live,
                format_ms(self.clock.now),
            )
        )

    def _market(
        self, market_type: str, period: int, rows: Mapping[str, Mapping[str, float]]
    ) -> MarketMatrix:
        seen = format_ms(self.clock.now)
        quoting = sorted({name for row in rows.values() for name in row} - {REFERENCE})
        lines = []
        for selection, odds in rows.items():
            sharp = odds.get(REFERENCE)
            books = {
                name: BookOddsCell(odds[name], seen, f"https://{name.lower()}.example/{selection}")
                if name in odds
                else None
                for name in quoting
            }
            cell = None if sharp is None else ReferenceCell(sharp, 12_000.0, seen)
            lines.append(MatrixRow(selection, cell, books))
        return MarketMatrix(market_type, period, _PERIODS[period], quoting, seen, lines)


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
