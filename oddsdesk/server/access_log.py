"""A line of the log for each request and stream (D81): without queries, keys and tokens."""

import logging
import time
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oddsdesk.server.access import KEY_ID
from oddsdesk.server.gate import loggable

_log: Final = logging.getLogger("oddsdesk.access")


class AccessLog:
    """Logs what was answered to whom; a stream when it ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        _log.setLevel(logging.INFO)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and log afterwards."""
        began = time.perf_counter()
        status = size = 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            _tell(scope, status, size, time.perf_counter() - began)


def _tell(scope: Scope, status: int, size: int, seconds: float) -> None:
    client = scope.get("client")
    asked = loggable(scope)
    fields: dict[str, Any] = {
        "client": client[0] if client else None,
        "key": scope.get(KEY_ID),
        "asked": asked,
        "status": status or None,
        "bytes": size,
        "ms": round(seconds * 1000, 1),
    }
    said = " ".join("-" if value is None else str(value) for value in fields.values())
    _log.info("%s", said, extra={"fields": fields})
