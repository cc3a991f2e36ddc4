"""Writing a table to a file whole or not at all, in a thread of its own."""

import threading
from collections.abc import Callable
from pathlib import Path

from oddsdesk.desk.export.formats import FileFormat, Progress
from oddsdesk.desk.export.table import Table
from oddsdesk.desk.export.workbook import ExportError
from oddsdesk.whole_files import whole_file


class Stopped(Exception):  # noqa: N818 - no error: the user stopped the writing
    """The writing was stopped."""


def write_whole(table: Table, file_format: FileFormat, path: Path, progress: Progress) -> None:
    """Write a table to a file, which takes its place when it is whole.

    Raises:
        ExportError: one line that says why it cannot be written.
        Stopped: what ``progress`` raised; nothing is left behind.
    """
    try:
        with whole_file(path) as file:
            file_format.write(table, file, progress)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"{path} cannot be written: {reason}.") from error


class Writer:
    """Writes one table in a thread; callbacks come from there."""

    def __init__(
        self,
        table: Table,
        file_format: FileFormat,
        path: Path,
        on_progress: Progress,
        on_end: Callable[[str | None], None],
    ) -> None:
        """``on_end`` is called with None when the file is whole, else with what went wrong."""
        self._arguments = (table, file_format, path)
        self._on_progress = on_progress
        self._on_end = on_end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="export", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Stop writing and leave nothing behind; ``on_end`` is not called."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the thread; whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            write_whole(*self._arguments, self._progress)
        except Stopped:
            return
        except ExportError as error:
            self._end(str(error))
        except Exception as error:
            self._end(f"The export failed: {error!r}. This is a bug of oddsdesk.")
            raise
        else:
            self._end(None)

    def _end(self, trouble: str | None) -> None:
        if not self._stopped.is_set():
            self._on_end(trouble)

    def _progress(self, rows: int) -> None:
        if self._stopped.is_set():
            raise Stopped
        self._on_progress(rows)
