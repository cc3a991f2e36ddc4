"""The view of closing lines: what stood at the kick-off and had been seen lately (D57)."""

import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from oddsdesk.cluster.postgres.schema import CLOSING_LINES_THAT_STOOD, RESULTS
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import closes_from_log
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.store.databases import Database
from oddsdesk.store.reader import ReaderPast
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store
from tests.kit.postgres import undo_steps
from tests.kit.store import NOW

KICK_OFF = NOW
EVEN = {"Over 2.5": 1.9, "Under 2.5": 1.9}
LOWER = {"Over 2.25": 2.0, "Under 2.25": 1.8}
OFFERS: list[dict[str, float]] = [EVEN, LOWER, {**EVEN, **LOWER}, {"Over 2.5": 2.1}, {}]
LAST = "SELECT match_name, bookmaker, selection, odds FROM closing_lines"


def said(
    minutes: float,
    odds: dict[str, float],
    *,
    is_live: bool = False,
    game: str = "Leeds - Wolves",
    bookmaker: str = "Bet365",
) -> Quote:
    """A total so many minutes before kick-off."""
    at = KICK_OFF - round(minutes * MINUTE_MS)
    return Quote(bookmaker, game, "EPL", "total", 0, odds, at, is_live=is_live, match_date=KICK_OFF)


def connected(database: Database) -> Any:
    return (
        sqlite3.connect(database) if isinstance(database, Path) else psycopg.connect(database.url)
    )


def bet() -> PlacedBet:
    game = game_id("EPL", "Leeds - Wolves"), "Leeds - Wolves", "EPL", "Football"
    return PlacedBet(
        *game, "total", 0, "Over 2.5", "Unibet", 2.0, 1.0, NOW, kick_off=KICK_OFF, ident=1
    )


@pytest.mark.parametrize(
    ("quotes", "of_view", "of_ledger"),
    [
        ([said(20, EVEN)], [1.9, 1.9], 1.9),
        ([said(20, EVEN), said(10, {})], [], 1.9),
        ([said(40, EVEN), said(10, {})], [], None),
        ([said(10, {"Over 2.5": 2.1})], [2.1], None),
        ([said(20, EVEN), said(10, {"Over 2.5": 2.1})], [2.1], 1.9),
        ([said(360, EVEN), said(5, EVEN), said(-1, LOWER, is_live=True)], [1.9, 1.9], 1.9),
        ([said(360, EVEN), said(5, EVEN), said(1, {}), said(-1, LOWER, is_live=True)], [], 1.9),
        ([said(360, EVEN), said(-1, LOWER, is_live=True)], [], None),
    ],
    ids=[
        "stood",
        "withdrawn lately",
        "withdrawn long before",
        "half a line",
        "half at the end",
        "seen until play began",
        "seen until it was withdrawn",
        "seen long before play alone",
    ],
)
def test_the_view_differs_from_the_ledger_as_its_page_says(
    database: Database, quotes: list[Quote], of_view: list[float], of_ledger: float | None
) -> None:
    """D57: a price alone that stood at the kick-off, and the last whole line before it."""
    assert sorted(odds for *_, odds in closes(database, quotes)) == of_view
    with closing(open_store(database, "Bet365")) as store:
        past = ReaderPast(store.reader(), store.reference)
        found = closes_from_log(past, [bet()], KICK_OFF + MINUTE_MS, CloseBy()).found[1]
    assert found.odds == of_ledger


def closes(database: Database, quotes: Iterable[Quote]) -> set[tuple[str, str, str, float]]:
    with closing(open_store(database)) as store:
        for quote in quotes:
            store.record([quote]).result(20)
    with closing(connected(database)) as connection:
        rows = connection.execute(LAST).fetchall()
    assert len(rows) == len(set(rows))
    return set(rows)


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        ([said(2_000, EVEN), said(0, LOWER)], LOWER),
        ([said(2_000, EVEN), said(0, EVEN)], EVEN),
        ([said(30, EVEN)], EVEN),
        ([said(30.1, EVEN)], {}),
        ([said(2_000, EVEN), said(5, {})], {}),
        ([said(2_000, EVEN), said(5, {}), said(4, EVEN)], EVEN),
        ([said(2_000, EVEN), said(1, EVEN), said(-5, LOWER)], EVEN),
        ([said(2_000, EVEN), said(30, EVEN), said(-1, {})], EVEN),
        ([said(2_000, EVEN), said(-5, LOWER)], {}),
        ([said(2_000, EVEN), said(31, EVEN), said(-5, EVEN)], {}),
        ([said(10, EVEN), said(2, LOWER, is_live=True)], EVEN),
        ([said(50, EVEN), said(2, LOWER, is_live=True)], {}),
        ([said(1, EVEN, is_live=True)], {}),
    ],
    ids=[
        "a line that moved leaves the new one alone",
        "a price that was only seen again",
        "half an hour before",
        "longer before",
        "withdrawn",
        "offered again",
        "moved after the kick-off",
        "withdrawn after the kick-off",
        "moved after the kick-off, and not seen for long before",
        "the same after the kick-off, and not seen for long before",
        "in play before the kick-off",
        "in play before the kick-off, and not seen for long before",
        "never seen before it was in play",
    ],
)
def test_what_stood_at_the_kick_off_closes(
    database: Database, quotes: list[Quote], expected: dict[str, float]
) -> None:
    found = closes(database, quotes)
    assert found == {("Leeds - Wolves", "Bet365", *price) for price in expected.items()}


def test_the_view_finds_what_was_said_last(database: Database) -> None:
    dice = random.Random(8)
    quotes, expected = [], set()
    for game in (f"Home {number} - Away" for number in range(30)):
        for bookmaker in ("A", "B"):
            times = sorted(dice.sample(range(-60, 90), 6), reverse=True)
            in_play_from = dice.randrange(7)
            told = [
                said(
                    minutes,
                    dice.choice(OFFERS),
                    is_live=number >= in_play_from,
                    game=game,
                    bookmaker=bookmaker,
                )
                for number, minutes in enumerate(times)
            ]
            quotes += told
            before = [each for each in told if each.scraped_at <= KICK_OFF and not each.is_live]
            if before and before[-1].scraped_at >= KICK_OFF - 30 * MINUTE_MS:
                expected |= {(game, bookmaker, *price) for price in before[-1].odds.items()}
    assert closes(database, quotes) == expected
    assert len(expected) > 50


def test_an_older_database_gets_the_view(database: Database) -> None:
    make_older(database)
    with closing(connected(database)) as connection:
        connection.execute("CREATE VIEW closing_lines AS SELECT 2.0 AS odds")
        connection.commit()
    assert len(closes(database, [said(2_000, EVEN), said(0, LOWER)])) == 2


def make_older(database: Database) -> None:
    """Have a database as it was before the view was recreated, without it."""
    if isinstance(database, Path):
        database.unlink()
        place = [step.name for step in ODDS.steps].index("closing_lines_that_stood")
        older = Schema(ODDS.name, ODDS.steps[:place])
        open_writer(database, older, synchronous="NORMAL").close()
        return
    with closing(connected(database)) as connection:
        undo_steps(connection, CLOSING_LINES_THAT_STOOD)
        for statement in RESULTS:
            connection.execute(statement)
        connection.commit()
