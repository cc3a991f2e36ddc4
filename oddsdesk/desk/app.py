"""The composition root: builds server, client, board and window and passes each what it needs."""

import asyncio
import gc
import logging
import signal
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any

from platformdirs import user_data_path
from PySide6.QtWidgets import QApplication

from oddsdesk import __version__
from oddsdesk.board.board import Board
from oddsdesk.board.sync import Sync
from oddsdesk.client.client import Client
from oddsdesk.clock import system_clock
from oddsdesk.desk.assembly import Desk
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.loop import run_on_qt
from oddsdesk.desk.records import Records
from oddsdesk.desk.theme.theme import Scheme, Theme
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.store import open_store
from oddsdesk.tasks import spawn

EMBEDDED = "Embedded server"
LEDGER = "ledger.db"
SIMULATOR = "simulator"

_log = logging.getLogger(__name__)


def run_desk(settings: Settings) -> None:
    """Open the desk on an embedded server and return when it was closed.

    Raises:
        StoreError, ListenError, FeedError: one line that says what cannot be used.
    """
    gc.freeze()
    server = EmbeddedServer(replace(settings, feeds=settings.feeds or _first_feeds(settings)))
    with ThreadPoolExecutor(1, thread_name_prefix="server start") as pool:
        starting = pool.submit(server.start)
        app = QApplication(["oddsdesk"])
        app.setApplicationName("oddsdesk")
        app.setApplicationVersion(__version__)
        app.setDesktopFileName("oddsdesk")
        try:
            run_on_qt(app, lambda: _run(app, server, starting, settings))
        finally:
            if not server.stop():
                _log.warning("the embedded server did not stop in time")


def _first_feeds(settings: Settings) -> tuple[str, ...]:
    """Simulated odds until the database holds real ones: the two must not mix unasked."""
    if not settings.database.exists():
        return (SIMULATOR,)
    with closing(open_store(settings.database, read_only=True)) as store:
        return () if store.reader().holds_real_odds() else (SIMULATOR,)


def _feed_text(settings: Settings) -> str:
    """What the window says of feeds whose odds are not of this moment."""
    if not any(feed.startswith("replay:") for feed in settings.feeds):
        return ""
    return f"Replay · {settings.speed:g}×"


async def _run(
    app: QApplication, server: EmbeddedServer, starting: Future[str], settings: Settings
) -> None:
    layout = Layout()
    theme = Theme(app, Scheme(layout.get("look/scheme", Scheme.SYSTEM.value)))
    board = Board(system_clock, settings.devig_method)
    records = Records(user_data_path("oddsdesk", appauthor=False) / LEDGER)
    desk = Desk(board, theme, layout, records, system_clock, EMBEDDED)
    closed = asyncio.Event()
    desk.window.closed.connect(closed.set)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, desk.window.close)
    desk.top_bar.show_feed(_feed_text(settings))
    desk.window.restore()
    desk.window.show()
    try:
        ended = spawn("desk: closed", closed.wait())
        started = asyncio.wrap_future(starting)
        either: set[asyncio.Future[Any]] = {started, ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not closed.is_set():
            await _work(desk, board, Client(started.result(), server.key), closed)
    finally:
        desk.close()
        records.close()


async def _work(desk: Desk, board: Board, client: Client, closed: asyncio.Event) -> None:
    async with client:
        sync = Sync(client, board, system_clock)
        desk.attach(sync)
        sync.start()
        try:
            await closed.wait()
        finally:
            await sync.stop()
