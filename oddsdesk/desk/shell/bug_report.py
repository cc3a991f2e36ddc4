"""Unexpected errors: collected from everywhere into a report that can be sent."""

import logging
import platform
import re
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType

import PySide6
from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk import __version__
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.tokens import GAP, STEP
from oddsdesk.network.secrets import without_keys
from oddsdesk.places import home_folder

_MOST = 20
_MOST_FRAMES = 40
_PLATFORM_FOLDER = r'File "[^"]*?(?=(?:oddsdesk|site-packages|python3[.\d]*)[/\\])'
_OTHER_FOLDER = r'File "(?:/|[A-Za-z]:\\)[^"]*[/\\](?=[^"/\\]*")'
_SECRETS = (
    r"(?i)(bearer\s+|(?:api[_-]?key|token|password|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"',&}]+",
    r"(?i)(://)[^/@\s]+(?=@)",
    r"(?i)(://(?:[^/@\s]+@)?)(?!localhost\b|127\.|\[::1\])(?:\[[^\]\s]*|[^/\s:\"',?#)>\]]+)",
    r"\b()[A-Za-z0-9_-]{32,}\b",
)

_log = logging.getLogger(__name__)


class BugReports(QObject):
    """Hears of every error that was logged with its trace, on whichever thread."""

    caught = Signal()
    """Another error is in the report. Given on the thread that the object lives on."""
    _logged = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._errors: deque[str] = deque(maxlen=_MOST)
        self._handler = _Handler(self._logged.emit)
        self._logged.connect(self._on_logged)

    @property
    def count(self) -> int:
        """How many errors the report holds."""
        return len(self._errors)

    def install(self) -> None:
        """Hear from now on of errors in slots, threads and tasks."""
        logging.getLogger().addHandler(self._handler)
        sys.excepthook = _on_exception
        threading.excepthook = _on_thread_exception

    def uninstall(self) -> None:
        """Stop listening."""
        logging.getLogger().removeHandler(self._handler)
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def text(self) -> str:
        """Return the report: versions and errors; no keys, tokens, addresses or folders."""
        errors = "\n\n".join(self._errors) or "No unexpected error was seen since the start."
        return f"{versions_text()}\n\n{errors}\n"

    def _on_logged(self, text: str) -> None:
        self._errors.append(text)
        self.caught.emit()


class _Handler(logging.Handler):
    """Passes errors that carry a trace on to the window's thread."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[1] is not None:
            self._report(error_text(record))


def versions_text() -> str:
    """Return the versions of program, Python, Qt and system in one line."""
    return (
        f"oddsdesk {__version__} · Python {platform.python_version()} · Qt {qVersion()} · "
        f"PySide6 {PySide6.__version__} · {platform.platform(terse=True)}"
    )


def error_text(record: logging.LogRecord) -> str:
    """Return one error as the report shows it."""
    assert record.exc_info is not None
    lines = traceback.format_exception(*record.exc_info, limit=-_MOST_FRAMES)
    at = datetime.fromtimestamp(record.created, UTC)
    head = f"{at:%Y-%m-%d %H:%M:%S} UTC, {record.name}: {record.getMessage()}"
    return without_secrets(f"{head}\n{''.join(lines)}".rstrip())


def without_secrets(text: str) -> str:
    """Return a text without folders and hosts of the user, keys, tokens and passwords."""
    text = re.sub(_PLATFORM_FOLDER, 'File "', without_keys(text))
    text = re.sub(_OTHER_FOLDER, 'File "', text)
    home = home_folder()
    if home is not None and home != home.parent:
        text = text.replace(str(home), "~")
    for pattern in _SECRETS:
        text = re.sub(pattern, r"\1[removed]", text)
    return text


def _on_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    _log.error("unexpected error", exc_info=(kind, error, trace))


def _on_thread_exception(hooked: threading.ExceptHookArgs) -> None:
    if hooked.exc_value is None or hooked.exc_type is SystemExit:
        return
    name = hooked.thread.name if hooked.thread is not None else "?"
    _log.error("unexpected error in thread %s", name, exc_info=hooked.exc_value)


_SIZE = (720, 520)


class BugReportDialog(QDialog):
    """Shows the report as it would be sent; nothing leaves this machine by itself."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Bug report")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        said = Label(
            "Describe above the line what you did and what you expected, copy the text, and add "
            "it to an issue of the project. Keys, tokens and folders were taken out.",
            wordWrap=True,
        )
        said.setProperty("variant", "soft")
        self.report = QPlainTextEdit(f"What I did:\n\nWhat I expected:\n\n---\n{text}")
        self.report.setAccessibleName("Bug report")
        self.report.setTabChangesFocus(True)
        self._copy = QPushButton("Copy")
        self._copy.setDefault(True)
        self._copy.clicked.connect(self._on_copy_clicked)
        close = QPushButton("Close")
        close.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self._copy)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(STEP)
        column.addWidget(said)
        column.addWidget(self.report)
        column.addLayout(buttons)

    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
        self._copy.setText("Copied")
