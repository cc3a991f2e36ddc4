"""Retrying while the database refuses; logged once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from oddsdesk.server.troubles import Troubles, refused
from oddsdesk.store.errors import StoreError

_log = logging.getLogger(__name__)


class RetryWhileUnavailable:
    """Retries the steps of one task, called ``who`` in the log and in ``Troubles``."""

    def __init__(self, who: str, troubles: Troubles | None = None) -> None:
        self._who = who
        self._troubles = troubles or Troubles()
        self._refused = False

    @property
    def is_refused(self) -> bool:
        """Whether the database refused the last step."""
        return self._refused

    async def do(self, step: Callable[[], Awaitable[None]], retry_s: float) -> None:
        """Do a step; where the database refuses, wait and try again until it succeeds."""
        try:
            await step()
        except StoreError as error:
            if not self._refused:
                _log.warning("%s waits for the database: %s", self._who, error)
            self._refused = True
            self._troubles.say(self._who, refused(f"{self._who} waits", error))
            await asyncio.sleep(retry_s)
        else:
            self._troubles.over(self._who)
            self._refused = False
