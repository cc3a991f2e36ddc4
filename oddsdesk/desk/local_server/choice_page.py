"""Choosing live odds: a source, its key, competitions, and what they cost before any is paid."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.live_sources import (
    Choice,
    Choices,
    LivePlan,
    LiveSource,
    SourceOption,
    WrittenFeed,
    feed_text,
)
from oddsdesk.desk.local_server.competition_list import CompetitionList
from oddsdesk.desk.local_server.source_list import OTHER, SourceList
from oddsdesk.desk.ui.controls.form_dialog import note, side_by_side
from oddsdesk.desk.ui.controls.message_bar import MessageBar, sentence
from oddsdesk.desk.ui.controls.plain import Label, literal
from oddsdesk.desk.ui.links import open_link
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, MARGIN, STEP, TextRole

KEY_PAUSE_MS: Final = 800
"""How long nothing is typed until a key is tried."""
PLAN_PAUSE_MS: Final = 400
"""How long nothing is ticked until its cost is asked for."""
_SOURCES_WIDTH: Final = 270
_LIST_HEIGHT: Final = 130
_KEY_KEPT: Final = "A key is kept; paste another one to change it"


class OptionRow(QWidget):
    """The values of an option of a source, to be ticked."""

    changed = Signal()

    def __init__(self, option: SourceOption) -> None:
        super().__init__()
        self.option = option
        self.boxes = {value: QCheckBox(literal(title)) for value, title in option.values}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP)
        for value, box in self.boxes.items():
            box.setChecked(value in option.chosen)
            box.toggled.connect(self.changed)
            self._row.addWidget(box)
        self._row.addStretch()

    def choose(self, values: Sequence[str]) -> None:
        """Tick these only; one that has no box here gets one, as a feed is written."""
        for value in values:
            if value not in self.boxes:
                box = self.boxes[value] = QCheckBox(literal(value))
                box.toggled.connect(self.changed)
                self._row.insertWidget(self._row.count() - 1, box)
        self.blockSignals(True)
        for value, box in self.boxes.items():
            box.setChecked(value in values)
        self.blockSignals(False)

    def chosen(self) -> str:
        """Return what is ticked, as a feed is written."""
        return ",".join(value for value, box in self.boxes.items() if box.isChecked())


class ChoicePage(QWidget):
    """Shows what it is given; what the user wants to know or to have is signalled."""

    source_changed = Signal()
    """Another source: its fields are empty, and nobody is asked yet."""
    source_chosen = Signal()
    """Another address or key: ``source``, ``url`` and ``key`` say which."""
    choice_changed = Signal()
    """Something else is chosen of the source, and nothing was for a moment."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.source: LiveSource = OTHER
        self._options: list[OptionRow] = []
        self._ticked: Collection[str] = ()
        self._others: dict[str, str] = {}
        """Options of what is read that have no field here."""
        self.key_file = ""
        """Where the key of what is read is kept, if that is in a file."""
        self.sources = SourceList(theme)
        self.sources.setFixedWidth(theme.fonts.scaled(_SOURCES_WIDTH))
        self._title, self._summary = Label(wordWrap=True), note("", theme)
        self._title.setFont(theme.fonts.title)
        self.key = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.key.setAccessibleName("Key of the source")
        self.get_key = QPushButton("&Get a key…", autoDefault=False)
        self._key_note = note("", theme)
        self.key_trouble = MessageBar(theme)
        self.competitions = CompetitionList(theme)
        self.competitions.list.setMinimumHeight(theme.fonts.scaled(_LIST_HEIGHT))
        self.list_trouble = MessageBar(theme)
        self._list_note = note("", theme)
        self.parts = QLineEdit()
        self.parts.setAccessibleName("What to read")
        self.more = QPushButton("&More…", autoDefault=False)
        self.more.setCheckable(True)
        self.address = QLineEdit(placeholderText="https://… where a proxy stands for the source")
        self.address.setAccessibleName("Address of the source")
        self._others_note = note("", theme)
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
        """The address that is typed; empty for the source's own."""
        return self.address.text().strip()

    @property
    def typed_key(self) -> str:
        """The key that is typed; empty where the kept one is meant."""
        return self.key.text().strip()

    def text(self, key_file: str = "") -> str:
        """Return what is chosen as a feed is written; empty where something is missing."""
        if self.source is OTHER:
            return self.parts.text().strip()
        typed = self.parts.text().strip()
        parts = ([typed] if typed else []) if self.source.parts else self.competitions.ticked()
        chosen = {row.option.name: row.chosen() for row in self._options}
        if not parts or not all(chosen.values()):
            return ""
        options = {**chosen, **self._others, "url": self.url, "key-file": key_file}
        return feed_text(self.source.name, parts, options)

    def missing(self) -> str:
        """Return what is missing in words; empty where nothing is."""
        if self.source.parts:
            return "" if self.parts.text().strip() else "Say what to read."
        if not self.competitions.ticked():
            return "Tick competitions to see what they cost."
        empty = next((row.option for row in self._options if not row.chosen()), None)
        return "" if empty is None else f"Tick something beside “{empty.title}”."

    def show_sources(self, sources: Sequence[LiveSource]) -> None:
        """Show what can be chosen from; before that nothing can be done here."""
        self.setEnabled(True)
        self.sources.setFocus(Qt.FocusReason.OtherFocusReason)
        self.sources.show_sources(sources)

    def take_up(self, read: WrittenFeed) -> None:
        """Fill in what is read of the source; what has no field here stays part of it."""
        options = dict(read.options)
        for row in self._options:
            if values := options.pop(row.option.name, ""):
                row.choose(values.split(","))
        _fill(self.address, options.pop("url", ""))
        self.more.setChecked(bool(self.url))
        self.key_file = options.pop("key-file", "")
        self._others = options
        others = ", ".join(f"{name}={value}" for name, value in options.items())
        self._others_note.setText(f"As it is read now, besides: {others}")
        self._others_note.setVisible(bool(others))
        self._ticked = read.parts
        if self.source.parts:
            _fill(self.parts, ",".join(read.parts))

    def forget_key(self) -> None:
        """Empty the field of the key: it is kept where keys are."""
        self._key_pause.stop()
        _fill(self.key, "")

    def show_key_kept(self, is_kept: bool) -> None:
        """Say in the field of the key whether there is one already."""
        self.key.setPlaceholderText(_KEY_KEPT if is_kept else self.source.key)

    def show_key_place(self, said: str) -> None:
        """Say where a key will be kept."""
        self._key_note.setText(said)

    def want_key(self) -> None:
        """Say that the source tells nothing without a key."""
        self._list_note.setText("Paste your key to see what there is.")
        self._list_note.show()

    def say_key_trouble(self, text: str) -> None:
        """Say what is wrong with the key."""
        self._list_note.hide()
        self.key_trouble.say(_line(text), icon="warning", ink=TextRole.DOWN)

    def say_list_trouble(self, text: str) -> None:
        """Say why there is no list, with a way to try again."""
        self._list_note.hide()
        self.list_trouble.say(_line(text), icon="warning", ink=TextRole.DOWN, action="Try again")

    def show_asking(self) -> None:
        """Say that the source is asked."""
        self.key_trouble.hide()
        self.list_trouble.hide()
        self._list_note.setText(f"Asking {self.source.title}…")
        self._list_note.show()

    def show_choices(self, found: Choices) -> None:
        """Show what may be ticked; what is ticked already stays so."""
        self._list_note.hide()
        ticked = self.competitions.ticked() or self._ticked
        listed = {choice.name for choice in found.choices}
        gone = [Choice(name, name, "not listed now") for name in ticked if name not in listed]
        self.competitions.show_choices((*gone, *found.choices), ticked)
        self._ticked = ()
        if found.credits_left is not None and not self.competitions.ticked():
            self.cost.setText(f"{_credits(found)} {self.missing()}")

    def show_plan(self, plan: LivePlan) -> None:
        """Show what the choice will cost, and how many games there are."""
        self.cost_trouble.hide()
        self.competitions.show_plan(plan)
        said = sentence(plan.sentence) if plan.sentence else ""
        self.cost.setText(f"{said} {_credits(plan)}".strip())

    def show_planning(self) -> None:
        """Say that the cost is asked for, or what is missing for that."""
        self.cost_trouble.hide()
        self.cost.setText(self.missing() or "Asking what it will cost, which is free…")

    def say_cost_trouble(self, text: str) -> None:
        """Say why the cost is not known."""
        self.cost.setText("")
        self.cost_trouble.say(_line(text), icon="warning", ink=TextRole.DOWN, action="Try again")

    def _lay_out(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, STEP)
        column.setSpacing(STEP)
        self._key_row = side_by_side(self.key, self.get_key)
        self._option_form = QFormLayout()
        self._option_form.setHorizontalSpacing(MARGIN)
        self._option_form.setVerticalSpacing(HALF)
        for widget in (
            *(self._title, self._summary, self._key_row, self._key_note, self.key_trouble),
            *(self.parts, self.list_trouble, self._list_note),
        ):
            column.addWidget(widget)
        column.addWidget(self.competitions, 1)
        column.addLayout(self._option_form)
        address = QHBoxLayout()
        address.setSpacing(STEP)
        address.addWidget(self.more)
        address.addWidget(self.address, 1)
        address.addStretch()
        column.addLayout(address)
        column.addWidget(self._others_note)
        column.addStretch()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner.setMinimumWidth(1)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inner)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(scroll, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(MARGIN, 0, MARGIN, 0)
        foot.addWidget(self.cost)
        right.addLayout(foot)
        right.addWidget(self.cost_trouble)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
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
        """Ask there once it is whole: half an address would have the key sent elsewhere."""
        if self.address.isModified():
            self.address.setModified(False)
            self._ask_at_once()

    def _ask_at_once(self) -> None:
        self._key_pause.stop()
        self.source_chosen.emit()

    def _on_sources_source_chosen(self, source: LiveSource) -> None:
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
        self._title.setText(source.title)
        said = (source.summary, source.costs)
        self._summary.setText(" ".join(sentence(text) for text in said if text))
        for widget in (self._key_row, self._key_note):
            widget.setVisible(bool(source.key))
        self.show_key_kept(False)
        self.get_key.setVisible(bool(source.key_url))
        self.get_key.setToolTip(source.key_url)
        self.parts.setVisible(bool(source.parts))
        self.parts.setPlaceholderText(source.parts)
        self.competitions.setVisible(not source.parts)
        self.more.setVisible(not source.parts)
        self.more.setChecked(False)
        self.address.hide()
        self._show_options(source.options)

    def _show_options(self, options: Collection[SourceOption]) -> None:
        while self._option_form.rowCount():
            self._option_form.removeRow(0)
        self._options = [OptionRow(option) for option in options]
        for row in self._options:
            row.changed.connect(self._on_choice_touched)
            self._option_form.addRow(Label(row.option.title), row)
        boxes = [box for row in self._options for box in row.boxes.values()]
        for before, after in pairwise([self.competitions.list, *boxes, self.more]):
            self.setTabOrder(before, after)

    def _on_more_clicked(self, shown: bool) -> None:
        if shown:
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)


def _fill(field: QLineEdit, text: str) -> None:
    """Set a text that the user did not type."""
    field.blockSignals(True)
    field.setText(text)
    field.blockSignals(False)


def _pause(parent: QWidget, interval_ms: int) -> QTimer:
    return QTimer(parent, singleShot=True, interval=interval_ms)


def _line(text: str) -> str:
    """Return a message as a sentence; one that begins with a host keeps its letters."""
    return f"{text.rstrip('.')}." if "." in text.partition(" ")[0] else sentence(text)


def _credits(said: Choices | LivePlan) -> str:
    if said.credits_left is None:
        return ""
    used = "" if said.credits_used is None else f", {said.credits_used:,} used"
    return f"{said.credits_left:,} credits left{used}."
