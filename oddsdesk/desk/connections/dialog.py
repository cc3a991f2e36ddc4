"""The list of saved connections: connect, add, edit, copy and delete."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QMenu,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.connections.profiles import EMBEDDED_NAME, Profile, RemoteProfile
from oddsdesk.desk.ui.controls.form_dialog import plain_table, with_buttons
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.scaling import resize_scaled
from oddsdesk.desk.ui.theme.icons import SIZE
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, MARGIN, TextRole

_SIZE = (720, 380)
_NAME_WIDTH = 190


class ConnectionsDialog(QDialog):
    """Shows the connections it is given; what the user asks for is signalled."""

    connect_requested = Signal(object)
    edit_requested = Signal(object)
    copy_requested = Signal(object)
    delete_requested = Signal(object)
    add_remote_requested = Signal()
    add_embedded_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Connections")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self._present = ""
        self.list = plain_table(theme, "Connections", {"Name": _NAME_WIDTH, "Where": 0})
        self.list.currentItemChanged.connect(self._on_list_current_changed)
        self.list.itemDoubleClicked.connect(lambda: self._wish(self.edit_requested))
        room = QPixmap(SIZE, SIZE)
        room.fill(Qt.GlobalColor.transparent)
        self._no_mark = QIcon(room)
        self._question = MessageBar(theme, self)
        self._question.action_requested.connect(self._on_question_action_requested)
        self._question.closed.connect(self.list.setFocus)
        self._theme = theme
        self._buttons = {
            "Connect": self._button("&Connect", lambda: self._wish(self.connect_requested)),
            "Edit": self._button("&Edit…", lambda: self._wish(self.edit_requested)),
            "Copy": self._button("D&uplicate", lambda: self._wish(self.copy_requested)),
            "Delete": self._button("&Delete", self._ask_to_delete),
        }
        self._lay_out()

    @property
    def current(self) -> Profile | None:
        """The connection that is selected."""
        item = self.list.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def show_profiles(self, profiles: tuple[Profile, ...], present: str) -> None:
        """Show connections; ``present`` is the name of the one in use."""
        selected = self.current
        wanted = present if selected is None else selected.name
        self._present = present
        self.list.clear()
        for profile in profiles:
            item = QTreeWidgetItem([profile.name, where(profile)])
            item.setData(0, Qt.ItemDataRole.UserRole, profile)
            item.setIcon(0, self._no_mark)
            if profile.name == present:
                item.setIcon(0, self._theme.icon("check", TextRole.UP))
                item.setToolTip(0, "In use")
            self.list.addTopLevelItem(item)
            if profile.name == wanted:
                self.list.setCurrentItem(item)
        self._show_buttons()

    def _lay_out(self) -> None:
        add = QMenu(self)
        add.addAction("To a service…").triggered.connect(self.add_remote_requested)
        add.addAction("To the embedded server…").triggered.connect(self.add_embedded_requested)
        new = QPushButton("&New", autoDefault=False)
        new.setMenu(add)
        close = self._button("Close", self.reject)
        row = with_buttons(self.list, *self._buttons.values(), new, last=close)
        row.setSpacing(GAP)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.addLayout(row)
        column.addWidget(self._question)
        self._buttons["Connect"].setDefault(True)

    def _button(self, title: str, act: object) -> QPushButton:
        button = QPushButton(title, autoDefault=False)
        button.clicked.connect(act)
        return button

    def _wish(self, signal: SignalInstance) -> None:
        if self.current is not None:
            signal.emit(self.current)

    def _ask_to_delete(self) -> None:
        profile = self.current
        if profile is not None:
            text = f"Delete {profile.name} and its key?"
            self._question.ask(text, action="Delete")

    def _on_question_action_requested(self) -> None:
        self._question.hide()
        self.list.setFocus()
        self._wish(self.delete_requested)

    def _on_list_current_changed(self) -> None:
        self._question.hide()
        self._show_buttons()

    def _show_buttons(self) -> None:
        profile = self.current
        for button in self._buttons.values():
            button.setEnabled(profile is not None)
        if profile is not None:
            is_in_use = profile.name == self._present
            self._buttons["Connect"].setEnabled(not is_in_use)
            self._buttons["Delete"].setEnabled(not is_in_use and profile.name != EMBEDDED_NAME)


def where(profile: Profile) -> str:
    """Return in a few words what a connection leads to."""
    if isinstance(profile, RemoteProfile):
        return profile.base_url
    feeds = ", ".join(profile.feeds) or "simulated until there are real odds"
    return f"{profile.database or 'the usual database'} · {feeds}"
