"""What a check finds."""

from enum import Enum, auto

import msgspec


class Mark(Enum):
    """What a finding means."""

    OK = auto()
    NOTE = auto()
    """Worth knowing; nothing fails for it."""
    BROKEN = auto()


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at, in one line."""

    name: str
    text: str
    mark: Mark = Mark.OK


class Section(msgspec.Struct, frozen=True):
    """Findings about one thing."""

    title: str
    findings: tuple[Finding, ...]
