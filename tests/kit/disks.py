"""Disks that refuse, without a disk and without root."""

import errno
import os
from typing import Any

import pytest

from oddsdesk.base import places


def refuse_writes(monkeypatch: pytest.MonkeyPatch, refused_by: int) -> None:
    """Make test writes in a database's folder fail with an error of the system."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(refused_by, os.strerror(refused_by))

    monkeypatch.setattr(places.tempfile, "TemporaryFile", refuse)


def refuse_to_open_for_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the system open files for reading only, as on a read-only disk."""
    opened = os.open

    def refuse(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return opened(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
