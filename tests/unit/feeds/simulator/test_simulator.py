"""The simulator as a feed: batches at once, then as time goes on."""

from collections.abc import Callable

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.feed import open_feed
from oddsdesk.feeds.simulator import Simulator

NOW = 1_795_000_000_000


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.ms = NOW
        self.naps: list[float] = []

    def clock(self) -> int:
        return self.ms

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.ms += round(seconds * 1000)


async def batches(until: Callable[[Time], bool], seed: int = 1) -> list[list[Quote]]:
    time = Time()
    found = []
    async for batch in Simulator(seed=seed, sleep=time.sleep).batches(time.clock):
        found.append(batch)
        if until(time):
            return found
    raise AssertionError("the feed ended")


async def test_the_whole_market_comes_within_three_seconds() -> None:
    found = await batches(lambda time: time.ms > NOW + 3_000)
    opening = found[:-1]
    assert len({quote.match_name for batch in opening for quote in batch}) >= 60
    assert all(len(batch) < 1_000 for batch in opening)


async def test_it_awaits_between_slices() -> None:
    time = Time()
    async for _ in Simulator(seed=1, sleep=time.sleep).batches(time.clock):
        if time.ms > NOW + 3_000:
            break
    assert time.naps.count(0) >= 60


async def test_the_same_seed_and_clock_give_the_same_batches() -> None:
    first, second = [await batches(lambda time: time.ms > NOW + 20_000) for _ in range(2)]
    assert first == second


async def test_quotes_are_never_ahead_of_the_clock() -> None:
    time = Time()
    async for batch in Simulator(seed=2, sleep=time.sleep).batches(time.clock):
        assert all(quote.scraped_at <= time.ms for quote in batch)
        if time.ms > NOW + 30_000:
            break


async def test_it_sleeps_between_scrapes_and_not_for_long() -> None:
    time = Time()
    async for _ in Simulator(seed=1, sleep=time.sleep).batches(time.clock):
        if time.ms > NOW + 30_000:
            break
    naps = [nap for nap in time.naps if nap]
    assert 0.1 <= min(naps) <= max(naps) <= 0.5


def test_it_opens_by_name() -> None:
    feed = open_feed("simulator", reference="Pinnacle")
    assert feed is not None
    assert (feed.name, feed.simulated) == ("simulator", True)
