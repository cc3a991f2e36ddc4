"""Backtest and scorecards: what was found, how far it is, and what to do where there is nothing."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.research.backtest_panel import BacktestPanel
from oddsdesk.desk.research.log import BacktestAsked, ResearchLog
from oddsdesk.desk.research.scorecard_panel import ScorecardPanel
from oddsdesk.desk.shell.log_research import DatabaseResearch
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bookmakers import shipped_profiles
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.pricing.devig import DEFAULT_METHOD
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
    return DatabaseResearch(path, shipped_profiles(), None, DEFAULT_METHOD, lambda: NOW)


class Waits:
    """A log that takes for ever."""

    def __init__(self) -> None:
        self.is_cancelled = False

    async def backtest(self, _asked: BacktestAsked, progress: Any) -> Any:
        progress(5_000)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


def backtest_panel(
    qtbot: QtBot, theme: Theme, log: Any, presets: tuple[Preset, ...] = BUILT_IN
) -> BacktestPanel:
    panel = BacktestPanel(theme, lambda: NOW, lambda: log, lambda: DEFAULT_METHOD, lambda: presets)
    qtbot.addWidget(panel)
    panel.resize(1_200, 700)
    panel.show()
    return panel


def scorecard_panel(qtbot: QtBot, theme: Theme, log: Any) -> ScorecardPanel:
    panel = ScorecardPanel(theme, lambda: NOW, lambda: log)
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
    qtbot: QtBot, theme: Theme, path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, research(path))
    assert panel.placeholder.isVisible()
    panel.run()
    await ended(panel)
    assert sorted(column(panel, "Result")) == ["lost", "won"]
    facts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert facts["Bets"] == ("2", "2 with a result")
    assert facts["Profit"][0] == "+0.09"
    assert facts["Yield"][0] == "+4.5 %"
    assert facts["Yield"][1].startswith("95 %: −100.0 to +109.0")
    assert panel.chart.isVisible()
    panel.close_panel()


async def test_what_is_chosen_is_what_is_bet_on(qtbot: QtBot, theme: Theme, path: Path) -> None:
    none = Preset("Long prices", ValueFilter(min_odds=5.0))
    panel = backtest_panel(qtbot, theme, research(path), (none,))
    panel.preset.setCurrentText("Long prices")
    panel.run()
    await ended(panel)
    assert panel.model.rowCount() == 0
    assert panel.placeholder.isVisible()
    panel.preset.setCurrentIndex(0)
    panel.reference.setText("Soft")
    panel.run()
    await ended(panel)
    assert set(column(panel, "At")) <= {"Pinnacle"}


async def test_the_bets_go_into_a_file(
    qtbot: QtBot, theme: Theme, path: Path, tmp_path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, research(path))
    panel.run()
    await ended(panel)
    file = tmp_path / "cards.csv"
    with qtbot.waitSignal(panel.saver.said, timeout=WAIT_S * 1000):
        panel.saver.write(file)
    assert file.read_text("utf-8-sig").splitlines()[1].startswith("Pinnacle,Football,total,0,0,")


async def test_without_a_log_it_says_what_to_do(qtbot: QtBot, theme: Theme) -> None:
    for panel in (backtest_panel(qtbot, theme, None), scorecard_panel(qtbot, theme, None)):
        panel.run()
        assert not panel.running.is_running
        assert panel.placeholder.isVisible()


async def test_it_is_cancelled_by_the_button_that_began_it(qtbot: QtBot, theme: Theme) -> None:
    log = Waits()
    panel = backtest_panel(qtbot, theme, log)
    over = asyncio.Event()
    panel.running.changed.connect(lambda: panel.running.rows and over.set())
    panel.run()
    async with asyncio.timeout(WAIT_S):
        await over.wait()
    assert panel.bar.run.text() == "Cancel"
    panel.run()
    await ended(panel)
    assert log.is_cancelled
    assert panel.bar.run.text() == "Run"
    assert panel.placeholder.isVisible()


async def test_a_database_that_cannot_be_read_is_one_line(
    qtbot: QtBot, theme: Theme, tmp_path: Path
) -> None:
    panel = backtest_panel(qtbot, theme, research(tmp_path / "none.db"))
    panel.run()
    await ended(panel)
    assert panel.messages.isVisible()
    assert panel.bar.run.text() == "Run"


async def test_scorecards_show_little_data_faintly_and_say_of_how_many(
    qtbot: QtBot, theme: Theme, path: Path
) -> None:
    panel = scorecard_panel(qtbot, theme, research(path))
    panel.run()
    await ended(panel)
    assert sorted(column(panel, "Bookmaker")) == ["Pinnacle", "Soft"]
    place = next(
        i for i in range(panel.model.columnCount()) if "Hold" in panel.model.header(i).title
    )
    cell = panel.model.cell(0, place)
    assert cell.note == "? · 2"
    assert not cell.is_strong
    assert "too few" in panel.model.tip(0, place)
