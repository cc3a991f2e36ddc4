"""How a live feed is written: ``NAME:WHAT?option=value&...`` (D65)."""

import math
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote

import msgspec

from oddsdesk.feeds.errors import FeedError
from oddsdesk.network.addresses import BadAddressError, read_address

COMMON: Final = ("url", "every", "key-file")
"""Options that every adapter takes."""
LONGEST_EVERY_S: Final = 24 * 3600
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class LiveSpec(msgspec.Struct, frozen=True):
    """A feed as it was asked for; no key stands in it.

    ``what`` are the parts to read, as the adapter spells them; ``options`` its own options;
    ``every_s`` the least time between two readings of a part, None for the source's own.
    """

    text: str
    name: str
    what: tuple[str, ...]
    options: dict[str, str]
    url: str | None = None
    every_s: float | None = None
    key_file: Path | None = None

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Refuse options that the adapter does not have; their values are not shown."""
        for name in self.options:
            if name not in known:
                expected = ", ".join((*sorted(known), *COMMON))
                raise FeedError(f"feed {self.name}: unknown option {name!r}; there are {expected}")


def read_spec(text: str) -> LiveSpec:
    """Read a feed's text.

    Raises:
        FeedError: it is not of that form, or a common option makes no sense.
    """
    head, _, tail = text.partition("?")
    name, colon, what = head.partition(":")
    if not (colon and _NAME.fullmatch(name)):
        raise FeedError(f"feed {name[:40]!r}: expected NAME:WHAT?option=value&...")
    parts = tuple(unquote(part.strip()) for part in what.split(",") if part.strip())
    if not parts:
        raise FeedError(f"feed {name}: say after the colon what to read")
    options = _options(name, tail)
    url, every, key_file = (options.pop(common, None) for common in COMMON)
    return LiveSpec(
        text,
        name,
        tuple(dict.fromkeys(parts)),
        options,
        None if url is None else check_url(name, url),
        None if every is None else _seconds(name, every),
        None if key_file is None else Path(key_file).expanduser(),
    )


def _options(name: str, tail: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(tail, keep_blank_values=True, strict_parsing=bool(tail))
    except ValueError as error:
        raise FeedError(
            f"feed {name}: expected option=value&... after the question mark"
        ) from error
    options: dict[str, str] = {}
    for option, value in pairs:
        if option in options:
            raise FeedError(f"feed {name}: {option} is given twice")
        if not value:
            raise FeedError(f"feed {name}: {option} has no value")
        options[option] = value
    return options


def check_url(name: str, url: str) -> str:
    """Return the address of a source.

    Raises:
        FeedError: it is none.
    """
    try:
        return read_address("url", url, ("http", "https"))
    except BadAddressError as error:
        raise FeedError(f"feed {name}: {error}") from None


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_EVERY_S:
        raise FeedError(f"feed {name}: every: expected seconds, above 0 and at most a day")
    return seconds
