"""What tests of the bets share: the panel over a ledger of its own."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QItemSelectionModel
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.desk.bets.panel import BetsPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.fair_values import FairNow
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result

NOW = 1_795_000_000_000
HOUR = 3_600_000
BET = PlacedBet(
    *("game", "Leeds - Wolves", "EPL", "Football", "spread", 0, "Leeds -0.75"),
    *("Betfair Exchange", 2.06, 6.0, NOW - 30 * HOUR),
    kick_off=NOW + 2 * HOUR,
    fair_odds=1.95,
    true_ev=2.4,
    method="shin",
    net_odds=2.007,
    preset="Main markets",
)

LISTED = [
    GameEntry("listed", "Leeds United vs Hull City", "EPL", "Football", NOW + HOUR, False, 3, NOW),
    GameEntry("one", "Ajax vs PSV", "NED1", "Football", NOW + HOUR, False, 3, NOW),
    GameEntry("two", "PSV vs Ajax", "NED1", "Football", NOW + 70 * HOUR, False, 3, NOW),
]
"""What the service lists."""

Make = Callable[..., BetsPanel]


def bet(**changed: object) -> PlacedBet:
    """Return an open bet, changed."""
    return msgspec.structs.replace(BET, **changed)


BEGUN = bet(kick_off=NOW - HOUR)
OVER = bet(game_id="over", kick_off=NOW - 5 * HOUR, selection="Wolves +0.75")
WON = settled(
    bet(kick_off=NOW - 50 * HOUR, close=ClosingLine(2.0, 1.95, "shin", NOW - 50 * HOUR)),
    Result.WON,
    NOW,
)
LOST = settled(
    bet(
        kick_off=NOW - 60 * HOUR,
        bookmaker="Bet365",
        close=ClosingLine(why="the line moved", moved_to="Leeds -1", moved_fair_odds=2.1),
    ),
    Result.LOST,
    NOW,
)


def held(path: Path) -> list[PlacedBet]:
    with closing(Ledger(path)) as ledger:
        return ledger.read_bets()


def column(panel: BetsPanel, key: str) -> list[str]:
    model = panel.model
    place = next(i for i, each in enumerate(model.columns) if each.key == key)
    return [model.cell(row, place).text for row in range(model.rowCount())]


def press(panel: BetsPanel, ident: str) -> None:
    next(each for each in panel.actions() if each.objectName() == ident).trigger()


def act(panel: BetsPanel, qtbot: QtBot, ident: str) -> None:
    """Carry out an action that changes bets."""
    with qtbot.waitSignal(panel._records.bets_changed):
        press(panel, ident)


def select(panel: BetsPanel, *rows: int) -> None:
    selection = panel.table.scrolling.selectionModel()
    panel.table.set_current(rows[0])
    for row in rows:
        flags = QItemSelectionModel.SelectionFlag
        selection.select(panel.model.index(row, 0), flags.Select | flags.Rows)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def make_panel(theme: Theme, layout: Layout, path: Path, qtbot: QtBot) -> Iterator[Make]:
    """Make a panel over a ledger with bets; it is shown, and closed at the end."""
    made: list[tuple[BetsPanel, Records]] = []

    def make(
        *bets: PlacedBet, width: int = 1_300, height: int = 700, fair_now: FairNow = lambda _: None
    ) -> BetsPanel:
        with closing(Ledger(path)) as ledger:
            if bets:
                ledger.place_all(bets, "imported")
        records = Records(path)
        panel = BetsPanel(
            theme,
            lambda: NOW,
            Preferences(layout),
            records,
            shipped_profiles,
            lambda: ["Bet365"],
            lambda: LISTED,
            fair_now,
        )
        made.append((panel, records))
        qtbot.addWidget(panel)
        panel.resize(width, height)
        with qtbot.waitSignal(records.bets_changed), qtbot.waitExposed(panel):
            panel.show()
        return panel

    yield make
    for panel, records in made:
        panel.close_panel()
        records.close_records()
