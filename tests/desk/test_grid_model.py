"""The grid's model: rows of the board that stay where they are until asked to move."""

import gc

import pytest
from PySide6.QtCore import QPersistentModelIndex

from oddsdesk.board.connection import Gathering
from oddsdesk.board.steps import returned
from oddsdesk.desk.models.grid import GridModel
from oddsdesk.desk.models.grid_columns import BY_KEY
from oddsdesk.desk.models.grid_entries import Line, Shape
from oddsdesk.desk.models.grid_filter import GridFilter, Range, words_of
from oddsdesk.desk.theme.tokens import Ink

PRICES, SELECTIONS = 18, 6
SELECTION, BOOKMAKER, ODDS = BY_KEY["selection"], BY_KEY["bookmaker"], BY_KEY["odds"]


@pytest.fixture
def model(quoted, qtbot):
    quoted.board.want_rows(True)
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: made.total == PRICES)
    made.arrange()
    yield made
    made.close()


def shown(model, *columns):
    """The texts of some columns, row by row; of one column without tuples."""
    rows = [
        tuple(model.cell(row, column).text for column in columns) for row in range(model.rowCount())
    ]
    return [row[0] for row in rows] if len(columns) == 1 else rows


def take_in(model, qtbot):
    """Let the model take what the board told it of."""
    qtbot.waitUntil(lambda: not model._waiting)


def words(text):
    return GridFilter(words=words_of(text))


def sorted_by(model, key, *, descending):
    model.sort_as(BY_KEY[key], descending)


def test_it_passes_qts_own_model_test_through_a_life(model, quoted, qtmodeltester, qtbot):
    qtmodeltester.check(model)
    model.show_as(Shape.SELECTIONS, grouped=True)
    model.set_folded(0, True)
    model.show(GridFilter(words=("ever",)))
    quoted.tell("Bovada", "moneyline", "Everton", 3.5)
    quoted.tell("Stake", "btts", "Yes", 1.9)
    take_in(model, qtbot)
    model.set_folded(0, False)
    model.show_as(Shape.PRICES, grouped=False)
    model.show(GridFilter())
    sorted_by(model, "game", descending=False)
    assert model.rowCount() == PRICES + 1


def test_a_row_is_a_price_with_what_it_is_compared_with(model):
    model.show(GridFilter(words=words_of("over matchbook")))
    keys = ("odds", "reference_odds", "best_odds", "median_odds", "bookmakers", "spread_pp")
    assert shown(model, *map(BY_KEY.get, keys)) == [("2.00", "1.94", "2.00", "1.92", "3", "2.4 pp")]


def test_a_selections_row_shows_the_best_price_and_who_has_it(model):
    model.show_as(Shape.SELECTIONS, grouped=False)
    assert model.rowCount() == SELECTIONS
    sorted_by(model, "odds", descending=True)
    assert shown(model, SELECTION, BOOKMAKER, ODDS)[:2] == [
        ("Everton", "Unibet", "3.48"),
        ("Draw", "Matchbook", "3.40"),
    ]


def test_chosen_bookmakers_are_those_compared(model):
    model.show_as(Shape.SELECTIONS, grouped=False)
    model.show(GridFilter(bookmakers=frozenset({"Bovada", "Betsson"})))
    sorted_by(model, "odds", descending=False)
    assert shown(model, SELECTION, BOOKMAKER, ODDS)[:2] == [
        ("Under 2.5", "Bovada", "1.91"),
        ("Over 2.5", "Betsson", "1.92"),
    ]
    assert "Unibet" not in shown(model, BOOKMAKER)


def test_rows_keep_their_place_until_arranged(model, quoted, qtbot):
    sorted_by(model, "odds", descending=True)
    before = shown(model, SELECTION, BOOKMAKER)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Liverpool", 9.0)
    take_in(model, qtbot)
    assert shown(model, SELECTION, BOOKMAKER) == before
    assert "9.00" in shown(model, ODDS)
    assert model.misplaced == 1
    model.arrange()
    assert shown(model, SELECTION, BOOKMAKER)[0] == ("Liverpool", "Bovada")
    assert model.misplaced == 0


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("chosen", [GridFilter(), GridFilter(odds=Range(2.0)), words("eve")])
def test_misplaced_rows_are_put_where_arranging_would(model, quoted, qtbot, shape, grouped, chosen):
    model.show_as(shape, grouped=grouped)
    model.show(chosen)
    sorted_by(model, "odds", descending=True)
    quoted.clock.now += 1_000
    moved = (("Bovada", 9.0), ("Unibet", 1.5), ("Betsson", 3.1), ("Stake", 2.9))
    for bookmaker, odds in moved:
        quoted.tell(bookmaker, "moneyline", "Everton", odds)
    take_in(model, qtbot)
    held = QPersistentModelIndex(model.index(model.rowCount() - 1, ODDS))
    name = model.cell(held.row(), SELECTION).text
    model.place_misplaced()
    qtbot.waitUntil(lambda: model.misplaced == 0)
    placed = shown(model, SELECTION, BOOKMAKER, ODDS)
    assert model.cell(held.row(), SELECTION).text == name
    model.arrange()
    assert shown(model, SELECTION, BOOKMAKER, ODDS) == placed


def test_what_is_told_while_rows_are_put_in_place_waits_for_the_next_time(model, quoted, qtbot):
    def tell(bookmaker, selection, odds):
        quoted.clock.now += 1_000
        quoted.tell(bookmaker, "moneyline", selection, odds)
        take_in(model, qtbot)

    sorted_by(model, "odds", descending=True)
    arrangement, sieve = model._arrangement, model._sieve()
    tell("Bovada", "Liverpool", 9.0)
    order = returned(arrangement.placing(sieve))
    tell("Unibet", "Draw", 12.0)
    tell("Bovada", "Everton", 1.2)
    arrangement.place(order, sieve)
    assert shown(model, SELECTION, BOOKMAKER)[0] == ("Liverpool", "Bovada")
    assert model.misplaced == 2
    assert [row.place for row in arrangement.rows] == list(range(PRICES))


def test_every_figure_is_that_of_a_grid_read_afresh(model, quoted, qtbot):
    told = (
        ("Bovada", "moneyline", "Everton", 9.0),
        ("Pinnacle", "moneyline", "Draw", 3.2),
        ("Unibet", "moneyline", "Everton", 3.0),
        ("Betsson", "total", "Over 2.5", 2.4),
        ("Stake", "total", "Over 2.5", 1.5),
    )
    for bookmaker, market, selection, odds in told:
        quoted.clock.now += 1_000
        quoted.tell(bookmaker, market, selection, odds)
        take_in(model, qtbot)
    figures = list(map(figures_of, model.book.lines()))
    afresh = GridModel(quoted.board, quoted.clock)
    quoted.board.want_rows(True)
    take_in(afresh, qtbot)
    assert figures == list(map(figures_of, afresh.book.lines()))
    afresh.close()


def figures_of(line):
    """What a line and each of its prices is shown with."""
    rows = sorted(line.prices.values(), key=lambda entry: entry.name)
    return line.figures, [(row.name, row.ev, row.rank, row.doubt, row.over_median) for row in rows]


def test_a_row_that_comes_back_into_order_is_not_counted(model, quoted, qtbot):
    sorted_by(model, "odds", descending=True)
    for odds in (9.0, 2.27):
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "moneyline", "Liverpool", odds)
        take_in(model, qtbot)
    assert model.misplaced == 0


def test_a_new_price_waits_and_counts_unless_the_filter_leaves_it_out(model, quoted, qtbot):
    model.show(GridFilter(words=("bovada",)))
    rows = model.rowCount()
    quoted.tell("Bovada", "btts", "Yes", 1.9)
    quoted.tell("Stake", "btts", "Yes", 1.9)
    take_in(model, qtbot)
    assert (model.rowCount(), model.misplaced) == (rows, 1)
    model.arrange()
    assert model.rowCount() == rows + 1


def test_a_price_that_leaves_the_filters_range_waits_to_go(model, quoted, qtbot):
    model.show(GridFilter(odds=Range(3.0)))
    rows = model.rowCount()
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 2.5)
    take_in(model, qtbot)
    assert (model.rowCount(), model.misplaced) == (rows, 1)
    model.arrange()
    assert model.rowCount() == rows - 1


def test_the_selection_stays_with_its_price(model):
    sorted_by(model, "odds", descending=True)
    held = QPersistentModelIndex(model.index(3, ODDS))
    price = model.entry(3)
    sorted_by(model, "odds", descending=False)
    assert model.entry(held.row()) is price
    model.show(GridFilter(words=("nothing like it",)))
    assert not held.isValid()


def test_equal_rows_stay_as_the_sorting_before_had_them(model):
    sorted_by(model, "bookmaker", descending=True)
    sorted_by(model, "selection", descending=False)
    of_draw = [name for text, name in shown(model, SELECTION, BOOKMAKER) if text == "Draw"]
    assert of_draw == ["Pinnacle", "Matchbook", "Bovada"]


def test_a_gone_price_is_struck_and_leaves_when_arranged(model, quoted, qtbot):
    quoted.quote("moneyline", {"Everton": {"Matchbook": 3.35}})
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    take_in(model, qtbot)
    struck = [
        (model.cell(row, SELECTION).text, model.cell(row, BOOKMAKER).text)
        for row in range(model.rowCount())
        if model.cell(row, SELECTION).is_struck and model.cell(row, SELECTION).ink is Ink.GHOST
    ]
    assert sorted(struck) == [("Everton", "Bovada"), ("Everton", "Pinnacle")]
    assert model.total == PRICES - 2
    model.arrange()
    assert model.rowCount() == PRICES - 2


def test_games_stand_above_their_rows_and_fold(model):
    model.show_as(Shape.PRICES, grouped=True)
    assert model.is_section(0)
    assert model.cell(0, SELECTION).text == "Everton v Liverpool"
    assert model.cell(0, BY_KEY["market_type"]).text == f"{PRICES} rows"
    assert model.is_hidden(BY_KEY["game"])
    model.set_folded(0, True)
    assert (model.rowCount(), model.count, model.misplaced) == (1, PRICES, 0)
    model.arrange()
    assert model.rowCount() == 1
    assert len(model.entries()) == PRICES
    model.set_folded(0, False)
    assert model.rowCount() == PRICES + 1


def test_what_the_board_forgot_goes_after_a_whole_pass(model, quoted, qtbot):
    quoted.board.want_rows(False)
    assert model.total == PRICES
    quoted.board.want_rows(True)
    quoted.board.set_gathering(Gathering(1, 1, 0, (), quoted.clock.now))
    take_in(model, qtbot)
    assert model.total == 0


def lines_alive():
    gc.collect()
    return sum(type(held) is Line for held in gc.get_objects())


@pytest.mark.parametrize("end", ["removed", "closed"])
def test_no_ring_through_a_price_stays_for_good(model, quoted, qtbot, end):
    """The collector passes prices by: it would not find one."""
    before = lines_alive()
    if end == "removed":
        quoted.board.clear()
        take_in(model, qtbot)
        model.arrange()
    else:
        model.close()
        model._arrangement.rows = model._arrangement.entries = []
    assert lines_alive() == before - SELECTIONS


def test_what_is_in_sight_is_taken_first(model, quoted, qtbot, monkeypatch):
    taken = []
    take = model.book.take
    monkeypatch.setattr(model.book, "take", lambda keys: (taken.append(list(keys)), take(keys))[1])
    for shape in (Shape.PRICES, Shape.SELECTIONS):
        model.show_as(shape, grouped=False)
        model.rows_in_view = lambda: range(4, 6)
        lines = {model.entry(row).line.key for row in (4, 5)}
        taken.clear()
        quoted.board.want_rows(True)
        take_in(model, qtbot)
        assert sum(map(len, taken)) == PRICES
        assert {key[:4] for key in taken[0]} == lines
        assert len(taken) > 1


def test_a_second_click_turns_the_order_round(model):
    model.sort_by(ODDS)
    assert model.sorted_by == (ODDS, True)
    model.sort_by(ODDS)
    assert model.sorted_by == (ODDS, False)
    assert model.header(ODDS).title == "Odds ▴"
    assert model.header(ODDS).is_marked


def test_prices_that_cannot_be_valued_have_no_edge(model):
    model.show(GridFilter(words=("unibet",)))
    assert shown(model, BY_KEY["ev_pct"]) == [""]


def test_the_tooltip_has_both_clocks(model, quoted):
    model.show(GridFilter(words=words_of("over matchbook")))
    quoted.clock.now += 12_000
    assert model.tip(0, ODDS).splitlines()[1:3] == [
        "2.00 at Matchbook",
        "Seen 12 s ago, unchanged for 12 s",
    ]


def test_one_that_left_while_another_came_is_no_longer_among_the_rows(model, quoted, qtbot):
    model.show(GridFilter(odds=Range(3.45)))
    left = model.entry(0)
    quoted.clock.now += 1_000
    quoted.tell("Unibet", "moneyline", "Everton", 2.0, period=1)
    quoted.tell("Bovada", "moneyline", "Everton", 3.5)
    take_in(model, qtbot)
    model.arrange()
    assert model.rowCount() == 1
    assert model.entry(0) is not left
    assert left.place < 0


def test_a_folded_row_that_the_filter_drops_is_not_waited_for(model, quoted, qtbot):
    model.show_as(Shape.PRICES, grouped=True)
    model.set_folded(0, True)
    model.show(GridFilter(words=("unibet",)))
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.5)
    take_in(model, qtbot)
    assert model.misplaced == 0
