"""What a check finds."""

from dataclasses import dataclass
from enum import Enum, auto


class Mark(Enum):
    """What a finding means."""

    OK = auto()
    NOTE = auto()
    """Worth knowing; nothing fails for it."""
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, in one line."""

    name: str
    text: str
    mark: Mark = Mark.OK


@dataclass(frozen=True, slots=True)
class Section:
    """Findings about one thing."""

    title: str
    findings: tuple[Finding, ...]
