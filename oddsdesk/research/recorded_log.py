"""The log of a database, with its archive, and the queries that research needs.

A database forgets a game once its log has no rows of it. The archive still has its rows and names,
and its result is found by name and kick-off. When an unmoved market was last seen is then unknown.

Queries about the past answer as the database does (``store.queries.as_of``): a price is the last
one logged at or before a moment. If a market was not seen again later, its current row tells when
it was last seen.

Rows come in the order of recording; none counts as known before earlier rows of its game. A row
recorded at most 15 minutes after scraping was known when it was recorded. A later one comes from an
archive, and only its own time is known. If the log was live on that day, however, the row was late,
and known no sooner than the live rows before it.
"""

import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from oddsdesk.archive.folder import ArchiveError, LookingBack, archived_files
from oddsdesk.base.texts import N_
from oddsdesk.board.model.basis import CONSENSUS_CHOICES, consensus_choice
from oddsdesk.contract.resources import GameMatrix, MarketMatrix, MatrixRow, ReferenceCell
from oddsdesk.contract.results import ENDED, GameResult, GameStatus
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.ledger.log_closes import LoggedGame, PastOdds
from oddsdesk.pricing.assessment import Market
from oddsdesk.pricing.closing import MOST_AGE_MS, CloseBy, Sighting, closing_lines
from oddsdesk.pricing.consensus import CONSENSUS_TITLE, CONSENSUS_TITLES
from oddsdesk.pricing.game_scores import contradict
from oddsdesk.pricing.value import MAX_AGE_MS
from oddsdesk.store.databases import Database
from oddsdesk.store.games import plain_name
from oddsdesk.store.reader import Reader, ReaderPast
from oddsdesk.store.series import StoredSeries
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.store import Store, open_store

GAP_MS: Final = 60 * MINUTE_MS
"""Longer times without any recording are reported."""
LATE_MS: Final = MAX_AGE_MS
"""A price recorded this long after it was scraped is not value when it arrives."""
_SAME_DAY_MS: Final = 24 * 60 * MINUTE_MS


class Moments:
    """Decides when each row was known, in order; times in milliseconds."""

    def __init__(self) -> None:
        self.live_since: int | None = None
        """When the first live row was recorded; None before it."""
        self.live_until: int = 0
        self.silences: list[tuple[int, int]] = []
        """Spans longer than ``GAP_MS`` without a live row."""

    def known_at(self, scraped_at: int, recorded_at: int, known_before: int) -> tuple[int, bool]:
        """Return when a row was known, and whether it was recorded live.

        Args:
            scraped_at: The row's own.
            recorded_at: The row's own.
            known_before: When the row before it in its game was known.
        """
        lag = recorded_at - scraped_at
        if lag <= LATE_MS:
            if self.live_since is None:
                self.live_since = recorded_at
            elif recorded_at - self.live_until > GAP_MS:
                self.silences.append((self.live_until, recorded_at))
            self.live_until = max(self.live_until, recorded_at)
            return max(recorded_at, known_before), True
        was_live = self.live_until if lag < _SAME_DAY_MS else 0
        return max(scraped_at, known_before, was_live), False


class FinalScores(NamedTuple):
    """What the sources say of a game that is over."""

    results: Sequence[GameResult] = ()
    """Final results with a score, home team first in the game's order; none if the sources
    contradict each other."""
    is_contrary: bool = False
    """Whether they do."""


def agreed_scores(results: Iterable[GameResult]) -> FinalScores:
    """Return the final scores in what sources say of one game."""
    ended = [each for each in results if each.status in ENDED]
    final = [each for each in ended if each.status is GameStatus.FINAL]
    if len(final) < len(ended):  # others say that it was not played to its end
        return FinalScores(is_contrary=bool(final))
    scored = [each for each in final if each.home is not None]
    if len(scored) > 1 and contradict(scored, scored[0].sport):
        return FinalScores(is_contrary=True)
    return FinalScores(scored)


class _SeriesOfGames(NamedTuple):
    by_id: dict[str, StoredSeries]
    by_name: dict[tuple[str, str], list[StoredSeries]]
    """By competition and plain name, as the source has them."""


def _series_of_games(series: Iterable[StoredSeries]) -> _SeriesOfGames:
    found = _SeriesOfGames({}, {})
    for each in series:
        if each.has_game:  # else the game of another season may have its id
            found.by_id[each.game_id] = each
        found.by_name.setdefault((each.competition, plain_name(each.stored_name)), []).append(each)
    return found


class RecordedLog:
    """For the reader's thread; times in milliseconds."""

    def __init__(self, reader: Reader, archive: Path | None = None) -> None:
        """Read the log up to its current end.

        Args:
            reader: The reader of the database.
            archive: The folder of older rows; None for the one that the database names.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        named = LookingBack()
        if archive is None:
            named(reader)
        self.reader = reader
        self.last_sightings = lru_cache(maxsize=64)(reader.last_sightings)
        """When each market of a game was last seen, as of ``Reader``."""
        self.unreadable = named.unreadable
        """One line if the archive that the database names cannot be read; else empty."""
        self.rows = LogOfAll(reader, archive or named.folder)
        self.results: list[GameResult] = []
        """All results of the database; simulated ones count like others here."""
        self._by_id: defaultdict[str, list[GameResult]] = defaultdict(list)
        self._by_name: defaultdict[tuple[str, str], list[GameResult]] = defaultdict(list)
        for each in reader.results():
            said = msgspec.structs.replace(each.result, simulated=False)
            self.results.append(said)
            if each.has_game:  # else the game of another season may have its id
                self._by_id[each.game_id].append(said)
            self._by_name[said.competition, plain_name(said.match_name)].append(said)
        self._series: dict[str, _SeriesOfGames] = {}
        """By name; read when first asked for."""

    def removed(self) -> str:
        """Return a note on rows that were removed and not read; empty if there are none."""
        if not self.rows.begins_late:
            return ""
        return self.unreadable or N_("older price changes were removed, and are in no archive")

    def past(
        self,
        reference: str,
        games: Collection[str],
        progress: Callable[[int], None],
        walked: "LogPast | None" = None,
    ) -> PastOdds:
        """Return the past of some games, which closing lines are read from.

        Args:
            reference: The sharp book of the closing lines, which is the reader's.
            games: Ids.
            progress: Called with 0 while the log is read again; may raise to end that.
            walked: What a walk through the whole log kept; the log is not read again for it.
        """
        if walked is not None and not self.rows.begins_late and not walked.lacks(games):
            return walked
        if not self.rows.reads_archive:
            return KeptPast(self.reader, reference)
        past = LogPast(reference, self.last_sightings)
        for rows in self.rows.move_batches(*ALWAYS):
            progress(0)
            for row in rows:
                if row.game_id in games:
                    past.take_quote([row])
        return past

    def final_scores(
        self, game_id: str, match_name: str, competition: str, kick_off: int | None
    ) -> FinalScores:
        """Return what the sources say of a game."""
        found = self._by_id.get(game_id, [])
        if not found and kick_off is not None:
            named = self._by_name.get((competition, plain_name(match_name)), ())
            found = [each for each in named if each.begins_about(kick_off)]
        return agreed_scores(found)

    def series_of(
        self, name: str, game_id: str, match_name: str, competition: str, kick_off: int | None
    ) -> StoredSeries | None:
        """Return statistics of a game, None without any; found as its results are.

        Args:
            name: The name of the series: ``football-data``.
            game_id: The game of a row of this log, with the following.
            match_name: Its name.
            competition: Its competition.
            kick_off: Its kick-off in milliseconds, None if unknown.
        """
        if name not in self._series:
            self._series[name] = _series_of_games(self.reader.series(source=name))
        by_id, by_name = self._series[name]
        found = by_id.get(game_id)
        if found is not None or kick_off is None:
            return found
        named = by_name.get((competition, plain_name(match_name)), ())
        about = [each for each in named if each.begins_about(kick_off)]
        return min(about, key=lambda each: abs(each.kick_off - kick_off), default=None)

    def gaps(self, moments: Moments) -> list[tuple[int, int]]:
        """Return the spans without any live recording.

        The database says since when it keeps the log; for earlier times only a log with one shard
        shows gaps.
        """
        began, since = self.reader.log_began(), moments.live_since
        if since is None:
            return []
        told = self.reader.silences(max(since, began or since), moments.live_until, GAP_MS)
        if self.reader.shards > 1 or began is None:
            return told
        return [gap for gap in moments.silences if gap[0] < began] + told


class KeptPast(ReaderPast):
    """A reader's past that shares queries between bets on one game."""

    def __init__(self, reader: Reader, reference: str) -> None:
        super().__init__(reader, reference)
        self._game = lru_cache(maxsize=4)(super().game_at)
        self._market = lru_cache(maxsize=64)(super().market_at)

    def game_at(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game at a time, else its first state; None if unknown."""
        return self._game(game_id, at_ms)

    def market_at(
        self, game_id: str, market_type: str, period: int, at_ms: int
    ) -> GameMatrix | None:
        """Return one market of a game."""
        return self._market(game_id, market_type, period, at_ms)


SLICE: Final = 20_000
"""Numbers per query: about 100 ms and 20 MB."""
ALWAYS: Final = (-(2**62), 2**62)
"""The span that covers everything."""

Batches = Iterator[Sequence[LoggedMove]]


class Stretch(NamedTuple):
    """A range of row numbers in a shard; ``path`` if the database does not have them all."""

    shard: int
    first: int
    last: int
    path: Path | None = None


class LogOfAll:
    """The contents of a database and its archive, up to the log's current end.

    Simulated prices from before the first real odds are left out.

    Raises:
        ArchiveError: the folder is the archive of another database.
    """

    def __init__(self, reader: Reader, archive: Path | None = None) -> None:
        self._reader = reader
        self._stretches = [
            stretch
            for shard in range(reader.shards)
            for stretch in _stretches(reader, shard, archive)
        ]

    def move_batches(self, since_ms: int, before_ms: int) -> Batches:
        """Yield the price moves scraped in a span, shard by shard.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        for stretch in self._stretches:
            yield from self._rows_of(stretch, since_ms, before_ms)

    def finished(self) -> Iterator[tuple[Sequence[LoggedMove], Collection[str]]]:
        """Yield all moves in order, with the games that are finished.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        for shard, stretches in groupby(self._stretches, key=attrgetter("shard")):
            last_moves = deque(self._reader.last_moves(shard))
            for stretch in stretches:
                for rows in self._rows_of(stretch, *ALWAYS):
                    done = set()
                    while last_moves and rows and last_moves[0][0] <= rows[-1].seq:
                        done.add(last_moves.popleft()[1])
                    yield rows, done

    @property
    def reads_archive(self) -> bool:
        """Whether rows are read from the archive."""
        return any(stretch.path is not None for stretch in self._stretches)

    @property
    def begins_late(self) -> bool:
        """Whether rows before the first one were removed."""
        firsts: dict[int, int] = {}
        for stretch in self._stretches:
            firsts.setdefault(stretch.shard, stretch.first)
        return any(first > self._reader.last_made_up(shard) + 1 for shard, first in firsts.items())

    def _rows_of(self, stretch: Stretch, since_ms: int, before_ms: int) -> Batches:
        if stretch.path is None:
            return self._from_database(stretch, since_ms, before_ms)
        return _from_archive(stretch, stretch.path, since_ms, before_ms)

    def _from_database(self, stretch: Stretch, since_ms: int, before_ms: int) -> Batches:
        after = stretch.first - 1
        while after < stretch.last:
            until = min(after + SLICE, stretch.last)
            rows = self._reader.logged(stretch.shard, after, until, since_ms, before_ms)
            yield rows  # even if empty, so that a waiting caller sees progress
            after = until


def _from_archive(stretch: Stretch, path: Path, since_ms: int, before_ms: int) -> Batches:
    from oddsdesk.archive.parquet import rows_in_order  # noqa: PLC0415 - pyarrow is an extra

    for rows in rows_in_order(path, stretch.first, stretch.last):
        yield [row for row in rows if since_ms <= row.scraped_at < before_ms]


def _stretches(reader: Reader, shard: int, archive: Path | None) -> Iterator[Stretch]:
    end, after = reader.last_seq(shard), reader.last_made_up(shard)
    for begin, last, path in _archived(archive, shard, end):
        if last <= after:
            continue
        first = max(begin, after + 1)
        yield from _held(reader, shard, after, first - 1)
        yield Stretch(
            shard, first, last, path if _lacks(reader, shard, begin, last, path) else None
        )
        after = last
    yield from _held(reader, shard, after, end)


def _held(reader: Reader, shard: int, after: int, until: int) -> Iterator[Stretch]:
    first = reader.first_after(shard, after)
    if first is not None and first <= until:
        yield Stretch(shard, first, until)


def _archived(archive: Path | None, shard: int, end: int) -> Sequence[tuple[int, int, Path]]:
    if archive is None:
        return ()
    files = archived_files(archive, shard)
    if files and files[-1].last > end:
        raise ArchiveError(
            f"{archive}: has newer rows than the database; is it from another database?"
        )
    return [(file.first, file.last, file.path) for file in files]


def _lacks(reader: Reader, shard: int, first: int, last: int, path: Path) -> bool:
    """Return whether the database has fewer rows in this range than the archive."""
    from oddsdesk.archive.parquet import span_of  # noqa: PLC0415 - pyarrow is an extra

    held = reader.span_between(shard, first, last)
    return held is None or held.rows < span_of(path).rows


class _PastGame:
    """What is kept of a game for its closing lines."""

    def __init__(self, row: LoggedMove) -> None:
        self.last = row
        """Its last row, which has its names."""
        self.rows = defaultdict[tuple[str, int], list[LoggedMove]](list)
        """The rows of the sharp book, by market type and period."""
        self.in_play: dict[tuple[str, int, str], int] = {}
        """When each selection was first seen in play."""


class LogPast:
    """A ``ledger.log_closes.PastOdds`` of rows of the log, with the prices of the sharp book only.

    Times in milliseconds.
    """

    def __init__(
        self,
        reference: str,
        last_sightings: Callable[[str], Mapping[tuple[str, str, int], Sequence[int]]],
    ) -> None:
        """Start without rows; ``last_sightings`` is called with the id of a game."""
        self._reference = reference
        self._games: dict[str, _PastGame] = {}
        self._dropped = set[str]()
        self._last_sightings = last_sightings

    def take_quote(self, rows: Sequence[LoggedMove]) -> None:
        """Take in rows of one quote of a bookmaker."""
        first = rows[0]
        game = self._games.get(first.game_id)
        if game is None:
            game = self._games[first.game_id] = _PastGame(first)
        game.last = first
        market = first.market_type, first.period
        if first.bookmaker == self._reference:
            game.rows[market].extend(rows)
        if first.is_live:
            for row in rows:
                known = game.in_play.setdefault((*market, row.selection), row.scraped_at)
                if row.scraped_at < known:
                    game.in_play[*market, row.selection] = row.scraped_at

    def drop_game(self, game_id: str) -> None:
        """Forget the rows of a game."""
        self._games.pop(game_id, None)
        self._dropped.add(game_id)

    def lacks(self, games: Collection[str]) -> bool:
        """Return whether rows of one of these games were forgotten."""
        return not self._dropped.isdisjoint(games)

    def has_closed(self, game_id: str, began_ms: int, kick_off: int | None) -> bool:
        """Return whether the sharp book closed a line of a game that has started."""
        game = self._games.get(game_id)
        if game is None:
            return False
        for market_type, period in game.rows:
            named = Market(market_type, game.last.match_name, game.last.sport, period)
            for seen in self._sightings(game_id, market_type, period, began_ms):
                if closing_lines(named, [seen], kick_off=kick_off, began=began_ms):
                    return True
        return False

    def _sightings(
        self, game_id: str, market_type: str, period: int, began_ms: int
    ) -> Iterator[Sighting]:
        """Yield the prices of a market before play, the last ones first.

        As they stood at the start, and before each move in the 30 minutes ahead of it.
        """
        moves = [row for row in self._moves(game_id, market_type, period) if not row.is_live]
        times = {row.scraped_at - 1 for row in moves if row.scraped_at <= began_ms}
        recent = sorted((at for at in times if at >= began_ms - MOST_AGE_MS), reverse=True)
        for at in (began_ms, *recent):
            yield self._standing([row for row in moves if row.scraped_at <= at], at)

    def game_at(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return the name of a game; None if it was not recorded by then."""
        game = self._games.get(game_id)
        return None if game is None else self._matrix(game.last, [])

    def games_between(self, since_ms: int, until_ms: int) -> Sequence[LoggedGame]:
        """Return none: the bets have the ids of this log's games."""
        return ()

    def market_at(
        self, game_id: str, market_type: str, period: int, at_ms: int
    ) -> GameMatrix | None:
        """Return the sharp book's prices of a market at a time; None if it had none."""
        rows = [row for row in self._moves(game_id, market_type, period) if row.scraped_at <= at_ms]
        stood = self._standing(rows, at_ms)
        if not stood.odds:
            return None
        told = format_ms(stood.at)
        selections = [
            MatrixRow(name, ReferenceCell(odds, None, told), {})
            for name, odds in stood.odds.items()
        ]
        market = MarketMatrix(market_type, period, "", [self._reference], told, selections)
        return self._matrix(rows[-1], [market])

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> list[int]:
        """Return when a selection's price first moved in play."""
        game = self._games.get(game_id)
        first = None if game is None else game.in_play.get((market_type, period, selection))
        return [] if first is None else [first]

    def usual_reference(self) -> str:
        """Return the sharp book."""
        return self._reference

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> list[int]:
        """Return when the sharp book's price of a selection moved since a time."""
        rows = self._moves(game_id, market_type, period)
        times = [row.scraped_at for row in rows if row.selection == selection]
        return [at for at in times if at >= since_ms]

    def _moves(self, game_id: str, market_type: str, period: int) -> Sequence[LoggedMove]:
        """Return the sharp book's moves of a market, by when they were scraped."""
        game = self._games.get(game_id)
        rows = [] if game is None else game.rows.get((market_type, period), [])
        rows.sort(key=attrgetter("scraped_at"))  # quick where they are in order already
        return rows

    def _standing(self, rows: Sequence[LoggedMove], at_ms: int) -> Sighting:
        """Return what stood at a time after these moves of a market."""
        standing = {row.selection: row.odds for row in rows}
        offered = {name: odds for name, odds in standing.items() if odds is not None}
        if not offered:
            return Sighting(0, {}, is_live=False)
        last = rows[-1]
        market = self._reference, last.market_type, last.period
        told = last.scraped_at
        if told < at_ms:
            seen = self._last_sightings(last.game_id).get(market, ())
            told = max([told, *(each for each in seen if each <= at_ms)])
        return Sighting(told, offered, is_live=False)

    def _matrix(self, row: LoggedMove, markets: list[MarketMatrix]) -> GameMatrix:
        return GameMatrix(
            game_id=row.game_id,
            match_name=row.match_name,
            competition=row.competition,
            sport=row.sport,
            match_date=None if row.match_date is None else format_ms(row.match_date),
            is_live=False,
            all_bookmakers=[self._reference],
            markets=markets,
        )


class Opened(NamedTuple):
    """A database with the close's sharp book, unless that is a consensus."""

    store: Store
    reference: str
    """The sharp book: a bookmaker in the database's spelling, or one of ``CONSENSUS_TITLES``."""
    close: CloseBy
    """With its sharp book by name."""


def open_judged(database: Database, said: str | None, close: CloseBy) -> Opened:
    """Open the database for reading, and return it with the names of both sharp books.

    Args:
        database: The database.
        said: The sharp book that values prices: a bookmaker, ``consensus`` for all together or
            ``consensus (learned)``, empty for the database's own.
        close: The closing line behind CLV, its sharp book in the same words, and its devig method.

    Raises:
        StoreError: the database cannot be used.
    """
    judge, closer = _named(said), _named(close.reference)
    reference = judge
    if judge not in CONSENSUS_TITLES:
        with contextlib.closing(open_store(database, judge or None, read_only=True)) as judged:
            reference = judged.reference
    is_pooled = closer == CONSENSUS_TITLE
    store = open_store(database, None if is_pooled else closer or None, read_only=True)
    by = CONSENSUS_TITLE if is_pooled else store.reference
    return Opened(store, reference, close._replace(reference=by))


def _named(said: str | None) -> str:
    name = (said or "").strip()
    choice = consensus_choice(name)
    return name if choice is None else CONSENSUS_CHOICES[choice]
