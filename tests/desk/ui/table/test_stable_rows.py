"""Rows that stay where they are until they are asked to move."""

from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.ui.table.cells import Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel

COLUMNS: tuple[ColumnSpec[float, int], ...] = (
    ColumnSpec("name", "Name", Column("x"), lambda row, _now: Cell(f"n{row}"), lambda row: -row),
    ColumnSpec(
        "worth",
        "Worth",
        Column("x"),
        lambda row, _now: Cell(f"{row}"),
        lambda row: row,
        descending_first=True,
    ),
)


def key(name: str) -> RowKey:
    return RowKey(name, "total", 0, "Over 2.5", "Unibet")


def model(**rows: float) -> StableRowsModel[RowKey, float]:
    made: StableRowsModel[RowKey, float] = StableRowsModel(COLUMNS, 1, lambda: 0)
    made.checker = QAbstractItemModelTester(made)  # type: ignore[attr-defined]
    show(made, **rows)
    return made


def show(made: StableRowsModel[RowKey, float], *, may_move: bool = True, **rows: float) -> None:
    made.show_rows({key(name): worth for name, worth in rows.items()}, may_move=may_move)


def names(made: StableRowsModel[RowKey, float]) -> str:
    return "".join(made.key(row).game_id for row in range(made.rowCount()))


def test_the_highest_is_on_top_at_first(qtbot: QtBot) -> None:
    assert names(model(a=1, b=3, c=2)) == "bca"


def test_rows_that_may_not_move_stay_new_ones_come_last_and_gone_ones_are_struck(
    qtbot: QtBot,
) -> None:
    made = model(a=1, b=3, c=2)
    show(made, may_move=False, a=5, c=2, d=9)
    assert names(made) == "bcad"
    assert made.cell(0, 1).is_struck
    assert not made.cell(1, 1).is_struck
    assert (made.count, made.is_gone(0)) == (3, True)
    assert made.rows_that_would_move == 3
    made.sort_now()
    assert names(made) == "dac"
    assert made.rows_that_would_move == 0


def test_only_rows_that_are_others_than_before_are_painted_again(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2, d=0)
    made.flush()
    show(made, may_move=False, a=1, b=4, c=2, e=7)
    made.flush()
    assert names(made) == "bcade"
    assert {span.top for span in made.dirty_spans} == {0, 3, 4}
    show(made, may_move=False, a=1, b=4, c=2, e=7)
    made.flush()
    assert not made.dirty_spans


def test_how_many_would_move_is_of_the_rows_and_the_order_as_they_are_now(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    assert made.rows_that_would_move == 0
    show(made, may_move=False, a=9, b=3, c=2)
    assert made.rows_that_would_move == 3
    show(made, may_move=False, a=1, b=3, c=2)
    assert made.rows_that_would_move == 0
    show(made, may_move=False, a=1, c=2)
    assert made.rows_that_would_move == 1
    made.sort_by(0)
    assert (names(made), made.rows_that_would_move) == ("ca", 0)


def test_a_header_sorts_and_a_second_time_turns_the_order_round(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    made.sort_by(1)
    assert names(made) == "acb"
    assert made.header(1).title == "Worth ▴"
    made.sort_by(0)
    assert names(made) == "bca"
    assert (made.header(0).title, made.header(1).title) == ("Name ▴", "Worth")
    assert made.header(0).is_marked


def test_the_selection_stays_with_its_price(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    held = QPersistentModelIndex(made.index(2, 0))
    show(made, a=9, b=3, d=4)
    assert names(made) == "adb"
    assert held.row() == 0
    assert made.row_of(key("a")) == 0
    assert made.row_of(key("c")) is None


def test_equal_rows_keep_one_order(qtbot: QtBot) -> None:
    assert names(model(c=1, a=1, b=1)) == names(model(b=1, c=1, a=1))


def test_it_says_when_rows_move_by_themselves(qtbot: QtBot) -> None:
    made = model(a=1, b=3)
    seen: list[bool] = []
    made.rowsRemoved.connect(lambda *_: seen.append(made.is_arranging))
    show(made, b=3)
    assert seen == [True]
    assert not made.is_arranging
