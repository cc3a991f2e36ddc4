"""Rows of the grid copied as a table and written to a file."""

import csv
import sys

import msgspec
import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.places import how_to_install
from oddsdesk.base.texts import ENGLISH, PSEUDO, use_language
from oddsdesk.desk.export.files import CSV, XLSX
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter
from tests.kit.grid import PRICES


def test_rows_are_copied_as_a_table(panel, qtbot):
    panel.show_filter(GridFilter(words=("over", "matchbook")))
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy_rows()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert heard.args == ["1 row copied."]
    assert lines[0].startswith("Selection\tGame\t")
    assert lines[1].startswith("Over 2.5\tEverton - Liverpool\t2026-04-19T07:00:00.000Z\ttotal\t")
    assert "<table>" in QGuiApplication.clipboard().mimeData().html()


@pytest.mark.parametrize("rows", [1, 3])
def test_only_rows_that_are_marked_are_copied(panel, qtbot, rows):
    view = panel.table.scrolling
    view.selectRow(0)
    for row in range(1, rows):
        select = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        view.selectionModel().select(panel.model.index(row, 0), select)
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy_rows()
    assert heard.args == [f"{rows} row{'s' if rows > 1 else ''} copied."]
    assert len(QGuiApplication.clipboard().text().splitlines()) == rows + 1


def test_the_title_of_a_game_stands_for_its_rows(panel, qtbot):
    panel.model.show_as(Shape.PRICES, grouped=True)
    assert panel.model.entry(0) is None
    panel.table.scrolling.selectRow(0)
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy_rows()
    assert heard.args == [f"{PRICES} rows copied."]
    assert len(panel.model.entries_at([0, 1])) == PRICES


def test_rows_are_written_as_shown(panel, tmp_path, qtbot):
    panel.model.sort_as(BY_KEY["odds"], True)
    path = tmp_path / "odds.csv"
    with qtbot.waitSignal(panel.export.ended):
        panel.write_rows(CSV, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    odds = [float(row["odds"]) for row in rows]
    assert len(rows) == PRICES
    assert odds == sorted(odds, reverse=True)
    assert rows[0]["scraped_at"] == "2026-04-16T12:00:00.000Z"
    assert rows[0]["bookmakers"] == "1"
    judged = {row["per"] for row in rows if row["ev_pct"]}
    assert (judged, {row["per"] for row in rows if not row["ev_pct"]}) == ({"staked"}, {""})
    assert panel.messages.message_text == f"Saved 18 rows to {path}."
    names = ("game_id", "bookmaker", "market_type", "period", "is_live", "selection")
    assert len({tuple(row[name] for name in names) for row in rows}) == PRICES
    assert {row["is_value"] for row in rows if not row["ev_pct"]} == {"false"}


def test_what_a_workbook_needs_is_said_before_a_file_is_asked_for_and_stays(
    panel, qtbot, monkeypatch
):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    panel.bar.export_requested.emit(XLSX)
    assert panel.findChild(QFileDialog) is None
    for _ in range(3):
        panel._tell_cuts()
    assert not panel.messages.isHidden()
    assert how_to_install("xlsx") in panel.messages.message_text


def test_rows_that_are_written_name_the_sources(panel, quoted, tmp_path, qtbot):
    told = msgspec.structs.replace(quoted.board.connection, sources=("polymarket", "the-odds-api"))
    quoted.board.set_connection(told)
    path = tmp_path / "odds.csv"
    with qtbot.waitSignal(panel.export.ended):
        panel.write_rows(CSV, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["sources"] for row in rows} == {"polymarket, the-odds-api"}


def test_what_cannot_be_written_is_one_line(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.failed):
        panel.write_rows(CSV, tmp_path / "nowhere" / "odds.csv")
    assert "cannot be written: No such file or directory" in panel.messages.message_text


def test_an_export_does_not_end_the_one_before(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.write_rows(CSV, tmp_path / "all.csv")
        panel.show_filter(GridFilter(words=("over", "matchbook")))
        panel.write_rows(CSV, tmp_path / "some.csv")
        panel.copy_rows()
    all_path, some_path = tmp_path / "all.csv", tmp_path / "some.csv"
    assert heard.args == [f"Saved 18 rows to {all_path}. Saved 1 row to {some_path}. 1 row copied."]
    assert len(all_path.read_text().splitlines()) == 1 + PRICES
    assert len(some_path.read_text().splitlines()) == 2
    assert QGuiApplication.clipboard().text().count("\n") == 2


def test_an_export_that_fails_says_so_though_another_follows(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.failed) as heard:
        panel.write_rows(CSV, tmp_path / "nowhere" / "odds.csv")
        panel.write_rows(CSV, tmp_path / "odds.csv")
    assert "nowhere/odds.csv cannot be written" in heard.args[0]
    assert f"Saved 18 rows to {tmp_path / 'odds.csv'}." in heard.args[0]
    assert (tmp_path / "odds.csv").exists()


def test_a_stopped_export_writes_nothing(panel, tmp_path):
    panel.write_rows(CSV, tmp_path / "odds.csv")
    panel.write_rows(CSV, tmp_path / "later.csv")
    panel.messages.action_requested.emit()
    assert not panel.export.is_busy
    assert panel.messages.message_text == "Cancelled: nothing was saved to odds.csv, later.csv."
    assert not list(tmp_path.glob("*.csv"))


@pytest.fixture
def other_language():
    use_language(PSEUDO)
    yield
    use_language(ENGLISH)


def test_files_are_english_in_other_languages(other_language, panel, tmp_path, qtbot):
    assert panel.model.header(BY_KEY["game"]).title != "Game"
    panel.model.columns |= {BY_KEY["period"]}
    path = tmp_path / "odds.csv"
    with qtbot.waitSignal(panel.export.ended):
        panel.write_rows(CSV, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert {row["period"] for row in csv.DictReader(file)} == {"Full Time", "1st Half"}
    panel.show_filter(GridFilter(words=("over", "matchbook")))
    with qtbot.waitSignal(panel.export.ended):
        panel.copy_rows()
    assert QGuiApplication.clipboard().text().startswith("Selection\tGame\t")


def test_selections_are_copied_in_english(panel, qtbot):
    choose_numbers(Style(COMMA))
    panel.show_filter(GridFilter(words=("over", "matchbook")))
    with qtbot.waitSignal(panel.export.ended):
        panel.copy_rows()
    assert QGuiApplication.clipboard().text().splitlines()[1].startswith("Over 2.5\tEverton")
