"""Showing what was wrong in a message, however long it is."""

from reprlib import Repr

_repr = Repr()
_repr.maxstring = _repr.maxother = 80
_repr.maxlong = 40


def shown(value: object) -> str:
    """Return the value as Python writes it, cut in the middle where it is long."""
    return _repr.repr(value)
