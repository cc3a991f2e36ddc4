"""Imports files on the embedded server's thread; the outcome is told where the user is by then."""

import asyncio
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.local_server.import_page import summary
from oddsdesk.desk.ui.local_server import LocalServer, LocalServerError
from oddsdesk.tasks import spawn, stop


class ImportController(QObject):
    """One import at a time, which goes on while the dialog is closed."""

    told = Signal(str)
    """What came of files whose dialog is closed."""

    day_requested = Signal(object)
    """The ``date`` of what was imported, which the user wants to see."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._dialog: ServerDialog | None = None
        self._task: asyncio.Task[None] | None = None
        self._files = 0

    def show_in(self, dialog: ServerDialog, server: LocalServer) -> None:
        """Take files from a dialog; where some are on their way, it says so."""
        self._dialog = dialog
        dialog.imports.import_requested.connect(partial(self._begin, server))
        dialog.imports.day_requested.connect(self.day_requested)
        dialog.finished.connect(self._on_dialog_finished)
        if self._task is not None:
            dialog.imports.show_busy(self._files)

    async def close(self) -> None:
        """Wait for nothing any more."""
        if self._task is not None:
            await stop(self._task)

    def _begin(
        self, server: LocalServer, format_name: str, places: Sequence[str], shift_to_now: bool
    ) -> None:
        self._files = len(places)
        if self._dialog is not None:
            self._dialog.message.hide()
        work = self._import(server, format_name, places, shift_to_now)
        self._task = spawn("import", work)

    async def _import(
        self, server: LocalServer, format_name: str, places: Sequence[str], shift_to_now: bool
    ) -> None:
        try:
            done = await server.import_files(format_name, places, shift_to_now=shift_to_now)
        except LocalServerError as error:
            self._tell_trouble(str(error))
        else:
            self._tell(done)
        finally:
            self._task = None

    def _tell(self, done: ImportOutcome) -> None:
        if self._dialog is None:
            self.told.emit(f"Import: {summary(done)}")
        else:
            self._dialog.imports.show_outcome(done)

    def _tell_trouble(self, text: str) -> None:
        if self._dialog is None:
            self.told.emit(f"Import: {text}")
        else:
            self._dialog.imports.show_ready()
            self._dialog.say_trouble(text)

    def _on_dialog_finished(self) -> None:
        self._dialog = None
