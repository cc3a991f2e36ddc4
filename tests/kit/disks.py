"""Disks that refuse, without a disk and without root."""

import os
from typing import Any

import pytest

from oddsdesk.store.sqlite import file_place


def refuse_writes(monkeypatch: pytest.MonkeyPatch, refused_by: int) -> None:
    """Have a try to write beside a database refused with an error of the system."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(refused_by, os.strerror(refused_by))

    monkeypatch.setattr(file_place.tempfile, "TemporaryFile", refuse)
