"""A server of a test's own on loopback."""

from typing import Any

import uvicorn


def loopback_server(app: Any) -> uvicorn.Server:
    """Make one at a free port, not started yet."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            log_config=None,
            date_header=False,  # what is tested has a clock of its own
            lifespan="off",
            ws="websockets-sansio",
            timeout_graceful_shutdown=1,
        )
    )
