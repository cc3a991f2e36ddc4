"""Whether anybody does what one process of a file does for all others (D82)."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oddsdesk.server.settings import RUN_ONCE, Role
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import owner_of

LOOK_S: Final = 0.4
"""How often it looks; it tells at the second look that finds nobody."""


class OwnerWatch:
    """For a process that only answers: looks whether another holds the lock of its database."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._in_vain = 0
        """How many looks in a row found nobody."""

    async def follow(self) -> None:
        """Look until cancelled."""
        while True:
            is_there = await asyncio.to_thread(self._look)
            self._in_vain = 0 if is_there else self._in_vain + 1
            await asyncio.sleep(LOOK_S)

    def troubles(self) -> Iterator[Trouble]:
        """Yield that nobody is there."""
        if self._in_vain > 1:
            yield Trouble(f"nobody runs {', '.join(each for each in Role if each in RUN_ONCE)}")

    def _look(self) -> bool:
        try:
            return owner_of(self._database) is not None
        except StoreError:  # somebody is who does not say who it is
            return True
