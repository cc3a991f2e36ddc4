"""Who told a bookmaker's prices of a game is noted, and kept through an upgrade (D66)."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import DAY_MS
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Origin, Visibility, origin_named

MakeQuote = Callable[..., Quote]
Told = list[tuple[str, str, str, int]]


def told(path: Path) -> Told:
    query = """
        SELECT match_name, bookmaker, source, may_share
        FROM origin JOIN game ON game.id = origin.game ORDER BY 1, 2, 3
    """
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_sources_are_noted_once_a_bookmaker_and_game(store: Store, quote: MakeQuote) -> None:
    for origin in (origin_named("the-odds-api"), origin_named("football-data")):
        for market in ("moneyline", "total"):
            odds = {"PSG": 1.5, "Lyon": 4.0} if market == "moneyline" else {"Over 2.5": 1.9}
            told_now = quote(market_type=market, odds=odds)
            store.record([told_now], origin=origin).result(10)
    store.record([quote("Unibet")]).result(10)
    assert told(store.path) == [
        ("PSG - Lyon", "Bet365", "football-data", 1),
        ("PSG - Lyon", "Bet365", "the-odds-api", 0),
    ]


@pytest.mark.parametrize("source", ["the-odds-api", "The-Odds-API", " THE-ODDS-API "])
def test_a_line_that_names_a_game_by_a_forbidding_sources_id_is_that_sources(
    store: Store, quote: MakeQuote, source: str
) -> None:
    store.record([quote(event=f"{source}:0a1"), quote("Unibet", event="mine:1")]).result(10)
    assert told(store.path) == [("PSG - Lyon", "Bet365", "the-odds-api", 0)]


def test_a_price_that_was_skipped_notes_nobody(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote()]).result(10)
    late = quote(scraped_at=now - 1)
    assert store.record([late], origin=Origin("x", may_share=False)).result(10).skipped == 1
    assert told(store.path) == []


def test_a_database_from_before_counts_as_theirs_what_they_have_an_id_of(
    tmp_path: Path, quote: MakeQuote, now: int
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path, clock=lambda: now)
    store.record([quote(event="the-odds-api:0a1"), quote("Unibet")]).result(10)
    store.record([quote(match_name="Lens - Lille", event="mine:7")]).result(10)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE origin")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'origins'")
    store = open_store(path, share=(), clock=lambda: now)
    assert told(path) == [
        ("PSG - Lyon", "Bet365", "the-odds-api", 0),
        ("PSG - Lyon", "Unibet", "the-odds-api", 0),
    ]
    assert store.sources_left_out() == ["the-odds-api"]
    rows = store.reader().list_odds(now, Filters(), Visibility(), 10).items
    assert [(row.match_name, row.bookmaker) for row in rows] == [("Lens - Lille", "Bet365")]
    store.close()


def test_a_game_that_is_forgotten_leaves_no_note(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(scraped_at=now)], origin=Origin("x")).result(10)
    store.prune(now + 40 * DAY_MS, keep_days=30)
    assert told(store.path) == []
