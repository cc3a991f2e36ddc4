"""A service that misbehaves, and the desk's real window (D85)."""

from pathlib import Path

import pytest

from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.hostile_run import LONGEST_S, MOST_MIB, Log
from tests.kit.hostile_service import hostile_service
from tests.kit.hostile_window import told_of_slots, watched_desk
from tests.kit.misbehaviours import TABLE

SHOWN = (
    "wrong types",
    "gzip bomb",
    "names of odd characters",
    "numbers of 18 digits",
    "dates of the year 1",
    "dates of the year 9999",
    "a clock 7 h ahead",
    "odds 1e308",
    "2,000 bookmakers",
    "9,000 games at once",
    "flood of pings",
    "flood of changes",
    "changes that make no sense",
)
SLOWNESS = 3
"""By how much a loaded machine may be slower than the one of the bound."""

pytestmark = pytest.mark.slow


async def test_the_window_is_not_held_up_and_shows_right_prices_again(
    theme: Theme, tmp_path: Path
) -> None:
    """One window, changed from one such service to the next."""
    by_name = {kind.name: kind for kind in TABLE}
    wrong = {}
    with hostile_service() as service, Log() as log, told_of_slots(log):
        async with watched_desk(theme, tmp_path) as desk:
            for name in SHOWN:
                played = await desk.play(service, by_name[name], log)
                found = played.wrong()
                if desk.heart.worked_s > SLOWNESS * LONGEST_S:
                    found.append(f"the window was held for {desk.heart.worked_s:.2f} s")
                if desk.heart.grown_mib > MOST_MIB:
                    found.append(f"{desk.heart.grown_mib:.0f} MiB more")
                if found:
                    wrong[name] = found
    assert not wrong
    assert log.errors == []
    assert log.secrets() == []
