"""Nearest misses: what stops each price and by how much, a row a selection."""

from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.ui.table.cells import REPAINT_MS
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.header import BETS, MISSES
from oddsdesk.desk.value_bets.near_misses import ODDS_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from tests.kit.value_bets import OVER, be_value, facts


def test_near_misses_tell_what_stops_each_and_by_how_much(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games(
        [Game(quoted.id, name, "EPL", "Football", None, False, 4, format_ms(quoted.clock.now))]
    )
    quoted.tell("Matchbook", "total", "Over 2.5", 2.03)
    panel.show_list(MISSES)
    qtbot.waitUntil(lambda: panel.misses.model.rowCount() > 0, timeout=2_000)
    assert facts(panel).endswith(" · looked for in 1 game read here · by Pinnacle")
    place = panel.lists.misses.row_of(OVER._replace(bookmaker=None))
    assert place is not None
    cells = [panel.misses.model.cell(place, column).text for column in range(9)]
    assert cells[:6] == ["Over 2.5", "Total", "Matchbook", "Edge ≥ 1 %", "0.50 pp short", "2.03"]
    assert cells[7] == "2.041 – 2.107"
    subject_seen: list[Any] = []
    panel.price_selected.connect(subject_seen.append)
    panel.misses.set_current(place)
    assert subject_seen == [OVER]
    panel.show_list(BETS)


def test_a_selection_that_is_near_at_many_bookmakers_is_one_row(
    panel: ValuesPanel, quoted: Any
) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    for bookmaker, odds in (("Matchbook", 2.03), ("Bovada", 2.025), ("Betsson", 2.02)):
        quoted.tell(bookmaker, "total", "Over 2.5", odds)
    panel.show_list(MISSES)
    panel.lists.finder.search()
    place = panel.lists.misses.row_of(OVER._replace(bookmaker=None))
    assert place is not None
    selections = [
        panel.misses.model.cell(at, 0).text for at in range(panel.misses.model.rowCount())
    ]
    assert selections.count("Over 2.5") == 1
    bookmaker = panel.misses.model.cell(place, 2)
    assert (bookmaker.text, bookmaker.note) == ("Matchbook", "+ 2 books")
    tip = panel.misses.model.tip(place, 0)
    assert "Bovada 2.025: " in tip
    assert "Betsson 2.02: 1.00 pp short" in tip
    panel.show_list(BETS)


def test_value_is_no_near_miss_and_a_miss_has_no_stake(panel: ValuesPanel, quoted: Any) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    selection = OVER._replace(bookmaker=None)
    quoted.tell("Matchbook", "total", "Over 2.5", 2.03)
    panel.lists.finder.search()
    assert selection in panel.lists.finder.misses
    panel.show_list(MISSES)
    panel.misses.set_current(panel.lists.misses.row_of(selection) or 0)
    subject = panel.subject()
    assert subject is not None
    assert subject.stake == 0.0
    be_value(quoted)
    panel.lists.finder.search()
    assert selection not in panel.lists.finder.misses


def test_a_miss_opens_its_bookmakers_page(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toString()) or True
    )
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    panel.lists.finder.search()
    panel.show_list(MISSES)
    line, miss = next(
        (line, miss)
        for line, miss in panel.lists.finder.misses.items()
        if " " not in line.selection
    )
    key = miss.key
    panel.misses.set_current(panel.lists.misses.row_of(line) or 0)
    qtbot.keyClick(panel.misses.scrolling, Qt.Key.Key_Return)
    assert opened == [f"https://{(key.bookmaker or '').lower()}.example/{key.selection}"]


def test_the_odds_of_a_miss_look_as_old_as_in_the_matrix(panel: ValuesPanel, quoted: Any) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    quoted.tell("Matchbook", "total", "Over 2.5", 2.03)
    panel.lists.finder.search()
    panel.show_list(MISSES)
    place = panel.lists.misses.row_of(OVER._replace(bookmaker=None))
    assert place is not None
    looks = []
    for seconds in (0, 100, 100):  # fresh, ageing, stale
        quoted.clock.now += seconds * 1_000
        cell = panel.lists.misses.cell(place, ODDS_COLUMN)
        assert cell.repaint_at_ms <= quoted.clock.now + REPAINT_MS
        looks.append((cell.text, cell.ink, cell.is_strong))
    assert looks == [
        ("2.03", TextRole.STRONG, True),
        ("2.03", TextRole.SOFT, False),
        ("2.03", TextRole.NOTE, False),
    ]
