"""Presets of the opportunities: what they list and leave out, the user's own, the way back."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.desk.opportunities.panel import OpportunitiesPanel, OpportunityPresetDialog
from oddsdesk.desk.opportunities.rows import (
    BUILT_IN,
    OpportunityFilter,
    OpportunityPreset,
    filter_words,
)
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import TITLES, look, place_leg, shown, tell, tell_of_another

ALL = OpportunityFilter()
MINE = OpportunityPreset(
    "Mine",
    OpportunityFilter(
        False, -1.5, 4.0, ("Betsson", "Unibet"), without_too_good=True, without_lays=True
    ),
)


def use(panel: OpportunitiesPanel, chosen: OpportunityFilter) -> None:
    """Have a preset of one's own with that filter."""
    panel.presets.use_own(OpportunityPreset("Mine", chosen))


def listed(panel: OpportunitiesPanel) -> list[str]:
    return [row["Selection"] for row in shown(panel) if row["Kind"]]


@pytest.mark.parametrize(
    ("chosen", "is_listed"),
    [
        (OpportunityFilter(in_play=False), True),
        (OpportunityFilter(in_play=True), False),
        (OpportunityFilter(least_worst=1.8), True),
        (OpportunityFilter(least_worst=1.9), False),
        (OpportunityFilter(most_worst=1.9), True),
        (OpportunityFilter(most_worst=1.8), False),
    ],
)
def test_what_a_preset_leaves_out_is_counted_and_the_way_back_is_offered(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, chosen: OpportunityFilter, is_listed: bool
) -> None:
    """Of 99 staked at 2.10 and a net 1.98 1.80 are left, 1.82 %."""
    tell(panel, quoted, qtbot)
    use(panel, chosen)
    counts = f"{'1 arb' if is_listed else '0 arbs'} · 0 middles · 0 low holds"
    said = panel._facts.accessibleName()
    if is_listed:
        assert said == " · ".join([counts, *filter_words(chosen)])
        return
    assert said == f"{counts} · 1 hidden"
    assert shown(panel) == []
    assert panel.placeholder._state.sentence == "1 opportunity is hidden by the preset."
    panel.placeholder.action_requested.emit()
    assert panel.presets.current_preset.name == "All opportunities"
    look(panel, qtbot)
    assert listed(panel) == ["Over 2.5"]


def test_the_bookmakers_of_a_preset_are_looked_at_alone_so_their_second_best_price_is_found(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """2.10 and 2.05 are an arbitrage, too, where the best price is at neither."""
    quoted.tell("Bovada", "total", "Under 2.5", 2.05)
    tell(panel, quoted, qtbot)
    quoted.tell("Unibet", "total", "Under 2.5", 2.20)
    look(panel, qtbot)
    assert [row["Bookmaker"] for row in shown(panel)] == ["Betsson", "Unibet"]
    use(panel, OpportunityFilter(bookmakers=("Betsson", "Bovada")))
    assert panel._facts.accessibleName().startswith("searching · 0 arbs")
    assert shown(panel) == []  # what was found elsewhere goes at once
    look(panel, qtbot)
    assert [row["Bookmaker"] for row in shown(panel)] == ["Betsson", "Bovada"]
    assert panel._facts.accessibleName() == "1 arb · 0 middles · 0 low holds · 2 books"
    use(panel, OpportunityFilter(bookmakers=("Matchbook", "Bovada")))
    look(panel, qtbot)
    assert listed(panel) == ["Over 2.5"]
    quoted.tell("Bovada", "total", "Under 2.5", 1.50)
    look(panel, qtbot)
    sentence = "No arbs or low-hold bets at these 2 bookmakers now."
    assert panel.placeholder._state.sentence == sentence


def test_one_whose_price_is_too_good_stands_below_the_rest_either_way_and_can_be_left_out(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell_of_another(quoted, 2.80)
    tell(panel, quoted, qtbot, 2.60)
    assert listed(panel) == ["Over 3.5", "Over 2.5"]
    assert panel.model.cell(0, TITLES.index("Guaranteed")).ink is TextRole.VALUE
    assert panel.model.cell(2, TITLES.index("Guaranteed")).ink is TextRole.SOFT
    assert panel._facts.accessibleName().endswith(" · 1 likely error")
    panel.model.sort_by(TITLES.index("Guaranteed"))
    assert listed(panel) == ["Over 3.5", "Over 2.5"]
    panel.presets.use_preset("No likely errors")
    assert listed(panel) == ["Over 3.5"]
    assert "1 arb · 0 middles · 0 low holds · 1 hidden" in panel._facts.accessibleName()


def test_what_a_leg_is_placed_of_is_listed_whatever_the_preset_says(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell_of_another(quoted, 2.80)
    tell(panel, quoted, qtbot, 2.60)
    row = [row["Selection"] for row in shown(panel)].index("Over 2.5")
    place_leg(panel, records, qtbot, row, stake="40", odds="2.6")
    nothing = OpportunityFilter(True, 90.0, 99.0, ("Unibet", "Bovada"), without_too_good=True)
    use(panel, nothing)
    look(panel, qtbot)
    assert [(row["Selection"], row["Bookmaker"]) for row in shown(panel)] == [
        ("Over 2.5", "Betsson"),
        ("Under 2.5", "Matchbook"),
    ]
    assert panel._facts.accessibleName().startswith("1 half placed · 1 arb · ")


def test_where_all_of_the_chosen_kind_are_left_out_that_is_said_and_not_that_there_are_none(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    use(panel, OpportunityFilter(least_worst=50.0))
    panel.chips.choose_chip("arbitrage")
    assert panel.placeholder._state.sentence == "1 opportunity is hidden by the preset."
    panel.chips.choose_chip("middle")
    assert "hidden" not in panel.placeholder._state.sentence


def test_how_many_are_hidden_stands_there_beside_rows_that_would_move(
    panel: OpportunitiesPanel, qtbot: QtBot
) -> None:
    """As wide as the panel is in a window of 1280 pixels."""
    header = panel.header
    panel.resize(1_035, 260)
    header.show_facts("25 arbs · 1 middle · 217 low holds · 248 hidden · 12 too good", 4)
    header.show_waiting(337)
    header.line.activate()
    assert "248 hidden" in header.facts.text()
    assert header.preset.isVisible()


def test_a_preset_of_ones_own_is_kept_used_at_the_next_start_and_deleted(
    panel: OpportunitiesPanel,
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> None:
    panel.presets.use_preset("In play")
    panel.presets.ask_preset()
    asked = panel.findChild(OpportunityPresetDialog)
    assert asked is not None
    assert asked.name.text() == "My in play"
    asked.least.setValue(2.0)
    asked.accept()
    assert panel.presets.current_preset.filter == OpportunityFilter(in_play=True, least_worst=2.0)
    again = OpportunitiesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(again)
    assert again.presets.current_preset.name == "My in play"
    assert again.presets.preset_names == [*(preset.name for preset in BUILT_IN), "My in play"]
    again.presets.delete_current()
    assert again.presets.current_preset.name == "All opportunities"
    again.presets.delete_current()  # what is built in stays
    assert again.presets.preset_names == [preset.name for preset in BUILT_IN]
    again.close_panel()


def dialog_for(qtbot: QtBot, preset: OpportunityPreset) -> OpportunityPresetDialog:
    made = OpportunityPresetDialog(preset, ["bwin", "Betfair"], {"In play"})
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("preset", [MINE, OpportunityPreset("All", ALL)])
def test_what_is_not_changed_comes_back_as_it_was(qtbot: QtBot, preset: OpportunityPreset) -> None:
    dialog = dialog_for(qtbot, preset)
    assert dialog.preset() == preset
    assert dialog.problem == ""


def test_a_preset_that_cannot_be_kept_says_why(qtbot: QtBot) -> None:
    dialog = dialog_for(qtbot, OpportunityPreset("New", ALL))
    dialog.least.setValue(3.0)
    dialog.most.setValue(2.0)
    assert dialog.problem == "Guaranteed return from 3 to 2 %: the first must be lower."
    dialog.most.setValue(3.0)
    assert dialog.problem == ""
    dialog.bookmakers.item(0).setCheckState(Qt.CheckState.Checked)
    assert dialog.problem.startswith("Tick two bookmakers")
    dialog.name.setText("In play")
    assert "built-in" in dialog.problem
    dialog.name.setText(" ")
    assert dialog.problem == "A preset needs a name."


def test_a_filter_is_told_in_few_words() -> None:
    words = ["return -1.5 – 4 %", "before kick-off", "no likely errors", "2 books"]
    assert filter_words(MINE.filter) == words
    assert filter_words(ALL) == []
