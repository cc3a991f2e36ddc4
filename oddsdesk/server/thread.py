"""The server in a thread of its own: what the desk runs when it is its own service."""

import asyncio
import contextlib
import logging
import threading
from typing import Final

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.server.administration import Administration
from oddsdesk.server.loops import new_loop
from oddsdesk.server.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.accounts import OWN_ACCOUNT

START_LIMIT_S: Final = 60.0
"""Long, since the files of a replay are read before it answers."""
STOP_LIMIT_S: Final = 2.0

_log = logging.getLogger(__name__)


class EmbeddedServer:
    """A server on a thread and loop of its own; others reach it by loopback HTTP only."""

    def __init__(self, settings: Settings, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._clock = clock
        self._thread = threading.Thread(target=self._main, name="server", daemon=True)
        self._changed = threading.Event()
        self._failure: BaseException | None = None
        self._end_wanted = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self.administration: Administration | None = None
        """Feeds, keys and the database; None until it has started."""
        self.url = ""
        self.key = ""
        self.key_id = 0

    def start(self) -> str:
        """Start and return the address; ``key`` has all rights until the next start.

        Raises:
            StoreError, ListenError, FeedError: one line that says what cannot be used.
            TimeoutError: it did not answer in time.
        """
        self._thread.start()
        if not self._changed.wait(START_LIMIT_S):
            self.stop()
            raise TimeoutError(f"the server did not start within {START_LIMIT_S:g} seconds")
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self.url

    def stop(self) -> bool:
        """End it; False if it has not ended within 2 s. May be called twice."""
        self._end_wanted.set()
        loop = self._loop
        if loop is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(self._end)
        if self._thread.ident is not None:
            self._thread.join(STOP_LIMIT_S)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether its thread is running."""
        return self._thread.is_alive()

    def _main(self) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(self._serve())
        except asyncio.CancelledError:
            self._failure = TimeoutError("the server was stopped before it answered")
        except BaseException as error:  # noqa: BLE001 - thread main
            if self._changed.is_set():
                _log.exception("the server's thread failed")
            self._failure = error
        finally:
            self._changed.set()

    async def _serve(self) -> None:
        self._starting = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._end_wanted.is_set():
            raise asyncio.CancelledError
        async with serving(self._settings, self._clock) as server:
            self._starting = None
            administration = await self._announce(server)
            await self._stopping.wait()
            await administration.end()

    def _end(self) -> None:
        """On the loop: stop the server, or its start."""
        self._stopping.set()
        if self._starting is not None:
            self._starting.cancel()

    async def _announce(self, server: Server) -> Administration:
        """Make a new key and revoke the last one, so that no secret needs to be on the disk.

        Nothing that the desk asks its own server is counted.
        """
        reissue = server.access.keys.reissue
        made = await asyncio.to_thread(reissue, OWN_ACCOUNT, Plan.PRO_LIVE, self._clock())
        server.access.quotas.exempt(made.key.key_id)
        loop = asyncio.get_running_loop()
        administration = self.administration = Administration(server, loop, self._clock)
        self.url, self.key, self.key_id = server.url, made.secret, made.key.key_id
        self._changed.set()
        return administration
