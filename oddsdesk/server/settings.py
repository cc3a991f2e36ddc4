"""What a server is started with."""

from dataclasses import dataclass
from pathlib import Path

from oddsdesk.pricing.devig import DEFAULT_METHOD

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
DEFAULT_RETENTION_HOURS = 72.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one run; ``None`` as the reference keeps the database's own (D1).

    ``port`` 0 picks a free one. ``speed`` is how fast replays run. Price changes older
    than ``retention_hours`` are forgotten.
    """

    database: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    reference: str | None = None
    devig_method: str = DEFAULT_METHOD
    feeds: tuple[str, ...] = ()
    speed: float = 1.0
    retention_hours: float = DEFAULT_RETENTION_HOURS
