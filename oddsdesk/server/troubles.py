"""What is wrong with the service now, in lines that anyone may read (D82)."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError

DAMAGE_S: Final = 60.0
"""How long damage counts after it was met: what is in use is met again by then."""
REFUSAL_S: Final = 5.0
"""The same for other refusals."""


class Trouble(msgspec.Struct, frozen=True):
    """One thing that is wrong; the line holds no names, paths or secrets."""

    line: str
    fault: Fault | None = None
    """What is wrong with the database, where it is the database."""
    stops_recording: bool = False


class Troubles:
    """Troubles by who has them; any thread may say one, and the server's loop asks.

    ``sources`` are asked for further ones, on the loop.
    """

    def __init__(self, sources: Iterable[Callable[[], Iterable[Trouble]]] = ()) -> None:
        self._sources = tuple(sources)
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, Trouble]] = {}

    def say(self, who: str, trouble: Trouble, for_s: float = float("inf")) -> None:
        """Take in what is wrong until it is over, or for a while."""
        with self._lock:
            self._said[who] = (time.monotonic() + for_s, trouble)

    def over(self, who: str) -> None:
        """Forget what somebody said."""
        with self._lock:
            self._said.pop(who, None)

    def met(self, who: str, error: StoreError) -> None:
        """Take in that the database refused somebody who does not wait for it."""
        trouble = refused(who, error)
        self.say(who, trouble, DAMAGE_S if trouble.fault is Fault.DAMAGED else REFUSAL_S)

    def now(self) -> list[Trouble]:
        """Return what is wrong now."""
        moment = time.monotonic()
        with self._lock:
            said = [trouble for until, trouble in self._said.values() if moment < until]
        return said + [trouble for source in self._sources for trouble in source()]


def refused(who: str, error: StoreError) -> Trouble:
    """Return what is said of somebody whom the database refuses."""
    fault = error.fault if isinstance(error, StoreUnavailableError) else Fault.OTHER
    return Trouble(f"{who}: {fault.value}", fault)
