"""The store's errors, one class for each reaction of a caller."""

from enum import Enum
from typing import Final

from oddsdesk.base import system_errors
from oddsdesk.base.texts import N_


class StoreError(Exception):
    """The database cannot be used; the message is one line with the reason and what to do."""


class HalfMadeError(StoreError):
    """A database that ``oddsdesk migrate`` has not finished; it must not be served."""

    def __init__(self, shown: str) -> None:
        super().__init__(
            f"{shown}: is unfinished; run oddsdesk migrate again to finish it, or delete it"
        )


class NotYetError(StoreError):
    """The database is empty or needs a migration, which a reader cannot do."""


class Fault(Enum):
    """Why a database fails, in words without paths."""

    FULL = N_("the disk is full")
    DAMAGED = N_("the database is damaged")
    MOVED = N_("the database file was moved or deleted")
    LOCKED = N_("the database is locked by another program")
    AWAY = N_("the database cannot be reached")
    SLOW = N_("the database does not answer in time")
    READ_ONLY = N_("the database is read-only")
    READ_ONLY_DISK = system_errors.READ_ONLY_DISK
    NOT_ALLOWED = N_("no permission to write the database file or its folder")
    QUOTA = N_("the disk quota is full")
    DISK = N_("the disk reports an error")
    OTHER = N_("the database reports an error")


WHEN_MOVED: Final = N_("put it back, or stop the server, restore a backup and restart")
"""What to do about ``Fault.MOVED``."""


class StoreUnavailableError(StoreError):
    """The database fails for now (disk full, locked, unreadable); a retry may work."""

    def __init__(self, message: str, fault: Fault = Fault.OTHER) -> None:
        super().__init__(message)
        self.fault = fault


class RealOddsError(StoreError):
    """Simulated odds are refused because the database has real ones."""

    def __init__(self) -> None:
        super().__init__("this database has real odds, so it cannot take simulated ones")


class BadCursorError(ValueError):
    """A cursor that is not from an answer of this list."""


class PairError(Exception):
    """A pair cannot be accepted, refused or undone; one line with the reason."""
