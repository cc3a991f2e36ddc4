"""What the log of price changes tells: its rows by number, and how prices moved."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.older import FindOlder
from oddsdesk.store.queries import log, past, spans, timeline
from oddsdesk.store.queries.older import Older
from oddsdesk.store.queries.select import Select
from oddsdesk.store.settings import ARCHIVE, KEEP_DAYS, LAST_MADE_UP_MOVE
from oddsdesk.store.spans import ArchivedRow, LoggedMove, Span
from oddsdesk.store.values import Change, HistoryPoint, SelectionKey, Visibility

_SETTING: Final = "SELECT value FROM setting WHERE key = :key"


class LogReader:
    """Reads the log, each of whose shards is numbered on its own, and the archive behind it."""

    def __init__(
        self,
        select: Select,
        reference: str,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
    ) -> None:
        self._select = select
        self._find_older = find_older
        self._share = None if share is None else tuple(share)
        self._reference = reference

    def close(self) -> None:
        """Close the connection; the store does it."""
        self._select.close()

    def archive(self) -> str | None:
        """Return the folder that price history is archived in, as far as it ever was."""
        rows = self._select(_SETTING, {"key": ARCHIVE})
        return str(rows[0][0]) if rows else None

    def keep_days(self) -> int | None:
        """Return for how many days the log is kept, 0 for ever; None where that was never set."""
        return self._setting(KEEP_DAYS)

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log of a shard after ``seq``, at most ``limit`` rows."""
        return log.changes_after(self._select, self._reference, shard, seq, limit, self._share)

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of the log of a shard, 0 where nothing was ever recorded."""
        return log.last_seq(self._select, shard)

    def first_after(self, shard: int, seq: int) -> int | None:
        """Return the number of the first row of the log behind one; None where there is none."""
        found = spans.first_row(self._select, shard, seq, self.last_seq(shard))
        return None if found is None else found[0]

    def last_made_up(self, shard: int) -> int:
        """Return the number of the last row of a shard's log that was simulated before real odds.

        0 where none was, or where all still are.
        """
        return self._setting(f"{LAST_MADE_UP_MOVE}{shard}") or 0

    def hour_after(self, shard: int, seq: int, until: int) -> Span | None:
        """Return the first hour behind a row, at most to ``until``: all up to the next hour's."""
        return spans.hour_after(self._select, shard, seq, until)

    def between(self, shard: int, first: int, last: int) -> Span | None:
        """Return what the log has from one number to another; None where nothing is."""
        return spans.between(self._select, shard, first, last)

    def rows_of(self, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
        """Return rows of a span behind one, by number, with the names that games have now."""
        return spans.rows_of(self._select, span, after, limit)

    def logged(
        self, shard: int, after: int, until: int, since_ms: int, before_ms: int
    ) -> Sequence[LoggedMove]:
        """Return moves behind one and up to another of a shard, by number, for exports (D74).

        Only prices scraped from ``since_ms`` to before ``before_ms``; all of them at once, so ask
        for few numbers at a time.
        """
        return spans.logged(self._select, shard, after, until, since_ms, before_ms)

    def last_moves(self, shard: int) -> list[tuple[int, str]]:
        """Return the number of the last move of each game of a shard, with its id, in order.

        It looks through the whole log, some games at a time: for exports, not for answers.
        """
        return spans.last_moves(self._select, shard)

    def told_by(self) -> list[str]:
        """Return the sources that any price came from, as far as that is known (D66)."""
        return spans.told_by(self._select)

    def are_in_log(self, quotes: Sequence[tuple[int, Quote]]) -> list[bool]:
        """Return of each quote, told with the row of its game, whether its prices are in the log.

        They are if they stood at the time of the quote. What was archived is not looked up.
        """
        return log.are_in_log(self._select, quotes)

    def history(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how the prices of a selection moved since a time."""
        asked = (game_id, market_type, period, selection, since_ms)
        return log.history(self._select, *asked, self._older())

    def reference_history(
        self, game_id: str, selections: Iterable[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[HistoryPoint]]:
        """Return how the reference's prices moved, by (market type, period, selection).

        Each starts with the price that stood then; those without any are left out.
        """
        if (older := self._older()) is not None:
            asked = {key: (game_id, self._reference, key, since_ms) for key in selections}
            found = {key: older.history_of(*each) for key, each in asked.items()}
            return {key: points for key, points in found.items() if points}
        with self._select.together():
            return past.selection_histories(
                self._select, game_id, self._reference, selections, since_ms
            )

    def last_sightings(self, game_id: str) -> dict[tuple[str, str, int], list[int]]:
        """Return when each bookmaker's market of a game was seen last, whether it moved or not.

        By bookmaker, market type and period: ahead of the game, or of when it was withdrawn, where
        that is known; then at all.
        """
        return past.last_sightings(self._select, game_id)

    def log_began(self) -> int | None:
        """Return since when prices are recorded, as far as log and archive are kept."""
        first, older = past.began(self._select), self._older()
        archived = None if older is None else older.log.began()
        return min((each for each in (first, archived) if each is not None), default=None)

    def lacks(self) -> str:
        """Return why older moves than the log's are not told though they are kept; one line.

        Empty where nothing lacks.
        """
        self._older()
        return "" if self._find_older is None else self._find_older.unreadable

    def silences(self, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
        """Return the spans, longer than ``longest_ms``, in which nothing was recorded."""
        return past.silences(self._select, since_ms, now_ms, longest_ms)

    def changes_between(self, since_ms: int, until_ms: int, limit: int) -> list[Change]:
        """Return the moves of prices scraped after a moment and not after another, in order.

        At most ``limit``.
        """
        return timeline.changes_between(
            self._select, self._reference, since_ms, until_ms, limit, self._share, self._older()
        )

    def log_ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price of the log; None for an empty one."""
        return timeline.ends(self._select, self._older())

    def move_counts(self, since_ms: int, until_ms: int, parts: int) -> list[int]:
        """Return how many prices moved in each of so many equal parts of a span."""
        return timeline.counts(self._select, since_ms, until_ms, parts, self._older())

    def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        return timeline.next_move(self._select, at_ms, game_id, back=back, older=self._older())

    def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most: the reference's, before kick-off, if any."""
        return timeline.largest_move(self._select, self._reference, game_id, self._older())

    def kick_offs(self, since_ms: int, until_ms: int, limit: int) -> list[tuple[int, int]]:
        """Return the kick-offs in a span, each with how many games begin then."""
        return timeline.kick_offs(self._select, since_ms, until_ms, limit, self._older())

    def _told(self, visibility: Visibility) -> Visibility:
        """Return what a caller may see of what may be passed on (D66)."""
        if self._share is None:
            return visibility
        return msgspec.structs.replace(visibility, share=self._share)

    def _older(self) -> Older | None:
        """Return what the archive adds to an answer, None where it is none or cannot be read."""
        log = None if self._find_older is None else self._find_older(self)
        return None if log is None else Older(self._select, log)

    def _setting(self, key: str) -> int | None:
        rows = self._select(_SETTING, {"key": key})
        return int(rows[0][0]) if rows else None
