"""`serve --shards 2`: two processes record at a time, and each stream tells what both did."""

import contextlib
from pathlib import Path

from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import open_store
from tests.kit.cluster import LIMIT_S, Listener, Load, Node, Said, make_key, running
from tests.kit.postgres import Postgres
from tests.kit.workers import until

SHARDS = (0, 1)
BATCHES = 5


def logs_of(database: str) -> list[list[Said]]:
    """All that was recorded in each shard, in its order."""
    with contextlib.closing(open_store(DatabaseUrl(database), read_only=True)) as store:
        reader = store.reader()
        assert reader.shards == len(SHARDS)
        changes = [reader.changes_after(0, 10_000_000, shard) for shard in SHARDS]
    for told in changes:
        assert [each.seq for each in told] == [*range(1, len(told) + 1)]
    return [[(each.match_name, each.selection) for each in told] for told in changes]


def test_two_processes_record_over_two_shards_and_no_stream_lacks_or_repeats_a_row(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.url_with_tables()
    nodes = [Node(database, tmp_path, "api,stream", "--shards", "2") for _ in range(2)]
    with running(*nodes), contextlib.ExitStack() as opened:
        key = make_key(database)
        streams = [
            opened.enter_context(contextlib.closing(Listener(node.url, key))) for node in nodes
        ]
        with (
            Load(database, nodes[0].url) as one,
            Load(database, nodes[1].url, first_batch=1_000_000) as other,
        ):
            one.go_on(BATCHES)
            other.go_on(BATCHES)
        logs = logs_of(database)
        assert {name for log in logs for name, _ in log} == {*one.acknowledged, *other.acknowledged}
        count = sum(map(len, logs))
        until(lambda: all(len(each.messages) >= count for each in streams), LIMIT_S)
        for each in streams:
            assert len(each.messages) == count
            for log in logs:
                own = set(log)
                assert own
                assert [said for said in each.messages if said in own] == log
