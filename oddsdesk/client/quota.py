"""How many requests the key has left, as the latest answer said."""

from collections.abc import Mapping
from typing import NamedTuple

from oddsdesk.client.answers import CLOCKS_AGREE_MS, reset_ms, whole_number
from oddsdesk.contract.times import MINUTE_MS


class Quota(NamedTuple):
    """Requests left in the present window; times in milliseconds."""

    remaining: int
    resets_at_ms: int | None
    as_of_ms: int
    limit: int | None = None
    """Requests in the whole window, where the service says so (the contract does not)."""

    def used_up_until_ms(self, under_way: int, now_ms: int) -> int | None:
        """Return until when to ask no more, None where one more may be asked.

        Args:
            under_way: How many requests are, which this does not count yet.
            now_ms: The present.
        """
        until = self.resets_at_ms or self.as_of_ms + MINUTE_MS
        return until if self.remaining <= under_way and now_ms < until else None

    def after(self, before: "Quota | None", under_way: int) -> "Quota":
        """Return what is left after an answer, one of those under way.

        Answers to several may come in another order than the requests were counted in.
        """
        if before is None or under_way <= 1 or not self._is_of_window(before):
            return self
        return self._replace(remaining=min(self.remaining, before.remaining))

    def _is_of_window(self, other: "Quota") -> bool:
        if self.resets_at_ms is None or other.resets_at_ms is None:
            return self.resets_at_ms is other.resets_at_ms
        return abs(self.resets_at_ms - other.resets_at_ms) <= CLOCKS_AGREE_MS


def read_quota(headers: Mapping[str, str], now_ms: int) -> Quota | None:
    """Return the quota in an answer's headers, None where there is none.

    A window that is said to have ended before the answer is one of which the end is not known.
    """
    remaining = whole_number(headers, "x-ratelimit-remaining")
    if remaining is None:
        return None
    resets_at = reset_ms(headers, now_ms)
    if resets_at is not None and resets_at < now_ms - CLOCKS_AGREE_MS:
        resets_at = None
    limit = whole_number(headers, "x-ratelimit-limit")
    return Quota(remaining, resets_at, now_ms, limit)
