"""Whether what is written to a database file is kept: it is in its place, and its disk takes it."""

import errno
import logging
import os
from pathlib import Path
from typing import Final

from oddsdesk.places import refused_write
from oddsdesk.store.errors import WHEN_MOVED, Fault, StoreUnavailableError
from oddsdesk.store.lock import file_identity

FOUND_BY_TRYING: Final = (Fault.READ_ONLY_DISK, Fault.NOT_ALLOWED, Fault.QUOTA, Fault.DISK)
"""What ``FilePlace.try_to_write`` finds; it finds, too, that it is over."""
_FAULTS: Final = {
    errno.EROFS: Fault.READ_ONLY_DISK,
    errno.EACCES: Fault.NOT_ALLOWED,
    errno.EPERM: Fault.NOT_ALLOWED,
    getattr(errno, "EDQUOT", None): Fault.QUOTA,
    errno.EIO: Fault.DISK,
}
_log = logging.getLogger(__name__)


class FilePlace:
    """Whether the file at a path is still the one that was opened there; any thread may ask.

    A look takes a microsecond or two. Windows lets nobody move or delete a file in use.
    """

    def __init__(self, path: Path) -> None:
        """To be made once the file is open."""
        self._path = path
        self._real = path.resolve()
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
        refusal = StoreUnavailableError(
            f"{self._path}: {Fault.MOVED.value}; {WHEN_MOVED}", Fault.MOVED
        )
        if not self._was_told:
            _log.error("nothing is recorded: %s", refusal)
        self._was_told = True
        return refusal

    def try_to_write(self) -> StoreUnavailableError | None:
        """Write a block beside the file, which leaves nothing; return why that is refused.

        A disk that is full is not looked for: how much room a recording needs is another question.
        """
        if (error := refused_write(self._real)) is not None:
            fault = None if error.errno is None else _FAULTS.get(error.errno)
        else:
            fault = None if os.access(self._real, os.W_OK) else Fault.NOT_ALLOWED
        if fault is None:
            return None
        return StoreUnavailableError(f"{self._path}: {fault.value}", fault)

    def explain(self, refused: StoreUnavailableError) -> StoreUnavailableError:
        """Return a refusal of SQLite with the reason that the system gives for it, if any."""
        if refused.fault is not Fault.OTHER or (found := self.try_to_write()) is None:
            return refused
        found.__cause__ = refused.__cause__
        return found
