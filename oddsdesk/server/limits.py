"""The rate-limit headers of every answer (D17)."""

from collections.abc import Callable
from typing import Final

from oddsdesk.clock import Clock
from oddsdesk.contract.plans import DAY_S, HOUR_S
from oddsdesk.contract.times import format_ms
from oddsdesk.server.access import RequestHeaders, known_caller
from oddsdesk.server.answers import Headers
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind

_COUNTED: Final = {
    Kind.REQUESTS: "requests",
    Kind.TOKENS: "stream tokens",
    Kind.CONNECTIONS: "stream connections",
}
_WINDOWS: Final = {HOUR_S: "an hour", DAY_S: "a day"}
LimitsOf = Callable[[RequestHeaders], Headers]
"""Returns the rate-limit headers of an answer given before the request reached the gate."""


def no_limits(_request: RequestHeaders) -> Headers:
    """Return no headers, where nobody is counted."""
    return ()


def slot_of(caller: Caller) -> tuple[int, Kind, int, int]:
    """Return under which key, kind and window a caller's requests are counted, and how many."""
    rights = caller.rights
    return caller.key_id, Kind.REQUESTS, rights.requests, rights.window_s


def used_up(caller: Caller, kind: Kind, count: Count, now_ms: int) -> tuple[str, int]:
    """Return which limit a caller has reached and when more is allowed, and in how many seconds."""
    rights = caller.rights
    most, window_s = rights.connections_per_day, DAY_S
    if kind is Kind.REQUESTS:
        most, window_s = rights.requests, rights.window_s
    again_s = count.reset_s + count.jumped_s
    wait_s = max(again_s - now_ms // 1000, 1)
    said = f"The {most:,} {_COUNTED[kind]} {_WINDOWS[window_s]} of the {caller.plan.value} plan"
    return f"{said} are used up; retry in {wait_s} s, at {format_ms(again_s * 1000)}.", wait_s


def headers_of(count: Count) -> Headers:
    """Return the headers with a known caller's count."""
    return _headers(count.remaining, count.reset_s + count.jumped_s)


def headers_of_nobody(now_ms: int) -> Headers:
    """Return the headers for a caller who is unknown: nothing left, ask again now."""
    return _headers(0, now_ms // 1000)


def limits_before_the_gate(access: LoopAccess, clock: Clock) -> LimitsOf:
    """Return the function that makes headers for refusals before the gate, which do not count.

    They wait for nothing: who was not heard of yet counts as unknown.
    """

    def limits(request: RequestHeaders) -> Headers:
        now_ms = clock()
        caller = known_caller(access, request)
        count = None if caller is None else access.known_count(*slot_of(caller), now_ms)
        return headers_of_nobody(now_ms) if count is None else headers_of(count)

    return limits


def _headers(remaining: int, reset_s: int) -> Headers:
    return (
        (b"x-ratelimit-remaining", str(remaining).encode()),
        (b"x-ratelimit-reset", str(reset_s).encode()),
    )
