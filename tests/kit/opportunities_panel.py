"""The panel of opportunities in tests: what it is told, what it shows, what is asked and placed."""

from fractions import Fraction
from typing import Any

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.desk.bet_sheet import BetSheet
from oddsdesk.desk.opportunities.model import COLUMNS
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.placing import PlaceDialog

TITLES = [column.title for column in COLUMNS]


def tell(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, over: float = 2.10) -> None:
    """Let Betsson offer more: with Matchbook's 1.98 an arbitrage."""
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", over)
    look(panel, qtbot)


def look(panel: OpportunitiesPanel, qtbot: QtBot) -> None:
    """Have it look now, not after its rest."""
    panel.list.stop_looking()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start_looking()
    panel.model.sort_now()


def shown(panel: OpportunitiesPanel) -> list[dict[str, str]]:
    model = panel.model
    return [
        {title: model.cell(row, column).text for column, title in enumerate(TITLES)}
        for row in range(model.rowCount())
    ]


def by_keyboard_alone(panel: OpportunitiesPanel) -> None:
    """Have the first cell current and no row marked, as Qt does where the keyboard comes."""
    no_row = QItemSelectionModel.SelectionFlag.NoUpdate
    panel.table.scrolling.selectionModel().setCurrentIndex(panel.model.index(0, 0), no_row)


def tell_of_another(quoted: Any, over: float) -> None:
    """Let Betsson and Matchbook offer a second pair, of 3.5."""
    quoted.clock.now += 1
    for bookmaker, pair in (("Betsson", (over, 1.30)), ("Matchbook", (2.50, 1.57))):
        for side, odds in zip(("Over", "Under"), pair, strict=True):
            quoted.tell(bookmaker, "total", f"{side} 3.5", odds)


def place(panel: OpportunitiesPanel, qtbot: QtBot) -> None:
    """Mark a leg as placed and wait until it is kept."""
    dialog = asked(panel)
    dialog.accept()
    qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))


def asked(panel: OpportunitiesPanel) -> PlaceDialog:
    """The dialog that is open."""
    (dialog,) = (each for each in panel.findChildren(PlaceDialog) if each.isVisible())
    return dialog


def leg_of(dialog: PlaceDialog) -> str:
    """What the dialog says of the leg."""
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    (said,) = [text for text in texts if text.startswith("Completes the legs you placed")]
    return said


def place_then_ask(
    panel: OpportunitiesPanel, records: Records, qtbot: QtBot, selection: str
) -> PlaceDialog:
    """Record the leg that is asked for, and ask for the one on another selection."""
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()
    panel.table.set_current([row["Selection"] for row in shown(panel)].index(selection))
    panel._place()
    return asked(panel)


def sheet_of(panel: OpportunitiesPanel) -> BetSheet:
    """The sheet that is open."""
    (sheet,) = (each for each in panel.findChildren(BetSheet) if each.isVisible())
    return sheet


def record_sheet(panel: OpportunitiesPanel, records: Records, qtbot: QtBot) -> None:
    """Record the ticked legs of the sheet and wait until they are kept."""
    with qtbot.waitSignal(records.bets_changed):
        sheet_of(panel).accept()
    panel.model.sort_now()


def place_leg(
    panel: OpportunitiesPanel, records: Records, qtbot: QtBot, row: int, *, stake: str, odds: str
) -> None:
    """Mark the leg in a row as placed, at a stake and odds of one's own."""
    panel.table.set_current(row)
    panel._place()
    asked(panel).stake.setText(stake)
    asked(panel).odds.setText(odds)
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()


def kinds_listed(panel: OpportunitiesPanel) -> dict[str, list[str]]:
    """The kinds in the rows of the first legs, by the chip that lists them."""
    listed = {}
    for chip in ("arbitrage", "low-hold", "middle"):
        panel.chips.choose_chip(chip)
        listed[chip] = [row["Kind"] for row in shown(panel) if row["Kind"]]
    return listed


def left_pct(*legs: tuple[float, float]) -> float:
    """What stakes at net odds leave at worst, in percent of all: a fraction a leg, added up."""
    cost = sum(Fraction(str(stake)) for stake, _ in legs)
    gains = [Fraction(str(stake)) * Fraction(str(net)) - cost for stake, net in legs]
    return float(100 * sorted(gains)[0] / cost)


def move(quoted: Any, bookmaker: str, selection: str, odds: float) -> None:
    """Let a price move that the list has not looked at again."""
    quoted.clock.now += 1
    quoted.tell(bookmaker, "total", selection, odds)
