"""Backtest and scorecards: what was found, how far it is, and what to do where there is nothing."""

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.desk.research import grid_table
from oddsdesk.desk.research.backtest_panel import BacktestPanel
from oddsdesk.desk.research.log import BacktestAsked, BacktestSettings, ResearchLog
from oddsdesk.desk.research.panel import ChoiceError, span_of
from oddsdesk.desk.research.scorecard_panel import COLUMNS, ScorecardPanel
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.log_research import DatabaseResearch
from oddsdesk.desk.shell.window import focus_within
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.research.intervals import Interval
from oddsdesk.research.question import Staking
from oddsdesk.research.scorecards import Card, CardKey
from oddsdesk.store.store import open_store

START = 1_700_000_000_000
HOUR = 3_600_000
NOW = START + 1_000 * HOUR
WAIT_S = 60
EVEN = {"Over 2.5": 1.95, "Under 2.5": 1.95}


def quote(bookmaker: str, odds: dict[str, float], at: int, game: str) -> Quote:
    names: dict[str, Any] = {"competition": "EPL", "market_type": "total", "period": 0}
    kick_off = START + 20 * HOUR
    return Quote(
        bookmaker=bookmaker, match_name=game, odds=odds, scraped_at=at, **names, match_date=kick_off
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of two games, each with a value bet, a close and a result."""
    made = tmp_path / "odds.db"
    with closing(open_store(made)) as store:
        for game, home in (("Leeds vs Hull", 2), ("Derby vs Stoke", 0)):
            store.record(
                [
                    quote("Pinnacle", EVEN, START, game),
                    quote("Soft", {"Over 2.5": 2.09, "Under 2.5": 1.7}, START, game),
                ]
            ).result(10)
            close = {"Over 2.5": 1.9, "Under 2.5": 2.0}
            store.record([quote("Pinnacle", close, START + 20 * HOUR, game)]).result(10)
            result = GameResult("EPL", game, START + 20 * HOUR, home, 1)
            store.record_results([result]).result(10)
    return made


def research(path: Path) -> ResearchLog:
    return DatabaseResearch(path, shipped_profiles(), None, DEFAULT_METHOD, CloseBy(), lambda: NOW)


class Waits:
    """A log that takes for ever."""

    def __init__(self) -> None:
        self.is_cancelled = False

    async def run_backtests(self, _asked: BacktestAsked, progress: Any) -> Any:
        progress(5_000)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


Presets = tuple[Preset, ...]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "desk.ini")


def backtest_panel(
    qtbot: QtBot, theme: Theme, layout: Layout, log: Any, presets: Presets = BUILT_IN
) -> BacktestPanel:
    panel = BacktestPanel(
        theme, lambda: NOW, lambda: log, lambda: DEFAULT_METHOD, lambda: presets, layout
    )
    qtbot.addWidget(panel)
    panel.resize(1_200, 700)
    panel.show()
    return panel


def scorecard_panel(qtbot: QtBot, theme: Theme, layout: Layout, log: Any) -> ScorecardPanel:
    panel = ScorecardPanel(theme, lambda: NOW, lambda: log, layout)
    qtbot.addWidget(panel)
    panel.resize(1_200, 700)
    panel.show()
    return panel


async def ended(panel: BacktestPanel | ScorecardPanel) -> None:
    """Wait until nothing runs."""
    over = asyncio.Event()
    panel.running.changed.connect(lambda: panel.running.is_running or over.set())
    if panel.running.is_running:
        async with asyncio.timeout(WAIT_S):
            await over.wait()


def column(panel: BacktestPanel | ScorecardPanel, title: str) -> list[str]:
    model = panel.model
    place = next(i for i in range(model.columnCount()) if model.header(i).title.startswith(title))
    return [model.cell(row, place).text for row in range(model.rowCount())]


async def test_a_backtest_shows_its_bets_with_figures_and_how_sure_they_are(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    assert panel.placeholder.isVisible()
    panel.run_or_cancel()
    await ended(panel)
    assert sorted(column(panel, "Result")) == ["lost", "won"]
    facts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert facts["Bets"] == ("2", "2 with a result")
    assert facts["Sharp book"][0] == "Pinnacle"
    assert re.fullmatch(r"priced 2 of 2 games, until \d+ Nov 2023", facts["Sharp book"][1])
    assert facts["Closing line"][1].endswith(", of 2")
    assert "CLV vs the Pinnacle close, margin proportional" in panel.messages.message_text
    told = panel.messages.message_text
    assert "2 games; Pinnacle priced 2 (100 %)" in told
    assert "results for 2 (100 %), closing lines of Pinnacle for 2 (100 %)" in told
    assert facts["Profit"][0] == "+0.09"
    assert facts["Yield"][0] == "+4.5 %"
    assert facts["Yield"][1] == "too few games for an interval"
    assert panel.chart.isVisible()
    panel.close_panel()


async def test_a_yield_of_few_of_the_bets_says_of_how_many(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    with closing(open_store(path)) as store:
        for game in ("Bury vs Wigan", "Luton vs Reading", "Bath vs York"):
            odds = {"Over 2.5": 2.09, "Under 2.5": 1.7}
            both = quote("Pinnacle", EVEN, START, game), quote("Soft", odds, START, game)
            store.record(list(both)).result(10)
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.run_or_cancel()
    await ended(panel)
    facts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert facts["Yield"] == ("+4.5 %", "of 2 of 5 bets, too few games for an interval")
    panel.close_panel()


async def test_what_is_chosen_is_what_is_bet_on(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    none = Preset("Long prices", ValueFilter(min_odds=5.0))
    panel = backtest_panel(qtbot, theme, layout, research(path), (none,))
    panel.preset.setCurrentText("Long prices")
    panel.run_or_cancel()
    await ended(panel)
    assert panel.model.rowCount() == 0
    assert panel.placeholder.isVisible()
    panel.preset.setCurrentIndex(0)
    panel.reference.setText("Soft")
    panel.run_or_cancel()
    await ended(panel)
    assert set(column(panel, "Bookmaker")) <= {"Pinnacle"}


async def test_several_choices_are_compared_and_a_row_opens_its_bets(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path, tmp_path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.method.setCurrentText("power, Margin proportional")
    panel.reference.setText("Pinnacle, Soft")
    panel._on_settings_chosen(BacktestSettings(least_evs=(0.0, 30.0)))
    panel.run_or_cancel()
    await ended(panel)
    assert panel.grid.isVisible()
    assert not panel.facts.isVisible()
    assert not panel.back.isVisible()
    rows = panel.grid_model
    cells = [[rows.cell(row, at).text for at in range(4)] for row in range(rows.rowCount())]
    assert len(cells) == 8
    assert ["Power", "Pinnacle", "30 %", "0"] in cells
    (row,) = [at for at, each in enumerate(cells) if each == ["Power", "Pinnacle", "0 %", "2"]]
    assert panel.messages.message_text.startswith(
        "8 combinations compared · best yield of 8: unknown, "
    )
    assert "CLV vs the Pinnacle close" in panel.messages.message_text
    assert "Soft priced" in panel.messages.message_text

    focus_within(panel)
    assert panel.grid.isAncestorOf(panel.focusWidget())
    assert rows.tip(row, 5) == rows.tip(row, 6) == "Too few games for an interval"
    panel.grid.set_current(row)
    qtbot.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    assert panel.table.isVisible()
    assert panel.back.text() == "‹ All 8"
    assert panel.opened.accessibleName() == "Power, Pinnacle, EV from 0 %"
    assert panel.model.rowCount() == 2
    assert panel.facts.texts()[0][:2] == ("Bets", "2")
    assert panel._exported().rows
    panel.show_grid()
    assert panel.grid.isVisible()
    assert panel.grid.isAncestorOf(panel.focusWidget())
    file = tmp_path / "grid.csv"
    with qtbot.waitSignal(panel.saver.said, timeout=WAIT_S * 1000):
        panel.saver.write_table(file)
    head, *lines = file.read_text("utf-8-sig").splitlines()
    assert head.startswith("method,reference,least_ev,bets,staked,")
    assert head.endswith(",close_reference,close_method,comparisons")
    assert len(lines) == 8
    assert all(line.endswith(",Pinnacle,margin_proportional,8") for line in lines)


async def test_a_running_bankroll_is_shown(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel._on_settings_chosen(
        BacktestSettings(staking=Staking(kind="proportional", share=0.1, bankroll=50.0))
    )
    assert panel.more.text() == "Settings (1)…"
    panel.run_or_cancel()
    await ended(panel)
    facts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert facts["Bankroll"] == ("50.45", "+0.9 % from 50 units")
    assert facts["Drawdown"][1] == "worst, or 0.0 %"
    assert column(panel, "Stake") == ["5.00", "5.00"]
    assert sorted(column(panel, "Profit")) == ["+5.45", "−5.00"]
    assert panel.chart.accessibleDescription().startswith("After 2 bets: bankroll 50.45, expected")
    assert "bankroll 50.00 to 50.45 units" in panel.messages.message_text
    panel._on_settings_chosen(BacktestSettings())
    panel.run_or_cancel()
    await ended(panel)
    assert "Bankroll" not in {title for title, *_ in panel.facts.texts()}
    assert panel.chart.accessibleName() == "Profit bet by bet"


async def test_an_unknown_method_is_told_and_nothing_runs(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.method.setCurrentText("power, sheen")
    panel.run_or_cancel()
    assert not panel.running.is_running
    assert panel.messages.message_text.startswith("Devig method: “sheen” is unknown. Use ")


async def test_the_bets_go_into_a_file(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path, tmp_path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, layout, research(path))
    panel.run_or_cancel()
    await ended(panel)
    file = tmp_path / "cards.csv"
    with qtbot.waitSignal(panel.saver.said, timeout=WAIT_S * 1000):
        panel.saver.write_table(file)
    head, first, *_ = file.read_text("utf-8-sig").splitlines()
    assert first.startswith("Pinnacle,Football,total,0,0,")
    assert head.endswith(",reference,close_reference,close_method")
    assert first.endswith(",Pinnacle,Pinnacle,margin_proportional")


async def test_without_a_log_it_says_what_to_do(qtbot: QtBot, theme: Theme, layout: Layout) -> None:
    for panel in (
        backtest_panel(qtbot, theme, layout, None),
        scorecard_panel(qtbot, theme, layout, None),
    ):
        panel.run_or_cancel()
        assert not panel.running.is_running
        assert panel.placeholder.isVisible()


async def test_it_is_cancelled_by_the_button_that_began_it(
    qtbot: QtBot, theme: Theme, layout: Layout
) -> None:
    log = Waits()
    panel = backtest_panel(qtbot, theme, layout, log)
    over = asyncio.Event()
    panel.running.changed.connect(lambda: panel.running.rows and over.set())
    panel.run_or_cancel()
    async with asyncio.timeout(WAIT_S):
        await over.wait()
    assert panel.bar.run.text() == "Cancel"
    panel.run_or_cancel()
    await ended(panel)
    assert log.is_cancelled
    assert panel.bar.run.text() == "Run"
    assert panel.placeholder.isVisible()


async def test_figures_of_other_choices_are_marked_as_such(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.reference.setText("Pinnacle")
    assert panel.bar._facts.text() == ""
    panel.run_or_cancel()
    await ended(panel)
    rows = panel.bar._facts.text()
    assert rows.endswith(" rows")
    changes: list[tuple[Callable[[], None], Callable[[], None]]] = [
        (
            lambda: panel._on_settings_chosen(BacktestSettings(least_evs=(0.0,))),
            lambda: panel._on_settings_chosen(BacktestSettings()),
        ),
        (lambda: panel.preset.setCurrentIndex(1), lambda: panel.preset.setCurrentIndex(0)),
        (
            lambda: panel.method.setCurrentText("power"),
            lambda: panel.method.setCurrentText("margin proportional"),
        ),
        (lambda: panel.reference.setText(""), lambda: panel.reference.setText("Pinnacle")),
        (lambda: panel.span.since.setText("2023-"), lambda: panel.span.since.setText("")),
    ]
    for change, change_back in changes:
        change()
        assert panel.bar._facts.text() == "Choices changed"
        change_back()
        assert panel.bar._facts.text() == rows


async def test_days_that_scorecards_are_not_of_are_marked_as_such(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, layout, research(path))
    panel.run_or_cancel()
    await ended(panel)
    panel.span.since.setText("2023-11-01")
    assert panel.bar._facts.text() == "Choices changed"
    qtbot.keyClick(panel.span.since, Qt.Key.Key_Return)
    await ended(panel)
    assert " games, " in panel.bar._facts.accessibleName()


async def test_a_cancelled_run_leaves_the_notes_of_the_table(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    log = research(path)
    panel = backtest_panel(qtbot, theme, layout, log)
    panel.run_or_cancel()
    await ended(panel)
    notes = panel.messages.message_text
    panel.reference.setText("Soft")
    panel.run_or_cancel()
    assert panel.messages.isHidden()
    panel.run_or_cancel()
    await ended(panel)
    assert panel.messages.isVisible()
    assert panel.messages.message_text == notes
    assert panel.bar._facts.text() == "Choices changed"


async def test_enter_in_a_field_runs(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    for field in (panel.method.lineEdit(), panel.reference, *panel.span.fields):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert panel.running.is_running
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert panel.running.is_running
        panel.run_or_cancel()
        await ended(panel)


async def test_a_comparison_names_a_sharp_book_that_is_not_recorded(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.reference.setText("Pinnacle, Pinacle")
    panel.run_or_cancel()
    await ended(panel)
    said = panel.messages.message_text
    assert "no price of the sharp book 'Pinacle' was recorded (did you mean Pinnacle?)" in said
    assert "Pinnacle: no price with enough EV was refused" in said


@pytest.mark.parametrize("percent", [100, 160])
async def test_intervals_are_whole_or_their_column_is_left_out(
    qtbot: QtBot,
    theme: Theme,
    layout: Layout,
    path: Path,
    percent: int,
    request: pytest.FixtureRequest,
) -> None:
    backtests = backtest_panel(qtbot, theme, layout, research(path))
    backtests.method.setCurrentText("power, shin")
    cards = scorecard_panel(qtbot, theme, layout, research(path))
    request.addfinalizer(lambda: theme.zoom(100))
    theme.zoom(percent)
    for panel, table, keys in (
        (backtests, backtests.grid, ("yield", "clv")),
        (cards, cards.table, ("hold_pct", "clv_pct", "log_loss_vs_reference")),
    ):
        panel.run_or_cancel()
        await ended(panel)
        columns = grid_table.COLUMNS if table is backtests.grid else COLUMNS
        pane, model = table.scrolling, table.model
        for width in range(500, 1_600, 50):
            table.resize(width, 300)
            for at in (at for at, each in enumerate(columns) if each.key in keys):
                least = table._painter.least_width(model, at)
                assert pane.isColumnHidden(at) or pane.columnWidth(at) >= least, (width, at)


async def test_a_database_that_cannot_be_read_is_one_line(
    qtbot: QtBot, theme: Theme, layout: Layout, tmp_path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, layout, research(tmp_path / "none.db"))
    panel.run_or_cancel()
    await ended(panel)
    assert panel.messages.isVisible()
    assert panel.bar.run.text() == "Run"


async def test_scorecards_show_little_data_faintly_and_say_of_how_many(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, layout, research(path))
    panel.run_or_cancel()
    await ended(panel)
    assert sorted(column(panel, "Bookmaker")) == ["Pinnacle", "Soft"]
    place = next(
        i for i in range(panel.model.columnCount()) if "Hold" in panel.model.header(i).title
    )
    cell = panel.model.cell(0, place)
    assert cell.note == "? · 2"
    assert not cell.is_strong
    assert "too few" in panel.model.tip(0, place)


async def test_all_columns_are_seen_in_a_window_of_usual_width(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, layout, research(path))
    panel.resize(1_200, 400)
    panel.run_or_cancel()
    await ended(panel)
    pane = panel.table.scrolling
    qtbot.waitUntil(lambda: pane.viewport().width() > 1_150)
    hidden = [each.title for at, each in enumerate(COLUMNS) if pane.isColumnHidden(at)]
    assert hidden == []


async def test_only_the_days_that_are_asked_for_are_gone_through(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    """The log is of 14 November 2023; no zone leads from there into the first two days of 2020."""
    for make in (backtest_panel, scorecard_panel):
        panel: Any = make(qtbot, theme, layout, research(path))
        panel.span.since.setText("2020-01-01")
        panel.span.until.setText("2020-01-02")
        panel.run_or_cancel()
        await ended(panel)
        sentence = panel.placeholder._state.sentence
        assert sentence.startswith("Nothing was recorded from 1 Jan 2020 00:00 to 3 Jan 2020 00:00")
        assert "the log covers 14 Nov 2023" in sentence or "15 Nov 2023" in sentence
        panel.span.since.setText("2023-11-01")
        panel.span.until.setText("")
        panel.run_or_cancel()
        await ended(panel)
        assert panel.model.rowCount() == 2
        assert " rows" in panel.bar._facts.text()


@pytest.mark.parametrize("make", [backtest_panel, scorecard_panel])
async def test_days_that_make_no_sense_are_told_and_nothing_runs(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path, make: Callable[..., Any]
) -> None:
    panel = make(qtbot, theme, layout, research(path))
    panel.span.since.setText("last week")
    panel.run_or_cancel()
    assert not panel.running.is_running
    assert (
        panel.messages.message_text
        == "From: enter a day such as 16 Apr 2026 instead of 'last week'"
    )
    panel.span.since.setText("")
    panel.run_or_cancel()
    assert not panel.messages.isVisible()
    await ended(panel)


def test_the_last_day_is_gone_through_to_its_end() -> None:
    day = 24 * HOUR
    span = span_of(" 2024-08-16 ", "2024-08-16", UTC)
    assert (span.since_ms, span.until_ms) == (1_723_766_400_000, 1_723_766_400_000 + day)
    assert span_of("", "") == (nothing := span_of(" ", " "))
    assert (nothing.since_ms, nothing.until_ms) == (None, None)
    for typed in ("16/08/2024", "16.8.2024", "16 Aug 2024"):
        assert span_of(typed, "17/08/2024", UTC) == span_of("2024-08-16", "2024-08-17", UTC)
    for wrong in (("2024-08-17", "2024-08-16"), ("0001-01-01", ""), ("", "9999-12-31")):
        with pytest.raises(ChoiceError):
            span_of(*wrong)


async def test_choices_are_kept_between_starts(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path, tmp_path: Path
) -> None:
    preset = BUILT_IN[-1].name
    panel = backtest_panel(qtbot, theme, layout, research(path))
    panel.preset.setCurrentText(preset)
    panel.method.setCurrentIndex(panel.method.findData("shin"))
    panel._on_settings_chosen(BacktestSettings(latency_ms=10_000, least_evs=(0.0, 1.5)))
    panel.reference.setText("Soft")
    panel.span.until.setText("2023-12-01")
    cards = scorecard_panel(qtbot, theme, layout, research(path))
    cards.span.since.setText("2023-11-01")
    for each in (panel, cards):
        each.run_or_cancel()
        await ended(each)
    again = backtest_panel(qtbot, theme, Layout(tmp_path / "desk.ini"), None)
    assert again._asked() == panel._asked()
    assert again.preset.currentText() == preset
    assert again.span.until.text() == "2023-12-01"
    later = scorecard_panel(qtbot, theme, Layout(tmp_path / "desk.ini"), None)
    assert later.span.since.text() == "2023-11-01"


def is_whole(notes: QScrollArea) -> bool:
    """Tell whether all of the notes can be scrolled to."""
    bar, width = notes.widget(), notes.viewport().width()
    return bar is not None and bar.height() >= bar.heightForWidth(width)


def is_laid_out(panel: BacktestPanel, fields: list[QWidget]) -> bool:
    """Tell whether all parts of the bar are whole, in the panel and next to each other."""
    parts = [*fields, panel.bar.run, panel.bar._export]
    places = [part.rect().translated(part.mapTo(panel, part.rect().topLeft())) for part in parts]
    return all(
        panel.rect().contains(place)
        and place.width() >= part.minimumSizeHint().width()
        and not any(place.intersects(other) for other in places if other is not place)
        for part, place in zip(parts, places, strict=True)
    )


async def test_where_there_is_little_room_fields_wrap_and_notes_scroll(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    window, panel = QWidget(), backtest_panel(qtbot, theme, layout, research(path))
    qtbot.addWidget(window)
    window.resize(1_300, 800)
    window.show()
    panel.setParent(window)
    panel.show()
    panel.span.since.setText("2023-11-01")
    panel.run_or_cancel()
    await ended(panel)
    (notes,) = panel.findChildren(QScrollArea, "notes")
    whole = panel.messages.heightForWidth(panel.width())
    assert notes.height() == whole > 0
    assert panel.facts.isVisible()
    fields = [panel.preset, panel.method, panel.reference, *panel.span.fields, panel.more]
    tops = {field.mapTo(panel, field.rect().topLeft()).y() for field in fields[3:]}
    assert tops == {panel.bar.run.mapTo(panel, panel.bar.run.rect().topLeft()).y()}
    for width, height in ((760, 420), (760, 220), (1_200, 700), (760, 220)):
        panel.resize(width, height)
        qtbot.waitUntil(lambda: is_laid_out(panel, fields))
        assert panel.bar._is_wrapped is (width < 1_000)
        qtbot.waitUntil(lambda: is_whole(notes))
        assert panel.rect().contains(notes.geometry())
        line = panel.messages.fontMetrics().lineSpacing()
        least = 2 * line + spacing.HALF
        assert notes.height() <= max(height / 4, least)
        is_cut = notes.height() < panel.messages.heightForWidth(notes.viewport().width())
        assert not is_cut or (notes.height() - spacing.HALF) % line == 0
    assert not panel.facts.isVisible()
    panel.setParent(None)


@pytest.mark.parametrize("make", [backtest_panel, scorecard_panel])
async def test_keys_go_to_the_panel_and_not_into_its_fields(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path, make: Callable[..., Any]
) -> None:
    panel = make(qtbot, theme, layout, research(path))
    focus_within(panel)
    assert panel.focusWidget() is panel.bar.run
    panel.run_or_cancel()
    await ended(panel)
    focus_within(panel)
    assert panel.table.isAncestorOf(panel.focusWidget())


@pytest.mark.parametrize(("key", "text"), [("age_s", "86,400"), ("lag_s", "+86,400")])
def test_a_day_of_seconds_has_room(theme: Theme, key: str, text: str) -> None:
    """Prices that are read every six hours had an age of "23,1…"."""
    (column,) = [column for column in COLUMNS if column.key == key]
    metrics = QFontMetrics(theme.fonts.body)
    assert metrics.horizontalAdvance(text) <= metrics.horizontalAdvance(column.width.sample)


NOTHING = Interval(None, 0, None, None)


def card_of(lag: Interval, age: Interval = NOTHING) -> Card:
    return Card(
        key=CardKey("Soft", "Football", "moneyline", 0),
        is_reference=False,
        hold_pct=NOTHING,
        best_pct=NOTHING,
        value_bets=0,
        clv_pct=NOTHING,
        age_s=age,
        lag_s=lag,
        tied_pct=Interval(44.3, 176, 37.0, 51.0),
        log_loss=NOTHING,
        log_loss_vs_reference=NOTHING,
        calibration=(),
    )


@pytest.mark.parametrize(
    ("key", "text", "tip"),
    [
        ("lag_s", "tied", "44 % were read at the same moment, so who moved first is unknown"),
        (
            "age_s",
            "tied",
            (
                "Half or more may have been read at the same moment as the move, so their age is "
                "unknown"
            ),
        ),
        ("hold_pct", "", "No data for this figure"),
    ],
)
def test_what_readings_hide_is_tied_and_says_why(key: str, text: str, tip: str) -> None:
    card = card_of(Interval(None, 176, None, None), age=Interval(None, 176, None, None))
    (column,) = [column for column in COLUMNS if column.key == key]
    assert (column.cell(card, 0).text, column.cell_tip(card, 0)) == (text, tip)


@pytest.mark.parametrize(
    ("lag", "text"),
    [(Interval(60.0, 176, 30.0, 90.0), "+60"), (Interval(None, 176, None, None), "tied")],
)
def test_the_tip_of_a_lag_says_how_much_of_it_was_read_at_one_moment(
    lag: Interval, text: str
) -> None:
    card = card_of(lag)
    (column,) = [column for column in COLUMNS if column.key == "lag_s"]
    assert column.cell(card, 0).text == text
    assert "44 % were read at the same moment" in column.cell_tip(card, 0)


async def test_a_span_that_the_reference_did_not_price_says_so_in_place_of_no_value(
    qtbot: QtBot, theme: Theme, layout: Layout, path: Path
) -> None:
    """A later game that the soft bookmaker prices alone."""
    with closing(open_store(path, clock=lambda: NOW)) as store:
        game, at = "Home 9 vs Away 9", START + 90 * HOUR
        soft = quote("Soft", {"Over 2.5": 2.1, "Under 2.5": 1.8}, at, game)
        store.record([replace(soft, match_date=at + HOUR)]).result(10)
    for make in (backtest_panel, scorecard_panel):
        panel = make(qtbot, theme, layout, research(path))
        panel.span.since.setText("2023-11-17")
        panel.run_or_cancel()
        await ended(panel)
        said = (
            panel.messages.message_text
            if panel.model.rowCount()
            else panel.placeholder._state.sentence
        )
        assert re.search(r"innacle, priced none of 1 game ", said), said
        assert re.search(r"it priced none after \d+ Nov 2023", said)
        panel.close_panel()
