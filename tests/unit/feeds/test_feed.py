"""Feeds are opened by name, and what they say is recorded."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.feed import FeedError, open_feed, run_feed
from oddsdesk.store.store import open_store

NOW = parse_ms("2026-11-20T18:30:00Z")
QUOTE = Quote("A", "Home vs Away", "NBA", "moneyline", 0, {"Home": 2.0, "Away": 1.9}, NOW)


class Said:
    """A feed that says what it was given."""

    name = "said"

    def __init__(self, *batches: list[Quote], simulated: bool = False) -> None:
        self.simulated = simulated
        self._batches = batches

    async def batches(self, clock: Clock) -> AsyncIterator[list[Quote]]:
        for batch in self._batches:
            yield batch


def test_none_is_no_feed() -> None:
    assert open_feed("none", reference="Pinnacle") is None


def test_the_simulator_says_that_it_is_one() -> None:
    feed = open_feed("simulator", reference="Pinnacle")
    assert feed is not None
    assert feed.simulated


def test_a_replay_is_opened_with_its_speed(shared_data: Path) -> None:
    place = shared_data / "football-data" / "E0_2425.csv"
    feed = open_feed(f"replay:football-data:{place}", reference="Pinnacle", speed=60)
    assert feed is not None
    assert (feed.name, feed.simulated) == ("replay of E0_2425.csv · 60x", False)


@pytest.mark.parametrize("spec", ["", "simulators", "replay", "replay:"])
def test_other_names_are_refused_with_what_was_expected(spec: str) -> None:
    with pytest.raises(FeedError, match="expected none, simulator, replay:FILE"):
        open_feed(spec, reference="Pinnacle")


async def test_what_a_feed_says_is_recorded(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    await run_feed(Said([QUOTE], simulated=True), store, lambda: NOW)
    try:
        assert store.reader().last_seq() == 2
        assert store.reader().is_simulated(NOW)
    finally:
        store.close()


async def test_a_database_that_refuses_is_told_once_and_the_feed_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "odds.db"
    open_store(path).close()
    store = open_store(path, read_only=True)
    try:
        with caplog.at_level(logging.WARNING):
            await asyncio.wait_for(run_feed(Said([QUOTE], [QUOTE]), store, lambda: NOW), 5)
    finally:
        store.close()
    assert caplog.text.count("said: quotes are lost until this ends") == 1
