"""The matrix model follows the board: sections and rows that fold, come and go."""

from typing import Any

from PySide6.QtCore import QModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.desk.matrix.layout import ALL, BEST, FAIR, REFERENCE, WINDOW, groups_of
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.ui.theme.tokens import SurfaceRole
from tests.kit.matrix import column_of, row_of, texts


def test_the_model_keeps_the_rules_of_models(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    quoted.quote("total", {"Over 3.5": {"Newbook": 3.1}, "Under 3.5": {"Newbook": 1.3}})
    quoted.load()
    model.flush_touched()
    model.set_folded(0, True)
    model.set_folded(0, False)
    model.show_group("totals")


def test_lines_that_come_and_go_in_many_places_at_a_time_stand_where_they_belong(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    goals = [f"{number + 0.5:g}" for number in range(40)]

    def quote(lines: list[str]) -> None:
        odds = {f"{side} {line}": {"Bovada": 2.0} for line in lines for side in ("Over", "Under")}
        quoted.quote("team_total", {f"Home {selection}": of for selection, of in odds.items()})
        quoted.load()
        model.flush_touched()

    quote(goals[::2])
    quote(goals)
    assert texts(model) == texts(MatrixModel(quoted.board, quoted.id, quoted.clock))
    selection = "Home Over 17.5"
    cell = model.cell(row_of(model, selection), column_of(model, "Bovada"))
    assert cell.text == "2.00"


def test_the_whole_picture_is_shown_as_soon_as_it_is_read(quoted: Any) -> None:
    empty = Board(quoted.clock)
    read, quoted.board = quoted.board, empty
    model = MatrixModel(empty, quoted.id, quoted.clock)
    assert texts(model) == []
    quoted.load()
    assert texts(model) == texts(MatrixModel(read, quoted.id, quoted.clock))


def test_rows_are_sections_with_their_selections(model: MatrixModel) -> None:
    assert texts(model) == [
        "Match result", "Everton", "Draw", "Liverpool", "Match result", "Everton",
        "Total 2.5", "Over 2.5", "Under 2.5",
    ]  # fmt: skip
    assert [row for row in range(model.rowCount()) if model.is_section(row)] == [0, 4, 6]
    assert model.cell(0, WINDOW).text == "Full Time"
    assert model.cell(4, WINDOW).text == "1st Half"


def test_the_frozen_columns_hold_the_reference_and_what_follows_from_it(model: MatrixModel) -> None:
    row = row_of(model, "Everton")
    reference = model.cell(row, REFERENCE)
    assert (reference.text, reference.note, reference.ground) == (
        "3.29",
        "12k",
        SurfaceRole.REFERENCE,
    )
    assert model.cell(row, FAIR).text == "3.419"
    assert model.cell(row, WINDOW).text == "3.488"
    assert model.cell(4 + 1, WINDOW).text == "–"


def test_sections_carry_every_hold(model: MatrixModel) -> None:
    assert model.cell(0, REFERENCE).text == "3.3 %"
    assert model.cell(0, column_of(model, "Bovada")).text == "5.3"
    assert model.cell(0, column_of(model, "Betsson")).text == ""
    assert model.cell(0, BEST).text == "+0.9 %"
    assert "book's: 0.92 %" in model.tip(0, BEST)


def test_changes_are_told_together_and_only_where_they_are(
    model: MatrixModel, quoted: Any, qtbot: QtBot
) -> None:
    heard: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: heard.append((first.row(), last.row())))
    with qtbot.waitSignal(model.dataChanged, timeout=1_000):
        quoted.tell("Bovada", "total", "Over 2.5", 1.80)
        quoted.tell("Bovada", "total", "Under 2.5", 2.01)
        assert heard == []
    assert heard == [(6, 8)]


def test_another_game_changes_nothing(model: MatrixModel, quoted: Any) -> None:
    heard: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: heard.append(first))
    quoted.board.keep_all_rows(True)
    quoted.name = "Arsenal - Chelsea"
    for odds in (1.80, 1.70):
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "total", "Over 2.5", odds)
    model.flush_touched()
    assert heard == []


def test_a_closed_model_hears_no_more(model: MatrixModel, quoted: Any) -> None:
    heard: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: heard.append(first))
    model.stop_listening()
    quoted.tell("Bovada", "total", "Over 2.5", 1.70)
    model.flush_touched()
    assert heard == []


def test_folding_hides_a_section_and_outlives_new_rows(model: MatrixModel, quoted: Any) -> None:
    model.set_folded(0, True)
    assert texts(model)[:2] == ["Match result", "Match result"]
    quoted.quote("btts", {"Yes": {"Bovada": 1.67}, "No": {"Bovada": 2.13}})
    quoted.load()
    model.flush_touched()
    assert texts(model)[:2] == ["Match result", "Match result"]
    assert "Both teams to score" in texts(model)
    model.set_folded(0, False)
    assert texts(model)[1] == "Everton"


def test_a_section_that_goes_leaves_the_others(model: MatrixModel, quoted: Any) -> None:
    quoted._markets.pop(("total", 0))
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    model.flush_touched()
    assert texts(model) == [
        "Match result",
        "Everton",
        "Draw",
        "Liverpool",
        "Match result",
        "Everton",
    ]


def test_a_group_shows_its_markets_and_hides_empty_columns(model: MatrixModel, quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    assert groups_of(matrix.sections) == [
        (ALL, "All markets"), ("result", "Result"), ("totals", "Totals"), ("period:1", "1st Half"),
    ]  # fmt: skip
    model.show_group("period:1")
    assert texts(model) == ["Match result", "Everton"]
    assert model.shown_bookmakers == ("Unibet",)
    model.show_group(ALL)
    assert len(model.shown_bookmakers) == 4


def test_a_game_opened_before_its_prices_are_known_fills_in(quoted: Any) -> None:
    game = quoted
    game.board.unsubscribe_game(game.id)
    model = MatrixModel(game.board, game.id, game.clock)
    assert model.rowCount() == 0
    game.load()
    model.flush_touched()
    assert texts(model)[0] == "Match result"
    assert model.shown_bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_every_cell_has_text_and_tooltip_that_can_be_asked_for(model: MatrixModel) -> None:
    for row in range(model.rowCount()):
        for column in range(model.columnCount()):
            assert isinstance(model.cell(row, column).text, str)
            assert isinstance(model.tip(row, column), str)
