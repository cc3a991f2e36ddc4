"""An export from its beginning to its end: what was written, and what is missing in it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import COLUMNS as BET_COLUMNS
from oddsdesk.research.export.columns import Row
from oddsdesk.research.export.formats import RowWriter
from oddsdesk.research.export.log import LogOfAll
from oddsdesk.research.export.quotes import QuoteMaker
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import SILENT_MS

_QUOTE_AT: Final = 9

Count = Callable[[int], object]


class Exported(msgspec.Struct):
    """What an export holds; times in milliseconds, None where it is empty."""

    rows: int = 0
    games: set[str] = msgspec.field(default_factory=set)
    first: int | None = None
    last: int | None = None
    """The earliest and the latest time of its rows."""
    recorded_from: int | None = None
    recorded_to: int | None = None

    def note(self, times: Sequence[int]) -> None:
        """Count rows by their times."""
        if times:
            self.rows += len(times)
            self.first = min(times) if self.first is None else min(self.first, *times)
            self.last = max(times) if self.last is None else max(self.last, *times)

    def note_moves(self, moves: Sequence[LoggedMove]) -> None:
        """Note whose moves there are, and when they were recorded."""
        if moves:
            self.games.update(move.game_id for move in moves)
            recorded = [move.recorded_at for move in moves]
            self.recorded_from = min(self.recorded_from or recorded[0], *recorded)
            self.recorded_to = max(self.recorded_to or 0, *recorded)


def export_changes(
    log: LogOfAll, since_ms: int, before_ms: int, writer: RowWriter, count: Count
) -> Exported:
    """Write every move of prices scraped from one time to before another."""
    exported = Exported()
    for moves in log.batches(since_ms, before_ms):
        writer.write([move[:-1] for move in moves])
        exported.note([move.scraped_at for move in moves])
        exported.note_moves(moves)
        count(len(moves))
    return exported


def export_quotes(
    log: LogOfAll, since_ms: int, before_ms: int, writer: RowWriter, count: Count
) -> Exported:
    """Write the quotes of that time; the log is read from its beginning, for what stood before."""
    exported, maker = Exported(), QuoteMaker()

    def write(quotes: Iterable[Row]) -> None:
        wanted = [quote for quote in quotes if since_ms <= quote[_QUOTE_AT] < before_ms]
        writer.write(wanted)
        exported.note([quote[_QUOTE_AT] for quote in wanted])

    for moves, done in log.finished():
        write(maker.take(moves, done))
        exported.note_moves([move for move in moves if since_ms <= move.scraped_at < before_ms])
        count(len(moves))
    write(maker.end())
    return exported


def export_bets(
    bets: Iterable[PlacedBet], since_ms: int, before_ms: int, writer: RowWriter
) -> Exported:
    """Write the bets that were placed in that time, in that order."""
    wanted = [bet for bet in bets if since_ms <= bet.placed_at < before_ms]
    wanted.sort(key=lambda bet: (bet.placed_at, bet.ident))
    writer.write([tuple(column.value(bet) for column in BET_COLUMNS) for bet in wanted])
    exported = Exported(games={bet.game_id for bet in wanted})
    exported.note([bet.placed_at for bet in wanted])
    return exported


def silences_within(reader: Reader, exported: Exported) -> Iterator[tuple[int, int]]:
    """Yield the whiles between an export's rows in which nothing at all was recorded."""
    begin, end = exported.recorded_from, exported.recorded_to
    if begin is not None and end is not None:
        for since, until in reader.silences(begin, end, SILENT_MS):
            if begin <= since and until <= end:
                yield since, until
