"""Noticing that a database file is no longer where it was opened: what is written then is lost."""

import logging
from pathlib import Path

from oddsdesk.store.errors import WHEN_MOVED, Fault, StoreUnavailableError
from oddsdesk.store.lock import file_identity

_log = logging.getLogger(__name__)


class FilePlace:
    """Whether the file at a path is still the one that was opened there; any thread may ask.

    A look takes a microsecond or two. Windows lets nobody move or delete a file in use.
    """

    def __init__(self, path: Path) -> None:
        """To be made once the file is open."""
        self._path = path
        self._held = file_identity(path)
        self._was_told = False

    def check(self) -> None:
        """Refuse where what is written would be in no file that anybody finds.

        Raises:
            StoreUnavailableError: the file was moved, deleted or replaced.
        """
        if (refusal := self.refusal()) is not None:
            raise refusal

    def refusal(self) -> StoreUnavailableError | None:
        """Return why nothing can be written, None where the file is in its place."""
        if file_identity(self._path) == self._held:
            if self._was_told:
                _log.warning("%s: is back in its place", self._path)
            self._was_told = False
            return None
        refusal = StoreUnavailableError(f"{self._path}: {Fault.MOVED.value}; {WHEN_MOVED}")
        refusal.fault = Fault.MOVED
        if not self._was_told:
            _log.error("nothing is recorded: %s", refusal)
        self._was_told = True
        return refusal
