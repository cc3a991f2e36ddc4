"""The log of each shard is numbered on its own, and a game is in one shard only."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any

import msgspec
import pytest

from oddsdesk.cluster.postgres.pair_tables import PostgresPairTables
from oddsdesk.cluster.postgres.tables import OtherShardsError, PostgresTables, shard_of
from oddsdesk.contract.identity import PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import DAY_MS
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.game_pairs import accept, find_pairs, undo_pair
from oddsdesk.store.games import plain_name
from oddsdesk.store.reader import Reader, read_after
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.store import open_store
from oddsdesk.store.tables import Changes
from oddsdesk.store.values import Change, Filters, MoveFilter, Visibility
from tests.kit.postgres import Postgres
from tests.kit.store import NOW

SHARDS = 3
LIMIT_S = 30
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


def test_all_that_stands_is_read_with_all_shards_taken(connection: Any) -> None:
    """Else another process could simulate on in a shard, and not know of the first real odds."""
    with connection.transaction(), pytest.raises(OtherShardsError) as met:
        PostgresTables(connection, {1}).standing_quotes()
    assert met.value.shards == {0, 1, 2}


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
        undo_pair(PostgresPairTables(connection), pair.ident, NOW, reference="Pinnacle")
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

    def write_recording(self, changes: Changes) -> int:
        self._connection.execute("UPDATE quote SET url = 'x'")
        return super().write_recording(changes)


def test_a_price_that_another_program_moved_is_not_lost_in_silence(
    connection: Any, quote: Callable[..., Quote]
) -> None:
    record(connection, [quote()])
    again = [quote(odds={"PSG": 9.0})]
    asked: dict[str, Any] = {"reference": "Pinnacle", "simulated": False, "now_ms": NOW}
    with (
        pytest.raises(StoreUnavailableError, match="without locking their shard"),
        connection.transaction(),
    ):
        record_quotes(Disturbed(connection), again, **asked)


def test_the_number_of_shards_is_settled_before_the_log_begins(
    postgres: Postgres, quote: Callable[..., Quote]
) -> None:
    database = DatabaseUrl(postgres.url_with_tables())
    with closing(open_store(database, shards=SHARDS)) as store:
        store.record([quote()]).result(LIMIT_S)
        assert store.reader().shards == SHARDS
    for same in (None, SHARDS):
        with closing(open_store(database, shards=same)) as store:
            assert store.reader().shards == SHARDS
    with pytest.raises(StoreError, match="its log has 3 shards; the number cannot be changed"):
        open_store(database, shards=2)


def test_two_recorders_over_two_shards_tell_what_one_does_on_one(
    postgres: Postgres, quote: Callable[..., Quote]
) -> None:
    """Who follows the log meanwhile has each row once, in the order of its shard."""
    games = [f"Home {number} - Away" for number in range(8)]
    batches = [
        [quote(match_name=name, odds={"Draw": price}, scraped_at=NOW + place) for name in part]
        for place, price in enumerate((2.0, 2.5, 3.0))
        for part in (games[::2], games[1::2])
    ]
    one = DatabaseUrl(postgres.url_with_tables())
    with closing(open_store(one, clock=lambda: NOW)) as store:
        for batch in batches:
            store.record(batch).result(LIMIT_S)
        expected = answers(store.reader())
    two = DatabaseUrl(postgres.url_with_tables())
    with ExitStack() as opened:
        stores = [
            opened.enter_context(closing(open_store(two, shards=2, clock=lambda: NOW)))
            for _ in range(3)
        ]
        recorded = [stores[n % 2].record(batch) for n, batch in enumerate(batches)]
        reader, position = stores[2].reader(), (0, 0)
        seen: list[Change] = []
        while len(seen) < len(games) * 3 or not all(each.done() for each in recorded):
            found = read_after(reader, position, 5)
            position, seen = found.end, [*seen, *found.changes]
        assert [each.result(LIMIT_S).changes for each in recorded] == [4] * len(batches)
        numbers: dict[int, list[int]] = {0: [], 1: []}
        for change in seen:
            numbers[shard_of(plain_name(change.match_name), 2)].append(change.seq)
        assert all(numbers.values())
        assert all(told == [*range(1, len(told) + 1)] for told in numbers.values())
        assert answers(reader) == expected


def test_spellings_of_a_bookmaker_are_one_in_recordings_of_two_shards_at_once(
    postgres: Postgres, connection: Any, quote: Callable[..., Quote]
) -> None:
    """The second looks for names before the first has ended."""
    games = ("PSG - Lyon", "Lens - Lille")
    first, second = ({shard_of(plain_name(game), SHARDS)} for game in games)
    assert first != second
    waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"
    with (
        closing(postgres.connect(connection.info.dsn)) as other,
        ThreadPoolExecutor() as threads,
        connection.transaction(),
    ):
        record(connection, [quote("betvictor", match_name=games[0])], first)
        said = quote("Bet Victor", match_name=games[1])
        recording = threads.submit(record, other, [said], second)
        while not recording.done() and connection.execute(waits).fetchall() == [(False,)]:
            pass
    recording.result(LIMIT_S)
    found = connection.execute("SELECT DISTINCT bookmaker FROM quote").fetchall()
    assert found == [("betvictor",)]


def answers(reader: Reader) -> list[bytes]:
    everybody, everything = Visibility(), Filters()
    listed = reader.list_games(NOW, everything, everybody, 99).items
    moves = [reader.moves(each.game_id, MoveFilter(), everybody, 99) for each in listed]
    said = [
        listed,
        reader.list_odds(NOW, everything, everybody, 99).items,
        reader.list_events(NOW, everything, everybody, 10, 99).items,
        reader.games_as_of(NOW + 1, everything, everybody, 99).items,
        [reader.matrix(each.game_id, NOW, everybody) for each in listed],
        [reader.matrix_as_of(each.game_id, NOW + 1, everybody) for each in listed],
        [page.items for page in moves if page is not None],
        reader.list_bookmakers(NOW),
        reader.list_sports(NOW),
    ]
    return [msgspec.json.encode(each) for each in said]


def test_what_a_game_that_was_two_said_last_is_its_last_price(
    postgres: Postgres, quote: Callable[..., Quote]
) -> None:
    """Its earlier rows have higher numbers, those of another shard."""
    other = "PSG Sky v Lyon Sun"
    home, away = other.split(" v ")
    far = shard_of(plain_name(other), SHARDS)
    filling = [
        quote(match_name=name, match_date=NOW + n * DAY_MS)
        for n, name in enumerate(f"Home {n} - Away" for n in range(2, 42))
        if shard_of(plain_name(name), SHARDS) == far
    ]
    with closing(open_store(DatabaseUrl(postgres.url_with_tables()), shards=SHARDS)) as store:
        said = {"bookmaker": "Unibet", "match_name": other}
        store.record(filling).result(LIMIT_S)
        store.record([quote(), quote(odds={home: 1.5, away: 6.0}, **said)]).result(LIMIT_S)
        (pair,) = store.find_pairs().result(LIMIT_S)
        store.decide_pairs([pair.ident], PairState.ACCEPTED, NOW).result(LIMIT_S)
        for later, price in ((1, 1.8), (2, 1.9)):
            moved = quote(odds={home: price, away: 4.0}, scraped_at=NOW + later, **said)
            store.record([moved]).result(LIMIT_S)
        reader, (game,) = (
            store.reader(),
            (
                each.game_id
                for each in store.reader().list_games(NOW, Filters(), Visibility(), 99).items
                if each.match_name in ("PSG - Lyon", other)
            ),
        )
        matrix = reader.matrix_as_of(game, NOW + 1, Visibility())
        assert matrix is not None
        (row,) = [row for row in matrix.markets[0].selections if row.selection == "PSG"]
        assert row.books["Unibet"].odds == 1.8
        moves = reader.history(game, "moneyline", 0, "PSG", 0)
        assert [move.odds for move in moves if move.bookmaker == "Unibet"] == [1.5, 1.8, 1.9]
