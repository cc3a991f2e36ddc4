"""Each way in which a service goes wrong, against a board that is kept current (D85)."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from oddsdesk.board.model.notices import Link
from tests.kit.hostile_run import (
    LONGEST_S,
    MOST_MIB,
    Log,
    Watch,
    beating,
    kept_board,
    play_headless,
)
from tests.kit.hostile_service import HostileService, Misbehaviour, hostile_service
from tests.kit.misbehaviours import TABLE

QUICK = [kind for kind in TABLE if kind.is_quick]
GROUPS = [QUICK[begin::9] for begin in range(9)]
"""Those of a kind stand together in the table, and the heaviest, too: they are dealt out."""
OF_SEVERAL = 2 * LONGEST_S
"""A dozen desks share a thread here, and one turn of its loop may hold pieces of two."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileService]:
    with hostile_service() as service:
        yield service


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].slug)
async def test_a_service_that_misbehaves_costs_its_own_connection_and_nothing_else(
    hostile: HostileService, group: Sequence[Misbehaviour]
) -> None:
    """D85: it is said, no job dies, nothing is held up, and all is well once the service is."""
    with Log() as log:
        async with kept_board(hostile.url("well")) as bystander, beating() as heart:
            watch = Watch(bystander)
            played = await asyncio.gather(*(play_headless(hostile, kind, log) for kind in group))
    wrong = {each.kind.name: found for each in played if (found := each.wrong())}
    assert not wrong
    assert log.errors == []
    assert log.secrets() == []
    assert not watch.faults, "another connection was disturbed"
    assert {bystander.connection.link} <= {Link.STOPPED, Link.LIVE}
    assert heart.worked_s < OF_SEVERAL
    assert heart.grown_mib < 2 * MOST_MIB  # nine at once, in a process that did much before
