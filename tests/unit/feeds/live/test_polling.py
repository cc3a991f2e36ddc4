"""When a feed that polls reads, whatever its clock does."""

from typing import Any

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.spec import LiveSpec

NOW = 1_795_000_000_000
DAY = 86_400_000


class _Feed(PollingFeed):
    source_name = "test"
    base_url = "http://127.0.0.1:9"

    async def read(self, part: str, now_ms: int) -> Any:
        """Nothing is asked."""

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Say one price, seen now."""
        return [Quote("A", "B - C", "EPL", "moneyline", 0, {"B": 2.0, "C": 2.0}, now_ms)]


async def test_a_clock_that_is_put_back_delays_no_reading() -> None:
    """D84: what was due a minute from then would be read a day later."""
    now_ms = NOW

    async def sleep(seconds: float) -> None:
        nonlocal now_ms
        now_ms += round(seconds * 1000)

    feed = _Feed(LiveSpec("test:part", "test", ("part",), {}), sleep=sleep)
    batches = feed.batches(lambda: now_ms)
    seen = []
    for jump in (0, DAY, -DAY, 0):
        now_ms += jump
        (quote,) = await anext(batches)
        seen.append(quote.scraped_at - NOW)
    await batches.aclose()
    assert seen == [0, DAY, 60_000, 120_000]
