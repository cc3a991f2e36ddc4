"""Value bets on lines that the sharp book does not price itself: marks, bands, stakes, filter."""

import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.value_bets.model import EV_COLUMN, STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.placing import PlaceDialog
from oddsdesk.desk.value_bets.preset_dialog import ValuesPresetDialog
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from tests.kit.value_bets import TITLES, row

WARNING = TITLES.index("Warning")


@pytest.fixture
def listed(panel: ValuesPanel, derived: Any, qtbot: QtBot) -> ValuesPanel:
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 2)
    return panel


def place_of(panel: ValuesPanel, selection: str) -> int:
    return [row(panel, place)["Selection"] for place in range(2)].index(selection)


def test_bets_on_derived_odds_are_marked_with_their_band(listed: ValuesPanel) -> None:
    model = listed.table.model
    modelled, implied = place_of(listed, "Over 3.5"), place_of(listed, "X2")
    assert (modelled, implied) == (0, 1), "sorted by EV"
    assert model.cell(modelled, EV_COLUMN)[0] == "+7.9 %"
    assert model.cell(modelled, EV_COLUMN).note == "±3.9"
    assert (model.cell(implied, EV_COLUMN).text, model.cell(implied, EV_COLUMN).note) == (
        "+3.3 %",
        "~",
    )
    assert [model.cell(place, WARNING).text for place in (modelled, implied)] == [
        "modelled",
        "implied",
    ]
    assert row(listed, modelled)["Service's EV"] == "–"
    assert "Fair odds 3.569, from Pinnacle, modelled, EV ±3.9" in model.tip(modelled, 0)
    assert "Fair odds 1.413, from Pinnacle, implied" in model.tip(implied, 0)


def test_the_stake_says_that_it_uses_the_low_end(listed: ValuesPanel) -> None:
    model, modelled = listed.table.model, place_of(listed, "Over 3.5")
    low = 1 / 3.568912 - 0.01
    kelly = low - (1 - low) / 2.85
    assert row(listed, modelled)["Stake"] == str(int(250 * kelly)) == "3"
    tip = model.tip(modelled, STAKE_COLUMN)
    assert f"full Kelly {kelly * 100:.1f} % of the bankroll" in tip
    assert "Staked at the low end of its band, EV +4.03 %" in tip
    assert "low end" not in model.tip(place_of(listed, "X2"), STAKE_COLUMN)


def test_the_bet_dialog_says_what_the_stake_rests_on(listed: ValuesPanel, derived: Any) -> None:
    found = {key.selection: key for key in derived.board.value_bets}
    listed.place_price(found["Over 3.5"])
    dialog = listed.findChild(PlaceDialog)
    assert dialog.worth.text() == (
        "EV +7.88 % at these odds · fair 3.569 (modelled, EV ±3.9, margin proportional) · "
        "staked at the low end of its band, EV +4.03 %"
    )
    assert dialog.stake.text() == "3"
    dialog.odds.setText("4")
    assert "EV ±4.0" in dialog.worth.text()
    assert dialog.worth.text().endswith("EV +8.08 %")
    dialog.close()
    listed.place_price(found["X2"])
    implied = listed.findChildren(PlaceDialog)[-1]
    assert implied.worth.text().endswith("fair 1.413 (implied, margin proportional)")
    implied.close()


def test_exports_say_how_the_odds_were_derived(
    listed: ValuesPanel, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(listed.saver.said):
        listed.saver.write_table(tmp_path / "value-bets.json")
    found = json.loads((tmp_path / "value-bets.json").read_text())
    assert [(one["derived"], one["band_pct"]) for one in found] == [
        ("modelled", 3.85),
        ("implied", None),
    ]
    assert [one["service_ev_pct"] for one in found] == [None, None]


@pytest.mark.parametrize(
    ("chosen", "left"), [("all", ["Over 3.5", "X2"]), ("implied", ["X2"]), ("none", [])]
)
def test_a_preset_leaves_derived_odds_out(
    listed: ValuesPanel, qtbot: QtBot, chosen: Any, left: list[str]
) -> None:
    listed.lists.preset = Preset("Mine", ValueFilter(derived=chosen))
    listed.lists.show_bets(may_move=True)
    model = listed.table.model
    qtbot.waitUntil(lambda: model.rowCount() == len(left))
    assert [model.cell(place, 0).text for place in range(len(left))] == left


def test_a_preset_asks_for_it_in_the_words_of_the_settings(qtbot: QtBot) -> None:
    dialog = ValuesPresetDialog(Preset("Mine", ValueFilter(derived="implied")), [], [], set())
    qtbot.addWidget(dialog)
    assert dialog.derived.currentText() == "Implied only"
    dialog.derived.setCurrentText("None")
    assert dialog.preset().filter.derived == "none"
    assert [one.name for one in BUILT_IN if one.filter.derived == "none"] == ["No derived odds"]
