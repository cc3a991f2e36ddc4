"""How the user stakes follows the settings at once."""

from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.declared import (
    BANKROLL,
    FLASH,
    GAME_CAP,
    KELLY_SHARE,
    OUTCOME_CAP,
    STAKE_STEP,
    STAKES,
    TOTAL_CAP,
)
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.lists import ODDS_COLUMN, StakeSettings
from oddsdesk.desk.value_bets.panel import BETS, MISSES, ValuesPanel
from oddsdesk.pricing.exposure import StakePlan
from tests.kit.value_bets import OVER, be_value, facts


def test_at_first_the_plan_is_the_careful_one(preferences: Preferences) -> None:
    assert StakeSettings(preferences).plan == StakePlan()


def test_the_plan_follows_every_setting(preferences: Preferences) -> None:
    settings = StakeSettings(preferences)
    heard: list[StakePlan] = []
    settings.changed.connect(lambda: heard.append(settings.plan))
    for setting, value in (
        (BANKROLL, 2_500), (KELLY_SHARE, 30), (OUTCOME_CAP, 5), (GAME_CAP, 7), (TOTAL_CAP, 40),
        (STAKE_STEP, "0.5"),
    ):  # fmt: skip
        preferences.keep_setting(setting, value)
    assert len(heard) == 6
    assert heard[-1] == StakePlan(
        bankroll=2_500, kelly_share=0.3, outcome_cap=0.05, game_cap=0.07, total_cap=0.4, step=0.5
    )
    preferences.keep_setting(FLASH, False)
    assert len(heard) == 6


def test_stakes_alone_are_asked_for_in_a_small_dialog(
    preferences: Preferences, theme: Theme, qtbot: QtBot
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    dialog = SettingsDialog(theme, preferences, owner, (STAKES,))
    assert dialog.windowTitle() == "Stakes"
    assert set(dialog.controls) == {setting.key for setting in STAKES.settings}


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
    assert facts(panel).endswith(" · 1 game checked · vs Pinnacle")
    place = panel.lists.misses.row_of_key(OVER._replace(bookmaker=""))
    assert place is not None
    cells = [panel.misses.model.cell(place, column).text for column in range(9)]
    assert cells[:6] == ["Over 2.5", "Total", "Matchbook", "EV ≥ 2.01 %", "0.51 pp short", "2.03"]
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
    for bookmaker, odds in (("Matchbook", 2.03), ("Bovada", 2.025), ("Betsson", 2.0205)):
        quoted.tell(bookmaker, "total", "Over 2.5", odds)
    panel.show_list(MISSES)
    panel.lists.finder.search()
    place = panel.lists.misses.row_of_key(OVER._replace(bookmaker=""))
    assert place is not None
    selections = [
        panel.misses.model.cell(at, 0).text for at in range(panel.misses.model.rowCount())
    ]
    assert selections.count("Over 2.5") == 1
    bookmaker = panel.misses.model.cell(place, 2)
    assert (bookmaker.text, bookmaker.note) == ("Matchbook", "+ 2 books")
    tip = panel.misses.model.tip(place, 0)
    assert "Bovada 2.025: " in tip
    assert "Betsson 2.0205: 0.98 pp short" in tip
    panel.show_list(BETS)


def test_value_is_no_near_miss_and_a_miss_has_no_stake(panel: ValuesPanel, quoted: Any) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    selection = OVER._replace(bookmaker="")
    quoted.tell("Matchbook", "total", "Over 2.5", 2.03)
    panel.lists.finder.search()
    assert selection in panel.lists.finder.misses
    panel.show_list(MISSES)
    panel.misses.set_current(panel.lists.misses.row_of_key(selection) or 0)
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
    panel.misses.set_current(panel.lists.misses.row_of_key(line) or 0)
    qtbot.keyClick(panel.misses.scrolling, Qt.Key.Key_Return)
    assert opened == [f"https://{key.bookmaker.lower()}.example/{key.selection}"]


def test_the_odds_of_a_miss_look_as_old_as_in_the_matrix(panel: ValuesPanel, quoted: Any) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    quoted.tell("Matchbook", "total", "Over 2.5", 2.03)
    panel.lists.finder.search()
    panel.show_list(MISSES)
    place = panel.lists.misses.row_of_key(OVER._replace(bookmaker=""))
    assert place is not None
    looks = []
    for seconds, lasts_s in ((0, 2), (100, 2), (100, 10)):  # fresh, ageing, stale
        quoted.clock.now += seconds * 1_000
        cell = panel.lists.misses.cell(place, ODDS_COLUMN)
        assert cell.repaint_at_ms == quoted.clock.now + lasts_s * 1_000
        looks.append((cell.text, cell.ink, cell.is_strong))
    assert looks == [
        ("2.03", TextRole.STRONG, True),
        ("2.03", TextRole.SOFT, False),
        ("2.03", TextRole.NOTE, False),
    ]
