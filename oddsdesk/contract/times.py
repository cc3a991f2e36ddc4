"""Timestamps on the wire (D2) and milliseconds inside."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(Z|z|[+-]\d{2}:?(?:\d{2})?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MINUTE_MS = 60_000


def parse_ms(text: str) -> int:
    """Return the milliseconds since the epoch that an ISO-8601 timestamp names.

    Raises:
        ValueError: it is no timestamp, or has no offset (never guessed, D2).
    """
    match = _ISO.fullmatch(text)
    if match is None:
        raise ValueError(
            f"expected an ISO-8601 time such as 2026-11-20T18:30:00.000Z, got {text!r}"
        )
    if match[3] is None:
        raise ValueError(f"a time needs an offset such as Z or +01:00, got {text!r}")
    clock = match[2].replace(",", ".")
    offset = "+00:00" if match[3] in "Zz" else match[3]
    moment = datetime.fromisoformat(f"{match[1]}T{clock}{offset}")
    return round((moment - _EPOCH).total_seconds() * 1000)


def format_ms(ms: int) -> str:
    """Return the timestamp of the wire, UTC with milliseconds and ``Z`` (D2)."""
    seconds, rest = divmod(ms, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
