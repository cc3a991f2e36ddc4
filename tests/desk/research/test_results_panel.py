"""The Results tab lists what sources say of games, follows the database, and names what lacks."""

import asyncio
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore
from oddsdesk.desk.research.log import ResearchLog
from oddsdesk.desk.research.results_panel import COLUMNS, ResultsPanel
from oddsdesk.desk.shell.log_research import DatabaseResearch
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.store.store import open_store

START = 1_700_000_000_000
HOUR = 3_600_000
NOW = START + 1_000 * HOUR
HALVES = (PeriodScore(1, 0, 1), PeriodScore(2, 2, 0))


def quote(game: str, kick_off: int) -> Quote:
    odds = {"Over 2.5": 1.95, "Under 2.5": 1.95}
    return Quote("Pinnacle", game, "EPL", "total", 0, odds, START, match_date=kick_off)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four games that have started, and one that has not; of one, two sources disagree."""
    made = tmp_path / "odds.db"
    games = ["Leeds vs Hull", "Derby vs Stoke", "Luton vs Bury", "Ely vs Ware"]
    with closing(open_store(made)) as store:
        quotes = [quote(game, START + (1 + at) * HOUR) for at, game in enumerate(games)]
        store.record([*quotes, quote("Later vs Then", NOW + HOUR)]).result(10)
        results = [
            GameResult("EPL", games[0], START + HOUR, 2, 1, HALVES, source="one"),
            GameResult("EPL", games[1], START + 2 * HOUR, 1, 1, source="one"),
            GameResult("EPL", games[1], START + 2 * HOUR, 0, 1, source="two"),
            GameResult(
                "EPL", games[2], START + 3 * HOUR, status=GameStatus.POSTPONED, source="one"
            ),
        ]
        store.record_results(results).result(10)
    return made


def research(path: Path) -> ResearchLog:
    return DatabaseResearch(path, shipped_profiles(), None, DEFAULT_METHOD, CloseBy(), lambda: NOW)


def results_panel(
    qtbot: QtBot, theme: Theme, log: Callable[[], ResearchLog | None]
) -> ResultsPanel:
    panel = ResultsPanel(theme, lambda: NOW, log)
    qtbot.addWidget(panel)
    panel.resize(1_200, 700)
    panel.show()
    return panel


async def listed(panel: ResultsPanel) -> None:
    """Wait until nothing is read."""
    if panel._reading is not None:
        await asyncio.wait_for(panel._reading, 30)


def column(panel: ResultsPanel, key: str) -> list[str]:
    place = [each.key for each in COLUMNS].index(key)
    return [panel.model.cell(row, place).text for row in range(panel.model.rowCount())]


@pytest.fixture
async def panel(qtbot: QtBot, theme: Theme, path: Path) -> ResultsPanel:
    log = research(path)
    made = results_panel(qtbot, theme, lambda: log)
    await listed(made)
    return made


async def test_it_lists_each_source_with_score_by_period_and_the_games_without(
    panel: ResultsPanel,
) -> None:
    rows = list(
        zip(*(column(panel, each) for each in ("match_name", "score", "status")), strict=True)
    )
    assert rows == [
        ("Ely v Ware", "", "No result"),
        ("Luton v Bury", "", "Postponed"),
        ("Derby v Stoke", "1–1", "Final"),
        ("Derby v Stoke", "0–1", "Final"),
        ("Leeds v Hull", "2–1", "Final"),
    ]
    assert column(panel, "periods")[-1] == "0–1, 2–0"
    assert column(panel, "note") == ["", "", "contradicts two", "contradicts one", ""]
    assert panel.facts.toolTip() or panel.facts.text() == (
        "5 listed · 4 games · 1 without a result · sources contradict each other on 1 game"
    )
    panel.close_panel()


@pytest.mark.parametrize(
    ("key", "games"),
    [
        ("result", ["Luton v Bury", "Derby v Stoke", "Derby v Stoke", "Leeds v Hull"]),
        ("missing", ["Ely v Ware"]),
        ("contrary", ["Derby v Stoke", "Derby v Stoke"]),
    ],
)
async def test_it_shows_only_what_is_chosen(
    panel: ResultsPanel, key: str, games: list[str]
) -> None:
    panel.shown.choose(key)
    assert column(panel, "match_name") == games
    panel.filter.setText("nobody")
    assert panel.placeholder.isVisible()
    assert "nobody" in panel.placeholder._state.sentence
    panel.close_panel()


async def test_it_filters_by_words_of_any_column(panel: ResultsPanel) -> None:
    for words, games in {
        "stoke TWO": ["Derby v Stoke"],
        "postponed": ["Luton v Bury"],
        "no result": ["Ely v Ware"],
        "epl nov 2023 hull": ["Leeds v Hull"],
    }.items():
        panel.filter.setText(words)
        assert column(panel, "match_name") == games
    panel.close_panel()


async def test_it_sorts_by_a_column(panel: ResultsPanel) -> None:
    panel.table.header_clicked.emit([each.key for each in COLUMNS].index("match_name"))
    names = column(panel, "match_name")
    assert names == sorted(names)
    assert len(names) == 5
    panel.close_panel()


async def test_what_is_recorded_by_another_program_appears(panel: ResultsPanel, path: Path) -> None:
    panel.table.set_current(0)
    panel._passes = 0
    with closing(open_store(path)) as store:
        late = GameResult("EPL", "Ely vs Ware", START + 4 * HOUR, 3, 0, source="two")
        store.record_results([late]).result(10)
    panel._idle.timeout.emit()
    await listed(panel)
    assert column(panel, "score")[0] == "3–0"
    assert "0 without a result" in panel.facts.text()
    known = panel._found
    panel._idle.timeout.emit()
    await listed(panel)
    assert panel._found is known, "an unchanged database is not read again"
    panel.close_panel()


async def test_the_filter_also_finds_what_appears(panel: ResultsPanel, path: Path) -> None:
    panel.filter.setText("three")
    assert panel.model.rowCount() == 0
    with closing(open_store(path)) as store:
        result = GameResult("EPL", "Ely vs Ware", START + 4 * HOUR, 3, 2, source="three")
        store.record_results([result]).result(10)
    panel._look()
    await listed(panel)
    assert column(panel, "match_name") == ["Ely v Ware"]
    panel.close_panel()


async def test_it_exports_figures_that_programs_can_read(
    panel: ResultsPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(panel.saver.said):
        panel.saver.write_table(tmp_path / "results.json")
    rows = json.loads((tmp_path / "results.json").read_text())
    assert len(rows) == 5
    last = rows[-1]
    assert (last["match_name"], last["home"], last["away"]) == ("Leeds vs Hull", 2, 1)
    assert (last["periods"], last["status"], last["source"]) == ("0-1, 2-0", "Final", "one")
    assert last["kick_off"] == "2023-11-14T23:13:20.000Z"
    assert (rows[0]["home"], rows[0]["source"]) == (None, "")
    panel.close_panel()


async def test_a_row_opens_its_game(panel: ResultsPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.game_requested) as asked:
        panel.table.opened.emit(panel.model.index(0, 0))
    assert asked.args == [panel.model.entry(0).game_id]
    panel.close_panel()


async def test_it_says_why_nothing_is_listed(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    panel = results_panel(qtbot, theme, lambda: None)
    assert panel.placeholder._state.sentence == "This needs the built-in server."
    log = research(tmp_path / "missing.db")
    panel._log = lambda: log
    panel.read_again()
    await listed(panel)
    assert panel.placeholder._state.sentence == "The results could not be read."
    empty = tmp_path / "empty.db"
    open_store(empty).close()
    log = research(empty)
    panel.read_again()
    await listed(panel)
    assert "no result is recorded" in panel.placeholder._state.sentence
    panel.close_panel()


@pytest.mark.parametrize("width", [460, 700, 1_040, 1_440])
async def test_no_kick_off_or_score_is_cut(panel: ResultsPanel, width: int) -> None:
    panel.resize(width, 500)
    panel.grab()
    view = panel.table.scrolling
    for key in ("kick_off", "score", "status"):
        place = [each.key for each in COLUMNS].index(key)
        if view.isColumnHidden(place):
            continue
        for row in range(panel.model.rowCount()):
            text = panel.model.cell(row, place).text
            assert view.fontMetrics().horizontalAdvance(text) <= view.columnWidth(place)
    assert view.focusPolicy() is not Qt.FocusPolicy.NoFocus
    panel.close_panel()
