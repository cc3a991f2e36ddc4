"""The value-bet panel: true EV beside the service's, presets, stakes, misses, placed bets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Game, ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.dialogs.placed_dialog import PlacedDialog
from oddsdesk.desk.dialogs.preset_dialog import PresetDialog
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.models.games import VALUE_COUNT_ROLE
from oddsdesk.desk.models.values import COLUMNS, STAKE_COLUMN
from oddsdesk.desk.panels.navigator import Navigator
from oddsdesk.desk.panels.values import ValuesPanel
from oddsdesk.desk.panels.values_header import BETS, MISSES
from oddsdesk.desk.panels.values_states import published_text
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import BANKROLL, KELLY_SHARE, STAKE_CAP, STAKE_STEP
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.watch_list import WatchList

OVER = RowKey(game_id("EPL", "Everton - Liverpool"), "total", 0, "Over 2.5", "Matchbook")
TITLES = [column.title for column in COLUMNS]


def fair_of(reference: float, total: float, outcomes: int = 2) -> float:
    return 1 / (1 / reference - (total - 1) / outcomes)


def bet(quoted: Any, odds: float = 2.15, **more: Any) -> ValueBet:
    """A value bet of a total at 2.05 against 1.88, reckoned as D26 says."""
    fair = more.pop("fair", fair_of(2.05, 1.0197))
    fields: dict[str, Any] = {
        "match_name": "Milan - Inter",
        "selection": "Over 2.5",
        "bookmaker": "Unibet",
        "market_type": "total",
        "period": 0,
        "odds": odds,
        "reference_odds": 2.05,
        "fair_odds": round(fair, 4),
        "ev_pct": round((odds / (fair * 1.01) - 1) * 100, 2),
        "payout_rate": 1.0197,
        "liquidity": 3.0,
        "competition": "SERA",
        "sport": "Football",
        "detected_at": format_ms(quoted.clock.now),
        "match_date": None,
        **more,
    }
    return ValueBet(**fields)


@pytest.fixture
def records(tmp_path: Path, qtbot: QtBot) -> Iterator[Records]:
    made = Records(tmp_path / "ledger.db")
    with qtbot.waitSignal(made.bets_changed):
        pass
    yield made
    made.close()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, layout: Layout, records: Records, qtbot: QtBot
) -> Iterator[ValuesPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE, has_value_bets=True))
    made = ValuesPanel(quoted.board, theme, quoted.clock, Preferences(layout), layout, records)
    qtbot.addWidget(made)
    made.resize(1_118, 260)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def row(panel: ValuesPanel, place: int = 0) -> dict[str, str]:
    model = panel.table.model
    return {title: model.cell(place, column).text for column, title in enumerate(TITLES)}


def facts(panel: ValuesPanel) -> str:
    return panel.header._facts.accessibleName()


def test_a_bet_shows_true_ev_beside_the_services_and_what_to_stake(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.board.load_value_bets([bet(quoted)])
    shown = row(panel)
    assert shown["True EV"] == "+1.7 %"
    assert shown["Service"] == "+1.7 %"
    assert shown["Odds"] == "2.15"
    assert shown["Stake"] == "3.00"
    assert shown["Limit"] == "3"
    tip = panel.table.model.tip(0, STAKE_COLUMN)
    assert "full Kelly 2.40 % of the bankroll" in tip
    assert "held at the reference's limit" in tip


def test_stakes_follow_the_plan_at_once(panel: ValuesPanel, quoted: Any) -> None:
    quoted.board.load_value_bets([bet(quoted, liquidity=None)])
    assert row(panel)["Stake"] == "6.00"
    panel._preferences.put(BANKROLL, 10_000)
    panel._preferences.put(STAKE_STEP, "1")
    assert row(panel)["Stake"] == "60.00"


@pytest.mark.parametrize(
    ("odds", "limit", "stake", "why"),
    [
        # p = 1/2.05 - 0.0197/2 = 0.4779549; (2.15 p - 1) / 1.15 = 2.40026 % of 1000, 30 % of it
        (2.15, None, "7.20", "Stake 7.20"),
        (2.15, 10.0, "7.20", "Stake 7.20"),
        # (2.30 p - 1) / 1.30 = 7.63818 %, 30 % of it 22.91: above the cap of 2 %
        (2.30, None, "20.00", "Stake 20.00, held at the cap"),
        (2.30, 10.0, "10.00", "Stake 10.00, held at the reference's limit"),
    ],
)
def test_kelly_the_cap_and_the_limit_bound_the_stake(
    panel: ValuesPanel, quoted: Any, odds: float, limit: float | None, stake: str, why: str
) -> None:
    for setting, value in ((BANKROLL, 1_000), (KELLY_SHARE, 30), (STAKE_CAP, 2)):
        panel._preferences.put(setting, value)
    quoted.board.load_value_bets([bet(quoted, odds, liquidity=limit)])
    assert row(panel)["Stake"] == stake
    assert panel.table.model.tip(0, STAKE_COLUMN).endswith(why)


@pytest.mark.parametrize("width", [900, 1_036, 2_300])
def test_the_columns_fill_the_width_and_the_game_can_be_read(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, width: int
) -> None:
    quoted.board.load_value_bets([bet(quoted)])
    panel.resize(width, 260)
    pane = panel.table.scrolling
    qtbot.waitUntil(lambda: pane.header.length() == pane.viewport().width(), timeout=1_000)
    shown = {title for at, title in enumerate(TITLES) if not pane.isColumnHidden(at)}
    assert ("Limit" in shown) is (width == 2_300)
    assert {"Selection", "Bookmaker", "Odds", "True EV", "Stake", "Seen"} <= shown
    assert 250 <= pane.columnWidth(0) <= 600
    assert "The reference takes up to 3" in panel.table.model.tip(0, 0)


def test_a_service_that_adds_margin_is_told_once_in_plain_words(
    panel: ValuesPanel, quoted: Any
) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    quoted.board.load_value_bets([bet(quoted, fair=published)])
    assert panel.messages.isVisible()
    assert panel.messages.text == published_text("power")
    assert panel.messages.text.endswith("sorted by true EV.")
    panel.messages.hide()
    quoted.board.load_value_bets([bet(quoted, fair=published, bookmaker="Bwin")])
    assert not panel.messages.isVisible()


def test_a_service_that_reckons_right_again_is_warned_of_no_more(
    panel: ValuesPanel, quoted: Any
) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    quoted.board.load_value_bets([bet(quoted, fair=published)])
    assert panel.messages.isVisible()
    quoted.board.load_value_bets([bet(quoted)])
    assert not panel.messages.isVisible()
    quoted.board.load_value_bets([bet(quoted, fair=published)])
    assert panel.messages.isVisible()


def test_a_user_whose_own_method_adds_margin_is_told_so(panel: ValuesPanel, quoted: Any) -> None:
    quoted.board.set_method("published")
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    quoted.board.load_value_bets([bet(quoted, fair=published)])
    assert panel.messages.text.endswith("choose another in the settings.")


def test_bets_below_the_least_true_ev_are_hidden_and_the_way_back_is_offered(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.board.load_value_bets([bet(quoted, market_type="btts", selection="Yes")])
    panel.choose_preset("Main markets")
    assert facts(panel).startswith("0 of 1 · true EV ≥ 1 %")
    assert panel.placeholder.isVisible()
    panel.placeholder.action_requested.emit()
    assert panel.lists.preset.name == "All value bets"
    assert panel.table.isVisible()


def test_the_chosen_preset_is_there_at_the_next_start(
    panel: ValuesPanel, theme: Theme, quoted: Any, layout: Layout, records: Records, qtbot: QtBot
) -> None:
    panel.choose_preset("In play")
    again = ValuesPanel(quoted.board, theme, quoted.clock, Preferences(layout), layout, records)
    qtbot.addWidget(again)
    assert again.lists.preset.name == "In play"
    again.close_panel()


def test_a_preset_of_ones_own_is_kept_used_and_deleted(
    panel: ValuesPanel, records: Records, qtbot: QtBot
) -> None:
    panel.choose_preset("Short prices")
    panel._ask_preset()
    asked = panel.findChild(PresetDialog)
    assert asked is not None
    assert asked.name.text() == "My short prices"
    with qtbot.waitSignal(records.presets_changed):
        asked.accept()
    assert panel.lists.preset.name == "My short prices"
    assert "My short prices" in [a.text() for a in panel.header.preset_menu.actions()]
    with qtbot.waitSignal(records.presets_changed):
        panel.header.preset_deletion_requested.emit()
    assert panel.lists.preset.name == "All value bets"


def test_a_game_in_play_is_marked_and_can_be_left_out(panel: ValuesPanel, quoted: Any) -> None:
    name = "Milan - Inter"
    game = Game(game_id("SERA", name), name, "SERA", "Football", None, True, 3, None)
    quoted.board.load_games([game])
    quoted.board.load_value_bets([bet(quoted)])
    assert panel.table.model.cell(0, 0).note == "live · Milan v Inter"
    panel.choose_preset("Before kick-off")
    assert panel.table.model.rowCount() == 0


def test_a_bet_is_marked_as_placed_shown_as_placed_and_taken_back(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    quoted.board.load_value_bets([bet(quoted)])
    panel.table.set_current(0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P)
    dialog = panel.findChild(PlacedDialog)
    assert dialog is not None
    assert (dialog.odds.value(), dialog.stake.value()) == (2.15, 3.0)
    dialog.stake.setValue(2.5)
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    assert row(panel)["Stake"] == "✓ 2.50"
    assert "Placed 2.50 on Over 2.5 at Unibet" in panel.messages.text
    (placed,) = records.placed((game_id("SERA", "Milan - Inter"), "total", 0, "Over 2.5", "Unibet"))
    assert placed.placed_at == quoted.clock.now
    assert placed.true_ev == pytest.approx(1.74, abs=1e-2)
    assert placed.method == "margin_proportional"
    with qtbot.waitSignal(records.bets_changed):
        panel.messages.action_requested.emit()
    assert row(panel)["Stake"] == "3.00"


def test_enter_opens_the_game_where_the_bookmaker_gave_no_page(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.load_value_bets([bet(quoted)])
    panel.table.set_current(0)
    with qtbot.waitSignal(panel.game_requested) as asked:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert asked.args == [game_id("SERA", "Milan - Inter")]
    assert "no web page" in panel.messages.text


def test_what_can_be_done_is_offered_only_where_it_can(panel: ValuesPanel, quoted: Any) -> None:
    actions = panel.actions_on_bet
    actions.bring_up_to_date()
    assert not actions.mark.isEnabled()
    quoted.board.load_value_bets([bet(quoted)])
    panel.table.set_current(0)
    actions.bring_up_to_date()
    assert actions.mark.isEnabled()
    assert not actions.open_page.isEnabled()
    assert not actions.undo.isEnabled()


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
    assert facts(panel).endswith(" · looked for in 1 game read here")
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
    panel.lists.finder.look()
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


def test_a_price_that_the_service_lists_is_no_near_miss(panel: ValuesPanel, quoted: Any) -> None:
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    panel.lists.finder.look()
    line = OVER._replace(bookmaker=None)
    miss = panel.lists.finder.misses[line]
    assert miss.stopped_by is None
    listed = bet(quoted, 2.06, match_name=name, competition="EPL", bookmaker="Matchbook")
    quoted.board.load_value_bets([listed])
    panel.lists.finder.look()
    assert line not in panel.lists.finder.misses


def test_a_miss_opens_its_bookmakers_page(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toString()) or True
    )
    name = "Everton - Liverpool"
    quoted.board.load_games([Game(quoted.id, name, "EPL", "Football", None, False, 4, None)])
    panel.lists.finder.look()
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


@pytest.mark.parametrize(
    ("connection", "sentence"),
    [
        (Connection(link=Link.LIVE, has_value_bets=False), "not in your plan"),
        (Connection(link=Link.CONNECTING), "Looking for value bets"),
        (Connection(link=Link.WAITING), "Not connected"),
        (Connection(link=Link.LIVE, has_value_bets=True, lag_ms=1), "No value bets now"),
    ],
)
def test_each_state_without_bets_says_why(
    panel: ValuesPanel, quoted: Any, connection: Connection, sentence: str
) -> None:
    quoted.board.set_connection(connection)
    assert panel.placeholder.isVisible()
    assert sentence in panel.placeholder._sentence.text()


def test_a_bet_that_goes_under_the_pointer_does_not_move_the_explanation(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.board.load_value_bets([bet(quoted), bet(quoted, 2.17, bookmaker="Bwin")])
    panel.table.set_current(0)
    seen: list[Any] = []
    panel.price_selected.connect(seen.append)
    quoted.board.load_value_bets([bet(quoted)])
    panel.lists.bets.sort_now()
    assert panel.table.model.rowCount() == 1
    assert seen == []


def everton(quoted: Any, **more: Any) -> ValueBet:
    """The same total of the game that is quoted: 2.06 against 1.94 and 1.94."""
    fields = {"match_name": "Everton - Liverpool", "competition": "EPL", "bookmaker": "Matchbook"}
    total = 2 / 1.94
    return bet(
        quoted,
        2.06,
        reference_odds=1.94,
        payout_rate=round(total, 4),
        fair=2.0,
        **{**fields, **more},
    )


def test_a_bet_whose_price_moved_out_of_its_window_is_struck_and_counted_no_more(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    quoted.board.load_value_bets([everton(quoted)])
    assert facts(panel).startswith("1 · ")
    assert not panel.table.model.cell(0, 0).is_struck
    quoted.clock.now += 1_000
    quoted.tell("Matchbook", "total", "Over 2.5", 2.01)
    qtbot.waitUntil(lambda: panel.table.model.cell(0, 0).is_struck)
    assert row(panel)["Odds"] == "2.06"
    assert row(panel)["Stake"] == "–"
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · 1 gone or stale · "))
    assert "outside its window now" in panel.table.model.tip(0, 0)
    panel.table.set_current(0)
    subject = panel.subject()
    assert subject is not None
    assert subject.stake == 0.0


def test_a_price_that_moves_within_its_window_shows_the_new_odds(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.load_value_bets([everton(quoted)])
    quoted.clock.now += 1_000
    quoted.tell("Matchbook", "total", "Over 2.5", 2.08)
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.08")
    assert "The service lists it at 2.06" in panel.table.model.tip(0, 0)
    assert facts(panel).startswith("1 · ")


def test_bets_pale_with_age_and_are_staked_and_counted_no_more(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.board.load_value_bets([bet(quoted)])
    model, odds = panel.table.model, TITLES.index("Odds")
    assert model.cell(0, odds).ink is Ink.STRONG
    assert row(panel)["Seen"] == "≥ 0 s"
    quoted.clock.now += 90_000
    assert model.cell(0, odds).ink is Ink.SOFT
    assert row(panel)["Stake"] == "3.00"
    quoted.clock.now += 120_000
    assert model.cell(0, odds).ink is Ink.NOTE
    assert model.cell(0, TITLES.index("True EV")).ink is Ink.NOTE
    assert row(panel)["Stake"] == "–"
    assert "No stake: the price is stale" in model.tip(0, STAKE_COLUMN)
    assert row(panel)["Seen"] == "≥ 3 min"
    panel._idle.timeout.emit()
    assert facts(panel).startswith("0 · 1 gone or stale")
    quoted.clock.now += 600_000
    assert model.cell(0, odds).is_struck


def test_the_price_of_a_game_that_is_held_tells_when_it_was_seen(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.clock.now += 20_000
    quoted.board.load_value_bets([everton(quoted)])
    assert row(panel)["Seen"] == "20 s"
    assert "Seen 20 s ago" in panel.table.model.tip(0, 0)


def test_a_true_ev_by_another_method_than_the_users_is_marked(
    panel: ValuesPanel, quoted: Any
) -> None:
    quoted.board.set_method("shin")
    three_way = bet(
        quoted, market_type="moneyline", selection="Milan", fair=fair_of(2.05, 1.0197, 3)
    )
    quoted.board.load_value_bets([three_way])
    assert row(panel)["True EV"].startswith("≈ +")
    tip = panel.table.model.tip(0, TITLES.index("True EV"))
    assert "True EV by margin proportional: shin needs the prices of all outcomes" in tip
    quoted.board.set_method("margin_proportional")
    assert row(panel)["True EV"].startswith("+")


def test_a_list_that_was_cut_says_where(panel: ValuesPanel, quoted: Any) -> None:
    quoted.board.load_value_bets([bet(quoted)], is_cut=True)
    assert facts(panel).startswith("1 · cut at 1 of more · ")


def test_the_navigator_counts_what_the_value_list_counts(
    panel: ValuesPanel, theme: Theme, quoted: Any, layout: Layout, qtbot: QtBot
) -> None:
    name = "Milan - Inter"
    game = Game(game_id("SERA", name), name, "SERA", "Football", None, False, 3, None)
    quoted.board.load_games([game])
    navigator = Navigator(quoted.board, theme, quoted.clock, WatchList(layout, quoted.clock))
    qtbot.addWidget(navigator)

    def values() -> int:
        count = navigator._games.index(0).data(VALUE_COUNT_ROLE)
        assert isinstance(count, int)
        return count

    poor = bet(quoted, 2.12, bookmaker="Bwin", ev_pct=3.0)
    quoted.board.load_value_bets([bet(quoted), poor])
    qtbot.waitUntil(lambda: values() == 1, timeout=2_000)
    assert facts(panel).startswith("1 of 2 · ")
    quoted.clock.now += 240_000
    navigator._ages.timeout.emit()
    assert values() == 0
    navigator.close_panel()


def test_everything_can_be_reached_by_its_name(panel: ValuesPanel) -> None:
    reachable = [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(panel)
    ]
    nameless = [w for w in reachable if not w.accessibleName() and w.focusProxy() is None]
    assert [type(w).__name__ for w in nameless if w.isVisible()] == []
