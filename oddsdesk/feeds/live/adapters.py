"""Live feeds by name: our own, and those that other packages provide."""

import importlib
import logging
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from oddsdesk.base.clock import Clock
from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import Choices, LivePlan, LiveSource
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.guide import SourceGuide
from oddsdesk.feeds.live.live_feed import LiveFeed, LiveSpec, check_url, read_spec
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.quote_lines import Command, StreamedQuotes

GROUP: Final = "oddsdesk.feeds"
"""Entry points of this group are feeds: a name, and a class that takes a ``LiveSpec``."""

_OWN: Final = {
    "betfair": "oddsdesk.feeds.betfair.live:Betfair",
    "kalshi": "oddsdesk.feeds.live.kalshi:Kalshi",
    "mirror": "oddsdesk.feeds.mirror:Mirror",
    "polymarket": "oddsdesk.feeds.polymarket.live:Polymarket",
    "the-odds-api": "oddsdesk.feeds.the_odds_api.live:TheOddsApi",
}

_log = logging.getLogger(__name__)


OF_ITSELF: Final = ("none", "simulator")
"""Feeds without options: the name is enough."""
REPLAY: Final = "replay"
OF_QUOTES: Final = ("exec", "ws", "wss")
"""Feeds of the user's own quotes: a program, a WebSocket."""


def live_names() -> list[str]:
    """Return the names of all live feeds without loading them."""
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def open_live(text: str) -> LiveFeed:
    """Return the live feed with this name.

    Raises:
        FeedError: no such feed, or its options make no sense.
    """
    name, _, rest = text.partition(":")
    if name == "exec":
        return Command(rest)
    if name in ("ws", "wss"):
        return StreamedQuotes(text)
    return make_live(read_spec(text))


def make_live(spec: LiveSpec) -> LiveFeed:
    """Return the live feed of a spec; errors as for ``open_live``."""
    if spec.name in _OWN:
        made: LiveFeed = _load(spec.name)(spec)
        return made
    found = entry_points(group=GROUP, name=spec.name)
    if not found:
        hint = what_is_meant(spec.name)
        raise FeedError(f"no feed {spec.name!r}{hint}")
    return _of_others(next(iter(found)), spec)


def what_is_meant(name: str) -> str:
    """Return the hint that ends an error about the name before the colon, if there is one."""
    if name in OF_ITSELF:
        return "; " + N_(f"{name} takes nothing after it")
    if name in (*live_names(), *OF_QUOTES):
        return "; " + N_(f"{name} must say what to read, after a colon (docs/feeds.md)")
    if name == REPLAY:
        return ""
    meant = near_names(name, (*OF_ITSELF, REPLAY, *OF_QUOTES, *live_names()))
    return "; " + N_(f"did you mean {' or '.join(meant)}?") if meant else ""


def _load(name: str) -> Any:
    module, _, kind = _OWN[name].partition(":")
    return getattr(importlib.import_module(module), kind)


def _of_others(point: EntryPoint, spec: LiveSpec) -> LiveFeed:
    try:
        made = point.load()(spec)
    except FeedError:
        raise
    except Exception as error:
        _log.exception("feed %s of %s cannot be opened", point.name, point.value)
        raise FeedError(f"feed {point.name}: {type(error).__name__}: {error}") from error
    if not isinstance(made, LiveFeed):
        raise FeedError(f"feed {point.name}: {point.value} is not a LiveFeed")
    return made


_FIRST: Final = ("the-odds-api", "polymarket", "kalshi", "betfair", "mirror")


_Question = tuple[str, str | None, str, object]


class Guides:
    """Keeps the source that was asked last, with its connections and lists."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._question: _Question | None = None
        self._guide: SourceGuide | None = None

    async def choices_of(self, name: str, url: str | None = None, key: str = "") -> Choices:
        """Return the choices of a source; spends nothing.

        Args:
            name: The source.
            url: Its address, None for the usual one.
            key: The key to use; empty for the stored key.

        Raises:
            FeedError: no such source, it refuses the key, or does not answer.
        """
        about = next((each for each in sources() if each.name == name), None)
        if about is None:
            if name in {*live_names(), *OF_QUOTES}:
                raise FeedError(f"feed {name!r} has no list to choose from")
            known = ", ".join(each.name for each in sources())
            raise FeedError(f"no source {name!r}; sources are {known}")
        if about.parts:
            return Choices(())
        checked = None if url is None else check_url(name, url)
        spec = LiveSpec(f"{name}:", name, (), {}, checked)
        return await (await self._guide_of(spec, key)).choices()

    async def plan_feed(self, text: str, key: str = "") -> LivePlan:
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

    async def close_guides(self) -> None:
        """Close the connections."""
        guide, self._guide, self._question = self._guide, None, None
        if guide is not None:
            await guide.feed.close()

    async def _guide_of(self, spec: LiveSpec, key: str) -> SourceGuide:
        question = (spec.name, spec.url, key, spec.key_file)
        if self._guide is None or question != self._question:
            await self.close_guides()
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
    """Return every source, ours first; loads the adapters."""
    found = [kind.guide.about for kind in _kinds() if kind.guide is not None]
    places = {name: place for place, name in enumerate(_FIRST)}
    return sorted(found, key=lambda about: (places.get(about.name, len(places)), about.title))


def _kinds() -> list[type[LiveFeed]]:
    kinds = [_load(name) for name in _OWN]
    for point in entry_points(group=GROUP):
        try:
            kind = point.load()
        except Exception:  # noqa: BLE001 - border: packages of others raise anything
            _log.exception("feed %s of %s cannot be loaded", point.name, point.value)
            continue
        if isinstance(kind, type) and issubclass(kind, LiveFeed):
            kinds.append(kind)
    return kinds
