"""Carries out the requests of the built-in server's dialog, and imports files."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import FeedState, ImportOutcome, LocalServerError
from oddsdesk.contract.identity import PairState
from oddsdesk.desk.local_server.dialog import ServerDialog, WantedImport, summary
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.local_server import LocalServer

_INTERVAL_MS = 2_000
_MIB = 1024 * 1024


class _Newest:
    """Tells whether an answer is to the latest request, as earlier ones may arrive later."""

    def __init__(self) -> None:
        self._asked = 0

    def note_question(self) -> Callable[[], bool]:
        """Note a request; the returned function tells whether it is still the latest."""
        self._asked = asked = self._asked + 1
        return lambda: asked == self._asked


class ServerController(QObject):
    """Passes requests of the dialog to the server and shows the answers."""

    feeds_changed = Signal()
    feed_dropped = Signal(str)
    """A live feed was stopped, or any feed removed: the next start must not begin it."""
    feed_begun = Signal(str)
    """A feed that had been stopped was started."""
    games_decided = Signal()
    """Games were merged or separated."""
    restore_requested = Signal(str)
    """Replace the server's database with this backup."""

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

    async def stop_waiting(self) -> None:
        """Cancel all tasks."""
        self._has_ended = True
        self._timer.stop()
        await cancel_tasks(*self._tasks)

    def _connect(self) -> None:
        dialog = self._dialog
        dialog.backup.backup_requested.connect(
            lambda path, keys, bets: self._do(self._back_up(Path(path), keys, bets))
        )
        dialog.backup.restore_requested.connect(self.restore_requested)
        dialog.server.days_chosen.connect(lambda days: self._do(self._keep(days)))
        dialog.games.decided.connect(lambda pairs, state: self._do(self._decide(pairs, state)))
        dialog.pages.currentChanged.connect(self._on_pages_current_changed)
        feeds, keys = dialog.feeds, dialog.keys
        feeds.start_requested.connect(lambda feed: self._do(self._start_feed(feed)))
        feeds.stop_requested.connect(lambda feed: self._do(self._stop_feed(feed)))
        feeds.remove_requested.connect(lambda feed: self._do(self._remove_feed(feed)))
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
            self._dialog.say_trouble(translated(str(error)))

    def _refresh(self) -> None:
        if not self._is_refreshing:
            self._start(self._show_state())

    async def _show_state(self) -> None:
        self._is_refreshing = True
        try:
            database = await self._server.database()
            self._dialog.server.show_database(database, self._clock())
            self._dialog.backup.show_database(database.path)
            self._dialog.feeds.show_feeds(await self._server.feed_reports())
        finally:
            self._is_refreshing = False

    def _on_pages_current_changed(self) -> None:
        if self._dialog.pages.currentWidget() is self._dialog.games:
            self._start(self._show_pairs())

    async def _show_pairs(self) -> None:
        is_newest = self._pairs.note_question()
        pairs = await self._server.game_pairs()
        if is_newest():
            self._dialog.show_pairs(pairs, self._clock())

    async def _decide(self, idents: Sequence[int], state: PairState) -> None:
        try:
            await self._server.decide_game_pairs(idents, state)
            self.games_decided.emit()
        finally:
            await self._show_pairs()

    async def _show_keys(self) -> None:
        is_newest = self._keys.note_question()
        keys = await self._server.api_keys()
        if is_newest():
            self._dialog.keys.show_keys(keys, self._server.own_key_id)

    async def _show_new(self, secret: str) -> None:
        try:
            await self._show_keys()
        finally:
            self._dialog.keys.show_secret(secret)

    async def _back_up(self, target: Path, keys: bool, bets: bool) -> None:
        self._dialog.message.show_message(_("Copying…"), icon="loading")
        try:
            size = await self._server.back_up(
                target, keys=keys, bets=bets, progress=self._tell_copied
            )
        finally:
            if not self._has_ended:
                self._dialog.backup.show_working(False)
        self._dialog.say_done(
            _("{size:,.1f} MiB copied to {target}").format(size=num(size / _MIB), target=target)
        )

    async def _keep(self, days: int) -> None:
        try:
            await self._server.keep_days(days)
        finally:
            await self._show_state()

    def _tell_copied(self, share: float) -> None:
        if not self._has_ended:
            self._dialog.message.show_message(
                _("Copying… {share:.0%}").format(share=num(share)), icon="loading"
            )

    def _on_dialog_finished(self) -> None:
        self._has_ended = True
        self._timer.stop()
        for task in self._tasks:
            task.cancel()

    async def _feed(self, change: Coroutine[Any, Any, None]) -> None:
        await change
        self._dialog.feeds.show_feeds(await self._server.feed_reports())
        self.feeds_changed.emit()

    async def _start_feed(self, feed: FeedState) -> None:
        await self._feed(self._server.start_feed(feed.number))
        self.feed_begun.emit(feed.spec)

    async def _stop_feed(self, feed: FeedState) -> None:
        await self._feed(self._server.stop_feed(feed.number))
        if not feed.simulated and feed.recorded_at is None:
            self.feed_dropped.emit(feed.spec)

    async def _remove_feed(self, feed: FeedState) -> None:
        await self._feed(self._server.remove_feed(feed.number))
        self.feed_dropped.emit(feed.spec)

    async def _look_for_keyring(self) -> None:
        if not await self._server.has_keyring():
            self._dialog.feeds.show_no_keyring()

    async def _add(self, spec: str, speed: float, key: str) -> None:
        if key:
            await self._server.keep_feed_key(spec.partition(":")[0], key)
        await self._server.add_feed(spec, speed)

    async def _make(self) -> None:
        await self._show_keys()  # another program may have changed the account
        plan, bookmaker = self._dialog.keys.chosen_plan()
        self._dialog.keys.make_key(await self._free_warning(plan, bookmaker))

    async def _create(self, account: str, plan: Plan | None, bookmaker: str | None) -> None:
        await self._show_new(await self._server.create_key(account, plan, bookmaker))
        made = self._dialog.keys.key_of(account)
        if made is not None:
            warning = await self._free_warning(made.plan, made.bookmaker)
            if warning:
                self._dialog.say_warning(
                    _("Key created. {warning}").format(warning=sentence(warning))
                )

    async def _free_warning(self, plan: Plan, bookmaker: str | None) -> str:
        """Return why a key on Free would get no odds; other plans include all bookmakers."""
        if plan.rights.all_bookmakers:
            return ""
        return translated(await self._server.account_warning(plan, bookmaker))

    async def _rotate(self, key_id: int) -> None:
        await self._show_new(await self._server.rotate_key(key_id))

    async def _revoke(self, key_id: int) -> None:
        await self._server.revoke_key(key_id)
        await self._show_keys()

    async def _change(self, account: str, plan: Plan, bookmaker: str | None) -> None:
        warning = translated(await self._server.change_rights(account, plan, bookmaker))
        await self._show_keys()
        if not bookmaker:
            text = _("Account {account} is now on {plan}")
        elif plan is Plan.FREE:
            text = _("Account {account} is now on {plan} ({bookmaker})")
        else:
            text = _("Account {account} is now on {plan} (on Free: {bookmaker})")
        done = text.format(account=account, plan=plan.value, bookmaker=bookmaker)
        if warning:
            self._dialog.say_warning(f"{done}. {sentence(warning)}")
        else:
            self._dialog.say_done(done)

    async def _remove(self, account: str) -> None:
        await self._server.drop_account(account)
        await self._show_keys()
        self._dialog.say_done(_("Account {account} removed").format(account=account))


class ImportController(QObject):
    """Runs one import at a time, which continues if the dialog is closed."""

    message_ready = Signal(str)
    """Why files were not imported, where their dialog is closed."""

    done = Signal(str)
    """What came of files; empty where their dialog says it."""

    day_requested = Signal(object)
    """The ``date`` of the imported prices that the user wants to see."""

    past_imported = Signal(object)
    """The time of the newest imported price, in milliseconds, if all are old."""

    new_database_requested = Signal(str, object, object)
    """The name of a connection to a new database, its ``Path``, and the ``WantedImport``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._dialog: ServerDialog | None = None
        self._task: asyncio.Task[None] | None = None
        self._files = 0

    def show_in(self, dialog: ServerDialog, server: LocalServer) -> None:
        """Take files from a dialog; show a running import there."""
        self._dialog = dialog
        dialog.imports.import_requested.connect(partial(self.begin_import, server))
        dialog.imports.new_database_requested.connect(partial(self._ask_database, server))
        dialog.imports.day_requested.connect(self.day_requested)
        dialog.finished.connect(self._on_dialog_finished)
        if self._task is not None:
            dialog.imports.show_busy(self._files)

    async def stop_waiting(self) -> None:
        """Cancel all tasks."""
        if self._task is not None:
            await cancel_tasks(self._task)

    def begin_import(self, server: LocalServer, wanted: WantedImport) -> None:
        """Import files into a server's database."""
        self._files = len(wanted.places)
        if self._dialog is not None:
            self._dialog.message.hide()
            self._dialog.imports.show_busy(self._files)
        self._task = spawn("import", self._import(server, wanted))

    def _ask_database(self, server: LocalServer, name: str, wanted: WantedImport) -> None:
        self._task = spawn("new database", self._find_place(server, name, wanted))

    async def _find_place(self, server: LocalServer, name: str, wanted: WantedImport) -> None:
        """Ask for a new database next to the server's, unless there is already such a file."""
        file = re.sub(r"[^\w.-]+", "-", name).strip("-.")
        try:
            here = (await server.database()).path
        except LocalServerError as error:
            self._tell_trouble(translated(str(error)))
            return
        finally:
            self._task = None
        path = here.with_name(f"{file or 'odds'}.db")
        if path.exists():
            self.say_refused(_("{path} already exists. Choose another name.").format(path=path))
        else:
            self.new_database_requested.emit(name, path, wanted)

    def say_refused(self, text: str) -> None:
        """Show why there can be no such database; the name can be changed."""
        if self._dialog is not None:
            self._dialog.say_trouble(text)
            self._dialog.imports.name.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _import(self, server: LocalServer, wanted: WantedImport) -> None:
        try:
            done = await server.import_files(
                wanted.format,
                wanted.places,
                shift_to_now=wanted.shift_to_now,
                together=wanted.together,
            )
        except LocalServerError as error:
            self._tell_trouble(translated(str(error)))
        else:
            self._tell(done)
        finally:
            self._task = None

    def _tell(self, done: ImportOutcome) -> None:
        if done.is_past and done.newest_ms is not None:
            self.past_imported.emit(done.newest_ms)
        if self._dialog is None:
            self.done.emit(_("Import: {text}").format(text=summary(done)))
        else:
            self.done.emit("")
            self._dialog.imports.show_outcome(done)

    def _tell_trouble(self, text: str) -> None:
        if self._dialog is None:
            self.message_ready.emit(_("Import: {text}").format(text=text))
        else:
            self._dialog.imports.show_ready()
            self._dialog.say_trouble(text)

    def _on_dialog_finished(self) -> None:
        self._dialog = None
