"""Whatever comes while the grid is shown or not: shown, it holds exactly what the board holds."""

from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.basis import CONSENSUS, SERVICES_OWN
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.model.notices import SnapshotProgress
from oddsdesk.desk.grid.entries import PriceEntry
from oddsdesk.desk.grid.model import GridModel
from tests.kit.board import GAME, NAME, REFERENCE, Desk, matrix, message, odds_row
from tests.kit.grid import take_in

OTHER = "Everton - Liverpool"
BOOKMAKERS = (REFERENCE, "Betfair", "Unibet")
Step = Callable[[Desk], None]

selections = st.sampled_from(["Arsenal", "Draw", "Chelsea"])
names = st.sampled_from([NAME, OTHER])
prices = st.sampled_from([1.5, 1.9, 2.05, 3.4, 4.2])
quotes = st.dictionaries(selections, prices, min_size=1)


@st.composite
def heard(draw: st.DrawFn) -> Step:
    selection, odds, name = draw(selections), draw(prices), draw(names)
    bookmaker = draw(st.sampled_from(BOOKMAKERS))

    def step(desk: Desk) -> None:
        told = message(selection, odds, at=desk.now, match_name=name, bookmaker=bookmaker)
        desk.board.apply_all([told])

    return step


@st.composite
def passed_over(draw: st.DrawFn) -> Step:
    """A pass over all rows, whole or ended on its way."""
    said = draw(st.dictionaries(st.tuples(names, st.sampled_from(BOOKMAKERS)), quotes))
    steps = draw(st.none() | st.integers(0, 8))

    def going(desk: Desk) -> Iterator[None]:
        since, board = desk.now, desk.board
        rows = [
            odds_row(bookmaker, odds, at=desk.now, match_name=name)
            for (name, bookmaker), odds in said.items()
        ]
        yield from board.merge_rows(rows, since)
        yield from board.withdrawing_unheard(since)
        board.set_snapshot_progress(SnapshotProgress(1, 1, len(rows), (), desk.now))

    return lambda desk: exhaust(islice(going(desk), steps))


@st.composite
def pictured(draw: st.DrawFn) -> Step:
    """A picture of a game, merged or put in the place of all that is held, whole or in part."""
    odds = draw(st.dictionaries(st.sampled_from(BOOKMAKERS), quotes, min_size=1))
    steps, replaces = draw(st.none() | st.integers(1, 3)), draw(st.booleans())

    def step(desk: Desk) -> None:
        seen = matrix(odds, at=desk.now)
        taken = desk.board.replace_matrix(seen) if replaces else desk.board.merge_matrix(seen)
        exhaust(islice(taken, steps))

    return step


def passing(seconds: int) -> Step:
    def step(desk: Desk) -> None:
        desk.now += seconds * 1_000
        desk.board.sweep()

    return step


class Judging:
    """Judges all prices on another basis later, as the desk does."""

    def __init__(self) -> None:
        self._steps: Iterator[None] = iter(())

    def begin(self, steps: Iterator[None]) -> None:
        self._steps = steps

    def go_on(self) -> None:
        exhaust(self._steps)


def wanting(rows: bool) -> Step:
    return lambda desk: desk.board.keep_all_rows(rows)


def judging_by(reference: str) -> Step:
    return lambda desk: desk.board.choose_reference(reference)


calls: list[Step] = [
    lambda desk: desk.board.want_values(True),
    lambda desk: desk.board.want_values(False),
    lambda desk: desk.board.subscribe_game(GAME),
    lambda desk: desk.board.unsubscribe_game(GAME),
    lambda desk: desk.board.end_game(GAME),
    lambda desk: desk.board.forget_game(GAME),
    lambda desk: desk.board.forget_service(),
]
steps = st.one_of(
    heard(),
    heard(),
    passed_over(),
    passed_over(),
    pictured(),
    st.sampled_from([1, 20, 61, 700]).map(passing),
    st.booleans().map(wanting),
    st.sampled_from(calls),
    st.sampled_from([SERVICES_OWN, "Betfair", CONSENSUS]).map(judging_by),
)


def held_by_board(desk: Desk) -> dict[RowKey, tuple[float, bool]]:
    found = {key: desk.board.price(key.game_id, CellKey(*key[1:])) for key in desk.board.row_keys()}
    return {key: (price.odds, price.is_offered) for key, price in found.items() if price}


def held_by_grid(model: GridModel) -> dict[RowKey, tuple[float, bool]]:
    return {
        RowKey(*selection.key, name): (entry.price.odds, entry.price.is_offered)
        for selection in model.book.selections()
        for name, entry in selection.prices.items()
    }


def worth_of(model: GridModel) -> dict[RowKey, tuple[object, ...]]:
    return {
        RowKey(*selection.key, name): (entry.ev, entry.rank, entry.verdict)
        for selection in model.book.selections()
        for name, entry in selection.prices.items()
    }


@pytest.mark.parametrize("end", ["forgotten", "cleared", "replaced"])
def test_what_goes_while_it_is_judged_by_another_reference_goes_from_the_grid(
    end: str, qtbot: QtBot
) -> None:
    judging = Judging()
    desk = Desk(judging.begin)
    model = GridModel(desk.board, lambda: desk.now)
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_matrix(matrix()))
    take_in(model, qtbot)
    desk.board.choose_reference("Betfair")
    match end:
        case "forgotten":
            desk.board.forget_game(GAME)
        case "cleared":
            desk.board.forget_service()
        case _:
            exhaust(desk.board.replace_matrix(matrix()))
    judging.go_on()
    take_in(model, qtbot)
    assert held_by_grid(model) == held_by_board(desk)
    model.stop_listening()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(st.tuples(steps, st.booleans()), max_size=20))
def test_a_grid_that_is_shown_holds_what_the_board_holds(
    history: list[tuple[Step, bool]], qtbot: QtBot
) -> None:
    judging = Judging()
    desk = Desk(judging.begin)
    desk.board.want_values(True)
    model = GridModel(desk.board, lambda: desk.now)
    desk.board.keep_all_rows(True)
    for step, is_taken in [*history, (wanting(True), True)]:
        desk.now += 1
        step(desk)
        if is_taken:
            judging.go_on()
            take_in(model, qtbot)
            assert not desk.board.rows_wanted or held_by_grid(model) == held_by_board(desk)
    model.arrange()
    shown = [entry for entry in model.entries() if isinstance(entry, PriceEntry)]
    keys = [RowKey(*entry.selection.key, entry.bookmaker) for entry in shown]
    assert sorted(map(str, keys)) == sorted(map(str, desk.board.row_keys()))
    assert all(entry.is_doubtful for entry in shown if not entry.price.is_offered), "else it ranks"
    afresh = GridModel(desk.board, lambda: desk.now)
    desk.board.keep_all_rows(True)
    take_in(afresh, qtbot)
    assert worth_of(model) == worth_of(afresh)
    for each in (model, afresh):
        each.stop_listening()
