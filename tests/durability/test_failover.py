"""A failover of PostgreSQL, once."""

import sys

import pytest

from tests.durability.failover import fail_over

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs programs of Linux"),
]


def test_a_standby_that_takes_over_has_all_that_was_acknowledged_and_streams_go_on() -> None:
    cost = fail_over(batches=5)
    assert cost.is_nothing, cost
    assert cost.acknowledged >= 50
