"""Imports bets and results from files, and exports bets and reports."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.file_kinds import BETS, RESULTS, wrong_kind
from oddsdesk.base.files import OWNER_ONLY, whole_file
from oddsdesk.base.spreadsheets import SheetError, SheetRow
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.contract.formats import FOOTBALL_DATA
from oddsdesk.desk.bets.import_dialog import ImportDialog
from oddsdesk.desk.export.files import FileFormat, Table, Writer
from oddsdesk.desk.records import Records, Taken
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bet_lists import read_lists
from oddsdesk.ledger.bet_tables import write_bet_analytix
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import ListUnclearError
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.own_tables import known_bookmakers, known_rules
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.ledger.reading import NO_DATE, NO_MATCH, ImportedBets, joined, read_rows
from oddsdesk.ledger.result_files import settle_by_file
from oddsdesk.ledger.same_bets import compare_bets
from oddsdesk.pricing.profiles import Profiles

_TABLES: Final = _("Tables ({patterns})").format(patterns="*.csv *.tsv *.txt *.xlsx")
_END_S: Final = 2.0
_MOST_TOLD: Final = 2


class BetsFiles(QObject):
    """Asks for files, and reads and writes them off the window's thread."""

    said = Signal(str, bool)
    """What was done, in one line, and whether it can be undone."""
    brought_nothing = Signal(str)
    """What a file that changed no bet contained, in one line."""
    failed = Signal(str)
    """What went wrong, in one line."""
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

    def end_writing(self) -> None:
        """Stop writing, and wait a moment so that no partial file is left."""
        if self._writer is not None:
            self._writer.abort_writing()
            self._writer.wait_for_end(_END_S)

    def ask_bets(self) -> None:
        self._ask_to_open(_("Import bets"), self.import_bets)

    def ask_bets_and_columns(self) -> None:
        self._ask_to_open(_("Import bets, choosing columns"), self.choose_columns)

    def ask_bet_analytix(self, bets: Sequence[PlacedBet]) -> None:
        """Ask where to write bets in Bet-Analytix's import format."""
        dialog = self._dialog(_("Export for Bet-Analytix"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter("CSV (*.csv)")
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("for-bet-analytix.csv")
        dialog.fileSelected.connect(lambda path: self.write_bet_analytix(bets, Path(path)))
        dialog.open()

    def ask_results(self) -> None:
        self._ask_to_open(_("Settle bets from a results file"), self.settle_from_file)

    def ask_export(self, table: Table, file_format: FileFormat, name: str) -> None:
        """Ask where to write a table."""
        dialog = self._dialog(_("Export as {file_format}").format(file_format=file_format.title))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{file_format.title} (*{file_format.suffix})")
        dialog.setDefaultSuffix(file_format.suffix[1:])
        dialog.selectFile(f"{name}{file_format.suffix}")
        dialog.fileSelected.connect(lambda path: self.write_table(table, file_format, Path(path)))
        dialog.open()

    def write_bet_analytix(self, bets: Sequence[PlacedBet], path: Path) -> None:
        """Write bets in Bet-Analytix's import format, whole or not at all."""

        def write_file(_ledger: Ledger) -> Taken:
            with whole_file(path, OWNER_ONLY) as file:
                done = write_bet_analytix(bets, file)
            written = _("{bets} written to {path}").format(bets=_bets(done.written), path=path)
            said = "; ".join([written, *map(translated, done.changed)])
            return lambda: self.said.emit(f"{said}.", False)

        self._read(path, write_file, is_writing=True)

    def import_bets(
        self, path: Path, given: ListChoices | None = None, asked: Sequence[str] = ()
    ) -> None:
        """Record the new bets of a file.

        ``given`` are the user's choices for its list with the titles ``asked``, or for all its
        lists if there are none; None for the stored choices.
        """
        profiles = self._profiles()

        def import_file(ledger: Ledger) -> Taken:
            lists = read_lists(path.read_bytes())
            parts = list[tuple[str, ImportedBets]]()
            for place, titles, rows in lists.lists:
                answer = given if list(asked or titles) == titles else None
                choices = ledger.list_choices(titles) if answer is None else answer
                odds = None if answer is None else answer.odds or None
                try:
                    part = read_rows(titles, rows, self._clock(), odds, profiles, choices)
                except ListUnclearError as error:
                    if wrong_kind(path.name, path.read_bytes(), BETS):
                        raise
                    return partial(self._ask_columns, path, (titles, rows), choices, error)
                parts.append((place, part))
                if answer is not None:
                    ledger.remember_choices(titles, choices)
            found = joined(parts, lists.left_out)
            fresh, settled, there = compare_bets(
                found.bets, ledger.read_bets(), self._clock(), found.undated
            )
            if settled:
                ledger.change_bet(settled, "settled")
            if fresh:
                ledger.place_all(fresh, "imported")
            said = [
                _("{bets} imported from {file}, {format}").format(
                    bets=_bets(len(fresh)), file=path.name, format=_read_as(found)
                )
            ]
            said += [_("{count} already recorded").format(count=there)] if there else []
            said += [_("{count} of them settled").format(count=len(settled))] if settled else []
            said += map(translated, found.remarks)
            said += _differing(found.differing)
            said += map(translated, found.doubts[:_MOST_TOLD])
            said += [] if found.has_date else [translated(NO_DATE)]
            said += [] if found.has_match else [translated(NO_MATCH)]
            if found.left_out:
                ignored = ", ".join(found.left_out)
                said.append(_("columns ignored: {columns}").format(columns=ignored))
            return self._telling(said, found.problems, is_change=bool(fresh or settled))

        self._read(path, import_file, BETS)

    def settle_from_file(self, path: Path) -> None:
        def work(ledger: Ledger) -> Taken:
            rules = known_rules(known_bookmakers().profiles).rules
            held, now_ms = ledger.read_bets(), self._clock()
            found = settle_by_file(path.read_bytes(), held, now_ms, rules, path.name)
            if found.bets:
                ledger.change_bet(found.bets, "settled")
            settled = _("{bets} settled from {file}")
            said = [settled.format(bets=_bets(len(found.bets)), file=path.name)]
            if count := found.of_no_bet:
                said.append(_("{count} games have no bet").format(count=count))
            to_look_at = found.to_look_at
            return self._telling(said, found.problems, to_look_at, is_change=bool(found.bets))

        self._read(path, work, RESULTS, FOOTBALL_DATA)

    def write_table(self, table: Table, file_format: FileFormat, path: Path) -> None:
        """Write a table to a file, whole or not at all."""
        rows = len(table.rows)
        self._wrote = ngettext(
            "{count} row written to {path}.", "{count} rows written to {path}.", rows
        ).format(count=rows, path=path)
        self._writer = Writer(
            table,
            file_format,
            path,
            lambda _rows: None,
            lambda trouble: self._write_ended.emit(trouble or ""),
        )
        self._writer.start_writing()

    def choose_columns(self, path: Path) -> None:
        """Ask how to read a list of bets, whether or not it shows that itself."""

        def read_file(ledger: Ledger) -> Taken:
            _place, titles, rows = read_lists(path.read_bytes()).lists[0]
            kept = ledger.list_choices(titles)
            return lambda: self._ask_columns(path, (titles, rows), kept)

        self._read(path, read_file, BETS)

    def _ask_columns(
        self,
        path: Path,
        table: tuple[Sequence[str], Sequence[SheetRow]],
        kept: ListChoices,
        question: ListUnclearError | None = None,
    ) -> None:
        owner, now_ms = self._owner.window(), self._clock()
        dialog = ImportDialog(self._theme, path.name, table, kept, now_ms, owner, question)
        dialog.chosen.connect(lambda choices: self.import_bets(path, choices, table[0]))
        dialog.open()

    def _read(
        self, path: Path, work: Callable[[Ledger], Taken], *expected: str, is_writing: bool = False
    ) -> None:
        """Work on a file; ``expected`` are the kinds of files that need no other command."""

        def safely(ledger: Ledger) -> Taken:
            try:
                return work(ledger)
            except SheetError as error:
                other = wrong_kind(path.name, path.read_bytes(), *expected)
                trouble = translated(other or "") or f"{path.name} {translated(str(error))}"
            except OSError as error:
                text = (
                    _("{file} cannot be written: {error}")
                    if is_writing
                    else _("{file} cannot be read: {error}")
                )
                trouble = text.format(file=path.name, error=translated(error_text(error)))
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
            text += " " + _("Please check: {bets}.").format(bets=_first(to_look_at))
        if problems:
            text += " " + _("Skipped: {problems}.").format(problems=_first(problems))
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
    """Return the odds format that was read, and the tracker the file is from."""
    read_as = translated(found.read_as)
    if not found.tracker:
        return read_as
    return _("a list of {tracker} with {odds}").format(tracker=found.tracker, odds=read_as)


def _differing(lines: Sequence[str]) -> list[str]:
    """Return the message about bets whose profit in the file differs from their result."""
    if not lines:
        return []
    text = ngettext(
        "{count} profit differs from the recorded results: {bets}",
        "{count} profits differ from the recorded results: {bets}",
        len(lines),
    )
    return [text.format(count=len(lines), bets=_first(lines))]


def _first(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_TOLD
    told = "; ".join(map(translated, lines[:_MOST_TOLD]))
    return told + (_("; and {count} more").format(count=more) if more > 0 else "")


def _bets(count: int) -> str:
    return ngettext("{count} bet", "{count} bets", count).format(count=count)
