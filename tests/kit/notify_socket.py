"""The socket of a service manager, as systemd gives one to a service."""

import socket
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Final

LIMIT_S: Final = 30


class NotifySocket:
    """Receives a service's messages; its address is a path, or abstract if it begins with `@`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)

    def next(self, limit_s: float = LIMIT_S) -> list[str]:
        """Return the lines of the next message; none if none comes."""
        self._socket.settimeout(limit_s)
        try:
            return self._socket.recv(65_536).decode().split("\n")
        except (TimeoutError, BlockingIOError):
            return []

    def until_told(self, *parts: str) -> str:
        """Return the first status that has all these parts."""
        for line in (line for said in self._messages() for line in said):
            if line.startswith("STATUS=") and all(part in line for part in parts):
                return line
        raise AssertionError(f"no status has {parts}")

    def until(self, line: str) -> list[str]:
        """Return the lines of the first message that has this one."""
        for said in self._messages():
            if line in said:
                return said
        raise AssertionError(f"{line} was not said")

    def _messages(self) -> Iterator[list[str]]:
        """Yield messages while some come, up to a limit, as watchdog messages never end."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline and (said := self.next()):
            yield said

    def drain(self) -> list[str]:
        """Return the lines of all messages so far."""
        lines: list[str] = []
        while said := self.next(0):
            lines += said
        return lines

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "NotifySocket":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()
