"""Which prices are in play, as far as pictures and messages tell it (D30)."""

import msgspec

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.contract.resources import GameMatrix
from tests.kit.board import GAME, Desk, matrix, message


def in_play(desk: Desk, bookmaker: str, selection: str = "Draw") -> bool | None:
    price = desk.board.price(GAME, CellKey("moneyline", 0, selection, bookmaker))
    assert price is not None
    return price.is_live


def live_picture() -> GameMatrix:
    return msgspec.structs.replace(matrix(), is_live=True)


def test_a_picture_tells_that_prices_are_not_in_play_only_where_the_game_is_not(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    assert in_play(desk, "Betfair") is False
    desk.board.forget_service()
    exhaust(desk.board.merge_matrix(live_picture()))
    assert in_play(desk, "Betfair") is None


def test_what_is_told_of_one_price_holds_for_all_of_the_quote(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(live_picture()))
    desk.board.apply_all([message("Arsenal", 2.1, is_live=True)])
    assert [in_play(desk, "Betfair", name) for name in ("Arsenal", "Draw", "Chelsea")] == [True] * 3
    assert in_play(desk, "Unibet") is None
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    assert section.reference is not None
    assert section.reference.is_live is None
    desk.board.mark_not_in_play(GAME)
    assert (in_play(desk, "Betfair"), in_play(desk, "Unibet")) == (True, False)
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    assert section.reference is not None
    assert section.reference.is_live is False
