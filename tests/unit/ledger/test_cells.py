"""What stands in the cells of a list of bets."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.ledger.cells import Habit, decimals_of, read_amount

AMOUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=8)
"""In thousandths."""


def written(thousandths: int, decimals: str, groups: str) -> str:
    whole, rest = divmod(thousandths, 1_000)
    return f"{whole:,}".replace(",", groups) + decimals + f"{rest:03}"


@given(AMOUNTS, st.sampled_from([(".", ","), (".", ""), (",", "."), (",", "")]))
def test_amounts_come_back_wherever_any_of_them_tells_how_they_are_written(
    amounts: list[int], sign: tuple[str, str]
) -> None:
    cells = [written(each, *sign) for each in amounts] + [f"12{sign[0]}50"]
    habit = decimals_of(cells)
    assert habit is (Habit.POINT if sign[0] == "." else Habit.COMMA)
    assert [read_amount("stake", cell, habit) for cell in cells] == [
        *(each / 1_000 for each in amounts),
        12.5,
    ]
