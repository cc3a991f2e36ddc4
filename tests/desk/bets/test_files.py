"""Files at the desk: bets and results read, bets written."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.contract.times import parse_ms
from oddsdesk.desk.export.files import CSV
from oddsdesk.ledger.reading import read_bets
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import NOW, WON, Make, bet, held
from tests.unit.ledger.test_reading import YEAR, workbook


def test_a_score_that_may_be_of_another_game_is_said_to_look_at(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    """Played on the next day, in the file's words."""
    placed = bet(
        bookmaker="Corner Shop",
        match_name="Everton vs Fulham",
        competition="EPL",
        sport="Football",
        market_type="moneyline",
        selection="Everton",
        kick_off=parse_ms("2026-03-14T15:00:00Z"),
    )
    panel, scores = make_panel(placed), tmp_path / "E0.csv"
    scores.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG\nE0,15/03/2026,15:00,Everton,Fulham,0,2\n"
    )
    with qtbot.waitSignal(panel.files.brought_nothing):
        panel.files.settle_from_file(scores)
    assert panel.messages.message_text == (
        "0 bets settled from E0.csv. Please check: bet 1, Everton, Everton v Fulham: Everton v "
        "Fulham (E0.csv 0-2) is 24 hours later than the bet says; how long bets at Corner "
        "Shop wait for it is not known; it would then be lost."
    )
    assert held(path)[0].result is None


def test_files_settle_and_import_and_what_is_wrong_is_said(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel = make_panel(bet())
    results, bets = tmp_path / "results.csv", tmp_path / "bets.csv"
    results.write_text("bet,result\n1,lost\n9,won\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.settle_from_file(results)
    assert panel.messages.message_text == (
        "1 bet settled from results.csv. Skipped: line 3: no bet 9."
    )
    bets.write_text("selection,odds,stake,mood\nOver 2.5,2.0,5,good\nOver 2.5,1.0,5,bad\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(bets)
    assert panel.messages.message_text == (
        "1 bet imported from bets.csv, decimal odds; no date: the bets count as placed now; "
        "no column holds the game: scores cannot "
        "settle these bets, and they get no closing line; columns ignored: mood. "
        "Skipped: line 3: odds 1: expected decimal odds above 1."
    )
    assert [each.selection for each in held(path)] == ["Leeds -0.75", "Over 2.5"]
    assert panel.messages._icon_name == "check"
    for read, file, said in (
        (panel.files.import_bets, bets, "0 bets imported from bets.csv, decimal odds; 1 already"),
        (panel.files.settle_from_file, results, "0 bets settled from results.csv"),
    ):
        with qtbot.waitSignal(panel.files.brought_nothing):
            read(file)
        assert panel.messages.message_text.startswith(said)
        assert panel.messages._icon_name == "info", "nothing was done"
        assert panel.messages.findChild(QPushButton).isHidden(), "so nothing is undone"
    with qtbot.waitSignal(panel.files.failed):
        panel.files.import_bets(tmp_path / "missing.csv")
    assert panel.messages.message_text == "missing.csv cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("titles", "read", "said"),
    [
        ("Div,Date,HomeTeam,AwayTeam,FTHG,FTAG", "import_bets", "oddsdesk import football-data"),
        ("Selection,Stake,Odds", "settle_from_file", "oddsdesk ledger import"),
    ],
)
def test_a_file_of_another_kind_is_named_with_what_reads_it(
    titles: str, read: str, said: str, make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = make_panel()
    file = tmp_path / "E0.csv"
    file.write_text(f"{titles}\n")
    with qtbot.waitSignal(panel.files.failed):
        getattr(panel.files, read)(file)
    assert said in panel.messages.message_text


def test_an_import_says_how_many_profits_differ_from_the_results_and_the_first(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = make_panel()
    file = tmp_path / "bets.csv"
    head = "selection,odds,stake,result,profit,side\nHull,2.5,9,lost,-9,back\n"
    lost = "Leeds,2.5,10,lost,-15,"
    file.write_text(head + f"{lost}back\n" * 3 + f"{lost}lay\n" + "Leeds,1,9,lost,,\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(file)
    assert panel.messages.message_text == (
        "5 bets imported from bets.csv, decimal odds; 3 profits differ from the recorded results: "
        "line 3: profit -15.00 in the file, but lost is -10.00; "
        "line 4: profit -15.00 in the file, but lost is -10.00; and 1 more; "
        "no date: the bets count as placed now; "
        "no column holds the game: scores cannot settle these bets, and they get no closing line. "
        "Skipped: line 7: odds 1: expected decimal odds above 1."
    )


def test_bets_go_to_bet_analytix(make_panel: Make, qtbot: QtBot, tmp_path: Path) -> None:
    panel = make_panel(bet(), WON)
    target = tmp_path / "bets.csv"
    with qtbot.waitSignal(panel.files.said):
        panel.files.write_bet_analytix(panel._shown, target)
    assert panel.messages.message_text == (
        f"2 bets written to {target}; "
        "odds after commission or tax (odds taken are in the comment): 2."
    )
    assert read_bets(target.read_bytes(), NOW).tracker == "Bet-Analytix"
    with qtbot.waitSignal(panel.files.failed):
        panel.files.write_bet_analytix(panel._shown, tmp_path)
    assert "cannot be written" in panel.messages.message_text


def test_what_is_shown_is_exported(make_panel: Make, qtbot: QtBot, tmp_path: Path) -> None:
    panel = make_panel(bet(), WON)
    target = tmp_path / "bets.csv"
    with qtbot.waitSignal(panel.files.said):
        panel.files.write_table(panel.exported(), CSV, target)
    assert panel.messages.message_text == f"2 rows written to {target}."
    found = read_bets(target.read_bytes(), NOW)
    assert [each.result for each in found.bets] == [None, Result.WON]


def test_all_sheets_of_a_workbook_are_imported(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = make_panel()
    file = tmp_path / "bets.xlsx"
    file.write_bytes(workbook(YEAR.format(2024, 10), YEAR.format(2025, 20)))
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(file)
    assert panel.messages.message_text.startswith("2 bets imported from bets.xlsx")
