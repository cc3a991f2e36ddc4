"""Recording quotes: change detection against present state, and the log of what changed."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.bookmaker_names import BookmakerNames
from oddsdesk.store.games import Games
from oddsdesk.store.order import ordered_selections
from oddsdesk.store.origins import Origin, origin_of_event
from oddsdesk.store.other_names import OtherNames
from oddsdesk.store.settings import (
    LAST_REAL_AT,
    LAST_SIMULATED_AT,
    NEWEST_SCRAPED_AT,
    note_source,
    number_setting,
    put_setting,
)
from oddsdesk.store.values import Recorded

_PRESENT = """
SELECT q.game, q.bookmaker, q.market_type, q.period,
    q.scraped_at, q.odds, q.is_live, q.selections
FROM json_each(?) pair CROSS JOIN quote q
    ON q.game = json_extract(pair.value, '$[0]') AND q.bookmaker = json_extract(pair.value, '$[1]')
"""
_KEEP = """
INSERT INTO quote (game, bookmaker, market_type, period,
                   is_live, scraped_at, selections, odds, liquidity, url, offers)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    is_live = excluded.is_live, scraped_at = excluded.scraped_at,
    selections = excluded.selections, odds = excluded.odds,
    liquidity = excluded.liquidity, url = excluded.url, offers = excluded.offers
"""
_LOG = """
INSERT INTO price_change (game, bookmaker, market_type, period, selection,
                          odds, is_live, scraped_at, liquidity, recorded_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UNCOVER = "DELETE FROM coverage WHERE game = ? AND bookmaker = ?"
_COVER = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    newest = excluded.newest, oldest = excluded.oldest, selections = excluded.selections
"""
_SOURCE = """
INSERT INTO source (bookmaker, market_type, newest) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest)
"""
_RAISE = """
UPDATE game SET last_scraped_at = max(last_scraped_at, ?), has_live = max(has_live, ?)
WHERE id = ?
"""
_RECENT = "UPDATE game SET recent = 1 WHERE id = ? AND NOT recent"  # touches no index where it is
SUM_UP: Final = """
UPDATE game SET (last_scraped_at, has_live) = (
    SELECT coalesce(max(newest), 0), coalesce(max(is_live), 0) FROM coverage WHERE game = :game
) WHERE id = :game
"""
_GO_ON = """
UPDATE recorded SET until = max(until, :now)
WHERE since = (SELECT max(since) FROM recorded) AND until >= :now - :pause
"""
_BEGIN_AGAIN = "INSERT OR IGNORE INTO recorded (since, until) VALUES (:now, :now)"
_ACCEPTED = """
SELECT game.id, pair.id FROM game_pair pair CROSS JOIN game ON game.game_id = pair.kept
WHERE pair.state = 'accepted' ORDER BY pair.decided_at
"""
_TOLD_BY = "INSERT OR IGNORE INTO origin (game, bookmaker, source, may_share) VALUES (?, ?, ?, ?)"
_SAY = "INSERT INTO said_since (pair, quote) VALUES (?, ?)"
_LAST_SEQ = "SELECT seq FROM sqlite_sequence WHERE name = 'price_change'"

RECENT_MS: Final = 24 * 60 * MINUTE_MS
"""Games whose newest price is this much older than the newest of all are in no list of fresh
prices: ``game.recent`` is 0 for them, which keeps the indexes of lists short."""
PAUSE_MS: Final = MINUTE_MS
"""A shorter pause between two recordings is not noted: ``recorded`` gets a row a minute at most."""

_SCRAPED_AT: Final = 5
_SELECTIONS: Final = 6
"""Places in a row of ``quote``."""

Pair = tuple[int, str]
Market = tuple[str, int]
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode
_encode: Final = msgspec.json.Encoder().encode


class _Present(msgspec.Struct, frozen=True, gc=False):
    """A bookmaker's present quote of a market; ``odds`` is the JSON as stored."""

    scraped_at: int
    odds: str | None
    is_live: bool
    selections: int


class _Recording:
    """One batch being recorded; quotes are taken in the order they come."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        reference: str,
        now_ms: int,
        other_names: OtherNames | None,
        origin: Origin | None,
    ) -> None:
        self._connection = connection
        self._origin = origin
        self._told_by: dict[tuple[Pair, str], Origin] = {}
        self._now_ms = now_ms
        self._games = Games(connection, reference, other_names)
        self._pairs = dict(connection.execute(_ACCEPTED).fetchall())
        self._said_since: list[tuple[int, bytes]] = []
        self._present: dict[Pair, dict[Market, _Present]] = {}
        self._kept: dict[tuple[Pair, Market], tuple[Any, ...]] = {}
        self._log: list[tuple[Any, ...]] = []
        self._uncovered: set[Pair] = set()
        self.quotes = 0
        self.skipped = 0

    def read_ahead(self, quotes: Collection[Quote]) -> None:
        """Read the games of quotes, and their present prices, in a few queries."""
        offers = {  # one quote of each bookmaker's offer of a game: they are of the same game
            (
                quote.competition,
                quote.match_name,
                quote.bookmaker,
                quote.match_date,
                quote.scraped_at if quote.match_date is None else 0,
                quote.event,
            ): quote
            for quote in quotes
        }.values()
        self._games.read_ahead(offers)
        known = ((self._games.known(quote), quote.bookmaker) for quote in offers)
        self._read({(game.row, bookmaker) for game, bookmaker in known if game is not None})

    def take(self, quote: Quote) -> None:
        """Compare a quote with the present one and note what to write."""
        game = self._games.of(quote)
        pair = (game.row, quote.bookmaker)
        market = (quote.market_type, quote.period)
        if pair not in self._present:
            self._read([pair])
        offer = self._present[pair]
        present = offer.get(market)
        if present is not None and quote.scraped_at < present.scraped_at:
            self.skipped += 1
            return
        self.quotes += 1
        if (origin := self._origin or origin_of_event(quote.event)) is not None:
            self._told_by[pair, origin.source] = origin
        self._games.note_times(game, quote)
        said = quote
        if game.other_names:
            quote = game.in_own_words(quote)
        odds = encoded_odds(quote.market_type, game.match_name, quote.odds)
        before = None if present is None else present.odds
        if odds != before:
            self._note_changes(pair, quote, before)
            if game.row in self._pairs:
                self._said_since.append((self._pairs[game.row], _encode(said)))
        if present is not None and (odds is None or present.is_live != quote.is_live):
            self._uncovered.add(pair)
        present = offer[market] = _Present(quote.scraped_at, odds, quote.is_live, len(quote.odds))
        self._kept[pair, market] = (
            *pair,
            *market,
            present.is_live,
            present.scraped_at,
            present.selections,
            odds,
            quote.liquidity,
            quote.url,
            None if quote.offers is None else _encode(quote.offers).decode(),
        )

    def write(self) -> int:
        """Write everything; return how many prices changed."""
        connection = self._connection
        pairs = {pair for pair, _ in self._kept}
        connection.executemany(_KEEP, self._kept.values())
        connection.executemany(_LOG, self._log)
        connection.executemany(_SAY, self._said_since)
        told = [(*pair, name, said.may_share) for (pair, name), said in self._told_by.items()]
        connection.executemany(_TOLD_BY, told)
        for source in {name for _, name in self._told_by}:
            note_source(connection, source, self._now_ms)
        connection.executemany(_UNCOVER, self._uncovered)
        covered = [row for pair in pairs for row in _coverage(pair, self._present[pair])]
        connection.executemany(_COVER, covered)
        newest = _newest(covered)
        since = self._recent_since(max((time for time, *_ in newest), default=0))
        connection.executemany(_RAISE, newest)
        connection.executemany(_RECENT, [(game,) for time, _, game in newest if time >= since])
        connection.executemany(_SOURCE, _sources(self._kept))
        games = {game for game, _ in self._uncovered}
        connection.executemany(SUM_UP, [{"game": game} for game in games])
        self._games.write()
        return len(self._log)

    def _recent_since(self, newest: int) -> int:
        """Note the newest price there is; return since when a game counts as recent."""
        before = number_setting(self._connection, NEWEST_SCRAPED_AT) or 0
        if newest > before:
            put_setting(self._connection, NEWEST_SCRAPED_AT, newest)
        return recent_since(max(before, newest), self._now_ms)

    def _read(self, pairs: Iterable[Pair]) -> None:
        asked = list(pairs)
        self._present.update({pair: {} for pair in asked})
        rows = self._connection.execute(_PRESENT, (_encode(asked).decode(),)).fetchall()
        for game, bookmaker, market_type, period, *present in rows:
            self._present[game, bookmaker][market_type, period] = _Present(*present)

    def _note_changes(self, pair: Pair, quote: Quote, before: str | None) -> None:
        old = {} if before is None else _decode_odds(before)
        new = quote.odds
        changed = [(name, price) for name, price in new.items() if old.get(name) != price]
        withdrawn = [(name, None) for name in old if name not in new]
        common = (quote.is_live, quote.scraped_at, quote.liquidity, self._now_ms)
        market = (quote.market_type, quote.period)
        self._log += [(*pair, *market, *move, *common) for move in (*changed, *withdrawn)]


def _coverage(pair: Pair, offer: Mapping[Market, _Present]) -> list[tuple[Any, ...]]:
    """Return the rows of ``coverage`` of a bookmaker and game, in play and not."""
    rows = []
    for is_live in (False, True):
        priced = [said for said in offer.values() if said.selections and said.is_live == is_live]
        if priced:
            times = [said.scraped_at for said in priced]
            count = sum(said.selections for said in priced)
            rows.append((*pair, is_live, max(times), min(times), count))
    return rows


def _sources(kept: Mapping[tuple[Pair, Market], tuple[Any, ...]]) -> list[tuple[str, str, int]]:
    """Return the newest time of each bookmaker's prices of a market type."""
    newest: dict[tuple[str, str], int] = {}
    for ((_, bookmaker), (market_type, _)), row in kept.items():
        if row[_SELECTIONS]:
            source = (bookmaker, market_type)
            newest[source] = max(newest.get(source, 0), row[_SCRAPED_AT])
    return [(*source, time) for source, time in newest.items()]


def _newest(covered: Iterable[tuple[Any, ...]]) -> list[tuple[int, bool, int]]:
    """Return the newest time and whether there is anything in play, by game."""
    games: dict[int, tuple[int, bool]] = {}
    for game, _, is_live, newest, *_ in covered:
        before, live = games.get(game, (0, False))
        games[game] = (max(before, newest), live or is_live)
    return [(newest, live, game) for game, (newest, live) in games.items()]


def recent_since(newest: int, now_ms: int) -> int:
    """Return the ``last_scraped_at`` from which on a game is recent.

    Counted from the newest price, so that old recordings are listed as of their own time; from
    the clock where the newest price lies in the future.
    """
    return min(newest, now_ms) - RECENT_MS


def record_quotes(
    connection: sqlite3.Connection,
    quotes: Collection[Quote],
    *,
    reference: str,
    simulated: bool,
    now_ms: int,
    bookmakers: BookmakerNames | None = None,
    origin: Origin | None = None,
) -> Recorded:
    """Record checked quotes inside the caller's transaction (D40, D42, D70)."""
    quotes = (bookmakers or BookmakerNames(reference)).in_own_words(connection, quotes)
    other_names = None if simulated else OtherNames(connection, quotes)
    recording = _Recording(connection, reference, now_ms, other_names, origin)
    recording.read_ahead(quotes)
    for quote in quotes:
        recording.take(quote)
    changes = recording.write()
    if recording.quotes:
        put_setting(connection, LAST_SIMULATED_AT if simulated else LAST_REAL_AT, now_ms)
        _note_time(connection, now_ms)
    last = connection.execute(_LAST_SEQ).fetchall()
    return Recorded(recording.quotes, changes, recording.skipped, last[0][0] if last else 0)


def _note_time(connection: sqlite3.Connection, now_ms: int) -> None:
    """Note in ``recorded`` that prices came in, whether they moved or not."""
    times = {"now": now_ms, "pause": PAUSE_MS}
    if not connection.execute(_GO_ON, times).rowcount:
        connection.execute(_BEGIN_AGAIN, times)


def encoded_odds(market_type: str, match_name: str, odds: Mapping[str, float]) -> str | None:
    """Return odds as the JSON that is stored, in the order of D7; None without any."""
    if not odds:
        return None
    ordered = ordered_selections(market_type, match_name, tuple(odds))
    return _encode({name: odds[name] for name in ordered}).decode()
