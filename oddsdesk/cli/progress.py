"""Progress of long work, on stderr: a line that is rewritten, or now and then a new one."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

FIRST_AFTER_S = 1.0
TERMINAL_EVERY_S = 0.2
PLAIN_EVERY_S = 10.0


class Progress:
    """Tells how far work is; work that is done within a second says nothing."""

    def __init__(
        self,
        what: str,
        stream: TextIO | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._monotonic = monotonic
        self._terminal = self._stream.isatty()
        self._due = monotonic() + FIRST_AFTER_S
        self._shown = False
        self._done = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def add(self, count: int) -> None:
        """Count work that is done, and tell of it when it is time."""
        self._done += count
        if count and self._monotonic() >= self._due:
            self._due = self._monotonic() + (TERMINAL_EVERY_S if self._terminal else PLAIN_EVERY_S)
            text = f"{self._done:,} {self._what}"
            self._stream.write(f"\r{text}\033[K" if self._terminal else f"{text}\n")
            self._stream.flush()
            self._shown = self._terminal

    def clear(self) -> None:
        """Take the line away, so that another message may stand there."""
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
            self._shown = False
