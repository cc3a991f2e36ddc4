"""The badge of the top bar: what may be taken for the market's odds and is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import CONSENSUS, LEARNED
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.settings.declared import REFERENCE as SETTING
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.app import Effects
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.top_bar import ReferenceButton, ReferenceChoice, TopBar
from oddsdesk.desk.ui.formatting import moment_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.consensus import LearnedWeights, MarketWeights
from oddsdesk.pricing.devig import DEFAULT_METHOD
from tests.kit.grid import marks_of
from tests.kit.quoted_game import REFERENCE
from tests.kit.value_bets import facts

LIVE = Connection(Link.LIVE, simulated=False)
OLD = "Old odds (times shifted)"


@pytest.fixture
def bar(quoted: Any, theme: Theme, qtbot: Any) -> Iterator[TopBar]:
    bar = TopBar(quoted.board, theme, QMenu(), QMenu())
    qtbot.addWidget(bar)
    yield bar
    bar.close_panel()


def badge(bar: TopBar) -> QLabel:
    (found,) = (each for each in bar.findChildren(QLabel) if each.property("variant") == "badge")
    return found


@pytest.mark.parametrize(
    ("connection", "text", "tip"),
    [
        (LIVE, "", ""),
        (replace(LIVE, simulated=True), "Simulated odds", "These odds are simulated"),
        (replace(LIVE, shifted=True), OLD, "Some odds are old"),
    ],
)
def test_odds_that_nobody_offers_have_a_badge(
    bar: TopBar, quoted: Any, connection: Connection, text: str, tip: str
) -> None:
    quoted.board.set_connection(connection)
    assert badge(bar).accessibleName() == text
    assert badge(bar).isHidden() is not bool(text)
    assert tip in badge(bar).toolTip()


def test_a_running_replay_and_a_moment_of_the_past_say_what_they_are(
    bar: TopBar, quoted: Any
) -> None:
    quoted.board.set_connection(replace(LIVE, shifted=True))
    bar.show_feed("Replay · 16 Apr 2026 19:00 · 10×")
    assert badge(bar).accessibleName() == "Replay · 16 Apr 2026 19:00 · 10×"
    bar.show_feed("")
    assert badge(bar).accessibleName() == OLD
    quoted.board.set_connection(replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).accessibleName().startswith("As of ")
    assert badge(bar).accessibleName().endswith(" · old odds (times shifted)")
    quoted.board.set_connection(replace(LIVE, simulated=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).accessibleName().endswith(" · simulated odds")
    assert badge(bar).toolTip().startswith("These odds are simulated")
    mixed = replace(LIVE, simulated=True, is_mixed=True, as_of_ms=1_776_340_800_000)
    quoted.board.set_connection(mixed)
    assert badge(bar).accessibleName().endswith(" · partly simulated odds")
    assert badge(bar).toolTip().startswith("Some of these odds are simulated")
    quoted.board.set_connection(replace(LIVE, as_of_ms=1_776_340_800_000))
    assert "·" not in badge(bar).accessibleName()


def test_what_is_said_of_the_past_makes_the_bar_no_wider(
    bar: TopBar, quoted: Any, theme: Theme, qtbot: Any
) -> None:
    bar.resize(1_200, bar.height())
    bar.show()
    old = replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000)
    quoted.board.set_connection(replace(LIVE, simulated=True))
    least = bar.minimumSizeHint().width()
    quoted.board.set_connection(old)
    assert bar.minimumSizeHint().width() == least
    said = badge(bar).accessibleName()
    qtbot.waitUntil(lambda: badge(bar).text() == said)
    bar.resize(least, bar.height())
    qtbot.waitUntil(lambda: badge(bar).text().endswith("…"))
    assert badge(bar).toolTip().startswith(f"{said}\nSome odds are old")


@pytest.mark.parametrize(
    ("connection", "shown"),
    [(replace(LIVE, simulated=True), "Simulated"), (replace(LIVE, shifted=True), "Old odds")],
)
def test_what_nobody_offers_is_told_in_the_narrowest_bar(
    bar: TopBar, quoted: Any, qtbot: Any, connection: Connection, shown: str
) -> None:
    quoted.board.set_connection(connection)
    bar.resize(bar.minimumSizeHint().width(), bar.height())
    bar.show()
    qtbot.waitUntil(lambda: badge(bar).text() == shown)


@pytest.mark.parametrize(
    ("connection", "shown"),
    [
        (replace(LIVE, shifted=True), ["Old odds (times shifted)", "Old odds"]),
        (replace(LIVE, simulated=True), ["Simulated odds", "Simulated"]),
        (
            replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000),
            ["As of {} · old odds (times shifted)", "{} · old odds", "{}"],
        ),
    ],
)
def test_a_narrow_badge_says_less_in_whole_words(
    bar: TopBar, quoted: Any, qtbot: Any, connection: Connection, shown: list[str]
) -> None:
    quoted.board.set_connection(connection)
    bar.resize(1_200, bar.height())
    bar.show()
    label = badge(bar)
    found = []
    for width in range(label.sizeHint().width(), 40, -4):
        label.resize(width, label.height())
        if label.text().endswith("…"):
            break
        if label.text() not in found:
            found.append(label.text())
    moment = moment_text(1_776_340_800_000)
    assert found == [text.format(moment) for text in shown]


@pytest.mark.parametrize("percent", [140, 160])
def test_a_badge_grows_with_its_text(
    bar: TopBar, quoted: Any, theme: Theme, qtbot: Any, percent: int
) -> None:
    quoted.board.set_connection(replace(LIVE, shifted=True))
    with qtbot.waitExposed(bar):
        bar.show()
    theme.zoom(percent)
    try:
        line = badge(bar).fontMetrics().height()
        qtbot.waitUntil(lambda: badge(bar).contentsRect().height() >= line)
    finally:
        theme.zoom(100)


@pytest.fixture
def choice(quoted: Any, layout: Layout) -> ReferenceChoice:
    return ReferenceChoice(quoted.board, Preferences(layout))


async def test_it_is_chosen_by_keys_and_is_there_after_a_restart(
    desk: tuple[Desk, Connections], quoted: Any, theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    made = desk[0]
    effects = Effects(made.around.reference._preferences, theme, quoted.board)
    (button,) = made.top_bar.findChildren(ReferenceButton)
    assert button.text() == f"Sharp book: {REFERENCE} ▾"
    with qtbot.waitExposed(made.window):
        made.window.show()
    made.window.activateWindow()
    made.around.palette.open_palette()
    qtbot.keyClicks(made.around.palette, "sharp book matchbook")
    qtbot.keyClick(made.around.palette, Qt.Key.Key_Return)

    assert quoted.board.reference_name == "Matchbook"
    assert button.text() == "Sharp book: Matchbook ▾"
    qtbot.waitUntil(lambda: " · vs Matchbook · EV" in facts(made.values()))
    said = explain(quoted.board, RowKey(quoted.id, "total", 0, "Over 2.5", REFERENCE), 0)
    assert said is not None
    assert said.reference == "Matchbook"
    kept = Preferences(Layout(tmp_path / "desk.ini"))
    assert kept.get_setting(SETTING) == "Matchbook"
    del effects


def test_the_button_offers_the_service_s_own_all_together_and_every_bookmaker(
    choice: ReferenceChoice, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.name_reference(REFERENCE)
    assert [each for each, _ in choice.offered()] == [
        *("", CONSENSUS, "Betsson", "Bovada", "Matchbook", REFERENCE, "Unibet")
    ]
    assert choice.offered()[0][1] == f"Default ({REFERENCE})"
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    quoted.board.choose_reference(CONSENSUS)
    assert button.text() == "Sharp book: Consensus ▾"
    button._fill()
    chosen = [each.text() for each in button.menu_shown.actions() if each.isChecked()]
    assert chosen == ["Consensus of all bookmakers"]


def test_learned_weights_are_offered_once_there_are_some(
    choice: ReferenceChoice, quoted: Any, qtbot: QtBot
) -> None:
    assert LEARNED not in dict(choice.offered())
    quoted.board.set_learned(LearnedWeights([WEIGHTS]))
    assert dict(choice.offered())[LEARNED] == "Consensus (learned)"
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    quoted.board.choose_reference(LEARNED)
    assert button.text() == "Sharp book: Consensus (learned) ▾"
    button._fill()
    actions = button.menu_shown.actions()
    assert [each.text() for each in actions if each.isChecked()] == ["Consensus (learned)"]
    titles = [each.text() for each in actions]
    assert titles.index("") == titles.index("Consensus (learned)") + 1, "a separator"


WEIGHTS = MarketWeights(
    sport="Football",
    market_type="total",
    period=0,
    method=DEFAULT_METHOD,
    weights={"Betsson": 1.5, "Bovada": 0.5},
    games=1_000,
    first_day="2023-08-11",
    last_day="2025-05-25",
    reference=REFERENCE,
    gain=0.002,
    gain_low=0.001,
    gain_high=0.003,
    is_better=True,
)


def test_the_button_keeps_the_name_however_narrow(choice: ReferenceChoice, qtbot: QtBot) -> None:
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    least, wide = button.minimumSizeHint().width(), button.fontMetrics().horizontalAdvance
    assert button.sizeHint().width() - least == wide(f"Sharp book: {REFERENCE}") - wide(REFERENCE)


def test_nobody_is_named_before_it_is_known_whom_prices_are_judged_by(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    board = Board(system_clock)
    choice = ReferenceChoice(board, Preferences(layout))
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    assert button.text() == "Sharp book ▾"
    assert button.minimumSizeHint() == button.sizeHint()
    board.name_reference(REFERENCE)
    board.set_connection(Connection(link=Link.LIVE))
    assert button.text() == f"Sharp book: {REFERENCE} ▾"
    choice.close_panel()


def test_the_settings_offer_who_has_prices_and_keep_who_has_none(
    layout: Layout, theme: Theme, window: Any
) -> None:
    preferences = Preferences(layout)
    preferences.keep_setting(SETTING, "Nobody here")
    dialog = SettingsDialog(theme, preferences, window, bookmakers=["Unibet", "Bovada"])
    control: Any = dialog.controls[SETTING.key]
    assert [control.itemData(place) for place in range(control.count())] == [
        *("", CONSENSUS, LEARNED, "Bovada", "Unibet", "Nobody here")
    ]
    assert control.currentData() == "Nobody here"


@pytest.mark.parametrize("chosen", ["Matchbook", CONSENSUS])
def test_matrix_and_grid_say_what_the_board_says(
    chosen: str, quoted: Any, theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    board = quoted.board
    board.want_values(True)
    matrix, grid = MatrixModel(board, quoted.id, quoted.clock), GridModel(board, quoted.clock)
    board.choose_reference(chosen)
    board.keep_all_rows(True)
    grid.book.take_prices(marks_of(board.row_keys()))
    matrix.flush_touched()
    assert matrix.header(1).name == board.reference_name
    assert REFERENCE in matrix.shown_bookmakers
    assert ("Matchbook" in matrix.shown_bookmakers) == (chosen == CONSENSUS)
    entries = {
        RowKey(*selection.key, name): entry.ev
        for selection in grid.book.selections()
        for name, entry in selection.prices.items()
    }
    assert any(ev is not None for ev in entries.values())
    for key, ev in entries.items():
        found = board.assess(key)
        assert found is not None
        assert ev is None or ev == pytest.approx(found.ev)
        marked = board.is_value_bet(key)
        assert found.is_value == marked
    grid.stop_listening()
    matrix.stop_listening()
