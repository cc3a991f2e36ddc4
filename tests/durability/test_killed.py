"""What is kept when a process is killed, at two kills of each phase.

`python -m tests.durability.killed` is the same with five hundred.
"""

import os

import pytest

from tests.durability.killed import Result, run_cycles
from tests.durability.phases import PHASES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

CYCLES = 2 * len(PHASES)
SEED = 1


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return run_cycles(CYCLES, SEED, tmp_path_factory.mktemp("killed"))


def test_nothing_that_was_acknowledged_is_lost(result: Result) -> None:
    assert result.lost == []
    assert result.acknowledged.total() > CYCLES


def test_every_database_opens_whole(result: Result) -> None:
    assert result.broken == []
    assert set(result.cycles) == set(PHASES)
