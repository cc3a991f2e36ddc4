"""What a server is started with."""

from pathlib import Path

import msgspec

from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.store.retention import KEEP_LOG_MS

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


class Settings(msgspec.Struct, frozen=True):
    """Settings of one run; ``None`` as the reference keeps the database's own (D1).

    ``port`` 0 picks a free one. ``speed`` is how fast replays run. Price changes older
    than ``keep_log_ms`` milliseconds are forgotten. ``durable``: nothing recorded is lost when
    power fails; else at most the last second.
    """

    database: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    reference: str | None = None
    devig_method: str = DEFAULT_METHOD
    feeds: tuple[str, ...] = ()
    speed: float = 1.0
    keep_log_ms: int = KEEP_LOG_MS
    durable: bool = False
