"""What a process counts of itself for who watches it (`/metrics`)."""

import bisect
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

BOUNDS_S: Final = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the histogram of seconds; what takes longer is in the last bucket, ``+Inf``."""


class Sample(msgspec.Struct, frozen=True):
    """One value of a family of ``metrics.FAMILIES``, or of a part of it such as ``_bucket``."""

    name: str
    value: float
    labels: dict[str, str] = {}


class Refused(StrEnum):
    """Why a request is refused before an endpoint is asked."""

    HOST = "host"
    """It is for a name that is not this server's."""
    ORIGIN = "origin"
    """A page of another site asks."""
    BUSY = "busy"
    """More is asked at once than is answered."""
    LEFT = "left"
    """Its client went away while it waited."""
    MALFORMED = "malformed"
    """It is no HTTP, or not whole in time."""
    TOO_LARGE = "too_large"
    """Its head or its body is too long."""
    UNENCRYPTED = "unencrypted"
    """It does not begin TLS, where that is wanted."""


class Figures:
    """Requests that were answered or refused, and quotas that were used up; for the server's loop.

    What a request asked for is in none of it.
    """

    def __init__(self) -> None:
        self._began = time.time()
        self._answers: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._refusals: Counter[str] = Counter()
        self._turned_away: Counter[Refused] = Counter()

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Count an answer by its path with the names of parameters, never with what is asked."""
        self._answers[endpoint, status] += 1
        buckets = self._buckets.get(endpoint)
        if buckets is None:
            buckets = self._buckets[endpoint] = [0] * (len(BOUNDS_S) + 1)
        buckets[bisect.bisect_left(BOUNDS_S, seconds)] += 1
        self._seconds[endpoint] += seconds

    def refused(self, kind: str) -> None:
        """Count a request, token or connection beyond what its key may have."""
        self._refusals[kind] += 1

    def turned_away(self, why: Refused) -> None:
        """Count a request that is refused before an endpoint is asked."""
        self._turned_away[why] += 1

    def samples(self) -> Iterator[Sample]:
        """Yield what was counted."""
        yield Sample("process_start_time_seconds", self._began)
        for (endpoint, status), count in self._answers.items():
            labels = {"endpoint": endpoint, "status": str(status)}
            yield Sample("oddsdesk_requests_total", count, labels)
        for endpoint, buckets in self._buckets.items():
            yield from self._histogram(endpoint, buckets)
        for kind, count in self._refusals.items():
            yield Sample("oddsdesk_quota_refusals_total", count, {"kind": kind})
        for why in Refused:
            labels = {"why": why.value}
            yield Sample("oddsdesk_requests_refused_total", self._turned_away[why], labels)

    def _histogram(self, endpoint: str, buckets: list[int]) -> Iterator[Sample]:
        name, labels, so_far = "oddsdesk_request_seconds", {"endpoint": endpoint}, 0
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), buckets, strict=True):
            so_far += count
            yield Sample(f"{name}_bucket", so_far, {**labels, "le": bound})
        yield Sample(f"{name}_sum", self._seconds[endpoint], labels)
        yield Sample(f"{name}_count", so_far, labels)


def of_process() -> Iterator[Sample]:
    """Yield what every program tells Prometheus of itself."""
    yield Sample("process_cpu_seconds_total", time.process_time())
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        yield Sample("process_resident_memory_bytes", pages * os.sysconf("SC_PAGESIZE"))
