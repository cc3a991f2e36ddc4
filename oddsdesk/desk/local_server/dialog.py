"""The built-in server's dialog: six pages, and a line for messages."""

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from PySide6 import QtWidgets
from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.contract.administration import DatabaseState, FeedCondition, FeedState, ImportOutcome
from oddsdesk.contract.formats import file_formats
from oddsdesk.contract.identity import GamePair
from oddsdesk.desk.local_server.games_page import GamesPage
from oddsdesk.desk.local_server.keys_page import NOT_COPIED, KeysPage
from oddsdesk.desk.settings.saved_state import Saved
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.feed_fields import LIVE, REPLAY, FeedFields
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import (
    note_label,
    plain_table,
    side_by_side,
    with_buttons,
)
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import MessageBar, sentence
from oddsdesk.desk.ui.formatting import age_text, day_text, local_time
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme, resize_scaled
from oddsdesk.desk.ui.theme.tokens import TextRole

_MIB = 1024 * 1024
_KEPT = _("Keep price history")
_KEPT_HELP = _(
    "Older price changes are deleted, except those that were already older when "
    "imported. Saved in the database."
)
_DAYS = (0, 1_825, 730, 365, 180, 90, 30, 14, 7, 1)
"""The choices; 0 means forever. The wheel and keys move by one choice."""


class ServerPage(QtWidgets.QWidget):
    """Shows the database and the address."""

    days_chosen = Signal(int)

    def __init__(self, theme: Theme, address: str) -> None:
        super().__init__()
        self._theme = theme
        self._copy = QtWidgets.QPushButton(_("Copy"), autoDefault=False)
        self._copy.setAccessibleName(_("Copy the address"))
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
        self.days = ChoiceBox()
        self.days.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.days.setEnabled(False)
        self.days.setAccessibleName(_KEPT)
        self.days.setAccessibleDescription(_KEPT_HELP)
        self.days.activated.connect(lambda _index: self.days_chosen.emit(self.days.currentData()))
        self.database, self.room, self.reference, self.newest = (_fact() for _ in range(4))
        self._lay_out(address)

    def show_database(self, database: DatabaseState, now_ms: int) -> None:
        """Show the state of the database."""
        self.database.setText(str(database.path))
        self.room.setText(f"{num(database.size / _MIB):,.1f} MiB")
        self.reference.setText(database.reference)
        seen = database.last_scraped_at
        self.newest.setText(
            _("None yet") if seen is None else _("{age} ago").format(age=age_text(now_ms - seen))
        )
        if not self.days.view().isVisible():
            self._show_days(database.keep_days)

    def _show_days(self, kept: int) -> None:
        """Select the database's setting, adding it to the choices if needed."""
        if not self.days.isEnabled() or self.days.findData(kept) < 0:
            self.days.clear()
            for days in sorted({*_DAYS, kept}, key=lambda each: -each or -1_000_000):
                self.days.addItem(_words(days), days)
            self.days.setEnabled(True)
        self.days.setCurrentIndex(self.days.findData(kept))

    def _lay_out(self, address: str) -> None:
        form = QtWidgets.QFormLayout(self, labelAlignment=Qt.AlignmentFlag.AlignLeft)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setHorizontalSpacing(MARGIN)
        form.setVerticalSpacing(GAP)
        shown = _fact()
        shown.setText(address)
        said = _("Only programs on this computer can connect, each with its own key.")
        form.addRow(_("Address"), self._explained(side_by_side(shown, self._copy), said))
        form.addRow(_("Database"), self.database)
        form.addRow(_("Size"), self.room)
        form.addRow(_("Sharp book"), self.reference)
        form.addRow(_("Newest price"), self.newest)
        form.addRow(_KEPT, self._explained(_leftmost(self.days), _KEPT_HELP))

    def _explained(self, field: QtWidgets.QWidget, text: str) -> QtWidgets.QWidget:
        holder = QtWidgets.QWidget()
        vertical(holder, field, note_label(text, self._theme), spacing=HALF)
        return holder


def _words(days: int) -> str:
    if not days:
        return _("Forever")
    return ngettext("For {count:,} day", "For {count:,} days", days).format(count=num(days))


def _leftmost(field: QtWidgets.QWidget) -> QtWidgets.QWidget:
    holder = QtWidgets.QWidget()
    row = horizontal(holder)
    row.addWidget(field)
    row.addStretch()
    return holder


def _fact() -> Label:
    label = Label("…", wordWrap=True)
    flags = Qt.TextInteractionFlag
    label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
    return label


_SIZE = (880, 560)
_GAMES = _("Games")


class ServerDialog(Dialog):
    """The dialog; ``ServerController`` talks to the server for it."""

    def __init__(
        self,
        theme: Theme,
        address: str,
        parent: QtWidgets.QWidget,
        kept_import: "Saved[KeptImport] | None" = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Built-in server"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.server = ServerPage(theme, address)
        self.feeds = FeedsPage(theme)
        self.imports = ImportPage(theme, kept_import)
        self.games = GamesPage(theme)
        self.keys = KeysPage(theme, address)
        self.backup = BackupPage(theme)
        self.pages = QtWidgets.QTabWidget(documentMode=True)
        self.pages.addTab(self.server, _("Server"))
        self.pages.addTab(self.feeds, _("Feeds"))
        self.pages.addTab(self.imports, _("Import"))
        self.pages.addTab(self.games, _GAMES)
        self.pages.addTab(self.keys, _("Keys"))
        self.pages.addTab(self.backup, _("Backup"))
        self.message = MessageBar(theme, self)
        self._reserve_message_room()
        self.message.action_requested.connect(self._on_message_action_requested)
        self.message.closed.connect(self._on_message_closed)
        self.keys.account_selected.connect(self.message.hide)
        for page in (self.feeds, self.keys):
            page.refused.connect(self.say_trouble)
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        foot = vertical(None, buttons, margins=(MARGIN, STEP, MARGIN, GAP))
        column = vertical(self, spacing=0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.message)
        column.addLayout(foot)

    def _on_message_action_requested(self) -> None:
        self.keys.made.hide_key()
        self.reject()

    def _on_message_closed(self) -> None:
        if self.message.message_text == NOT_COPIED:
            self.keys.made.select_key()

    def _reserve_message_room(self) -> None:
        """Reserve two lines, so that no button moves when a message comes or goes."""
        policy = self.message.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.message.setSizePolicy(policy)
        self.message.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + STEP)

    def show_pairs(self, pairs: Sequence[GamePair], now_ms: int) -> None:
        """Show possible duplicate games; the tab shows how many are undecided."""
        self.games.show_pairs(pairs, now_ms)
        waiting = self.games.waiting
        title = f"{_GAMES} ({waiting})" if waiting else _GAMES
        self.pages.setTabText(self.pages.indexOf(self.games), title)

    def reject(self) -> None:
        """Close; if a new key was not copied, ask first."""
        if not self.keys.made.is_at_risk:
            super().reject()
            return
        self.pages.setCurrentWidget(self.keys)
        self.message.ask_question(NOT_COPIED, action=_("Close without copying"), is_grave=True)

    def say_trouble(self, text: str) -> None:
        """Show what the server refused, and why."""
        self.message.show_message(text, icon="warning", ink=TextRole.DOWN)

    def say_warning(self, text: str) -> None:
        """Show what was done, with a warning."""
        self.message.show_message(text, icon="warning", ink=TextRole.VALUE)

    def say_done(self, text: str) -> None:
        """Show what was done."""
        self.message.show_message(text, icon="check", ink=TextRole.UP)


_WIDTHS = {_("Feed"): 330, _("Speed"): 70, _("State"): 0}
_SAID = _(
    "Feeds added here stop when you quit; feeds that start with the server are set "
    "in the connection. All odds go into the same database, simulated ones only "
    "until real odds arrive."
)

_KEY_IN_KEYRING = _("Key for the source, if it needs one; saved in the system keyring")
_KEY_WITHOUT_KEYRING = _(
    "Key for the source, if it needs one; no keyring on this computer: use key-file=FILE in "
    "the feed"
)

_STATES = {
    FeedCondition.RUNNING: _("Running"),
    FeedCondition.WAITING: _("Waiting"),
    FeedCondition.OUT_OF_CREDITS: _("Out of credits"),
    FeedCondition.REFUSED: _("Refused"),
    FeedCondition.FAILING: _("Failing"),
    FeedCondition.STOPPED: _("Stopped"),
}


class FeedsPage(QtWidgets.QWidget):
    """Lists the feeds and emits what the user asks for."""

    start_requested = Signal(object)
    """The ``FeedState`` of the selected feed, as with the next two."""
    stop_requested = Signal(object)
    remove_requested = Signal(object)
    add_requested = Signal(str, float, str)
    """A feed in its notation, the replay speed, and the source's key or an empty text."""
    refused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = plain_table(theme, _("Feeds"), _WIDTHS)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentItemChanged.connect(self._show_selected)
        self.said = note_label("", theme)
        self.said.setAccessibleName(_("Selected feed"))
        self.start = QtWidgets.QPushButton(_("&Start"), autoDefault=False)
        self.start.clicked.connect(lambda: self._wish(self.start_requested))
        self.stop = QtWidgets.QPushButton(_("S&top"), autoDefault=False)
        self.stop.clicked.connect(lambda: self._wish(self.stop_requested))
        self.remove = QtWidgets.QPushButton(_("&Remove"), autoDefault=False)
        self.remove.setToolTip(_("Removes it from the list; recorded odds stay"))
        self.remove.clicked.connect(lambda: self._wish(self.remove_requested))
        self.fields = FeedFields((LIVE, REPLAY, "simulator"))
        self.key = QtWidgets.QLineEdit(
            echoMode=QtWidgets.QLineEdit.EchoMode.Password, placeholderText=_KEY_IN_KEYRING
        )
        self.key.setAccessibleName(_("Key for the source"))
        self.fields.changed.connect(self._show_key)
        self.add = QtWidgets.QPushButton(_("&Add and start"), autoDefault=False)
        self.add.clicked.connect(self._on_add_clicked)
        self._lay_out(theme)
        self._show_selected()
        self._show_key()

    def show_no_keyring(self) -> None:
        """Show that this machine has no keyring."""
        self.key.setPlaceholderText(_KEY_WITHOUT_KEYRING)

    def show_feeds(self, feeds: list[FeedState]) -> None:
        """Show the state of the feeds; the selection stays."""
        selected = self._number()
        titles = Counter(map(feed_title, feeds))
        self.list.clear()
        for feed in feeds:
            named = feed_title(feed)
            named = f"{named} ({feed.number})" if titles[named] > 1 else named
            item = QtWidgets.QTreeWidgetItem([named, f"{num(feed.speed):g}×", feed_state(feed)])
            item.setData(0, Qt.ItemDataRole.UserRole, feed)
            item.setToolTip(0, feed.spec)
            item.setToolTip(
                2, "\n".join(filter(None, (item.text(2), translated(feed.status.plan))))
            )
            self.list.addTopLevelItem(item)
            if feed.number == selected:
                self.list.setCurrentItem(item)
        first = self.list.topLevelItem(0)
        if self.list.currentItem() is None and first is not None:
            self.list.setCurrentItem(first)
        self._show_selected()

    def _lay_out(self, theme: Theme) -> None:
        heading = Label(_("Add a feed"))
        heading.setFont(theme.fonts.strong)
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        column.addLayout(with_buttons(self.list, self.start, self.stop, self.remove), 1)
        column.addWidget(self.said)
        column.addWidget(heading)
        column.addWidget(self.fields)
        column.addWidget(self.key)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(note_label(_SAID, theme))

    def _feed(self) -> FeedState | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def _number(self) -> int | None:
        feed = self._feed()
        return None if feed is None else feed.number

    def _wish(self, signal: SignalInstance) -> None:
        if (feed := self._feed()) is not None:
            signal.emit(feed)

    def _show_selected(self) -> None:
        """Show the buttons and details of the selected feed."""
        feed = self._feed()
        self.remove.setEnabled(feed is not None and not feed.is_running)
        self.said.setText("" if feed is None else _whole(feed))
        self.said.setVisible(feed is not None)
        self.start.setEnabled(feed is not None and not feed.is_running)
        self.stop.setEnabled(feed is not None and feed.is_running)

    def _on_add_clicked(self) -> None:
        if trouble := self.fields.trouble():
            self.refused.emit(trouble)
            return
        key = self.key.text().strip() if self._is_live() else ""
        self.key.clear()
        for spec in self.fields.specs():
            self.add_requested.emit(spec, self.fields.speed.value(), key)

    def _is_live(self) -> bool:
        return bool(self.fields.kind.currentData() == LIVE)

    def _show_key(self) -> None:
        self.key.setVisible(self._is_live())


def feed_title(feed: FeedState) -> str:
    """Return the display name of a feed."""
    if feed.simulated:
        return _("Simulated odds")
    written = feed.spec.partition("?")[0]
    if written.startswith("replay:"):
        return _("Replay of {path}").format(path=written.removeprefix("replay:"))
    return written.replace(",", ", ")


def _whole(feed: FeedState) -> str:
    what = f"{feed_title(feed)}: {feed_state(feed)}."
    return " ".join(
        filter(None, (what, sentence(translated(feed.status.plan)) if feed.status.plan else ""))
    )


def feed_state(feed: FeedState) -> str:
    """Return the state of a feed and the credits left."""
    said = feed.status
    reason = translated(said.reason or feed.problem or "")
    words = _STATES[said.state] + (f": {reason}" if reason else "")
    if said.credits_left is None:
        return words
    left = ngettext("{count:,} credit left", "{count:,} credits left", said.credits_left)
    return f"{words} · {left.format(count=num(said.credits_left))}"


_ABOUT_IMPORTS: Final = _(
    "Adds files, plain or gzip, to the recorded odds. Skipped prices are listed with "
    "a reason. Simulated odds are removed with the first import."
)
_SHIFT_HELP: Final = _(
    "Old prices are normally shown only in the past. Shift them to look at a file as "
    "if its prices had just been read. Later files are shifted by the same amount."
)
_ABOUT_APART: Final = _(
    "The new database is a connection of this name, saved next to this database."
)
_WAY_BACK: Final = _("You can change back in the connection menu at any time.")
_LONGEST_NAME: Final = 40
_PAST: Final = _("All prices are old. See them with Past day (Ctrl+J).")
_INFERRED: Final = _("The files give no times, so times before the kick-offs were assumed.")


class KeptImport(msgspec.Struct, frozen=True):
    """The choices of the import page kept between starts."""

    format: str = ""
    """Empty for the first."""
    shift: bool = False


class WantedImport(NamedTuple):
    """Files to import."""

    format: str
    places: list[str]
    shift_to_now: bool
    together: bool = False
    """Whether shifted and real times may be mixed in one database."""


class ImportPage(QtWidgets.QWidget):
    """Asks for files and shows the outcome; ``ImportController`` imports them."""

    import_requested = Signal(object)
    """A ``WantedImport``."""
    new_database_requested = Signal(str, object)
    """The name of the new database, and the ``WantedImport`` for it."""
    day_requested = Signal(object)
    """The ``date`` of the newest imported price, which the user wants to see."""

    def __init__(self, theme: Theme, kept: Saved[KeptImport] | None = None) -> None:
        """``kept`` keeps the choices for the next time; None: nothing does."""
        super().__init__()
        self._folder = ""
        self._kept = kept
        self.format = ChoiceBox()
        self.format.setAccessibleName(_("File format"))
        for each in file_formats():
            self.format.addItem(translated(each.title), each.name)
        self.shift = QtWidgets.QCheckBox(_("Shift all times so that the newest price is current"))
        self.choose = QtWidgets.QPushButton(_("&Import files…"), autoDefault=False)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.state = Label(wordWrap=True)
        self.state.setFont(theme.fonts.strong)
        self.show_games = QtWidgets.QPushButton(autoDefault=False)
        self.show_games.clicked.connect(self._on_show_games_clicked)
        self._newest_ms: int | None = None
        self._wanted = WantedImport("", [], False)
        self.apart = QtWidgets.QWidget()
        self.about_apart = note_label(f"{_ABOUT_APART} {_WAY_BACK}", theme)
        self.name = QtWidgets.QLineEdit(maxLength=_LONGEST_NAME)
        self.name.setAccessibleName(_("Name of the new database"))
        self.new = QtWidgets.QPushButton(_("Import into a &new database"), autoDefault=False)
        self.new.clicked.connect(self._on_new_clicked)
        self.name.returnPressed.connect(self.new.click)
        self.name.textChanged.connect(lambda text: self.new.setEnabled(bool(text.strip())))
        self.together = QtWidgets.QPushButton(_("Import &here anyway"), autoDefault=False)
        self.together.clicked.connect(self._on_together_clicked)
        self.outcome = QtWidgets.QPlainTextEdit(readOnly=True)
        self.outcome.setAccessibleName(_("Result of the import"))
        self.outcome.setTabChangesFocus(True)
        self._lay_out(theme)
        self.show_ready()
        if kept is not None:
            chosen = kept.get_value()
            self.format.setCurrentIndex(max(0, self.format.findData(chosen.format)))
            self.shift.setChecked(chosen.shift)
        self.format.currentIndexChanged.connect(self._keep)
        self.shift.toggled.connect(self._keep)

    def _keep(self) -> None:
        if self._kept is not None:
            chosen = KeptImport(self.format.currentData(), self.shift.isChecked())
            self._kept.keep_value(chosen)

    def ask_import(self, places: list[str]) -> None:
        """Request an import; no other can be started meanwhile."""
        self._folder = str(Path(places[0]).parent)
        self._ask(WantedImport(self.format.currentData(), places, self.shift.isChecked()))

    def _ask(self, wanted: WantedImport) -> None:
        self._wanted = wanted
        self.show_busy(len(wanted.places))
        self.import_requested.emit(wanted)

    def show_way_back(self, database: Path) -> None:
        """Explain how to get back to this database, which is not a saved connection."""
        command = f"oddsdesk desk --local --database {shlex.quote(str(database))}"
        text = _("This one is not a saved connection: get back to it with {command}")
        self.about_apart.setText(f"{_ABOUT_APART} {text.format(command=command)}")

    def show_busy(self, files: int) -> None:
        """Show that files are being imported, and accept no others."""
        self.choose.setEnabled(False)
        self.state.setText(
            ngettext("Importing {count} file…", "Importing {count} files…", files).format(
                count=files
            )
        )
        self.state.show()
        for widget in (self.show_games, self.apart, self.outcome):
            widget.hide()

    def show_ready(self) -> None:
        """Accept files again and clear the outcome."""
        self.choose.setEnabled(True)
        for widget in (self.show_games, self.state, self.apart, self.outcome):
            widget.hide()

    def show_outcome(self, outcome: ImportOutcome) -> None:
        """Show the outcome and accept files again."""
        self.choose.setEnabled(True)
        self.state.setText(summary(outcome))
        self._show_apart(outcome)
        self._newest_ms = outcome.newest_ms if outcome.is_past else None
        if self._newest_ms is not None:
            self.show_games.setText(_("Show games of {day}").format(day=day_text(self._newest_ms)))
        self.show_games.setVisible(self._newest_ms is not None)
        text = details(outcome)
        self.outcome.setPlainText(text)
        self.outcome.setVisible(bool(text))

    def _show_apart(self, outcome: ImportOutcome) -> None:
        """Offer another database for the files if they do not fit in this one."""
        self.apart.setVisible(bool(outcome.apart))
        was_read = bool(outcome.kept or outcome.skipped)
        self.together.setVisible(not was_read)
        if outcome.apart:
            said = sentence(translated(outcome.apart))
            self.state.setText(f"{summary(outcome)} {said}" if was_read else said)
            self.name.setText(self._wanted.format)
            self.name.selectAll()
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        below = vertical(self.apart, spacing=HALF)
        below.addWidget(side_by_side(self.name, self.new, self.together))
        below.addWidget(self.about_apart)
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        column.addWidget(note_label(_ABOUT_IMPORTS, theme))
        column.addWidget(self.format)
        column.addWidget(self.shift)
        column.addWidget(note_label(_SHIFT_HELP, theme))
        column.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.state)
        column.addWidget(self.apart)
        column.addWidget(self.show_games, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.outcome, 1)
        column.addStretch()

    def _on_show_games_clicked(self) -> None:
        if self._newest_ms is not None:
            self.day_requested.emit(local_time(self._newest_ms).date())

    def _on_new_clicked(self) -> None:
        self.new_database_requested.emit(self.name.text().strip(), self._wanted)

    def _on_together_clicked(self) -> None:
        self._ask(self._wanted._replace(together=True))

    def _on_choose_clicked(self) -> None:
        dialog = file_dialog(self, _("Import: {format}").format(format=self.format.currentText()))
        dialog.setDirectory(self._folder)
        dialog.setFileMode(QtWidgets.QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.ask_import)
        dialog.open()


def summary(outcome: ImportOutcome) -> str:
    """Return in one line how many prices were kept, skipped and recorded."""
    skipped = sum(outcome.skipped.values())
    read = outcome.kept + skipped
    if not read:
        return _("No prices found.")
    said = ngettext(
        "{count:,} price read: {kept:,} kept, {skipped:,} skipped.",
        "{count:,} prices read: {kept:,} kept, {skipped:,} skipped.",
        read,
    ).format(count=num(read), kept=num(outcome.kept), skipped=num(skipped))
    recorded = ngettext(
        "{count:,} price change recorded.", "{count:,} price changes recorded.", outcome.changes
    ).format(count=num(outcome.changes))
    return f"{said} {recorded}"


def details(outcome: ImportOutcome) -> str:
    """Return the skipped prices, problems and notes, a line each."""
    lines = [
        _("Skipped {count:,}: {reason}").format(count=num(count), reason=translated(reason))
        for reason, count in outcome.skipped.items()
    ]
    lines += [
        _("Problem: {problem}").format(problem=translated(problem)) for problem in outcome.problems
    ]
    lines += [_("Note: {note}").format(note=translated(note)) for note in outcome.notes]
    if outcome.is_past:
        lines.append(_PAST)
    if outcome.inferred_times:
        lines.append(_INFERRED)
    return "\n".join(lines)


_BACK_UP = _(
    "Saves one file that only you can read; recording continues. With keys or bets "
    "it is an archive to restore from, otherwise a plain database."
)
_RESTORE = _(
    "Replaces this database with a backup and restarts the server. The present "
    "database is kept under another name. Keys are replaced if the backup has any; "
    "bets and presets are added to yours."
)


class BackupPage(QtWidgets.QWidget):
    """Asks for files to back up to and to restore from."""

    backup_requested = Signal(str, bool, bool)
    """The file, and whether to include keys and bets."""
    restore_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._database: Path | None = None
        self._chosen = ""
        self._is_working = False
        self.keys = _ticked(_("Include accounts and &keys"))
        self.bets = _ticked(_("Include your &bets and presets"))
        self.backup = QtWidgets.QPushButton(_("Back &up now…"), autoDefault=False)
        self.backup.clicked.connect(self._on_backup_clicked)
        self.restore = QtWidgets.QPushButton(_("&Restore…"), autoDefault=False)
        self.restore.clicked.connect(self._on_restore_clicked)
        self.question = MessageBar(theme, self)
        self.question.action_requested.connect(self._on_question_action_requested)
        self.question.closed.connect(self.restore.setFocus)
        self._lay_out()
        self._show_buttons()

    def show_database(self, path: Path) -> None:
        """Enable backup and restore of this database."""
        self._database = path
        self._show_buttons()

    def show_working(self, working: bool) -> None:
        """Disable the page while a backup is made."""
        self._is_working = working
        self._show_buttons()

    def ask_to_restore(self, file: str) -> None:
        """Ask for confirmation to replace the database with a backup."""
        assert self._database is not None
        self._chosen = file
        text = _("Replace {database} with {backup}? The server will restart.").format(
            database=self._database.name, backup=Path(file).name
        )
        self.question.ask_question(text, action=_("Restore"), is_grave=True)

    def _lay_out(self) -> None:
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        column.addWidget(self._heading(_("Back up")))
        for field in (self.keys, self.bets, note_label(_BACK_UP, self._theme)):
            column.addWidget(field)
        column.addLayout(_leftmost_row(self.backup))
        column.addSpacing(MARGIN)
        column.addWidget(self._heading(_("Restore")))
        column.addWidget(note_label(_RESTORE, self._theme))
        column.addLayout(_leftmost_row(self.restore))
        column.addWidget(self.question)
        column.addStretch()

    def _heading(self, text: str) -> Label:
        heading = Label(text)
        heading.setFont(self._theme.fonts.strong)
        return heading

    def _show_buttons(self) -> None:
        for field in (self.keys, self.bets, self.backup, self.restore):
            field.setEnabled(self._database is not None and not self._is_working)

    def _on_backup_clicked(self) -> None:
        assert self._database is not None
        with_more = self.keys.isChecked() or self.bets.isChecked()
        name = f"-backup{'.tar' if with_more else self._database.suffix}"
        wanted = self._database.with_name(self._database.stem + name)
        dialog = file_dialog(self, _("Back up to"))
        dialog.setDirectory(str(wanted.parent))
        dialog.setAcceptMode(QtWidgets.QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(wanted.name)
        dialog.fileSelected.connect(self._on_target_selected)
        dialog.open()

    def _on_target_selected(self, file: str) -> None:
        self.show_working(True)
        self.backup_requested.emit(file, self.keys.isChecked(), self.bets.isChecked())

    def _on_restore_clicked(self) -> None:
        assert self._database is not None
        dialog = file_dialog(self, _("Restore from"))
        dialog.setDirectory(str(self._database.parent))
        dialog.setFileMode(QtWidgets.QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ask_to_restore)
        dialog.open()

    def _on_question_action_requested(self) -> None:
        self.question.hide()
        self.restore_requested.emit(self._chosen)


def _ticked(text: str) -> QtWidgets.QCheckBox:
    box = QtWidgets.QCheckBox(text)
    box.setChecked(True)
    return box


def _leftmost_row(field: QtWidgets.QWidget) -> QtWidgets.QHBoxLayout:
    row = QtWidgets.QHBoxLayout()
    row.addWidget(field)
    row.addStretch()
    return row
