"""What a service makes up has its bounds on the board, and right prices come through (D85)."""

import pytest
from msgspec.structs import replace

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import REFERENCE_STAYS_MS
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.valuation import game_book
from oddsdesk.board.valuation.game_book import MOST_UNLISTED
from tests.kit.board import GAME, NOW, REFERENCE, Desk, game, matrix, message, odds_row

HOUR_MS = 3_600_000
YEAR_9999 = 253_402_300_799_000
CELL = CellKey("moneyline", 0, "Arsenal", "Betfair")


@pytest.mark.parametrize("at", [NOW + 4 * 60_000, NOW + 7 * HOUR_MS, YEAR_9999])
def test_a_price_scraped_far_ahead_is_one_of_now_and_gives_way_to_the_next(
    desk: Desk, at: int
) -> None:
    board = desk.board
    board.keep_all_rows(True)
    board.apply_all([message("Arsenal", 9.0, at)])
    held = board.price(GAME, CELL)
    assert held is not None
    assert held.scraped_at == desk.now
    desk.now += 1_000
    board.apply_all([message("Arsenal", 2.2, desk.now)])
    held = board.price(GAME, CELL)
    assert held is not None
    assert held.odds == 2.2


def test_games_that_no_list_has_find_room_up_to_a_bound_and_listed_ones_always(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    board = desk.board
    board.keep_all_rows(True)
    board.load_games([game()])
    made_up = [message("A", 2.0, match_name=f"A{n} - B") for n in range(MOST_UNLISTED + 50)]
    board.apply_all(made_up)
    board.apply_all(made_up[-1:])
    exhaust(board.merge_rows([odds_row("B", {"A": 2.0}, match_name="C - D")]))
    assert len({key.game_id for key in board.row_keys()}) == MOST_UNLISTED + 1
    assert caplog.text.count("1 games are listed, but prices come for far more") == 2
    board.apply_all([message("Arsenal", 2.2)])
    assert board.price(GAME, CELL) is not None


def test_games_without_prices_that_no_list_has_are_let_go(desk: Desk) -> None:
    board = desk.board
    board.keep_all_rows(True)
    board.load_games([game()])
    board.apply_all([message("A", 2.0, match_name="A - B"), message("Arsenal", 2.2)])
    (made_up,) = {key.game_id for key in board.row_keys()} - {GAME}
    for _ in range(2):
        desk.now += HOUR_MS
        exhaust(board.withdrawing_unheard(desk.now))
        board.sweep()
    assert board.matrix(made_up) is None
    assert board.matrix(GAME) is not None


@pytest.mark.parametrize(
    ("bound", "fields"),
    [
        ("MOST_BOOKMAKERS", {"bookmaker": "B{}"}),
        ("MOST_SELECTIONS", {"selection": "Player {} Over 1.5"}),
        ("MOST_MARKETS", {"period": "{}"}),
        ("MOST_PRICES", {"period": "{}"}),
    ],
)
def test_a_game_has_room_for_what_games_have_and_keeps_what_it_holds_current(
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    bound: str,
    fields: dict[str, str],
) -> None:
    monkeypatch.setattr(game_book, bound, 20)
    board = desk.board
    board.keep_all_rows(True)

    def say(number: int, odds: float) -> None:
        said = {key: text.format(number) for key, text in fields.items()}
        period = int(said.pop("period", 0))
        selection = said.pop("selection", "Arsenal")
        board.apply_all([message(selection, odds, period=period, **said)])

    for number in range(30):
        say(number, 2.0)
    assert len(list(board.row_keys())) == 20
    say(3, 2.5)
    held = [board.price(GAME, CellKey(*key[1:])) for key in board.row_keys()]
    assert [price.odds for price in held if price is not None].count(2.5) == 1
    board.sweep()
    board.sweep()
    assert caplog.text.count("skipped 10 prices: the game has no room for more") == 1


def test_whom_a_service_judges_by_is_not_another_with_each_message(desk: Desk) -> None:
    board = desk.board
    claims = [
        replace(message("Arsenal", 2.0, bookmaker=f"B{number}"), liquidity=1.0)
        for number in range(9)
    ]
    exhaust(board.merge_matrix(matrix()))
    board.apply_all(claims)
    assert board.reference_name == REFERENCE
    desk.now += REFERENCE_STAYS_MS
    board.apply_all(claims)
    assert board.reference_name == "B0"
