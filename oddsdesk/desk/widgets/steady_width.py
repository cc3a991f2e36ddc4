"""Widths that go in steps: a figure that counts then lays out nothing anew."""

_STEP = 16


def steady_width(width: int) -> int:
    """Return the least step that has room for a width in pixels."""
    return -(-width // _STEP) * _STEP
