"""The list of alerts in a file: a program that starts again tells nothing twice, and loses none.

It is written at each change, whole, on a thread of its own, since a disk may take its time; what
cannot be written is said once, and alerts go on.
"""

import logging
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from oddsdesk.board.alerts.gate import Alert, AlertEntry, Held, Said, key_text
from oddsdesk.board.matrix import RowKey
from oddsdesk.private_files import OWNER_ONLY, make_own_folder
from oddsdesk.whole_files import whole_file

_END_S: Final = 2.0
_MOST_BYTES: Final = 16 << 20

_log = logging.getLogger(__name__)


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """An ``AlertEntry`` as it is written."""

    key: str
    rule: str
    title: Said
    text: Said
    at: int
    level: float | None = None
    cell: RowKey | None = None
    channels: tuple[str, ...] = ()
    not_offered: str = ""
    held: Held | None = None
    times: int = 1
    deliveries: dict[str, str] = {}
    is_of_prices: bool = False
    is_asked_for: bool = False


class AlertMemory:
    """Keeps the list in a file; one program at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="alerts")
        self._writing: Future[None] | None = None
        self._next: bytes | None = None
        self._has_failed = False

    def read(self) -> list[AlertEntry]:
        """Return what was kept, the oldest first; nothing where that cannot be read."""
        try:
            with self._path.open("rb") as file:
                lines = msgspec.json.decode(file.read(_MOST_BYTES), type=list[_Line])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            _log.warning("alerts told before are not known: %s: %s", self._path, error)
            return []
        return [_entry(line) for line in lines]

    def keep(self, entries: Iterable[AlertEntry]) -> None:
        """Write the list as it is now; of lists that come while one is written the last is."""
        text = msgspec.json.encode([_line(entry) for entry in entries])
        if self._writing is not None and not self._writing.done():
            self._next = text
            return
        self._next = None
        self._writing = self._pool.submit(self._write, text)

    def close(self) -> None:
        """Write what waits, as far as the disk takes it in time."""
        if self._next is not None:
            self._writing = self._pool.submit(self._write, self._next)
        if self._writing is not None:
            try:
                self._writing.result(_END_S)
            except TimeoutError:
                _log.warning("the list of alerts is not kept: %s takes too long", self._path)
        self._pool.shutdown(wait=False)

    def _write(self, text: bytes) -> None:
        try:
            make_own_folder(self._path.parent)
            with whole_file(self._path, OWNER_ONLY, private=True) as file:
                file.write(text)
        except OSError as error:
            if not self._has_failed:
                _log.warning("the list of alerts is not kept: %s: %s", self._path, error)
            self._has_failed = True
        else:
            self._has_failed = False


def _line(entry: AlertEntry) -> _Line:
    alert = entry.alert
    return _Line(
        key_text(alert.key),
        alert.rule,
        alert.says,
        alert.also,
        entry.at,
        alert.level,
        alert.cell,
        alert.channels,
        alert.not_offered,
        entry.held,
        entry.times,
        entry.deliveries,
        alert.is_of_prices,
        alert.is_asked_for,
    )


def _entry(line: _Line) -> AlertEntry:
    alert = Alert(
        line.key,
        line.rule,
        line.title,
        line.text,
        line.level,
        line.cell,
        line.channels,
        line.not_offered,
        line.is_of_prices,
        line.is_asked_for,
    )
    return AlertEntry(alert, line.at, line.held, line.times, dict(line.deliveries))
