"""Recording quotes: change detection against present state, and the log of what changed."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.bookmaker_names import BookmakerNames
from oddsdesk.store.games import Games
from oddsdesk.store.order import ordered_selections
from oddsdesk.store.origins import Origin, origin_of_event
from oddsdesk.store.other_names import OtherNames
from oddsdesk.store.settings import LAST_REAL_AT, LAST_SIMULATED_AT, NEWEST_SCRAPED_AT, SOURCE
from oddsdesk.store.tables import (
    NOTHING_KNOWN,
    Changes,
    CoverageRow,
    LogRow,
    Pair,
    QuoteRow,
    Tables,
)
from oddsdesk.store.values import Recorded

RECENT_MS: Final = 24 * 60 * MINUTE_MS
"""Games whose newest price is this much older than the newest of all are in no list of fresh
prices: ``game.recent`` is 0 for them, which keeps the indexes of lists short."""
PAUSE_MS: Final = MINUTE_MS
"""A shorter pause between two recordings is not noted: ``recorded`` gets a row a minute at most."""

_SCRAPED_AT: Final = 5
_SELECTIONS: Final = 6
"""Places in a row of ``quote``."""

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
        tables: Tables,
        reference: str,
        now_ms: int,
        other_names: OtherNames | None,
        origin: Origin | None,
    ) -> None:
        self._tables = tables
        self._origin = origin
        self._told_by: dict[tuple[Pair, str], Origin] = {}
        self._now_ms = now_ms
        self._other_names = other_names
        self._games = Games(tables, reference, other_names)
        self._known = NOTHING_KNOWN
        self._said: list[tuple[int, Quote]] | None = None
        self._present: dict[Pair, dict[Market, _Present]] = {}
        self._kept: dict[tuple[Pair, Market], QuoteRow] = {}
        self._log: list[LogRow] = []
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
        self._known = self._tables.known()
        if self._other_names is not None and (self._known.joined or self._known.has_same_teams):
            self._said = []
        known = ((self._games.known(quote), quote.bookmaker) for quote in offers)
        self._read({(game.row, bookmaker) for game, bookmaker in known if game is not None})

    def take(self, quote: Quote) -> None:
        """Compare a quote with the present one and note what to write."""
        game = self._games.of(quote)
        pair = (game.row, quote.bookmaker)
        market = (quote.market_type, quote.period)
        if game.row in self._games.made:
            self._present.setdefault(pair, {})
        elif pair not in self._present:
            self._read([pair])
        if self._said is not None:
            self._said.append((game.row, quote))
        offer = self._present[pair]
        present = offer.get(market)
        if present is not None and quote.scraped_at < present.scraped_at:
            self.skipped += 1
            return
        self.quotes += 1
        if (origin := self._origin or origin_of_event(quote.event)) is not None:
            self._told_by[pair, origin.source] = origin
        self._games.note_times(game, quote)
        if game.other_names:
            quote = game.in_own_words(quote)
        odds = encoded_odds(quote.market_type, game.match_name, quote.odds)
        before = None if present is None else present.odds
        if odds != before:
            self._note_changes(pair, quote, before)
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

    def changes(self, said_by: str) -> Changes:
        """Return what is to be written; ``said_by`` is the setting that tells when it last was."""
        covered = [
            row
            for pair in {pair for pair, _ in self._kept}
            for row in _coverage(pair, self._present[pair])
        ]
        seen = _newest(covered)
        before = self._known.newest
        newest = max((time for time, *_ in seen), default=0)
        since = recent_since(max(before, newest), self._now_ms)
        settings = {SOURCE + source: self._now_ms for _, source in self._told_by}
        if newest > before:
            settings[NEWEST_SCRAPED_AT] = newest
        if self.quotes:
            settings[said_by] = self._now_ms
        joined = set() if self._other_names is None else self._other_names.joined
        noted = {*self._known.joined, *joined}
        return Changes(
            quotes=self._kept.values(),
            log=self._log,
            joined=joined,
            said=[(game, quote, self._origin) for game, quote in self._said or () if game in noted],
            origins=[(*pair, name, said.may_share) for (pair, name), said in self._told_by.items()],
            uncovered=self._uncovered,
            coverage=covered,
            seen=seen,
            recent=[game for time, _, game in seen if time >= since],
            sources=_sources(self._kept),
            games=self._games.changes(),
            other_names=() if self._other_names is None else self._other_names.kept,
            settings=settings,
            recorded=self._span() if self.quotes else None,
        )

    def _span(self) -> tuple[int, int]:
        """Return since and until when prices came in, whether they moved or not."""
        last = self._known.span
        if last is not None and last[1] >= self._now_ms - PAUSE_MS:
            return last[0], max(last[1], self._now_ms)
        return self._now_ms, self._now_ms

    def _read(self, pairs: Collection[Pair]) -> None:
        self._present.update({pair: {} for pair in pairs})
        for game, bookmaker, market_type, period, at, odds, is_live, count in self._tables.present(
            pairs
        ):
            offer = self._present[game, bookmaker]
            offer[market_type, period] = _Present(at, odds, is_live, count)

    def _note_changes(self, pair: Pair, quote: Quote, before: str | None) -> None:
        old = {} if before is None else _decode_odds(before)
        new = quote.odds
        where = (*pair, quote.market_type, quote.period)
        when = (quote.is_live, quote.scraped_at, quote.liquidity, self._now_ms)
        moved = new if not old else {name: new[name] for name in new if old.get(name) != new[name]}
        self._log += [(*where, name, odds, *when) for name, odds in moved.items()]
        self._log += [(*where, name, None, *when) for name in old if name not in new]


def _coverage(pair: Pair, offer: Mapping[Market, _Present]) -> list[CoverageRow]:
    """Return the rows of ``coverage`` of a bookmaker and game, in play and not."""
    rows: list[CoverageRow] = []
    for is_live in (False, True):
        priced = [said for said in offer.values() if said.selections and said.is_live == is_live]
        if priced:
            times = [said.scraped_at for said in priced]
            count = sum(said.selections for said in priced)
            rows.append((*pair, is_live, max(times), min(times), count))
    return rows


def _sources(kept: Mapping[tuple[Pair, Market], QuoteRow]) -> list[tuple[str, str, int]]:
    """Return the newest time of each bookmaker's prices of a market type."""
    newest: dict[tuple[str, str], int] = {}
    for ((_, bookmaker), (market_type, _)), row in kept.items():
        if row[_SELECTIONS]:
            source = (bookmaker, market_type)
            newest[source] = max(newest.get(source, 0), row[_SCRAPED_AT])
    return [(*source, time) for source, time in newest.items()]


def _newest(covered: Iterable[CoverageRow]) -> list[tuple[int, bool, int]]:
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
    tables: Tables,
    quotes: Collection[Quote],
    *,
    reference: str,
    simulated: bool,
    now_ms: int,
    bookmakers: BookmakerNames | None = None,
    origin: Origin | None = None,
) -> Recorded:
    """Record checked quotes inside the caller's transaction (D40, D42, D70)."""
    quotes = (bookmakers or BookmakerNames(reference)).in_own_words(tables, quotes)
    other_names = None if simulated else OtherNames(tables, quotes)
    recording = _Recording(tables, reference, now_ms, other_names, origin)
    recording.read_ahead(quotes)
    for quote in quotes:
        recording.take(quote)
    changes = recording.changes(LAST_SIMULATED_AT if simulated else LAST_REAL_AT)
    last_seq = tables.write(changes)
    return Recorded(recording.quotes, len(changes.log), recording.skipped, last_seq)


def encoded_odds(market_type: str, match_name: str, odds: Mapping[str, float]) -> str | None:
    """Return odds as the JSON that is stored, in the order of D7; None without any."""
    if not odds:
        return None
    ordered = ordered_selections(market_type, match_name, tuple(odds))
    return _encode({name: odds[name] for name in ordered}).decode()
