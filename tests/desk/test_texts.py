"""Figures laid out so that their decimal points align."""

import pytest

from oddsdesk.desk.ui.table.texts import TextCache
from oddsdesk.desk.ui.theme.theme import Theme


@pytest.mark.parametrize(
    ("with_thousandths", "without"),
    [("1.925", "1.92"), ("12.345", "12.34"), ("? 1.925", "? 1.92"), ("−0.925", "−0.92")],
)
def test_a_third_decimal_hangs_right_of_two(
    theme: Theme, with_thousandths: str, without: str
) -> None:
    for font in (theme.fonts.body, theme.fonts.strong):
        texts = TextCache(font)
        long, short = texts.lay(with_thousandths), texts.lay(without)
        assert long.hang == texts.hang > 0
        assert long.width - long.hang == pytest.approx(short.width, abs=1)
        assert texts.fit(with_thousandths, long.width - long.hang) is long


@pytest.mark.parametrize("text", ["1.92", "65.8 %", "104.5", "2.135 – 2.183", "6/4", "1.9255"])
def test_other_texts_end_where_they_end(theme: Theme, text: str) -> None:
    assert TextCache(theme.fonts.body).lay(text).hang == 0
