"""Databases of older versions come over with their games told apart (D71)."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.identity import game_id, without_date
from oddsdesk.contract.times import format_ms
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

from .fixtures.make_d4e90e6 import DAY, HOUR, NOW, SEASONS, season

DUMP = Path(__file__).parent / "fixtures" / "d4e90e6.sql"
KEPT = ("setting", "recorded", "source", "value_bet")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    connection = sqlite3.connect(path)
    connection.executescript(DUMP.read_text(encoding="utf-8"))
    connection.close()
    return path


@pytest.fixture
def store(old: Path) -> Iterator[Store]:
    store = open_store(old, clock=lambda: NOW + 2 * DAY)
    yield store
    store.close()


def ask(path: Path, query: str) -> list[tuple]:
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def test_seasons_that_were_one_game_are_games_of_their_own(old: Path, store: Store) -> None:
    query = "SELECT match_name, match_date FROM game WHERE match_name LIKE 'Leeds vs Burnley%'"
    assert sorted(ask(old, query)) == [
        ("Leeds vs Burnley", SEASONS[2]),
        (f"Leeds vs Burnley ({format_ms(SEASONS[0])[:10]})", None),
        (f"Leeds vs Burnley ({format_ms(SEASONS[1])[:10]})", None),
    ]
    assert ask(old, "SELECT count(*) FROM game WHERE competition = 'EPL'") == [(36,)]
    spans = ask(
        old,
        "SELECT max(c.scraped_at) - min(c.scraped_at) FROM price_change c"
        " JOIN game g ON g.id = c.game WHERE g.competition = 'EPL' GROUP BY c.game",
    )
    assert {span for (span,) in spans} == {DAY}


def test_it_is_known_since_when_each_game_was_priced(old: Path, store: Store) -> None:
    query = """
        SELECT first_scraped_at, (SELECT min(scraped_at) FROM price_change WHERE game = game.id)
        FROM game ORDER BY id
    """
    assert all(first == expected for first, expected in ask(old, query))


def test_a_game_after_one_in_play_is_another(old: Path, store: Store) -> None:
    query = "SELECT match_name, match_date FROM game WHERE competition IN ('NBA', 'WTA')"
    assert sorted(ask(old, query)) == [
        ("Anna vs Berta", None),
        ("Boston vs Miami", NOW + 50 * HOUR),
        ("Boston vs Miami (2026-04-12)", None),
        ("Denver vs Utah", NOW + 30 * HOUR),
    ]


def test_a_live_game_with_long_whiles_between_its_prices_stays_one(
    tmp_path: Path, old: Path
) -> None:
    """Suspended overnight, and priced as if before it again: its kick-off has passed."""
    connection = sqlite3.connect(old)
    last = "SELECT max(seq) FROM price_change WHERE game = 14"
    later = "SET is_live = 0, scraped_at = scraped_at + 20 * 3600000"
    connection.execute(f"UPDATE price_change {later} WHERE seq = ({last})")
    connection.commit()
    connection.close()
    open_store(old).close()
    assert ask(old, "SELECT count(*) FROM game WHERE match_name LIKE 'Denver%'") == [(1,)]


def test_everything_else_is_kept_to_the_row(tmp_path: Path, old: Path) -> None:
    moves = (
        "SELECT seq, match_name, bookmaker, market_type, period, selection, odds, is_live,"
        " c.scraped_at, liquidity, recorded_at FROM price_change c JOIN game g ON g.id = c.game"
    )
    games = "SELECT id, game_id, match_name, match_date, match_date_by FROM game WHERE id <= 18"
    quotes = "SELECT bookmaker, market_type, period, is_live, scraped_at, odds, url FROM quote"
    tables = [f"SELECT * FROM {table}" for table in KEPT]
    before = [ask(old, query) for query in (moves, games, quotes, *tables)]
    open_store(old, clock=lambda: NOW + 2 * DAY).close()
    after = [ask(old, query) for query in (moves, games, quotes, *tables)]
    assert [(seq, without_date(name), *row) for seq, name, *row in after[0]] == [
        (seq, without_date(name), *row) for seq, name, *row in before[0]
    ]
    assert after[1] == before[1]
    assert set(before[2]) <= set(after[2])
    assert set(before[3]) <= set(after[3])
    assert after[4:] == before[4:]


def test_each_season_shows_its_own_last_prices(old: Path, store: Store) -> None:
    """But for what stood in the season before, too: the log has no row of that."""
    expected = {}
    for begin in SEASONS:
        for quote in season(begin):
            known = quote.market_type != "btts" or begin == SEASONS[0]
            if known or begin == SEASONS[2]:
                expected[quote.match_name, begin, quote.bookmaker, quote.market_type] = quote.odds
    rows = ask(
        old,
        "SELECT match_name, scraped_at, bookmaker, market_type, odds FROM quote"
        " JOIN game ON id = game WHERE competition = 'EPL'",
    )
    found = {}
    for name, scraped_at, *key, odds in rows:
        begin = max(begin for begin in SEASONS if begin <= scraped_at + DAY)
        found[without_date(name), begin, *key] = json.loads(odds)
    assert found == expected


def test_ids_follow_from_names_and_lists_show_what_is_recent(old: Path, store: Store) -> None:
    rows = ask(old, "SELECT game_id, competition, match_name FROM game")
    assert all(ident == game_id(competition, name) for ident, competition, name in rows)
    games = store.reader().list_games(NOW + 46 * HOUR, Filters(), Visibility(), 100).items
    assert [game.match_name for game in games] == [
        "Cubs vs Mets (2026-04-14)",
        "Boston vs Miami",
        "Cubs vs Mets (2026-04-15)",
        "Anna vs Berta",
    ]


def test_importing_a_season_again_tells_its_kick_offs(old: Path, store: Store) -> None:
    changes = [store.record(season(begin)).result(10).changes for begin in SEASONS]
    assert changes == [0, 24, 0]  # what stood all the time since the first season
    query = "SELECT match_date FROM game WHERE competition = 'EPL'"
    expected = {quote.match_date for begin in SEASONS for quote in season(begin)}
    assert {date for (date,) in ask(old, query)} == expected
    assert ask(old, "SELECT count(*) FROM game WHERE competition = 'EPL'") == [(36,)]
