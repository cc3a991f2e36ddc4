import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddsdesk.pricing.column_formats import (
    ev_to_tenth,
    format_end,
    format_in_column,
    format_window,
    to_tenth,
)
from oddsdesk.pricing.formats import (
    DECIMAL,
    FRACTIONAL,
    HONG_KONG,
    IMPLIED,
    MALAY,
    STYLES,
    OddsFormatError,
    parse_odds,
)

quotes = st.integers(1_001, 99_999).map(lambda thousandths: thousandths / 1_000)
any_odds = st.floats(1.000_1, 2_000)
MOST_CHARACTERS = {"american": 8, FRACTIONAL: 7, MALAY: 7, "indonesian": 7, IMPLIED: 8}


@pytest.mark.parametrize(
    ("percent", "tenth"),
    [(1.95, 2.0), (2.65, 2.7), (1.25, 1.3), (-1.25, -1.3), (1.9449, 1.9), (0.05, 0.1), (0.04, 0)],
)
def test_halves_of_a_tenth_go_away_from_zero(percent: float, tenth: float) -> None:
    assert to_tenth(percent) == tenth
    assert math.copysign(1, to_tenth(-0.04)) == 1


@given(st.floats(-1_000, 100_000))
@example(1.9478)
@example(1.9523)
def test_an_ev_and_the_same_with_two_decimals_have_one_tenth(percent: float) -> None:
    """A service tells two decimals (D3)."""
    assert ev_to_tenth(percent) == ev_to_tenth(round(percent, 2))
    assert abs(ev_to_tenth(percent) - percent) <= 0.055 + 1e-9


@given(st.floats(-1_000, 100_000))
@example(18.146)
@example(-1.949)
def test_any_other_percentage_is_rounded_once(percent: float) -> None:
    assert abs(to_tenth(percent) - percent) <= 0.05 + 2e-6


def ends_read(least: float, most: float, style: str) -> tuple[float, float]:
    low, high, unit = format_window(least, most, style)
    return parse_odds(low + unit, style), parse_odds(high + unit, style)


@pytest.mark.parametrize(
    ("odds", "text"),
    [
        (1.925, "1.925"),
        (1.909, "1.909"),
        (1.91, "1.91"),
        (1.9, "1.90"),
        (1.004, "1.004"),
        (1.0004, "1.0004"),
        (2.66899, "2.668"),
        (3.668, "3.668"),
        (12.5, "12.50"),
        (104.5, "104.5"),
        (101.0, "101"),
        (1001.5, "1001"),
    ],
)
def test_a_decimal_price_has_the_third_decimal_that_was_quoted(odds: float, text: str) -> None:
    assert format_in_column(odds) == text


@given(quotes)
def test_a_price_quoted_to_three_decimals_is_shown_as_it_is(odds: float) -> None:
    assert parse_odds(format_in_column(odds)) == odds
    assert parse_odds(format_in_column(odds, HONG_KONG), HONG_KONG) == pytest.approx(odds, abs=1e-9)


@given(any_odds)
def test_a_price_is_never_shown_higher_than_it_is(odds: float) -> None:
    for style in (DECIMAL, HONG_KONG):
        shown = parse_odds(format_in_column(odds, style), style)
        assert 1 < shown <= odds + 1e-6


@given(any_odds, st.sampled_from(STYLES))
def test_no_price_becomes_nothing_or_more_than_a_column_holds(odds: float, style: str) -> None:
    text = format_in_column(odds, style)
    assert parse_odds(text, style) > 1
    assert len(text) <= MOST_CHARACTERS.get(style, 6)


@given(st.floats(1.000_1, 500), st.sampled_from(STYLES))
@example(19.185, MALAY)
@example(499.0, IMPLIED)
def test_what_a_column_shows_is_the_price_but_for_a_fortieth(odds: float, style: str) -> None:
    """F3.13: Malay odds of -0.05 stood for 19.185 and read as 21.0."""
    shown = parse_odds(format_in_column(odds, style), style)
    assert shown == pytest.approx(odds, rel=0.026)


@pytest.mark.parametrize(
    ("odds", "style", "text"),
    [
        (542.0, FRACTIONAL, "541/1"),
        (2.97, FRACTIONAL, "1.97/1"),
        (1.33, FRACTIONAL, "1/3"),
        (1.91, FRACTIONAL, "10/11"),
        (2.5, FRACTIONAL, "6/4"),
        (1.01, FRACTIONAL, "1/100"),
        (2.42, FRACTIONAL, "71/50"),
        (301.0, MALAY, "-0.0033"),
        (2.1, MALAY, "-0.91"),
        (1.925, MALAY, "0.925"),
        (1.01, "indonesian", "-100"),
        (1.01, "american", "-10000"),
        (1.001, IMPLIED, "99.90 %"),
        (1.52, IMPLIED, "65.8 %"),
        (19.185, MALAY, "-0.055"),
        (2001.0, IMPLIED, "0.05 %"),
        (96.2, IMPLIED, "1.04 %"),
    ],
)
def test_a_price_in_another_style(odds: float, style: str, text: str) -> None:
    assert format_in_column(odds, style) == text


@pytest.mark.parametrize(
    ("least", "most", "style", "ends"),
    [
        (2.1344, 2.1830, DECIMAL, ("2.135", "2.183", "")),
        (1.2652, 1.2749, DECIMAL, ("1.266", "1.274", "")),
        (1.9095, 1.9105, DECIMAL, ("1.9095", "1.9105", "")),
        (9.871, 10.522, DECIMAL, ("9.88", "10.52", "")),
        (1.3914, 1.4295, "american", ("-255", "-233", "")),
        (1.97, 2.035, "american", ("-103", "+103", "")),
        (2.1344, 2.1830, FRACTIONAL, ("1.135", "1.183", "/1")),
        (2.1344, 2.1830, IMPLIED, ("46.8", "45.9", " %")),
        (1.97, 2.031, MALAY, ("0.97", "-0.97", "")),
        (2.0, 2.0078, MALAY, ("1.000", "-0.993", "")),
        (1.999, 2.006, "american", ("-100.1", "+100.6", "")),
    ],
)
def test_a_window_in_each_style(
    least: float, most: float, style: str, ends: tuple[str, str, str]
) -> None:
    assert format_window(least, most, style) == ends


@given(st.floats(1.01, 200), st.floats(0.000_5, 0.3), st.sampled_from(STYLES))
def test_what_a_window_shows_lies_within_it_and_is_told_apart(
    least: float, share: float, style: str
) -> None:
    most = least * (1 + share)
    low, high = ends_read(least, most, style)
    assert least - 1e-5 <= low < high <= most + 1e-5 * most


@given(quotes, st.floats(1.01, 9.9), st.floats(0.02, 0.3))
def test_a_price_below_ten_is_within_the_window_shown_where_it_is_within(
    odds: float, least: float, share: float
) -> None:
    most = min(least * (1 + share), 9.99)
    low, high, _ = format_window(least, most)
    is_shown = float(low) <= float(format_in_column(odds)) <= float(high)
    assert is_shown == (least - 1e-9 <= odds <= most + 1e-9)


@given(st.floats(1.01, 200), st.sampled_from(STYLES))
def test_a_single_end_is_rounded_into_the_range(odds: float, style: str) -> None:
    least, most = (format_end(odds, style, is_least=side) for side in (True, False))
    read = [parse_odds(text, style) for text in (least, most)]
    assert read[1] - 1e-5 * odds <= odds <= read[0] + 1e-5 * odds


def test_unknown_styles_and_bad_numbers_are_named() -> None:
    with pytest.raises(OddsFormatError, match="'klingon'"):
        format_in_column(2.0, "klingon")
    for number in (1.0, math.inf):
        with pytest.raises(OddsFormatError, match=f"got {number}"):
            format_in_column(number)
