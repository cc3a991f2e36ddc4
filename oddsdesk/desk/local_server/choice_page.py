"""The page to choose live odds: source, key and competitions, with the cost in advance."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from oddsdesk.base.numbers import num
from oddsdesk.base.text import every
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.contract import administration
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.controls.form_dialog import note_label, plain_table, side_by_side
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.controls.messages import MessageBar, sentence
from oddsdesk.desk.ui.price_actions import open_link
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme, paint_row_ground
from oddsdesk.desk.ui.theme.tokens import TextRole

KEY_PAUSE_MS: Final = 800
"""Pause in typing after which a key is tried."""
PLAN_PAUSE_MS: Final = 400
"""Pause in ticking after which the cost is requested."""
_SOURCES_WIDTH: Final = 270
_LIST_HEIGHT: Final = 130
_KEY_KEPT: Final = _("A key is saved; paste another to replace it")


class OptionRow(QtWidgets.QWidget):
    """Check boxes for the values of a source's option."""

    changed = Signal()

    def __init__(self, option: administration.SourceOption) -> None:
        super().__init__()
        self.option = option
        self.boxes = {
            value: QtWidgets.QCheckBox(literal(translated(title))) for value, title in option.values
        }
        self._row = horizontal(self, spacing=GAP)
        for value, box in self.boxes.items():
            box.setChecked(value in option.chosen)
            box.toggled.connect(self.changed)
            self._row.addWidget(box)
        self._row.addStretch()

    def tick_options(self, values: Sequence[str]) -> None:
        """Tick only these values; a value without a box gets one."""
        for value in values:
            if value not in self.boxes:
                box = self.boxes[value] = QtWidgets.QCheckBox(literal(value))
                box.toggled.connect(self.changed)
                self._row.insertWidget(self._row.count() - 1, box)
        self.blockSignals(True)
        for value, box in self.boxes.items():
            box.setChecked(value in values)
        self.blockSignals(False)

    def ticked_options(self) -> str:
        """Return the ticked values in the notation of feeds."""
        return ",".join(value for value, box in self.boxes.items() if box.isChecked())


class ChoicePage(QtWidgets.QWidget):
    """Shows the data it is given and emits what the user chooses."""

    source_changed = Signal()
    """Another source is selected; its fields are empty and nothing has been requested."""
    source_chosen = Signal()
    """The address or key has changed; see ``source``, ``url`` and ``key``."""
    choice_changed = Signal()
    """The choice has changed, and then paused for a moment."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.source: administration.LiveSource = OTHER
        self._options: list[OptionRow] = []
        self._ticked: Collection[str] = ()
        self._others: dict[str, str] = {}
        """Options of the running feed that have no field here."""
        self.key_file = ""
        """The file of the running feed's key, if it is in one."""
        self.sources = SourceList(theme)
        self.sources.setFixedWidth(theme.fonts.scaled(_SOURCES_WIDTH))
        self._title, self._summary = Label(wordWrap=True), note_label("", theme)
        self._title.setFont(theme.fonts.title)
        self.key = QtWidgets.QLineEdit(echoMode=QtWidgets.QLineEdit.EchoMode.Password)
        self.key.setAccessibleName(_("Key of the source"))
        self.get_key = QtWidgets.QPushButton(_("&Get a key…"), autoDefault=False)
        self._key_note = note_label("", theme)
        self.key_trouble = MessageBar(theme)
        self.competitions = CompetitionList(theme)
        self.competitions.list.setMinimumHeight(theme.fonts.scaled(_LIST_HEIGHT))
        self.list_trouble = MessageBar(theme)
        self._list_note = note_label("", theme)
        self.parts = QtWidgets.QLineEdit()
        self.parts.setAccessibleName(_("What to read"))
        self.more = QtWidgets.QPushButton(_("&More…"), autoDefault=False)
        self.more.setCheckable(True)
        self.address = QtWidgets.QLineEdit(
            placeholderText=_("https://… if you use a proxy for this source")
        )
        self.address.setAccessibleName(_("Address of the source"))
        self._others_note = note_label("", theme)
        self.cost = Label(wordWrap=True)
        self.cost.setFont(theme.fonts.medium)
        self.cost.setMinimumHeight(2 * self.cost.fontMetrics().height())
        self.cost_trouble = MessageBar(theme)
        self._key_pause = _pause(self, KEY_PAUSE_MS)
        self._plan_pause = _pause(self, PLAN_PAUSE_MS)
        self._lay_out()
        self._connect()
        self.setEnabled(False)

    @property
    def url(self) -> str:
        """The address entered; empty for the source's default."""
        return self.address.text().strip()

    @property
    def typed_key(self) -> str:
        """The key entered; empty for the saved one."""
        return self.key.text().strip()

    def feed_text(self, key_file: str = "") -> str:
        """Return the choice in the notation of feeds; empty if something is missing."""
        if self.source is OTHER:
            return self.parts.text().strip()
        typed = self.parts.text().strip()
        parts = ([typed] if typed else []) if self.source.parts else self.competitions.ticked()
        chosen = {row.option.name: row.ticked_options() for row in self._options}
        if not parts or not all(chosen.values()):
            return ""
        options = {**chosen, **self._others, "url": self.url, "key-file": key_file}
        return administration.feed_text(self.source.name, parts, options)

    def missing(self) -> str:
        """Return what is still missing; empty if nothing is."""
        if self.source.parts:
            return "" if self.parts.text().strip() else _("Enter what to read.")
        if not self.competitions.ticked():
            return _("Tick competitions to see the cost.")
        empty = next((row.option for row in self._options if not row.ticked_options()), None)
        return (
            ""
            if empty is None
            else _("Tick at least one of “{option}”.").format(option=translated(empty.title))
        )

    def show_sources(self, sources: Sequence[administration.LiveSource]) -> None:
        """List the sources and enable the page."""
        self.setEnabled(True)
        self.sources.setFocus(Qt.FocusReason.OtherFocusReason)
        self.sources.show_sources(sources)

    def take_up(self, read: administration.WrittenFeed) -> None:
        """Fill in a running feed; options without a field are kept."""
        options = dict(read.options)
        for row in self._options:
            if values := options.pop(row.option.name, ""):
                row.tick_options(values.split(","))
        _fill(self.address, options.pop("url", ""))
        self.more.setChecked(bool(self.url))
        self.key_file = options.pop("key-file", "")
        self._others = options
        others = ", ".join(f"{name}={value}" for name, value in options.items())
        self._others_note.setText(_("Other options in use: {others}").format(others=others))
        self._others_note.setVisible(bool(others))
        self._ticked = read.parts
        if self.source.parts:
            _fill(self.parts, ",".join(read.parts))

    def forget_key(self) -> None:
        """Clear the key field, as the key has been saved."""
        self._key_pause.stop()
        _fill(self.key, "")

    def show_key_kept(self, is_kept: bool) -> None:
        """Show in the key field whether a key is saved."""
        self.key.setPlaceholderText(_KEY_KEPT if is_kept else translated(self.source.key))

    def show_key_place(self, said: str) -> None:
        """Show where the key will be saved."""
        self._key_note.setText(said)

    def want_key(self) -> None:
        """Ask for the key."""
        self._list_note.setText(_("Paste your key to see the competitions."))
        self._list_note.show()

    def say_key_trouble(self, text: str) -> None:
        """Show what is wrong with the key."""
        self._list_note.hide()
        self.key_trouble.show_message(_line(text), icon="warning", ink=TextRole.DOWN)

    def say_list_trouble(self, text: str) -> None:
        """Show why there is no list, with a button to try again."""
        self._list_note.hide()
        self.list_trouble.show_message(
            _line(text), icon="warning", ink=TextRole.DOWN, action=_("Try again")
        )

    def show_asking(self) -> None:
        """Show that the list is loading."""
        self.key_trouble.hide()
        self.list_trouble.hide()
        self._list_note.setText(
            _("Loading from {source}…").format(source=translated(self.source.title))
        )
        self._list_note.show()

    def show_choices(self, found: administration.Choices) -> None:
        """List what can be ticked; existing ticks stay."""
        self._list_note.hide()
        ticked = self.competitions.ticked() or self._ticked
        listed = {choice.name for choice in found.choices}
        gone = [
            administration.Choice(name, name, _("not listed at present"))
            for name in ticked
            if name not in listed
        ]
        self.competitions.show_choices((*gone, *found.choices), ticked)
        self._ticked = ()
        if found.credits_left is not None and not self.competitions.ticked():
            self.cost.setText(f"{credits_text(found)} {self.missing()}")

    def show_plan(self, plan: administration.LivePlan) -> None:
        """Show the cost of the choice and the number of games."""
        self.cost_trouble.hide()
        self.competitions.show_plan(plan)
        said = sentence(translated(plan.sentence)) if plan.sentence else ""
        self.cost.setText(f"{said} {credits_text(plan)}".strip())

    def show_planning(self) -> None:
        """Show that the cost is being checked, or what is missing for that."""
        self.cost_trouble.hide()
        self.cost.setText(self.missing() or _("Checking the cost (this is free)…"))

    def say_cost_trouble(self, text: str) -> None:
        """Show why the cost is unknown."""
        self.cost.setText("")
        self.cost_trouble.show_message(
            _line(text), icon="warning", ink=TextRole.DOWN, action=_("Try again")
        )

    def _lay_out(self) -> None:
        inner = QtWidgets.QWidget()
        column = vertical(inner, margins=(MARGIN, MARGIN, MARGIN, STEP), spacing=STEP)
        self._key_row = side_by_side(self.key, self.get_key)
        self._option_form = QtWidgets.QFormLayout()
        self._option_form.setHorizontalSpacing(MARGIN)
        self._option_form.setVerticalSpacing(HALF)
        for widget in (
            *(self._title, self._summary, self._key_row, self._key_note, self.key_trouble),
            *(self.parts, self.list_trouble, self._list_note),
        ):
            column.addWidget(widget)
        column.addWidget(self.competitions, 1)
        column.addLayout(self._option_form)
        address = horizontal(spacing=STEP)
        address.addWidget(self.more)
        address.addWidget(self.address, 1)
        address.addStretch()
        column.addLayout(address)
        column.addWidget(self._others_note)
        column.addStretch()
        scroll = QtWidgets.QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner.setMinimumWidth(1)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inner)
        right = vertical(spacing=0)
        right.addWidget(scroll, 1)
        foot = vertical(None, self.cost, margins=(MARGIN, 0, MARGIN, 0))
        right.addLayout(foot)
        right.addWidget(self.cost_trouble)
        row = horizontal(self, spacing=0)
        row.addWidget(self.sources)
        row.addLayout(right, 1)

    def _connect(self) -> None:
        self.sources.source_chosen.connect(self._on_sources_source_chosen)
        self.key.textChanged.connect(self._key_pause.start)
        self.key.returnPressed.connect(self._ask_at_once)
        self.address.editingFinished.connect(self._on_address_editing_finished)
        self._key_pause.timeout.connect(self.source_chosen)
        self.get_key.clicked.connect(lambda: open_link(self.source.key_url))
        self.more.toggled.connect(self.address.setVisible)
        self.more.clicked.connect(self._on_more_clicked)
        self.parts.textChanged.connect(self._on_choice_touched)
        self.competitions.changed.connect(self._on_choice_touched)
        self._plan_pause.timeout.connect(self.choice_changed)
        for bar in (self.key_trouble, self.list_trouble):
            bar.action_requested.connect(self._ask_at_once)
        self.cost_trouble.action_requested.connect(self.choice_changed)

    def _on_choice_touched(self) -> None:
        self.show_planning()
        self._plan_pause.start()

    def _on_address_editing_finished(self) -> None:
        """Use the address once it is complete; half of one could send the key to another host."""
        if self.address.isModified():
            self.address.setModified(False)
            self._ask_at_once()

    def _ask_at_once(self) -> None:
        self._key_pause.stop()
        self.source_chosen.emit()

    def _on_sources_source_chosen(self, source: administration.LiveSource) -> None:
        self.source = source
        self._key_pause.stop()
        for field in (self.key, self.address, self.parts):
            _fill(field, "")
        for bar in (self.key_trouble, self.list_trouble, self.cost_trouble):
            bar.hide()
        self._list_note.hide()
        self._show_source()
        self.competitions.show_choices((), ())
        self.source_changed.emit()

    def _show_source(self) -> None:
        source = self.source
        self._title.setText(translated(source.title))
        said = (source.summary, source.costs)
        self._summary.setText(" ".join(sentence(translated(text)) for text in said if text))
        for widget in (self._key_row, self._key_note):
            widget.setVisible(bool(source.key))
        self.show_key_kept(False)
        self.get_key.setVisible(bool(source.key_url))
        self.get_key.setToolTip(source.key_url)
        self.parts.setVisible(bool(source.parts))
        self.parts.setPlaceholderText(translated(source.parts))
        self.competitions.setVisible(not source.parts)
        self.more.setVisible(not source.parts)
        self.more.setChecked(False)
        self.address.hide()
        self._show_options(source.options)

    def _show_options(self, options: Collection[administration.SourceOption]) -> None:
        while self._option_form.rowCount():
            self._option_form.removeRow(0)
        self._options = [OptionRow(option) for option in options]
        for row in self._options:
            row.changed.connect(self._on_choice_touched)
            self._option_form.addRow(Label(translated(row.option.title)), row)
        boxes = [box for row in self._options for box in row.boxes.values()]
        for before, after in pairwise([self.competitions.list, *boxes, self.more]):
            self.setTabOrder(before, after)

    def _on_more_clicked(self, shown: bool) -> None:
        if shown:
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)


def _fill(field: QtWidgets.QLineEdit, text: str) -> None:
    """Set a text without the signals of typing."""
    field.blockSignals(True)
    field.setText(text)
    field.blockSignals(False)


def _pause(parent: QtWidgets.QWidget, interval_ms: int) -> QTimer:
    return QTimer(parent, singleShot=True, interval=interval_ms)


def _line(text: str) -> str:
    """Return a message as a sentence; a host name at its start is not capitalised."""
    return f"{text.rstrip('.')}." if "." in text.partition(" ")[0] else sentence(text)


def credits_text(
    said: administration.Choices | administration.LivePlan | administration.FeedStatus,
) -> str:
    """Return the credits left and used; empty if unknown."""
    if said.credits_left is None:
        return ""
    left, used = num(said.credits_left), said.credits_used
    if used is None:
        text = ngettext("{count:,} credit left.", "{count:,} credits left.", said.credits_left)
        return text.format(count=left)
    text = ngettext(
        "{count:,} credit left, {used:,} used.",
        "{count:,} credits left, {used:,} used.",
        said.credits_left,
    )
    return text.format(count=left, used=num(used))


_WIDTHS: Final = {_("Competition"): 0, _("Sport"): 150, _("Games"): 60, _("Updates"): 160}
_READ: Final = 3
_NAME: Final = Qt.ItemDataRole.UserRole


class CompetitionList(QtWidgets.QWidget):
    """A list of competitions with check boxes."""

    changed = Signal()
    """The ticks have changed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.filter = FilterEdit(theme, _("Find a competition"))
        self.list = plain_table(theme, _("Competitions"), _WIDTHS)
        header = self.list.header()
        header.setStretchLastSection(False)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self.list.headerItem().setTextAlignment(2, right)
        header.setSectionResizeMode(0, QtWidgets.QHeaderView.ResizeMode.Stretch)
        self.filter.textChanged.connect(self._show_found)
        self.list.itemChanged.connect(self._on_list_item_changed)
        column = vertical(self, spacing=STEP)
        column.addWidget(self.filter)
        column.addWidget(self.list, 1)
        self.setFocusProxy(self.filter)

    def show_choices(
        self, choices: Sequence[administration.Choice], ticked: Collection[str]
    ) -> None:
        """Show other choices, ticking those in ``ticked``."""
        self.list.blockSignals(True)
        self.list.clear()
        self.list.setColumnHidden(_READ, True)
        for choice in choices:
            item = QtWidgets.QTreeWidgetItem(
                [translated(choice.title), translated(choice.group), "", ""]
            )
            item.setData(0, _NAME, choice)
            is_ticked = choice.name in ticked
            item.setCheckState(0, _state(is_ticked))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self.list.blockSignals(False)
        self.filter.clear()
        if first := self.list.topLevelItem(0):
            self.list.setCurrentItem(first)
        self.changed.emit()

    def ticked(self) -> tuple[str, ...]:
        """Return the names of the ticked choices."""
        ticked = Qt.CheckState.Checked
        return tuple(
            item.data(0, _NAME).name for item in self._items() if item.checkState(0) is ticked
        )

    def show_plan(self, plan: administration.LivePlan) -> None:
        """Show the number of games and the update interval, as far as known."""
        self.list.blockSignals(True)
        self.list.setColumnHidden(_READ, not plan.intervals_s)
        for item in self._items():
            name = item.data(0, _NAME).name
            if name in plan.games:
                item.setText(2, f"{num(plan.games[name]):,}")
            intervals = plan.intervals_s.get(name)
            item.setText(_READ, every(intervals, translated) if intervals else "")
            item.setToolTip(_READ, item.text(_READ))
        self.list.blockSignals(False)
        self.list.viewport().update()

    def _items(self) -> list[QtWidgets.QTreeWidgetItem]:
        rows = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return [item for item in rows if item is not None]

    def _show_found(self) -> None:
        words = self.filter.text().casefold().split()
        for item in self._items():
            choice: administration.Choice = item.data(0, _NAME)
            shown, names = (item.text(0), item.text(1)), (choice.competition, choice.name)
            said = " ".join((choice.title, *shown, *names)).casefold()
            item.setHidden(not all(word in said for word in words))

    def _on_list_item_changed(self, item: QtWidgets.QTreeWidgetItem) -> None:
        if item.checkState(0) is Qt.CheckState.Unchecked:
            self.list.blockSignals(True)
            item.setText(_READ, "")
            self.list.blockSignals(False)
        self.changed.emit()


def _state(is_ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked


OTHER: Final = administration.LiveSource(
    "",
    _("Other…"),
    _("A program, a WebSocket, another package"),
    "",
    parts="NAME:WHAT?option=value&…",
)
"""A feed that the user types."""
_SOURCE: Final = int(Qt.ItemDataRole.UserRole)


class SourceList(QtWidgets.QListWidget):
    """A list of sources with one selected."""

    source_chosen = Signal(object)
    """A ``LiveSource``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName(_("Sources of live odds"))
        self._delegate = _SourceDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._on_current_item_changed)

    def show_sources(self, sources: Sequence[administration.LiveSource]) -> None:
        """List the sources and the one to type; none is selected yet."""
        self.clear()
        for source in (*sources, OTHER):
            item = QtWidgets.QListWidgetItem(translated(source.title))
            item.setData(_SOURCE, source)
            texts = (translated(source.title), translated(source.summary), needs_of(source))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ". ".join(filter(None, texts)))
            self.addItem(item)

    def choose_source(self, name: str) -> None:
        """Select a source by name, if it exists; emits ``source_chosen`` even if it is selected."""
        for row in range(self.count()):
            if self.item(row).data(_SOURCE).name == name:
                self.setCurrentRow(-1)
                self.setCurrentRow(row)

    def _on_current_item_changed(self, item: QtWidgets.QListWidgetItem | None) -> None:
        if item is not None:
            self.source_chosen.emit(item.data(_SOURCE))


def needs_of(source: administration.LiveSource) -> str:
    """Return whether a source needs a key, and its cost, in one line."""
    if source is OTHER:
        return ""
    key = _("Needs a key") if source.key else _("No key needed")
    return f"{key} · {translated(source.costs)}"


class _SourceDelegate(QtWidgets.QStyledItemDelegate):
    """Paints a source: title, summary and needs."""

    def __init__(self, theme: Theme, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    # Qt's virtuals

    def paint(
        self,
        painter: QPainter,
        option: QtWidgets.QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        source: administration.LiveSource = index.data(_SOURCE)
        fonts, tokens = self._theme.fonts, self._theme.tokens
        painter.save()
        paint_row_ground(painter, option, tokens)
        area = QRectF(option.rect).adjusted(GAP, STEP, -STEP, 0)
        self._line(painter, area, translated(source.title), fonts.strong, TextRole.STRONG)
        self._line(painter, area, translated(source.summary), fonts.small, TextRole.SOFT)
        self._line(painter, area, needs_of(source), fonts.small, TextRole.NOTE)
        painter.restore()

    def sizeHint(
        self, option: QtWidgets.QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        source: administration.LiveSource = index.data(_SOURCE)
        fonts = self._theme.fonts
        small = QFontMetrics(fonts.small).height() + HALF
        lines = 1 if source is OTHER else 2
        return QSize(0, QFontMetrics(fonts.strong).height() + HALF + lines * small + 2 * STEP)

    def _line(self, painter: QPainter, area: QRectF, text: str, font: QFont, ink: TextRole) -> None:
        """Draw a line and shrink the area by it."""
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), shown)
        area.setTop(area.top() + metrics.height() + HALF)
