"""The dialog that asks how to read a list of bets."""

from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.base.figures import Habit
from oddsdesk.contract.times import parse_ms
from oddsdesk.desk.bets.import_dialog import ImportDialog
from oddsdesk.desk.bets.panel import BetsPanel
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.ledger import Ledger
from tests.desk.bets.conftest import Make, held

MINE = """Datum;Begegnung;Mein Tipp;Betrag;Quote;Ergebnis;Laune
08/09/25;A - B;A;1,5u;2,10;gewonnen;gut
09/09/25;A - B;Over 2.5;1u;1,90;vielleicht;schlecht
"""


def asked(panel: BetsPanel, qtbot: QtBot) -> ImportDialog:
    """Return the dialog that the panel opens."""
    qtbot.waitUntil(lambda: any(map(ImportDialog.isVisible, panel.findChildren(ImportDialog))))
    return next(each for each in panel.findChildren(ImportDialog) if each.isVisible())


def choose(box: ChoiceBox, value: object) -> None:
    box.setCurrentIndex(next(i for i in range(box.count()) if box.itemData(i) == value))


def test_a_list_that_does_not_show_how_to_read_it_is_asked_about_and_the_answer_kept(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    file.write_text(MINE)
    panel.files.import_bets(file)
    dialog = asked(panel, qtbot)
    assert dialog.summary.text().startswith("Not a list of bets: no column for selection, stake")
    assert not dialog.read.isEnabled()
    assert [dialog.columns.topLevelItem(row).text(2) for row in range(3)] == [
        "08/09/25 · 09/09/25",
        "A - B",
        "A · Over 2.5",
    ]
    for field, title in (("selection", "Mein Tipp"), ("stake", "Betrag")):
        choose(dialog.fields[field], title)
    assert dialog.summary.text() == "Stakes such as 1,5u are in units, not money."
    dialog.unit.setText("ten")
    assert dialog.summary.text().startswith("Value of a unit: expected an amount above 0")
    dialog.unit.setText("10")
    assert dialog.summary.text() == "Dates such as 08/09/25 do not show the day."
    choose(dialog.dates, Habit.DAY_FIRST)
    assert dialog.summary.text() == (
        "1 bet of 2 rows; decimal odds, Datum as the time of placing; 1 unit is 10. Unreadable: "
        "line 3: result 'vielleicht': expected won, lost, void, half won, half lost, cashed out or "
        "open."
    )
    shown = dialog.preview.topLevelItem(0)
    assert [shown.text(column) for column in range(7)] == [
        *("A", "", "2.10", "15.00", "won", "8 Sep 2025", "A v B")
    ]
    with qtbot.waitSignal(panel.files.said):
        dialog.read.click()
    assert panel.messages.message_text.startswith("1 bet imported from bets.csv, decimal odds")
    assert "1 unit is 10" in panel.messages.message_text
    file.write_text(MINE.replace("08/09", "07/09").replace("vielleicht", "verloren"))
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(file)
    assert [(bet.selection, bet.stake, bet.placed_at) for bet in held(path)] == [
        ("A", 15.0, parse_ms("2025-09-08T00:00:00Z")),
        ("A", 15.0, parse_ms("2025-09-07T00:00:00Z")),
        ("Over 2.5", 10.0, parse_ms("2025-09-09T00:00:00Z")),
    ]


def test_columns_can_be_chosen_where_the_titles_are_enough_and_back_again(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    file.write_text("Selection,Stake,Fun,Odds,Match\nA,5,7,2.0,A v B\n")
    for stake, title in ((7.0, "Fun"), (5.0, "Stake")):
        panel.files.choose_columns(file)
        dialog = asked(panel, qtbot)
        assert dialog.read.isEnabled()
        choose(dialog.fields["stake"], title)
        assert dialog.preview.topLevelItem(0).text(3) == f"{stake:.2f}"
        with qtbot.waitSignal(panel.files.said):
            dialog.read.click()
        assert held(path)[-1].stake == stake
    with closing(Ledger(path)) as ledger:
        saved = ledger.list_choices(["Match", "Odds", "Fun", "Stake", "Selection"])
    assert saved.columns == {"stake": "Stake"}


def test_a_column_that_is_given_to_another_field_leaves_the_first(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    file.write_text("Selection,Stake,Odds,Result\nA,5,2.0,won\n")
    panel.files.choose_columns(file)
    dialog = asked(panel, qtbot)
    choose(dialog.fields["note"], "Result")
    assert dialog.fields["result"].currentData() == ""
    assert dialog.preview.topLevelItem(0).text(4) == "open"
    choose(dialog.fields["odds"], "Stake")
    assert dialog.summary.text().startswith("Not a list of bets: no column for stake")
    dialog.mark_unchanged()
    dialog.reject()


def test_two_columns_for_one_field_are_left_for_the_user_to_choose(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    file.write_text("Selection,Stake,Amount,Odds\nA,5,7,2.0\n")
    panel.files.import_bets(file)
    dialog = asked(panel, qtbot)
    assert (dialog.fields["stake"].currentData(), dialog.read.isEnabled()) == ("", False)
    choose(dialog.fields["stake"], "Amount")
    with qtbot.waitSignal(panel.files.said):
        dialog.read.click()
    assert held(path)[0].stake == 7


@pytest.mark.parametrize(("style", "odds"), [("american", 2.5), ("decimal", 150.0)])
def test_odds_that_do_not_show_their_format_are_shown_in_each(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path, style: str, odds: float
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    file.write_text("selection,odds,stake\nPSG,150,5\n")
    panel.files.import_bets(file)
    dialog = asked(panel, qtbot)
    offered = [dialog.styles.itemText(place) for place in range(1, 3)]
    assert offered == ["Decimal: 150 is 150 decimal", "American: 150 is 2.5 decimal"]
    choose(dialog.styles, style)
    with qtbot.waitSignal(panel.files.said):
        dialog.read.click()
    assert held(path)[0].odds == odds


def test_the_preview_shows_kinds_and_a_chosen_column_of_them_is_kept(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel, file = make_panel(), tmp_path / "bets.csv"
    titles = "Date,Selection,Form,Odds,Stake,Result"
    file.write_text(f"{titles}\n2026-03-14,A,Laywette zuerst,3.0,10,Lost\n")
    panel.files.choose_columns(file)
    dialog = asked(panel, qtbot)
    first = dialog.preview.topLevelItem(0)
    assert first is not None
    assert [first.text(place) for place in range(4)] == ["A", "", "3.00", "10.00"]
    file.write_text(f"{titles}\n2026-03-14,A,Lay-Wette,3.0,10,Lost\n")
    dialog.reject()
    panel.files.choose_columns(file)
    dialog = asked(panel, qtbot)
    choose(dialog.fields["kind"], "Form")
    first = dialog.preview.topLevelItem(0)
    assert first is not None
    assert first.text(1) == "lay"
    read_as = {
        item.text(0): item.text(1)
        for row in range(dialog.columns.topLevelItemCount())
        if (item := dialog.columns.topLevelItem(row)) is not None
    }
    assert read_as["Form"] == "Kind"
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (made,) = held(path)
    assert (made.kind, made.profit) == (BetKind.LAY, -20)
    with closing(Ledger(path)) as ledger:
        assert ledger.list_choices(titles.split(",")).columns == {"kind": "Form"}
