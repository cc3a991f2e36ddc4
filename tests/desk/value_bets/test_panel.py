"""The value-bet panel: its columns, what can be done with a bet, what it says without one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.ui.list_panel import ListHeader
from oddsdesk.desk.ui.spacing import CELL_MARGIN
from oddsdesk.desk.ui.table.cell_painter import LEAST_NOTE, CellPainter
from oddsdesk.desk.ui.table.cells import Priority
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.model import COLUMNS, STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel, values_header
from tests.kit.documented import DOCS
from tests.kit.value_bets import TITLES, be_value, bet, everton, row

NO_ROOM = (
    'a column takes the room of those that this test wants: a new one wants a "priority" or'
    ' "narrow", see "A column" in CONTRIBUTING.md'
)


def fill(panel: ValuesPanel, width: int, qtbot: QtBot) -> None:
    """Give a panel a width, which its columns fill to the pixel."""
    panel.resize(width, 400)
    pane = panel.table.scrolling

    def is_filled() -> None:
        assert pane.header.length() == pane.viewport().width() == width, NO_ROOM

    qtbot.waitUntil(is_filled)


def test_a_bet_shows_its_net_ev_beside_the_services_and_what_to_stake(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel) == {
        "Selection": "Over 2.5",
        "Market": "Total",
        "Odds": "2.06",
        "Bookmaker": "Matchbook",
        "EV": "+3.0 %",
        "Service's EV": "+2.0 %",
        "Stake": "7",
        "Sharp limit": "12,000",
        "Seen": "0 s",
        "Warning": "",
    }
    tip = panel.table.model.tip(0, STAKE_COLUMN)
    assert "full Kelly 2.8 % of the bankroll" in tip


@pytest.mark.parametrize(
    ("odds", "net"),
    [(19.95, "+897.5 %"), (21.97, "+998.5 %"), (22.3, "> 999 %"), (82.8, "> 999 %")],
)
def test_an_edge_is_never_cut_within_its_figure(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, odds: float, net: str
) -> None:
    """It read "+4001.…"."""
    be_value(quoted, odds)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.resize(900, 260)
    assert row(panel)["EV"] == net
    pane, column = panel.table.scrolling, TITLES.index("EV")
    metrics = QFontMetrics(panel.font())
    assert metrics.horizontalAdvance(net) + 2 * CELL_MARGIN <= pane.columnWidth(column)


def test_a_half_stays_with_the_selection_where_the_market_has_no_room(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.clock.now += 1
    for bookmaker, over in (("Pinnacle", 1.94), ("Matchbook", 2.06)):
        quoted.tell(bookmaker, "total", "Over 1.5", over, 1)
        quoted.tell(bookmaker, "total", "Under 1.5", 1.94, 1)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Selection"] == "Over 1.5"
    panel.resize(500, 260)
    market = TITLES.index("Market")
    qtbot.waitUntil(lambda: panel.table.scrolling.isColumnHidden(market))
    assert row(panel)["Selection"] == "Over 1.5 · 1st Half"
    assert "Everton v Liverpool" in panel.table.model.cell(0, 0).note


@pytest.mark.parametrize("width", [560, 620])
def test_price_and_stake_stay_where_large_text_leaves_no_room_and_the_tip_has_the_rest(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot, width: int
) -> None:
    """Next to Explain at 1,280 pixels and 160 % the stake stood right of the table."""
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    theme.zoom(160)
    try:
        fill(panel, width, qtbot)
        pane = panel.table.scrolling
        shown = {title for at, title in enumerate(TITLES) if not pane.isColumnHidden(at)}
        assert shown == {"Selection", "Odds", "Bookmaker", "EV", "Stake"}, NO_ROOM
        assert "Everton v Liverpool · Total" in panel.table.model.tip(0, 0)
    finally:
        theme.zoom(100)


def test_columns_that_have_no_room_are_counted_below_the_first_title_and_named_on_its_tip(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    model, pane = panel.table.model, panel.table.scrolling
    role, across = Qt.ItemDataRole, Qt.Orientation.Horizontal
    counts = []
    for width in (1_800, 1_118, 500):
        fill(panel, width, qtbot)
        missing = [TITLES[at] for at in range(len(TITLES)) if pane.isColumnHidden(at)]
        counts.append(len(missing))
        notes = pane.header._notes_of(model, 0, model.header(0))
        counted = {0: "", 1: "+1 column"}.get(len(missing), f"+{len(missing)} columns")
        assert notes[0] == counted
        shorter = [f"+{len(missing)} more", f"+{len(missing)}"] if missing else []
        assert notes[1:] == shorter, "where the first column is narrow"
        for each in (role.ToolTipRole, role.AccessibleTextRole):
            said = model.headerData(0, across, each)
            told_so = f"No room for {', '.join(missing)}: make the table wider"
            assert said.endswith(told_so) == bool(missing)
        assert "No room" not in model.headerData(1, across, role.ToolTipRole)
    assert counts[0] == 0 < counts[1] < counts[2]


def test_the_reference_names_the_columns_that_give_way_in_their_order() -> None:
    shown = [each for each in reversed(COLUMNS) if each.priority is not Priority.ESSENTIAL]
    giving_way = sorted(shown, key=lambda each: each.priority)
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    *titles, last = [f"**{each.title}**" for each in giving_way]
    assert f"A narrow window leaves out {', '.join(titles)} and {last}, in this order" in page


@pytest.mark.parametrize("width", [460, 540, 560, 700])
def test_the_game_of_a_bet_stays_beside_its_selection(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot, width: int
) -> None:
    """At 560 pixels and 160 % a list of totals said nothing but "Over 2.5"."""
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    theme.zoom(160)
    try:
        fill(panel, width, qtbot)
        pane = panel.table.scrolling
        painter = CellPainter(theme, lambda: 0)
        least = painter.narrow_width(panel.table.model, 0, "Over 113.5") + LEAST_NOTE
        assert least <= pane.columnWidth(0)
        assert pane.isColumnHidden(TITLES.index("EV")) is (width < 560), NO_ROOM
        assert not pane.isColumnHidden(STAKE_COLUMN)
    finally:
        theme.zoom(100)


def test_the_list_is_exported_with_the_games_id_and_its_stakes(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    be_value(quoted)
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    with qtbot.waitSignal(panel.saver.said):
        panel.saver.write_table(tmp_path / "value-bets.json")
    [found] = json.loads((tmp_path / "value-bets.json").read_text())
    assert (found["game_id"], found["odds"], found["stake"]) == (quoted.id, 2.06, 7)
    assert (found["ev_pct"], found["net_ev_pct"]) == pytest.approx((1.98, 3.0), abs=0.01)
    assert "1 row written" in panel.messages.message_text


@pytest.mark.parametrize("width", [900, 1_036, 2_300])
def test_the_columns_fill_the_width_and_the_game_can_be_read(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, width: int
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    fill(panel, width, qtbot)
    pane = panel.table.scrolling
    shown = {title for at, title in enumerate(TITLES) if not pane.isColumnHidden(at)}
    assert ("Sharp limit" in shown) is (width == 2_300)
    assert {"Selection", "Bookmaker", "Odds", "EV", "Stake", "Seen", "Warning"} <= shown, NO_ROOM
    assert 180 <= pane.columnWidth(0) <= 600


@pytest.mark.parametrize(("width", "zoom"), [(640, 100), (720, 160)])
def test_a_row_with_a_warning_shows_it_beside_explain(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot, width: int, zoom: int
) -> None:
    """A row with an EV of 44 % headed the list and nothing told why it is no value."""
    be_value(quoted, 2.9)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    theme.zoom(zoom)
    try:
        fill(panel, width, qtbot)
        assert not panel.table.scrolling.isColumnHidden(TITLES.index("Warning")), NO_ROOM
        assert row(panel)["Odds"] == "? 2.90"
        assert row(panel)["Warning"] == "likely error, far above fair"
    finally:
        theme.zoom(100)


def test_enter_opens_the_game_where_the_bookmaker_gave_no_page(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.table.set_current(0)
    with qtbot.waitSignal(panel.price_requested) as asked:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert asked.args == [panel.selected()]
    assert "no link" in panel.messages.message_text


def test_t_asks_for_a_target_on_the_bets_price(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.table.set_current(0)
    with qtbot.waitSignal(panel.actions_on_bet.target_requested) as asked:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_T)
    assert asked.args == [panel.selected()]


def test_what_can_be_done_is_offered_only_where_it_can(panel: ValuesPanel, quoted: Any) -> None:
    actions = panel.actions_on_bet
    actions.bring_up_to_date()
    assert not actions.mark.isEnabled()
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.table.set_current(0)
    actions.bring_up_to_date()
    assert actions.mark.isEnabled()
    assert not actions.open_page.isEnabled()
    assert not actions.undo.isEnabled()


@pytest.mark.parametrize(
    ("connection", "sentence"),
    [
        (Connection(link=Link.LIVE, has_value_bets=False), "not in your plan"),
        (Connection(link=Link.CONNECTING), "Looking for value bets"),
        (Connection(link=Link.WAITING), "Not connected"),
        (Connection(reason="it is served by another program"), "Not connected"),
        (Connection(link=Link.LIVE, has_value_bets=True, lag_ms=1), "No value bets now"),
    ],
)
def test_each_state_without_bets_says_why(
    panel: ValuesPanel, quoted: Any, connection: Connection, sentence: str
) -> None:
    quoted.board.set_connection(connection)
    assert panel.placeholder.isVisible()
    assert sentence in panel.placeholder._sentence.text()


def test_a_reference_of_which_no_price_is_here_is_named(panel: ValuesPanel, quoted: Any) -> None:
    """Unless prices are judged by somebody else."""
    quoted.board.set_connection(
        Connection(
            link=Link.LIVE, has_value_bets=True, unpriced_reference=quoted.board.reference_name
        )
    )
    said = f"{quoted.board.reference_name} has no prices, so there are no fair odds."
    assert panel.placeholder._sentence.text() == said
    quoted.board.choose_reference("consensus")
    assert panel.placeholder._sentence.text() == "No value bets now."


def test_everything_can_be_reached_by_its_name(panel: ValuesPanel) -> None:
    reachable = [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(panel)
    ]
    nameless = [w for w in reachable if not w.accessibleName() and w.focusProxy() is None]
    assert [type(w).__name__ for w in nameless if w.isVisible()] == []


@pytest.mark.parametrize("width", [1_026, 1_091])
def test_markets_and_bookmakers_of_usual_length_are_whole_in_a_small_window(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot, width: int
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    fill(panel, width, qtbot)
    pane = panel.table.scrolling
    metrics = QFontMetrics(theme.fonts.body)
    for title, text in (("Market", "Match result · 1st Quarter"), ("Bookmaker", "Marlin Exch.")):
        room = pane.columnWidth(TITLES.index(title)) - 2 * CELL_MARGIN
        assert room >= metrics.horizontalAdvance(text), f"{title}: {NO_ROOM}"


@pytest.fixture
def header(theme: Theme, qtbot: QtBot) -> Iterator[ListHeader]:
    window = QWidget()
    qtbot.addWidget(window)
    made = values_header(theme, QMenu(window))
    made.setParent(window)
    made.show_presets([], "All value bets", {"All value bets"})
    made.resize(1_100, made.height())
    with qtbot.waitExposed(window):
        window.show()
    yield made
    window.close()


def shown(header: ListHeader) -> list[str]:
    return [part.text() for part in header.findChildren(QToolButton) if part.isVisible()]


def test_first_the_word_before_the_preset_goes_then_the_stakes(header: ListHeader) -> None:
    assert shown(header)[-2:] == ["Stakes…", "Preset: All value bets ▾"]
    seen = []
    for width in range(1_100, 300, -10):
        header.resize(width, header.height())
        now = ("Stakes…" in shown(header), "Preset: All value bets ▾" in shown(header))
        if now not in seen:
            seen.append(now)
        assert "Bet ▾" in shown(header)
    assert seen == [(True, True), (True, False), (False, False)]
    header.resize(1_100, header.height())
    assert shown(header)[-2:] == ["Stakes…", "Preset: All value bets ▾"]


def test_how_many_bets_there_are_is_never_cut_and_stands_longer_than_what_would_move(
    header: ListHeader,
) -> None:
    header.show_facts("13 · stakes 73 of 1,000 · 31 with warnings below · vs Pinnacle", 2)
    header.show_waiting(38)
    whole = "13 · stakes 73 of 1,000 · 31 with warnings below · vs Pinnacle"
    prefixes = [" · ".join(whole.split(" · ")[:count]) for count in range(5)]
    seen = []
    for width in range(1_600, 300, -10):
        header.resize(width, header.height())
        header.line.activate()
        text = header.facts.text()
        assert text in prefixes
        assert text or width < 500
        if "38 changes – re-sort (S)" in shown(header):
            assert text.startswith("13 · stakes 73 of 1,000")
        if text not in seen:
            seen.append(text)
    assert seen[:4] == prefixes[:0:-1]


def test_why_nothing_is_staked_is_said_as_long_as_there_is_room_for_a_preset(
    header: ListHeader,
) -> None:
    header.show_facts("13 · no stakes · not connected · 31 with warnings below · vs Pinnacle", 3)
    header.show_waiting(46)
    buttons = set()
    for width in range(1_600, 300, -10):
        header.resize(width, header.height())
        header.line.activate()
        sorts = [text for text in shown(header) if "46" in text]
        buttons.add("".join(sorts))
        assert header.facts.text() != "13" or width < 600
        if sorts:
            assert header.facts.text().startswith("13 · no stakes · not connected")
    assert buttons == {"46 changes – re-sort (S)", "Sort 46", ""}


def test_misses_have_neither_stakes_nor_preset(header: ListHeader) -> None:
    header.offer_presets(False)
    assert "Stakes…" not in shown(header)
    header.resize(600, header.height())
    header.resize(1_100, header.height())
    assert "Stakes…" not in shown(header)
    header.offer_presets(True)
    assert "Stakes…" in shown(header)


def test_a_selection_has_the_chosen_decimal_mark(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    choose_numbers(Style(COMMA))
    be_value(quoted)
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Selection"] == "Over 2,5"
    assert panel.table.model.tip(0, 0).startswith("Over 2,5 at Matchbook: 2,06")
