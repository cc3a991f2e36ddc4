"""What the store raises, one class per thing a caller does about it."""


class StoreError(Exception):
    """The database cannot be used; the message is one line that says why and what to do."""


class StoreUnavailableError(StoreError):
    """The database refuses for now (disk full, locked, unreadable); asking again may work."""


class BadCursorError(ValueError):
    """A cursor that no answer of this list ever carried (D14)."""
