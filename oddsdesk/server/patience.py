"""Going on while the database refuses: said once, tried again and again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from oddsdesk.store.errors import StoreUnavailableError

_log = logging.getLogger(__name__)


class Patience:
    """Of one task; ``who`` is named in the log when the database begins to refuse."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._refused = False

    async def do(self, step: Callable[[], Awaitable[None]], retry_s: float) -> None:
        """Do a step; where the database refuses, rest until it is worth another try."""
        try:
            await step()
        except StoreUnavailableError as error:
            if not self._refused:
                _log.warning("%s waits for the database: %s", self._who, error)
            self._refused = True
            await asyncio.sleep(retry_s)
        else:
            self._refused = False
