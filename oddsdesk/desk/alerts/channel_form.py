"""Asks for a channel of alerts: its name, its kind, and its address, which is kept as a key."""

from collections.abc import Collection
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from oddsdesk.board.alerts.channels import ChannelError, open_channel, variable_of
from oddsdesk.board.alerts.rules import CHANNEL_KINDS, ChannelSetting
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import literal_title
from oddsdesk.desk.ui.controls.scaling import scale_least_width
from oddsdesk.desk.ui.theme.theme import Theme

_WIDTH: Final = 520
_LONGEST_NAME: Final = 200
_ADDRESSES: Final = {
    "ntfy": "https://ntfy.sh/topic, or https://:TOKEN@host/topic",
    "webhook": "https://host/path: it gets JSON",
    "apprise": "As apprise writes it, such as tgram://TOKEN/CHAT (pip install oddsdesk[apprise])",
}


class ChannelForm(FormDialog):
    """Stays until it is told that the address is kept: without it nothing would be sent."""

    given = Signal(object, str)
    """The ``ChannelSetting``, and its address; that is empty where the environment holds it."""
    kept = Signal(object)
    """The ``ChannelSetting`` that can be used now."""

    def __init__(
        self,
        theme: Theme,
        taken: Collection[str],
        channel: ChannelSetting | None,
        parent: QWidget,
    ) -> None:
        """Ask for a new channel, or for another address of ``channel``."""
        title = "Channel" if channel is None else f"Address of {literal_title(channel.name)}"
        super().__init__(theme, title, parent)
        scale_least_width(self, theme, _WIDTH)
        self._taken, self._channel = taken, channel
        self._asked: ChannelSetting | None = None
        self.name = QLineEdit("" if channel is None else channel.name, placeholderText="phone")
        self.name.setMaxLength(_LONGEST_NAME)
        self.kind = ChoiceBox()
        self.kind.addItems(list(CHANNEL_KINDS))
        if channel is not None:
            self.kind.setCurrentText(channel.kind)
        for fixed in (self.name, self.kind):
            fixed.setEnabled(channel is None)
        self.address = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.said = note("", theme)
        self._lay_out()
        self.name.textChanged.connect(self._explain)
        self.kind.currentTextChanged.connect(self._explain)
        self._explain()
        (self.name if channel is None else self.address).setFocus()

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        return self.name.text(), self.kind.currentText(), self.address.text()

    def answer(self, name: str, problem: str) -> None:
        """Close where the address is kept, else say why it is not."""
        asked = self._asked
        if asked is None or asked.name != name:
            return
        self._asked = None
        self.save.setEnabled(True)
        if problem:
            self.say_trouble(sentence(problem), self.address)
            return
        self.begin()
        self.kept.emit(asked)
        self.accept()

    def _lay_out(self) -> None:
        self.add_row("&Name", self.name)
        self.add_row("&Kind", self.kind)
        self.add_row("&Address", self.address)
        self.form.addRow("", self.said)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.save = self.buttons.addButton("&Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)
        self.close_form()

    def _explain(self) -> None:
        variable = variable_of(self.name.text().strip() or "name")
        self.said.setText(
            f"{_ADDRESSES[self.kind.currentText()]}. It is kept in the system's keyring, in no "
            f"file; leave it empty where {variable} holds it."
        )

    def _on_buttons_accepted(self) -> None:
        name, address = self.name.text().strip(), self.address.text().strip()
        if not name:
            self.say_trouble("A channel needs a name.", self.name)
            return
        if self._channel is None and name in self._taken:
            self.say_trouble(f"There is a channel {name} already.", self.name)
            return
        if self._channel is not None and not address:
            self.say_trouble("Expected the new address.", self.address)
            return
        channel = ChannelSetting(name, self.kind.currentText())
        try:
            if address:
                open_channel(channel, address)
        except (ChannelError, ValueError) as error:
            said = str(error) if isinstance(error, ChannelError) else f"{name}: no address"
            self.say_trouble(sentence(said), self.address)
            return
        self.trouble.hide()
        self._asked = channel
        self.save.setEnabled(False)
        self.given.emit(channel, address)
