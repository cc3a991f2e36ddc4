"""Where the program's log goes: standard error, and a file that stays small."""

import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import Final

from oddsdesk.places import NoHomeError, log_folder, portable_folder

FILE: Final = "oddsdesk.log"
MOST_BYTES: Final = 1_000_000
KEPT: Final = 2
"""Older files beside the present one."""
_FORM: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_log = logging.getLogger(__name__)


def start_logging(*, window: bool, verbose: bool = False) -> None:
    """Log warnings to standard error, and to a file where nobody would see that.

    A window has no terminal; a portable program keeps its log with the rest. ``verbose``
    tells on standard error what happens, too.
    """
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.INFO if verbose else logging.WARNING)
    logging.basicConfig(handlers=[terminal], format=_FORM)
    ours = logging.getLogger("oddsdesk")
    if verbose:
        ours.setLevel(logging.INFO)
    if window or portable_folder() is not None:
        ours.setLevel(logging.INFO)
        _log_to_file()


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
    handler.setFormatter(logging.Formatter(_FORM))
    logging.getLogger().addHandler(handler)
