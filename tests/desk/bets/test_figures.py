"""What all bets come to: figures, report and chart."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.desk.bets.reports import COLUMNS, MOST_AHEAD
from oddsdesk.desk.ui.chart.course_chart import ticks
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.reporting import whole_report
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import BEGUN, HOUR, LOST, NOW, OVER, WON, Make, bet, column


def test_words_filter_the_list_and_its_figures(make_panel: Make) -> None:
    panel = make_panel(bet(), WON, LOST)
    panel.bar.filter.setText("bet365 lost")
    assert column(panel, "state") == ["● lost"]
    assert panel.facts.texts()[0][:2] == ("Profit", "−6.00")
    panel.bar.filter.setText("nobody")
    assert panel.placeholder.isVisible()
    panel.placeholder.action_requested.emit()
    assert len(column(panel, "state")) == 3


def test_a_lay_shows_its_liability_and_a_free_bet_that_it_is_one(make_panel: Make) -> None:
    lay = bet(kind=BetKind.LAY, odds=5.5, stake=72.99, net_odds=None)
    free = settled(bet(kind=BetKind.FREE, stake=100.0, game_id="other"), Result.LOST, NOW)
    panel = make_panel(lay, free)
    kinds = column(panel, "kind")
    assert {*zip(column(panel, "stake"), kinds, strict=True)} == {
        ("72.99", "lay"),
        ("100.00", "free"),
    }
    stake = [each.key for each in panel.model.columns].index("stake")
    assert panel.model.cell(kinds.index("lay"), stake).note == "328.45 liability"
    place = [each.key for each in panel.model.columns].index("kind")
    assert not panel.table.scrolling.isColumnHidden(place)
    lay_row = kinds.index("lay")
    assert "Lay 72.99 (liability 328.45)" in panel.model.tip(lay_row, place)
    assert panel.facts.texts()[1][2] == "on 0.00 staked, 100.00 free, 1 bet"


def test_the_risk_ahead_of_very_many_open_bets_is_left_to_the_terminal(make_panel: Make) -> None:
    panel = make_panel(*(bet(game_id=f"game {at}") for at in range(MOST_AHEAD + 1)))
    assert panel.facts.texts()[-1] == (
        "Risk ahead",
        "–",
        "over 200 open bets: run oddsdesk ledger risk",
    )


def test_two_currencies_are_never_summed(make_panel: Make) -> None:
    euro = settled(bet(currency="EUR", stake=100.0), Result.LOST, NOW)
    panel = make_panel(WON, LOST, euro)
    assert panel.facts.texts()[0][1] == "+0.04"
    panel.currencies.chips.choose_chip("EUR")
    assert panel.facts.texts()[0][1] == "−100.00"
    panel.choose_view("by bookmaker")
    assert [row[0] for row in panel.exported().rows] == ["Betfair Exchange"]


def test_lists_have_bets_of_every_currency_and_only_figures_are_of_one(make_panel: Make) -> None:
    """The one bet to settle was behind the button of another currency."""
    pounds = [bet(currency="GBP", game_id="other", kick_off=NOW - 9 * HOUR), BEGUN]
    euro = bet(currency="EUR", kick_off=NOW - 5 * HOUR, selection="Wolves +0.75")
    panel = make_panel(*(settled(each, Result.WON, NOW) for each in pounds), euro)
    waiting: list[int] = []
    panel.waiting_changed.connect(waiting.append)
    panel.choose_view("to settle")
    panel.show_all()
    assert [each.selection for each in map(panel.model.entry, range(panel.model.rowCount()))] == [
        "Wolves +0.75"
    ]
    assert waiting[-1] == panel.model.rowCount()
    place = [each.key for each in panel.model.columns].index("stake")
    assert panel.model.cell(0, place).note == "EUR"
    chips = panel.currencies.chips
    assert list(chips._chips) == ["EUR", "GBP", ""]
    panel.choose_view("all")
    assert panel.model.rowCount() == 3
    chips.choose_chip("EUR")
    assert panel.model.rowCount() == 3
    panel.choose_view("by bookmaker")
    assert panel.placeholder._sentence.text() == "No settled bets in EUR yet."


def test_a_report_has_a_row_for_each_bookmaker_and_can_be_exported(make_panel: Make) -> None:
    panel = make_panel(WON, LOST, bet())
    panel.choose_view("by bookmaker")
    assert panel.reports.isVisible()
    table = panel.exported()
    assert [column.key for column in table.columns][:4] == ["of", "bets", "staked", "profit"]
    assert sorted(row[0] for row in table.rows) == ["Bet365", "Betfair Exchange"]
    assert panel.selected() == []
    earlier = settled(bet(kick_off=NOW - 900 * HOUR, stake=0.5), Result.LOST, NOW)
    panel = make_panel(earlier)
    panel.choose_view("by month")
    months = [str(row[0]) for row in panel.exported().rows]
    assert len(months) == 2
    assert months == sorted(months, reverse=True)


def test_figures_of_some_bets_say_of_how_many(make_panel: Make) -> None:
    unknown = msgspec.structs.replace(LOST, true_ev=None, fair_odds=None)
    panel = make_panel(WON, unknown)
    texts = {title: detail for title, _, detail in panel.facts.texts()}
    assert texts["Profit"] == "expected +0.18 of 1 bet"
    cells = {spec.key: spec.cell(("all", whole_report([WON, unknown])), NOW) for spec in COLUMNS}
    assert (cells["expected"].text, cells["expected"].note) == ("+0.18", "of 1")
    assert (cells["clv_pct"].text, cells["clv_pct"].note) == ("+2.9 %", "of 1")
    assert cells["bets"].note == cells["yield_pct"].note == ""
    of_none = COLUMNS[[spec.key for spec in COLUMNS].index("expected")]
    assert of_none.cell(("all", whole_report([unknown])), NOW).text == ""


def test_figures_say_profit_yield_close_luck_and_risk(make_panel: Make) -> None:
    lost = msgspec.structs.replace(LOST, game_id="another")
    panel = make_panel(WON, lost, bet(), OVER)
    texts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert texts["Profit"] == ("+0.04", "expected +0.35")
    assert texts["Yield"] == ("+0.4 %", "on 12.00 staked, 2 bets")
    assert texts["Closing line"] == ("+2.9 %", "100 % of 1 beat it")
    assert texts["Luck"] == ("2 outcomes", "as expected by chance")
    assert texts["Drawdown"] == ("−6.00", "over 1 bet")
    assert texts["At risk"] == ("1.2 %", "12.00, cap 25 %")
    assert texts["Risk ahead"] == ("−12.00", "worst case, 31 % chance of a loss")
    assert panel.chart.isVisible()
    assert "After 2 bets: profit +0.04" in panel.chart.accessibleDescription()


def test_the_risk_ahead_says_how_likely_it_is_or_a_worse_result(make_panel: Make) -> None:
    """Of five coins four or all are lost with 6 in 32."""
    even = {"odds": 2.0, "net_odds": 2.0, "fair_odds": 2.0, "stake": 10.0}
    over = {"market_type": "total", "selection": "Over 2.5", **even}
    *_, (_title, figure, detail) = make_panel(bet(**over)).facts.texts()
    assert (figure, detail) == ("−10.00", "worst case, 50 % chance of a loss")
    coins = (bet(game_id=f"{n}", match_name=f"A{n} - B", **over) for n in range(4))
    *_, (_title, figure, detail) = make_panel(*coins).facts.texts()
    assert (figure, detail) == ("−30.00", "19 % chance of this or worse, 50 % of a loss")


def test_practice_is_marked_and_counts_in_no_figure(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    real = make_panel(WON, LOST, bet(), OVER)
    figures = real.facts.texts()
    heard: list[int] = []
    real.waiting_changed.connect(heard.append)
    practised = [msgspec.structs.replace(each, practice=True) for each in (bet(), OVER, WON)]
    with closing(Ledger(path)) as ledger:
        ledger.place_all(practised, "placed")
    with qtbot.waitSignal(real._records.bets_changed):
        real._records.read_again()
    apart = ("At risk", "1.2 %", "12.00, cap 25 %, practice 12.00 excluded")
    assert real.facts.texts() == [*figures[:-2], apart, figures[-1]]
    assert heard[-1] == 1
    model = real.model
    marked = {model.entry(row).ident: model.cell(row, 0).note for row in range(7)}
    assert marked == dict.fromkeys(range(1, 5), "") | dict.fromkeys(range(5, 8), "practice")
    assert real.bar._facts.accessibleName() == "7 bets, 3 practice"
    real.choose_view("by sport")
    assert real.bar._facts.accessibleName() == (
        "settled bets by sport, 1 practice excluded; CLV vs the sharp book's close, shin"
    )
    assert [cell[1] for cell in real.exported().rows] == [2]


def test_figures_are_cut_nowhere_and_all_are_there_in_a_small_window(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel(bet(), WON, LOST, OVER)
    panel.resize(1_035, 470)
    tiles = panel.facts._tiles
    qtbot.waitUntil(lambda: all(tile.isVisible() for tile in tiles))
    for tile in tiles:
        labels = (tile._title, tile._figure, tile._detail)
        assert all(label.width() >= label.sizeHint().width() for label in labels)


@pytest.mark.parametrize(
    ("low", "high", "shown"), [(-161.0, 158.0, [-100.0, 0.0, 100.0]), (-7.0, 12.0, [0.0, 10.0])]
)
def test_a_chart_has_more_than_its_zero(low: float, high: float, shown: list[float]) -> None:
    assert ticks(low, high, 3) == shown


@pytest.mark.parametrize("words", ["leeds -0,75", "leeds -0.75"])
def test_bets_are_found_by_their_selection_as_shown_and_in_english(
    make_panel: Make, words: str
) -> None:
    choose_numbers(Style(COMMA))
    panel = make_panel(bet(), OVER)
    panel.bar.filter.setText(words)
    assert [text.partition(" · ")[0] for text in column(panel, "outcome")] == ["Leeds -0,75"]
