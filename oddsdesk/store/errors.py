"""What the store raises, one class per thing a caller does about it."""

from enum import Enum
from typing import Final

from oddsdesk import places


class StoreError(Exception):
    """The database cannot be used; the message is one line that says why and what to do."""


class HalfMadeError(StoreError):
    """A database that ``oddsdesk migrate`` has not finished; nobody may serve it."""

    def __init__(self, shown: str) -> None:
        super().__init__(
            f"{shown}: is half made; run oddsdesk migrate again to finish it, or remove it"
        )


class NotYetError(StoreError):
    """Who only reads can do nothing with it: it is empty, or an older oddsdesk's."""


class Fault(Enum):
    """Why a database refuses, in words that hold no paths."""

    FULL = "the disk is full"
    DAMAGED = "the database is damaged"
    MOVED = "the database file was moved or deleted"
    LOCKED = "the database is locked by another program"
    AWAY = "the database cannot be reached"
    SLOW = "the database does not answer in time"
    READ_ONLY = "the database is read-only"
    READ_ONLY_DISK = places.READ_ONLY_DISK
    NOT_ALLOWED = "the database file or its folder may not be written"
    QUOTA = "the disk quota is used up"
    DISK = "the disk reports an error"
    OTHER = "the database refuses"


WHEN_MOVED: Final = "put it back, or stop the server, restore a backup and start it again"
"""What to do about ``Fault.MOVED``."""


class StoreUnavailableError(StoreError):
    """The database refuses for now (disk full, locked, unreadable); asking again may work."""

    def __init__(self, message: str, fault: Fault = Fault.OTHER) -> None:
        super().__init__(message)
        self.fault = fault


class RealOddsError(StoreError):
    """Simulated odds are refused: the database holds real ones."""

    def __init__(self) -> None:
        super().__init__(
            "real odds are recorded in this database, so nothing is simulated in it any more"
        )


class BadCursorError(ValueError):
    """A cursor that did not come from an answer of this list (D14)."""


class PairError(Exception):
    """A pair cannot be accepted, refused or undone; says why in one line."""
