"""The preset dialog gives back what was chosen, and says what is wrong with it."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.desk.value_bets.panel import filter_text
from oddsdesk.desk.value_bets.preset_dialog import ValuesPresetDialog
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.pricing.value import own_rules

MINE = Preset(
    "Mine",
    ValueFilter(("Tennis",), ("moneyline", "total"), ("Unibet",), 2.5, 1.5, 3.0, in_play=False),
)
NARROW = Preset(
    "Narrow",
    ValueFilter(
        competitions=("ATP", "EPL"),
        max_true_ev=8.0,
        max_hours_ahead=12.0,
        min_limit=100.0,
        max_age_s=60.0,
    ),
)


def dialog_for(qtbot: QtBot, preset: Preset) -> ValuesPresetDialog:
    made = ValuesPresetDialog(preset, ["bwin", "Betfair"], ["EPL"], {"Main markets"})
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    "preset", [MINE, NARROW, Preset("All", ValueFilter()), Preset("x", ValueFilter(in_play=True))]
)
def test_what_is_not_changed_comes_back_as_it_was(qtbot: QtBot, preset: Preset) -> None:
    dialog = dialog_for(qtbot, preset)
    assert dialog.preset() == preset
    assert dialog.problem == ""


def test_competitions_have_their_titles_and_come_back_as_codes(qtbot: QtBot) -> None:
    preset = Preset("Rules", ValueFilter(competitions=("aussierules_afl",)))
    dialog = dialog_for(qtbot, preset)
    listed = dialog.competitions
    titles = [listed.item(row).text() for row in range(listed.count())]
    assert titles == ["AFL (Australian football)", "EPL"]
    assert dialog.preset() == preset


def test_bookmakers_are_those_that_are_known_and_those_of_the_preset(qtbot: QtBot) -> None:
    listed = dialog_for(qtbot, MINE).bookmakers
    assert [listed.item(row).text() for row in range(listed.count())] == [
        "Betfair", "bwin", "Unibet",
    ]  # fmt: skip


def test_what_is_ticked_is_chosen(qtbot: QtBot) -> None:
    dialog = dialog_for(qtbot, Preset("New", ValueFilter()))
    dialog.sports.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.ev.setValue(3.0)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept()
    assert chosen.args == [Preset("New", ValueFilter(("Football",), min_true_ev=3.0))]


@pytest.mark.parametrize(
    ("name", "least", "most", "problem"),
    [
        ("  ", "", "", "A preset needs a name."),
        ("Main markets", "", "", "built-in"),
        ("New", "3", "2", "Odds from 3 to 2: the first must be lower."),
        ("New", "six", "", "Expected decimal odds such as"),
    ],
)
def test_a_preset_that_cannot_be_kept_says_why(
    qtbot: QtBot, name: str, least: str, most: str, problem: str
) -> None:
    dialog = dialog_for(qtbot, Preset("New", ValueFilter()))
    dialog.name.setText(name)
    dialog.least.setText(least)
    dialog.most.setText(most)
    assert problem in dialog.problem
    assert not dialog._save.isEnabled()


def test_odds_are_typed_and_told_as_the_desk_writes_them(qtbot: QtBot, american_odds: None) -> None:
    dialog = dialog_for(qtbot, Preset("New", ValueFilter(min_odds=1.91)))
    assert dialog.least.text() == "-110"
    dialog.most.setText("+200")
    assert dialog.preset().filter == ValueFilter(min_odds=1.91, max_odds=3.0)
    assert filter_text(dialog.preset().filter).startswith("EV ≥ 2.01 % · odds -110 – +200 · ")
    dialog.most.setText("two")
    assert dialog.problem.startswith("Expected American odds such as ")


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        (ValueFilter(), "EV ≥ 2.01 % · all books"),
        (MINE.filter, "EV ≥ 2.5 % · odds 1.5 – 3 · Tennis · 2 markets · before kick-off · Unibet"),
        (
            NARROW.filter,
            "EV 2.01 – 8 % · 2 competitions · within 12 h · seen within 60 s · limit ≥ 100"
            " · all books",
        ),
        (ValueFilter(derived="none"), "EV ≥ 2.01 % · no derived odds · all books"),
        (ValueFilter(derived="implied"), "EV ≥ 2.01 % · no modelled odds · all books"),
        (ValueFilter(min_odds=2.0), "EV ≥ 2.01 % · odds ≥ 2 · all books"),
        (ValueFilter(max_odds=2.0), "EV ≥ 2.01 % · odds ≤ 2 · all books"),
    ],
)
def test_a_filter_is_said_in_few_words(chosen: ValueFilter, text: str) -> None:
    assert filter_text(chosen) == text


def test_a_filter_tells_the_lowest_minimum_of_its_markets() -> None:
    rules = own_rules(min_ev=12.25, min_prop_ev=1.5)
    props = ValueFilter(market_types=("player_prop",))
    assert filter_text(ValueFilter(), rules=rules) == "EV ≥ 1.5 % · all books"
    main = ValueFilter(market_types=("total",))
    assert filter_text(main, rules=rules).startswith("EV ≥ 12.25 % · ")
    assert filter_text(props).startswith("EV ≥ 5.07 % · ")


def test_a_filter_says_that_only_my_bookmakers_count() -> None:
    assert filter_text(ValueFilter(), only_mine=True) == "EV ≥ 2.01 % · my books"
