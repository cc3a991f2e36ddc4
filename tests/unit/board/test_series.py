"""Games of the same teams on consecutive days, under one id: never mixed (D31, D51)."""

import logging
from itertools import permutations

import msgspec
import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Game, OddsRow
from oddsdesk.contract.times import format_ms
from tests.kit.board import NOW, REFERENCE, Desk, matrix, message, odds_row, value_bet

TEAMS = "Guardians vs Orioles"
SERIES = game_id("MLB", TEAMS)
HOUR = 3_600_000
FIRST, SECOND = NOW + 5 * HOUR, NOW + 29 * HOUR
ODDS = {FIRST: (1.9, 2.0), SECOND: (2.4, 1.62)}


def row_of(bookmaker: str, kick_off: int, factor: float = 1.0, at: int = NOW) -> OddsRow:
    home, away = (round(each * factor, 2) for each in ODDS[kick_off])
    return odds_row(
        bookmaker,
        {"Guardians": home, "Orioles": away},
        at,
        match_name=TEAMS,
        competition="MLB",
        sport="Baseball",
        match_date=format_ms(kick_off),
    )


ROWS = [
    row_of(REFERENCE, FIRST),
    row_of(REFERENCE, SECOND),
    row_of("FanDuel", FIRST, 1.01),
    row_of("FanDuel", SECOND, 0.99),
    row_of("BetMGM", SECOND, 0.98),
]


def listed(kick_off: int | None) -> Game:
    date = None if kick_off is None else format_ms(kick_off)
    return Game(SERIES, TEAMS, "MLB", "Baseball", date, False, 3, None)


def offered(board: Board) -> dict[tuple[str, str], float]:
    found = board.matrix(SERIES)
    if found is None:
        return {}
    return {
        (key.bookmaker, key.selection): price.odds
        for key in board.row_keys_of(SERIES)
        if (price := board.price(SERIES, CellKey(*key[1:]))) is not None and price.is_offered
    }


def said_of(kick_off: int) -> dict[tuple[str, str], float]:
    return {
        (row.bookmaker, name): odds
        for row in ROWS
        if row.match_date == format_ms(kick_off)
        for name, odds in row.odds.items()
    }


@pytest.mark.parametrize("kick_off", [FIRST, SECOND])
def test_prices_of_the_listed_game_alone_are_held_in_any_order(kick_off: int) -> None:
    for order in permutations(ROWS):
        desk = Desk()
        desk.board.keep_all_rows(True)
        desk.board.load_games([listed(kick_off)])
        exhaust(desk.board.merge_rows(order))
        assert offered(desk.board) == said_of(kick_off)


def test_prices_that_come_one_by_one_are_never_of_two_games() -> None:
    """All legs of an arbitrage, and the reference, have one kick-off."""
    for order in permutations(ROWS):
        desk = Desk()
        desk.board.keep_all_rows(True)
        for row in order:
            exhaust(desk.board.merge_rows([row]))
            held = set(offered(desk.board).items())
            assert held <= set(said_of(FIRST).items()) or held <= set(said_of(SECOND).items())


def test_without_a_list_it_is_the_earliest_that_is_not_over() -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows(ROWS))
    assert offered(desk.board) == said_of(FIRST)
    desk.now = FIRST + 7 * HOUR
    exhaust(desk.board.merge_rows([row_of("FanDuel", SECOND, 0.99, desk.now)]))
    assert ("FanDuel", "Orioles") in offered(desk.board)
    assert set(offered(desk.board).items()) <= set(said_of(SECOND).items())


def test_what_is_left_out_is_counted_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    desk.board.load_games([listed(FIRST)])
    with caplog.at_level(logging.WARNING):
        exhaust(desk.board.merge_rows(ROWS))
        exhaust(desk.board.merge_rows(ROWS))
    day = format_ms(SECOND)[8:10].lstrip("0")
    (line,) = [each for each in caplog.messages if "skipped" in each]
    assert line.startswith(f"{TEAMS}: skipped 6 prices of another game of these teams on {day} ")


def test_a_picture_that_mixes_the_games_is_dropped_and_not_taken_again() -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    mixed = matrix(
        {
            REFERENCE: {"Guardians": 2.4, "Orioles": 1.62},
            "FanDuel": {"Guardians": 1.92, "Orioles": 2.02},
        },
        name=TEAMS,
        competition="MLB",
        sport="Baseball",
        kick_off=FIRST,
    )
    exhaust(desk.board.merge_matrix(mixed))
    exhaust(desk.board.merge_rows(ROWS))
    assert offered(desk.board) == said_of(FIRST)
    exhaust(desk.board.merge_matrix(mixed))
    assert offered(desk.board) == said_of(FIRST)
    assert desk.board.is_series(SERIES)


def test_a_message_is_applied_where_only_one_game_can_be_meant() -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    only = row_of("Unibet", FIRST)
    exhaust(desk.board.merge_rows([*ROWS, only]))

    def say(bookmaker: str, odds: float) -> None:
        names = {"match_name": TEAMS, "competition": "MLB", "sport": "Baseball"}
        desk.board.apply_all([message("Orioles", odds, bookmaker=bookmaker, **names)])

    before = offered(desk.board)
    say("Unibet", 2.05)
    assert offered(desk.board) == before | {("Unibet", "Orioles"): 2.05}
    say("BetMGM", 1.7)  # prices the other game only
    assert ("BetMGM", "Orioles") not in offered(desk.board)
    say("FanDuel", before["FanDuel", "Orioles"])
    assert ("FanDuel", "Orioles") in offered(desk.board)
    say("FanDuel", 1.7)  # of either game: the price is hidden until the next reading
    assert ("FanDuel", "Orioles") not in offered(desk.board)
    desk.now += 60_000
    exhaust(desk.board.merge_rows([row_of("FanDuel", FIRST, 1.01, desk.now)]))
    assert offered(desk.board)["FanDuel", "Orioles"] == before["FanDuel", "Orioles"]


def test_a_value_bet_of_the_other_game_is_not_taken() -> None:
    desk = Desk()
    desk.board.load_games([listed(FIRST)])
    bet = value_bet(match_name=TEAMS, competition="MLB", sport="Baseball")
    bets = [
        msgspec.structs.replace(bet, match_date=format_ms(at), bookmaker=name)
        for at, name in ((FIRST, "One"), (SECOND, "Two"))
    ]
    exhaust(desk.board.merge_value_bets(bets))
    assert [key.bookmaker for key in desk.board.value_bets] == ["One"]


def test_a_game_that_was_put_off_is_one_game_again_once_the_list_says_so() -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    desk.board.load_games([listed(FIRST)])
    exhaust(desk.board.merge_rows([row_of("FanDuel", FIRST)]))
    desk.now += 60_000
    moved = [row_of("FanDuel", SECOND, at=desk.now)]
    desk.board.load_games([listed(SECOND)])
    exhaust(desk.board.merge_rows(moved))
    exhaust(desk.board.withdrawing_unheard(desk.now))
    exhaust(desk.board.merge_rows(moved))
    assert not desk.board.is_series(SERIES)
    assert offered(desk.board)["FanDuel", "Guardians"] == 2.4
