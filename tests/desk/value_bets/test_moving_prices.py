"""Value bets whose price moves, grows old or goes: struck, pale, counted no more."""

from typing import Any

from pytestqt.qtbot import QtBot

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Game
from oddsdesk.desk.navigator.favourites import Favourites
from oddsdesk.desk.navigator.model import VALUE_COUNT_ROLE
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.model import STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.slices import exhaust
from tests.kit.value_bets import TITLES, bet, everton, facts, row


def test_a_bet_that_goes_under_the_pointer_does_not_move_the_explanation(
    panel: ValuesPanel, quoted: Any
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted), bet(quoted, 2.17, bookmaker="Bwin")]))
    panel.table.set_current(0)
    seen: list[Any] = []
    panel.price_selected.connect(seen.append)
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.lists.bets.sort_now()
    assert panel.table.model.rowCount() == 1
    assert seen == []


def test_a_bet_whose_price_moved_out_of_its_window_is_struck_and_counted_no_more(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
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
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    quoted.clock.now += 1_000
    quoted.tell("Matchbook", "total", "Over 2.5", 2.08)
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.08")
    assert "The service lists it at 2.06" in panel.table.model.tip(0, 0)
    assert facts(panel).startswith("1 · ")


def test_bets_pale_with_age_and_are_staked_and_counted_no_more(
    panel: ValuesPanel, quoted: Any
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    model, odds = panel.table.model, TITLES.index("Odds")
    assert model.cell(0, odds).ink is TextRole.STRONG
    assert row(panel)["Seen"] == "≥ 0 s"
    quoted.clock.now += 90_000
    assert model.cell(0, odds).ink is TextRole.SOFT
    assert row(panel)["Stake"] == "3.00"
    quoted.clock.now += 120_000
    assert model.cell(0, odds).ink is TextRole.NOTE
    assert model.cell(0, TITLES.index("True EV")).ink is TextRole.NOTE
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
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    assert row(panel)["Seen"] == "20 s"
    assert "Seen 20 s ago" in panel.table.model.tip(0, 0)


def test_the_navigator_counts_what_the_value_list_counts(
    panel: ValuesPanel, theme: Theme, quoted: Any, layout: Layout, qtbot: QtBot
) -> None:
    name = "Milan - Inter"
    game = Game(game_id("SERA", name), name, "SERA", "Football", None, False, 3, None)
    quoted.board.load_games([game])
    navigator = Navigator(quoted.board, theme, quoted.clock, Favourites(layout, quoted.clock))
    qtbot.addWidget(navigator)

    def values() -> int:
        count = navigator._games.index(0).data(VALUE_COUNT_ROLE)
        assert isinstance(count, int)
        return count

    poor = bet(quoted, 2.12, bookmaker="Bwin", ev_pct=3.0)
    exhaust(quoted.board.merge_value_bets([bet(quoted), poor]))
    qtbot.waitUntil(lambda: values() == 1, timeout=2_000)
    assert facts(panel).startswith("1 of 2 · ")
    quoted.clock.now += 240_000
    navigator._ages.timeout.emit()
    assert values() == 0
    navigator.close_panel()
