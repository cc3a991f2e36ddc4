"""The Get live odds dialog: choose a source, start it and watch it run."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Final

from PySide6 import QtWidgets
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import LONG_WEEKDAYS, hour_text
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.administration import (
    FeedCondition,
    FeedState,
    LiveSource,
    LocalServerError,
    SourceKeyError,
    WrittenFeed,
    read_feed_text,
)
from oddsdesk.desk.local_server.choice_page import OTHER, ChoicePage, credits_text
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.form_dialog import note_label
from oddsdesk.desk.ui.controls.labels import Dot, Label, literal
from oddsdesk.desk.ui.controls.messages import MessageBar, sentence
from oddsdesk.desk.ui.formatting import age_text, local_time, moment_text
from oddsdesk.desk.ui.local_server import LocalServer
from oddsdesk.desk.ui.spacing import GAP, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme, resize_scaled
from oddsdesk.desk.ui.theme.tokens import TextRole

_SIZE: Final = (940, 640)


class LiveDialog(Dialog):
    """The dialog's pages and buttons; ``LiveController`` talks to the server for it."""

    start_requested = Signal()
    feeds_requested = Signal()
    """The user wants to see all feeds."""

    def __init__(self, theme: Theme, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Get live odds"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.choice = ChoicePage(theme)
        self.running = RunningPage(theme)
        self.pages = QtWidgets.QStackedWidget()
        self.pages.addWidget(self.choice)
        self.pages.addWidget(self.running)
        self.replace = _ticked("")
        self.at_start = _ticked(_("Start automatica&lly"))
        self.message = MessageBar(theme)
        self.feeds = QtWidgets.QPushButton(_("&All feeds…"), autoDefault=False)
        self.feeds.clicked.connect(self.feeds_requested)
        self.close_button = QtWidgets.QPushButton(_("Close"), autoDefault=False)
        self.close_button.clicked.connect(self.reject)
        self.start = QtWidgets.QPushButton(_("Star&t"), autoDefault=False)
        self.start.setProperty("variant", "primary")
        self.start.clicked.connect(self.start_requested)
        self._lay_out()
        self.show_rival("")
        self.show_choice()

    def show_rival(self, title: str) -> None:
        """Offer to replace the running feed of the same source; empty if there is none."""
        self.replace.setText(
            literal(_("Replace what is being read from {source}").format(source=title))
        )
        self.replace.setVisible(bool(title))

    def offer_start(self, offered: bool) -> None:
        """Offer to start the feed automatically, if the connection can be saved."""
        self.at_start.setVisible(offered)

    def show_choice(self) -> None:
        """Show the page to choose a source."""
        self._turn(self.choice)
        self.choice.sources.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_running(self, title: str, feed: FeedState, now_ms: int) -> None:
        """Show the state of the running feed."""
        self.running.show_feed(title, feed, now_ms)
        if self.pages.currentWidget() is not self.running:
            self.message.hide()
            self._turn(self.running)
            self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_starting(self, starting: bool) -> None:
        """Show on the button whether the feed is being started."""
        self.start.setEnabled(not starting)
        self.start.setText(_("Starting…") if starting else _("Star&t"))

    def say_trouble(self, text: str) -> None:
        """Show what the server refused, and why."""
        self.message.show_message(text, icon="warning", ink=TextRole.DOWN)

    def _turn(self, page: QtWidgets.QWidget) -> None:
        self.pages.setCurrentWidget(page)
        is_choice = page is self.choice
        self.start.setVisible(is_choice)
        self.feeds.setVisible(not is_choice)
        self._offers.setVisible(is_choice)

    def _lay_out(self) -> None:
        self._offers = QtWidgets.QWidget()
        offers = vertical(self._offers, spacing=STEP)
        for box in (self.replace, self.at_start):
            offers.addWidget(box)
        foot = horizontal(margins=(MARGIN, STEP, MARGIN, GAP), spacing=STEP)
        foot.addWidget(self._offers, 1)
        foot.addStretch()
        for button in (self.feeds, self.close_button, self.start):
            foot.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        column = vertical(self, spacing=0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.message)
        column.addLayout(foot)


def _ticked(text: str) -> QtWidgets.QCheckBox:
    box = QtWidgets.QCheckBox(text)
    box.setChecked(True)
    return box


_STATES: Final = {
    FeedCondition.RUNNING: (_("Running"), TextRole.UP),
    FeedCondition.WAITING: (_("Waiting"), TextRole.VALUE),
    FeedCondition.OUT_OF_CREDITS: (_("Out of credits"), TextRole.VALUE),
    FeedCondition.REFUSED: (_("Refused"), TextRole.DOWN),
    FeedCondition.FAILING: (_("Failing"), TextRole.DOWN),
    FeedCondition.STOPPED: (_("Stopped"), TextRole.NOTE),
}
_BEGUN: Final = (FeedCondition.RUNNING, FeedCondition.WAITING)
_ADVICE: Final = {
    FeedCondition.RUNNING: _("Close this window to see prices. Updates continue."),
    FeedCondition.WAITING: _("It continues by itself."),
    FeedCondition.OUT_OF_CREDITS: _(
        "Choose fewer competitions, regions or markets, buy credits, or use another key."
    ),
    FeedCondition.REFUSED: _("Click Change to enter another key."),
    FeedCondition.FAILING: _("It retries by itself. Recorded odds stay."),
    FeedCondition.STOPPED: _("No new odds are read. Recorded odds stay."),
}


class RunningPage(QtWidgets.QWidget):
    """Shows the state of a feed."""

    change_requested = Signal()
    stop_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._dot = Dot(theme)
        self.title, self.state = Label(wordWrap=True), Label(wordWrap=True)
        self.title.setFont(theme.fonts.title)
        self.state.setFont(theme.fonts.strong)
        self.reason, self.plan, self.read = (Label(wordWrap=True) for _line in range(3))
        self.advice = note_label("", theme)
        self.change = QtWidgets.QPushButton(_("&Change or add…"), autoDefault=False)
        self.change.clicked.connect(self.change_requested)
        self.stop = QtWidgets.QPushButton(_("S&top"), autoDefault=False)
        self.stop.clicked.connect(self.stop_requested)
        self._lay_out()

    def show_feed(self, title: str, feed: FeedState, now_ms: int) -> None:
        """Show the state of a feed."""
        said = feed.status
        word, ink = _STATES[said.state]
        is_first = said.state in _BEGUN and said.read_at is None and said.until is None
        self._dot.show_ink(TextRole.NOTE if is_first else ink)
        self.title.setText(title)
        self.state.setText(
            _("Waiting for the first prices…") if is_first else _state(word, feed, now_ms)
        )
        reason = said.reason or feed.problem
        self.reason.setText(sentence(translated(reason)) if reason else "")
        self.reason.setVisible(bool(reason))
        self.plan.setText(sentence(translated(said.plan)) if said.plan else "")
        self.plan.setVisible(bool(said.plan))
        self.read.setText(_figures(feed, now_ms))
        self.read.setVisible(bool(self.read.text()))
        self.advice.setText(_ADVICE[said.state])
        self.stop.setEnabled(feed.is_running)

    def _lay_out(self) -> None:
        state = horizontal(spacing=STEP)
        state.addWidget(self._dot)
        state.addWidget(self.state, 1)
        buttons = horizontal(spacing=STEP)
        buttons.addWidget(self.change)
        buttons.addWidget(self.stop)
        buttons.addStretch()
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=GAP)
        column.addWidget(self.title)
        column.addLayout(state)
        for label in (self.reason, self.plan, self.read, self.advice):
            column.addWidget(label)
        column.addSpacing(STEP)
        column.addLayout(buttons)
        column.addStretch()


def _state(word: str, feed: FeedState, now_ms: int) -> str:
    until = feed.status.until
    if until is None:
        return word
    moment = local_time(until)
    if moment.date() == local_time(now_ms).date():
        return _("{state}; next try at {time}").format(
            state=word, time=hour_text(moment, seconds=True)
        )
    return _("{state}; next try on {time}").format(state=word, time=moment_text(until))


def _next_update(at_ms: int, now_ms: int) -> str:
    """Return when odds are read next, with the day if that is not today."""
    at, now = local_time(at_ms), local_time(now_ms)
    if at.date() == now.date():
        return _("Next update at {time}.").format(time=hour_text(at))
    return _("Next update on {day} at {time}.").format(
        day=translated(LONG_WEEKDAYS[at.weekday()]), time=hour_text(at)
    )


def _figures(feed: FeedState, now_ms: int) -> str:
    said = feed.status
    words = [credits_text(said)] if said.credits_left is not None else []
    if said.read_at is not None:
        age = age_text(max(now_ms - said.read_at, 0))
        words.append(_("Last update {age} ago.").format(age=age))
    if said.state is FeedCondition.RUNNING and said.next_at is not None and said.next_at > now_ms:
        words.append(_next_update(said.next_at, now_ms))
    return " ".join(words)


_log = logging.getLogger(__name__)

_INTERVAL_MS: Final = 1_000
_NO_KEYRING: Final = _(
    "This computer has no keyring. The key is saved in a file that only you can read."
)
_KEYRING: Final = _("Saved in the system keyring. Leave empty to use the saved key.")

_LISTS: Final = ("regions", "markets", "bookmakers")
"""Options with several values, separated by commas."""

_Work = Callable[[], Coroutine[Any, Any, None]]


class LiveController(QObject):
    """Gets data from the server for the dialog, and starts the chosen feed.

    A new request cancels an unfinished one of the same kind.
    """

    feeds_changed = Signal()
    kept = Signal(str, list)
    """A feed to start automatically, and the feeds it replaces."""
    ended = Signal(str)
    """A feed that should no longer start automatically."""

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
        """What was missing when the user clicked Start."""
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

    async def stop_waiting(self) -> None:
        """Cancel all tasks."""
        if not self._has_ended:
            self._has_ended = True
            self._timer.stop()
        await cancel_tasks(*self._tasks.values())

    def _do(self, kind: str, work: _Work) -> None:
        self._drop(kind)
        if not self._has_ended:  # the page requests with a delay
            self._tasks[kind] = spawn(f"live odds: {kind}", self._reported(work))

    def _drop(self, kind: str) -> None:
        before = self._tasks.pop(kind, None)
        if before is not None:
            before.cancel()

    async def _reported(self, work: _Work) -> None:
        try:
            await work()
        except LocalServerError as error:
            self._dialog.say_trouble(sentence(translated(str(error))))

    async def _open(self) -> None:
        self._has_keyring = await self._server.has_keyring()
        page = self._dialog.choice
        page.show_key_place(_KEYRING if self._has_keyring else _NO_KEYRING)
        self._feeds = await self._server.feed_reports()
        sources = await self._server.live_sources()
        page.show_sources(sources)
        if not self._follow_newest(sources):
            page.sources.choose_source(sources[0].name if sources else OTHER.name)
        _log.info("live odds can be chosen")
        self._timer.start()

    def _follow_newest(self, sources: Iterable[LiveSource]) -> bool:
        """Show the newest running feed, if there is one, without asking its source."""
        titles = {source.name: translated(source.title) for source in sources}
        for feed in reversed(self._feeds):
            name = read_feed_text(feed.spec).name
            if feed.is_running and name in titles:
                self._number, self._name, self._title = feed.number, name, titles[name]
                self._show_running()
                return True
        return False

    def _on_page_source_changed(self) -> None:
        """Start from the running feed of the source, with its address and key."""
        page = self._dialog.choice
        self._missing = ""
        self._dialog.message.hide()  # it was about the previous source
        page.take_up(self._read_of(page.source.name))
        self._dialog.show_rival(translated(page.source.title) if self._rivals() else "")
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
            found = await self._server.source_choices(
                page.source.name, page.url, page.typed_key, page.key_file
            )
        except SourceKeyError as error:
            if error.is_missing and not page.typed_key:
                page.show_key_kept(False)
                page.want_key()
            else:
                page.say_key_trouble(translated(str(error)))
        except LocalServerError as error:
            page.say_list_trouble(translated(str(error)))
        else:
            if not page.typed_key:
                page.show_key_kept(bool(page.source.key))
            page.show_choices(found)

    def _on_page_choice_changed(self) -> None:
        page = self._dialog.choice
        if self._missing and not page.missing():
            self._missing = ""
            self._dialog.message.hide()
        if page.source is OTHER or not page.feed_text():
            self._drop("plan")
            return
        page.show_planning()
        key_file = "" if page.typed_key else page.key_file
        self._do("plan", partial(self._show_plan, page.feed_text(key_file), page.typed_key))

    async def _show_plan(self, text: str, key: str) -> None:
        page = self._dialog.choice
        try:
            plan = await self._server.plan_feed(text, key)
        except LocalServerError as error:
            page.say_cost_trouble(translated(str(error)))
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
            self._feeds = await self._server.feed_reports()
        finally:
            dialog.show_starting(False)
        self.feeds_changed.emit()
        if dialog.at_start.isVisibleTo(dialog) and dialog.at_start.isChecked():
            self.kept.emit(text, [feed.spec for feed in replaced])
        else:
            for feed in replaced:
                self.ended.emit(feed.spec)
        self._number = max(feed.number for feed in self._feeds)
        self._name = page.source.name
        self._title = (
            read_feed_text(text).name if page.source is OTHER else translated(page.source.title)
        )
        self._show_running()
        _log.info("live odds started: %s", self._title)

    async def _with_key(self) -> str:
        """Save the key entered, and return the feed in its notation."""
        page = self._dialog.choice
        name, key = page.source.name, page.typed_key
        if not key:
            kept = await self._server.kept_key_file(name) if page.source.key else None
            return page.feed_text(page.key_file or ("" if kept is None else str(kept)))
        if self._has_keyring:
            await self._server.keep_feed_key(name, key)
            return page.feed_text()
        return page.feed_text(str(await self._server.keep_feed_key_in_file(name, key)))

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
        self._dialog.choice.sources.choose_source(self._name)
        self._dialog.show_choice()

    def _look(self) -> None:
        before = self._tasks.get("look")
        if before is None or before.done():
            self._do("look", self._look_at_feeds)

    async def _look_at_feeds(self) -> None:
        self._feeds = await self._server.feed_reports()
        self._show_running()

    def _show_running(self) -> None:
        feed = next((feed for feed in self._feeds if feed.number == self._number), None)
        if feed is not None:
            self._dialog.show_running(self._title, feed, self._clock())

    def _rivals(self) -> list[FeedState]:
        """Return the running feeds of the chosen source, which share its key and credits."""
        return [feed for feed in self._of(self._dialog.choice.source.name) if feed.is_running]

    def _read_of(self, name: str) -> WrittenFeed:
        """Return the running feeds of a source as one; without any, the last one."""
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
    """Join feeds of a source: all their parts, and the newest value of each option."""
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
