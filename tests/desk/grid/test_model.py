"""The grid's model: rows of what the board holds, compared, sorted, grouped, let go."""

import gc
import math

import pytest
from PySide6.QtCore import QPersistentModelIndex

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import SnapshotProgress
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import SelectionEntry, Shape
from oddsdesk.desk.grid.filter import GridFilter, words_of
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.ui.formatting import BookmakerNames, local_time
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import odds_row
from tests.kit.documented import DOCS
from tests.kit.grid import BOOKMAKER, ODDS, PRICES, SELECTION, SELECTIONS, shown, sorted_by, take_in
from tests.kit.quoted_game import REFERENCE


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


def test_the_reference_names_the_columns_that_are_hidden_at_first():
    *titles, last = [f"**{each.title}**" for each in COLUMNS if not each.is_usual]
    page = " ".join((DOCS / "reference.md").read_text(encoding="utf-8").split())
    assert f"hidden at first: {', '.join(titles)} and {last}." in page


def test_each_column_says_its_own_of_a_price(model):
    """A new column is entered here: what it says of a price is part of this."""
    model.show(GridFilter(words=words_of("over matchbook")))
    told = {column.key: model.cell(0, place).text for place, column in enumerate(COLUMNS)}
    assert told.pop("kick_off"), "by the clock of this machine"
    assert told == {
        "selection": "Over 2.5",
        "game": "Everton v Liverpool",
        "competition": "EPL",
        "sport": "Football",
        "is_live": "no",
        "market_type": "Total",
        "period": "Full Time",
        "bookmaker": "Matchbook",
        "odds": "2.00",
        "ev_pct": "0.0 %",
        "cautions": "",
        "fair_odds": "2.000",
        "derived": "",
        "band_pct": "",
        "liquidity": "12k",
        "value_from": "2.041",
        "suspicious_above": "2.107",
        "reference_odds": "1.94",
        "best_odds": "2.00",
        "best_of_all_odds": "2.00",
        "doubted_odds": "",
        "median_odds": "1.92",
        "worst_odds": "1.91",
        "bookmakers": "3",
        "spread_pp": "2.4 pp",
        "lay_odds": "",
        "lay_spread_pct": "",
        "over_median_pct": "+4.2 %",
        "best_hold_pct": "0.5 %",
        "hold_pct": "0.5 %",
        "reference_hold_pct": "3.0 %",
        "scraped_at": "0 s",
        "changed_at": "0 s",
        "url": "open",
    }


def test_a_board_that_begins_anew_leaves_no_row_of_before(model, quoted, qtbot):
    """Prices of now stood there for a second, struck through, below the moment looked back at."""
    assert model.rowCount()
    quoted.board.forget_service()
    assert (model.rowCount(), model.kept_count, model.total, model.misplaced) == (0, 0, 0, 0)
    quoted.load()
    take_in(model, qtbot)
    model.arrange()
    assert model.kept_count == PRICES


def test_a_selections_row_shows_the_best_price_and_who_has_it(model):
    model.show_as(Shape.SELECTIONS, grouped=False)
    assert model.rowCount() == SELECTIONS
    sorted_by(model, "odds", descending=True)
    assert shown(model, SELECTION, BOOKMAKER, ODDS)[:2] == [
        ("Everton", "Unibet", "3.48"),
        ("Draw", "Matchbook", "3.40"),
    ]


def test_a_selection_nobody_offers_a_best_price_of_is_about_the_references(model, quoted, qtbot):
    model.show_as(Shape.SELECTIONS, grouped=False)
    quoted.board.set_bookmakers(("Nobody",))
    take_in(model, qtbot)
    keys = [model.key_at(row) for row in range(model.rowCount())]
    assert keys
    assert {key.bookmaker for key in keys} == {"Pinnacle"}


def test_best_is_named_as_that_of_the_users_bookmakers_and_that_of_all(model, quoted, qtbot):
    model.show_as(Shape.SELECTIONS, grouped=False)
    of_all, doubted = BY_KEY["best_of_all_odds"], BY_KEY["doubted_odds"]
    assert [model.header(ODDS).title, model.is_hidden(of_all)] == ["Best", True]
    quoted.tell("Betsson", "total", "Over 2.5", 3.0)
    with qtbot.waitSignal(model.columns_changed):
        quoted.board.set_bookmakers(("Bovada",))
    take_in(model, qtbot)
    assert [model.header(ODDS).title, model.is_hidden(of_all)] == ["Best of mine", False]
    told = {name: rest for name, *rest in shown(model, SELECTION, ODDS, of_all, doubted)}
    assert told["Over 2.5"] == ["1.91", "2.00", "? 3.00"]
    assert told["Draw"] == ["3.30", "3.40", ""]


def test_chosen_bookmakers_are_those_compared(model):
    model.show_as(Shape.SELECTIONS, grouped=False)
    model.show(GridFilter(bookmakers=frozenset({"Bovada", "Betsson"})))
    sorted_by(model, "odds", descending=False)
    assert shown(model, SELECTION, BOOKMAKER, ODDS)[:2] == [
        ("Under 2.5", "Bovada", "1.91"),
        ("Over 2.5", "Betsson", "1.92"),
    ]
    assert "Unibet" not in shown(model, BOOKMAKER)


def test_every_figure_is_that_of_a_grid_read_afresh(model, quoted, qtbot):
    heard = (
        ("Bovada", "moneyline", "Everton", 9.0),
        ("Pinnacle", "moneyline", "Draw", 3.2),
        ("Unibet", "moneyline", "Everton", 3.0),
        ("Betsson", "total", "Over 2.5", 2.4),
        ("Stake", "total", "Over 2.5", 1.5),
    )
    for bookmaker, market, selection, odds in heard:
        quoted.clock.now += 1_000
        quoted.tell(bookmaker, market, selection, odds)
        take_in(model, qtbot)
    assert figures_in(model) == figures_afresh(quoted, qtbot)


def test_every_ev_follows_at_once_what_a_bookmaker_keeps(model, quoted, qtbot):
    before = figures_in(model)
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.02)]))
    take_in(model, qtbot)
    assert before != figures_in(model) == figures_afresh(quoted, qtbot)


def test_what_best_prices_hold_is_painted_beside_each_selection_of_the_line(model, quoted, qtbot):
    best_hold = BY_KEY["best_hold_pct"]
    model.columns |= {best_hold}
    model.show(GridFilter(words=words_of("over matchbook")))
    model.flush_touched()
    before, painted = model.cell(0, best_hold).text, spans_painted(model)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "total", "Under 2.5", 2.0)
    take_in(model, qtbot)
    model.flush_touched()
    assert painted == [(0, best_hold, 0, best_hold)]
    assert model.cell(0, best_hold).text != before


def test_cells_that_look_as_before_are_not_painted_again_and_all_others_are(model, quoted, qtbot):
    model.show(GridFilter(words=words_of("over")))
    model.flush_touched()
    before, painted = every_cell(model), spans_painted(model)
    quoted.clock.now += 500
    quoted.tell("Bovada", "total", "Over 2.5", 2.5)
    take_in(model, qtbot)
    model.flush_touched()
    now = every_cell(model)
    assert {(span.top, span.left) for span in painted} == {
        place for place in now if now[place] != before[place]
    }
    assert 0 < len(painted) < len(now) / 2
    model.refresh_all()
    assert every_cell(model) == now


def test_what_lines_hold_is_read_anew_once_it_was_read_at_all(model, quoted, qtbot):
    def holds(*, afresh):
        quoted.clock.now += 1_000
        read = GridModel(quoted.board, quoted.clock) if afresh else model
        quoted.board.keep_all_rows(True)
        take_in(read, qtbot)
        sorted_by(read, "best_hold_pct", descending=True)
        found = shown(read, SELECTION, BY_KEY["best_hold_pct"])
        if afresh:
            read.stop_listening()
        return sorted(found), [hold for _, hold in found]

    for odds in (2.3, 2.2, 2.4):
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "total", "Over 2.5", odds)
        take_in(model, qtbot)
        sorted_by(model, "ev_pct", descending=True)
        assert holds(afresh=False) == holds(afresh=True)


def test_ages_are_made_anew_as_time_passes_and_where_it_is_set_back(model, quoted):
    seen, began = BY_KEY["scraped_at"], quoted.clock.now
    texts = []
    for passed_ms in (0, 30_000, 31_000, 0):
        quoted.clock.now = began + passed_ms
        texts.append(model.cell(0, seen).text)
    assert len(set(texts)) == 3
    assert texts[0] == texts[-1]


def spans_painted(model):
    """A list of what is painted from now on, at whichever flush."""
    painted = []
    model.dataChanged.connect(lambda *_: painted.extend(model.dirty_spans))
    return painted


def every_cell(model):
    places = [(row, column) for row in range(model.rowCount()) for column in range(len(COLUMNS))]
    return {place: model.cell(*place)._replace(repaint_at_ms=0) for place in places}


def figures_in(model):
    return list(map(figures_of, model.book.selections()))


def figures_afresh(quoted, qtbot):
    """The figures of a grid that takes everything in again."""
    afresh = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    take_in(afresh, qtbot)
    figures = figures_in(afresh)
    afresh.stop_listening()
    return figures


def figures_of(selection):
    """What a selection and each of its prices is shown with."""
    rows = sorted(selection.prices.values(), key=lambda entry: entry.bookmaker)
    return selection.figures, [
        (row.bookmaker, row.ev, row.rank, row.cautions, row.is_value, row.over_median)
        for row in rows
    ]


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
        if model.cell(row, SELECTION).is_struck and model.cell(row, SELECTION).ink is TextRole.GHOST
    ]
    assert sorted(struck) == [("Everton", "Bovada"), ("Everton", "Pinnacle")]
    assert model.total == PRICES, "what is shown is among what there is"
    model.arrange()
    assert (model.rowCount(), model.total) == (PRICES - 2, PRICES - 2)


def test_games_stand_above_their_rows_and_fold(model):
    model.show_as(Shape.PRICES, grouped=True)
    assert model.is_section(0)
    assert model.cell(0, SELECTION).text == "Everton v Liverpool"
    assert model.cell(0, BY_KEY["market_type"]).text == f"{PRICES} rows"
    assert model.is_hidden(BY_KEY["game"])
    model.set_folded(0, True)
    assert (model.rowCount(), model.kept_count, model.misplaced) == (1, PRICES, 0)
    model.arrange()
    assert model.rowCount() == 1
    assert len(model.entries()) == PRICES
    model.set_folded(0, False)
    assert model.rowCount() == PRICES + 1


def test_what_the_board_forgot_is_not_shown_again(model, quoted, qtbot):
    quoted.board.keep_all_rows(False)
    assert model.total == PRICES
    quoted.board.keep_all_rows(True)
    take_in(model, qtbot)
    model.arrange()
    assert model.total == 0


def test_what_went_while_the_grid_was_out_of_sight_is_not_shown_again(model, quoted, qtbot):
    """Passes went on meanwhile, and what stayed here stood first, by the fair odds of later."""
    quoted.board.want_values(True)
    quoted.board.keep_all_rows(False)
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, (), quoted.clock.now))
    quoted.quote("moneyline", {"Everton": {REFERENCE: 1.5, "Matchbook": 1.5}})
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    quoted.board.keep_all_rows(True)
    take_in(model, qtbot)
    model.arrange()
    assert ("Everton", "Bovada") not in shown(model, SELECTION, BOOKMAKER)
    assert model.total == PRICES - 1


def test_a_selection_whose_prices_go_as_another_comes_is_there_once(model, quoted, qtbot):
    """The window may have stood still: what went and what came is taken together then."""
    quoted.quote("moneyline", {"Everton": {}}, period=1)
    quoted.clock.now += 1_000
    quoted.load()
    take_in(model, qtbot)
    quoted.clock.now += 61_000
    quoted.board.sweep()
    quoted.tell("Betsson", "moneyline", "Everton", 3.5, period=1)
    take_in(model, qtbot)
    model.arrange()
    assert shown(model, SELECTION, BOOKMAKER).count(("Everton", "Betsson")) == 1
    assert {entry.selection for entry in model.entries()} == set(model.book.selections())


def lines_alive():
    gc.collect()
    return sum(type(held) is SelectionEntry for held in gc.get_objects())


@pytest.mark.parametrize("end", ["removed", "closed"])
def test_no_ring_through_a_price_stays_for_good(model, quoted, qtbot, end):
    """The collector passes prices by: it would not find one."""
    before = lines_alive()
    if end == "removed":
        quoted.board.forget_service()
        take_in(model, qtbot)
        model.arrange()
    else:
        model.stop_listening()
    assert lines_alive() == before - SELECTIONS


def test_what_is_in_sight_is_taken_first(model, quoted, qtbot, monkeypatch):
    taken = []
    take = model.book.take_prices
    noting = lambda marks: (taken.append(marks), take(marks))[1]  # noqa: E731
    monkeypatch.setattr(model.book, "take_prices", noting)
    for shape in (Shape.PRICES, Shape.SELECTIONS):
        model.show_as(shape, grouped=False)
        model.rows_in_view = lambda: range(4, 6)
        selections = {model.entry(row).selection.key for row in (4, 5)}
        taken.clear()
        quoted.board.keep_all_rows(True)
        take_in(model, qtbot)
        assert sum(len(names) for marks in taken for names in marks.values()) == PRICES
        assert set(taken[0]) == selections
        assert len(taken) > 1


def test_of_all_games_those_in_sight_are_taken_first(model, quoted, qtbot, monkeypatch):
    others = [odds_row("Bovada", {"Draw": 3.1}, match_name=f"{number} - B") for number in range(3)]
    exhaust(quoted.board.merge_rows(others))
    take_in(model, qtbot)
    sorted_by(model, "game", descending=True)
    taken = []
    take = model.book.take_prices
    noting = lambda marks: (taken.append(marks), take(marks))[1]  # noqa: E731
    monkeypatch.setattr(model.book, "take_prices", noting)
    last = model.rowCount() - 1
    in_sight = model.entry(last).selection.key.game_id
    assert in_sight != quoted.board.held_games()[0]
    model.rows_in_view = lambda: range(last, last + 1)
    quoted.board.keep_all_rows(True)
    take_in(model, qtbot)
    assert {game for game, *_ in taken[0]} == {in_sight}
    keys = [(of, name) for marks in taken for of, names in marks.items() for name in names]
    assert len(keys) == len(set(keys)) == PRICES + 3


def test_what_is_out_of_sight_waits_to_be_taken_with_others(model, quoted, qtbot):
    sorted_by(model, "odds", descending=True)
    model.rows_in_view = lambda: range(1)
    model._due_at = math.inf  # as long as the last ones took, ten times
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "total", "Under 2.5", 1.7)
    quoted.tell("Unibet", "moneyline", "Everton", 3.49, period=1)
    qtbot.waitUntil(lambda: model.cell(0, ODDS).text == "3.49")
    assert model.is_behind
    assert "1.70" not in shown(model, ODDS)
    model._due_at = 0.0
    take_in(model, qtbot)
    model.flush_touched()
    assert "1.70" in shown(model, ODDS)


def test_who_sorts_has_what_waits_out_of_sight_taken_next(model, quoted, qtbot):
    model.rows_in_view = lambda: range(0)
    model._due_at = math.inf
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "total", "Under 2.5", 1.7)
    assert model.is_behind
    sorted_by(model, "odds", descending=True)
    take_in(model, qtbot)
    assert "1.70" in shown(model, ODDS)


def test_what_comes_between_a_taking_and_its_painting_is_not_forgotten(model, quoted, qtbot):
    for odds in (1.7, 1.8):
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "total", "Under 2.5", odds)
        assert model._flush_timer.isActive()
        if odds == 1.7:
            model._take_some()
    take_in(model, qtbot)
    assert "1.80" in shown(model, ODDS)


def test_counts_are_told_once_a_second_but_of_the_first_rows(model, quoted, qtbot):
    with qtbot.waitSignal(model.counts_changed):
        quoted.tell("Bovada", "total", "Under 2.5", 1.7)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "total", "Under 2.5", 1.8)
    take_in(model, qtbot)
    assert 500 < model._count_timer.interval() <= 1_000
    model._count_timer.stop()
    model._is_filling = True
    model._count_soon()
    assert model._count_timer.interval() == 250


def test_it_fills_until_what_the_board_had_is_taken(quoted, qtbot, monkeypatch):
    monkeypatch.setattr("oddsdesk.desk.grid.model._STEP", 1)
    monkeypatch.setattr("oddsdesk.desk.grid.model.SLICE_S", 0)
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    made._take_some()
    assert made.total > 0
    assert made.is_filling
    take_in(made, qtbot)
    assert not made.is_filling
    quoted.tell("Bovada", "total", "Under 2.5", 1.7)
    quoted.tell("Bovada", "total", "Over 2.5", 2.1)
    qtbot.waitUntil(lambda: bool(made._due) or not made.is_behind)
    assert not made.is_filling
    made.stop_listening()


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
    seen = f"{local_time(quoted.clock.now):%H:%M:%S}"
    quoted.clock.now += 12_000
    assert model.tip(0, ODDS).splitlines()[1:3] == [
        "2.00 at Matchbook",
        f"Seen at {seen}, no move seen since {seen}",
    ]


def test_bookmakers_have_their_short_names_and_are_exported_by_whole_ones(quoted, qtbot):
    names = BookmakerNames(Profiles([Profile(name="Matchbook", group="M", short="MB")]))
    made = GridModel(quoted.board, quoted.clock, names)
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: made.total == PRICES)
    made.arrange()
    written = {
        made.entry(row).bookmaker: made.cell(row, BOOKMAKER).text for row in range(made.rowCount())
    }
    assert (written["Matchbook"], written["Bovada"]) == ("MB", "Bovada")
    entry = next(entry for entry in made.entries() if entry.bookmaker == "Matchbook")
    assert COLUMNS[BOOKMAKER].export_value(entry) == "Matchbook"
    made.stop_listening()


@pytest.fixture
def commas() -> None:
    choose_numbers(Style(COMMA))


def test_lines_are_found_by_a_mark_that_was_chosen_later(model):
    choose_numbers(Style(COMMA))
    model.show(GridFilter(words=words_of("2,5 matchbook")))
    assert set(shown(model, BY_KEY["selection"])) == {"Over 2,5", "Under 2,5"}


def test_selections_are_found_as_shown_and_in_english(commas, model):
    for words in ("over 2,5 matchbook", "over 2.5 matchbook"):
        model.show(GridFilter(words=words_of(words)))
        assert shown(model, BY_KEY["selection"]) == ["Over 2,5"]
    column, entry = COLUMNS[BY_KEY["selection"]], model.entry(0)
    assert (column.value(entry), column.sort_key(descending=True)(entry)) == (
        "Over 2.5",
        "over 2,5",
    )
