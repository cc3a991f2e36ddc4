"""The one way out of the program: HTTP and WebSocket, set up once for client and feeds."""

import random
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from oddsdesk import __version__
from oddsdesk.base.texts import N_


def silence_text(host: str) -> str:
    """Return the message about a silent host, however that was noticed."""
    return N_(f"{host} is silent")


class NetworkError(Exception):
    """No usable answer; the message is one line without keys and without queries of addresses."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnreachableError(NetworkError):
    """No complete answer: no network, wrong address, TLS failure, or it took too long."""


class NotConnectedError(UnreachableError):
    """There was no connection, so nothing was sent."""


class UnusableAnswerError(NetworkError):
    """The answer was larger than any expected one, or compressed in an unexpected way."""


class NoWebSocketError(NetworkError):
    """The answer had ``status`` instead of opening a WebSocket."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ClosedError(Exception):
    """A WebSocket was closed; ``code`` is None if it was cut off."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


LONGEST_S: Final = 30.0
_SHORTEST_S: Final = 1.0

Randomness = Callable[[], float]
"""Returns a number in [0, 1)."""


class Backoff:
    """Counts failed attempts and says how long to wait."""

    def __init__(self, randomness: Randomness = random.random) -> None:
        self._randomness = randomness
        self._failures = 0

    def next_s(self) -> float:
        """Count a failure; return the seconds to wait, 1 to 30, half of it random."""
        full = min(LONGEST_S, _SHORTEST_S * 2.0**self._failures)
        self._failures = min(self._failures + 1, 8)
        return max(_SHORTEST_S, full * (0.5 + self._randomness() / 2))

    def reset_waits(self) -> None:
        """Restart at 1 s after a success."""
        self._failures = 0


USER_AGENT: Final = f"oddsdesk/{__version__}"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_SECRET: Final = re.compile(r"[0-9A-Fa-f]{16,}")


class BadAddressError(ValueError):
    """Not an address, or not only one; the message shows no password and no key."""


def read_address(name: str, url: str, schemes: tuple[str, ...]) -> str:
    """Return an address without a final slash; ``name`` is used in messages.

    Raises:
        BadAddressError: it has another scheme, or a user, query or fragment.
    """
    try:
        parts = urlsplit(url.strip())
        port_is_fine = parts.port != 0
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if parts.scheme not in schemes or not parts.hostname or not port_is_fine:
        shown = repr(_SECRET.sub("****", url.rpartition("@")[2]))
        raise BadAddressError(
            f"{name}: expected an address such as {schemes[-1]}://host, got {shown}"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise BadAddressError(f"{name}: expected an address without user, query and fragment")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def host_of(url: str) -> str:
    """Return host and port, which messages may show; a query may hold a key."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_local(url: str) -> bool:
    """Return whether an address is on this machine, so that no proxy is used."""
    return urlsplit(url).hostname in _LOOPBACK
