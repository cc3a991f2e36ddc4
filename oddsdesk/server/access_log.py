"""A line of the log for each request and stream (D81): without queries, keys and tokens."""

import logging
import time
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oddsdesk.network.secrets import masked
from oddsdesk.server.access import KEY_ID
from oddsdesk.server.gate import loggable
from oddsdesk.server.subscribers import CHANNEL, Channel

_log: Final = logging.getLogger("oddsdesk.access")


class AccessLog:
    """Logs what was answered to whom; a stream when it ends, with its close code and why."""

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
            client = scope.get("client")
            code, why = status or None, None
            channel: Channel | None = scope.get("extensions", {}).get(CHANNEL)
            if channel is not None and channel.ended is not None:
                code, why = channel.ended
                size = channel.offered_bytes
            _tell(
                client=client[0] if client else None,
                key=scope.get(KEY_ID),
                asked=loggable(scope),
                status=code,
                size=size,
                ms=round((time.perf_counter() - began) * 1000, 1),
                why=None if why is None else masked(why),  # it may repeat a filter's value
            )


def log_unseen(client: str | None, why: str, status: int, size: int) -> None:
    """Log what was refused before an application saw it; ``why`` stands for what was asked."""
    _tell(client=client, key=None, asked=f"({why})", status=status, size=size, ms=None)


def _tell(*, size: int, ms: float | None, why: str | None = None, **fields: Any) -> None:
    fields |= {"bytes": size, "ms": ms}
    if why is not None:
        fields["why"] = why
    said = " ".join("-" if value is None else str(value) for value in fields.values())
    _log.info("%s", said, extra={"fields": fields})
