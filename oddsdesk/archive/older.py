"""The archive as what a database's readers go on into: ``store.older.OlderLog``.

What is found out about its files is kept, as they stay as they are: after the first question a
game's rows are looked for in those files alone that have it.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.archive.files import archived_files
from oddsdesk.archive.hour import ArchivedHour
from oddsdesk.archive.reading import moves_of
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.games import UNDATED_MS
from oddsdesk.store.older import OldGame, OldMoves
from oddsdesk.store.spans import LoggedMove, Position

_LISTED_MS: Final = 7 * 24 * 60 * MINUTE_MS
"""How long after its kick-off a game may be listed yet: that may have been moved since."""
_SELECTION: Final = ("game_id", "bookmaker", "market_type", "period", "selection")
_MOST_ROWS: Final = 500_000
"""So many are looked through at a time for the last of each selection: some 100 MB."""
_FOREVER: Final = 2**62

Standing = Mapping[OldGame, Sequence[LoggedMove]]


class _Written(NamedTuple):
    """A game as it was written last, and which row of it that was."""

    game: OldGame
    shard: int
    seq: int


class ArchivedLog:
    """The files of one archive's folder, looked for anew whenever more may have gone into them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._before: int | None = None
        self._hours: dict[Path, ArchivedHour] = {}
        self._games: dict[str, _Written] = {}
        self._known: set[Path] = set()
        """Files whose games are in it."""
        self._stood: tuple[tuple[int, int], Standing] | None = None

    def game(self, game_id: str, before: int) -> OldGame | None:
        """Return a game, None where it is not there."""
        with self._reading():
            found = self._all_games(self._listed(before)).get(game_id)
        return None if found is None else found.game

    def games(self, since: int, until: int, before: int, behind: Position = ()) -> list[OldGame]:
        """Return the games that began from a time to before another, by id.

        With ``behind`` those alone that have rows behind one of each shard.
        """
        with self._reading():
            known = sorted(self._all_games(self._listed(before)).items())
        return [
            game
            for _, (game, shard, seq) in known
            if game.match_date is not None
            and since <= game.match_date < until
            and (not behind or seq > behind[shard])
        ]

    def moves(self, asked: OldMoves, limit: int | None = None) -> list[LoggedMove]:
        """Return moves by ``scraped_at``, those of one time by number; the first ``limit``."""
        since, until = _span(asked)
        tables: list[pa.Table] = []
        with self._reading():
            for hour in self._by_time(asked.before, since, until):
                if limit is not None and tables and _has(tables, limit, hour.times[0]):
                    break
                rows = hour.between(since, until) if asked.game_ids is None else None
                rows = hour.of_games(asked.game_ids) if asked.game_ids is not None else rows
                if rows is not None:
                    tables.append(rows.filter(_wanted(rows, asked, since, until)))
        return moves_of(_sorted(tables).slice(0, limit)) if tables else []

    def standing(self, at: int, before: int) -> Standing:
        """Return the last move of each selection up to a moment, of games that may be listed."""
        kept = self._stood
        if kept is None or kept[0] != (at, before):
            with self._reading():
                kept = self._stood = (at, before), self._standing(at, before)
        return kept[1]

    def began(self) -> int | None:
        """Return when its first row was recorded; None where it has none."""
        with self._reading():
            hours = self._listed(self._before)
            firsts = {hour.file.shard: hour for hour in reversed(hours)}
            return min((hour.began for hour in firsts.values()), default=None)

    def ends(self, before: int) -> tuple[int, int] | None:
        """Return the times of its first and its last price; None where it has none."""
        with self._reading():
            times = [hour.times for hour in self._listed(before)]
        if not times:
            return None
        return min(first for first, _ in times), max(last for _, last in times)

    def counts(self, since: int, until: int, parts: int, before: int) -> list[int]:
        """Return how many prices moved in each of so many equal parts of a span."""
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
                rows = None if game_ids is None else hour.of_games(game_ids)
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
        """Say what cannot be read as a database's readers do; look for the files anew then."""
        try:
            yield
        except (ArchiveError, OSError, pa.ArrowException) as error:
            with self._lock:
                self._before = None
                self._hours.clear()
            raise StoreUnavailableError(f"the archive cannot be read: {error}") from error

    def _listed(self, before: int | None) -> list[ArchivedHour]:
        """Return all files in order; what went since the last look is in files that are new."""
        with self._lock:
            if before is None or before != self._before:
                known = self._hours
                files = archived_files(self._folder)
                self._hours = {
                    file.path: known.get(file.path) or ArchivedHour(file) for file in files
                }
                self._before = before
            return list(self._hours.values())

    def _by_time(self, before: int, since: int, until: int) -> list[ArchivedHour]:
        """Return files that have prices of a span, those with the earliest first."""
        found = [
            hour
            for hour in self._listed(before)
            if hour.times[0] < min(until, before) and hour.times[1] >= since
        ]
        return sorted(found, key=lambda hour: hour.times)

    def _all_games(self, hours: Iterable[ArchivedHour]) -> dict[str, _Written]:
        """Return the games of all files, each as it was written last."""
        with self._lock:
            for hour in hours:
                if hour.file.path not in self._known:
                    for seq, game in hour.games():
                        self._games[game.game_id] = _Written(game, hour.file.shard, seq)
                    self._known.add(hour.file.path)
            return self._games

    def _standing(self, at: int, before: int) -> Standing:
        hours = self._listed(before)
        games = self._all_games(hours)
        wanted = [
            game.game_id
            for game, _, _ in list(games.values())
            if game.match_date is None or game.match_date >= at - _LISTED_MS
        ]
        tables: list[pa.Table] = []
        for hour in hours:  # in the order of the log
            if hour.times[0] <= at and (rows := hour.of_games(wanted)) is not None:
                tables.append(rows.filter(_wanted(rows, OldMoves(before), -_FOREVER, at + 1)))
                if sum(table.num_rows for table in tables) > _MOST_ROWS:
                    tables = [_last_of(tables)]
        found: dict[OldGame, list[LoggedMove]] = {}
        for move in moves_of(_last_of(tables)) if tables else ():
            found.setdefault(games[move.game_id].game, []).append(move)
        return {
            game: moves
            for game, moves in found.items()
            if game.match_date is not None
            or max(move.scraped_at for move in moves) >= at - UNDATED_MS
        }


def _span(asked: OldMoves) -> tuple[int, int]:
    """Return from when to before when prices are asked for."""
    after = -_FOREVER if asked.after is None else asked.after[0]
    since = -_FOREVER if asked.since is None else asked.since
    until = asked.before if asked.until is None else min(asked.until, asked.before)
    return max(after, since), until


def _wanted(rows: pa.Table, asked: OldMoves, since: int, until: int) -> Any:
    """Return which rows are asked for."""
    at = rows["scraped_at"].cast(pa.int64())
    conditions = [pc.greater_equal(at, since), pc.less(at, until)]
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


def _sorted(tables: Sequence[pa.Table]) -> pa.Table:
    order = [("scraped_at", "ascending"), ("seq", "ascending")]
    return pa.concat_tables(tables).sort_by(order)


def _has(tables: list[pa.Table], limit: int, next_at: int) -> bool:
    """Say whether so many rows are there that come before all of a time; keep no more of them."""
    if sum(table.num_rows for table in tables) < limit:
        return False
    tables[:] = [_sorted(tables).slice(0, limit)]
    last = tables[0]["scraped_at"].cast(pa.int64())[-1].as_py()
    return bool(last < next_at)


def _last_of(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the last row of each selection, of rows in the order of the log within each."""
    rows = pa.concat_tables(tables)
    key = pa.array([0] * rows.num_rows, pa.int64())
    for name in _SELECTION:  # one number for all five: texts took ten times as long to group by
        coded = rows[name].combine_chunks().dictionary_encode()
        key = pc.add(pc.multiply(key, len(coded.dictionary)), coded.indices.cast(pa.int64()))
    places = pa.table({"key": key, "row": pa.array(range(rows.num_rows), pa.int64())})
    return rows.take(places.group_by("key").aggregate([("row", "max")])["row_max"])
