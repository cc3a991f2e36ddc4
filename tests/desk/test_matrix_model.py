"""The matrix model follows the board: cells, columns, rows that fold, come and go."""

from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.desk.models.bookmaker_order import BookmakerOrder
from oddsdesk.desk.models.market_groups import ALL, groups_of
from oddsdesk.desk.models.matrix import MatrixModel
from oddsdesk.desk.models.matrix_layout import (
    BEST,
    FAIR,
    FIRST_BOOKMAKER,
    REFERENCE,
    SELECTION,
    WINDOW,
)
from oddsdesk.desk.theme.tokens import Ground, Ink

UNIBET_FIRST = BookmakerOrder(favourites=frozenset({"Unibet"}))


@pytest.fixture
def model(quoted: Any) -> MatrixModel:
    return MatrixModel(quoted.board, quoted.id, quoted.clock)


def texts(model: MatrixModel, column: int = SELECTION) -> list[str]:
    return [model.cell(row, column).text for row in range(model.rowCount())]


def row_of(model: MatrixModel, selection: str) -> int:
    return texts(model).index(selection)


def column_of(model: MatrixModel, bookmaker: str) -> int:
    return FIRST_BOOKMAKER + model.bookmakers.index(bookmaker)


def cell_of(model: MatrixModel, selection: str, bookmaker: str) -> Any:
    return model.cell(row_of(model, selection), column_of(model, bookmaker))


def test_the_model_keeps_the_rules_of_models(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    quoted.quote("total", {"Over 3.5": {"Newbook": 3.1}, "Under 3.5": {"Newbook": 1.3}})
    quoted.load()
    model.flush()
    model.set_folded(0, True)
    model.set_folded(0, False)
    model.show_group("totals")


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


def test_the_frozen_columns_hold_the_reference_and_what_follows_from_it(
    model: MatrixModel,
) -> None:
    row = row_of(model, "Everton")
    reference = model.cell(row, REFERENCE)
    assert (reference.text, reference.note, reference.ground) == ("3.29", "12k", Ground.REFERENCE)
    assert model.cell(row, FAIR).text == "3.419"
    assert model.cell(row, WINDOW).text == "3.488 – 3.798"
    assert model.cell(4 + 1, WINDOW).text == "–"


def test_sections_carry_every_hold(model: MatrixModel) -> None:
    assert model.cell(0, REFERENCE).text == "3.3 %"
    assert model.cell(0, column_of(model, "Bovada")).text == "5.3"
    assert model.cell(0, column_of(model, "Betsson")).text == ""
    assert model.cell(0, BEST).text == "+0.9 %"
    assert "hold 0.9" in model.tip(0, BEST)


def test_the_best_price_of_a_row_is_marked(model: MatrixModel) -> None:
    best = cell_of(model, "Draw", "Matchbook")
    assert (best.ground, best.ink, best.is_strong) == (Ground.BEST, Ink.BEST, True)
    assert cell_of(model, "Draw", "Bovada").ground is Ground.PANEL
    assert cell_of(model, "Draw", "Betsson").text == "·"


def test_a_price_within_the_window_is_value_above_it_is_not(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    value = cell_of(model, "Everton", "Bovada")
    assert (value.ground, value.ink, value.is_strong) == (Ground.VALUE, Ink.VALUE, True)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 9.00)
    suspicious = cell_of(model, "Everton", "Bovada")
    assert (suspicious.text, suspicious.ground) == ("? 9.00", Ground.PANEL)
    best = model.cell(row_of(model, "Everton"), BEST)
    assert (best.text, best.note, best.ink) == ("? 9.00", "Bovada", Ink.NOTE)
    for column in (BEST, column_of(model, "Bovada")):
        assert "above the window: suspicious" in model.tip(row_of(model, "Everton"), column)


def test_the_best_price_stands_in_a_frozen_column_with_who_offers_it(
    model: MatrixModel, quoted: Any
) -> None:
    row = row_of(model, "Draw")
    best = model.cell(row, BEST)
    assert (best.text, best.note, best.is_strong) == ("3.40", "Matchbook", True)
    assert model.price(row, BEST) == model.price(row, column_of(model, "Matchbook"))
    assert model.key(row, BEST) == model.key(row, column_of(model, "Matchbook"))
    quoted.tell("Bovada", "moneyline", "Draw", 3.40)
    assert model.cell(row, BEST).note == "Bovada +1"
    assert "the same at Matchbook" in model.tip(row, BEST)
    assert model.best_columns(row) == [column_of(model, name) for name in ("Bovada", "Matchbook")]
    quoted.tell("Matchbook", "moneyline", "Draw", 3.60)
    assert (model.cell(row, BEST).text, model.cell(row, BEST).ink) == ("3.60", Ink.VALUE)


def test_a_hidden_bookmakers_best_price_is_named_all_the_same(
    model: MatrixModel, quoted: Any
) -> None:
    model.show_bookmakers(BookmakerOrder(hidden=frozenset({"Matchbook"})))
    row = row_of(model, "Draw")
    assert model.cell(row, BEST).note == "Matchbook"
    assert model.best_columns(row) == []
    quoted.tell("Matchbook", "moneyline", "Draw", 3.45)
    assert model.cell(row, BEST).text == "3.45"


def test_a_price_in_play_is_no_value_against_a_reference_from_before_the_game(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.tell("Bovada", "moneyline", "Everton", 3.60, is_live=True)
    row, column = row_of(model, "Everton"), column_of(model, "Bovada")
    assert model.cell(row, column).ground is not Ground.VALUE
    assert "the reference's price is from before the game: not compared" in model.tip(row, column)
    quoted.tell("Pinnacle", "moneyline", "Draw", 3.36, is_live=True)
    assert model.cell(row, column).ground is Ground.VALUE
    assert "not compared" not in model.tip(row, column)


def test_a_move_flashes_from_when_it_was_heard_and_its_arrow_ages(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.clock.now += 5_000
    heard = quoted.clock.now
    quoted.tell("Bovada", "total", "Over 2.5", 1.85)
    moved = cell_of(model, "Over 2.5", "Bovada")
    assert (moved.text, moved.flash, moved.flashes_from) == ("1.85", -1, heard)
    assert (moved.arrow, moved.arrow_is_pale) == (-1, False)
    quoted.clock.now += 61_000
    aged = cell_of(model, "Over 2.5", "Bovada")
    assert (aged.arrow, aged.arrow_is_pale) == (-1, True)
    quoted.clock.now += 600_000
    assert cell_of(model, "Over 2.5", "Bovada").arrow == 0


def test_a_price_seen_again_without_a_move_flashes_no_more(model: MatrixModel, quoted: Any) -> None:
    for _ in range(2):
        quoted.clock.now += 5_000
        quoted.tell("Bovada", "total", "Over 2.5", 1.85)
    again = cell_of(model, "Over 2.5", "Bovada")
    assert (again.flash, again.arrow) == (0, -1)


def test_a_better_price_takes_the_mark_from_the_one_before(model: MatrixModel, quoted: Any) -> None:
    quoted.tell("Betsson", "total", "Over 2.5", 1.95)
    assert cell_of(model, "Over 2.5", "Matchbook").ground is Ground.BEST
    quoted.clock.now += 1_000
    quoted.tell("Betsson", "total", "Over 2.5", 2.01)
    assert cell_of(model, "Over 2.5", "Matchbook").ground is Ground.PANEL
    assert cell_of(model, "Over 2.5", "Betsson").ground is Ground.BEST


def test_a_move_of_the_reference_moves_fair_odds_and_window(
    model: MatrixModel, quoted: Any
) -> None:
    row = row_of(model, "Over 2.5")
    before = [model.cell(row, column).text for column in (FAIR, WINDOW)]
    quoted.clock.now += 1_000
    quoted.tell("Pinnacle", "total", "Under 2.5", 1.90)
    after = [model.cell(row, column).text for column in (FAIR, WINDOW)]
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_dead_price_is_not_marked_best(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 11 * 60_000
    assert cell_of(model, "Over 2.5", "Matchbook").ground is Ground.PANEL


def test_a_price_pales_with_age_and_is_struck_through_when_dead(
    model: MatrixModel, quoted: Any
) -> None:
    def look() -> tuple[Ink, bool]:
        cell = cell_of(model, "Draw", "Bovada")
        return cell.ink, cell.is_struck

    seen = [look()]
    for age_s in (90, 300, 700):
        quoted.clock.now = quoted.clock.now - quoted.clock.now % 1_000 + age_s * 1_000
        seen.append(look())
    assert seen[0] == (Ink.STRONG, False)
    assert seen[-1] == (Ink.NOTE, True)
    assert [ink for ink, _ in seen] == sorted(ink for ink, _ in seen)
    assert len({ink for ink, _ in seen}) == 3


def test_a_withdrawn_price_stays_struck_through(model: MatrixModel, quoted: Any) -> None:
    quoted.quote("total", {"Over 2.5": {"Pinnacle": 1.94}, "Under 2.5": {"Pinnacle": 1.94}})
    quoted.clock.now += 1_000
    quoted.load()
    model.flush()
    gone = cell_of(model, "Over 2.5", "Bovada")
    assert (gone.text, gone.is_struck, gone.ground) == ("1.91", True, Ground.PANEL)
    assert "gone for" in model.tip(row_of(model, "Over 2.5"), column_of(model, "Bovada"))


def test_changes_are_told_together_and_only_where_they_are(
    model: MatrixModel, quoted: Any, qtbot: QtBot
) -> None:
    told: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: told.append((first.row(), last.row())))
    with qtbot.waitSignal(model.dataChanged, timeout=1_000):
        quoted.tell("Bovada", "total", "Over 2.5", 1.80)
        quoted.tell("Bovada", "total", "Under 2.5", 2.01)
        assert told == []
    assert told == [(6, 8)]


def test_another_game_changes_nothing(model: MatrixModel, quoted: Any) -> None:
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: told.append(first))
    quoted.board.want_rows(True)
    quoted.name = "Arsenal - Chelsea"
    for odds in (1.80, 1.70):
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "total", "Over 2.5", odds)
    model.flush()
    assert told == []


def test_a_closed_model_hears_no_more(model: MatrixModel, quoted: Any) -> None:
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: told.append(first))
    model.close()
    quoted.tell("Bovada", "total", "Over 2.5", 1.70)
    model.flush()
    assert told == []


def test_folding_hides_a_section_and_outlives_new_rows(model: MatrixModel, quoted: Any) -> None:
    model.set_folded(0, True)
    assert texts(model)[:2] == ["Match result", "Match result"]
    quoted.quote("btts", {"Yes": {"Bovada": 1.67}, "No": {"Bovada": 2.13}})
    quoted.load()
    model.flush()
    assert texts(model)[:2] == ["Match result", "Match result"]
    assert "Both teams to score" in texts(model)
    model.set_folded(0, False)
    assert texts(model)[1] == "Everton"


def test_new_bookmakers_are_appended_and_new_rows_take_their_place(
    model: MatrixModel, quoted: Any
) -> None:
    before = model.bookmakers
    reset: list[None] = []
    model.modelReset.connect(lambda: reset.append(None))
    quoted.quote("total", {"Over 1.5": {"Aardvark": 1.3}, "Under 1.5": {"Aardvark": 3.4}})
    quoted.load()
    model.flush()
    assert model.bookmakers == (*before, "Aardvark")
    assert texts(model)[6:] == ["Total 2.5", "Over 2.5", "Under 2.5", "Total 1.5"]
    assert not reset


def test_a_section_that_goes_leaves_the_others(model: MatrixModel, quoted: Any) -> None:
    quoted._markets.pop(("total", 0))
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    model.flush()
    assert texts(model) == [
        "Match result",
        "Everton",
        "Draw",
        "Liverpool",
        "Match result",
        "Everton",
    ]


def test_bookmakers_stand_by_name_with_favourites_first(quoted: Any) -> None:
    model = MatrixModel(quoted.board, quoted.id, quoted.clock, UNIBET_FIRST)
    assert model.bookmakers == ("Unibet", "Betsson", "Bovada", "Matchbook")
    assert model.header(FIRST_BOOKMAKER).title == "★ Unibet"
    assert "favourite" in model.header(FIRST_BOOKMAKER).tip


def test_columns_come_go_and_move_as_the_user_wants(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    model.set_folded(0, True)
    row = row_of(model, "Over 2.5")
    held = QPersistentModelIndex(model.index(row, column_of(model, "Betsson")))
    gone = QPersistentModelIndex(model.index(row, column_of(model, "Matchbook")))
    order = BookmakerOrder(("Unibet", "Betsson"), hidden=frozenset({"Matchbook"}))
    model.show_bookmakers(order)
    assert model.bookmakers == ("Unibet", "Betsson", "Bovada")
    assert cell_of(model, "Over 2.5", "Betsson").text == "1.92"
    assert (held.row(), held.column()) == (row, FIRST_BOOKMAKER + 1)
    assert not gone.isValid()
    assert model.is_folded(0)
    model.show_bookmakers(BookmakerOrder())
    assert model.bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")
    assert held.column() == FIRST_BOOKMAKER
    assert cell_of(model, "Over 2.5", "Matchbook").text == "2.00"


def test_a_hidden_bookmaker_that_begins_to_quote_stays_hidden(
    model: MatrixModel, quoted: Any
) -> None:
    model.show_bookmakers(BookmakerOrder(hidden=frozenset({"Newbook"})))
    quoted.quote("btts", {"Yes": {"Newbook": 1.67, "Other": 1.7}})
    quoted.load()
    model.flush()
    assert model.bookmakers[-1] == "Other"
    assert "Newbook" not in model.bookmakers


def test_a_group_shows_its_markets_and_hides_empty_columns(model: MatrixModel, quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    assert groups_of(matrix.sections) == [
        (ALL, "All markets"), ("result", "Result"), ("totals", "Totals"), ("period:1", "1st Half"),
    ]  # fmt: skip
    model.show_group("period:1")
    assert texts(model) == ["Match result", "Everton"]
    assert model.bookmakers == ("Unibet",)
    model.show_group(ALL)
    assert len(model.bookmakers) == 4


def test_a_game_opened_before_its_prices_are_known_fills_in(quoted: Any) -> None:
    game = quoted
    game.board.unwatch(game.id)
    model = MatrixModel(game.board, game.id, game.clock)
    assert model.rowCount() == 0
    game.load()
    model.flush()
    assert texts(model)[0] == "Match result"
    assert model.bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_columns_are_ordered_once_the_whole_picture_is_read(quoted: Any) -> None:
    quoted.board = Board(quoted.clock)
    quoted.board.want_rows(True)
    model = MatrixModel(quoted.board, quoted.id, quoted.clock)
    for bookmaker in ("Unibet", "Betsson"):
        quoted.tell(bookmaker, "total", "Over 2.5", 1.9)
        model.flush()
    assert model.bookmakers == ("Unibet", "Betsson")
    quoted.load()
    model.flush()
    assert model.bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_headers_carry_name_and_age(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 7_000
    header = model.header(column_of(model, "Bovada"))
    assert (header.title, header.note) == ("Bovada", "7 s")
    quoted.tell("Bovada", "total", "Over 2.5", 1.91)
    assert model.header(column_of(model, "Bovada")).note == "0 s"
    assert model.header(REFERENCE).title == "Pinnacle"
    assert model.header(FAIR).note == "margin prop."


def test_the_tooltip_has_both_clocks(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 41 * 60_000
    quoted.load()
    quoted.clock.now += 12_000
    model.flush()
    tip = model.tip(row_of(model, "Draw"), column_of(model, "Bovada"))
    assert "seen 12 s ago, unchanged for 41 min" in tip
    assert tip.startswith("Bovada: 3.30 for Draw")


def test_every_cell_has_text_and_tooltip_that_can_be_asked_for(model: MatrixModel) -> None:
    for row in range(model.rowCount()):
        for column in range(model.columnCount()):
            assert isinstance(model.cell(row, column).text, str)
            assert isinstance(model.tip(row, column), str)


def test_a_cell_knows_its_price_and_link(model: MatrixModel) -> None:
    price = model.price(row_of(model, "Draw"), column_of(model, "Bovada"))
    assert price is not None
    assert price.url == "https://bovada.example/Draw"
    assert model.price(0, column_of(model, "Bovada")) is None
    assert model.price(1, SELECTION) is None
