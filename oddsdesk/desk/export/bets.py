"""Placed bets as a table on its way out."""

from collections.abc import Sequence
from typing import BinaryIO, Final

from oddsdesk.desk.export.files import XLSX
from oddsdesk.desk.export.tables import ExportColumn, Table
from oddsdesk.desk.ui.table.column_spec import Kind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import COLUMNS, ColumnKind

_KINDS: Final = {
    ColumnKind.TEXT: Kind.TEXT,
    ColumnKind.NUMBER: Kind.NUMBER,
    ColumnKind.TIME: Kind.TIME,
    ColumnKind.FLAG: Kind.FLAG,
}


def table_of_bets(bets: Sequence[PlacedBet]) -> Table:
    """Return all that is known of bets, a row each."""
    columns = tuple(
        ExportColumn(column.key, column.title, _KINDS[column.kind]) for column in COLUMNS
    )
    return Table(columns, [[column.written(bet) for column in COLUMNS] for bet in bets])


def write_bets_workbook(bets: Sequence[PlacedBet], file: BinaryIO) -> None:
    """Write bets as XLSX.

    Raises:
        ExportError: xlsxwriter is not installed, or there are more than a sheet holds.
    """
    XLSX.write(table_of_bets(bets), file, lambda _rows: None)
