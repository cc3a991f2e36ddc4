"""What the log says of a server's run: what it began with, and why it ended (D81)."""

import contextlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from oddsdesk import __version__
from oddsdesk.ending import Ending
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.databases import Database

_log: Final = logging.getLogger(__name__)


class RunLines:
    """Two lines at the level of information; with ``--log-format json`` also as fields."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._began = time.monotonic()

    def started(self, url: str) -> None:
        """Say that it runs, at an address unless it answers nobody."""
        fields = self._fields(url)
        said = ", ".join(f"{name} {_said(value)}" for name, value in fields.items())
        _log.info("started: %s", said, extra={"fields": fields})

    @contextlib.contextmanager
    def telling_the_end(self, ending: Ending) -> Iterator[None]:
        """Say why what is inside has ended, with all files closed."""
        try:
            yield
        except BaseException as error:
            self._stopped(str(error) or type(error).__name__)
            raise
        self._stopped(ending.why)

    def _stopped(self, why: str) -> None:
        seconds = round(time.monotonic() - self._began, 1)
        fields = {"why": why, "seconds": seconds}
        _log.info("stopped: %s, after %s s", why, seconds, extra={"fields": fields})

    def _fields(self, url: str) -> dict[str, Any]:
        settings = self._settings
        tls = settings.public.tls
        return {
            "version": __version__,
            "process": os.getpid(),
            "address": url or None,
            "tls": None if tls is None else str(tls.certificate),
            "database": _place(settings.database),
            "engine": "SQLite" if isinstance(settings.database, Path) else "PostgreSQL",
            "roles": [each for each in Role if each in settings.roles],
            "workers": settings.workers,
            "feeds": _kinds(settings.feeds),
        }


def _place(database: Database) -> str:
    return str(database.absolute() if isinstance(database, Path) else database)


def _kinds(feeds: Sequence[str]) -> list[str]:
    """Return what feeds are of; what follows may be an address with a key in it (D64)."""
    return [each.partition(":")[0] for each in feeds if each != "none"]


def _said(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value) or "none"
    return "none" if value is None else str(value)
