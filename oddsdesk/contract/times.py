"""Timestamps on the wire and milliseconds inside."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from oddsdesk.contract.texts import shown

_ISO = re.compile(
    r"(\d{4}(?:-?\d{2}-?\d{2}|-?W\d{2}-?\d))[Tt ]"
    r"(\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?)?)"
    r"(Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
WINDOW_MS = 10 * MINUTE_MS
"""For how long a price counts as fresh: those read longer ago are in no list."""
_FIRST_MS = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LAST_MS = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - _EPOCH) // _MILLISECOND
"""The years that the wire can write; an offset may name a moment outside."""

YEARS = range(1900, 2200)
"""Of games and prices: a time of another year is a mistake of who wrote it."""
_FIRST_GAME_MS = (datetime(YEARS.start, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND
_AFTER_GAMES_MS = (datetime(YEARS.stop, 1, 1, tzinfo=UTC) - _EPOCH) // _MILLISECOND


def is_in_years(ms: int) -> bool:
    """Return whether a moment is of ``YEARS``."""
    return _FIRST_GAME_MS <= ms < _AFTER_GAMES_MS


def parse_ms(text: str) -> int:
    """Return the milliseconds since the epoch that an ISO-8601 timestamp names.

    Raises:
        ValueError: it is no timestamp, or has no offset (never guessed).
    """
    match = _ISO.fullmatch(text)
    if match is None:
        raise _bad(text)
    if match[3] is None:
        raise ValueError(f"a time needs an offset such as Z or +01:00, got {shown(text)}")
    clock = match[2].replace(",", ".")
    offset = "+00:00" if match[3] in "Zz" else match[3]
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{clock}{offset}")
    except ValueError as error:
        raise _bad(text) from error
    ms = round((moment - _EPOCH) / _MILLISECOND)
    if not _FIRST_MS <= ms <= _LAST_MS:
        raise _bad(text)
    return ms


def bounded_ms(ms: int) -> int:
    """Return a moment that was reckoned, or the nearest that the wire can write."""
    return min(max(ms, _FIRST_MS), _LAST_MS)


def _bad(text: str) -> ValueError:
    return ValueError(
        f"expected an ISO-8601 time such as 2026-11-20T18:30:00.000Z, got {shown(text)}"
    )


@lru_cache(maxsize=8192)
def format_ms(ms: int) -> str:
    """Return the timestamp of the wire, UTC with milliseconds and ``Z``.

    What lies beyond the years that the wire can write is written as the first or last moment of
    them: a row with an absurd time, by whatever program, is shown as one and stops nothing.
    """
    seconds, rest = divmod(int(min(max(ms, _FIRST_MS), _LAST_MS)), 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=4096)
def format_minute(ms: int) -> str:
    """Return a moment to the minute, in UTC, as people read it: ``2026-11-20 18:30``."""
    return format_ms(ms)[:16].replace("T", " ")


def _second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]
