"""Live feeds by name: our own, and those that other packages bring along (D67)."""

import importlib
import logging
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.command import Command
from oddsdesk.feeds.live.live_feed import LiveFeed
from oddsdesk.feeds.live.spec import LiveSpec, read_spec
from oddsdesk.feeds.live.streamed import StreamedQuotes
from oddsdesk.near_names import near_names

GROUP: Final = "oddsdesk.feeds"
"""Entry points of this group are feeds: a name, and a class that is made of a ``LiveSpec``."""

_OWN: Final = {
    "betfair": "oddsdesk.feeds.live.betfair:Betfair",
    "kalshi": "oddsdesk.feeds.live.kalshi:Kalshi",
    "mirror": "oddsdesk.feeds.live.mirror:Mirror",
    "polymarket": "oddsdesk.feeds.live.polymarket:Polymarket",
    "the-odds-api": "oddsdesk.feeds.live.the_odds_api:TheOddsApi",
}

_log = logging.getLogger(__name__)


OF_ITSELF: Final = ("none", "simulator")
"""What needs no more than its name."""
REPLAY: Final = "replay"
OF_QUOTES: Final = ("exec", "ws", "wss")
"""What gives quotes of one's own: a program, a WebSocket."""


def live_names() -> list[str]:
    """Return the names of all live feeds; nothing is loaded for it."""
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def open_live(text: str) -> LiveFeed:
    """Return the live feed that a text names.

    Raises:
        FeedError: there is none of that name, or what is asked for makes no sense.
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
        raise FeedError(f"feed {spec.name!r}: there is none of that name{hint}")
    return _of_others(next(iter(found)), spec)


def what_is_meant(name: str) -> str:
    """Return the end of a line that refuses what stands before the colon, if there is any."""
    if name in OF_ITSELF:
        return f"; {name} takes nothing after it"
    if name in (*live_names(), *OF_QUOTES):
        return f"; say after {name}: what it reads (docs/feeds.md)"
    if name == REPLAY:
        return ""
    meant = near_names(name, (*OF_ITSELF, REPLAY, *OF_QUOTES, *live_names()))
    return f"; {' or '.join(meant)} may be meant" if meant else ""


def own_feeds() -> list[type[LiveFeed]]:
    """Return the classes of our own feeds; loads them all."""
    return [_load(name) for name in _OWN]


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
        raise FeedError(f"feed {point.name}: {point.value} is no LiveFeed")
    return made
