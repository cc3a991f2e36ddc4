"""What the matrix says of a price window, in every style of odds."""

from collections.abc import Iterator

import pytest

from oddsdesk.board.matrix import SelectionRow
from oddsdesk.desk.matrix.cells import window_cell
from oddsdesk.desk.matrix.tips import window_tip
from oddsdesk.desk.ui import formatting as figures
from oddsdesk.pricing import formats


@pytest.fixture(autouse=True)
def _decimal_again() -> Iterator[None]:
    yield
    figures.choose_style(formats.DECIMAL)


def line(fair: float | None, least: float | None = None, most: float | None = None) -> SelectionRow:
    return SelectionRow("Draw", fair=fair, value_from=least, suspicious_above=most)


@pytest.mark.parametrize(
    ("style", "said"),
    [
        (formats.DECIMAL, "Value from 2.135, suspicious above 2.183"),
        (formats.AMERICAN, "Value from +114, suspicious above +118"),
        (formats.FRACTIONAL, "Value from 1.135/1, suspicious above 1.183/1"),
        (formats.IMPLIED, "Value from 46.8 %, suspicious above 45.9 %"),
    ],
)
def test_the_window_is_told_in_the_style_of_the_desk_rounded_inwards(style: str, said: str) -> None:
    figures.choose_style(style)
    assert window_tip(line(2.0923, 2.1344, 2.1830)) == said


def test_no_window_is_not_the_same_as_nothing_to_judge_by() -> None:
    assert (window_cell(line(None)).text, window_cell(line(1.02)).text) == ("–", "none")
    assert "nothing to judge by" in window_tip(line(None))
    assert window_tip(line(1.02)) == "No price is value by the rules"
