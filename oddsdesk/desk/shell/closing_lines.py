"""Closing lines at the desk: seen while it runs, and filled in from its own server's log."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import _, ngettext
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import GamesChanged
from oddsdesk.board.valuation.closing_lines import WAIT_MS, ClosingLines
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.records import Records, Taken
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.legs import parts_of, parts_to_close, without_closes
from oddsdesk.ledger.open_bets import to_follow
from oddsdesk.pricing.closing import BetPart, CloseBy, ClosingLine

_LOOK_MS = 5_000
_WRITE_AGAIN_MS = 60_000
"""Delay before another attempt if the ledger failed."""
_FILL_MS = 10 * MINUTE_MS
_OTHERS = _("the recorded close belonged to another game")
_LOOK_AGAIN_MS = 48 * 60 * MINUTE_MS

ReadLog = Callable[[list[PlacedBet], int, CloseBy], Awaitable[dict[BetPart, ClosingLine]]]
"""Returns the closing lines of bets and their legs in a log."""


class ClosingLineWriter(QObject):
    """Follows the open bets and writes their closing lines to the ledger."""

    closed_again = Signal(str)
    """The outcome of ``close_again``, in one line."""

    def __init__(
        self,
        board: Board,
        clock: Clock,
        records: Records,
        subscribe: Callable[[frozenset[str]], None],
        close_by: Callable[[], CloseBy],
    ) -> None:
        """Follow the open bets.

        Args:
            board: The board with the prices.
            clock: The time.
            records: The ledger.
            subscribe: Sets the games to keep up to date for closing lines.
            close_by: Returns the sharp book and method for closing lines in the settings.
        """
        super().__init__()
        self._board = board
        self._clock = clock
        self._records = records
        self._subscribe = subscribe
        self._close_by = close_by
        self._lines = ClosingLines(board, clock)
        self._unwritten: dict[BetPart, ClosingLine] = {}
        self._read_log: ReadLog | None = None
        self._filling: asyncio.Task[None] | None = None
        self._closing_again: asyncio.Task[None] | None = None
        # Bets can be matched to the service's games only once these are listed.
        self._unsubscribe = board.subscribe(lambda _: self._follow(), GamesChanged)
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self.write_decided)
        self._fills = QTimer(self, interval=_FILL_MS)
        self._fills.timeout.connect(self.fill)
        self._again = QTimer(self, interval=_WRITE_AGAIN_MS, singleShot=True)
        self._again.timeout.connect(self._write)
        records.bets_changed.connect(self._follow)
        self._follow()
        self._looks.start()
        self._fills.start()

    def read_log(self, read: ReadLog | None) -> None:
        """Set the log to fill in missing closing lines from, now and regularly; None for no log."""
        self._read_log = read
        self.fill()

    def follow_again(self, _key: str) -> None:
        """Follow the open bets by the current settings."""
        self._follow()

    def write_decided(self) -> None:
        """Keep games about to start up to date, and write the closing lines that are final."""
        self._subscribe(self._lines.wanted_games())
        decided = self._lines.decided()
        if decided:
            self._unwritten |= decided
            self._write()

    def fill(self) -> None:
        """Look in the log for missing closing lines."""
        is_past = self._board.connection.as_of_ms is not None
        if self._read_log is None or is_past or self._filling is not None:
            return
        now = self._clock()
        missing = [bet for bet in counted(self._records.placed_bets()) if _may_have_close(bet, now)]
        if missing:
            read = self._read_log(missing, self._clock(), self._close_by())
            self._filling = spawn("desk: closing lines from the log", self._fill(read))

    def close_again(self) -> None:
        """Replace closing lines of wrong games from the log, as one undoable change.

        What the log lacks is looked for later; without a log the bets have no closing line.
        """
        wrong = [
            without_closes(bet)
            for bet in counted(self._records.placed_bets())
            if any(part.bet.has_others_close for part in parts_of(bet))
        ]
        if wrong and self._closing_again is None:
            closing = self._close_again(wrong)
            self._closing_again = spawn("desk: closing lines again", closing)

    async def _close_again(self, wrong: list[PlacedBet]) -> None:
        found, other = dict[BetPart, ClosingLine](), ClosingLine(why=_OTHERS)
        try:
            if self._read_log is not None:
                found = await self._read_log(wrong, self._clock(), self._close_by())
        finally:
            self._closing_again = None
        without = other if self._read_log is None else None
        closes = {part.key: found.get(part.key, without) for part in parts_to_close(wrong)}
        there = sum(close is not None and close.is_there for close in closes.values())

        def close_bets_again(ledger: Ledger) -> Taken:
            count = ledger.close_again(closes)
            lines = ngettext("{count:,} closing line", "{count:,} closing lines", count).format(
                count=num(count)
            )
            said = _(
                "{lines} from other games removed, {there:,} replaced by the right ones."
            ).format(lines=lines, there=num(there))
            return lambda: self.closed_again.emit(said)

        self._records.act(close_bets_again)

    async def stop_writer(self) -> None:
        """Stop following bets."""
        self._looks.stop()
        self._fills.stop()
        self._again.stop()
        self._lines.stop_following()
        self._unsubscribe()
        await cancel_tasks(*filter(None, (self._filling, self._closing_again)))

    async def _fill(self, read: Awaitable[dict[BetPart, ClosingLine]]) -> None:
        try:
            found = await read
        finally:
            self._filling = None
        parts = parts_to_close(self._records.placed_bets())
        unsaid = {part.key for part in parts if part.bet.close is None}
        news = {key: close for key, close in found.items() if close.is_there or key in unsaid}
        if news:
            self._unwritten = news | self._unwritten
            self._write()

    def _write(self) -> None:
        """Write the known closing lines, with another attempt if the ledger fails."""
        closes = dict(self._unwritten)

        def write_lines(ledger: Ledger) -> Taken:
            ledger.write_closes(closes)
            return lambda: self._on_written(closes)

        self._again.start()
        self._records.act(write_lines)

    def _on_written(self, closes: dict[BetPart, ClosingLine]) -> None:
        self._again.stop()
        for ident in closes:
            self._unwritten.pop(ident, None)

    def _follow(self) -> None:
        self._lines.follow_bets(
            bet
            for bet in to_follow(self._records.placed_bets(), self._close_by(), self._board.games)
            if bet.ident not in self._unwritten
        )


def _may_have_close(bet: PlacedBet, now_ms: int) -> bool:
    """Return whether the log may have the missing closing line of a bet, or of a leg.

    Its game started a while ago, and a feed may have recorded prices that the desk did not see.
    """
    return any(_may_close(part.bet, now_ms) for part in parts_to_close([bet]))


def _may_close(bet: PlacedBet, now_ms: int) -> bool:
    if bet.kick_off is None or bet.kick_off > now_ms - WAIT_MS:
        return False
    if bet.close is None:
        return True
    return not bet.close.is_there and bet.kick_off > now_ms - _LOOK_AGAIN_MS
