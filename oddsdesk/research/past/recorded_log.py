"""The log of a database with what is asked of it beside its rows, also where older ones went.

A database forgets a game once nothing of it is left in its log: of such a game the archive has
the rows and names, and the result is found by name and kick-off. When a market was seen last
without a move is known no more.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from oddsdesk.archive.looking_back import LookingBack
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import PastOdds
from oddsdesk.pricing.results import Score
from oddsdesk.research.export.log import LogOfAll
from oddsdesk.research.past.kept_past import KeptPast
from oddsdesk.research.past.log_past import LogPast
from oddsdesk.research.past.moments import GAP_MS, Moments
from oddsdesk.store.reader import Reader


class RecordedLog:
    """For the thread of the reader; times in milliseconds."""

    def __init__(self, reader: Reader, archive: Path | None = None) -> None:
        """Take the log up to where it ends now.

        Args:
            reader: Of the database.
            archive: The folder of its older rows; None for the one that the database names.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        named = LookingBack()
        if archive is None:
            named(reader)
        self.reader = reader
        self.unreadable = named.unreadable
        """Why the archive that the database names is not read, one line; else empty."""
        self.rows = LogOfAll(reader, archive or named.folder)
        self._scores = reader.scores()

    def removed(self) -> str:
        """Return what is said of rows that were removed and are not read; empty for none."""
        if not self.rows.begins_late:
            return ""
        return self.unreadable or "older price changes were removed, and no archive has them"

    def past(
        self, reference: str, bets: Iterable[PlacedBet], progress: Callable[[int], None]
    ) -> PastOdds:
        """Return what closing lines of bets are read from; ``reference`` is the reader's."""
        if self.rows.reads_archive:
            return LogPast(self.rows, self.reader, reference, bets, progress)
        return KeptPast(self.reader, reference)

    def score(
        self, game_id: str, match_name: str, competition: str, kick_off: int | None
    ) -> Score | None:
        """Return how a game ended, None where nobody told."""
        known = self._scores.get(game_id)
        if known is not None or kick_off is None or not self.rows.reads_archive:
            return known
        return self.reader.score_named(competition, match_name, kick_off)

    def gaps(self, moments: Moments) -> list[tuple[int, int]]:
        """Return the spans in which nothing at all was recorded, of what was recorded live.

        The database tells since when it keeps the log; before that the rows of one shard do, of
        several nothing.
        """
        began, since = self.reader.log_began(), moments.live_since
        if since is None:
            return []
        told = self.reader.silences(max(since, began or since), moments.live_until, GAP_MS)
        if self.reader.shards > 1 or began is None:
            return told
        return [gap for gap in moments.silences if gap[0] < began] + told
