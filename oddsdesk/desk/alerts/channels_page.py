"""The page of the rules' dialog that lists channels: where alerts go beside this desktop."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QTreeWidgetItem, QVBoxLayout, QWidget

from oddsdesk.board.alerts.rules import ChannelSetting
from oddsdesk.board.alerts.rules_text import channels_of, with_channel, without_channel
from oddsdesk.desk.alerts.channel_form import ChannelForm
from oddsdesk.desk.ui.controls.form_dialog import note, plain_table, with_buttons
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import STEP

_WIDTHS: Final = {"Name": 200, "Kind": 0}
_SAID: Final = (
    "Where alerts go beside this desktop. The address of a channel is kept in the system's keyring "
    "at once, the rest with Save."
)
_CHANNEL: Final = Qt.ItemDataRole.UserRole


class ChannelsPage(QWidget):
    """Shows the channels of a file's text; what the user asks for is signalled."""

    change_requested = Signal(object)
    """A function that returns the file's text with the change."""
    address_given = Signal(object, str)
    """A ``ChannelSetting`` and its address, to be kept and answered."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.list = plain_table(theme, "Channels", _WIDTHS)
        self.add = QPushButton("A&dd…")
        self.address = QPushButton("&Address…")
        self.remove = QPushButton("&Remove")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, STEP, 0, 0)
        column.addLayout(with_buttons(self.list, self.add, self.address, self.remove), 1)
        column.addWidget(note(_SAID, theme))
        self.add.clicked.connect(lambda: self._ask(None))
        self.address.clicked.connect(lambda: self._ask(self._current()))
        self.list.itemActivated.connect(lambda: self._ask(self._current()))
        self.list.currentItemChanged.connect(self._show_current)
        self.remove.clicked.connect(self._remove)

    def show_text(self, text: str) -> None:
        """Show the channels of a file."""
        place = max(self._place(), 0)
        self.list.clear()
        for channel in channels_of(text):
            item = QTreeWidgetItem([channel.name, channel.kind])
            item.setData(0, _CHANNEL, channel)
            self.list.addTopLevelItem(item)
        current = self.list.topLevelItem(min(place, self.list.topLevelItemCount() - 1))
        if current is not None:
            self.list.setCurrentItem(current)
        self._show_current()

    def names(self) -> list[str]:
        """Return what the channels are called."""
        items = map(self.list.topLevelItem, range(self.list.topLevelItemCount()))
        return [item.text(0) for item in items if item is not None]

    def answer_address(self, name: str, problem: str) -> None:
        """Tell the form of a channel what became of its address."""
        for form in self.findChildren(ChannelForm):
            form.answer(name, problem)

    def _current(self) -> ChannelSetting | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, _CHANNEL)

    def _place(self) -> int:
        item = self.list.currentItem()
        return -1 if item is None else self.list.indexOfTopLevelItem(item)

    def _show_current(self) -> None:
        for button in (self.address, self.remove):
            button.setEnabled(self._current() is not None)

    def _ask(self, channel: ChannelSetting | None) -> None:
        form = ChannelForm(self._theme, self.names(), channel, self)
        form.given.connect(self.address_given)
        if channel is None:
            form.kept.connect(self._add)
        form.open()

    def _add(self, channel: ChannelSetting) -> None:
        self.change_requested.emit(lambda text: with_channel(text, channel))

    def _remove(self) -> None:
        if (place := self._place()) >= 0:
            self.change_requested.emit(lambda text: without_channel(text, place))
            self.list.setFocus()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.list.hasFocus() and event.key() == Qt.Key.Key_Delete:
            self._remove()
        elif not (self.list.hasFocus() and is_enter):  # which asks for an address, and saves not
            super().keyPressEvent(event)
