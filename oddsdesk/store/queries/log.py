"""The log of price changes: its tail for the stream, its past for charts.

By game: a file has an index for that; PostgreSQL, whose log no desk reads back, scans its log.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import add, attrgetter, itemgetter
from typing import Any, Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import PriceChange
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.store.databases import ARCHIVE, KEEP_DAYS, LAST_MADE_UP_MOVE
from oddsdesk.store.games import NO_DATE
from oddsdesk.store.queries.game import GameRow, game_by_id
from oddsdesk.store.queries.lists import may_be_shared, share_parameter
from oddsdesk.store.queries.moves import WantedMoves, price_change
from oddsdesk.store.queries.past import GONE, Older, log_began
from oddsdesk.store.queries.select import OF_SHARD, WITH_LEVELS, Row, Select
from oddsdesk.store.spans import ArchivedRow, FindOlder, LoggedMove, OldMoves, Span
from oddsdesk.store.values import (
    Change,
    HistoryPoint,
    MoveFilter,
    MovePlace,
    Page,
    SelectionKey,
    Visibility,
    from_cursor,
    to_cursor,
)

_SETTING: Final = "SELECT value FROM setting WHERE key = :key"
_AFTER: Final = f"""
SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
    c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
    CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {{shared}},
    {WITH_LEVELS}
FROM price_change c CROSS JOIN game g ON g.id = c.game
LEFT JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
    AND q.market_type = c.market_type AND q.period = c.period
WHERE {OF_SHARD} AND c.seq > :seq ORDER BY c.seq LIMIT :limit
"""
_LEFT_OUT: Final = """
SELECT DISTINCT game, bookmaker FROM origin
WHERE game IN (SELECT value FROM json_each(:games)) AND NOT may_share
    AND NOT source IN (SELECT value FROM json_each(:share))
"""
LAST_SEQ: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'price_change'"
_HISTORY: Final = """
SELECT c.bookmaker, c.odds, c.is_live, c.scraped_at
FROM price_change c INDEXED BY price_change_selection
WHERE c.game = (SELECT id FROM game WHERE game_id = :game_id)
    AND c.selection = :selection AND c.market_type = :market_type AND c.period = :period
ORDER BY c.scraped_at, c.seq
"""
STOOD: Final = """
SELECT asked.place, asked.selection, c.odds
FROM (
    SELECT value ->> 0 AS place, value ->> 1 AS game, value ->> 2 AS bookmaker,
        value ->> 3 AS market_type, value ->> 4 AS period, value ->> 5 AS at,
        value ->> 6 AS selection
    FROM json_each(:asked)
) asked CROSS JOIN price_change c INDEXED BY price_change_selection
    ON c.game = asked.game AND c.selection = asked.selection
    AND c.market_type = asked.market_type AND c.period = asked.period
    AND c.bookmaker = asked.bookmaker AND c.scraped_at = (
        SELECT max(scraped_at) FROM price_change INDEXED BY price_change_selection
        WHERE game = asked.game AND selection = asked.selection
            AND market_type = asked.market_type AND period = asked.period
            AND bookmaker = asked.bookmaker AND scraped_at <= asked.at
    )
"""
"""Which prices of ``:asked`` were current, a JSON array of arrays in this order."""
WITHDRAWN: Final = """
SELECT asked.value ->> 0 FROM json_each(:asked) asked WHERE EXISTS (
    SELECT 1 FROM price_change INDEXED BY price_change_time
    WHERE game = asked.value ->> 1 AND scraped_at = asked.value ->> 5
        AND bookmaker = asked.value ->> 2 AND market_type = asked.value ->> 3
        AND period = asked.value ->> 4 AND odds IS NULL
)
"""
"""The places of the markets of ``:asked`` that ended at their time."""
_CHANGES_BETWEEN: Final = """
SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
    c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
    CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {shared}, NULL
FROM game g CROSS JOIN price_change c INDEXED BY price_change_time
WHERE g.first_scraped_at <= :until AND g.last_scraped_at >= :since
    AND c.game = g.id AND c.scraped_at > :since AND c.scraped_at <= :until
ORDER BY c.scraped_at, c.seq LIMIT :limit
"""
_OF_GAME: Final = "FROM price_change c INDEXED BY price_change_time WHERE c.game = g.id"
_FIRST_OF: Final = f"SELECT min(scraped_at) {_OF_GAME}"
_LAST_OF: Final = f"SELECT max(scraped_at) {_OF_GAME}"
_ENDS: Final = f"SELECT min(({_FIRST_OF})), max(({_LAST_OF})) FROM game g"
_COUNTS: Final = """
SELECT (c.scraped_at - :since) * :parts / (:until - :since) AS part, count(*)
FROM game g CROSS JOIN price_change c INDEXED BY price_change_time
WHERE g.first_scraped_at < :high AND g.last_scraped_at >= :low
    AND c.game = g.id AND c.scraped_at >= :low AND c.scraped_at < :high
GROUP BY part
"""
_NEXT: Final = f"""
SELECT min(({_FIRST_OF} AND c.scraped_at > :at)) FROM game g WHERE {{which}} last_scraped_at > :at
"""
_PREVIOUS: Final = f"""
SELECT max(({_LAST_OF} AND c.scraped_at < :at)) FROM game g WHERE {{which}} first_scraped_at < :at
"""
_KICK_OFFS: Final = f"""
SELECT kickoff, count(*) FROM game
WHERE kickoff >= :since AND kickoff < :until AND first_scraped_at < {NO_DATE}
GROUP BY kickoff ORDER BY kickoff LIMIT :limit
"""
_LARGEST: Final = """
SELECT scraped_at FROM (
    SELECT scraped_at, is_live, bookmaker, odds, lag(odds) OVER (
        PARTITION BY bookmaker, market_type, period, selection ORDER BY scraped_at, seq
    ) AS before
    FROM price_change WHERE game = (SELECT id FROM game WHERE game_id = :game_id)
) moves
WHERE odds IS NOT NULL AND before IS NOT NULL
ORDER BY CASE bookmaker WHEN :reference THEN 0 ELSE 1 END, is_live,
    abs(1 / odds - 1 / before) DESC, scraped_at LIMIT 1
"""
_FIRST: Final = f"""
SELECT seq, recorded_at FROM price_change c WHERE {OF_SHARD} AND seq > :after AND seq <= :until
ORDER BY seq LIMIT 1
"""
_SPAN_BETWEEN: Final = f"""
SELECT min(seq), max(seq), count(*), min(recorded_at), max(recorded_at)
FROM price_change c WHERE {OF_SHARD} AND seq BETWEEN :first AND :last
"""
_ROWS: Final = f"""
SELECT c.seq, g.game_id, g.match_name, g.competition, g.sport, g.match_date,
    c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live,
    c.scraped_at, c.recorded_at, c.liquidity
FROM price_change c CROSS JOIN game g
WHERE {OF_SHARD} AND g.id = c.game AND c.seq > :after AND c.seq <= :until
ORDER BY c.seq LIMIT :limit
"""
_LOGGED: Final = f"""
SELECT c.seq, c.recorded_at, c.scraped_at, g.game_id, g.match_name, g.competition, g.sport,
    g.match_date, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live, c.liquidity
FROM price_change c CROSS JOIN game g
WHERE {OF_SHARD} AND g.id = c.game AND c.seq > :after AND c.seq <= :until
    AND +c.scraped_at >= :since AND +c.scraped_at < :before
ORDER BY c.seq
"""
_SOME_GAMES: Final = 50
"""How many games are scanned at a time: a query across a network has a time limit."""
_NEXT_GAMES: Final = """
SELECT max(id) FROM (SELECT id FROM game WHERE id > :after ORDER BY id LIMIT :limit) part
"""
_LAST: Final = f"""
SELECT max(c.seq), g.game_id FROM game g CROSS JOIN price_change c
WHERE {OF_SHARD} AND g.id > :after AND g.id <= :until AND c.game = g.id GROUP BY g.id, g.game_id
"""
_SOURCES: Final = "SELECT DISTINCT source FROM origin ORDER BY source"
_OF_SELECTION: Final = """
FROM price_change INDEXED BY price_change_selection
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""
MOVES_SINCE: Final = f"""
SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq >= :first ORDER BY seq
"""
MOVE_BEFORE: Final = f"""
SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq < :first ORDER BY seq DESC LIMIT 1
"""
FOLLOWING: Final = """
SELECT seq, recorded_at FROM price_change WHERE seq >= :seq ORDER BY seq LIMIT 1
"""
_NEWEST: Final = """
SELECT seq, recorded_at FROM price_change WHERE seq = (SELECT max(seq) FROM price_change)
"""
_SEEN: Final = """
SELECT seen.bookmaker, seen.market_type, seen.period, seen.scraped_at
FROM game g CROSS JOIN {} seen WHERE g.game_id = :game_id AND seen.game = g.id
"""
_LAST_SEEN: Final = f"{_SEEN.format('closing_sighting')} UNION ALL {_SEEN.format('quote')}"
_SILENCES: Final = """
SELECT quiet_since, quiet_until FROM (
    SELECT until AS quiet_since,
        lead(since, 1, CAST(:now AS bigint)) OVER (ORDER BY since) AS quiet_until
    FROM recorded
) pauses WHERE quiet_until - quiet_since > :longest AND quiet_until >= :since ORDER BY quiet_since
"""
_encode: Final = msgspec.json.Encoder().encode


class LogReader:
    """Reads the log, whose shards are numbered separately, and the archive before it."""

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

    @property
    def share(self) -> tuple[str, ...] | None:
        """Sources that it includes although they forbid passing on; None: all."""
        return self._share

    def close(self) -> None:
        """Close the connection; the store does it."""
        self._select.close()

    def archive(self) -> str | None:
        """Return the folder of the archive, if there ever was one."""
        rows = self._select(_SETTING, {"key": ARCHIVE})
        return str(rows[0][0]) if rows else None

    def keep_days(self) -> int | None:
        """Return how many days the log is kept, 0 for ever; None if never set."""
        return self._setting(KEEP_DAYS)

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log of a shard after ``seq``, at most ``limit`` rows."""
        asked = {"shard": shard, "seq": seq, "limit": limit, "reference": self._reference}
        return self._changes(_AFTER, asked)

    def pairs_left_out(
        self, changes: Iterable[Change], share: Collection[str]
    ) -> frozenset[tuple[int, str]]:
        """Return the games, by row, and bookmakers in changes that may not be passed on.

        Except of the sources in ``share``.
        """
        games = sorted({change.game for change in changes})
        asked = {"games": self._select.list_parameter(games)}
        rows = self._select(_LEFT_OUT, {**asked, **share_parameter(self._select, share)})
        return frozenset((game, bookmaker) for game, bookmaker in rows)

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of a shard's log, 0 if it is empty."""
        rows = self._select(LAST_SEQ, {"shard": shard})
        return int(rows[0][0]) if rows else 0

    def first_after(self, shard: int, seq: int) -> int | None:
        """Return the number of the first log row after one; None without any."""
        found = self._first_row(shard, seq, self.last_seq(shard))
        return None if found is None else found[0]

    def last_made_up(self, shard: int) -> int:
        """Return the number of the last row of a shard's log that was simulated before real odds.

        0 where none was, or where all still are.
        """
        return self._setting(f"{LAST_MADE_UP_MOVE}{shard}") or 0

    def hour_after(self, shard: int, seq: int, until: int) -> Span | None:
        """Return the first hour after a row, up to ``until``: all rows up to the next hour's."""
        first = self._first_row(shard, seq, until)
        if first is None:
            return None
        next_hour_ms = (first[1] // HOUR_MS + 1) * HOUR_MS
        low, high = first[0] + 1, until + 1
        while low < high:  # for the first row of the next hour
            middle = (low + high) // 2
            row = self._first_row(shard, middle - 1, until)
            if row is None or row[1] >= next_hour_ms:
                high = middle
            else:
                low = row[0] + 1
        return self.span_between(shard, first[0], low - 1)

    def span_between(self, shard: int, first: int, last: int) -> Span | None:
        """Return the log's span from one number to another; None if it is empty."""
        found = self._select(_SPAN_BETWEEN, {"shard": shard, "first": first, "last": last})[0]
        low, high, rows, began, ended = found
        return Span(shard, low, high, rows, began, ended) if rows else None

    def span_rows(self, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
        """Return rows of a span after one, by number, with the current names of games."""
        asked = {"shard": span.shard, "after": after, "until": span.last, "limit": limit}
        return self._select(_ROWS, asked)

    def logged(
        self, shard: int, after: int, until: int, since_ms: int, before_ms: int
    ) -> Sequence[LoggedMove]:
        """Return moves after one and up to another of a shard, by number, for exports.

        Only prices scraped from ``since_ms`` to before ``before_ms``; all at once, so request few
        numbers at a time.
        """
        asked = {"shard": shard, "after": after, "until": until}
        rows = self._select(_LOGGED, {**asked, "since": since_ms, "before": before_ms})
        return list(map(LoggedMove._make, rows))

    def last_moves(self, shard: int) -> list[tuple[int, str]]:
        """Return the number of the last move of each game of a shard, with its id, in order.

        It scans the whole log, some games at a time: for exports, not for answers.
        """
        found: list[tuple[int, str]] = []
        asked = {"shard": shard, "after": -1, "limit": _SOME_GAMES}
        while (until := self._select(_NEXT_GAMES, asked)[0][0]) is not None:
            found += self._select(_LAST, {**asked, "until": until})
            asked["after"] = until
        return sorted(found)

    def all_sources(self) -> list[str]:
        """Return the known sources of all prices."""
        return [source for (source,) in self._select(_SOURCES)]

    def are_in_log(self, quotes: Sequence[tuple[int, Quote]]) -> list[bool]:
        """Return for each quote, given with its game's row, whether the log has all its prices.

        A price is there if it was current at the time of the quote. A quote without prices is there
        if the log has that market ending at that time. Archived moves are not looked up, so such a
        quote counts as missing.
        """
        priced, withdrawn = [], []
        for place, (game, quote) in enumerate(quotes):
            quoted = (quote.bookmaker, quote.market_type, quote.period, quote.scraped_at)
            market = (place, game, *quoted)
            if not quote.odds:
                withdrawn.append(market)
            priced += [(*market, selection) for selection in quote.odds]
        counts = Counter[int]()
        if priced:
            asked = {"asked": _encode(priced).decode()}
            stood = {(place, name, odds) for place, name, odds in self._select(STOOD, asked)}
            counts.update(
                place
                for place, (_, quote) in enumerate(quotes)
                for name, odds in quote.odds.items()
                if (place, name, odds) in stood
            )
        if withdrawn:
            asked = {"asked": _encode(withdrawn).decode()}
            counts.update(place for (place,) in self._select(WITHDRAWN, asked))
        return [counts[place] >= max(len(quote.odds), 1) for place, (_, quote) in enumerate(quotes)]

    def history(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how the prices of a selection moved, by time of recording.

        Starts with each bookmaker's price at ``since_ms``.
        """
        if (older := self._older()) is not None:
            moves = older.all_moves(game_id, MoveFilter(market_type, period, selection))
            points = ((m.bookmaker, m.odds, m.is_live, m.scraped_at) for m in moves)
            return _since(points, since_ms)
        asked = {"game_id": game_id, "market_type": market_type, "period": period}
        return _since(self._select(_HISTORY, {**asked, "selection": selection}), since_ms)

    def reference_history(
        self, game_id: str, selections: Iterable[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[HistoryPoint]]:
        """Return how the sharp book's prices moved, by (market type, period, selection).

        Each starts with the price at that time; those without any are left out.
        """
        if (older := self._older()) is not None:
            asked = {key: (game_id, self._reference, key, since_ms) for key in selections}
            found = {key: older.history_of(*each) for key, each in asked.items()}
        else:
            with self._select.together():
                found = self._reference_history(game_id, selections, since_ms)
        return {key: points for key, points in found.items() if points}

    def _reference_history(
        self, game_id: str, selections: Iterable[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[HistoryPoint]]:
        asked = {"game_id": game_id, "bookmaker": self._reference, "since_ms": since_ms}
        asked["first"] = _first_since(self._select, since_ms)
        found = {}
        for key in selections:
            market_type, period, selection = key
            market = {"market_type": market_type, "period": period, "selection": selection}
            moves = (MOVE_BEFORE, MOVES_SINCE)
            rows = [row for query in moves for row in self._select(query, {**asked, **market})]
            rows.sort(key=itemgetter(2))  # a clock that was put back recorded earlier times later
            found[key] = [
                HistoryPoint(self._reference, odds, bool(is_live), scraped_at)
                for odds, is_live, scraped_at in rows
            ]
        return found

    def last_sightings(self, game_id: str) -> dict[tuple[str, str, int], list[int]]:
        """Return when each bookmaker's market of a game was last seen, changed or not.

        By bookmaker, market type and period: pre-match, or before it ended, if known; then in all.
        """
        seen: defaultdict[tuple[str, str, int], list[int]] = defaultdict(list)
        for *market, scraped_at in self._select(_LAST_SEEN, {"game_id": game_id}):
            seen[market[0], market[1], market[2]].append(scraped_at)
        return {market: sorted(times) for market, times in seen.items()}

    def log_began(self) -> int | None:
        """Return since when odds are recorded, as far as log and archive are kept."""
        first, older = log_began(self._select), self._older()
        archived = None if older is None else older.log.began()
        return min((each for each in (first, archived) if each is not None), default=None)

    def lacks(self) -> str:
        """Return why older moves than the log's are missing although they are archived; one line.

        Empty if nothing is missing.
        """
        self._older()
        return "" if self._find_older is None else self._find_older.unreadable

    def silences(self, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
        """Return the spans, longer than ``longest_ms``, in which nothing was recorded."""
        asked = {"since": since_ms, "now": now_ms, "longest": longest_ms}
        return [(since, until) for since, until in self._select(_SILENCES, asked)]

    def changes_between(self, since_ms: int, until_ms: int, limit: int) -> list[Change]:
        """Return the moves of prices scraped after a moment and not after another, in order.

        At most ``limit``: a caller who gets as many has to request the rest differently.
        """
        asked = {"since": since_ms, "until": until_ms, "limit": limit}
        held = self._changes(_CHANGES_BETWEEN, {**asked, "reference": self._reference})
        if (older := self._older()) is None:
            return held
        wanted = OldMoves(older.before(), since=since_ms + 1, until=until_ms + 1)
        known = {(each.seq, each.scraped_at, each.odds) for each in held}
        found = [
            move
            for move in older.log.archived_moves(wanted, limit)
            if (move.seq, move.scraped_at, move.odds) not in known
        ]
        both = [*held, *self._as_changes(found, older)]
        return sorted(both, key=lambda change: (change.scraped_at, change.seq))[:limit]

    def log_ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price of the log; None if it is empty."""
        first, last = self._select(_ENDS)[0]
        held, older = None if first is None else (int(first), int(last)), self._older()
        found = None if older is None else older.log.ends(older.before())
        if held is None or found is None:
            return held or found
        return min(held[0], found[0]), max(held[1], found[1])

    def move_counts(self, since_ms: int, until_ms: int, parts: int) -> list[int]:
        """Return how many prices moved in each of ``parts`` equal parts of a span.

        Times before the database's oldest complete one come from the archive, or from the database
        if that has more: imported rows that are not archived yet.
        """
        asked = {"since": since_ms, "until": until_ms, "parts": parts}
        if (older := self._older()) is None:
            return self._counts(asked, since_ms, until_ms)
        seam = min(max(older.before(), since_ms), until_ms)
        early, late = self._counts(asked, since_ms, seam), self._counts(asked, seam, until_ms)
        archived = older.log.archived_counts(since_ms, until_ms, parts, older.before())
        return list(map(add, map(max, early, archived), late))

    def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        which = "" if game_id is None else "g.game_id = :game_id AND"
        asked = {"at": at_ms, "game_id": game_id}
        held = self._select(_PREVIOUS if back else _NEXT, asked, which=which)[0][0]
        times = [] if held is None else [int(held)]
        if (older := self._older()) is not None:
            ids = None if game_id is None else older.ids_of(game_id)
            found = older.log.next_move(at_ms, ids, older.before(), back=back)
            times += [] if found is None else [found]
        return (max if back else min)(times, default=None)

    def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most, by probability; None without moves.

        The sharp book's if it moved at all, pre-match if any did.
        """
        if (older := self._older()) is not None:
            return _largest(older.all_moves(game_id, MoveFilter()), self._reference)
        found = self._select(_LARGEST, {"game_id": game_id, "reference": self._reference})
        return int(found[0][0]) if found else None

    def kick_offs(self, since_ms: int, until_ms: int, limit: int) -> list[tuple[int, int]]:
        """Return the first kick-offs in a span, each with its number of games."""
        asked = {"since": since_ms, "until": until_ms, "limit": limit}
        found = Counter[int](dict(self._select(_KICK_OFFS, asked)))
        if (older := self._older()) is not None:
            found.update(game.begins_ms for game in older.forgotten_games(since_ms, until_ms))
        return sorted(found.items())[:limit]

    def moves(
        self,
        game_id: str,
        wanted: MoveFilter,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[PriceChange] | None:
        """Return how a game's prices moved, by ``scraped_at``; None for an unknown game.

        Equal times are in the order of recording.
        """
        after = None if cursor is None else from_cursor(cursor, MovePlace)
        allowed = visibility.of_share(self._share)
        with self._select.together():
            older = self._older()
            game = self._game(game_id, allowed, older)
            if game is None:
                return None
            reading = WantedMoves(self._select, self._reference, wanted, allowed, older)
            rows = reading.of_game(game, limit + 1, after)
        changes = [price_change(row) for row in rows[:limit]]
        if len(rows) <= limit:
            return Page(changes, None)
        scraped_at, seq = rows[limit - 1][-2:]
        return Page(changes, to_cursor(MovePlace(scraped_at, seq)))

    def _changes(self, query: str, asked: dict[str, Any]) -> list[Change]:
        asked |= share_parameter(self._select, self._share)
        rows = self._select(query, asked, shared=may_be_shared("c", self._share))
        return list(map(_change, rows))

    def _as_changes(self, moves: Iterable[LoggedMove], older: Older) -> Iterator[Change]:
        """Yield archived rows like those of the log; ``game`` is 0 for removed games."""
        shares_forgotten = older.may_share_forgotten(self._share)
        games: dict[str, tuple[GameRow, frozenset[str]]] = {}
        for move in moves:
            if move.game_id not in games:
                game = game_by_id(self._select, move.game_id) or GameRow(GONE, *move[3:8])
                games[move.game_id] = game, older.forbidden(game, self._share)
            game, forbidden = games[move.game_id]
            yield Change(
                move.seq,
                *game[:5],
                *move[8:13],
                bool(move.is_live),
                move.scraped_at,
                move.liquidity if move.bookmaker == self._reference else None,
                is_left_out=move.bookmaker in forbidden or not (shares_forgotten or game.row),
            )

    def _counts(self, asked: dict[str, int], low: int, high: int) -> list[int]:
        """Return the counts of the parts, of prices from one time to before another."""
        found = [0] * asked["parts"]
        for part, count in self._select(_COUNTS, {**asked, "low": low, "high": high}):
            found[int(part)] = count
        return found

    def _first_row(self, shard: int, after: int, until: int) -> tuple[int, int] | None:
        """Return number and ``recorded_at`` of the first row after one; None without any."""
        rows = self._select(_FIRST, {"shard": shard, "after": after, "until": until})
        return (rows[0][0], rows[0][1]) if rows else None

    def _game(self, game_id: str, visibility: Visibility, older: Older | None) -> GameRow | None:
        """Return the game with an id, from the archive if the database has removed it."""
        game = game_by_id(self._select, game_id)
        return (
            game if game is not None or older is None else older.forgotten_game(game_id, visibility)
        )

    def _older(self) -> Older | None:
        """Return the archive's addition to an answer, None without one or if it cannot be read."""
        log = None if self._find_older is None else self._find_older(self)
        return None if log is None else Older(self._select, log)

    def _setting(self, key: str) -> int | None:
        rows = self._select(_SETTING, {"key": key})
        return int(rows[0][0]) if rows else None


def _change(row: Row) -> Change:
    return Change(
        seq=row[0],
        game=row[1],
        game_id=row[2],
        match_name=row[3],
        competition=row[4],
        sport=row[5],
        bookmaker=row[6],
        market_type=row[7],
        period=row[8],
        selection=row[9],
        odds=row[10],
        is_live=bool(row[11]),
        scraped_at=row[12],
        liquidity=row[13],
        is_left_out=bool(row[14]),
        offers=row[15],
    )


def _since(rows: Iterable[Row], since_ms: int) -> list[HistoryPoint]:
    standing: dict[str, HistoryPoint] = {}
    later: list[HistoryPoint] = []
    for bookmaker, odds, is_live, scraped_at in rows:
        point = HistoryPoint(bookmaker, odds, bool(is_live), scraped_at)
        if scraped_at < since_ms:
            standing[bookmaker] = point
        else:
            later.append(point)
    return [point for point in standing.values() if point.odds is not None] + later


def _largest(moves: Iterable[LoggedMove], reference: str) -> int | None:
    """Return the same as ``_LARGEST`` for given moves."""
    before: dict[tuple[object, ...], float | None] = {}
    ranked: list[tuple[bool, bool, float, int]] = []
    for move in sorted(moves, key=attrgetter("scraped_at", "seq")):
        key = move[8:12]
        last, before[key] = before.get(key), move.odds
        if last is not None and move.odds is not None:
            moved = abs(1 / move.odds - 1 / last)
            is_others = move.bookmaker != reference
            ranked.append((is_others, bool(move.is_live), -moved, move.scraped_at))
    return min(ranked)[-1] if ranked else None


def _first_since(select: Select, since_ms: int) -> int:
    """Return the ``seq`` of the first row recorded at or after a time; one past the end if none."""
    first = select(FOLLOWING, {"seq": 0})
    if not first:
        return 1
    low, high = first[0][0], select(_NEWEST)[0][0] + 1
    while low < high:
        middle = (low + high) // 2
        rows = select(FOLLOWING, {"seq": middle})
        if not rows or rows[0][1] >= since_ms:
            high = middle
        else:
            low = rows[0][0] + 1
    return int(low)
