"""Cells that a matrix keeps are those it would make: a change is taken in wherever it shows."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from oddsdesk.board.model.matrix import CellKey
from oddsdesk.desk.matrix.layout import BEST, DOUBTED, PAST
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.ui.table.cells import Cell
from tests.kit.quoted_game import REFERENCE, QuotedGame

PRICES = [
    (market, selection, period)
    for market, selection, period in (
        ("moneyline", "Everton", 0),
        ("moneyline", "Draw", 0),
        ("moneyline", "Liverpool", 0),
        ("total", "Over 2.5", 0),
        ("total", "Under 2.5", 0),
    )
]
BOOKMAKERS = (REFERENCE, "Betfair", "Unibet", "Matchbook")

heard = some.tuples(
    some.sampled_from(BOOKMAKERS),
    some.sampled_from(PRICES),
    some.sampled_from((1.8, 1.95, 2.0, 2.05, 3.2, 3.4, 9.0)),
    some.booleans(),
)
step = some.one_of(
    heard,
    some.tuples(some.just("withdraw"), some.sampled_from(PRICES), some.sampled_from(BOOKMAKERS)),
    some.tuples(some.just("fold"), some.integers(0, 1)),
)


def offered() -> QuotedGame:
    game = QuotedGame()
    for market, selection, period in PRICES:
        odds = 3.3 if market == "moneyline" else 2.0
        game.quote(market, {selection: dict.fromkeys(BOOKMAKERS, odds)}, period)
    game.load()
    return game


def looks(model: MatrixModel) -> list[list[Cell]]:
    """Every cell but the sparklines, which are read elsewhere, without when it will age."""
    return [
        [
            model.cell(row, column)._replace(repaint_at_ms=0)
            for column in range(model.columnCount())
            if column != PAST
        ]
        for row in range(model.rowCount())
    ]


def take(game: QuotedGame, model: MatrixModel, step: tuple[Any, ...]) -> None:
    match step:
        case ("withdraw", (market, selection, period), bookmaker):
            game._markets[market, period][selection].pop(bookmaker, None)
            game.load()
        case ("fold", place):
            titles = [row for row in range(model.rowCount()) if model.is_section(row)]
            model.set_folded(titles[place], not model.is_folded(titles[place]))
        case (bookmaker, (market, selection, period), odds, is_live):
            game.tell(bookmaker, market, selection, odds, period, is_live=is_live)


@given(some.lists(step, min_size=1, max_size=12))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_cells_are_as_if_they_were_all_made_anew(qapp: Any, steps: list[tuple[Any, ...]]) -> None:
    game = offered()
    model = MatrixModel(game.board, game.id, game.clock)
    looks(model)
    for step in steps:
        game.clock.now += 1_000
        take(game, model, step)
        model.flush_touched()
        kept = looks(model)
        for row in model._layout.rows:
            row.drop_cells(model.columnCount())
        assert kept == looks(model)


def test_a_price_that_is_best_too_has_no_others_of_its_row_made_anew(qapp: Any) -> None:
    game = offered()
    model = MatrixModel(game.board, game.id, game.clock)
    game.tell("Unibet", "total", "Over 2.5", 1.8)
    looks(model)
    model.flush_touched()
    row, column = model._layout.place_of(CellKey("total", 0, "Over 2.5", "Unibet")) or (0, 0)
    before = model.best_columns(row)
    assert column not in before
    game.tell("Unibet", "total", "Over 2.5", 2.0)
    model.flush_touched()
    assert model.best_columns(row) == sorted((column, *before))
    made = {span.left for span in model.dirty_spans if span.top == row}
    assert {BEST, column} <= made <= {BEST, DOUBTED, column}
