"""Every panel and the command say the same of each of the real prices (D45)."""

import contextlib
import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from pytestqt.qtbot import QtBot

import oddsdesk.cli.bets as command
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Matrix, RowKey
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.cli.bet_sources import moment_of_database
from oddsdesk.cli.import_ import import_
from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.navigator.model import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole
from oddsdesk.desk.value_bets.lists import StakeSettings, ValueLists
from tests.kit.grid import marks_of


class RealBoard(NamedTuple):
    board: Board
    now_ms: int
    database: Path

    def clock(self) -> int:
        return self.now_ms


@pytest.fixture
def real(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RealBoard:
    """The 36,509 prices, with the clock at the newest, judged on a board."""
    files = [str(file) for file in sorted((shared_data / "the-odds-api").glob("*.json.gz"))]
    database = tmp_path / "odds.db"
    result = CliRunner().invoke(import_, ["the-odds-api", *files, "--database", str(database)])
    assert result.exit_code == 0, result.output
    with contextlib.closing(sqlite3.connect(database)) as connection:
        (now_ms,) = connection.execute("SELECT max(scraped_at) FROM quote").fetchone()
    monkeypatch.setattr(command, "system_clock", lambda: now_ms)
    board = command.board_of(moment_of_database(database, now_ms), now_ms)
    games = {key.game_id for key in board.row_keys()}
    board.load_games(_listed(matrix) for game in games if (matrix := board.matrix(game)))
    board.sweep()
    return RealBoard(board, now_ms, database)


def _listed(matrix: Matrix) -> Game:
    return Game(
        matrix.game_id,
        matrix.match_name,
        matrix.competition,
        matrix.sport,
        None if matrix.kick_off is None else format_ms(matrix.kick_off),
        matrix.is_live,
        1,
        None,
    )


@pytest.mark.slow
def test_no_price_is_judged_unlike_by_any_panel_or_the_command(
    real: RealBoard,
    theme: Theme,
    layout: Layout,
    tmp_path: Path,
    qtbot: QtBot,
    pytestconfig: pytest.Config,
) -> None:
    board = real.board
    prices = [key for key in board.row_keys() if key.bookmaker is not None]
    assert len([*board.row_keys()]) == 36_509
    truth = {key for key in prices if board.is_value_bet(key)}

    # All explanations take half a minute: with --every-season.
    others = [key for key in prices if key not in truth]
    explained = [*truth, *others[:: 1 if pytestconfig.getoption("every_season") else 10]]
    assert {key for key in explained if _is_value_explained(real, key)} == truth
    assert _marked_in_matrices(real) == truth
    assert _marked_in_grid(real, qtbot) == truth
    assert _navigated(real, theme, layout, qtbot) == Counter(
        game for game, *_ in {board.value_bets[key].outcome for key in truth}
    )
    records = Records(tmp_path / "ledger.db")
    with qtbot.waitSignal(records.bets_changed):
        pass
    lists = ValueLists(board, records, StakeSettings(Preferences(layout)), real.clock)
    with qtbot.waitSignal(lists.bets.order_changed):
        lists.show_bets(may_move=True)
    assert _listed_on_desk(lists) == _listed_by_command(real, "--all")
    assert len(truth) == 39
    lists.stop_listing()
    records.close_records()


def _is_value_explained(real: RealBoard, key: RowKey) -> bool:
    said = explain(real.board, key, real.now_ms)
    return said is not None and said.assessment.is_value


def _marked_in_matrices(real: RealBoard) -> set[RowKey]:
    marked = set()
    for game in real.board.games:
        model = MatrixModel(real.board, game, real.clock)
        model.fold_all(folded=False)
        for row in range(model.rowCount()):
            for column in range(model.columnCount()):
                key = model.price_key(row, column)
                if key is not None and model.cell(row, column).ground is SurfaceRole.VALUE:
                    marked.add(key)
        model.stop_listening()
    return marked


def _marked_in_grid(real: RealBoard, qtbot: QtBot) -> set[RowKey]:
    model = GridModel(real.board, real.clock)
    real.board.keep_all_rows(True)
    model.book.take_prices(marks_of(real.board.row_keys()))
    marked = {
        RowKey(*entry.key, name)
        for entry in model.book.selections()
        for name, price in entry.prices.items()
        if price.is_value
    }
    model.stop_listening()
    return marked


def _navigated(real: RealBoard, theme: Theme, layout: Layout, qtbot: QtBot) -> Counter[str]:
    navigator = Navigator(real.board, theme, real.clock, Favourites(layout, real.clock), layout)
    qtbot.addWidget(navigator)
    navigator._show_values()
    counts = Counter(navigator._games._values)
    navigator.close_panel()
    return counts


def _listed_on_desk(lists: ValueLists) -> dict[RowKey, float]:
    listed = {}
    for row in lists.bets.shown_rows():
        listed[row.bet_price.key] = row.bet.stake
        listed |= {other.key: 0.0 for other in row.others}
    return listed


def _listed_by_command(real: RealBoard, *options: str) -> dict[RowKey, float]:
    arguments = ["--database", str(real.database), "--preset", "All value bets", "--json", *options]
    result = CliRunner().invoke(command.bets, arguments)
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    names = ("game_id", "market_type", "period", "selection", "bookmaker")
    return {RowKey(*(row[name] for name in names)): row["stake"] for row in rows}
