import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    HONG_KONG,
    IMPLIED,
    INDONESIAN,
    MALAY,
    STYLES,
    OddsFormatError,
    ev_to_tenth,
    format_end,
    format_in_column,
    format_odds,
    format_window,
    parse_odds,
    parse_typed,
    to_tenth,
)

odds_in_cents = st.integers(101, 100_000)
decimal_odds = odds_in_cents.map(lambda cents: cents / 100)
any_odds = st.floats(1, 1e9, exclude_min=True)
SLACK = Fraction(1, 10**12)
"""What binary fractions lose, as a share of the odds."""


def odds_within_rounding(odds: Fraction, style: str) -> tuple[Fraction, Fraction]:
    """Return the least and greatest odds whose exact quote is half a unit from that of ``odds``."""
    if style == "fractional":  # near enough to a British fraction, else to the cent
        register_context = min(Fraction(1), odds - 1) * Fraction(6, 1000)
        return odds - register_context, odds + register_context
    quote, odds_of = exact_quote(odds, style)
    half = half_a_unit(quote, style)
    ends = sorted((odds_of(quote - half), odds_of(quote + half)))
    return ends[0], ends[1]


def exact_quote(odds: Fraction, style: str) -> tuple[Fraction, Callable[[Fraction], Fraction]]:
    """Return what a style would write had it room for every digit, and the way back."""
    one = {"american": 100}.get(style, 1)
    if style == "decimal":
        return odds, lambda quote: quote
    if style == "implied":
        return 100 / odds, lambda quote: 100 / quote
    if style == "hong_kong" or (odds <= 2 if style == "malay" else odds >= 2):
        return one * (odds - 1), lambda quote: 1 + quote / one
    return -one / (odds - 1), lambda quote: 1 - one / quote


def half_a_unit(quote: Fraction, style: str) -> Fraction:
    """Whole numbers, or decimals, of which a quote below a hundredth has three that count."""
    if style == "american":
        return Fraction(1, 2)
    decimals = 2 if style == "implied" else 4
    if abs(quote) < Fraction(1, 100):
        decimals = 2 - math.floor(math.log10(abs(quote)))
    return Fraction(1, 2 * 10**decimals)


@pytest.mark.parametrize(
    ("odds", "texts"),
    [
        (2.05, ["2.05", "+105", "21/20", "1.05", "-0.9524", "+1.05", "48.78 %"]),
        (1.91, ["1.91", "-110", "10/11", "0.91", "0.91", "-1.0989", "52.36 %"]),
        (2.0, ["2.00", "+100", "1/1", "1.00", "1.00", "+1.00", "50.0 %"]),
        (2.5, ["2.50", "+150", "6/4", "1.50", "-0.6667", "+1.50", "40.0 %"]),
        (1.5, ["1.50", "-200", "1/2", "0.50", "0.50", "-2.00", "66.67 %"]),
        (11.0, ["11.00", "+1000", "10/1", "10.00", "-0.10", "+10.00", "9.09 %"]),
        (1.005, ["1.005", "-20000", "1/200", "0.005", "0.005", "-200.00", "99.5 %"]),
    ],
)
def test_a_price_in_every_style(odds: float, texts: list[str]) -> None:
    assert [format_odds(odds, style) for style in STYLES] == texts


@given(decimal_odds)
def test_decimal_odds_of_cents_come_back_exactly(odds: float) -> None:
    assert parse_odds(format_odds(odds)) == odds


@given(odds_in_cents, st.sampled_from(STYLES))
@example(86_957, "implied")
@example(99_999, "malay")
@example(101, "american")
def test_every_style_reads_what_it_writes(cents: int, style: str) -> None:
    """Quoting rounds to half a unit; what is read is the odds of a quote no further away."""
    odds = Fraction(cents, 100)
    again = parse_odds(format_odds(cents / 100, style), style)
    low, high = odds_within_rounding(odds, style)
    assert low - SLACK * odds <= again <= high + SLACK * odds


@given(any_odds, st.sampled_from(STYLES))
def test_any_price_is_written_and_stays_odds(odds: float, style: str) -> None:
    text = format_odds(odds, style)
    assert len(text) <= 24
    assert "e" not in text
    assert "nan" not in text


@given(st.sampled_from(STYLES), st.lists(decimal_odds, min_size=2, max_size=2))
def test_a_longer_price_never_reads_back_shorter(style: str, pair: list[float]) -> None:
    low, high = sorted(pair)
    assert parse_odds(format_odds(low, style), style) <= parse_odds(format_odds(high, style), style)


@given(st.sampled_from(STYLES), st.text(max_size=30))
def test_any_text_is_read_as_odds_or_refused(style: str, text: str) -> None:
    try:
        odds = parse_odds(text, style)
    except OddsFormatError as error:
        assert style.replace("_", " ") in str(error).casefold()  # noqa: PT017 - either outcome is right
    else:
        assert 1 < odds < math.inf


@pytest.mark.parametrize(
    ("style", "text", "odds"),
    [
        ("decimal", " 2.05 ", 2.05),
        ("american", "-100", 2.0),
        ("american", "105", 2.05),
        ("fractional", "6/4", 2.5),
        ("fractional", "1.97/1", 2.97),
        ("malay", "-1", 2.0),
        ("indonesian", "1.5", 2.5),
        ("implied", "50 %", 2.0),
        ("implied", "50", 2.0),
    ],
)
def test_common_spellings_are_understood(style: str, text: str, odds: float) -> None:
    assert parse_odds(text, style) == pytest.approx(odds)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("decimal", "1.00"),
        ("decimal", "0"),
        ("decimal", "-2"),
        ("decimal", "nan"),
        ("decimal", "inf"),
        ("decimal", "1e3"),
        ("decimal", "٢"),
        ("decimal", ""),
        ("decimal", "9" * 5000),
        ("american", "+99"),
        ("fractional", "1/0"),
        ("fractional", "0/5"),
        ("fractional", "-1/2"),
        ("hong_kong", "0"),
        ("malay", "1.05"),
        ("malay", "0"),
        ("indonesian", "0.95"),
        ("implied", "100%"),
        ("implied", "0%"),
    ],
)
def test_what_is_no_odds_is_refused_with_an_example(style: str, text: str) -> None:
    title = style.replace("_", " ")
    with pytest.raises(OddsFormatError, match=f"(?i)expected {title} odds such as"):
        parse_odds(text, style)


def test_unknown_styles_and_bad_numbers_are_named() -> None:
    with pytest.raises(OddsFormatError, match="'klingon'"):
        format_odds(2.0, "klingon")
    for number in (1.0, 0.0, math.inf, math.nan):
        with pytest.raises(OddsFormatError, match=f"got {number}"):
            format_odds(number)


@pytest.mark.parametrize(
    ("text", "style", "odds"),
    [
        ("2,10", "decimal", 2.1),
        ("1,95", "decimal", 1.95),
        ("0,95", "hong_kong", 1.95),
        ("1,000", "decimal", None),
        ("2,1,0", "decimal", None),
        ("1.000,5", "decimal", None),
        ("+1,200", "american", None),
    ],
)
def test_a_comma_stands_for_the_point_where_it_can_be_nothing_else(
    text: str, style: str, odds: float | None
) -> None:
    if odds is None:
        with pytest.raises(OddsFormatError):
            parse_odds(text, style)
    else:
        assert parse_odds(text, style) == pytest.approx(odds)


quotes = st.integers(1_001, 99_999).map(lambda thousandths: thousandths / 1_000)
any_odds_of_column_formats = st.floats(1.000_1, 2_000)
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


@given(any_odds_of_column_formats)
def test_a_price_is_never_shown_higher_than_it_is(odds: float) -> None:
    for style in (DECIMAL, HONG_KONG):
        shown = parse_odds(format_in_column(odds, style), style)
        assert 1 < shown <= odds + 1e-6


@given(any_odds_of_column_formats, st.sampled_from(STYLES))
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


def test_unknown_styles_and_bad_numbers_are_named_of_column_formats() -> None:
    with pytest.raises(OddsFormatError, match="'klingon'"):
        format_in_column(2.0, "klingon")
    for number in (1.0, math.inf):
        with pytest.raises(OddsFormatError, match=f"got {number}"):
            format_in_column(number)


@pytest.mark.parametrize(
    ("text", "style", "odds"),
    [
        ("1,85", DECIMAL, 1.85),
        ("1,500", DECIMAL, 1.5),
        ("150", DECIMAL, 150.0),
        ("21/10", DECIMAL, 3.1),
        ("evens", DECIMAL, 2.0),
        ("+150", DECIMAL, 2.5),
        (" \u2212110 ", DECIMAL, 1 + 100 / 110),
        ("48.8 %", DECIMAL, 100 / 48.8),
        ("1.85", AMERICAN, 1.85),
        ("1,85", AMERICAN, 1.85),
        ("150", AMERICAN, 2.5),
        ("+1,200", AMERICAN, 13.0),
        ("2.10", FRACTIONAL, 2.1),
        ("0.85", HONG_KONG, 1.85),
        ("+150", HONG_KONG, 2.5),
        ("-0.95", MALAY, 1 + 1 / 0.95),
        ("-110", MALAY, 1 + 100 / 110),
        ("+1.05", INDONESIAN, 2.05),
        ("+150", INDONESIAN, 151.0),
    ],
)
def test_odds_are_read_as_typed_where_their_style_is_unmistakable(
    text: str, style: str, odds: float
) -> None:
    assert parse_typed(text, style) == pytest.approx(odds)


@pytest.mark.parametrize(
    ("text", "style"),
    [
        *(("5", FRACTIONAL), ("-0.5", AMERICAN), ("0,125", AMERICAN)),
        *(("1", DECIMAL), ("5/0", DECIMAL), ("1 500,5", DECIMAL)),
    ],
)
def test_what_may_be_other_odds_is_not_guessed(text: str, style: str) -> None:
    with pytest.raises(OddsFormatError, match=f"such as .* got {text!r}"):
        parse_typed(text, style)
