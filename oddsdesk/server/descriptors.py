"""How many files and connections this process may have open, and raising that."""

import sys
from typing import Final

RESERVED: Final = 256
"""Descriptors that connections leave to databases, feeds, logs and what else is opened."""


def make_room(connections: int) -> None:
    """Raise this process's limit to what so many connections need, as far as the system allows."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVED
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # macOS says no limit, and has one
            return


def most_connections() -> int:
    """Return how many connections there is room for."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource  # noqa: PLC0415 - not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft - min(RESERVED, soft // 2)
