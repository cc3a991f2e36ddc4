"""A connection to the embedded server: its database, odds, reference and devig method."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from oddsdesk.desk.connections.profiles import EMBEDDED_NAME, EmbeddedProfile
from oddsdesk.desk.ui.controls.feed_fields import AUTOMATIC, LIVE, REPLAY, FeedFields
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, side_by_side
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.places import default_database
from oddsdesk.pricing.devig import METHODS

_WIDTH = 600


class EmbeddedDialog(FormDialog):
    """Edits one embedded profile; saving is left to who opened it."""

    save_requested = Signal()

    def __init__(self, theme: Theme, profile: EmbeddedProfile, parent: QWidget) -> None:
        super().__init__(theme, "Connection to the embedded server", parent)
        self.setMinimumWidth(_WIDTH)
        self._access = profile.access
        self.name = QLineEdit(profile.name, readOnly=profile.name == EMBEDDED_NAME)
        self.database = QLineEdit(profile.database or "", placeholderText=str(default_database()))
        self.feed = FeedFields((AUTOMATIC, "none", "simulator", REPLAY, LIVE))
        self.feed.show_specs(profile.feeds, profile.speed)
        self.reference = QLineEdit(
            profile.reference or "", placeholderText="As the database has it; Pinnacle at first"
        )
        self.method = QComboBox()
        for method in METHODS:
            self.method.addItem(method.replace("_", " ").capitalize(), method)
        self.method.setCurrentIndex(self.method.findData(profile.devig_method))
        self._lay_out()
        self.close_form()

    def values(self) -> EmbeddedProfile:
        """Return what the fields say."""
        return EmbeddedProfile(
            self.name.text(),
            self.database.text().strip() or None,
            self.feed.specs(),
            self.feed.speed.value(),
            self.reference.text().strip() or None,
            self.method.currentData(),
            access=self._access,
        )

    def field(self, name: str) -> QWidget | None:
        """Return the field of a profile's part."""
        return {"name": self.name, "speed": self.feed.speed}.get(name)

    def _lay_out(self) -> None:
        self.add_row("&Name", self.name)
        choose = QPushButton("Choose…", autoDefault=False)
        choose.setAccessibleName("Choose a database")
        choose.clicked.connect(self._on_choose_clicked)
        self.database.setAccessibleName("Database")
        self.add_row(
            "&Database",
            side_by_side(self.database, choose),
            "Made if it is missing. A database of its own keeps simulated odds from real ones.",
        )
        self.add_row("&Odds from", self.feed)
        self.add_row("&Reference", self.reference, "The bookmaker that prices are judged by.")
        self.add_row(
            "De&vig method",
            self.method,
            "Of the server's value bets. That of true EV stands in the settings.",
        )
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self.save_requested)
        self.buttons.rejected.connect(self.reject)

    def _on_choose_clicked(self) -> None:
        dialog = QFileDialog(self, "Database", filter="Databases (*.db *.sqlite);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Use")
        dialog.fileSelected.connect(self.database.setText)
        dialog.open()
