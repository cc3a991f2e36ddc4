"""A server of a test's own on loopback."""

import asyncio
import contextlib
import socket
from collections.abc import Generator
from typing import Any, Final

import uvicorn

_TICK_S: Final = 0.1
_STEP_S: Final = 0.005
_GRACE_S: Final = 2.0


class LoopbackServer(uvicorn.Server):
    """uvicorn, but it ends as soon as nobody is left: its own looks every 0.1 s, and later."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Begin to end."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _TICK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests go on for a while, then cancel them."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_STEP_S)
        for task in self.server_state.tasks:
            task.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def loopback_server(app: Any) -> LoopbackServer:
    """Make one at a free port, not started yet; it ends as soon as it shall."""
    return LoopbackServer(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            log_config=None,
            date_header=False,  # what is tested has a clock of its own
            lifespan="off",
            ws="websockets-sansio",
        )
    )
