"""Rows of outcomes that are made again and again are those that are made from nothing."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.base.tasks import returned
from oddsdesk.board.valuation.bets import Bet
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.desk.value_bets.model import Group, OutcomeKey, making_rows
from tests.kit.board import MONEYLINE, REFERENCE, Desk, matrix

HOME, AWAY = ("game", "moneyline", 0, "", "home"), ("game", "moneyline", 0, "", "away")


def prices() -> list[AssessedPrice]:
    """Prices of a few bookmakers, some better than others and some no value."""
    desk = Desk()
    desk.board.name_reference(REFERENCE)
    desk.board.subscribe_game(matrix().game_id)
    for _ in desk.board.merge_matrix(matrix({**MONEYLINE, "Betfair": {"Arsenal": 2.2}})):
        pass
    (price,) = desk.board.value_bets.values()
    return [
        replace(
            price,
            key=price.key._replace(bookmaker=name),
            assessment=replace(price.assessment, net_odds=net, is_value=is_value),
        )
        for name, net, is_value in (
            ("A", 2.2, True),
            ("B", 2.2, True),
            ("C", 2.3, True),
            ("D", 2.4, False),
        )
    ]


PRICES = prices()
bets = st.builds(
    lambda price, stake, carrier, outcome: Bet(price, stake, None, carrier, None, outcome),
    st.sampled_from(PRICES),
    st.sampled_from([0.0, 5.0]),
    st.sampled_from([None, PRICES[0]]),
    st.sampled_from([HOME, AWAY]),
)
lists = st.lists(bets, max_size=6, unique_by=lambda bet: (bet.price.bookmaker, bet.outcome))


@given(st.lists(lists, max_size=5))
def test_rows_made_again_are_the_rows_made_from_nothing(history: list[list[Bet]]) -> None:
    grouped: dict[OutcomeKey, Group] = {}

    def row(bet: Bet, others: tuple[AssessedPrice, ...], parts: tuple[Bet, ...]) -> object:
        return bet, others, parts

    for listed in history:
        again = returned(making_rows(listed, row, grouped))  # type: ignore[arg-type]
        remade = returned(making_rows(listed, row, {}))  # type: ignore[arg-type]
        assert list(again.items()) == list(remade.items())
