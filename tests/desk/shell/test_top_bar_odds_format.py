"""The odds format: one choice, everywhere at once, kept between starts."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.top_bar import FormatButton, OddsFormat
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing import formats


@pytest.fixture(autouse=True)
def _decimal_again() -> Iterator[None]:
    yield
    formatting.choose_style(formats.DECIMAL)


@pytest.mark.parametrize(
    ("style", "shown", "exact"),
    [
        (formats.DECIMAL, "2.052", "2.0525"),
        (formats.AMERICAN, "+105", "+105 (2.0525)"),
        (formats.FRACTIONAL, "21/20", "21/20 (2.0525)"),
        (formats.HONG_KONG, "1.052", "1.0525"),
        (formats.MALAY, "−0.95", "−0.9501 (2.0525)"),
        (formats.INDONESIAN, "+1.052", "+1.0525"),
        (formats.IMPLIED, "48.7 %", "48.72 % (2.0525)"),
    ],
)
def test_a_price_is_written_in_the_chosen_style(style: str, shown: str, exact: str) -> None:
    formatting.choose_style(style)
    assert formatting.odds_text(2.0525) == shown
    assert formatting.exact_odds_text(2.0525) == exact


@pytest.mark.parametrize("style", formats.STYLES)
@given(st.integers(1_010, 1_000_000).map(lambda thousandths: thousandths / 1_000))
def test_a_column_has_room_for_every_price_up_to_a_thousand(style: str, odds: float) -> None:
    formatting.choose_style(style)
    third_decimal = re.fullmatch(r"[+−]?\d+\.\d{3}", formatting.odds_text(odds)) is not None
    assert len(formatting.odds_text(odds)) - third_decimal <= len(formatting.odds_sample())


def test_an_unknown_style_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="klingon"):
        formatting.choose_style("klingon")


def test_a_choice_is_told_and_kept(layout: Layout, qtbot: QtBot) -> None:
    chosen = OddsFormat(Preferences(layout))
    with qtbot.waitSignal(chosen.changed):
        chosen.choose_style(formats.AMERICAN)
    assert formatting.odds_text(2.5) == "+150"
    formatting.choose_style(formats.DECIMAL)
    assert OddsFormat(Preferences(layout)).style == formats.AMERICAN
    assert formatting.odds_text(2.5) == "+150"


def test_the_button_names_the_format_and_offers_all_seven(layout: Layout, qtbot: QtBot) -> None:
    chosen = OddsFormat(Preferences(layout))
    button = FormatButton(chosen)
    qtbot.addWidget(button)
    offered = button.menu_shown.actions()
    assert len(offered) == 7
    next(action for action in offered if action.text().startswith("Hong Kong")).trigger()
    assert chosen.style == formats.HONG_KONG
    assert button.text() == "Hong Kong ▾"
    assert button.accessibleName() == "Odds format: Hong Kong"


def test_a_table_shows_its_figures_again(quoted: Any, theme: Theme, qtbot: QtBot) -> None:
    model = MatrixModel(quoted.board, quoted.id, quoted.clock)
    table = LiveTable(theme, model, quoted.clock, frozen=FIRST_BOOKMAKER)
    qtbot.addWidget(table)
    before = model.cell(1, 1).text
    formatting.choose_style(formats.AMERICAN)
    with qtbot.waitSignal(model.dataChanged):
        table.repaint_figures()
        model.flush_touched()
    assert (before, model.cell(1, 1).text) == ("3.29", "+229")
    assert model.cell(1, 3).text == "+249"
    assert model.column(1).sample == "−10000"
