"""Carrying out what the embedded server's dialog asks for, and importing files."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.contract.game_pairs import PairState
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.local_server.import_page import summary
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.local_server import LocalServer, LocalServerError
from oddsdesk.tasks import spawn, stop

_INTERVAL_MS = 2_000
_MIB = 1024 * 1024


class _Newest:
    """Tells whether an answer is to the newest question: that to one before may come later."""

    def __init__(self) -> None:
        self._asked = 0

    def ask(self) -> Callable[[], bool]:
        """Note a question; call what is returned once it was answered."""
        self._asked = asked = self._asked + 1
        return lambda: asked == self._asked


class ServerController(QObject):
    """Hands what the dialog asks for to the server, and shows its answers while it is open."""

    feeds_changed = Signal()
    games_decided = Signal()
    """Games became one, or two again."""
    restore_requested = Signal(str)
    """The server is to end, and this backup to take its database's place."""

    def __init__(self, dialog: ServerDialog, server: LocalServer, clock: Clock) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._server = server
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_refreshing = False
        self._has_ended = False
        self._keys, self._pairs = _Newest(), _Newest()
        self._connect()
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self._refresh)
        self._timer.start()
        dialog.finished.connect(self._on_dialog_finished)
        self._refresh()
        self._do(self._show_keys())
        self._start(self._show_pairs())
        self._start(self._look_for_keyring())

    async def close(self) -> None:
        """Wait for nothing any more."""
        self._has_ended = True
        self._timer.stop()
        await stop(*self._tasks)

    def _connect(self) -> None:
        dialog, server = self._dialog, self._server
        dialog.backup.backup_requested.connect(
            lambda path, keys, bets: self._do(self._back_up(Path(path), keys, bets))
        )
        dialog.backup.restore_requested.connect(self.restore_requested)
        dialog.server.days_chosen.connect(lambda days: self._do(self._keep(days)))
        dialog.games.decided.connect(lambda pairs, state: self._do(self._decide(pairs, state)))
        dialog.pages.currentChanged.connect(self._on_pages_current_changed)
        feeds, keys = dialog.feeds, dialog.keys
        feeds.start_requested.connect(lambda n: self._do(self._feed(server.start_feed(n))))
        feeds.stop_requested.connect(lambda n: self._do(self._feed(server.stop_feed(n))))
        feeds.remove_requested.connect(lambda n: self._do(self._feed(server.remove_feed(n))))
        feeds.add_requested.connect(
            lambda spec, speed, key: self._do(self._feed(self._add(spec, speed, key)))
        )
        keys.make_requested.connect(lambda: self._do(self._make()))
        keys.create_requested.connect(
            lambda account, plan, book: self._do(self._create(account, plan, book))
        )
        keys.rotate_requested.connect(lambda ident: self._do(self._rotate(ident)))
        keys.revoke_requested.connect(lambda ident: self._do(self._revoke(ident)))
        keys.change_requested.connect(
            lambda account, plan, book: self._do(self._change(account, plan, book or None))
        )
        keys.remove_requested.connect(lambda account: self._do(self._remove(account)))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        self._dialog.message.hide()
        self._start(work)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = spawn("server dialog", self._reported(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reported(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except LocalServerError as error:
            self._dialog.say_trouble(str(error))

    def _refresh(self) -> None:
        if not self._is_refreshing:
            self._start(self._show_state())

    async def _show_state(self) -> None:
        self._is_refreshing = True
        try:
            database = await self._server.database()
            self._dialog.server.show_database(database, self._clock())
            self._dialog.backup.show_database(database.path)
            self._dialog.feeds.show_feeds(await self._server.feeds())
        finally:
            self._is_refreshing = False

    def _on_pages_current_changed(self) -> None:
        if self._dialog.pages.currentWidget() is self._dialog.games:
            self._start(self._show_pairs())

    async def _show_pairs(self) -> None:
        is_newest = self._pairs.ask()
        pairs = await self._server.game_pairs()
        if is_newest():
            self._dialog.show_pairs(pairs, self._clock())

    async def _decide(self, idents: Sequence[int], state: PairState) -> None:
        try:
            await self._server.decide_pairs(idents, state)
            self.games_decided.emit()
        finally:
            await self._show_pairs()

    async def _show_keys(self) -> None:
        is_newest = self._keys.ask()
        keys = await self._server.keys()
        if is_newest():
            self._dialog.keys.show_keys(keys, self._server.own_key_id)

    async def _show_new(self, secret: str) -> None:
        try:
            await self._show_keys()
        finally:
            self._dialog.keys.show_secret(secret)

    async def _back_up(self, target: Path, keys: bool, bets: bool) -> None:
        self._dialog.message.say("Copying…", icon="loading")
        try:
            size = await self._server.back_up(
                target, keys=keys, bets=bets, progress=self._tell_copied
            )
        finally:
            if not self._has_ended:
                self._dialog.backup.show_working(False)
        self._dialog.say_done(f"{size / _MIB:,.1f} MiB copied to {target}")

    async def _keep(self, days: int) -> None:
        try:
            await self._server.keep_days(days)
        finally:
            await self._show_state()

    def _tell_copied(self, share: float) -> None:
        if not self._has_ended:
            self._dialog.message.say(f"Copying… {share:.0%}", icon="loading")

    def _on_dialog_finished(self) -> None:
        self._has_ended = True
        self._timer.stop()
        for task in self._tasks:
            task.cancel()

    async def _feed(self, change: Coroutine[Any, Any, None]) -> None:
        await change
        self._dialog.feeds.show_feeds(await self._server.feeds())
        self.feeds_changed.emit()

    async def _look_for_keyring(self) -> None:
        if not await self._server.has_keyring():
            self._dialog.feeds.show_no_keyring()

    async def _add(self, spec: str, speed: float, key: str) -> None:
        if key:
            await self._server.keep_feed_key(spec.partition(":")[0], key)
        await self._server.add_feed(spec, speed)

    async def _make(self) -> None:
        await self._show_keys()  # another program may have made or changed the account
        self._dialog.keys.make_key()

    async def _create(self, account: str, plan: Plan | None, bookmaker: str | None) -> None:
        await self._show_new(await self._server.create_key(account, plan, bookmaker))

    async def _rotate(self, key_id: int) -> None:
        await self._show_new(await self._server.rotate_key(key_id))

    async def _revoke(self, key_id: int) -> None:
        await self._server.revoke_key(key_id)
        await self._show_keys()

    async def _change(self, account: str, plan: Plan, bookmaker: str | None) -> None:
        warning = await self._server.change_account(account, plan, bookmaker)
        await self._show_keys()
        when = "" if plan is Plan.FREE else "on Free: "
        done = f"Account {account} is on {plan.value}{f' ({when}{bookmaker})' if bookmaker else ''}"
        if warning:
            self._dialog.say_trouble(f"{done} now. {sentence(warning)}")
        else:
            self._dialog.say_done(done)

    async def _remove(self, account: str) -> None:
        await self._server.remove_account(account)
        await self._show_keys()
        self._dialog.say_done(f"Account {account} is removed")


class ImportController(QObject):
    """One import at a time, which goes on while the dialog is closed."""

    message_ready = Signal(str)
    """What came of files whose dialog is closed."""

    day_requested = Signal(object)
    """The ``date`` of what was imported, which the user wants to see."""

    past_imported = Signal(object)
    """When the newest of imported prices was scraped, where all are past; in milliseconds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._dialog: ServerDialog | None = None
        self._task: asyncio.Task[None] | None = None
        self._files = 0

    def show_in(self, dialog: ServerDialog, server: LocalServer) -> None:
        """Take files from a dialog; where some are on their way, it says so."""
        self._dialog = dialog
        dialog.imports.import_requested.connect(partial(self._begin, server))
        dialog.imports.day_requested.connect(self.day_requested)
        dialog.finished.connect(self._on_dialog_finished)
        if self._task is not None:
            dialog.imports.show_busy(self._files)

    async def close(self) -> None:
        """Wait for nothing any more."""
        if self._task is not None:
            await stop(self._task)

    def _begin(
        self, server: LocalServer, format_name: str, places: Sequence[str], shift_to_now: bool
    ) -> None:
        self._files = len(places)
        if self._dialog is not None:
            self._dialog.message.hide()
        work = self._import(server, format_name, places, shift_to_now)
        self._task = spawn("import", work)

    async def _import(
        self, server: LocalServer, format_name: str, places: Sequence[str], shift_to_now: bool
    ) -> None:
        try:
            done = await server.import_files(format_name, places, shift_to_now=shift_to_now)
        except LocalServerError as error:
            self._tell_trouble(str(error))
        else:
            self._tell(done)
        finally:
            self._task = None

    def _tell(self, done: ImportOutcome) -> None:
        if done.is_past and done.newest_ms is not None:
            self.past_imported.emit(done.newest_ms)
        if self._dialog is None:
            self.message_ready.emit(f"Import: {summary(done)}")
        else:
            self._dialog.imports.show_outcome(done)

    def _tell_trouble(self, text: str) -> None:
        if self._dialog is None:
            self.message_ready.emit(f"Import: {text}")
        else:
            self._dialog.imports.show_ready()
            self._dialog.say_trouble(text)

    def _on_dialog_finished(self) -> None:
        self._dialog = None
