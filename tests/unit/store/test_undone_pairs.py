"""Undone, a pair leaves what its sources said, as if nobody had accepted it (D69)."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.identity import PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.errors import PairError
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Origin
from tests.kit.engines import OpenStore, opening_stores, rows
from tests.kit.store import NOW

MINUTE, HOUR = 60_000, 3_600_000
WEEK = 7 * 24 * HOUR
OWN, STARS, TEAM = "PSG - Lyon", "PSG Stars v Lyon Lions", "PSG Team v Lyon Team"
TEAMS = {OWN: ("PSG", "Lyon"), STARS: ("PSG Stars", "Lyon Lions"), TEAM: ("PSG Team", "Lyon Team")}
TABLES = {
    "other_name": "other_name.competition, other_name.plain_name, other_name.match_name, crosswise",
    "event": "event",
    "coverage": "bookmaker, is_live, newest, oldest, selections",
    "origin": "bookmaker, source, may_share",
}


def said(name: str, bookmaker: str = "Bet365", week: int = 0, **fields: Any) -> Quote:
    home, away = TEAMS[name]
    price = fields.pop("price", 1.5)
    market = fields.get("market_type", "moneyline")
    odds = {home: price, away: 3.0} if market == "moneyline" else {f"{home} -1": price}
    common = {"competition": "LIG1", "market_type": "moneyline", "period": 0, "scraped_at": NOW}
    start = NOW + HOUR + week * WEEK
    known = common | {"odds": {} if price is None else odds, "match_date": start}
    return Quote(bookmaker=bookmaker, match_name=name, **(known | fields))


def record(store: Store, *quotes: Quote, origin: Origin | None = None) -> None:
    store.record(quotes, origin=origin).result(10)


def decide(store: Store, state: PairState, *names: str) -> None:
    pairs = store.find_pairs().result(10)
    (ident,) = [
        each.ident for each in pairs if (each.kept.match_name, each.other.match_name) == names
    ]
    store.decide_pairs([ident], state, NOW).result(10)


def accept(store: Store, *names: str) -> None:
    decide(store, PairState.ACCEPTED, *(names or (OWN, STARS)))


def undo(store: Store, *names: str) -> None:
    decide(store, PairState.SUGGESTED, *(names or (OWN, STARS)))


def contents(store: Store) -> dict[str, Any]:
    """Return all that is stored of games, by their names: rows and positions are numbers only."""
    names = dict(rows(store, "SELECT id, match_name FROM game"))
    quotes = rows(
        store,
        "SELECT match_name, q.* FROM quote q JOIN game ON game.id = q.game ORDER BY 1, 3, 4, 5",
    )
    games = rows(
        store,
        "SELECT game_id, match_date, match_date_by, match_date_scraped_at, has_live,"
        " last_scraped_at, first_scraped_at, recent FROM game ORDER BY game_id",
    )
    log = rows(
        store,
        "SELECT game, bookmaker, market_type, selection, odds, is_live, scraped_at"
        " FROM price_change ORDER BY seq",
    )
    found: dict[str, Any] = {"games": games}
    found["quotes"] = [(row[0], *row[2:]) for row in quotes]
    moves: dict[tuple[Any, ...], list[Any]] = {}
    for game, *price, odds, is_live, at in log:
        moves.setdefault((names[game], *price), []).append((odds, is_live, at))
    found["log"] = moves
    for table, columns in TABLES.items():
        told = rows(store, f"SELECT game.match_name, {columns} FROM {table} JOIN game ON id = game")
        found[table] = sorted(told, key=repr)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Open stores of one engine, each over a database of its own."""
    with opening_stores(request, tmp_path) as opened:
        yield opened


@pytest.fixture
def store(stores: OpenStore) -> Store:
    return stores()


@pytest.fixture
def other_store(stores: OpenStore) -> Store:
    """Make a second store, in which nothing is ever accepted."""
    return stores()


def by_source(name: str, *values: Any, has_event: bool, **fields: Any) -> Quote:
    event = f"{name[:9].replace(' ', '')}:{values[1]}" if has_event else None
    return said(name, *values, event=event, **fields)


quotes = st.builds(
    by_source,
    st.sampled_from([OWN, STARS]),
    st.sampled_from(["Bet365", "Unibet"]),
    st.integers(0, 1),
    price=st.sampled_from([1.5, 1.6, None]),
    market_type=st.sampled_from(["moneyline", "spread"]),
    scraped_at=st.integers(0, 4).map(lambda minutes: NOW + minutes * MINUTE),
    is_live=st.booleans(),
    liquidity=st.none() | st.just(5.0),
    has_event=st.booleans(),
)
origins = st.sampled_from([None, Origin("open"), Origin("secret", may_share=False)])
batches = st.lists(st.tuples(st.lists(quotes, min_size=1, max_size=3), origins), max_size=6)


@pytest.mark.slow
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(batches, batches)
def test_undo_leaves_what_recording_without_it_leaves(stores, before, since) -> None:
    first = [said(OWN), said(STARS, "Unibet")]
    with closing(stores()) as store, closing(stores()) as plain:
        for batch, origin in ((first, None), *before):
            record(store, *batch, origin=origin)
            record(plain, *batch, origin=origin)
        accept(store)
        for batch, origin in since:
            record(store, *batch, origin=origin)
            record(plain, *batch, origin=origin)
        undo(store)
        assert contents(store) == contents(plain)
        again = [said(name, week=week, price=1.7, scraped_at=NOW + HOUR) for name in (OWN, STARS)
                 for week in (0, 1)]  # fmt: skip
        for each in (store, plain):
            record(each, *again)
        assert contents(store) == contents(plain)


def test_a_later_game_of_the_same_teams_is_two_again(store: Store, other_store: Store) -> None:
    first, later = [said(OWN), said(STARS, "Unibet")], [said(STARS, "Unibet", 1), said(OWN, week=1)]
    record(store, *first)
    accept(store)
    record(store, *later)
    assert len(contents(store)["games"]) == 2
    undo(store)
    record(other_store, *first, *later)
    assert contents(store) == contents(other_store)
    assert len(contents(store)["games"]) == 4


def test_who_told_a_price_and_whether_it_may_be_shared_stays_with_it(store: Store) -> None:
    record(store, said(OWN), said(STARS, "Unibet"))
    accept(store)
    record(store, said(STARS, "Unibet", 1), origin=Origin("secret", may_share=False))
    record(store, said(OWN, week=1), origin=Origin("open"))
    undo(store)
    noted = {(row[1], row[2], row[3]) for row in contents(store)["origin"]}
    assert noted == {("Unibet", "secret", 0), ("Bet365", "open", 1)}


def test_a_third_name_that_another_pair_knows_stays(store: Store) -> None:
    record(store, said(OWN), said(STARS, "Unibet"), said(TEAM, "Bwin"))
    accept(store, OWN, STARS)
    accept(store, OWN, TEAM)
    record(store, said(OWN, week=1), said(STARS, "Unibet", 1), said(TEAM, "Bwin", 1))
    assert len(contents(store)["games"]) == 2
    undo(store, OWN, TEAM)
    names = [row[0] for row in contents(store)["quotes"]]
    assert len(set(names)) == 4
    assert max(names.count(name) for name in names) == 2


def test_a_later_game_that_another_pair_holds_is_to_be_undone_first(store: Store) -> None:
    record(store, said(OWN), said(STARS, "Unibet"))
    accept(store)
    record(store, said(OWN, week=1), said(STARS, "Unibet", 1), said(TEAM, "Bwin", 1))
    (kept,) = [
        each.kept.match_name
        for each in store.find_pairs().result(10)
        if each.other.match_name == TEAM
    ]
    before = contents(store)
    accept(store, kept, TEAM)
    with pytest.raises(PairError, match="first; it was accepted later"):
        undo(store)
    undo(store, kept, TEAM)
    assert contents(store) == before
    undo(store)
    assert len(contents(store)["games"]) == 5


def test_a_game_that_is_long_over_stays_one_and_keeps_nothing_more(store: Store) -> None:
    record(store, said(OWN), said(STARS, "Unibet"))
    accept(store)
    record(store, said(OWN, week=1), said(STARS, "Unibet", 1))
    later = [
        said(OWN, week=2, scraped_at=NOW + 2 * WEEK),
        said(STARS, "Unibet", 2, scraped_at=NOW + 2 * WEEK),
    ]
    record(store, *later)
    store.prune(NOW + 2 * WEEK)
    undo(store)
    names = [row[0] for row in contents(store)["quotes"]]
    assert sorted(names.count(name) for name in set(names)) == [1, 1, 1, 1, 2]


def test_a_price_that_is_seen_again_and_again_is_kept_twice(store: Store) -> None:
    record(store, said(OWN), said(STARS, "Unibet"))
    accept(store)
    for minute in range(20):
        record(store, said(STARS, "Unibet", scraped_at=NOW + minute * MINUTE))
    assert rows(store, "SELECT count(*) FROM said") == [(2,)]
    undo(store)
    seen = {row[0]: row[5] for row in contents(store)["quotes"]}
    assert seen[STARS] == NOW + 19 * MINUTE


def test_pairs_that_an_older_version_accepted_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    with closing(open_store(path, clock=lambda: NOW)) as store:
        record(store, said(OWN), said(STARS, "Unibet"))
        accept(store)
        record(store, said(STARS, "Unibet", price=1.7, scraped_at=NOW + MINUTE))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE said_since (id INTEGER PRIMARY KEY, pair INTEGER, quote BLOB);
            INSERT INTO said_since (pair, quote) SELECT 1, quote FROM said;
            DROP TABLE said;
            DROP TABLE joined_game;
            DELETE FROM _sqlite_migrations WHERE name = 'said_of_joined_games';
            """
        )
    with closing(open_store(path, clock=lambda: NOW)) as store:
        undo(store)
        assert contents(store)["log"][STARS, "Unibet", "moneyline", "PSG Stars"] == [
            (1.5, 0, NOW),
            (1.7, 0, NOW + MINUTE),
        ]
