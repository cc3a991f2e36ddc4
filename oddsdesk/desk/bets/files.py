"""Bets and results that come from files, and bets and reports that go to them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from oddsdesk.clock import Clock
from oddsdesk.desk.bets.odds_dialog import OddsDialog
from oddsdesk.desk.export.files import FileFormat, Writer
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.records import Records, Taken
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.merging import compare
from oddsdesk.ledger.reading import NO_MATCH, ImportedBets, OddsUnclearError, read_bets
from oddsdesk.ledger.settling import settle_by_file
from oddsdesk.ledger.writing import write_bet_analytix
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.private_files import OWNER_ONLY
from oddsdesk.spreadsheets import SheetError
from oddsdesk.whole_files import whole_file

_TABLES: Final = "Tables (*.csv *.tsv *.txt *.xlsx)"
_END_S: Final = 2.0
_MOST_TOLD: Final = 2


class BetsFiles(QObject):
    """Asks for files, and reads and writes them on other threads than the window's."""

    said = Signal(str, bool)
    """What was done, one line, and whether Undo goes with it."""
    brought_nothing = Signal(str)
    """What was read of a file that changed no bet, one line."""
    failed = Signal(str)
    """What went wrong, one line."""
    _write_ended = Signal(str)

    def __init__(
        self,
        records: Records,
        theme: Theme,
        clock: Clock,
        profiles: Callable[[], Profiles],
        owner: QWidget,
    ) -> None:
        super().__init__(owner)
        self._records = records
        self._theme = theme
        self._clock = clock
        self._profiles = profiles
        self._owner = owner
        self._writer: Writer | None = None
        self._wrote = ""
        self._write_ended.connect(self._on_write_ended)

    def close(self) -> None:
        """Stop writing, and wait a moment so that nothing half-written stays."""
        if self._writer is not None:
            self._writer.stop()
            self._writer.wait(_END_S)

    def ask_bets(self) -> None:
        """Ask for a file of bets to be imported."""
        self._ask_to_open("Import bets", self.import_bets)

    def ask_bet_analytix(self, bets: Sequence[PlacedBet]) -> None:
        """Ask where bets are to be written as Bet-Analytix takes them in."""
        dialog = self._dialog("Export for Bet-Analytix")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter("CSV (*.csv)")
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("for-bet-analytix.csv")
        dialog.fileSelected.connect(lambda path: self.write_bet_analytix(bets, Path(path)))
        dialog.open()

    def ask_results(self) -> None:
        """Ask for a file of results or scores."""
        self._ask_to_open("Settle bets from a file of results", self.settle)

    def ask_export(self, table: Table, file_format: FileFormat, name: str) -> None:
        """Ask where a table is to be written."""
        dialog = self._dialog(f"Export as {file_format.title}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{file_format.title} (*{file_format.suffix})")
        dialog.setDefaultSuffix(file_format.suffix[1:])
        dialog.selectFile(f"{name}{file_format.suffix}")
        dialog.fileSelected.connect(lambda path: self.write(table, file_format, Path(path)))
        dialog.open()

    def write_bet_analytix(self, bets: Sequence[PlacedBet], path: Path) -> None:
        """Write bets as Bet-Analytix takes them in, whole or not at all."""

        def work(_ledger: Ledger) -> Taken:
            with whole_file(path, OWNER_ONLY) as file:
                done = write_bet_analytix(bets, file)
            said = "; ".join([f"{_bets(done.written)} written to {path}", *done.changed])
            return lambda: self.said.emit(f"{said}.", False)

        self._read(path, work, "written")

    def import_bets(self, path: Path, odds: str | None = None) -> None:
        """Record the bets of a file that are not there yet; ``odds``: how they are written."""
        profiles = self._profiles()

        def work(ledger: Ledger) -> Taken:
            try:
                found = read_bets(path.read_bytes(), self._clock(), odds, profiles)
            except OddsUnclearError as error:
                sample = error.sample
                return lambda: self._ask_odds(path, sample)
            fresh, settled, there = compare(found.bets, ledger.bets(), self._clock(), found.undated)
            if settled:
                ledger.change(settled, "settled")
            if fresh:
                ledger.place_all(fresh, "imported")
            said = [f"{_bets(len(fresh))} imported from {path.name}, {_read_as(found)}"]
            said += [f"{there} there already"] if there else []
            said += [f"{len(settled)} of them settled"] if settled else []
            said += _differing(found.differing)
            said += found.doubts[:_MOST_TOLD]
            said += [] if found.has_match else [NO_MATCH]
            said += [f"columns left out: {', '.join(found.left_out)}"] if found.left_out else []
            return self._telling(said, found.problems, is_change=bool(fresh or settled))

        self._read(path, work)

    def settle(self, path: Path) -> None:
        """Settle the bets that a file has results of."""

        def work(ledger: Ledger) -> Taken:
            found = settle_by_file(path.read_bytes(), ledger.bets(), self._clock())
            if found.bets:
                ledger.change(found.bets, "settled")
            said = [f"{_bets(len(found.bets))} settled from {path.name}"]
            said += [f"{found.of_no_bet} games without a bet"] if found.of_no_bet else []
            to_look_at = found.to_look_at
            return self._telling(said, found.problems, to_look_at, is_change=bool(found.bets))

        self._read(path, work)

    def write(self, table: Table, file_format: FileFormat, path: Path) -> None:
        """Write a table to a file, whole or not at all."""
        rows = len(table.rows)
        self._wrote = f"{rows} row{'' if rows == 1 else 's'} written to {path}."
        self._writer = Writer(
            table,
            file_format,
            path,
            lambda _rows: None,
            lambda trouble: self._write_ended.emit(trouble or ""),
        )
        self._writer.start()

    def _ask_odds(self, path: Path, sample: str) -> None:
        dialog = OddsDialog(self._theme, path.name, sample, self._owner.window())
        dialog.chosen.connect(lambda odds: self.import_bets(path, odds))
        dialog.open()

    def _read(self, path: Path, work: Callable[[Ledger], Taken], done: str = "read") -> None:
        def safely(ledger: Ledger) -> Taken:
            try:
                return work(ledger)
            except SheetError as error:
                trouble = f"{path.name} {error}"
            except OSError as error:
                trouble = f"{path.name} cannot be {done}: {error.strerror or error}"
            return lambda: self.failed.emit(f"{trouble.rstrip('.')}.")

        self._records.act(safely)

    def _telling(
        self,
        said: Sequence[str],
        problems: Sequence[str],
        to_look_at: Sequence[str] = (),
        *,
        is_change: bool,
    ) -> Taken:
        text = f"{'; '.join(said)}."
        if to_look_at:
            text += f" To look at: {_first(to_look_at)}."
        if problems:
            text += f" Left out: {_first(problems)}."
        if is_change:
            return lambda: self.said.emit(text, True)
        return lambda: self.brought_nothing.emit(text)

    def _ask_to_open(self, title: str, then: Callable[[Path], None]) -> None:
        dialog = self._dialog(title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(_TABLES)
        dialog.fileSelected.connect(lambda name: then(Path(name)))
        dialog.open()

    def _dialog(self, title: str) -> QFileDialog:
        folder = QStandardPaths.StandardLocation.DocumentsLocation
        dialog = file_dialog(self._owner, title)
        dialog.setDirectory(QStandardPaths.writableLocation(folder))
        return dialog

    def _on_write_ended(self, trouble: str) -> None:
        self._writer = None
        if trouble:
            self.failed.emit(trouble)
        else:
            self.said.emit(self._wrote, False)


def _read_as(found: ImportedBets) -> str:
    """Return how odds were read, and whose list it was."""
    return f"a list of {found.tracker} with {found.read_as}" if found.tracker else found.read_as


def _differing(lines: Sequence[str]) -> list[str]:
    """Return what is said of bets that earned something else by their list than by their result."""
    profits = f"{len(lines)} profit{'s differ' if len(lines) > 1 else ' differs'}"
    return [f"{profits} from what results give: {_first(lines)}"] if lines else []


def _first(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_TOLD
    return "; ".join(lines[:_MOST_TOLD]) + (f"; and {more} more" if more > 0 else "")


def _bets(count: int) -> str:
    return f"{count} bet{'' if count == 1 else 's'}"
