"""How games ended is recorded by source, and found whatever their names are."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from oddsdesk.cluster.postgres.schema import RESULT_BY_SOURCE, RESULTS
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore, SelectionResult
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import RealOddsError
from oddsdesk.store.results import StoredResult
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Origin, Page, Visibility
from tests.kit.postgres import undo_steps
from tests.kit.store import NOW

KICK_OFF = NOW + 3_600_000
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
HALVES = (PeriodScore(1, 2, 0), PeriodScore(2, 1, 1))


def a_result(home: int | None = 2, away: int | None = 1, **fields: Any) -> GameResult:
    """Return a result of PSG - Lyon with these fields."""
    usual = {"competition": "LIG1", "match_name": "PSG - Lyon", "kick_off": KICK_OFF, "source": "a"}
    return GameResult(home=home, away=away, **(usual | fields))


def recorded(store: Store, *results: GameResult) -> StoredResult:
    """Record results one by one, and return the only one that is stored."""
    for each in results:
        store.record_results([each]).result(10)
    (found,) = store.reader().results()
    return found


def test_a_result_is_read_as_it_was_recorded(every_store: Store) -> None:
    whole = GameResult(
        competition="NBA",
        match_name="Lakers - Celtics",
        kick_off=KICK_OFF,
        home=110,
        away=108,
        periods=tuple(PeriodScore(number, 20 + number, 21) for number in range(1, 6)),
        sport="Basketball",
        status=GameStatus.FINAL,
        has_time=False,
        overtime=True,
        selections=(SelectionResult("moneyline", 0, "Lakers", "won", 0.5),),
        bookmaker="Kalshi",
        source="kalshi",
        reported_at=NOW,
        simulated=True,
    )
    found = recorded(every_store, whole)
    own = game_id("NBA", whole.match_name)
    assert found == StoredResult(own, whole, False, found.recorded_at)
    assert found.recorded_at > 0


def test_each_source_has_a_result_of_its_own(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    results = [
        a_result(),
        a_result(3, 1, source="b"),
        a_result(None, None, source="c", bookmaker="Kalshi"),
    ]
    every_store.record_results(results).result(10)
    found = every_store.reader().results()
    assert [each.result for each in found] == results
    assert {(each.game_id, each.has_game) for each in found} == {
        (game_id("LIG1", "PSG - Lyon"), True)
    }


def test_a_result_without_a_source_gets_that_of_its_feed(every_store: Store) -> None:
    every_store.record_results([a_result(source="")], Origin("football-data")).result(10)
    (found,) = every_store.reader().results()
    assert found.result.source == "football-data"


def test_what_a_source_takes_back_stays(every_store: Store) -> None:
    first, second = a_result(2, 1, reported_at=NOW), a_result(2, 2, reported_at=NOW + MINUTE)
    found = recorded(every_store, first, second)
    assert (found.result, found.before) == (second, (first,))
    repeated = msgspec.structs.replace(second, reported_at=NOW + 2 * MINUTE)
    late = msgspec.structs.replace(first, reported_at=NOW - MINUTE)
    assert recorded(every_store, repeated, late) == found
    void = a_result(None, None, status=GameStatus.CANCELLED, reported_at=NOW + 3 * MINUTE)
    assert recorded(every_store, void).before == (first, second)


def test_a_page_holds_at_most_20_000_selections(every_store: Store) -> None:
    many = tuple(SelectionResult("total", 0, f"Over {n}", "won") for n in range(8_000))
    results = [a_result(kick_off=KICK_OFF + n * DAY, selections=many) for n in range(3)]
    every_store.record_results(results).result(10)
    reader = every_store.reader()
    first = reader.list_results(Visibility(), 50)
    assert [each.result for each in first.items] == results[:2]
    rest = reader.list_results(Visibility(), 50, first.next_cursor)
    assert ([each.result for each in rest.items], rest.next_cursor) == (results[2:], None)


def test_a_request_reads_at_most_2_000_rows_to_find_visible_ones(every_store: Store) -> None:
    hidden = [a_result(kick_off=KICK_OFF + n * DAY, source="the-odds-api") for n in range(2_000)]
    every_store.record_results([*hidden, a_result(kick_off=KICK_OFF + 2_000 * DAY)]).result(30)
    seen = Visibility(share=())
    reader = every_store.reader()
    first = reader.list_results(seen, 50)
    assert (first.items, first.next_cursor is None) == ([], False)
    second = reader.list_results(seen, 50, first.next_cursor)
    assert (len(second.items), second.next_cursor) == (1, None)


def test_of_endless_corrections_the_latest_stay(every_store: Store) -> None:
    scores = [a_result(home=number) for number in range(25)]
    every_store.record_results(scores).result(10)
    (found,) = every_store.reader().results()
    assert [each.home for each in found.before] == list(range(4, 24))


@pytest.mark.parametrize(
    "earlier",
    [
        a_result(1, 0, status=GameStatus.IN_PLAY),
        a_result(None, None, status=GameStatus.SCHEDULED),
        a_result(2, 1),
        a_result(None, None),
    ],
)
def test_a_game_that_goes_on_takes_nothing_back(every_store: Store, earlier: GameResult) -> None:
    final = a_result(2, 1, periods=HALVES[:1])
    found = recorded(every_store, earlier, final)
    assert (found.result, found.before) == (final, ())


@pytest.mark.parametrize(
    "later",
    [
        a_result(3, 1, periods=(PeriodScore(1, 1, 0), HALVES[1])),
        a_result(3, 1, overtime=True),
        a_result(3, 1, status=GameStatus.ABANDONED),
        a_result(3, 1, selections=(SelectionResult("moneyline", 0, "PSG", "void"),)),
    ],
)
def test_another_half_status_overtime_or_selection_is_a_correction(
    every_store: Store, later: GameResult
) -> None:
    won = SelectionResult("moneyline", 0, "PSG", "won")
    first = a_result(3, 1, periods=HALVES, overtime=False, selections=(won,))
    assert recorded(every_store, first, later).before == (first,)


def test_an_exchange_settles_market_by_market(every_store: Store) -> None:
    won = SelectionResult("moneyline", 0, "PSG", "won")
    over = SelectionResult("total", 0, "Over 2.5", "won")
    unknown = {"home": None, "away": None, "status": GameStatus.UNKNOWN}
    found = recorded(
        every_store, a_result(**unknown, selections=(over,)), a_result(**unknown, selections=(won,))
    )
    assert found.result.selections == (over, won)
    assert found.before == ()


def test_a_kick_off_that_was_corrected_is_the_same_game(every_store: Store) -> None:
    moved = a_result(2, 1, kick_off=KICK_OFF + 20 * MINUTE)
    found = recorded(every_store, a_result(0, 0, status=GameStatus.IN_PLAY), moved)
    assert found.result == moved


def test_the_second_game_of_a_day_is_another_one(every_store: Store) -> None:
    results = [a_result(5, 3), a_result(1, 2, kick_off=KICK_OFF + 4 * HOUR)]
    every_store.record_results(results).result(10)
    assert [each.result for each in every_store.reader().results()] == results


def test_a_day_without_an_hour_is_the_same_game(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    noon = KICK_OFF // DAY * DAY + DAY // 2
    evening = noon + 9 * HOUR
    every_store.record([quote(match_date=evening)]).result(10)
    timed = a_result(2, 1, kick_off=evening)
    found = recorded(every_store, a_result(2, 1, kick_off=noon, has_time=False))
    assert found.has_game
    found = recorded(every_store, timed, a_result(2, 1, kick_off=noon, has_time=False))
    assert (found.result, found.before) == (timed, ())


def test_a_result_is_of_the_day_that_its_source_says(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    results = [
        a_result(4, 4, kick_off=KICK_OFF + 7 * DAY),
        a_result(3, 3, competition="EPL"),
        a_result(2, 2, match_name="Lyon - PSG"),
    ]
    every_store.record_results(results).result(10)
    assert not any(each.has_game for each in every_store.reader().results())


def test_a_result_is_found_under_another_name_of_its_game(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    names = {"competition": "EPL", "odds": {"Arsenal": 1.5}}
    every_store.record([quote(match_name="Arsenal vs Man United", **names)]).result(10)
    other = "Manchester United - Arsenal"
    every_store.record([quote("bwin", match_name=other, **names)]).result(10)
    won = SelectionResult("moneyline", 0, "Manchester United", "lost")
    result = a_result(
        *(1, 3),
        competition="EPL",
        match_name=other,
        periods=(PeriodScore(1, 0, 2), PeriodScore(2, 1, 1)),
        selections=(won,),
    )
    found = recorded(every_store, result)
    assert (found.game_id, found.has_game) == (game_id("EPL", "Arsenal vs Man United"), True)
    assert found.result == a_result(
        *(3, 1),
        competition="EPL",
        match_name="Arsenal vs Man United",
        periods=HALVES,
        selections=(msgspec.structs.replace(won, selection="Man United"),),
    )


def test_a_result_without_a_competition_is_of_the_only_game_of_that_name(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    found = recorded(every_store, a_result(competition=""))
    assert (found.game_id, found.result) == (game_id("LIG1", "PSG - Lyon"), a_result())
    every_store.record([quote(competition="FRA Women")]).result(10)
    (found,) = every_store.reader().results()
    assert not found.has_game


def test_results_are_read_page_by_page(every_store: Store) -> None:
    results = [
        a_result(day, 0, kick_off=KICK_OFF + day * DAY, competition=competition)
        for day in range(4)
        for competition in ("EPL", "LIG1")
    ]
    every_store.record_results(reversed(results)).result(10)
    reader, read, cursor = every_store.reader(), list[GameResult](), None
    while True:
        page = reader.list_results(Visibility(), 3, cursor)
        read += [each.result for each in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert read == results
    some = reader.results(KICK_OFF + DAY, KICK_OFF + 3 * DAY, "EPL")
    assert [each.result for each in some] == [results[2], results[4]]


def visible(store: Store, **seen: Any) -> list[str]:
    """Return the sources of the results that a caller sees."""
    cursor, found = None, list[str]()
    while True:
        page: Page[StoredResult] = store.reader().list_results(Visibility(**seen), 50, cursor)
        found += [each.result.source for each in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_a_caller_sees_the_results_that_its_plan_allows(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote("Bet365")]).result(10)
    results = [
        a_result(),
        a_result(source="b", status=GameStatus.IN_PLAY),
        a_result(None, None, source="c", bookmaker="Kalshi"),
        a_result(source="d", competition="EPL"),
    ]
    every_store.record_results(results).result(10)
    assert visible(every_store) == ["d", "a", "b", "c"]
    assert visible(every_store, live=False) == ["d", "a", "c"]
    assert visible(every_store, bookmaker="Bet365") == ["a", "b"]
    assert visible(every_store, bookmaker="Unibet") == []


def test_a_source_that_forbids_passing_on_stays_here(every_store: Store) -> None:
    every_store.record_results([a_result(), a_result(source="the-odds-api")]).result(10)
    every_store.record_results([a_result(source="x")], Origin("mine", may_share=False)).result(10)
    assert visible(every_store) == ["a", "the-odds-api", "x"]
    assert visible(every_store, share=()) == ["a"]
    assert visible(every_store, share=("the-odds-api",)) == ["a", "the-odds-api"]


def test_simulated_results_end_with_the_first_real_odds(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()], simulated=True).result(10)
    ended = a_result(simulated=True)
    going = a_result(kick_off=KICK_OFF + DAY, simulated=True, status=GameStatus.IN_PLAY)
    every_store.record_results([ended, going]).result(10)
    every_store.end_simulation(another=True).result(10)  # bets on ended games settle later, too
    assert [each.result for each in every_store.reader().results()] == [ended]
    every_store.record([quote()]).result(10)
    assert every_store.reader().results() == []
    with pytest.raises(RealOddsError):
        every_store.record_results([ended]).result(10)


def test_scores_of_an_older_database_stay(database: Database, quote: Callable[..., Quote]) -> None:
    with closing(open_store(database)) as store:
        store.record([quote()]).result(10)
    unnamed = ("EPL", "leeds - hull", KICK_OFF, 1, 0, None, None)
    make_older(database, [("LIG1", "psg - lyon", KICK_OFF, 3, 1, 2, 0), unnamed])
    with closing(open_store(database)) as store:
        found = store.reader().results()
    names = {"source": "football-data"}
    assert [each.result for each in found] == [
        a_result(1, 0, competition="EPL", match_name="leeds - hull", **names),
        a_result(3, 1, periods=HALVES, **names),
    ]
    assert [each.has_game for each in found] == [False, True]


def make_older(database: Database, rows: list[tuple[Any, ...]]) -> None:
    """Turn a database into one of the version that had only final scores."""
    if isinstance(database, Path):
        add = "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?)"
        made = next(step.statements for step in ODDS.steps if step.name == "results")
        done = "DELETE FROM _sqlite_migrations WHERE name = 'results_by_source'"
        with closing(sqlite3.connect(database)) as connection:
            for statement in ("DROP VIEW results", "DROP TABLE result", *made, done):
                connection.execute(statement)
            connection.executemany(add, rows)
            connection.commit()
        return
    with closing(psycopg.connect(database.url)) as connection:
        undo_steps(connection, RESULT_BY_SOURCE)
        for statement in RESULTS:
            connection.execute(statement)
        add = "INSERT INTO result VALUES (%s, %s, %s, %s, %s, %s, %s)"
        connection.cursor().executemany(add, rows)
        connection.commit()


def test_the_view_shows_what_a_source_reported(database: Database) -> None:
    with closing(open_store(database)) as store:
        store.record_results([a_result(2, 1), a_result(2, 2, periods=HALVES)]).result(10)
    connection: Any = (
        sqlite3.connect(database) if isinstance(database, Path) else psycopg.connect(database.url)
    )
    with closing(connection):
        query = "SELECT match_name, status, home, away, periods, reported_at, before FROM results"
        ((*names, periods, reported_at, before),) = connection.execute(query).fetchall()
    assert names == ["PSG - Lyon", "final", 2, 2]
    assert (periods, reported_at) == ("[[1,2,0],[2,1,1]]", None)
    assert '"home":2,"away":1' in before


def test_a_market_was_last_seen_when_it_was_read_again_without_a_move(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    every_store.record([quote()]).result(10)
    every_store.record([quote(scraped_at=NOW + 60_000)]).result(10)
    reader = every_store.reader()
    (game,) = {change.game_id for change in reader.changes_after(0, 10)}
    assert reader.last_sightings(game) == {("Bet365", "moneyline", 0): [NOW + 60_000]}
    every_store.record([quote(scraped_at=NOW + 90_000, is_live=True)]).result(10)
    times = [NOW + 60_000, NOW + 90_000]
    assert reader.last_sightings(game) == {("Bet365", "moneyline", 0): times}
