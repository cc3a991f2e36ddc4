"""Statistics of many bookmakers are stored apart from prices, and found by their games."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from oddsdesk.cluster.postgres.schema import GAME_SERIES
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.series import GameSeries, SeriesKind, SeriesPoint
from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Origin
from tests.kit.postgres import undo_steps
from tests.kit.store import NOW

KICK_OFF = NOW + 3_600_000
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BEST = {"PSG": 1.62, "Draw": 4.4, "Lyon": 6.0}
MEAN = {"PSG": 1.55, "Draw": 4.1, "Lyon": 5.4}


def a_point(
    kind: SeriesKind = "best", odds: dict[str, float] = BEST, *, closing: bool = True, **fields: Any
) -> SeriesPoint:
    """Return a point of a match result."""
    at = KICK_OFF if closing else KICK_OFF - DAY
    usual = {"market_type": "moneyline", "period": 0, "scraped_at": at} | fields
    return SeriesPoint(kind=kind, closing=closing, odds=odds, **usual)


def a_series(*points: SeriesPoint, **fields: Any) -> GameSeries:
    """Return the series of PSG - Lyon."""
    usual = {"competition": "LIG1", "match_name": "PSG - Lyon", "kick_off": KICK_OFF, "source": "s"}
    return GameSeries(points=points or (a_point(),), **(usual | fields))


def recorded(store: Store, *series: GameSeries) -> list[GameSeries]:
    """Record series one by one, and return all that are stored, as their sources spell them."""
    for each in series:
        store.record_series([each]).result(10)
    return [
        GameSeries(
            *(each.competition, each.match_name, each.kick_off, each.points, each.sport),
            *(each.has_time, each.source),
        )
        for each in store.reader().series()
    ]


def test_a_series_is_read_as_it_was_recorded(every_store: Store) -> None:
    total = a_point("mean", {"Over 2.5": 1.9, "Under 2.5": 1.95}, market_type="total", period=1)
    whole = a_series(a_point(closing=False), total, sport="Basketball", has_time=False)
    assert recorded(every_store, whole) == [whole]
    (found,) = every_store.reader().series()
    assert (found.game_id, found.has_game) == (game_id("LIG1", "PSG - Lyon"), False)
    assert found.recorded_at == NOW


def test_a_series_is_no_price(every_store: Store, quote: Callable[..., Quote]) -> None:
    every_store.record([quote("Bet365")]).result(10)
    every_store.record_series([a_series(), a_series(match_name="Lens - Metz")]).result(10)
    reader = every_store.reader()
    assert [each.name for each in reader.list_bookmakers(NOW)] == ["Bet365"]
    assert reader.recorded_bookmakers() == ["Bet365"]
    assert {each.bookmaker for each in reader.changes_after(0, 10)} == {"Bet365"}
    assert [each.match_name for each in reader.real_games_between(0, KICK_OFF + DAY)] == [
        "PSG - Lyon"
    ]
    assert len(reader.series()) == 2


def test_a_second_import_of_a_file_changes_nothing(every_store: Store) -> None:
    series = a_series(a_point(), a_point("mean", MEAN))
    assert recorded(every_store, series) == recorded(every_store, series) == [series]


def test_points_of_a_corrected_file_replace_their_own(every_store: Store) -> None:
    line, moved = ({f"PSG {at}": 1.9, f"Lyon {at}": 1.9} for at in ("-0.75", "-1"))
    opening = a_point("mean", MEAN, closing=False)
    handicap = a_point("best", line, market_type="spread")
    corrected = a_point("best", moved, market_type="spread")
    found = recorded(every_store, a_series(opening, handicap), a_series(a_point(), corrected))
    assert found == [a_series(opening, corrected, a_point())]


def test_a_kick_off_that_was_corrected_is_the_same_game(every_store: Store) -> None:
    moved = a_series(kick_off=KICK_OFF + HOUR)
    assert recorded(every_store, a_series(), moved) == [moved]
    later = a_series(kick_off=KICK_OFF + 7 * DAY)
    assert recorded(every_store, later) == [moved, later]


def test_a_file_without_hours_leaves_the_times(every_store: Store) -> None:
    noon = KICK_OFF // DAY * DAY + DAY // 2
    untimed = a_series(
        a_point("best", MEAN, scraped_at=noon),
        a_point("mean", MEAN, scraped_at=noon),
        kick_off=noon,
        has_time=False,
    )
    assert recorded(every_store, a_series(), untimed) == [
        a_series(a_point("best", MEAN), a_point("mean", MEAN, scraped_at=noon))
    ]


def test_each_source_has_a_series_of_its_own(every_store: Store) -> None:
    every_store.record_series([a_series(source="")], Origin("football-data")).result(10)
    found = recorded(every_store, a_series(a_point("mean", MEAN)))
    assert [each.source for each in found] == ["football-data", "s"]
    (one,) = every_store.reader().series(source="s")
    assert one.points == (a_point("mean", MEAN),)


def test_a_series_is_found_under_another_name_of_its_game(
    every_store: Store, quote: Callable[..., Quote]
) -> None:
    names = {"competition": "EPL", "odds": {"Arsenal": 1.5}}
    every_store.record([quote(match_name="Arsenal vs Man United", **names)]).result(10)
    other = "Manchester United - Arsenal"
    every_store.record([quote("bwin", match_name=other, **names)]).result(10)
    handicap = a_point("best", {"Manchester United +0.5": 1.8, "Arsenal -0.5": 2.1})
    series = a_series(
        msgspec.structs.replace(handicap, market_type="spread"), competition="EPL", match_name=other
    )
    every_store.record_series([series]).result(10)
    (found,) = every_store.reader().series()
    assert (found.game_id, found.has_game) == (game_id("EPL", "Arsenal vs Man United"), True)
    assert found.match_name == "Arsenal vs Man United"
    assert found.points[0].odds == {"Man United +0.5": 1.8, "Arsenal -0.5": 2.1}


def test_a_series_outlives_its_game(every_store: Store, quote: Callable[..., Quote]) -> None:
    every_store.record([quote()]).result(10)
    every_store.record_series([a_series()]).result(10)
    assert [each.has_game for each in every_store.reader().series()] == [True]
    every_store.prune(NOW + 11 * DAY, keep_days=10)
    (found,) = every_store.reader().series()
    assert (found.game_id, found.has_game) == (game_id("LIG1", "PSG - Lyon"), False)
    assert found.points == (a_point(),)


def test_series_are_read_by_kick_off(every_store: Store) -> None:
    series = [
        a_series(kick_off=KICK_OFF + day * DAY, competition=competition)
        for day in range(3)
        for competition in ("EPL", "LIG1")
    ]
    every_store.record_series(reversed(series)).result(10)
    reader = every_store.reader()
    assert [(each.kick_off, each.competition) for each in reader.series()] == [
        (each.kick_off, each.competition) for each in series
    ]
    (some,) = reader.series(KICK_OFF + DAY, KICK_OFF + 2 * DAY, "EPL")
    assert (some.kick_off, some.competition) == (KICK_OFF + DAY, "EPL")


def connected(database: Database) -> Any:
    return (
        sqlite3.connect(database) if isinstance(database, Path) else psycopg.connect(database.url)
    )


def test_the_view_has_a_row_for_each_of_the_odds(database: Database) -> None:
    with closing(open_store(database)) as store:
        store.record_series([a_series(a_point(closing=False), a_point("mean", MEAN))]).result(10)
    with closing(connected(database)) as connection:
        rows = connection.execute("SELECT kind, closing, selection, odds FROM series").fetchall()
    assert sorted((kind, bool(last), *rest) for kind, last, *rest in rows) == sorted(
        [("best", False, *each) for each in BEST.items()]
        + [("mean", True, *each) for each in MEAN.items()]
    )


@pytest.mark.parametrize("times", [1, 2])
def test_an_older_database_gets_the_table(database: Database, times: int) -> None:
    open_store(database).close()
    with closing(connected(database)) as connection:
        if isinstance(database, Path):
            connection.execute("DROP VIEW series")
            connection.execute("DROP TABLE game_series")
            connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'game_series'")
        else:
            undo_steps(connection, GAME_SERIES)
        connection.commit()
    for _ in range(times):
        with closing(open_store(database)) as store:
            assert recorded(store, a_series()) == [a_series()]
