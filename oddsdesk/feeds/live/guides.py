"""Answers of all live sources to who has to choose among them; each is asked as it is needed."""

import logging
from importlib.metadata import entry_points
from typing import Final

from oddsdesk.clock import Clock
from oddsdesk.contract.live_sources import Choices, LivePlan, LiveSource
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.adapters import GROUP, OF_QUOTES, live_names, make_live, own_feeds
from oddsdesk.feeds.live.guide import SourceGuide
from oddsdesk.feeds.live.live_feed import LiveFeed
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.spec import LiveSpec, check_url, read_spec

_FIRST: Final = ("the-odds-api", "polymarket", "kalshi", "betfair", "mirror")

_log = logging.getLogger(__name__)
_Question = tuple[str, str | None, str, object]


class Guides:
    """Keeps the source that was asked last, with its connections and what it listed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._question: _Question | None = None
        self._guide: SourceGuide | None = None

    async def choices(self, name: str, url: str | None = None, key: str = "") -> Choices:
        """Return what may be chosen from a source; spends nothing.

        Args:
            name: The source.
            url: Where it is, None for its own address.
            key: What to ask with; empty for the key that is kept.

        Raises:
            FeedError: there is no such source, it refuses the key, or does not answer.
        """
        about = next((each for each in sources() if each.name == name), None)
        if about is None:
            if name in {*live_names(), *OF_QUOTES}:
                raise FeedError(f"feed {name!r}: it has no list to choose from")
            known = ", ".join(each.name for each in sources())
            raise FeedError(f"feed {name!r}: there is none of that name; there are {known}")
        if about.parts:
            return Choices(())
        checked = None if url is None else check_url(name, url)
        spec = LiveSpec(f"{name}:", name, (), {}, checked)
        return await (await self._guide_of(spec, key)).choices()

    async def plan(self, text: str, key: str = "") -> LivePlan:
        """Return what a feed will do and cost; spends nothing.

        Raises:
            FeedError: it makes no sense, or its source refuses the key or does not answer.
        """
        spec = read_spec(text)
        feed = make_live(spec)
        if not (isinstance(feed, PollingFeed) and feed.guide is not None):
            return LivePlan("")
        if feed.guide.about.parts:
            return LivePlan(feed.guide.about.costs)
        asked = LiveSpec(f"{spec.name}:", spec.name, (), {}, spec.url, None, spec.key_file)
        return await (await self._guide_of(asked, key)).plan(feed, self._clock())

    async def close(self) -> None:
        """End the connections."""
        guide, self._guide, self._question = self._guide, None, None
        if guide is not None:
            await guide.feed.close()

    async def _guide_of(self, spec: LiveSpec, key: str) -> SourceGuide:
        question = (spec.name, spec.url, key, spec.key_file)
        if self._guide is None or question != self._question:
            await self.close()
            self._guide, self._question = _opened(spec, key), question
        return self._guide


def _opened(spec: LiveSpec, key: str) -> SourceGuide:
    feed = make_live(spec)
    assert isinstance(feed, PollingFeed)
    assert feed.guide is not None
    if key:
        feed.use_key(key)
    return feed.guide(feed)


def sources() -> list[LiveSource]:
    """Return every source that can be chosen from, ours first; loads the adapters."""
    found = [kind.guide.about for kind in _kinds() if kind.guide is not None]
    places = {name: place for place, name in enumerate(_FIRST)}
    return sorted(found, key=lambda about: (places.get(about.name, len(places)), about.title))


def _kinds() -> list[type[LiveFeed]]:
    kinds = own_feeds()
    for point in entry_points(group=GROUP):
        try:
            kind = point.load()
        except Exception:  # noqa: BLE001 - border: packages of others raise what they like
            _log.exception("feed %s of %s cannot be loaded", point.name, point.value)
            continue
        if isinstance(kind, type) and issubclass(kind, LiveFeed):
            kinds.append(kind)
    return kinds
