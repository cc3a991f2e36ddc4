"""What PostgreSQL's reader answers is what SQLite's does, byte for byte, and it comes back."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.cluster.postgres.connections import ServerAddress
from oddsdesk.cluster.postgres.reader import PostgresReader, PostgresSelect
from oddsdesk.cluster.postgres.tables import PostgresTables
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.names import BookmakerNames
from oddsdesk.store.reader import Reader
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.postgres import Postgres
from tests.kit.store import FILTERS, NOW, VISIBILITIES, some_quotes

COMPETITIONS = ("EPL", "NBA", "Liga Própria")
HOUR = 60 * MINUTE_MS
SEEING = [*VISIBILITIES, Visibility(share=()), Visibility("A", live=False, share=("x",))]


class Both:
    """A reader of each engine on the same quotes; what they answer must be equal."""

    def __init__(self, one: Reader, other: Reader) -> None:
        self.one, self.other = one, other
        self.compared: set[bytes] = set()

    def ask(self, question: Callable[[Reader], Any]) -> Any:
        answer = question(self.one)
        encoded = msgspec.json.encode(answer)
        assert msgspec.json.encode(question(self.other)) == encoded
        self.compared.add(encoded)
        return answer

    def pages(self, question: Callable[[Reader, str | None], Any]) -> None:
        cursor = None
        for _ in range(4):
            cursor = self.ask(lambda reader, at=cursor: question(reader, at)).next_cursor
            if cursor is None:
                break


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Both]:
    folder, url = tmp_path_factory.mktemp("both"), postgres.url_with_tables()
    names = BookmakerNames("Pinnacle")
    said = {"reference": "Pinnacle", "simulated": False, "now_ms": NOW}
    with (
        closing(open_store(folder / "odds.db", clock=lambda: NOW)) as store,
        closing(postgres.connect(url)) as connection,
        closing(PostgresReader(ServerAddress(url), "Pinnacle")) as reader,
    ):
        for seed in range(3, 7):
            quotes = some_quotes(seed)
            store.record(quotes).result(10)
            with connection.transaction():
                record_quotes(PostgresTables(connection), quotes, bookmakers=names, **said)
        yield Both(store.reader(), reader)


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_lists_are_equal_page_by_page(both: Both, filters: Filters) -> None:
    for seen in SEEING:
        for name in ("list_games", "list_odds"):
            both.pages(lambda r, at: getattr(r, name)(NOW, filters, seen, 5, at))  # noqa: B023
        for name in ("games_as_of", "odds_as_of"):
            then = NOW - 11 * MINUTE_MS
            both.pages(lambda r, at: getattr(r, name)(then, filters, seen, 3, at))  # noqa: B023
        both.pages(lambda r, at: r.list_events(NOW, filters, seen, 20, 2, at))  # noqa: B023


@pytest.mark.parametrize("competition", COMPETITIONS)
def test_games_and_their_past_are_equal(both: Both, competition: str) -> None:
    for name in (f"Home {number} - Away" for number in range(8)):
        ident = game_id(competition, name)
        selections = [("total", 0, "Yes"), ("btts", 1, "No")]
        for seen in SEEING:
            both.ask(lambda r: r.matrix(ident, NOW, seen))  # noqa: B023
            both.ask(lambda r: r.matrix_as_of(ident, NOW - 12 * MINUTE_MS, seen))  # noqa: B023
            both.ask(lambda r: r.event_detail(name, NOW, seen, stale_minutes=20))  # noqa: B023
        both.ask(lambda r: r.history(ident, "total", 0, "Yes", 0))  # noqa: B023
        for since in (0, NOW, NOW + 1):
            both.ask(lambda r: [*r.reference_history(ident, selections, since).items()])  # noqa: B023


def test_everything_else_is_equal(both: Both) -> None:
    since = NOW - HOUR
    for question in (
        lambda r: r.list_sports(NOW),
        lambda r: r.list_bookmakers(NOW),
        lambda r: r.list_bookmakers(NOW, has_live=True),
        lambda r: r.changes_after(3, 5_000),
        lambda r: (r.shards, r.last_seq(), r.log_began(), r.last_scraped_at(), r.newest_price()),
        lambda r: (
            r.is_simulated(NOW),
            r.is_shifted(NOW),
            r.unpriced_reference(),
            r.holds_real_odds(),
            r.sources(NOW),
            r.keep_days(),
        ),
        lambda r: r.market_prices(1, "total", 0),
        lambda r: r.standing_quotes(NOW, HOUR),
        lambda r: sorted(r.priced_draws(since)),
        lambda r: r.games_to_value(since),
        lambda r: r.markets_to_value(1),
        lambda r: sorted(r.bookmakers_that_drew(1, 0, 0)),
        lambda r: sorted(map(str, r.moneylines_like(1, ["A", "Pinnacle"], since))),
        lambda r: r.silences(0, NOW + HOUR, MINUTE_MS),
        lambda r: [r.bookmaker_name(name) for name in ("pinnacle", "a", "nobody")],
        lambda r: r.merged_ids(),
        lambda r: sorted(r.pairs_left_out(r.changes_after(0, 5_000), ())),
        lambda r: sorted(r.pairs_left_out(r.changes_after(0, 5_000), ("the-odds-api",))),
    ):
        both.ask(question)
    assert len(both.compared) > 5


def test_what_no_name_can_hold_finds_nothing(both: Both) -> None:
    for name in ("A\0", "\0", "A' OR 1=1 --", "%s", ":since"):
        odd = Filters(bookmaker=name)
        assert both.ask(lambda r: r.list_odds(NOW, odd, Visibility(), 5)).items == []  # noqa: B023
        both.ask(lambda r: r.event_detail(name, NOW, Visibility(), stale_minutes=20))  # noqa: B023


def test_queries_together_see_one_moment(postgres: Postgres) -> None:
    url = postgres.url_with_tables()
    with (
        closing(PostgresSelect(ServerAddress(url))) as select,
        closing(postgres.connect(url)) as other,
    ):
        with select.together():
            assert select("SELECT seq FROM shard") == [(0,)]
            other.execute("UPDATE shard SET seq = 5")
            assert select("SELECT seq FROM shard") == [(0,)]
        assert select("SELECT seq FROM shard") == [(5,)]


def test_a_reader_writes_nothing(postgres: Postgres) -> None:
    with (
        closing(PostgresSelect(ServerAddress(postgres.url_with_tables()))) as select,
        pytest.raises(StoreUnavailableError, match="read-only"),
    ):
        select("UPDATE shard SET seq = 5 RETURNING seq")


def test_a_reader_whose_connection_is_cut_connects_again(postgres: Postgres) -> None:
    url = postgres.url_with_tables()
    with (
        closing(PostgresSelect(ServerAddress(url))) as select,
        closing(postgres.connect(url)) as other,
    ):

        def ask_after_a_cut() -> list[Any]:
            ((process,),) = select("SELECT pg_backend_pid()")
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
            return select("SELECT seq FROM shard")

        assert ask_after_a_cut() == [(0,)]
        with pytest.raises(StoreUnavailableError) as refused, select.together():
            ask_after_a_cut()
        assert refused.value.fault is Fault.AWAY
        with select.together():
            assert select("SELECT seq FROM shard") == [(0,)]


def test_a_closed_reader_is_unavailable(postgres: Postgres) -> None:
    reader = PostgresReader(ServerAddress(postgres.url_with_tables()), "Pinnacle")
    assert reader.last_seq() == 0
    reader.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        reader.last_seq()


def test_nobody_there_is_unavailable_until_somebody_is(tmp_path: Path) -> None:
    reader = PostgresReader(ServerAddress(f"postgresql://x@/x?host={tmp_path}"), "Pinnacle")
    with pytest.raises(StoreUnavailableError) as refused:
        reader.last_seq()
    assert refused.value.fault is Fault.AWAY
