"""Carrying out what the dialog of live odds asks for."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import FeedState
from oddsdesk.contract.live_sources import LiveSource, WrittenFeed, read_feed_text
from oddsdesk.desk.local_server.live_dialog import LiveDialog
from oddsdesk.desk.local_server.source_list import OTHER
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.local_server import LocalServer, LocalServerError, SourceKeyError
from oddsdesk.tasks import spawn, stop

_log = logging.getLogger(__name__)

_INTERVAL_MS: Final = 1_000
_NO_KEYRING: Final = (
    "This machine has no keyring: the key is kept in a file that only you can read."
)
_KEYRING: Final = "Kept in the system's keyring. Empty: the key that is kept there already."

_LISTS: Final = ("regions", "markets", "bookmakers")
"""Options that hold several values with commas between."""

_Work = Callable[[], Coroutine[Any, Any, None]]


class LiveController(QObject):
    """Asks the server what the dialog needs to know, and starts what was chosen.

    Of each kind of question only the last one counts: one that is still under way is dropped.
    """

    feeds_changed = Signal()
    kept = Signal(str, list)
    """A feed to begin with at each start, and the feeds it stands for."""
    ended = Signal(str)
    """A feed that no start is to begin with."""

    def __init__(self, dialog: LiveDialog, server: LocalServer, clock: Clock) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._server = server
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._feeds: list[FeedState] = []
        self._has_keyring = True
        self._has_ended = False
        self._number: int | None = None
        self._name = ""
        self._title = ""
        self._missing = ""
        """What the dialog says that is missing, since somebody wanted to start."""
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self._look)
        page = dialog.choice
        page.source_changed.connect(self._on_page_source_changed)
        page.source_chosen.connect(self._on_page_source_chosen)
        page.choice_changed.connect(self._on_page_choice_changed)
        dialog.start_requested.connect(self._on_dialog_start_requested)
        dialog.running.change_requested.connect(self._on_running_change_requested)
        dialog.running.stop_requested.connect(lambda: self._do("stop", self._stop))
        dialog.finished.connect(self._on_dialog_finished)
        self._do("open", self._open)

    async def close(self) -> None:
        """Wait for nothing any more."""
        if not self._has_ended:
            self._timer.stop()
        await stop(*self._tasks.values())

    def _do(self, kind: str, work: _Work) -> None:
        self._drop(kind)
        self._tasks[kind] = spawn(f"live odds: {kind}", self._reported(work))

    def _drop(self, kind: str) -> None:
        before = self._tasks.pop(kind, None)
        if before is not None:
            before.cancel()

    async def _reported(self, work: _Work) -> None:
        try:
            await work()
        except LocalServerError as error:
            self._dialog.say_trouble(sentence(str(error)))

    async def _open(self) -> None:
        self._has_keyring = await self._server.has_keyring()
        page = self._dialog.choice
        page.show_key_place(_KEYRING if self._has_keyring else _NO_KEYRING)
        self._feeds = await self._server.feeds()
        sources = await self._server.live_sources()
        page.show_sources(sources)
        if not self._follow_newest(sources):
            page.sources.choose(sources[0].name if sources else OTHER.name)
        _log.info("live odds can be chosen")
        self._timer.start()

    def _follow_newest(self, sources: Iterable[LiveSource]) -> bool:
        """Show how the newest feed of a source runs, if one does: nobody is asked for that."""
        titles = {source.name: source.title for source in sources}
        for feed in reversed(self._feeds):
            name = read_feed_text(feed.spec).name
            if feed.is_running and name in titles:
                self._number, self._name, self._title = feed.number, name, titles[name]
                self._show_running()
                return True
        return False

    def _on_page_source_changed(self) -> None:
        """Begin with what is read of it: asked where that is read, before anywhere else."""
        page = self._dialog.choice
        page.take_up(self._read_of(page.source.name))
        self._dialog.show_rival(page.source.title if self._rivals() else "")
        self._on_page_source_chosen()

    def _on_page_source_chosen(self) -> None:
        page = self._dialog.choice
        self._drop("plan")
        if page.source.parts:
            self._drop("choices")
            page.show_planning()
        else:
            page.show_asking()
            self._do("choices", self._show_choices)

    async def _show_choices(self) -> None:
        page = self._dialog.choice
        try:
            found = await self._server.choices(
                page.source.name, page.url, page.typed_key, page.key_file
            )
        except SourceKeyError as error:
            if error.is_missing and not page.typed_key:
                page.show_key_kept(False)
                page.want_key()
            else:
                page.say_key_trouble(str(error))
        except LocalServerError as error:
            page.say_list_trouble(str(error))
        else:
            if not page.typed_key:
                page.show_key_kept(bool(page.source.key))
            page.show_choices(found)

    def _on_page_choice_changed(self) -> None:
        page = self._dialog.choice
        if self._missing and not page.missing():
            self._missing = ""
            self._dialog.message.hide()
        if page.source is OTHER or not page.text():
            self._drop("plan")
            return
        page.show_planning()
        key_file = "" if page.typed_key else page.key_file
        self._do("plan", partial(self._show_plan, page.text(key_file), page.typed_key))

    async def _show_plan(self, text: str, key: str) -> None:
        page = self._dialog.choice
        try:
            plan = await self._server.plan_feed(text, key)
        except LocalServerError as error:
            page.say_cost_trouble(str(error))
        else:
            page.show_plan(plan)

    def _on_dialog_start_requested(self) -> None:
        self._missing = self._dialog.choice.missing()
        if self._missing:
            self._dialog.say_trouble(self._missing)
        else:
            self._dialog.message.hide()
            self._dialog.show_starting(True)
            self._do("start", self._begin)

    async def _begin(self) -> None:
        dialog, page = self._dialog, self._dialog.choice
        replaced = self._rivals() if dialog.replace.isChecked() else []
        try:
            text = await self._with_key()
            await self._server.add_feed(text, 1.0)
            page.forget_key()
            for feed in replaced:
                await self._server.stop_feed(feed.number)
            self._feeds = await self._server.feeds()
        finally:
            dialog.show_starting(False)
        self.feeds_changed.emit()
        if dialog.at_start.isVisibleTo(dialog) and dialog.at_start.isChecked():
            self.kept.emit(text, [feed.spec for feed in replaced])
        self._number = max(feed.number for feed in self._feeds)
        self._name = page.source.name
        self._title = read_feed_text(text).name if page.source is OTHER else page.source.title
        self._show_running()
        _log.info("live odds are begun: %s", self._title)

    async def _with_key(self) -> str:
        """Keep the key that is typed, and return the feed as it is written then."""
        page = self._dialog.choice
        name, key = page.source.name, page.typed_key
        if not key:
            kept = await self._server.kept_key_file(name) if page.source.key else None
            return page.text(page.key_file or ("" if kept is None else str(kept)))
        if self._has_keyring:
            await self._server.keep_feed_key(name, key)
            return page.text()
        return page.text(str(await self._server.keep_feed_key_in_file(name, key)))

    async def _stop(self) -> None:
        if self._number is not None:
            await self._server.stop_feed(self._number)
            await self._look_at_feeds()
            self.feeds_changed.emit()
            for feed in self._feeds:
                if feed.number == self._number:
                    self.ended.emit(feed.spec)

    def _on_running_change_requested(self) -> None:
        self._number = None
        self._dialog.choice.sources.choose(self._name)
        self._dialog.show_choice()

    def _look(self) -> None:
        before = self._tasks.get("look")
        if before is None or before.done():
            self._do("look", self._look_at_feeds)

    async def _look_at_feeds(self) -> None:
        self._feeds = await self._server.feeds()
        self._show_running()

    def _show_running(self) -> None:
        feed = next((feed for feed in self._feeds if feed.number == self._number), None)
        if feed is not None:
            self._dialog.show_running(self._title, feed, self._clock())

    def _rivals(self) -> list[FeedState]:
        """What is read of the chosen source now: its key and credits are the same."""
        return [feed for feed in self._of(self._dialog.choice.source.name) if feed.is_running]

    def _read_of(self, name: str) -> WrittenFeed:
        """What is read of a source, as one feed; where nothing is, what was read last."""
        feeds = self._of(name)
        running = [feed for feed in feeds if feed.is_running]
        return _as_one([read_feed_text(feed.spec) for feed in running or feeds[-1:]])

    def _of(self, name: str) -> list[FeedState]:
        return [feed for feed in self._feeds if name and feed.spec.startswith(f"{name}:")]

    def _on_dialog_finished(self) -> None:
        self._has_ended = True
        self._timer.stop()
        for task in self._tasks.values():
            task.cancel()


def _as_one(feeds: Sequence[WrittenFeed]) -> WrittenFeed:
    """Join feeds of one source: all that they read, and of single options the newest."""
    if not feeds:
        return WrittenFeed()
    parts = dict.fromkeys(part for feed in feeds for part in feed.parts)
    options: dict[str, str] = {}
    for feed in feeds:
        for name, value in feed.options.items():
            before = options.get(name, "").split(",") if name in _LISTS else []
            values = dict.fromkeys(filter(None, [*before, *value.split(",")]))
            options[name] = ",".join(values) if name in _LISTS else value
    return WrittenFeed(feeds[-1].name, tuple(parts), options)
