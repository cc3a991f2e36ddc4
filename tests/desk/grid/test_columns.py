"""What the grid keeps is what it would make: a change is told wherever it shows."""

from math import isnan
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from PySide6.QtCore import QCoreApplication

from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.ui.table.cells import Cell
from tests.kit.quoted_game import REFERENCE, QuotedGame

PRICES = [
    ("moneyline", "Everton"),
    ("moneyline", "Draw"),
    ("moneyline", "Liverpool"),
    ("total", "Over 2.5"),
    ("total", "Under 2.5"),
]
BOOKMAKERS = (REFERENCE, "Betfair", "Unibet", "Matchbook")
ODDS = (1.8, 1.95, 2.0, 2.05, 3.2, 3.4, 9.0)

step = some.one_of(
    some.tuples(
        some.sampled_from(BOOKMAKERS),
        some.sampled_from(PRICES),
        some.sampled_from(ODDS),
        some.booleans(),
    ),
    some.tuples(some.just("withdraw"), some.sampled_from(PRICES), some.sampled_from(BOOKMAKERS)),
    some.tuples(some.just("wait"), some.sampled_from((1_000, 60_000, 200_000))),
)


def offered() -> tuple[QuotedGame, GridModel]:
    game = QuotedGame()
    for market, selection in PRICES:
        odds = 3.3 if market == "moneyline" else 2.0
        game.quote(market, {selection: dict.fromkeys(BOOKMAKERS, odds)})
    game.board.keep_all_rows(True)
    model = GridModel(game.board, game.clock)
    game.board.keep_all_rows(True)
    game.load()
    take_in(model)
    model.arrange()
    return game, model


def take_in(model: GridModel) -> None:
    while model.is_behind:
        QCoreApplication.processEvents()


def looks(model: GridModel) -> list[list[Cell]]:
    """Every cell, without when it will age."""
    return [
        [model.cell(row, column)._replace(repaint_at_ms=0) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def take(game: QuotedGame, step: tuple[Any, ...]) -> None:
    match step:
        case ("wait", ms):
            game.clock.now += ms
        case ("withdraw", (market, selection), bookmaker):
            game._markets[market, 0][selection].pop(bookmaker, None)
            game.load()
        case (bookmaker, (market, selection), odds, is_live):
            game.tell(bookmaker, market, selection, odds, is_live=is_live)


@pytest.mark.parametrize("shape", Shape)
@given(steps=some.lists(step, min_size=1, max_size=8), is_painted=some.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_cells_are_as_if_they_were_all_made_anew(
    qapp: Any, shape: Shape, steps: list[tuple[Any, ...]], is_painted: bool
) -> None:
    game, model = offered()
    model.show_as(shape, grouped=False)
    for each in steps:
        looks(model)
        game.clock.now += 1_000
        take(game, each)
        take_in(model)
        if is_painted:
            model.flush_touched()
        kept = looks(model)
        model.refresh_all()
        assert kept == looks(model)
    model.stop_listening()


@given(steps=some.lists(step, min_size=1, max_size=8))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_prices_are_sorted_by_their_ranks(qapp: Any, steps: list[tuple[Any, ...]]) -> None:
    game, model = offered()
    for each in steps:
        game.clock.now += 1_000
        take(game, each)
        take_in(model)
        ranks = model.book.price_rows.judged.ranks
        for selection in model.book.selections():
            for price in selection.prices.values():
                rank = ranks[price.number]
                assert price.rank == (None if isnan(rank) else rank)
    model.stop_listening()
