"""The navigator's models keep their rows calm and pass Qt's own model tests."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.navigator.model import (
    FORGET_MS,
    GAME_COUNT_ROLE,
    GAME_ROLE,
    LIVE_COUNT_ROLE,
    VALUE_COUNT_ROLE,
    CompetitionDelegate,
    CompetitionsModel,
    Favourites,
    GameDelegate,
    GamesModel,
)
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme

COMPETITIONS = {"EPL": "Football", "MLS": "Football", "NBA": "Basketball", "XYZ": "Other"}


def entry(name: str, competition: str = "EPL", kick_off: int | None = 0, live: bool = False):
    return GameEntry(name, name, competition, COMPETITIONS[competition], kick_off, live, 5, None)


entries = st.lists(
    st.builds(
        entry,
        st.text("abc", min_size=1, max_size=3),
        st.sampled_from(sorted(COMPETITIONS)),
        st.none() | st.integers(0, 5),
        st.booleans(),
    ),
    unique_by=lambda game: game.game_id,
    max_size=8,
)


def names(model: GamesModel) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


def test_competitions_are_counted_by_sport_in_the_contracts_order(qtmodeltester):
    model = CompetitionsModel()
    qtmodeltester.check(model)
    model.show_games([entry("a", "NBA"), entry("b", "MLS", live=True), entry("c"), entry("d")])
    sports = [model.index(row, 0).data() for row in range(model.rowCount())]
    every, football = model.index(0, 0), model.index(1, 0)
    assert sports == ["All games", "Football", "Basketball"]
    assert (every.data(GAME_COUNT_ROLE), every.data(LIVE_COUNT_ROLE)) == (4, 1)
    assert model.scope(every) == (None, None)
    assert model.find_scope(None, None) == every
    assert model.rowCount(every) == 0
    assert football.data(GAME_COUNT_ROLE) == 3
    assert football.data(LIVE_COUNT_ROLE) == 1
    assert [model.index(row, 0, football).data() for row in range(2)] == ["EPL", "MLS"]
    assert model.scope(model.index(1, 0, football)) == ("Football", "MLS")
    assert model.scope(football) == ("Football", None)


def test_a_competition_keeps_its_index_while_others_come_and_go():
    model = CompetitionsModel()
    model.show_games([entry("a", "MLS"), entry("b", "NBA")])
    held = QPersistentModelIndex(model.find_scope("Football", "MLS"))
    model.show_games([entry("a", "MLS"), entry("c", "EPL")])
    assert held.isValid()
    assert held.data() == "MLS"
    assert held.row() == 1
    assert not model.find_scope("Basketball", None).isValid()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(pictures=st.lists(entries, max_size=4))
def test_any_sequence_of_pictures_counts_as_the_last_alone(qtmodeltester, pictures):
    model = CompetitionsModel()
    qtmodeltester.check(model)
    for games in pictures:
        model.show_games(games)
    last = pictures[-1] if pictures else []
    counted = {
        model.index(row, 0).data(): model.index(row, 0).data(GAME_COUNT_ROLE)
        for row in range(model.rowCount())
    }
    by_sport = Counter(game.sport for game in last)
    assert counted == ({"All games": len(last)} if last else {}) | by_sport


def test_games_stand_live_first_then_by_kick_off_with_unknown_last(qtmodeltester):
    model = GamesModel()
    qtmodeltester.check(model)
    model.show_games(
        [entry("late", kick_off=9), entry("no time", kick_off=None), entry("now", live=True),
         entry("soon", kick_off=1)]
    )  # fmt: skip
    assert names(model) == ["now", "soon", "late", "no time"]


def test_the_selected_game_stays_selected_when_others_come_before_it():
    model = GamesModel()
    model.show_games([entry("b", kick_off=2), entry("c", kick_off=3)])
    held = QPersistentModelIndex(model.index(1))
    model.show_games([entry("a", kick_off=1), entry("b", kick_off=2), entry("c", kick_off=3)])
    assert held.data() == "c"
    assert held.row() == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("liv vs eve", ["Everton v Liverpool"]),
        ("LIVER", ["Everton v Liverpool"]),
        ("nba", ["Lakers"]),
        ("xyzzy", []),
        ("", ["Everton v Liverpool"]),
    ],
)
def test_the_filter_wants_every_word_and_looks_beyond_the_chosen_competition(text, found):
    model = GamesModel()
    model.show_games([entry("Everton vs Liverpool"), entry("Lakers", "NBA")])
    model.choose_scope("Football", "EPL")
    model.filter_by(text)
    assert names(model) == found


def test_value_bets_are_counted_by_game_and_only_changed_rows_are_told(qtbot):
    model = GamesModel()
    model.show_games([entry("a", kick_off=1), entry("b", kick_off=2)])
    model.show_values(["a", "a", "b"])
    heard = []
    model.dataChanged.connect(lambda first, _last, _roles: heard.append(first.data()))
    model.show_values(["a", "b"])
    assert heard == ["a"]
    assert [model.index(row).data(VALUE_COUNT_ROLE) for row in range(2)] == [1, 1]


def test_a_row_gives_the_whole_game():
    model = GamesModel()
    game = entry("a")
    model.show_games([game])
    assert model.index(0).data(GAME_ROLE) == game


def test_competitions_outside_the_contract_are_told_apart_by_name():
    codes = ("soccer_england_league1", "aussierules_afl", "My own league")
    games = [GameEntry(code, f"A - {code}", code, "Other", 0, False, 1, None) for code in codes]
    model = CompetitionsModel()
    model.show_games(games)
    other = model.index(1, 0)
    rows = [model.index(row, 0, other) for row in range(3)]
    assert other.data() == "Other"
    assert [row.data() for row in rows] == [
        "AFL (Australian football)",
        "League One, England",
        "My own league",
    ]
    assert model.scope(rows[1]) == ("Other", "soccer_england_league1")
    shown = GamesModel()
    shown.show_games(games)
    shown.choose_scope("Other", "soccer_england_league1")
    assert names(shown) == ["A v soccer_england_league1"]
    assert shown.scope_name == "League One, England"
    shown.filter_by("league england")
    assert names(shown) == ["A v soccer_england_league1"]
    shown.filter_by("soccer_england")
    assert names(shown) == ["A v soccer_england_league1"]


def test_a_favourite_is_kept_and_one_long_gone_forgotten(layout: Layout, quoted: Any) -> None:
    favourites = Favourites(layout, quoted.clock)
    assert favourites.toggle("a")
    assert favourites.toggle("b")
    assert not favourites.toggle("b")
    assert "a" in Favourites(layout, quoted.clock)
    quoted.clock.now += FORGET_MS - 1
    seen = Favourites(layout, quoted.clock)
    seen.see(["a", "no favourite"])
    seen.keep_seen()
    quoted.clock.now += 2
    assert Favourites(layout, quoted.clock).game_ids == {"a"}
    quoted.clock.now += FORGET_MS
    assert len(Favourites(layout, quoted.clock)) == 0


def test_damaged_favourites_are_empty(layout: Layout, quoted: Any) -> None:
    layout.keep_word("favourites/games", "[1")
    assert len(Favourites(layout, quoted.clock)) == 0


def test_what_was_kept_as_a_watch_list_is_taken_over_once(layout: Layout, quoted: Any) -> None:
    layout.keep_word("watch/games", f'{{"a":{quoted.clock.now}}}')
    favourites = Favourites(layout, quoted.clock)
    assert favourites.game_ids == {"a"}
    favourites.toggle("a")
    assert len(Favourites(layout, quoted.clock)) == 0
    assert layout.get_word("watch/games", "") == ""


class Texts:
    """Hears what a delegate writes, whole or cut."""

    def __init__(self, delegate: CompetitionDelegate | GameDelegate, patch: Any) -> None:
        self.said: list[str] = []
        write = delegate._text

        def text(painter: Any, area: Any, said: str, ink: Any, cache: Any, **how: Any) -> float:
            self.said.append(cache.fit_text(said, int(area.width())).static.text())
            return write(painter, area, said, ink, cache, **how)

        patch.setattr(delegate, "_text", text)


def paint(delegate: Any, index: Any, width: int) -> None:
    image = QImage(width, 60, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, width, 42)
    delegate.paint(painter, option, index)
    painter.end()


@pytest.fixture
def board(quoted: Any) -> Any:
    now = quoted.clock.now
    quoted.board.load_games(
        Game(
            f"id{n}",
            "Everton - Liverpool",
            "NFL",
            "American football",
            format_ms(now),
            True,
            51,
            None,
        )
        for n in range(13)
    )
    return quoted.board


def test_how_many_games_are_live_is_whole_or_left_to_the_dot(
    board: Any, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, delegate = CompetitionsModel(), CompetitionDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    heard = Texts(delegate, monkeypatch)
    index = next(
        each
        for each in (model.index(row, 0) for row in range(model.rowCount()))
        if each.data() == "American football"
    )
    seen = []
    for width in range(260, 100, -5):
        heard.said.clear()
        paint(delegate, index, width)
        assert heard.said[0] == "13"
        if heard.said[2] not in seen:
            seen.append(heard.said[2])
    assert seen == ["13 live", "13", ""]


@pytest.mark.parametrize(
    ("name", "width", "said"),
    [
        ("Baltimore Orioles - Cleveland Guardians", 400, ("Baltimore Orioles", "Cleveland")),
        ("Baltimore Orioles - Cleveland Guardians", 150, ("Balt", "Clev")),
        ("Ajax - Borussia Moenchengladbach", 190, ("Ajax", "Borussia M")),
        ("Borussia Moenchengladbach - Ajax", 190, ("Borussia M", "Ajax")),
    ],
)
def test_both_opponents_can_be_told_where_there_is_little_room(
    board: Any,
    theme: Theme,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    width: int,
    said: tuple[str, str],
) -> None:
    kick_off = format_ms(board.games["id3"].kick_off)
    board.load_games([Game("id1", name, "MLB", "Baseball", kick_off, True, 5, None)])
    model, delegate = GamesModel(), GameDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    index = model.index(model.row_of_game("id1"))
    heard = Texts(delegate, monkeypatch)
    paint(delegate, index, width)
    home, between, away = heard.said[:3]
    assert between == " v "
    assert home.startswith(said[0])
    assert away.startswith(said[1])
    assert index.data(Qt.ItemDataRole.ToolTipRole) == f"{name.replace(' - ', ' v ')}\nMLB"


def test_facts_of_a_game_are_whole_and_value_stays_longest(
    board: Any, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, delegate = GamesModel(), GameDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    model.show_values(["id3"] * 12)
    row = model.row_of_game("id3")
    assert row is not None
    heard = Texts(delegate, monkeypatch)
    seen = []
    for width in range(260, 90, -5):
        heard.said.clear()
        paint(delegate, model.index(row), width)
        facts = heard.said[heard.said.index("live") + 1 :]
        if facts not in seen:
            seen.append(facts)
    assert seen == [["51 books", "12 value"], ["12 value"], ["12"]]
