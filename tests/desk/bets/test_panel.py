"""The list of bets: what it shows, and what it leaves out where there is little room."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import (
    BEGUN,
    HOUR,
    LOST,
    NOW,
    OVER,
    WON,
    Make,
    act,
    bet,
    column,
    held,
    select,
)


def test_bets_are_listed_by_how_they_stand(make_panel: Make, qtmodeltester: ModelTester) -> None:
    panel = make_panel(bet(), OVER, WON, LOST)
    qtmodeltester.check(panel.model)
    assert column(panel, "state") == ["● open", "● to settle", "● won", "● lost"]
    assert column(panel, "clv") == ["", "", "+2.9 %", "line moved"]
    assert column(panel, "profit") == ["", "", "+6.04", "−6.00"]
    for view, states in (
        ("open", ["● open"]),
        ("to settle", ["● to settle"]),
        ("settled", ["● won", "● lost"]),
    ):
        panel.choose_view(view)
        assert column(panel, "state") == states
    tip = panel.model.tip(1, 0)
    assert "no close: the line moved: Leeds -1 closed at a fair 2.100" in tip


def test_where_the_market_has_no_room_the_outcome_tells_what_it_does_not_say_by_itself(
    make_panel: Make, qtbot: QtBot
) -> None:
    """A total of the first half read as that of the whole game."""
    panel = make_panel(
        bet(selection="Over 1.5", market_type="total", period=1),
        bet(selection="Home Under 4.5", market_type="team_total", period=0),
        bet(selection="Over 9.5", market_type="corners", period=2),
        bet(),
    )
    plain = ["Over 1.5", "Home Under 4.5", "Over 9.5", "Leeds -0.75"]
    assert sorted(column(panel, "outcome")) == sorted(plain)
    panel.resize(600, 700)
    pane = panel.table.scrolling
    market = next(i for i, each in enumerate(panel.model.columns) if each.key == "market")
    qtbot.waitUntil(lambda: pane.isColumnHidden(market))
    assert sorted(column(panel, "outcome")) == [
        "Home Under 4.5 · Leeds",
        "Leeds -0.75",
        "Over 1.5 · 1st Half",
        "Over 9.5 · corners · 2nd Half",
    ]
    tip = panel.model.tip(column(panel, "outcome").index("Home Under 4.5 · Leeds"), 0)
    assert tip.startswith("Home Under 4.5, Team total, Leeds v Wolves\n")
    panel.resize(1_300, 700)
    qtbot.waitUntil(lambda: not pane.isColumnHidden(market))
    assert sorted(column(panel, "outcome")) == sorted(plain)


def test_a_narrow_list_keeps_what_was_bet_on_and_when_before_its_figures(make_panel: Make) -> None:
    panel = make_panel(bet())
    pane, keys = panel.table.scrolling, [each.key for each in panel.model.columns]
    went: list[str] = []
    for width in range(1_600, 600, -10):
        panel.resize(width, 700)
        hidden = [key for place, key in enumerate(keys) if pane.isColumnHidden(place)]
        hidden.remove("kind")  # all are plain bets
        went += [key for key in hidden if key not in went]
    assert went == ["note", "clv", "ev", "settled", "market", "kick_off"]


def test_an_ev_by_derived_fair_odds_is_marked(make_panel: Make) -> None:
    panel = make_panel(bet(derived="modelled", per="decided"), bet(derived="implied"), bet())
    place = [each.key for each in panel.model.columns].index("ev")
    notes = {panel.model.cell(row, place).note for row in range(panel.model.rowCount())}
    assert notes == {"~ *", "~", ""}


def test_an_ev_of_a_decided_unit_is_marked(make_panel: Make) -> None:
    panel = make_panel(bet(per="decided"), bet(per="staked", selection="Leeds -0.5"))
    model = panel.model
    place = next(i for i, each in enumerate(model.columns) if each.key == "ev")
    marks = {model.entry(row).per: model.cell(row, place).note for row in range(2)}
    assert marks == {"decided": "*", "staked": ""}
    tips = {model.entry(row).per: "without pushes" in model.tip(row, place) for row in range(2)}
    assert tips == {"decided": True, "staked": False}


def test_the_bet_that_the_keyboard_comes_to_is_selected_and_the_next_once_it_is_settled(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN, OVER)
    panel.choose_view("to settle")
    panel.activateWindow()
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    assert [each.ident for each in panel.selected()] == [2]
    panel.choose_view("all")
    assert len(panel.selected()) == 1
    panel.choose_view("open")
    act(panel, qtbot, "bets.won")
    assert [each.result for each in held(path)] == [Result.WON, None]
    assert panel.selected() == []


def test_keys_work_after_a_menu_was_open_with_nothing_selected(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN)
    panel.table.scrolling.selectionModel().clear()
    menu = panel.actions_on_bets.settle_menu
    menu.aboutToShow.emit()
    assert not any(action.isEnabled() for action in menu.actions() if not action.isSeparator())
    menu.aboutToHide.emit()
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    assert [each.result for each in held(path)] == [Result.WON]


@pytest.mark.parametrize("result", [None, *Result])
def test_there_is_room_for_the_mark_of_practice_whatever_became_of_the_bet(
    make_panel: Make, theme: Theme, result: Result | None
) -> None:
    ended = msgspec.structs.replace(OVER, practice=True, result=result)
    panel = make_panel(ended)
    painter, cell = CellPainter(theme, lambda: 0), panel.model.cell(0, 0)
    needed = painter.narrow_width(panel.model, 0, f"{cell.text} {cell.note}")
    assert cell.note == "practice"
    assert needed <= painter.least_width(panel.model, 0)


def test_rows_stay_where_they_are_while_bets_are_settled(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(BEGUN, OVER)
    top = panel.table.mapTo(panel, QPoint()).y()
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    assert not panel.chart.isVisible()
    assert panel.table.mapTo(panel, QPoint()).y() == top
    panel.choose_view("settled")
    assert panel.chart.isVisible()
    select(panel, 0)
    act(panel, qtbot, "bets.reopen")
    assert panel.chart.isVisible()


def test_the_filter_gives_way_before_the_count_of_bets_is_cut(
    make_panel: Make, theme: Theme, qtbot: QtBot
) -> None:
    practised = [msgspec.structs.replace(bet(), practice=True), bet()]
    theme.zoom(160)
    panel = make_panel(*practised, width=1_000)
    for size, width in ((160, 889), (100, 628)):
        theme.zoom(size)
        panel.resize(width, panel.height())
        qtbot.waitUntil(lambda: panel.bar._facts.text() == "2 bets, 1 practice")
        assert panel.bar.filter.width() >= theme.fonts.scaled(100)


def test_the_list_of_views_is_as_large_as_its_texts(make_panel: Make, theme: Theme) -> None:
    views = make_panel(WON).views

    def sizes() -> list[int]:
        rows = [views.item(row).sizeHint().height() for row in range(views.count())]
        return [views.width(), *rows]

    before = sizes()
    theme.zoom(160)
    large = sizes()
    theme.zoom(100)
    assert all(one > other for one, other in zip(large, before, strict=True))
    assert sizes() == before


def test_large_text_leaves_the_list_of_views_out_where_it_takes_the_room_of_stakes(
    make_panel: Make, theme: Theme, qtbot: QtBot
) -> None:
    panel = make_panel(WON, LOST, width=700)
    assert panel.views.isVisible()
    theme.zoom(160)
    try:
        qtbot.waitUntil(lambda: not panel.views.isVisible())
        stake = next(i for i, each in enumerate(panel.model.columns) if each.key == "stake")
        pane = panel.table.scrolling
        qtbot.waitUntil(
            lambda: (
                pane.columnViewportPosition(stake) + pane.columnWidth(stake)
                <= pane.viewport().width()
            )
        )
    finally:
        theme.zoom(100)
    qtbot.waitUntil(panel.views.isVisible)


def test_a_low_or_narrow_panel_keeps_the_list(make_panel: Make) -> None:
    panel = make_panel(WON, LOST, width=500, height=330)
    assert not panel.chart.isVisible()
    assert not panel.views.isVisible()
    assert panel.table.isVisible()


def test_large_text_leaves_room_for_rows_and_a_menu_of_views(
    make_panel: Make, theme: Theme, qtbot: QtBot
) -> None:
    """With a message shown, too: no row was left of a window of 1280 by 800 at 160 %."""
    panel = make_panel(*(bet(game_id=f"{n}") for n in range(9)), WON, LOST, width=980, height=238)
    theme.zoom(160)
    try:
        qtbot.waitUntil(lambda: not panel.facts.isVisible() and panel.bar.views.isVisible())
        qtbot.waitUntil(lambda: len(panel.table.rows_in_view()) >= 3)
        assert panel.bar._facts.accessibleName().startswith("11 bets · Profit +0.04 · Yield")
        assert panel.bar._facts.text().startswith("11 bets · Profit +0.04")
        panel.say_settled("2 bets settled.")
        qtbot.waitUntil(lambda: panel.messages.isVisible())
        assert panel.table.rows_in_view()
        menu = panel.bar.views.menu()
        menu.aboutToShow.emit()
        assert [each.text() for each in menu.actions() if each.isChecked()] == ["All bets"]
        next(each for each in menu.actions() if each.text() == "Report by bookmaker").trigger()
        assert panel.reports.isVisible()
        assert panel.bar.views.text() == "Bookmaker ▾"
    finally:
        theme.zoom(100)


@pytest.mark.parametrize("size", [100, 130, 160])
def test_at_each_height_some_bets_are_in_view(
    make_panel: Make, theme: Theme, qtbot: QtBot, size: int
) -> None:
    many = [bet(game_id=f"{n}") for n in range(30)]
    panel = make_panel(*many, WON, LOST, width=1_000, height=200)
    theme.zoom(size)
    try:
        for height in range(200, 900, 25):
            panel.resize(1_000, height)
            qtbot.waitUntil(lambda: len(panel.table.rows_in_view()) >= 2)
    finally:
        theme.zoom(100)


def test_how_many_bets_want_a_result_is_told(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet(), OVER)
    heard: list[int] = []
    panel.waiting_changed.connect(heard.append)
    select(panel, 1)
    act(panel, qtbot, "bets.void")
    assert heard[-1] == 0


def test_the_keyboard_stays_in_the_list_when_another_view_is_chosen(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel(WON, LOST)
    panel.activateWindow()
    panel.table.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    for view, focused in (
        ("by sport", panel.reports.scrolling),
        ("open", panel.placeholder),
        ("all", panel.table.scrolling),
    ):
        panel.choose_view(view)
        assert focused.hasFocus()


def test_closes_of_other_games_are_offered_to_be_closed_again(
    make_panel: Make, qtbot: QtBot
) -> None:
    """Seen a week after the kick-off: of the next game of these teams."""
    other = ClosingLine(2.0, 1.95, "shin", NOW + 7 * 24 * HOUR)
    panel = make_panel(bet(kick_off=NOW - 50 * HOUR, close=other), WON)
    assert panel.messages.message_text == (
        "1 closing line belongs to another game between these teams and is not counted."
    )
    with qtbot.waitSignal(panel.close_again_requested):
        panel.messages.action_requested.emit()
    assert not panel.messages.isVisible()
    panel.show_all()
    assert not panel.messages.isVisible()
    panel.say_closed_again("Done.")
    assert panel.messages.message_text == "Done."


def test_where_all_closes_are_of_their_games_nothing_is_offered(make_panel: Make) -> None:
    assert not make_panel(bet(), WON, LOST).messages.isVisible()
