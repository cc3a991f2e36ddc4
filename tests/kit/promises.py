"""What is promised in seconds of a calm machine, on one where others work, too."""

import time

_WORK_S = 0.1


def in_time(promised_s: float) -> float:
    """Return how many seconds a promise comes to now: as many where nobody else works."""
    began, used = time.monotonic(), time.thread_time()
    while (worked := time.thread_time() - used) < _WORK_S:
        pass
    return promised_s * max(1.0, (time.monotonic() - began) / worked)
