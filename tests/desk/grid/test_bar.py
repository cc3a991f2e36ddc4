"""The filter of the grid, by chips, ranges and words."""

from oddsdesk.desk.grid.bar import ChoicePopup, RangePopup
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.filter import GridFilter, Range
from tests.kit.grid import PRICES


def test_competitions_are_told_when_the_filter_names_others(panel):
    told = []
    panel.competitions_chosen.connect(told.append)
    panel.show_filter(GridFilter(competitions=frozenset({"EPL"})))
    panel.show_filter(GridFilter(competitions=frozenset({"EPL"}), odds=Range(3.0)))
    panel.show_filter(GridFilter())
    assert told == [frozenset({"EPL"}), frozenset()]


def test_typing_filters_and_clearing_all_forgets_the_words_too(panel, qtbot):
    panel.bar.filter.setText("bovada")
    qtbot.waitUntil(lambda: panel.model.kept_count == 5)
    panel.filters._set("odds", Range(3.0))
    assert panel.model.kept_count == 2
    panel.filters.cleared.emit()
    assert (panel.model.kept_count, panel.bar.filter.text()) == (PRICES, "")
    assert not panel.filters.chips


def test_what_is_left_out_is_counted_and_one_click_shows_it(panel):
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"})))
    assert panel.filters._clear.text() == f"{PRICES - 5} hidden · Show all"
    panel.filters._clear.click()
    assert panel.model.kept_count == PRICES
    assert panel.filters._clear.isHidden()


def test_rows_are_left_out_by_the_hold_of_their_bookmaker_and_by_kick_off(panel, quoted):
    hold = BY_KEY["hold_pct"]
    held = {panel.model.cell(row, hold).text for row in range(panel.model.rowCount())}
    assert len(held - {""}) > 1
    panel.show_filter(GridFilter(hold=Range(None, 4.0)))
    few = panel.model.kept_count
    assert 0 < few < PRICES
    hours = (panel.model.entry(0).selection.kick_off - quoted.clock.now) / 3_600_000
    panel.show_filter(GridFilter(kick_off=Range(0, hours - 0.01)))
    assert panel.model.kept_count == 0
    quoted.clock.now += 60_000
    panel.model.arrange()
    assert panel.model.kept_count == PRICES


def test_each_chip_removes_its_own_filter(panel):
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"}), odds=Range(3.0)))
    assert [chip.text() for chip in panel.filters.chips.values()] == ["Bovada", "Odds ≥ 3.00"]
    panel.filters.chips["odds"].click()
    assert panel.model.filter == GridFilter(bookmakers=frozenset({"Bovada"}))
    panel.filters.chips["bookmakers"].click()
    assert panel.model.filter.shows_all


def test_a_filter_without_rows_says_so_and_offers_to_clear(panel):
    panel.show_filter(GridFilter(words=("xyzzy",)))
    assert panel._stack.currentWidget() is panel.placeholder
    panel.placeholder.action_requested.emit()
    assert panel.model.kept_count == PRICES
    assert panel._stack.currentWidget() is panel.table


def test_ticking_a_bookmaker_filters_at_once(panel, theme, qtbot):
    offered = list(panel.filters._choices("bookmakers"))
    assert [key for key, _ in offered] == ["Betsson", "Bovada", "Matchbook", "Pinnacle", "Unibet"]
    popup = ChoicePopup(panel, theme, "Bookmaker", "Find: bookmaker", offered, [])
    qtbot.addWidget(popup)
    heard = []
    popup.chosen_changed.connect(heard.append)
    popup.list.item(1).setCheckState(popup.list.item(1).checkState().Checked)
    popup.search.setText("match")
    assert [popup.list.item(row).isHidden() for row in range(5)] == [True, True, False, True, True]
    popup._clear.click()
    assert heard == [frozenset({"Bovada"}), frozenset()]


def test_a_typed_range_is_taken_in_either_order(panel, qtbot):
    popup = RangePopup(panel, panel._theme, "Odds", "", Range())
    qtbot.addWidget(popup)
    popup.least.setText("3")
    popup.most.setText("1,5")
    with qtbot.waitSignal(popup.range_chosen) as heard:
        popup._apply.click()
    assert heard.args == [Range(1.5, 3.0)]


def test_an_invalid_figure_is_reported_and_not_read_as_no_limit(panel, qtbot):
    popup = RangePopup(panel, panel._theme, "EV", "%", Range())
    qtbot.addWidget(popup)
    popup.least.setText("2x")
    popup._apply.click()
    assert popup.problem.text() == "From '2x': expected a number such as 12.50."
    popup.least.setText("2,5 %")
    with qtbot.waitSignal(popup.range_chosen) as heard:
        popup._apply.click()
    assert heard.args == [Range(2.5, None)]


def test_a_range_of_odds_is_typed_as_the_desk_writes_them(panel, qtbot, american_odds):
    panel.filters._type_odds()
    popup = panel.filters.popup
    popup.least.setText("-50")
    popup._apply.click()
    assert popup.problem.text().startswith("Expected American odds such as ")
    popup.least.setText("+120")
    popup.most.setText("-110")
    with qtbot.waitSignal(popup.range_chosen) as heard:
        popup._apply.click()
    assert heard.args == [Range(1 + 100 / 110, 2.2)]


def test_a_bookmaker_is_hidden_by_a_filter_that_is_seen(panel, qtbot):
    panel.show()
    rows = range(panel.model.rowCount())
    panel.table.set_current(next(r for r in rows if panel.model.entry(r).bookmaker == "Bovada"))
    panel.hide_bookmaker()
    assert panel.model.kept_count == PRICES - 5
    assert "bookmakers" in panel.filters.chips
    panel.table.set_current(0)
    name = panel.model.entry(0).bookmaker
    panel.hide_bookmaker()
    assert {name, "Bovada"}.isdisjoint(panel.model.filter.bookmakers)
    panel.filters.chips["bookmakers"].click()
    assert panel.model.kept_count == PRICES
