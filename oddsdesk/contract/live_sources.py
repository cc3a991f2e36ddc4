"""What an embedded server tells of live sources before a feed runs: choices and cost (D65, D68)."""

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

import msgspec

_IN_PARTS: Final = ":/[]"
_IN_VALUES: Final = ":/,[]"


class SourceOption(msgspec.Struct, frozen=True):
    """An option of a source of which several values may be chosen."""

    name: str
    """As a feed is written: ``regions``."""
    title: str
    values: tuple[tuple[str, str], ...]
    """Each as a feed is written, and what people read."""
    chosen: tuple[str, ...]
    """Those that are chosen to begin with."""


class LiveSource(msgspec.Struct, frozen=True):
    """A source of live odds, for people who have to choose one; every text is one line."""

    name: str
    """As a feed is written: ``the-odds-api``."""
    title: str
    summary: str
    """What it has."""
    costs: str
    key: str = ""
    """What its key is called; empty where it needs none."""
    key_url: str = ""
    """The page on which people get a key."""
    parts: str = ""
    """What is typed where the source has no list to choose from; empty where it has one."""
    options: tuple[SourceOption, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """One of the competitions of a source."""

    name: str
    """As a feed is written: ``soccer_epl``."""
    title: str
    group: str
    """The sport, or the country, as people write it."""
    competition: str = ""
    """What the competition is called here; empty for those that are not in the contract's table."""


class Choices(msgspec.Struct, frozen=True):
    """All competitions of a source, those known here first, and what its credits are."""

    choices: tuple[Choice, ...]
    credits_left: int | None = None
    credits_used: int | None = None


class LivePlan(msgspec.Struct, frozen=True):
    """What a feed will do and cost, told before anything is paid."""

    sentence: str
    games: dict[str, int] = {}
    """How many games there are now, by part of the feed; only where it is free to know."""
    credits_left: int | None = None
    credits_used: int | None = None
    intervals_s: dict[str, tuple[float, ...]] = {}
    """How often each part, or each of its games, is read, where parts differ."""


class WrittenFeed(msgspec.Struct, frozen=True):
    """A feed as it is written, taken apart."""

    name: str = ""
    parts: tuple[str, ...] = ()
    options: dict[str, str] = {}


def feed_text(name: str, parts: Iterable[str], options: Mapping[str, str]) -> str:
    """Return a feed as it is written: ``NAME:WHAT?option=value&...``; empty options are left out.

    >>> feed_text("kalshi", ["KXEPLGAME"], {"url": "http://127.0.0.1:1", "every": ""})
    'kalshi:KXEPLGAME?url=http://127.0.0.1:1'
    """
    what = ",".join(quote(part, safe=_IN_PARTS) for part in parts)
    given = {option: value for option, value in options.items() if value}
    tail = "&".join(f"{option}={quote(value, safe=_IN_VALUES)}" for option, value in given.items())
    return f"{name}:{what}?{tail}" if tail else f"{name}:{what}"


def read_feed_text(text: str) -> WrittenFeed:
    """Take apart what ``feed_text`` wrote, or somebody typed; what is no option is left out.

    >>> read_feed_text("kalshi:KXEPLGAME?url=http://127.0.0.1:1").options
    {'url': 'http://127.0.0.1:1'}
    """
    head, _, tail = text.partition("?")
    name, _, what = head.partition(":")
    parts = tuple(unquote(part.strip()) for part in what.split(",") if part.strip())
    return WrittenFeed(name, parts, dict(parse_qsl(tail)))
