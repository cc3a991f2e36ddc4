"""`oddsdesk serve` in many processes on PostgreSQL, with a bus, and any of them killed."""

import contextlib
import sys
from pathlib import Path

import httpx
import pytest

from tests.kit.cluster import Faults, Listener, Load, Node, log_of, make_key, running
from tests.kit.nats import running_nats
from tests.kit.ndjson import quote
from tests.kit.postgres import Postgres
from tests.kit.workers import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a PostgreSQL of its own")


def test_whichever_process_is_killed_in_mid_load_nothing_is_lost_and_streams_go_on(
    postgres: Postgres, tmp_path: Path
) -> None:
    """One recorder, the bus and one gateway die, one after the other."""
    database = postgres.url_with_tables()
    with contextlib.ExitStack() as opened:
        nats = opened.enter_context(running_nats())
        options = ("--bus", nats.url)
        recorders = [Node(database, tmp_path, "api", *options) for _ in range(2)]
        gateways = [Node(database, tmp_path, "api,stream", *options) for _ in range(2)]
        opened.enter_context(running(*recorders, *gateways))
        key = make_key(database)
        first, second = (
            opened.enter_context(contextlib.closing(Listener(each.url, key))) for each in gateways
        )
        with Load(*(each.url for each in recorders)) as load:
            load.go_on()
            recorders[0].kill()
            load.go_on()
            nats.kill()
            load.go_on()
            until(lambda: "the bus" in " ".join(gateways[1].health()["reasons"]))
            gateways[0].kill()
            load.go_on()
            nats.start()
            until(lambda: "the bus" not in " ".join(gateways[1].health()["reasons"]))
            load.go_on()
        log = log_of(database)
        until(lambda: len(second.messages) >= len(log))
        assert first.has_ended
        assert {name for name, _ in log} >= set(load.acknowledged)
        faults = Faults(log)
        faults.look_at(first.messages, to_the_end=False)
        faults.look_at(second.messages, to_the_end=True)
        assert (faults.gaps, faults.repeats) == (0, 0)
        assert first.messages == log[: len(first.messages)]
        assert second.messages == log


def test_games_of_a_valuation_that_is_killed_are_valued_by_another(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.url_with_tables()
    answering = Node(database, tmp_path, "api")
    valuing = [Node(database, tmp_path, "valuation") for _ in range(2)]
    games = [f"Home {number} - Away" for number in range(40)]

    def bets(odds: float) -> set[str]:
        """The games with a value bet at these odds."""
        answer = httpx.get(f"{answering.url}/api/value-bets?limit=200", headers={"X-Api-Key": key})
        return {each["match_name"] for each in answer.json()["data"] if each["odds"] == odds}

    with running(answering, *valuing):
        key = make_key(database)
        sharp = {"Over 2.5": 2.05, "Under 2.5": 1.88}
        post(answering.url, sharp, games, bookmaker="Pinnacle")
        for odds, killed in ((2.15, valuing[0]), (2.16, valuing[1]), (2.17, None)):
            post(answering.url, {"Over 2.5": odds, "Under 2.5": 1.7}, games)
            until(lambda: bets(odds) == set(games))  # noqa: B023 - at once
            if killed is not None:
                killed.kill()
            if killed is valuing[1]:
                valuing[0].start()


def post(url: str, odds: dict[str, float], games: list[str], **said: str) -> None:
    lines = (quote(odds, market_type="total", match_name=game, **said) for game in games)
    answer = httpx.post(f"{url}/ingest", content="".join(lines), timeout=30)
    assert answer.json()["accepted"] == len(games)
