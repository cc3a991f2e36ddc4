"""Goes through the log once, in its order, and shows each game as it stood at each moment."""

from collections.abc import Callable
from typing import Final, Protocol

from oddsdesk.board.games import GameEntry
from oddsdesk.board.matrix import CellKey
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.export.log import ALWAYS
from oddsdesk.research.past.coverage import CoverageCount
from oddsdesk.research.past.game import Era, Mine, PastGame
from oddsdesk.research.past.moments import Moments
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.store.spans import LoggedMove

BATCH: Final = 5_000
"""Rows between two words of progress."""
_LEAP_MS: Final = 60 * MINUTE_MS
"""Rows that were known so much earlier than those ahead of them are another archive's."""
_OVER_MS: Final = 12 * 60 * MINUTE_MS
"""So long after its kick-off a game is let go."""
_QUIET_MS: Final = 14 * 24 * 60 * MINUTE_MS
"""So long after its last row one without a kick-off is."""

Progress = Callable[[int], None]
"""Called with the rows done since the last call; what it raises ends the work."""


class Visitor(Protocol):
    """Who looks at the games; ``game`` is as it stood then, and no later row was read."""

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Look at a game when all is in that was known at a moment."""
        ...

    def passing(self, game: PastGame, until_ms: int) -> None:
        """Look at a game that stands as it is until a moment, that moment not included."""
        ...

    def before_begin(self, game: PastGame) -> None:
        """Look at a game as it stood last before the moment at which it begins."""
        ...

    def at_close(self, game: PastGame) -> None:
        """Look at a game as it stood when it began, that moment included."""
        ...


class Walk:
    """Rows in, moments out; holds games from their first row until they are over."""

    def __init__(
        self, log: RecordedLog, visitor: Visitor, make_era: Callable[[], Era], now_ms: int
    ) -> None:
        """``now_ms`` is the time: a game that was read until its kick-off has begun by then."""
        self.moments = Moments()
        self.rows = 0
        """How many were read."""
        self.asked = 0
        """How many of these were known in the span that is asked for."""
        self.first_ms: int | None = None
        """When the first row of the log was known, in that span or not."""
        self.last_ms = 0
        """When the last one was."""
        self.bookmakers: set[str] = set()
        self.count: CoverageCount | None = None
        """What the log has of its games is counted where somebody asks for it."""
        self._log = log
        self._visitor = visitor
        self._make_era = make_era
        self._end_ms = now_ms
        self._era = make_era()
        self._games: dict[str, PastGame] = {}
        self._dirty: dict[str, PastGame] = {}
        self._swept_at = 0

    def count_coverage(self, reference: str, by: CloseBy, since_ms: int | None) -> CoverageCount:
        """Return what counts the games of the log from now on."""
        self.count = CoverageCount(reference, by, since_ms)
        return self.count

    def run(self, since_ms: int | None, until_ms: int | None, progress: Progress) -> None:
        """Go through the log; rows that were known at ``until_ms`` or later are left out.

        Those before ``since_ms`` are read all the same: they tell how games stood then.
        """
        if until_ms is not None:
            self._end_ms = min(self._end_ms, until_ms)
        for rows in self._log.rows.batches(*ALWAYS):
            for begin in range(0, len(rows), BATCH):
                batch = rows[begin : begin + BATCH]
                for row in batch:
                    self._take(row, since_ms, until_ms)
                progress(len(batch))
        self._look(None)
        for game in self._games.values():
            self._end(game)

    def _take(self, row: LoggedMove, since_ms: int | None, until_ms: int | None) -> None:
        ident = row.game_id
        game = self._games.get(ident)
        before = 0 if game is None else game.moment
        at, is_live = self.moments.of(row.scraped_at, row.recorded_at, before)
        self._note(at)
        if until_ms is not None and at >= until_ms:
            return
        self.rows += 1
        self.asked += since_ms is None or at >= since_ms
        self.bookmakers.add(row.bookmaker)
        self._go_to(at)
        if is_live:
            self._era.heard[row.bookmaker] = row.recorded_at
        if game is None:
            game = self._games[ident] = self._game(row)
        if at != game.moment:
            self._step(game, at, in_play=row.is_live)
        if row.match_date != game.kick_off:
            game.reschedule(row.match_date)
        name = None if row.bookmaker == self._era.reference else row.bookmaker
        key = CellKey(row.market_type, row.period, row.selection, name)
        game.put(key, row.odds, row.scraped_at, is_live=bool(row.is_live))
        self._dirty[ident] = game

    def _note(self, at: int) -> None:
        if self.first_ms is None or at < self.first_ms:
            self.first_ms = at
        if at > self.last_ms:
            self.last_ms = at

    def _go_to(self, at: int) -> None:
        """Set the clock; look at the games whose moment is over."""
        now = self._era.now_ms
        if at == now:
            return
        if at < now - _LEAP_MS:
            self._look(None)
            self._sweep(0)
            self._era = self._make_era()
            now = 0
        if at > now:
            self._look(at)
            self._era.now_ms = at
            if abs(at - self._swept_at) > _LEAP_MS:
                self._sweep(_OVER_MS)
                self._swept_at = at

    def _look(self, before_ms: int | None) -> None:
        """Look at the games that were touched at moments before one; None: at all."""
        for ident, game in list(self._dirty.items()):
            if before_ms is None or game.moment < before_ms:
                del self._dirty[ident]
                self._visitor.at_moment(game, game.moment)

    def _step(self, game: PastGame, at: int, *, in_play: bool) -> None:
        """Bring a game to a later moment, before the rows of that are put in."""
        if game.entry.game_id in self._dirty:
            del self._dirty[game.entry.game_id]
            self._visitor.at_moment(game, game.moment)
        self._visitor.passing(game, at)
        self._begin(game, at, in_play=in_play)
        game.moment = at

    def _begin(self, game: PastGame, at: int, *, in_play: bool) -> None:
        if game.has_begun:
            if not game.is_closed:
                self._close(game, at)
        elif in_play or (game.kick_off is not None and at >= game.kick_off):
            self._visitor.before_begin(game)
            game.compare_lines()
            game.has_begun = True
            if in_play or (game.kick_off is not None and at > game.kick_off):
                self._close(game, at)

    def _close(self, game: PastGame, at: int) -> None:
        game.is_closed = True
        game.began_at = at if game.kick_off is None else min(game.kick_off, at)
        self._visitor.at_close(game)

    def _game(self, row: LoggedMove) -> PastGame:
        named = (row.match_name, row.competition, row.sport, row.match_date)
        entry = GameEntry(
            row.game_id, *named, is_live=False, bookmaker_count=0, last_scraped_at=None
        )
        return PastGame(entry, self._era, self._log.reader.last_sightings)

    def _sweep(self, patience_ms: int) -> None:
        """Let go of games that began so long ago, and of those of which nothing is heard."""
        for ident, game in list(self._games.items()):
            now = game.era.now_ms
            begins = game.kick_off
            end = game.moment + _QUIET_MS if begins is None else begins + patience_ms
            if max(end, game.moment) <= now and ident not in self._dirty:
                self._end(game)
                del self._games[ident]

    def _end(self, game: PastGame) -> None:
        if not game.has_begun:
            game.compare_lines()
        self._begin_by_now(game)
        if self.count is not None:
            entry = game.entry
            named = (entry.game_id, entry.match_name, entry.competition, entry.kick_off)
            self.count.add(game, has_result=self._log.score(*named) is not None)

    def _begin_by_now(self, game: PastGame) -> None:
        """Let a game begin that no row came of since it did."""
        now = game.era.now_ms
        self._visitor.passing(game, max(now, game.moment) + 1)
        begins = game.kick_off
        if begins is None or game.is_closed:
            return
        if begins <= now or (begins <= self._end_ms and game.was_read_until(begins)):
            if not game.has_begun:
                self._visitor.before_begin(game)
            game.has_begun = True
            self._close(game, begins)


def era_maker(reference: str, method: str, profiles: Profiles, mine: Mine) -> Callable[[], Era]:
    """Return what makes eras that judge so."""
    return lambda: Era(reference, method, profiles, mine)
