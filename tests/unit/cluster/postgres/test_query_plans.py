"""The plans that PostgreSQL can make of every query: no request walks or sorts a big table."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from oddsdesk.cluster.postgres.connections import ServerAddress
from oddsdesk.cluster.postgres.reader import PostgresSelect
from oddsdesk.cluster.postgres.tables import PostgresTables
from oddsdesk.store.names import BookmakerNames
from oddsdesk.store.queries.select import Parameters, Row
from oddsdesk.store.queries.valuation import STANDING
from oddsdesk.store.reader import Reader
from oddsdesk.store.recording import record_quotes
from tests.kit.many_quotes import many_quotes
from tests.kit.postgres import Postgres
from tests.kit.questions import ask_everything
from tests.kit.store import NOW, some_quotes

_MORE = """
UPDATE pg_class SET reltuples = reltuples * 100
WHERE reltuples > 0 AND relnamespace = current_schema()::regnamespace
"""
"""Has the planner believe in a hundred times the rows: it walks tables that are small."""
BIG = {"quote", "price_change"}
SCANS = {"Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan"}


class Explained(PostgresSelect):
    """Keeps the plan of each query."""

    def __init__(self, address: ServerAddress) -> None:
        super().__init__(address)
        self.plans: dict[str, dict[str, Any]] = {}

    def _run(self, query: str, parameters: Parameters) -> list[Row]:
        if query not in self.plans and query.lstrip().startswith(("SELECT", "WITH")):
            ((explained,),) = super()._run(f"EXPLAIN (FORMAT JSON) {query}", parameters)
            self.plans[query] = explained[0]["Plan"]
        return super()._run(query, parameters)


class OneShard(Reader):
    shards = 1


@pytest.fixture(scope="module")
def plans(postgres: Postgres) -> dict[str, dict[str, Any]]:
    url = postgres.url_with_tables()
    with closing(postgres.connect(url)) as connection:
        with connection.transaction():
            said = {"reference": "Pinnacle", "simulated": False, "now_ms": NOW}
            names = BookmakerNames("Pinnacle")
            quotes = [*some_quotes(), *many_quotes(1_000, NOW)]
            record_quotes(PostgresTables(connection), quotes, bookmakers=names, **said)
        connection.execute("ANALYZE")
        connection.execute(_MORE)
    with closing(Explained(ServerAddress(url))) as select:
        ask_everything(OneShard(select, "Pinnacle"))
        ask_everything(OneShard(select, "Pinnacle", share=["x"]))
        return select.plans


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def test_no_request_walks_a_big_table(plans: dict[str, dict[str, Any]]) -> None:
    for query, plan in plans.items():
        if query == STANDING or ":games" in query:  # all that there is, all games here
            continue
        walked = [
            node
            for node in nodes(plan)
            if node["Node Type"] in SCANS
            and (node.get("Relation Name") or node["Index Name"].removesuffix("_pkey")) in BIG
            and "Index Cond" not in node
        ]
        assert not walked, (query, walked)
    assert len(plans) > 100


def test_no_list_of_everything_is_sorted_as_a_whole(plans: dict[str, dict[str, Any]]) -> None:
    """What is narrowed to a few rows may well be sorted."""
    narrowed = re.compile(r"(sport|competition|bookmaker) = :|has_live")
    lists = [
        query
        for query in plans
        if "ORDER BY g.kickoff" in query and "LIMIT" in query and not narrowed.search(query)
    ]
    for query in lists:
        whole = [node for node in nodes(plans[query]) if node["Node Type"] == "Sort"]
        assert not whole, (query, whole)
    assert len(lists) > 5
