"""A server of a test's own on loopback."""

import asyncio
from typing import Any

import uvicorn

from oddsdesk.server.listener import _Uvicorn


def loopback_server(app: Any) -> _Uvicorn:
    """Make one at a free port, not started yet; it ends as soon as it shall."""
    return _Uvicorn(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            log_config=None,
            date_header=False,  # what is tested has a clock of its own
            lifespan="off",
            ws="websockets-sansio",
        ),
        asyncio.Event(),
    )
