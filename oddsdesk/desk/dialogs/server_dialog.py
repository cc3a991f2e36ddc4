"""The embedded server's dialog: five pages over one line for what went wrong."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout, QWidget

from oddsdesk.desk.dialogs.backup_page import BackupPage
from oddsdesk.desk.dialogs.feeds_page import FeedsPage
from oddsdesk.desk.dialogs.import_page import ImportPage
from oddsdesk.desk.dialogs.keys_page import KeysPage
from oddsdesk.desk.dialogs.server_page import ServerPage
from oddsdesk.desk.theme.spacing import GAP, MARGIN, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.message_bar import MessageBar
from oddsdesk.desk.widgets.scaled import resize_scaled

_SIZE = (760, 560)


class ServerDialog(QDialog):
    """Pages that show what they are given; ``server_work`` talks to the server for them."""

    def __init__(self, theme: Theme, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Embedded server")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.server = ServerPage(theme, address)
        self.feeds = FeedsPage(theme)
        self.imports = ImportPage(theme)
        self.keys = KeysPage(theme, address)
        self.backup = BackupPage(theme)
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(self.server, "Server")
        self.pages.addTab(self.feeds, "Feeds")
        self.pages.addTab(self.imports, "Import")
        self.pages.addTab(self.keys, "Keys")
        self.pages.addTab(self.backup, "Backup")
        self.message = MessageBar(theme, self)
        for page in (self.feeds, self.keys):
            page.refused.connect(self.say_trouble)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        foot = QVBoxLayout()
        foot.setContentsMargins(MARGIN, STEP, MARGIN, GAP)
        foot.addWidget(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.message)
        column.addLayout(foot)

    def say_trouble(self, text: str) -> None:
        """Say what the server refused, and why."""
        self.message.say(text, icon="warning", ink=Ink.DOWN)

    def say_done(self, text: str) -> None:
        """Say what was done."""
        self.message.say(text, icon="check", ink=Ink.UP)
