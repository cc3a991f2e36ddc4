"""The stored game of a quote's teams is found by an index as plain comparing finds it (D69)."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.quotes import Quote
from oddsdesk.matching.games import Game, Verdict, compare
from oddsdesk.store.games import plain_name
from oddsdesk.store.other_names import OtherNames, names_known
from oddsdesk.store.sqlite.tables import SqliteTables
from oddsdesk.store.store import Store, open_store
from tests.kit.store import NOW

HOUR = 3_600_000
UNITED = ["Man United", "Manchester United", "Man Utd"]
ARSENAL = ["Arsenal", "Arsenal FC", "The Gunners", "Leeds"]
INSERT = """
INSERT INTO game (id, game_id, competition, sport, match_name, plain_name, match_date)
VALUES (?, ?, ?, 'Football', ?, ?, ?)
"""
SAY_SAME = "INSERT INTO same_team VALUES (?, 'EPL', 'The Gunners', 'Arsenal')"


@dataclass(slots=True)
class Known:
    row: int
    competition: str
    match_name: str
    match_date: int | None


names = st.builds(
    str.format,
    st.sampled_from(["{0} - {1}", "{0} vs {1}", "{0} @ {1}", "{1} - {0}"]),
    st.sampled_from(UNITED),
    st.sampled_from(ARSENAL),
)
places = st.sampled_from(["EPL", "EPL", "soccer_epl", "EFL"])
starts = st.sampled_from([NOW + minutes * 60_000 for minutes in range(-180, 181, 30)])
games = st.lists(st.tuples(places, names, starts, st.booleans()), max_size=12)


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("names")
    with closing(open_store(path / "odds.db")) as store:
        yield store


def quote_of(competition: str, match_name: str, start: int) -> Quote:
    return Quote(
        bookmaker="Bet365",
        match_name=match_name,
        competition=competition,
        market_type="moneyline",
        period=0,
        odds={},
        scraped_at=NOW,
        match_date=start,
    )


def plainly(
    connection: sqlite3.Connection, known: list[Known], quote: Quote
) -> tuple[int, bool] | None:
    found = []
    said = Game(quote.competition, quote.match_name, quote.match_date, NOW)
    for game in known:
        plain = (game.competition, plain_name(game.match_name))
        if game.match_date is None or plain == (quote.competition, plain_name(quote.match_name)):
            continue
        stored = Game(game.competition, game.match_name, game.match_date, NOW)
        match = compare(names_known(SqliteTables(connection)), said, stored)
        if match.verdict is Verdict.SAME:
            away = abs(game.match_date - (quote.match_date or 0))
            found.append((away, game.row, match.is_crosswise, game.match_date))
    if not found:
        return None
    (near, *_, start), (farther, *_, other) = (*sorted(found), (1 << 60, 0, False, 1 << 60))[:2]
    is_between = min(start, other) < (quote.match_date or 0) < max(start, other)
    is_of_neither = is_between and farther - near < 3_600_000 and farther < 2 * near
    return None if is_of_neither else min(found)[1:3]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(games, st.lists(st.tuples(places, names, starts), min_size=1, max_size=4), st.booleans())
def test_the_index_answers_as_comparing_with_every_game(
    one_store: Store,
    said: list[tuple[str, str, int, bool]],
    asked: list[tuple[str, str, int]],
    with_alias: bool,
) -> None:
    known = [Known(row, *each[:3]) for row, each in enumerate(said, 1)]
    made = [game for game, (*_, is_made) in zip(known, said, strict=True) if is_made]

    def check(connection: sqlite3.Connection) -> None:
        for game in known:
            date = None if game in made else game.match_date
            place = (game.competition, game.match_name, plain_name(game.match_name), date)
            connection.execute(INSERT, (game.row, f"id {game.row}", *place))
        if with_alias:
            connection.execute("INSERT INTO game_pair VALUES (1,'','','','','',0,'',0,NULL)")
            connection.execute(SAY_SAME, (1,))
        quotes = [quote_of(*each) for each in asked]
        other_names = OtherNames(SqliteTables(connection), quotes)
        for game in made:
            other_names.note_made(game, plain_name(game.match_name))
        for quote in quotes:
            found = other_names.find(quote, plain_name(quote.match_name))
            assert found == plainly(connection, known, quote)
        for table in ("same_team", "game_pair", "game"):
            connection.execute(f"DELETE FROM {table}")

    one_store.write(check).result(10)
