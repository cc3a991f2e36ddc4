"""The fields that name a feed: simulated odds, a file that is replayed, or live odds."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QWidget

from oddsdesk.base.clock import REPLAY_SPEEDS
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.formats import file_formats
from oddsdesk.desk.ui.controls.fields import ChoiceBox, DecimalSpin
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import side_by_side
from oddsdesk.desk.ui.spacing import STEP, vertical
from oddsdesk.desk.ui.theme.theme import inset

AUTOMATIC: Final = "automatic"
AS_IT_IS: Final = _("as it is")
REPLAY: Final = "replay"
LIVE: Final = "live"

_KINDS = {
    AUTOMATIC: _("Simulated odds until real ones come in"),
    "none": _("None: other programs fill the database"),
    "simulator": _("Simulated odds"),
    REPLAY: _("Replay a file"),
    LIVE: _("Live odds from a service or program"),
}


class FeedFields(QWidget):
    """What kind of feed, which file, in which format, how fast."""

    changed = Signal()

    def __init__(self, kinds: tuple[str, ...]) -> None:
        super().__init__()
        self._specs: tuple[str, ...] = ()
        self.kind = ChoiceBox()
        self.kind.setAccessibleName(_("Where odds come from"))
        for kind in kinds:
            self.kind.addItem(_KINDS[kind], kind)
        self.path = QLineEdit(placeholderText=_("A file, a folder or a pattern such as odds/*.gz"))
        self.path.setAccessibleName(_("File to replay"))
        self._choose = QPushButton(_("Choose…"), autoDefault=False)
        self._choose.setAccessibleName(_("Choose a file to replay"))
        self.format = ChoiceBox()
        self.format.setAccessibleName(_("Format of the file"))
        self.format.addItem(_("Recorded quotes (NDJSON)"), "")
        for each in file_formats():
            self.format.addItem(translated(each.title), each.name)
        self.speed = inset(DecimalSpin(decimals=2, least=REPLAY_SPEEDS[0], most=REPLAY_SPEEDS[1]))
        self.speed.setValue(1.0)
        self.speed.setAccessibleName(_("Replay speed"))
        self.speed.setPrefix(_("Speed "))
        self.speed.setSuffix("×")
        self.live = QLineEdit(
            placeholderText="the-odds-api:soccer_epl,basketball_nba?regions=uk,eu"
        )
        self.live.setAccessibleName(_("Live odds"))
        self.live.setToolTip(
            _(
                "SOURCE:SELECTION?option=value, with the-odds-api: and sport keys, "
                "polymarket: and tags, kalshi: and series, exec: and a command, or a "
                "wss:// address"
            )
        )
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self._choose.clicked.connect(self._on_choose_clicked)
        self._show_kind()

    def specs(self) -> tuple[str, ...]:
        """Return the feeds as the command line writes them; none for what is automatic."""
        match self.kind.currentData():
            case "automatic":
                return ()
            case "as it is":
                return self._specs
            case "replay":
                word, place = self.format.currentData(), self.path.text().strip()
                return (f"replay:{word}:{place}" if word else f"replay:{place}",)
            case "live":
                return (self.live.text().strip(),)
            case kind:
                return (str(kind),)

    def show_specs(self, specs: tuple[str, ...], speed: float) -> None:
        """Show the present feeds; several are kept unchanged until another kind is chosen."""
        self._specs = specs
        self.speed.setValue(speed)
        spec = specs[0] if specs else AUTOMATIC
        if len(specs) > 1:
            self.kind.addItem(_("Several: {names}").format(names=", ".join(specs)), AS_IT_IS)
            spec = AS_IT_IS
        elif spec.startswith("replay:"):
            replayed = spec.removeprefix("replay:")
            word, _colon, place = replayed.partition(":")
            row = self.format.findData(word) if place else -1
            self.format.setCurrentIndex(max(row, 0))
            self.path.setText(place if row > 0 else replayed)
            spec = REPLAY
        elif ":" in spec:
            self.live.setText(spec)
            spec = LIVE
        self.kind.setCurrentIndex(self.kind.findData(spec))
        self._show_kind()

    def trouble(self) -> str:
        """Say what is missing; empty where nothing is."""
        if self.kind.currentData() == REPLAY and not self.path.text().strip():
            return _("Choose the file to replay.")
        if self.kind.currentData() == LIVE and ":" not in self.live.text():
            return _("Enter a source, such as the-odds-api:soccer_epl.")
        return ""

    def _lay_out(self) -> None:
        self._file = side_by_side(self.path, self._choose)
        self._how = side_by_side(self.format, self.speed)
        column = vertical(self, spacing=STEP)
        for widget in (self.kind, self._file, self._how, self.live):
            column.addWidget(widget)
        self.setFocusProxy(self.kind)

    def _show_kind(self) -> None:
        is_replay = self.kind.currentData() == REPLAY
        self._file.setVisible(is_replay)
        self._how.setVisible(is_replay)
        self.live.setVisible(self.kind.currentData() == LIVE)

    def _on_kind_changed(self) -> None:
        self._show_kind()
        self.changed.emit()

    def _on_choose_clicked(self) -> None:
        dialog = file_dialog(self, _("File to replay"))
        dialog.setDirectory(str(Path(self.path.text()).parent))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()
