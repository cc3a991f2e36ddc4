"""Each panel's table goes to a file with the game's id, as CSV, Excel or JSON."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.history.price_history import History, Origin, Point
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.desk.export.files import ExportColumn, Table, table_of
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.history.panel import table_of_history
from oddsdesk.desk.matrix.panel import table_of_matrix
from oddsdesk.desk.opportunities.model import OpportunitiesModel
from oddsdesk.desk.opportunities.rows import leg_rows
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.desk.settings.saved_state import Preferences
from tests.kit.quoted_game import NOW_MS, REFERENCE

TABLE = Table((ExportColumn("game_id", "Game id"),), [("a",), ("b",)])


def dicts(table: Table) -> list[dict[str, Any]]:
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def test_the_ending_says_how_a_table_is_written(
    owner: QWidget, qtbot: QtBot, tmp_path: Path
) -> None:
    saver = TableSaver(owner, lambda: "bets", lambda: TABLE)
    for name in ("bets.csv", "bets.json", "bets.XLSX"):
        with qtbot.waitSignal(saver.said) as said:
            saver.write_table(tmp_path / name)
        assert said.args == [f"2 rows written to {name}."]
    rows = list(csv.reader((tmp_path / "bets.csv").read_text("utf-8-sig").splitlines()))
    assert rows == [["game_id"], ["a"], ["b"]]
    assert json.loads((tmp_path / "bets.json").read_text()) == [{"game_id": "a"}, {"game_id": "b"}]
    assert (tmp_path / "bets.XLSX").read_bytes().startswith(b"PK")
    for wrong, why in (("bets.doc", "unknown format"), ("nowhere/bets.csv", "cannot be written")):
        with qtbot.waitSignal(saver.said) as said:
            saver.write_table(tmp_path / wrong)
        assert why in said.args[0]
    saver.abort_saving()


def test_a_game_goes_out_with_a_column_a_bookmaker(quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    found = dicts(table_of_matrix(matrix, ["Matchbook"], quoted.board.basis))
    draw = next(row for row in found if row["selection"] == "Draw")
    assert draw["game_id"] == quoted.id
    assert (
        draw["Matchbook"]
        == quoted.board.section(quoted.id, "moneyline", 0, "Draw")
        .selection_row("Draw")
        .prices["Matchbook"]
        .odds
    )
    assert draw["reference_odds"] is not None
    assert draw["kick_off"].endswith("Z")
    assert table_of_matrix(None, [], quoted.board.basis).rows == []


def test_moves_go_out_by_time_with_the_reference_by_name(quoted: Any) -> None:
    key = RowKey(quoted.id, "moneyline", 0, "Draw", REFERENCE)
    paths = {
        REFERENCE: [Point(NOW_MS, 3.2)],
        "Matchbook": [Point(NOW_MS - 5, 3.3), Point(NOW_MS, None)],
    }
    game = quoted.board.games.get(quoted.id)
    found = dicts(table_of_history(key, game, History(Origin.LOG, paths)))
    assert [(row["bookmaker"], row["odds"]) for row in found] == [
        ("Matchbook", 3.3),
        ("Matchbook", None),
        (REFERENCE, 3.2),
    ]
    assert {row["game_id"] for row in found} == {quoted.id}
    assert table_of_history(None, None, None).rows == []


def test_legs_of_opportunities_go_out_with_their_stakes(
    quoted: Any, preferences: Preferences
) -> None:
    quoted.board.set_connection(Connection(link=Link.LIVE))
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    finder = Opportunities(quoted.board, quoted.clock, lambda: split_of(preferences.get_setting))
    for _ in finder.looking():
        pass
    model = OpportunitiesModel(quoted.clock, quoted.board)
    profile_of, step = (
        quoted.board.basis.profiles.profile_of,
        split_of(preferences.get_setting).step,
    )
    found = finder.entries.values()
    rows = leg_rows(found, profile_of, REFERENCE, is_lost=False, placed={}, step=step)
    model.show_rows(rows, may_move=True)
    first, second, *_ = dicts(table_of(model))
    assert (first["kind"], first["leg"], second["leg"]) == ("arbitrage", 1, 2)
    assert (first["bookmaker"], first["odds"], first["game_id"]) == ("Betsson", 2.1, quoted.id)
    finder.stop_listening()
