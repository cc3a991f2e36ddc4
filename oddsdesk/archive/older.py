"""The archive as an extension of a database's log: ``store.spans.OlderLog``.

Facts about its files are kept, because files never change: after the first question a game's rows
are searched only in files that have it.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from oddsdesk.archive.folder import ArchivedFile, ArchiveError, archived_files, by_day
from oddsdesk.archive.index import ArchivedHour, WrittenGame, index_of, later
from oddsdesk.archive.parquet import SCHEMA, moves_of, values_of
from oddsdesk.base.system_errors import file_error_text
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.games import UNDATED_MS
from oddsdesk.store.spans import LoggedMove, OldGame, OldMoves, Position

_LISTED_MS: Final = 7 * 24 * 60 * MINUTE_MS
"""How long after its kick-off a game may still be listed: the kick-off may have moved."""
_SELECTION: Final = ("game_id", "bookmaker", "market_type", "period", "selection")
_MOST_ROWS: Final = 500_000
"""How many rows are searched at a time for the last of each selection: some 100 MB."""
_FOREVER: Final = 2**62
_KEPT_MS: Final = 24 * 60 * MINUTE_MS
"""How far from an earlier moment another can be reached without reading everything before."""
_AT_ONCE: Final = 5_000
"""Rows converted at a time, some 2 ms a column, in which no other thread runs."""
_OF_GAME: Final = ("match_name", "competition", "sport", "match_date")
_EMPTY: Final = SCHEMA.empty_table().select(
    [name for name in LoggedMove._fields if name not in _OF_GAME]
)
"""The columns read if the games are known."""

Standing = Mapping[OldGame, Sequence[LoggedMove]]


class _Stood(NamedTuple):
    """The last row of each selection up to a moment, of games that may be listed then."""

    before: int
    at: int
    rows: pa.Table


class ArchivedLog:
    """The files of one archive's folder, listed again whenever there may be new ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._standing_lock = threading.Lock()
        self._before: int | None = None
        self._hours: dict[Path, ArchivedHour] = {}
        self._games: dict[str, WrittenGame] = {}
        self._stood: list[_Stood] = []
        """The last moment and the one it was reached from: the next may be near them."""
        self._answer: tuple[tuple[int, int], Standing] | None = None

    def archived_game(self, game_id: str, before: int) -> OldGame | None:
        """Return a game, None if it is not there."""
        with self._reading():
            self._listed(before)
        found = self._games.get(game_id)
        return None if found is None else found.game

    def archived_games(
        self, since: int | None, until: int, before: int, behind: Position = ()
    ) -> list[OldGame]:
        """Return the games that began from a time to before another, by id.

        Without ``since`` also those of unknown kick-off. With ``behind`` only those with rows after
        one of each shard.
        """
        with self._reading():
            self._listed(before)
        return [
            game
            for _, (shard, seq, game) in sorted(self._games.items())
            if _began(game, since, until) and (not behind or seq > behind[shard])
        ]

    def archived_moves(self, asked: OldMoves, limit: int | None = None) -> list[LoggedMove]:
        """Return moves by ``scraped_at``, then number; the first ``limit``."""
        since, until = _span(asked)
        ids = None if asked.game_ids is None else frozenset(asked.game_ids)
        tables: list[pa.Table] = []
        with self._reading():
            for hour in self._by_time(asked.before, since, until):
                if limit is not None and tables and _has(tables, limit, hour.times[0]):
                    break
                rows = hour.rows_between(since, until) if ids is None else hour.of_games(ids)
                if rows is not None:
                    tables.append(rows.filter(_wanted(rows, asked, since, until)))
        return moves_of(_sorted(tables).slice(0, limit)) if tables else []

    def archived_standing(self, at: int, before: int) -> Standing:
        """Return the last move of each selection up to a moment, of games that may be listed."""
        kept = self._answer
        if kept is None or kept[0] != (at, before):
            with self._reading(), self._standing_lock:
                kept = self._answer = (at, before), self._standing(at, before)
        return kept[1]

    def began(self) -> int | None:
        """Return when its first row was recorded; None if it is empty."""
        with self._reading():
            hours = self._listed(self._before)
            firsts = {hour.file.shard: hour for hour in reversed(hours)}
            return min((hour.began for hour in firsts.values()), default=None)

    def ends(self, before: int) -> tuple[int, int] | None:
        """Return the times of its first and its last price; None if it is empty."""
        with self._reading():
            times = [hour.times for hour in self._listed(before)]
        if not times:
            return None
        return min(first for first, _ in times), max(last for _, last in times)

    def archived_counts(self, since: int, until: int, parts: int, before: int) -> list[int]:
        """Return how many prices moved in each of ``parts`` equal parts of a span."""
        found = [0] * parts
        end = min(until, before)

        def part_of(at: int) -> int:
            return (at - since) * parts // (until - since)

        with self._reading():
            for hour in self._by_time(before, since, until):
                first, last = hour.times
                if first >= since and last < end and part_of(first) == part_of(last):
                    found[part_of(first)] += hour.rows
                    continue
                at = hour.scraped()
                at = at.filter(pc.and_(pc.greater_equal(at, since), pc.less(at, end)))
                told = pc.divide(pc.multiply(pc.subtract(at, since), parts), until - since)
                for each in told.value_counts().to_pylist():
                    found[each["values"]] += each["counts"]
        return found

    def next_move(
        self, at: int, game_ids: tuple[str, ...] | None, before: int, *, back: bool
    ) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        best: int | None = None
        since, until = (-_FOREVER, min(at, before)) if back else (at + 1, before)
        with self._reading():
            hours = self._by_time(before, since, until)
            for hour in sorted(hours, key=lambda each: -each.times[1]) if back else hours:
                first, last = hour.times
                if best is not None and (last <= best if back else first >= best):
                    break
                rows = None if game_ids is None else hour.of_games(frozenset(game_ids))
                if game_ids is not None and rows is None:
                    continue
                times = hour.scraped() if rows is None else rows["scraped_at"].cast(pa.int64())
                times = times.filter(pc.and_(pc.greater_equal(times, since), pc.less(times, until)))
                found = (pc.max if back else pc.min)(times).as_py()
                known = [each for each in (best, found) if each is not None]
                best = (max if back else min)(known, default=None)
        return best

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn read errors into those of a database's readers; list the files again then."""
        try:
            yield
        except (ArchiveError, OSError, pa.ArrowException) as error:
            with self._lock:
                self._before = None
                self._hours.clear()
            raise StoreUnavailableError(
                f"the archive cannot be read: {file_error_text(error)}"
            ) from error

    def _listed(self, before: int | None) -> list[ArchivedHour]:
        """Return all files in order; rows removed since the last look are in new files."""
        with self._lock:
            if before is None or before != self._before:
                files = archived_files(self._folder)
                self._take_in(files)
                self._hours = {file.path: self._hours[file.path] for file in files}
                self._before = before
            return list(self._hours.values())

    def _take_in(self, files: Sequence[ArchivedFile]) -> None:
        """Read the days with new files."""
        games = self._games.copy()  # others may be reading the old one
        for day in by_day(files):
            if all(file.path in self._hours for file in day):
                continue
            found = index_of(day)
            idents = found.game_ids()
            numbers = {ident: number for number, ident in enumerate(idents)}
            indexed = {file.name: file for file in found.files}
            for file in day:
                hour = ArchivedHour(file, indexed[file.path.name], numbers)
                self._hours[file.path] = hour
            for ident, written in zip(idents, found.games, strict=True):
                games[ident] = later(written, games.get(ident))
        self._games = games

    def _by_time(self, before: int, since: int, until: int) -> list[ArchivedHour]:
        """Return files with prices of a span, those with the earliest first."""
        found = [
            hour
            for hour in self._listed(before)
            if hour.times[0] < min(until, before) and hour.times[1] >= since
        ]
        return sorted(found, key=lambda hour: hour.times)

    def _standing(self, at: int, before: int) -> Standing:
        hours, games = self._listed(before), self._games
        self._stood = [each for each in self._stood if each.before == before and each.at <= at]
        for until in (at - _KEPT_MS, at):
            if not self._stood or self._stood[-1].at < until:
                self._keep(_Stood(before, until, self._last_until(hours, until)))
        found: dict[OldGame, list[LoggedMove]] = {}
        for move in _named(self._stood[-1].rows, games):
            found.setdefault(games[move.game_id].game, []).append(move)
        return {
            game: moves
            for game, moves in found.items()
            if game.match_date is not None
            or max(move.scraped_at for move in moves) >= at - UNDATED_MS
        }

    def _keep(self, stood: _Stood) -> None:
        """Keep the last moment, and the earlier one until it is two days before."""
        earlier = self._stood[:1]
        if earlier and self._stood[-1].at - earlier[0].at >= 2 * _KEPT_MS:
            earlier = self._stood[-1:]
        self._stood = [*earlier, stood]

    def _last_until(self, hours: Iterable[ArchivedHour], until: int) -> pa.Table:
        """Return the last rows up to a moment, starting from those of an earlier one."""
        wanted = {
            ident
            for ident, (_, _, game) in self._games.items()
            if game.match_date is None or game.match_date >= until - _LISTED_MS
        }
        tables = [_EMPTY]
        since = -_FOREVER
        if self._stood:
            known = self._stood[-1]
            since = known.at + 1
            idents = pa.array(sorted(wanted), pa.string())
            tables.append(known.rows.filter(pc.is_in(known.rows["game_id"], value_set=idents)))
        for hour in hours:  # in the order of the log
            if hour.times[0] > until or hour.times[1] < since:
                continue
            if (rows := hour.of_games(wanted, _EMPTY.column_names)) is not None:
                if hour.times[0] < since or hour.times[1] > until:
                    rows = rows.filter(_between(rows, since, until + 1))
                tables.append(rows)
                if sum(table.num_rows for table in tables) > _MOST_ROWS:
                    tables = [_last_of(tables)]
        return _last_of(tables)


def _began(game: OldGame, since: int | None, until: int) -> bool:
    """Return whether a game began from a time to before another; without ``since`` maybe."""
    at = game.match_date
    return since is None if at is None else (since is None or since <= at) and at < until


def _span(asked: OldMoves) -> tuple[int, int]:
    """Return the requested span: from a time to before another."""
    after = -_FOREVER if asked.after is None else asked.after[0]
    since = -_FOREVER if asked.since is None else asked.since
    until = asked.before if asked.until is None else min(asked.until, asked.before)
    return max(after, since), until


def _wanted(rows: pa.Table, asked: OldMoves, since: int, until: int) -> Any:
    """Return which rows are requested."""
    at = rows["scraped_at"].cast(pa.int64())
    conditions = [_between(rows, since, until)]
    for name in ("market_type", "period", "selection", "bookmaker"):
        if (value := getattr(asked, name)) is not None:
            conditions.append(pc.equal(rows[name], value))
    if not asked.live:
        conditions.append(pc.invert(rows["is_live"]))
    if asked.left_out:
        names = pa.array(sorted(asked.left_out), pa.string())
        conditions.append(pc.invert(pc.is_in(rows["bookmaker"], value_set=names)))
    if asked.after is not None:
        time, seq = asked.after
        is_later = pc.and_(pc.equal(at, time), pc.greater(rows["seq"], seq))
        conditions.append(pc.or_(pc.greater(at, time), is_later))
    kept = conditions[0]
    for condition in conditions[1:]:
        kept = pc.and_(kept, condition)
    return kept


def _between(rows: pa.Table, since: int, until: int) -> Any:
    """Return which rows were scraped from one time to before another."""
    at = rows["scraped_at"].cast(pa.int64())
    return pc.and_(pc.greater_equal(at, since), pc.less(at, until))


def _named(rows: pa.Table, games: Mapping[str, WrittenGame]) -> Iterator[LoggedMove]:
    """Yield rows like those of the log, with games as last written."""
    for start in range(0, rows.num_rows, _AT_ONCE):
        part = rows.slice(start, _AT_ONCE)
        values = (values_of(part[name], name) for name in part.column_names)
        for seq, recorded_at, scraped_at, ident, *rest in zip(*values, strict=True):
            game = games[ident].game
            sport = played_sport(game.competition, game.sport)
            named = (ident, game.match_name, game.competition, sport, game.match_date)
            yield LoggedMove(seq, recorded_at, scraped_at, *named, *rest)


def _sorted(tables: Sequence[pa.Table]) -> pa.Table:
    order = [("scraped_at", "ascending"), ("seq", "ascending")]
    return pa.concat_tables(tables).sort_by(order)


def _has(tables: list[pa.Table], limit: int, next_at: int) -> bool:
    """Return whether ``limit`` rows come before all of a time; keep only these."""
    if sum(table.num_rows for table in tables) < limit:
        return False
    tables[:] = [_sorted(tables).slice(0, limit)]
    last = tables[0]["scraped_at"].cast(pa.int64())[-1].as_py()
    return bool(last < next_at)


def _last_of(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the last row of each selection, of rows in the order of the log within each."""
    rows = pa.concat_tables(tables)
    key = pa.repeat(pa.scalar(0, pa.int64()), rows.num_rows)
    for name in _SELECTION:  # one number for all five: texts took ten times as long to group by
        coded = rows[name].combine_chunks().dictionary_encode()
        key = pc.add(pc.multiply(key, len(coded.dictionary)), coded.indices.cast(pa.int64()))
    places = pa.table({"key": key, "row": pa.arange(0, rows.num_rows)})
    return rows.take(places.group_by("key").aggregate([("row", "max")])["row_max"])
