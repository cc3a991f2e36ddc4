"""How many requests the key has left, as the latest answer said."""

from collections.abc import Mapping
from typing import NamedTuple

from oddsdesk.client.answers import reset_ms, whole_number


class Quota(NamedTuple):
    """Requests left in the present window; times in milliseconds."""

    remaining: int
    resets_at_ms: int | None
    as_of_ms: int
    limit: int | None = None
    """Requests in the whole window, where the service says so (the contract does not)."""


def read_quota(headers: Mapping[str, str], now_ms: int) -> Quota | None:
    """Return the quota in an answer's headers, None where there is none."""
    remaining = whole_number(headers, "x-ratelimit-remaining")
    if remaining is None:
        return None
    limit = whole_number(headers, "x-ratelimit-limit")
    return Quota(remaining, reset_ms(headers, now_ms), now_ms, limit)
