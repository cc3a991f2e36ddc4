"""The log of each shard is numbered on its own, and a game is in one shard only."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.game_pairs import accept, find_pairs, undo
from oddsdesk.store.games import plain_name
from oddsdesk.store.postgres.game_rows import shard_of
from oddsdesk.store.postgres.pair_tables import PostgresPairTables
from oddsdesk.store.postgres.tables import OtherShardsError, PostgresTables
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.tables import Changes
from tests.kit.postgres import Postgres
from tests.kit.store import NOW

SHARDS = 3
SEQS = "SELECT shard, array_agg(seq ORDER BY seq) FROM price_change GROUP BY shard ORDER BY shard"


@pytest.fixture
def connection(postgres: Postgres) -> Any:
    with closing(postgres.connect(postgres.url_with_tables())) as connection:
        for shard in range(1, SHARDS):
            connection.execute("INSERT INTO shard (shard) VALUES (%s)", (shard,))
        yield connection


def record(connection: Any, quotes: list[Quote], shards: set[int] | None = None) -> int:
    with connection.transaction():
        tables = PostgresTables(connection, shards)
        return record_quotes(
            tables, quotes, reference="Pinnacle", simulated=False, now_ms=NOW
        ).last_seq


def test_each_shard_counts_without_a_gap(connection: Any, quote: Callable[..., Quote]) -> None:
    games = [f"Home {number} - Away" for number in range(9)]
    for price in (1.5, 1.6):
        quotes = [quote(match_name=name, odds={"Draw": price}) for name in games]
        last = record(connection, quotes)
    assert last == 18
    seqs = dict(connection.execute(SEQS).fetchall())
    assert sorted(seqs) == [0, 1, 2]
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in seqs.values())
    assert dict(connection.execute("SELECT shard, seq FROM shard").fetchall()) == {
        shard: len(numbers) for shard, numbers in seqs.items()
    }


def test_two_seasons_of_the_same_teams_share_a_shard(
    connection: Any, quote: Callable[..., Quote]
) -> None:
    week = 7 * 24 * 3_600_000
    record(connection, [quote(match_date=NOW), quote(match_date=NOW + week)])
    games = connection.execute("SELECT match_name, shard FROM game ORDER BY id").fetchall()
    shard = shard_of(plain_name("PSG - Lyon"), SHARDS)
    assert games == [("PSG - Lyon", shard), ("PSG - Lyon (2026-04-19)", shard)]


def test_a_recording_that_meets_a_game_of_another_shard_says_which_it_needs(
    connection: Any, quote: Callable[..., Quote]
) -> None:
    own = shard_of(plain_name("PSG - Lyon"), SHARDS)
    other = (own + 1) % SHARDS
    with pytest.raises(OtherShardsError) as met:
        record(connection, [quote()], {other})
    assert met.value.shards == {own, other}
    assert connection.execute("SELECT count(*) FROM game").fetchall() == [(0,)]
    assert record(connection, [quote()], {own}) == 3


def test_a_pair_of_games_in_two_shards_is_one_and_two_again(
    connection: Any, quote: Callable[..., Quote]
) -> None:
    one, other = "PSG - Lyon", "PSG Sky v Lyon Sun"
    assert shard_of(plain_name(one), SHARDS) != shard_of(plain_name(other), SHARDS)
    home, away = other.split(" v ")
    record(connection, [quote(), quote("Unibet", match_name=other, odds={home: 1.5, away: 6.0})])
    before = contents(connection)
    with connection.transaction():
        (pair,) = find_pairs(PostgresPairTables(connection, ()))
        accept(PostgresPairTables(connection), pair.ident, NOW)
    assert len(contents(connection)["game"]) == 1
    late = [quote(odds={"PSG": 1.7}), quote("Unibet", match_name=other, odds={home: 1.8})]
    record(connection, late)
    with connection.transaction():
        undo(PostgresPairTables(connection), pair.ident, NOW, reference="Pinnacle")
    after = contents(connection)
    assert after["game"] == before["game"]
    assert set(before["price_change"]) < set(after["price_change"])
    shards = dict(connection.execute("SELECT id, shard FROM game").fetchall())
    assert all(shards[row[2]] == row[0] for row in after["price_change"])


def contents(connection: Any) -> dict[str, list[Any]]:
    return {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
        for table in ("game", "price_change")
    }


class Disturbed(PostgresTables):
    """Tables of which another program changes rows between reading and writing."""

    def write(self, changes: Changes) -> int:
        self._connection.execute("UPDATE quote SET url = 'x'")
        return super().write(changes)


def test_a_price_that_another_program_moved_is_not_lost_in_silence(
    connection: Any, quote: Callable[..., Quote]
) -> None:
    record(connection, [quote()])
    again = [quote(odds={"PSG": 9.0})]
    asked: dict[str, Any] = {"reference": "Pinnacle", "simulated": False, "now_ms": NOW}
    with (
        pytest.raises(StoreUnavailableError, match="without taking their shard"),
        connection.transaction(),
    ):
        record_quotes(Disturbed(connection), again, **asked)
