"""Where the program's log goes: standard error, and a file that stays small."""

import logging
import re
import sys
from logging.handlers import RotatingFileHandler
from typing import Any, Final

from oddsdesk.network.secrets import without_keys
from oddsdesk.places import NoHomeError, log_folder, portable_folder

FILE: Final = "oddsdesk.log"
MOST_BYTES: Final = 1_000_000
KEPT: Final = 2
"""Older files beside the present one."""
_FORM: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LIVE_FEEDS: Final = "oddsdesk.feeds.live"
"""What these mean to read, and that they run again, is told on standard error, too (D65)."""
_UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_log = logging.getLogger(__name__)


class LineFormatter(logging.Formatter):
    """Keeps a message on one line, and what follows it (a traceback) indented.

    Names of others stand in messages: with a line break in one, it could pretend to be a line of
    the log.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record without keys, which addresses in tracebacks may hold."""
        return without_keys(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of logging
        """Return the line of a record."""
        record.message = _UNSHOWABLE.sub(_escaped, record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - of logging
        """Return a traceback below its line."""
        text = super().formatException(ei)
        return "\n".join(f"  {_UNSHOWABLE.sub(_escaped, line)}" for line in text.split("\n"))


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def start_logging(*, window: bool, verbose: bool = False) -> None:
    """Log warnings to standard error, and to a file where nobody would see that.

    A window has no terminal; a portable program keeps its log with the rest. ``verbose``
    tells on standard error what happens, too.
    """
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.INFO)
    if not verbose:
        terminal.addFilter(_is_for_terminal)
    terminal.setFormatter(LineFormatter(_FORM))
    logging.basicConfig(handlers=[terminal])
    logging.getLogger(_LIVE_FEEDS).setLevel(logging.INFO)
    ours = logging.getLogger("oddsdesk")
    if verbose:
        ours.setLevel(logging.INFO)
    if window or portable_folder() is not None:
        ours.setLevel(logging.INFO)
        _log_to_file()


def _is_for_terminal(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or record.name.startswith(_LIVE_FEEDS)


def _log_to_file() -> None:
    try:
        path = log_folder() / FILE
    except NoHomeError as error:
        _log.info("%s; the log is on standard error only", error)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8")
    except OSError as error:
        _log.info("%s: cannot be written (%s); the log is on standard error only", path, error)
        return
    handler.setFormatter(LineFormatter(_FORM))
    logging.getLogger().addHandler(handler)
