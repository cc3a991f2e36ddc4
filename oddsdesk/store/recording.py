"""Recording quotes: comparison with current prices, and the log of changes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.names import PLAYER_PROP
from oddsdesk.store.databases import (
    LAST_MADE_UP_GAME,
    LAST_MADE_UP_MOVE,
    LAST_REAL_AT,
    LAST_SHIFTED_AT,
    LAST_SIMULATED_AT,
    NEWEST_SCRAPED_AT,
    SOURCE,
)
from oddsdesk.store.errors import RealOddsError
from oddsdesk.store.games import GameChanges, Games, StoredGame
from oddsdesk.store.names import BookmakerNames, OtherNames, PlayerNames
from oddsdesk.store.tables import (
    NOTHING_KNOWN,
    Changes,
    CoverageRow,
    LogRow,
    Pair,
    PresentRow,
    QuoteRow,
    SeenOffer,
)
from oddsdesk.store.values import FORBIDDING, Origin, Recorded, ordered_selections

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.tables import Tables

RECENT_MS: Final = 24 * 60 * MINUTE_MS
"""Games whose newest price is this much older than the newest of all are in no list of fresh
prices: their ``game.recent`` is 0, which keeps the indexes of lists short."""
PAUSE_MS: Final = MINUTE_MS
"""A shorter pause between two recordings is not noted: ``recorded`` gets a row a minute at most."""

_IS_LIVE: Final = 4
_SCRAPED_AT: Final = 5
_SELECTIONS: Final = 6
_ODDS: Final = 7
_LIQUIDITY: Final = 8
_OFFERS: Final = 10
_END: Final = 11
"""Places in a row of ``quote``."""

Market = tuple[str, int]
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode
_decode_offers: Final = msgspec.json.Decoder(dict[str, Offer]).decode
_encode: Final = msgspec.json.Encoder().encode
_market_of_offer: Final = itemgetter(0, 1, 2, 3)
_offer_and_time: Final = attrgetter(
    "bookmaker", "match_name", "competition", "match_date", "scraped_at", "event"
)


class _Offer(msgspec.Struct):
    """A bookmaker's prices of a game, by market."""

    pair: Pair
    read: dict[Market, PresentRow]
    """The rows before the recording."""
    kept: dict[Market, QuoteRow]
    """The rows after it."""

    def seen_at(self) -> int | None:
        """Return when all its prices were seen again, None if some were not or at different
        times."""
        at: int | None = None
        for market, before in self.read.items():
            if before[_ODDS] is None:
                continue
            row = self.kept.get(market)
            if row is None or at not in (None, row[_SCRAPED_AT]):
                return None
            at = row[_SCRAPED_AT]
        return at

    def coverage(self) -> list[CoverageRow]:
        """Return its rows of ``coverage``, not in play and in play."""
        priced = [row for row in {**self.read, **self.kept}.values() if row[_SELECTIONS]]
        live = [row for row in priced if row[_IS_LIVE]]
        if not live:
            return [self._sums(is_live=False, rows=priced)] if priced else []
        rest = [row for row in priced if not row[_IS_LIVE]]
        sums = [self._sums(is_live=False, rows=rest)] if rest else []
        return [*sums, self._sums(is_live=True, rows=live)]

    def _sums(self, *, is_live: bool, rows: Sequence[PresentRow]) -> CoverageRow:
        times = [row[_SCRAPED_AT] for row in rows]
        count = sum([row[_SELECTIONS] for row in rows])
        return (*self.pair, is_live, max(times), min(times), count)


class _Recording:
    """One batch being recorded, in the order of its quotes."""

    def __init__(
        self,
        tables: "Tables",
        reference: str,
        now_ms: int,
        other_names: OtherNames | None,
        players: PlayerNames | None,
        origin: Origin | None,
    ) -> None:
        self._tables = tables
        self._origin = origin
        self._origins: dict[tuple[Pair, str], Origin] = {}
        self._now_ms = now_ms
        self._latest = now_ms + CLOCK_TOLERANCE_MS
        """A later time of sighting comes from a wrong clock."""
        self._other_names = other_names
        self._players = players
        self._games = Games(tables, reference, other_names, self._latest)
        self._known = NOTHING_KNOWN
        self._said: list[tuple[int, Quote]] | None = None
        self._offers: dict[Pair, _Offer] = {}
        self._log: list[LogRow] = []
        self._closing: dict[tuple[int, str, str, int], int] = {}
        self._uncovered: set[Pair] = set()
        self.quotes = 0
        self.older: list[tuple[int, Quote]] = []

    def read_ahead(self, quotes: Collection[Quote]) -> None:
        """Read the games of quotes, and their current prices, in a few queries."""
        quotes = {  # one quote of each bookmaker's offer of a game: they are of the same game
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
        self._games.read_ahead(quotes)
        self._known = self._tables.known()
        if self._other_names is not None and (self._known.joined or self._known.has_same_teams):
            self._said = []
        known = ((self._games.known_game(quote), quote.bookmaker) for quote in quotes)
        self._read({(game.row, bookmaker) for game, bookmaker in known if game is not None})

    @property
    def is_first_real(self) -> bool:
        """Whether everything recorded before is simulated; call ``read_ahead`` first."""
        return self._known.has_simulated and not self._known.has_real

    def compare_quotes(self, quotes: Sequence[Quote]) -> None:
        """Compare quotes of one offer and time with current ones and note what to write."""
        first = quotes[0]
        game = self._games.game_of_quote(first)
        if self._said is not None:
            self._said += [(game.row, quote) for quote in quotes]
        offer = self._offer((game.row, first.bookmaker))
        kept = [self._compare(game, offer, quote) for quote in quotes]
        count = sum(kept)
        if count < len(quotes):
            older = [quote for quote, is_kept in zip(quotes, kept, strict=True) if not is_kept]
            self.older += [(game.row, self._in_own_words(game, quote)) for quote in older]
        if not count:
            return
        self.quotes += count
        if (origin := self._origin or _origin_of_event(first.event)) is not None:
            self._origins[offer.pair, origin.source] = origin
        self._games.note_times(game, first)

    def _compare(self, game: StoredGame, offer: _Offer, quote: Quote) -> bool:
        """Return whether a quote is kept: it is not older than the current one.

        A current price from the future is always replaced: otherwise a clock that was ahead for a
        minute would keep its prices until their time has come.
        """
        market = (quote.market_type, quote.period)
        before = offer.kept.get(market) or offer.read.get(market)
        if before is not None and quote.scraped_at < before[_SCRAPED_AT]:
            if before[_SCRAPED_AT] <= self._latest or quote.scraped_at > self._latest:
                return False
            self._uncovered.add(offer.pair)
        quote = self._in_own_words(game, quote)
        seen_at = quote.scraped_at
        if quote.unread and before is not None:
            quote, seen_at = _with_unread(quote, before)
        was = None if before is None else before[_ODDS]
        odds = _encoded_like(was, game, quote)
        if odds != was:
            self._note_changes(offer.pair, quote, was)
        if before is not None and (odds is None or before[_IS_LIVE] != quote.is_live):
            self._uncovered.add(offer.pair)
        game_row, bookmaker = offer.pair
        if before is not None and _ends(before, quote, game.match_date):
            self._closing[game_row, bookmaker, *market] = before[_SCRAPED_AT]
        offer.kept[market] = (
            game_row,
            bookmaker,
            quote.market_type,
            quote.period,
            quote.is_live,
            seen_at,
            len(quote.odds),
            odds,
            quote.liquidity,
            quote.url,
            None if quote.offers is None else _encode(quote.offers).decode(),
        )
        return True

    def _in_own_words(self, game: StoredGame, quote: Quote) -> Quote:
        """Return a quote with its game's spelling of teams and players."""
        if game.other_names:
            quote = game.in_own_words(quote)
        if self._players is not None and quote.market_type == PLAYER_PROP:
            quote = self._players.in_own_words(self._tables, game.row, quote, self._now_ms)
        return quote

    def changes(self, said_by: Iterable[str], ends: Mapping[str, int]) -> Changes:
        """Return what is to be written, with ``ends`` among the settings.

        ``said_by`` are the settings with the time of the last recording.
        """
        offers = [offer for offer in self._offers.values() if offer.kept]
        covered = [row for offer in offers for row in offer.coverage()]
        parted = _parted(offers)
        seen = _newest(covered)
        before = self._known.newest
        newest = max((time for time, *_ in seen), default=0)
        since = recent_since(max(before, newest), self._now_ms)
        settings = {**ends, **{SOURCE + source: self._now_ms for _, source in self._origins}}
        if newest > before:
            settings[NEWEST_SCRAPED_AT] = newest
        if self.quotes:
            settings |= dict.fromkeys(said_by, self._now_ms)
        joined = set() if self._other_names is None else self._other_names.joined
        noted = {*self._known.joined, *joined}
        return Changes(
            new=parted.new,
            again=parted.again,
            same=parted.same,
            closing=self._closing,
            log=self._log,
            joined=joined,
            said=[(game, quote, self._origin) for game, quote in self._said or () if game in noted],
            origins=[(*pair, name, each.may_share) for (pair, name), each in self._origins.items()],
            uncovered=self._uncovered,
            coverage=covered,
            seen=seen,
            recent=[game for time, _, game in seen if time >= since],
            sources=_sources(offers),
            games=self._games.changes(),
            other_names=() if self._other_names is None else self._other_names.kept,
            settings=settings,
            recorded=self._span() if self.quotes else None,
        )

    def _span(self) -> tuple[int, int]:
        """Return the span in which prices came in, changed or not."""
        last = self._known.span
        if last is not None and last[0] > self._latest:  # by a clock that was put back since
            return self._now_ms - self._now_ms % PAUSE_MS, self._now_ms
        if last is not None and last[1] >= self._now_ms - PAUSE_MS:
            return last[0], max(last[1], self._now_ms)
        return self._now_ms, self._now_ms

    def _offer(self, pair: Pair) -> _Offer:
        offer = self._offers.get(pair)
        if offer is None:
            if pair[0] in self._games.made:
                self._offers[pair] = _Offer(pair, {}, {})
            else:
                self._read([pair])
            offer = self._offers[pair]
        return offer

    def _read(self, pairs: Collection[Pair]) -> None:
        self._offers.update((pair, _Offer(pair, {}, {})) for pair in pairs)
        for row in self._tables.present_rows(pairs):
            self._offers[row[0], row[1]].read[row[2], row[3]] = row

    def _note_changes(self, pair: Pair, quote: Quote, was: str | None) -> None:
        game, bookmaker = pair
        market_type, period = quote.market_type, quote.period
        is_live, at, liquidity = quote.is_live, quote.scraped_at, quote.liquidity
        now_ms = self._now_ms
        prices: Mapping[str, float | None] = quote.odds
        if was is not None:
            old, new = _decode_odds(was), quote.odds
            moved = {name: price for name, price in new.items() if old.get(name) != price}
            prices = moved | dict.fromkeys([name for name in old if name not in new])
        self._log += [
            (game, bookmaker, market_type, period, name, price, is_live, at, liquidity, now_ms)
            for name, price in prices.items()
        ]


def _origin_of_event(event: str | None) -> Origin | None:
    """Return the origin in the id of a quote's game, if that source forbids passing on."""
    source = "" if event is None else event.partition(":")[0].strip().casefold()
    return Origin(source, may_share=False) if source in FORBIDDING else None


def _with_unread(quote: Quote, before: PresentRow) -> tuple[Quote, int]:
    """Return a quote with the current prices of its unread selections, and its time.

    A market has one time, that of its oldest price: a price that was not read again does not become
    newer. Pre-match prices are not in-play prices.
    """
    if before[_ODDS] is None or before[_IS_LIVE] != quote.is_live:
        return quote, quote.scraped_at
    stood = _decode_odds(before[_ODDS])
    kept = {name: odds for name, odds in stood.items() if quote.stays(name)}
    if not kept:
        return quote, quote.scraped_at
    offers = {} if before[_OFFERS] is None else _decode_offers(before[_OFFERS])
    offers = {name: each for name, each in offers.items() if name in kept} | (quote.offers or {})
    quote = replace(quote, odds=quote.odds | kept, offers=offers or None)
    return quote, min(quote.scraped_at, before[_SCRAPED_AT])


def _ends(before: PresentRow, quote: Quote, kick_off: int | None) -> bool:
    """Return whether pre-match prices were seen for the last time before a quote.

    The game has begun, or they are no longer offered: later sightings do not show how long they
    were current, which a closing line depends on.
    """
    at = before[_SCRAPED_AT]
    if before[_ODDS] is None or before[_IS_LIVE] or (kick_off is not None and at > kick_off):
        return False
    return quote.is_live or not quote.odds or (kick_off is not None and quote.scraped_at > kick_off)


class _Parted(NamedTuple):
    """Rows of offers by their previous state."""

    new: list[QuoteRow]
    again: list[tuple[PresentRow, QuoteRow]]
    same: list[SeenOffer]


def _parted(offers: Iterable[_Offer]) -> _Parted:
    parted = _Parted([], [], [])
    for offer in offers:
        if not offer.read:
            parted.new.extend(offer.kept.values())
            continue
        seen_at, same, moved = offer.seen_at(), [], []
        for market, row in offer.kept.items():
            before = offer.read.get(market)
            if before is None:
                parted.new.append(row)
            elif seen_at is not None and _says_same(before, row):
                same.append((before, row))
            else:
                moved.append((before, row))
        if seen_at is None or len(same) < len(moved):  # writing each is less
            moved += same
        else:
            parted.same.append(SeenOffer(seen_at, *offer.pair, [before for before, _ in same]))
        parted.again.extend(moved)
    return parted


def _says_same(before: PresentRow, row: QuoteRow) -> bool:
    """Return whether a priced row differs from the current one only in its time."""
    if before[_ODDS] is not row[_ODDS] or row[_ODDS] is None:  # the same text is kept as it was
        return False
    return before[_IS_LIVE] == row[_IS_LIVE] and before[_LIQUIDITY:_END] == row[_LIQUIDITY:]


def _sources(offers: Iterable[_Offer]) -> list[tuple[str, str, int]]:
    """Return the newest time of each bookmaker's prices of a market type."""
    bookmakers: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for offer in offers:
        newest = bookmakers[offer.pair[1]]
        for (market_type, _), row in offer.kept.items():
            if row[_SELECTIONS] and row[_SCRAPED_AT] > newest.get(market_type, 0):
                newest[market_type] = row[_SCRAPED_AT]
    return [
        (bookmaker, market_type, time)
        for bookmaker, newest in bookmakers.items()
        for market_type, time in newest.items()
    ]


def _newest(covered: Iterable[CoverageRow]) -> list[tuple[int, bool, int]]:
    """Return by game the newest time and whether anything is in play."""
    games: dict[int, tuple[int, bool]] = {}
    for game, _, is_live, newest, *_ in covered:
        before, live = games.get(game, (0, False))
        games[game] = (max(before, newest), live or is_live)
    return [(newest, live, game) for game, (newest, live) in games.items()]


def recent_since(newest: int, now_ms: int) -> int:
    """Return the ``last_scraped_at`` from which a game is recent.

    Counted from the newest price, so that old recordings are listed by their time; from the clock
    if the newest price is from the future.
    """
    return min(newest, now_ms) - RECENT_MS


def record_quotes(
    tables: "Tables",
    quotes: Collection[Quote],
    *,
    reference: str,
    simulated: bool,
    now_ms: int,
    bookmakers: BookmakerNames | None = None,
    players: PlayerNames | None = None,
    origin: Origin | None = None,
    shifted: bool = False,
) -> Recorded:
    """Record checked quotes inside the caller's transaction.

    The first real ones end all simulated ones; simulated ones are refused from then on.

    Raises:
        RealOddsError: the quotes are simulated, and there are real ones.
    """
    if simulated and tables.known().has_real:
        raise RealOddsError
    quotes = (bookmakers or BookmakerNames(reference)).in_own_words(tables, quotes)
    said = [list(group) for _, group in groupby(quotes, _offer_and_time)]

    def read_present() -> _Recording:
        other_names = None if simulated else OtherNames(tables, quotes)
        named = None if simulated else players or PlayerNames()
        recording = _Recording(tables, reference, now_ms, other_names, named, origin)
        recording.read_ahead([group[0] for group in said])
        return recording

    recording, ends = read_present(), {}
    if said and not simulated and recording.is_first_real:
        beginning = {LAST_MADE_UP_GAME: tables.last_game(), NEWEST_SCRAPED_AT: 0}
        tables.drop_simulated_results(all_of_them=True)
        _withdraw_all(tables, now_ms, beginning)
        recording = read_present()
        ends = {f"{LAST_MADE_UP_MOVE}{shard}": seq for shard, seq in tables.log_ends().items()}
    for group in said:
        recording.compare_quotes(group)
    said_by = [LAST_SIMULATED_AT if simulated else LAST_REAL_AT]
    changes = recording.changes([*said_by, LAST_SHIFTED_AT] if shifted else said_by, ends)
    last_seq = tables.write_recording(changes)
    older = tuple(recording.older)
    prices = sum(quote.price_count for _, quote in older)
    return Recorded(recording.quotes, len(changes.log), len(older), last_seq, prices, older)


def end_simulation(tables: "Tables", now_ms: int, *, another: bool = False) -> int:
    """End simulated prices unless real odds have done so; return the number of changes.

    ``another`` begins: its first prices must not be mistaken for real ones. Results of games that
    have ended stay until real odds come, so that bets on them settle after a restart, too.
    """
    if tables.known().has_real:
        return 0
    tables.drop_simulated_results(all_of_them=False)
    return _withdraw_all(tables, now_ms, {LAST_SIMULATED_AT: now_ms if another else 0})


def _withdraw_all(tables: "Tables", now_ms: int, settings: Mapping[str, int]) -> int:
    standing = sorted(tables.standing_quotes(), key=_market_of_offer)
    log: list[LogRow] = []
    again: list[tuple[PresentRow, QuoteRow]] = []
    for row in standing:
        game, bookmaker, market_type, period, is_live, scraped_at, _, odds, *_ = row
        at = max(now_ms, scraped_at)
        market = (game, bookmaker, market_type, period)
        log += [
            (*market, name, None, is_live, at, None, now_ms) for name in _decode_odds(odds or "{}")
        ]
        again.append((row, (*market, is_live, at, 0, None, None, row[9], None)))
    changes = Changes(
        new=(),
        again=again,
        same=(),
        closing={},
        log=log,
        joined=(),
        said=(),
        origins=(),
        uncovered={(row[0], row[1]) for row in standing},
        coverage=(),
        seen=(),
        recent=(),
        sources=(),
        games=GameChanges((), (), (), {}),
        other_names=(),
        settings={LAST_SIMULATED_AT: 0, **settings},
        recorded=None,
    )
    tables.write_recording(changes)
    return len(log)


def _encoded_like(was: str | None, game: StoredGame, quote: Quote) -> str | None:
    """Return a quote's odds as JSON, given the current JSON ``was``."""
    if was is None:
        return encoded_odds(quote.market_type, game.match_name, quote.odds)
    said = _encode(quote.odds).decode()
    if said == was:  # in the contract's order already
        return was
    return encoded_odds(quote.market_type, game.match_name, quote.odds, said)


def encoded_odds(
    market_type: str, match_name: str, odds: Mapping[str, float], said: str | None = None
) -> str | None:
    """Return odds as the JSON that is stored, in the contract's order; None without any.

    ``said`` is their JSON in the given order, if known.
    """
    if not odds:
        return None
    names = tuple(odds)
    ordered = ordered_selections(market_type, match_name, names)
    if ordered == names:
        return said or _encode(odds).decode()
    return _encode({name: odds[name] for name in ordered}).decode()
