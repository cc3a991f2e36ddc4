"""Work that goes through the log, one at a time: begun, told of, cancelled."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.research.log import Progress, ResearchError
from oddsdesk.tasks import spawn

Work = Callable[[Progress], Coroutine[Any, Any, Any]]


class Running(QObject):
    """Runs work on the desk's loop, whose blocking part is on a thread of its own."""

    changed = Signal()
    """It began, ended, or is further."""
    done = Signal(object)
    """What came of it."""
    failed = Signal(str)
    """What went wrong, one line."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows = 0
        """How many rows are done."""
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is work that has not ended."""
        return self._task is not None

    def start(self, name: str, work: Work) -> None:
        """Begin, unless there is work that has not ended."""
        if self._task is None:
            self.rows = 0
            self._task = spawn(name, self._run(work))
            self.changed.emit()

    def cancel(self) -> None:
        """End what runs; nothing comes of it."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, work: Work) -> None:
        try:
            found = await work(self._on_progress)
        except ResearchError as error:
            self._end()
            self.failed.emit(str(error))
        except asyncio.CancelledError:
            self._end()
            raise
        else:
            self._end()
            self.done.emit(found)

    def _end(self) -> None:
        self._task = None
        self.changed.emit()

    def _on_progress(self, rows: int) -> None:
        if self._task is not None:
            self.rows = rows
            self.changed.emit()
