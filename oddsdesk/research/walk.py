"""Reads the log once, in order, and shows visitors each game at each moment."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.own_tables import known_weights
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import LEARNED_TITLE
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import SERVICE_RULES, DerivedChoice, ListRules
from oddsdesk.research.coverage import CoverageCount
from oddsdesk.research.past_game import Clock, Era, Mine, PastGame, Replay, SeenGame
from oddsdesk.research.recorded_log import ALWAYS, LogPast, Moments, RecordedLog
from oddsdesk.store.spans import LoggedMove

BATCH: Final = 5_000
"""Rows between two progress reports."""
_LEAP_MS: Final = 60 * MINUTE_MS
"""A row known this much earlier than those before it is from another archive."""
_OVER_MS: Final = 12 * 60 * MINUTE_MS
"""How long after kick-off a game is dropped."""
_QUIET_MS: Final = 14 * 24 * 60 * MINUTE_MS
"""How long after its last row a game without kick-off is dropped."""

_QUOTE: Final = itemgetter(
    *map(
        LoggedMove._fields.index,
        (
            "game_id",
            "bookmaker",
            "market_type",
            "period",
            "is_live",
            "scraped_at",
            "recorded_at",
            "match_date",
        ),
    )
)
"""What rows share that were recorded as one quote."""

Progress = Callable[[int], None]
"""Called with the rows done since the last call; an exception ends the work."""


class Visitor:
    """Base of visitors to the games of a log; does nothing."""

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Visit a game once everything known at a moment is in."""

    def passing(self, game: PastGame, until_ms: int) -> None:
        """Visit a game that does not change until a moment, which is not included."""

    def before_begin(self, game: PastGame) -> None:
        """Visit a game as it was just before its start."""

    def at_close(self, game: PastGame) -> None:
        """Visit a game as it was at its start, that moment included."""


class _Desk:
    """A visitor, and the rules that it judges by."""

    def __init__(self, visitor: Visitor, make_era: Callable[[], Era], like: "_Desk | None") -> None:
        self.visitor = visitor
        self.make_era = make_era
        self.like = like
        self.era = make_era()
        self.count: CoverageCount | None = None


class Walk:
    """Turns rows into moments; holds games from their first row until they are over."""

    def __init__(self, log: RecordedLog, now_ms: int) -> None:
        """``now_ms`` is the time: a game read until its kick-off has started by then."""
        self.moments = Moments()
        self.rows = 0
        """Number of rows read."""
        self.asked = 0
        """Number of rows known in the requested span."""
        self.first_ms: int | None = None
        """When the log's first row was known, in that span or not."""
        self.last_ms = 0
        """When the last row was known."""
        self.bookmakers: set[str] = set()
        self.past: LogPast | None = None
        """The rows that closing lines are read from, once a caller asks for them."""
        self._log = log
        self._desks: list[_Desk] = []
        self._clock = Clock()
        self._end_ms = now_ms
        self._is_wanted: Callable[[str], bool] = lambda _: False
        self._games: dict[str, SeenGame] = {}
        self._dirty: dict[str, SeenGame] = {}
        self._swept_at = 0

    def add_visitor(
        self, visitor: Visitor, make_era: Callable[[], Era], like: int | None = None
    ) -> int:
        """Show the games to a visitor once the log is read; return its number, from 0.

        With ``like``, it sees the figures of that visitor, whose rules differ in a lower least EV
        alone.
        """
        self._desks.append(_Desk(visitor, make_era, None if like is None else self._desks[like]))
        self._desks[-1].era.clock = self._clock
        return len(self._desks) - 1

    def count_coverage(
        self, reference: str, by: CloseBy, since_ms: int | None, number: int = 0
    ) -> CoverageCount:
        """Return a counter of the log's games as a visitor sees them, from now on."""
        count = self._desks[number].count = CoverageCount(reference, by, since_ms)
        return count

    def keep_closes(self, reference: str, is_wanted: Callable[[str], bool]) -> LogPast:
        """Return what closing lines are read from; it fills while the log is read.

        Args:
            reference: The sharp book of the closing lines.
            is_wanted: Whether a game that is over, by its id, is kept.
        """
        self.past, self._is_wanted = LogPast(reference, self._log.last_sightings), is_wanted
        return self.past

    def walk_log(self, since_ms: int | None, until_ms: int | None, progress: Progress) -> None:
        """Read the log; rows known at ``until_ms`` or later are left out.

        Rows before ``since_ms`` are read, too, since games need their earlier state.
        """
        if until_ms is not None:
            self._end_ms = min(self._end_ms, until_ms)
        for rows in self._log.rows.move_batches(*ALWAYS):
            for begin in range(0, len(rows), BATCH):
                batch = rows[begin : begin + BATCH]
                for _, quote in groupby(batch, key=_QUOTE):
                    self._take(list(quote), since_ms, until_ms)
                progress(len(batch))
        self._look(None)
        for game in self._games.values():
            self._end(game)

    def _take(self, rows: Sequence[LoggedMove], since_ms: int | None, until_ms: int | None) -> None:
        """Take in the rows of one quote."""
        row = rows[0]
        ident = row.game_id
        game = self._games.get(ident)
        before = 0 if game is None else game.moment
        at, is_live = self.moments.known_at(row.scraped_at, row.recorded_at, before)
        self._note(at)
        is_late = until_ms is not None and at >= until_ms
        if self.past is not None:
            if is_late and game is None and not self._is_wanted(ident):
                self.past.drop_game(ident)
            else:
                self.past.take_quote(rows)
        if is_late:
            return
        self.rows += len(rows)
        if since_ms is None or at >= since_ms:
            self.asked += len(rows)
        self.bookmakers.add(row.bookmaker)
        self._go_to(at)
        if is_live:
            self._clock.heard[row.bookmaker] = row.recorded_at
        if game is None:
            game = self._games[ident] = self._game(row)
        if at != game.moment:
            self._step(game, at, in_play=row.is_live)
        if row.match_date != game.entry.kick_off:
            game.reschedule(row.match_date)
        game.put_quote(rows)
        self._dirty[ident] = game

    def _note(self, at: int) -> None:
        if self.first_ms is None or at < self.first_ms:
            self.first_ms = at
        if at > self.last_ms:
            self.last_ms = at

    def _go_to(self, at: int) -> None:
        """Advance the clock and visit the games whose moment is over."""
        now = self._clock.now_ms
        if at == now:
            return
        if at < now - _LEAP_MS:
            self._look(None)
            self._sweep(0)
            self._begin_era()
            now = 0
        if at > now:
            self._look(at)
            self._clock.now_ms = at
            if abs(at - self._swept_at) > _LEAP_MS:
                self._sweep(_OVER_MS)
                self._swept_at = at

    def _look(self, before_ms: int | None) -> None:
        """Visit the games that changed at moments before a time; None: all of them."""
        for ident, game in list(self._dirty.items()):
            if before_ms is None or game.moment < before_ms:
                del self._dirty[ident]
                self._visit(game)

    def _step(self, game: SeenGame, at: int, *, in_play: bool) -> None:
        """Advance a game to a later moment, before that moment's rows are put in."""
        if game.entry.game_id in self._dirty:
            del self._dirty[game.entry.game_id]
            self._visit(game)
        for desk, view in self._views(game):
            desk.visitor.passing(view, at)
        self._begin(game, at, in_play=in_play)
        game.moment = at

    def _visit(self, game: SeenGame) -> None:
        for desk, view in self._views(game):
            desk.visitor.at_moment(view, game.moment)

    def _views(self, game: SeenGame) -> Iterator[tuple[_Desk, PastGame]]:
        return zip(self._desks, game.games, strict=True)

    def _begin(self, game: SeenGame, at: int, *, in_play: bool) -> None:
        kick_off = game.entry.kick_off
        if game.has_begun:
            if not game.is_closed:
                self._close(game, at)
        elif in_play or (kick_off is not None and at >= kick_off):
            for desk, view in self._views(game):
                desk.visitor.before_begin(view)
                view.compare_lines()
            game.has_begun = True
            if in_play or (kick_off is not None and at > kick_off):
                self._close(game, at)

    def _close(self, game: SeenGame, at: int) -> None:
        ident, kick_off = game.entry.game_id, game.entry.kick_off
        game.is_closed = True
        game.began_at = at if kick_off is None else min(kick_off, at)
        if self.past is not None:
            game.has_close = self.past.has_closed(ident, game.began_at, kick_off)
        for desk, view in self._views(game):
            desk.visitor.at_close(view)

    def _game(self, row: LoggedMove) -> SeenGame:
        named = (row.match_name, row.competition, row.sport, row.match_date)
        entry = GameEntry(
            row.game_id, *named, is_live=False, bookmaker_count=0, last_scraped_at=None
        )
        game = SeenGame(entry, self._clock, self._log.last_sightings)
        replays = {desk: Replay(game, desk.era) for desk in self._desks if desk.like is None}
        game.replays = list(replays.values())
        game.games = [PastGame(game, replays[desk.like or desk], desk.era) for desk in self._desks]
        return game

    def _begin_era(self) -> None:
        self._clock = Clock()
        for desk in self._desks:
            desk.era = desk.make_era()
            desk.era.clock = self._clock

    def _sweep(self, patience_ms: int) -> None:
        """Drop games that started long ago or have had no rows for long."""
        for ident, game in list(self._games.items()):
            now = game.clock.now_ms
            begins = game.entry.kick_off
            end = game.moment + _QUIET_MS if begins is None else begins + patience_ms
            if max(end, game.moment) <= now and ident not in self._dirty:
                self._end(game)
                del self._games[ident]

    def _end(self, game: SeenGame) -> None:
        if not game.has_begun:
            for view in game.games:
                view.compare_lines()
        self._begin_by_now(game)
        entry = game.entry
        if any(desk.count for desk in self._desks):
            named = (entry.game_id, entry.match_name, entry.competition, entry.kick_off)
            scores, begins = self._log.final_scores(*named), entry.kick_off
            has_begun = game.has_begun or (begins is not None and begins <= self._end_ms)
            for desk, view in self._views(game):
                if desk.count is not None:
                    desk.count.add_game(view, scores, has_begun=has_begun)
        if self.past is not None and not self._is_wanted(entry.game_id):
            self.past.drop_game(entry.game_id)

    def _begin_by_now(self, game: SeenGame) -> None:
        """Start a game that got no row since its kick-off."""
        now = game.clock.now_ms
        for desk, view in self._views(game):
            desk.visitor.passing(view, max(now, game.moment) + 1)
        begins = game.entry.kick_off
        if begins is None or game.is_closed:
            return
        if begins <= now or (begins <= self._end_ms and game.was_read_until(begins)):
            if not game.has_begun:
                for desk, view in self._views(game):
                    desk.visitor.before_begin(view)
            game.has_begun = True
            self._close(game, begins)


def era_maker(
    reference: str,
    method: str,
    profiles: Profiles,
    mine: Mine,
    derived: DerivedChoice = "none",
    bands: Bands | None = None,
    rules: ListRules = SERVICE_RULES,
) -> Callable[[], Era]:
    """Return a factory of eras with these settings; a learned consensus has the saved weights."""
    learned = known_weights().weights if reference == LEARNED_TITLE else None
    return lambda: Era(
        reference,
        method,
        profiles,
        mine,
        learned=learned,
        derived=derived,
        bands=bands,
        rules=rules,
    )
