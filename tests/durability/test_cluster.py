"""A short form of the kills of a cluster: each part once."""

import sys

import pytest

from tests.durability.cluster import PARTS, cluster, matrix
from tests.kit.postgres import running_postgres

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs programs of Linux"),
]


def test_whatever_part_is_killed_nothing_is_lost_and_streams_have_no_gap_and_no_repeat() -> None:
    """On a server of its own, since it is killed, too."""
    with running_postgres() as postgres, cluster(postgres) as made:
        costs = matrix(made, 1, print)
    assert [*costs] == [*PARTS]
    assert all(cost.kills == 1 and cost.is_nothing for cost in costs.values()), costs
