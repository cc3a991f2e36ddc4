import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddsdesk.pricing.formats import STYLES, OddsFormatError, format_odds, parse_odds

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
        assert style.replace("_", " ") in str(error)  # noqa: PT017 - either outcome is right
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
    with pytest.raises(OddsFormatError, match=f"expected {title} odds such as"):
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
