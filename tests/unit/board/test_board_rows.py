"""The board while the grid's rows are wanted: read by key, withdrawn, let go."""

from itertools import islice

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import CellKey, Price, RowKey
from oddsdesk.board.model.notices import MatrixLoaded, RowsChanged, RowsWanted
from oddsdesk.client.rows import Coverage, RowSlice
from tests.kit.board import GAME, MONEYLINE, NOW, REFERENCE, Desk, lines, matrix, message, odds_row


def test_a_moved_reference_moves_fair_prices_and_a_row_of_each_selection_is_told(
    desk: Desk,
) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_matrix(matrix()))
    fair = [line.fair for line in lines(desk.board)]
    desk.heard()
    desk.board.apply_all([message("Draw", 3.8, bookmaker=REFERENCE)])
    assert all(line.fair != before for line, before in zip(lines(desk.board), fair, strict=True))
    rows = [notice for notice in desk.heard() if isinstance(notice, RowsChanged)]
    assert len(rows) == 1
    assert {key.selection for key in rows[0].changed} == {"Arsenal", "Draw", "Chelsea"}
    assert len(rows[0].changed) == 3


def held_price(desk: Desk, key: RowKey) -> Price:
    price = desk.board.price(key.game_id, CellKey(*key[1:]))
    assert price is not None
    return price


def test_rows_of_the_grid_are_read_by_key(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    key = RowKey(GAME, "moneyline", 0, "Draw", "Unibet")
    assert set(desk.board.row_keys()) >= {key, key._replace(bookmaker=REFERENCE)}
    held, reference = held_price(desk, key), held_price(desk, key._replace(bookmaker=REFERENCE))
    assert (held.odds, reference.odds) == (3.7, 3.6)
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    fair = section.selection_row("Draw").fair
    assert fair == pytest.approx(3 * 3.6 / (3 - 3.6 * (1 / 2 + 1 / 3.6 + 1 / 4 - 1)))


def test_who_wants_rows_looks_at_what_is_held_game_by_game(desk: Desk) -> None:
    """A notice of a hundred thousand prices would hold the window up."""
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix()))
    desk.heard()
    desk.board.keep_all_rows(True)
    assert desk.heard() == [RowsWanted()]
    assert desk.board.held_games() == [GAME]
    keys = list(desk.board.row_keys_of(GAME))
    assert keys == list(desk.board.row_keys())
    assert desk.board.count_of([GAME, "another"]) == len(keys) == 9
    assert list(desk.board.row_keys_of("another")) == []
    row = desk.board.row(*keys[0][:4])
    assert row is not None
    assert row.prices.get(keys[0].bookmaker) is held_price(desk, keys[0])


def test_a_selection_that_a_row_no_longer_names_is_withdrawn_and_others_stay(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    desk.now += 10
    exhaust(desk.board.merge_rows([odds_row("Betfair", {"Arsenal": 2.06, "Chelsea": 4.1})]))
    offered = {key[3:] for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert ("Draw", "Betfair") not in offered
    assert len(offered) == 8


def test_a_line_of_the_reference_goes_while_its_others_are_scraped_again(desk: Desk) -> None:
    lines_of = {"Over 2.5": 1.9, "Under 2.5": 2.0, "Over 3.5": 2.8, "Under 3.5": 1.45}
    desk.board.keep_all_rows(True)
    first = odds_row(REFERENCE, lines_of, market_type="total")
    exhaust(desk.board.merge_rows([first]))
    desk.now += 60_000
    of_one_line = {name: odds for name, odds in lines_of.items() if name.endswith("2.5")}
    later = odds_row(REFERENCE, of_one_line, at=desk.now, market_type="total")
    exhaust(desk.board.merge_rows([later]))
    offered = {key.selection for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert offered == {"Over 2.5", "Under 2.5"}


def test_a_game_that_ended_is_let_go_while_its_prices_turn_stale(desk: Desk) -> None:
    """Both may come with the same second; the sweep died of it."""
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    desk.now += 60_000
    desk.board.end_game(GAME)
    desk.now += 600_000
    desk.board.sweep()
    assert list(desk.board.row_keys()) == []


@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("way", ["rows", "picture", "another picture"])
def test_what_was_taken_in_is_told_where_the_rest_is_not(desk: Desk, way: str, steps: int) -> None:
    """As a reading ends where it is not wanted any more, or the connection is another."""
    board = desk.board
    board.keep_all_rows(True)
    rows = [odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]
    exhaust(board.merge_rows(rows[:2]))
    told = set(board.row_keys())
    desk.heard()
    desk.now += 10
    ways = {
        "rows": lambda: board.merge_rows([*rows[2:], odds_row(REFERENCE, {"Arsenal": 2.0})]),
        "picture": lambda: board.merge_matrix(matrix({"Unibet": MONEYLINE["Unibet"]})),
        "another picture": lambda: board.replace_matrix(matrix({"Unibet": MONEYLINE["Unibet"]})),
    }
    exhaust(islice(ways[way](), steps))
    for heard in desk.heard():
        if isinstance(heard, RowsChanged):
            told = (told | set(heard.changed)) - set(heard.removed)
    assert told == set(board.row_keys())
    assert all(board.price(key.game_id, CellKey(*key[1:])) for key in told)


def test_a_whole_pass_withdraws_what_it_did_not_show(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    since = desk.now = NOW + 60_000
    exhaust(desk.board.merge_rows([odds_row(REFERENCE, dict(MONEYLINE[REFERENCE]))]))
    exhaust(desk.board.withdrawing_unheard(since))
    left = {key.bookmaker for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert left == {REFERENCE}


@pytest.mark.parametrize(
    ("whole", "gone"),
    [
        ([RowSlice()], {REFERENCE, "Betfair", "Unibet"}),
        ([RowSlice(competition="EPL", bookmaker="Betfair")], {"Betfair"}),
        ([RowSlice(bookmaker=REFERENCE), RowSlice(bookmaker="Unibet")], {REFERENCE, "Unibet"}),
        ([RowSlice(sport="Football", market_type="moneyline")], {REFERENCE, "Betfair", "Unibet"}),
        ([RowSlice(competition="EPL", game=GAME)], {REFERENCE, "Betfair", "Unibet"}),
        ([RowSlice(competition="EPL", game="another")], {REFERENCE, "Betfair", "Unibet"}),
        ([RowSlice(competition="LIGA"), RowSlice(market_type="total")], set()),
        ([RowSlice(is_live=False)], set()),
        ([RowSlice(is_live=False), RowSlice(is_live=True)], {REFERENCE, "Betfair", "Unibet"}),
        ([], set()),
    ],
    ids=lambda each: str(each if isinstance(each, list) else sorted(map(str, each))),
)
def test_a_pass_withdraws_what_its_whole_slices_lack_and_no_more(
    desk: Desk, whole: list[RowSlice], gone: set[str]
) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    since = desk.now = NOW + 60_000
    unread = [] if RowSlice() in whole else [RowSlice(competition="NBA")]
    exhaust(desk.board.withdrawing_unheard(since, Coverage(whole, unread, {"EPL": "Football"})))
    left = {key.bookmaker for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert left == {REFERENCE, "Betfair", "Unibet"} - gone


def test_a_game_that_could_not_be_read_keeps_its_prices(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()]))
    unread = RowSlice(competition="EPL", game=GAME)
    coverage = Coverage([RowSlice(competition="EPL", game="another")], [unread])
    exhaust(desk.board.withdrawing_unheard(NOW + 60_000, coverage))
    assert all(held_price(desk, key).is_offered for key in desk.board.row_keys())


def test_a_reference_whose_name_comes_late_leaves_its_column(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    rows = [odds_row(name, dict(odds), liquidity=None) for name, odds in MONEYLINE.items()]
    exhaust(desk.board.merge_rows(rows))
    held = desk.board.matrix(GAME)
    assert held is not None
    assert REFERENCE in held.bookmakers
    desk.heard()
    desk.board.apply_all([message("Draw", 3.6, bookmaker=REFERENCE)])
    assert held.bookmakers == ("Betfair", "Unibet")
    assert [line.reference.odds for line in lines(desk.board)] == [2.0, 3.6, 4.0]
    assert MatrixLoaded(GAME) in desk.heard()


def test_prices_of_games_that_are_not_looked_at_are_let_go_with_the_grid(desk: Desk) -> None:
    desk.board.subscribe_game(GAME)
    desk.board.keep_all_rows(True)
    exhaust(
        desk.board.merge_rows(
            [odds_row("Betfair", {"A": 2.0}), odds_row("Betfair", {"B": 2.0}, match_name="C - D")]
        )
    )
    assert len(list(desk.board.row_keys())) == 2
    desk.board.keep_all_rows(False)
    assert [key.game_id for key in desk.board.row_keys()] == [GAME]
    desk.board.unsubscribe_game(GAME)
    assert list(desk.board.row_keys()) == []
