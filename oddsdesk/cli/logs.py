"""The program's log: standard error, and a file of limited size."""

import io
import logging
import re
import sys
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

import msgspec

from oddsdesk.base.files import keep_from_others, make_own_folder
from oddsdesk.base.places import NoHomeError, log_folder, portable_folder
from oddsdesk.network.secrets import without_keys

FILE: Final = "oddsdesk.log"
MOST_BYTES: Final = 1_000_000
KEPT: Final = 2
"""Older files kept besides the current one."""
_FORM: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LIVE_FEEDS: Final = "oddsdesk.feeds.live"
"""What these feeds plan to read, and when they recover, also goes to standard error."""
_ACCESS: Final = "oddsdesk.access"
"""One line per request, if switched on."""
_UNSHOWABLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, line ends, direction marks, half surrogates."""
MOST_CHARACTERS: Final = 4_000
"""Longest message; longer ones, such as those with a long foreign name, are cut."""

_log = logging.getLogger(__name__)


class LineFormatter(logging.Formatter):
    """Keeps a message on one line and indents what follows it, such as a traceback.

    Messages contain foreign names; a line break in one could forge a line of the log.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record without keys, which addresses in tracebacks can contain."""
        return without_keys(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of logging
        """Return the line of a record."""
        record.message = _on_one_line(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - of logging
        """Return a traceback below its line."""
        text = super().formatException(ei)
        return "\n".join(f"  {_UNSHOWABLE.sub(_escaped, line)}" for line in text.split("\n"))


class JsonFormatter(LineFormatter):
    """Formats each record as one JSON object per line, for programs that collect logs.

    Extra fields of a record become fields of the object.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record without keys; times are UTC."""
        made = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields = {
            name: _on_one_line(value) if isinstance(value, str) else value
            for name, value in getattr(record, "fields", {}).items()
        }
        line: dict[str, Any] = {
            "time": f"{made}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _on_one_line(record.getMessage()),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return without_keys(msgspec.json.encode(line | fields).decode())


def _on_one_line(message: str) -> str:
    """Return a message on one line, cut to a limited length."""
    if len(message) > MOST_CHARACTERS:
        message = f"{message[:MOST_CHARACTERS]}... ({len(message)} characters)"
    return _UNSHOWABLE.sub(_escaped, message)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def start_logging(*, window: bool, level: int = logging.WARNING, as_json: bool = False) -> None:
    """Log from ``level`` up to standard error, and to a file for a window.

    A window has no terminal. A portable program keeps its log in its own folder. The access log is
    always written if asked for; feeds are logged unless only errors are wanted.
    """
    terminal = logging.StreamHandler(sys.stderr)
    terminal.addFilter(lambda record: record.levelno >= level or _is_always_told(record, level))
    terminal.setFormatter(JsonFormatter() if as_json else LineFormatter(_FORM))
    logging.basicConfig(handlers=[terminal])
    logging.getLogger(_LIVE_FEEDS).setLevel(min(level, logging.INFO))
    ours = logging.getLogger("oddsdesk")
    ours.setLevel(min(level, logging.WARNING))
    if window or portable_folder() is not None:
        ours.setLevel(min(level, logging.INFO))
        _log_to_file()


def _is_always_told(record: logging.LogRecord, level: int) -> bool:
    if record.name == _ACCESS:
        return True
    return level <= logging.WARNING and record.name.startswith(_LIVE_FEEDS)


class _OwnFileHandler(RotatingFileHandler):
    """Makes the log readable by its owner only."""

    def _open(self) -> io.TextIOWrapper:
        keep_from_others(Path(self.baseFilename))
        return super()._open()


def _log_to_file() -> None:
    try:
        path = log_folder() / FILE
    except NoHomeError as error:
        _log.info("%s; logging to standard error only", error)
        return
    try:
        make_own_folder(path.parent)
        handler = _OwnFileHandler(
            path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        _log.info("%s: cannot be written (%s); logging to standard error only", path, error)
        return
    handler.setFormatter(LineFormatter(_FORM))
    logging.getLogger().addHandler(handler)
