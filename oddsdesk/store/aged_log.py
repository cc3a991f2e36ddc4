"""Finding log rows that are older than they are kept for, without reading all of the log."""

from typing import Final, Protocol

import msgspec

from oddsdesk.contract.times import format_ms

BLOCK: Final = 65_536
"""Rows read at a time: some 10 ms."""


class Aged(msgspec.Struct):
    """Rows to be removed: the numbers of their blocks, how many, and the newest's time."""

    blocks: list[int]
    rows: int = 0
    games: set[int] = msgspec.field(default_factory=set)
    oldest: int = 0
    newest: int = 0


class LogRows(Protocol):
    """What finding old rows needs of an engine; rows are those from ``first`` to ``last``."""

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row of the log; None for an empty one."""
        ...

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        """Return the oldest time of prices that were no older than ``keep_ms`` when recorded."""
        ...

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return how many rows of the log are to go, the newest's time, and their games."""
        ...


class AgedLog:
    """Remembers the oldest price of each block of the log, so that no block is read too early.

    Age is counted from a price's own time, but the log is in the order of recording, so any
    part of it may hold old prices; an index by time alone would slow every recording.
    """

    def __init__(self) -> None:
        self.has_told = False
        """Whether the log of the program says already that rows are being removed."""
        self._keep_ms = 0
        self._oldest: dict[int, int | None] = {}
        self._until = 0

    def find(self, rows: LogRows, keep_ms: int, before: int, until: int | None = None) -> Aged:
        """Return rows older than ``before`` that were no older than ``keep_ms`` when recorded.

        Of those up to ``until``; None for all.
        """
        if keep_ms != self._keep_ms:
            self._keep_ms = keep_ms
            self._oldest.clear()
        aged = Aged([])
        span = rows.log_span()
        if span is None:
            return aged
        self._oldest.pop(self._until // BLOCK, None)  # it may have grown since
        self._until = span[1] if until is None else min(span[1], until)
        first, last = span[0] // BLOCK, self._until // BLOCK
        self._oldest.pop(last, None)
        for block in range(first, last + 1):
            oldest = self._oldest_of(rows, block)
            if oldest is not None and oldest < before:
                self._add(aged, rows, block, before)
                aged.oldest = min(aged.oldest or oldest, oldest)
        return aged

    def forget(self, block: int) -> None:
        """Read a block again the next time, since rows of it were removed."""
        self._oldest.pop(block, None)

    def rows_of(self, block: int) -> tuple[int, int]:
        """Return the first and the last ``seq`` of a block, as far as ``find`` went."""
        return block * BLOCK, min((block + 1) * BLOCK - 1, self._until)

    def _oldest_of(self, rows: LogRows, block: int) -> int | None:
        if block not in self._oldest:
            self._oldest[block] = rows.oldest_aged(*self.rows_of(block), self._keep_ms)
        return self._oldest[block]

    def _add(self, aged: Aged, rows: LogRows, block: int, before: int) -> None:
        count, newest, games = rows.count_aged(*self.rows_of(block), self._keep_ms, before)
        aged.blocks.append(block)
        aged.rows += count
        aged.games |= games
        aged.newest = max(aged.newest, newest)


def announcement(aged: Aged, keep_days: int) -> str:
    """Return what is said before rows are removed."""
    return (
        f"price history goes, as it is kept for {keep_days:,} days: {aged.rows:,} price changes "
        f"of {len(aged.games):,} games, {format_ms(aged.oldest)} to {format_ms(aged.newest)}"
    )
