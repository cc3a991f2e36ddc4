"""Figures and names as the matrix writes them."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import BestPrice, Offers, Price, Section, SectionKey, SelectionRow
from oddsdesk.desk.matrix.cells import bookmaker_price_cell, row_text, section_cell, window_cell
from oddsdesk.desk.matrix.layout import ALL, groups_of, is_in_group, matrix_rows, steps_between
from oddsdesk.desk.matrix.tips import window_tip
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.formatting import (
    amount_text,
    exact_odds_text,
    odds_text,
    percent_text,
    signed_text,
    window_text,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.pricing import formats


def section(market_type: str, *selections: str, group: str = "", period: int = 0) -> Section:
    rows = [SelectionRow(selection) for selection in selections]
    label = ("Full Time", "1st Half")[period]
    key = SectionKey(market_type, period, group)
    return Section(key, "A - B", "Football", None, label, True, rows)


@pytest.mark.parametrize(
    ("odds", "text", "exact"),
    [
        (1.5, "1.50", "1.50"),
        (2.404, "2.404", "2.404"),
        (99.5, "99.50", "99.50"),
        (151, "151", "151.00"),
    ],
)
def test_odds_have_two_decimals_and_the_third_that_was_quoted(
    odds: float, text: str, exact: str
) -> None:
    assert odds_text(odds) == text
    assert exact_odds_text(odds) == exact


@given(st.floats(1.02, 90), st.floats(1.02, 1.4))
def test_a_window_is_rounded_inwards(least: float, stretch: float) -> None:
    most = least * stretch
    first, last = (float(end) for end in window_text(least, most).split(" – "))
    dust = 1e-6
    assert least - dust <= first <= last <= most + dust


def test_a_window_has_the_decimals_that_prices_have() -> None:
    assert window_text(2.1344, 2.1830) == "2.135 – 2.183"
    assert window_text(12.341, 13.026) == "12.35 – 13.02"


def test_no_price_that_can_be_value_is_not_the_same_as_nothing_to_judge_by() -> None:
    assert window_text(None, None) == "none"


def test_percentages_have_a_true_minus_and_no_negative_nought() -> None:
    assert percent_text(-0.6) == "−0.6"
    assert percent_text(-0.04) == "0.0"
    assert signed_text(0.8) == "+0.8"
    assert signed_text(-0.8) == "−0.8"


@pytest.mark.parametrize(
    ("amount", "text"), [(850, "850"), (12_000, "12k"), (999_400, "999k"), (1_250_000, "1.2M")]
)
def test_amounts_are_short(amount: float, text: str) -> None:
    assert amount_text(amount) == text


def test_a_prop_says_only_what_its_section_does_not() -> None:
    prop = section(
        "player_prop", "Messi shots Over 2.5", "Messi shots Under 2.5", group="Messi shots 2.5"
    )
    assert [row_text(prop, row) for row in prop.rows] == ["Over 2.5", "Under 2.5"]
    lone = section("player_prop", "Messi shots Over 2.5")
    assert row_text(lone, lone.rows[0]) == "Messi shots Over 2.5"
    result = section("moneyline", "Manchester City", "Manchester United")
    assert row_text(result, result.rows[0]) == "Manchester City"


def test_each_section_is_in_every_market_its_kind_and_its_period() -> None:
    half = section("total", "Over 1.5", "Under 1.5", period=1)
    groups = groups_of([half, section("moneyline", "A", "B"), section("btts", "Yes", "No")])
    assert [key for key, _ in groups] == [ALL, "result", "totals", "props", "period:1"]
    assert [key for key, _ in groups if is_in_group(half, key)] == [ALL, "totals", "period:1"]


def test_a_game_with_one_kind_of_market_needs_no_choice() -> None:
    assert groups_of([section("moneyline", "A", "B")]) == [(ALL, "All markets")]


def test_a_price_on_other_outcomes_recedes_and_is_never_value() -> None:
    result = section("moneyline", "Everton", "Draw", "Liverpool")
    row = result.rows[0]
    row.prices["Bovada"] = Price(3.5, 0, 0, 0)
    row.offer.known = Offers(BestPrice(3.5, ("Bovada",)))
    cells = []
    for others in (set(), {"Bovada"}):
        result.other_bets = others
        cells.append(bookmaker_price_cell(result, row, "Bovada", None, Freshness.FRESH, 0))
    assert [cell.ground for cell in cells] == [SurfaceRole.BEST, SurfaceRole.PANEL]
    assert cells[1].ink is TextRole.SOFT
    assert (
        bookmaker_price_cell(result, row, "Bovada", None, Freshness.FRESH, 0, is_mine=False)
        == cells[1]
    )


KINDS = st.lists(st.integers(0, 12), unique=True)


@given(KINDS, KINDS, st.sets(st.integers(0, 12)))
def test_steps_lead_from_any_rows_to_any_others(
    old: list[int], new: list[int], folded: set[int]
) -> None:
    def sections(kinds: list[int]) -> list[Section]:
        return [section("total", f"Over {k}", f"Under {k}", group=str(k)) for k in kinds]

    keys = {SectionKey("total", 0, str(kind)) for kind in folded}
    rows = matrix_rows(sections(old), lambda _key: False)
    wanted = matrix_rows(sections(new), keys.__contains__)
    for step in steps_between(list(rows), wanted):
        rows[step.first : step.last] = step.rows
    assert [row.row_name for row in rows] == [row.row_name for row in wanted]


@pytest.fixture(autouse=True)
def _decimal_again() -> Iterator[None]:
    yield
    formatting.choose_style(formats.DECIMAL)


def row_of(
    fair: float | None, least: float | None = None, most: float | None = None
) -> SelectionRow:
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
    formatting.choose_style(style)
    assert window_tip(row_of(2.0923, 2.1344, 2.1830), "Pinnacle") == f"{said} (Pinnacle)"


def test_no_window_is_not_the_same_as_nothing_to_judge_by() -> None:
    texts = [window_cell(row_of(fair), Freshness.FRESH, 0).text for fair in (None, 1.02)]
    assert texts == ["–", "none"]
    assert "does not price every outcome" in window_tip(row_of(None), "Pinnacle")
    assert window_tip(row_of(1.02), "Pinnacle") == "No price can be value (Pinnacle)"


def test_selections_and_titles_have_the_chosen_decimal_mark() -> None:
    total = section("total", "Over 2.5", "Under 2.5", group="2.5")
    prop = section(
        "player_prop", "Messi shots Over 2.5", "Messi shots Under 2.5", group="Messi 2.5"
    )
    choose_numbers(Style(COMMA))
    assert (section_cell(total).text, row_text(total, total.rows[0])) == ("Total 2,5", "Over 2,5")
    assert (section_cell(prop).text, row_text(prop, prop.rows[1])) == ("Messi 2,5", "Under 2,5")
    handicap = section("spread", "A -1.5", "B +1.5", group="-1.5")
    assert section_cell(handicap).text == "Handicap -1,5"
