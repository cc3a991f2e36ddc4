"""Waits between tries."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.network import Backoff


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=40))
def test_every_wait_lies_between_1_and_30_seconds(chances: list[float]) -> None:
    rest = iter(chances)
    backoff = Backoff(lambda: next(rest))
    assert all(1 <= backoff.next_s() <= 30 for _ in chances)


def test_waits_grow_and_begin_again_after_a_success() -> None:
    backoff = Backoff(lambda: 0.5)
    waits = [backoff.next_s() for _ in range(7)]
    assert waits == sorted(waits)
    assert waits[-1] == 22.5
    backoff.reset_waits()
    assert backoff.next_s() == 1.0
