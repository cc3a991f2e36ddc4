"""Numbers, amounts and times as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.figures import FigureError, Habit, decimals_of, read_amount, read_stake

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


def test_a_stake_that_may_be_thousands_is_asked_for_again() -> None:
    """Who writes 1.234 for 1234 had 1.23 recorded."""
    for stake, typed in ((1234.0, "1,234"), (1234.5, "1.234,50"), (0.125, "0.125"), (2.5, "2,5")):
        assert read_stake(typed) == stake
    with pytest.raises(FigureError, match=r"1\.234 may mean thousands: write them without a point"):
        read_stake(" 1.234 ")
