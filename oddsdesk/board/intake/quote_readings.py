"""Reading prices from answers and stream messages, checked once."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby, islice
from operator import attrgetter
from statistics import median
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import date_text
from oddsdesk.board.model.basis import DeskReference, ScrapeInterval
from oddsdesk.board.model.matrix import (
    CellKey,
    GameEntry,
    QuoteKey,
    Sighting,
    depth_of,
    link_of,
    optional_ms,
)
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.client.rows import KickOffs, are_apart, kick_off_ms
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.quotes import is_disabled
from oddsdesk.contract.resources import (
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    PriceMessage,
)
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.pricing.stakes import Depth

Reading = tuple[QuoteKey, list[tuple[str, Sighting]], float | UnsetType | None]
"""A quote, sightings of its selections, and the maximum bet where it is of whom the service judges
by."""


class LoggedMove(NamedTuple):
    """What a log says of a price that moved; ``odds`` None: withdrawn, times in milliseconds."""

    game: GameEntry
    key: CellKey
    odds: float | None
    scraped_at: int
    is_live: bool
    liquidity: float | None = None
    """The reference's only."""


class Unread(list[str]):
    """The parts of an answer that make no sense, in words.

    ``cells`` are the prices concerned. They stay, as the answer does not say that they are gone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[CellKey] = []


AHEAD_MS: Final = MINUTE_MS // 2
"""A price that was scraped later than this from now is taken for one of now: it would never age,
and no later price would take its place."""
_scraped_ms: Final = lru_cache(maxsize=8192)(parse_ms)
"""Cached, since prices of a bookmaker share their times: 20,000 have a few hundred."""


def seen_ms(scraped_at: str, heard_at: int) -> int:
    """Return when a price that was received at a moment was seen.

    Raises:
        ValueError: the time cannot be read.
    """
    at_ms = _scraped_ms(scraped_at)
    return heard_at if at_ms - heard_at > AHEAD_MS else at_ms


@lru_cache(maxsize=8192)
def _shared(odds: float) -> float:
    """Return the same object for the same odds: of 100,000 prices few are different."""
    return odds


def read_market(
    market: MarketMatrix, heard_at: int, reference: DeskReference, bad: list[str], *, in_play: bool
) -> Iterator[Reading]:
    """Yield every price of a market; those that make no sense are named in ``bad``.

    Prices of the service's reference are left out where another is chosen and its name is not
    known yet.

    ``in_play``: whether the game is; then the matrix does not say which of its prices are.
    """
    is_live = None if in_play else False
    for row in market.selections:
        for bookmaker, price, liquidity in _read_line(row, is_live, reference):
            quote = market.market_type, market.period, bookmaker
            yield quote, _read(quote, [price], heard_at, bad), liquidity


def read_row(row: OddsRow, heard_at: int, reference: DeskReference, bad: list[str]) -> Reading:
    """Return the prices of an odds row; those that make no sense are named in ``bad``."""
    at, url, is_live = row.scraped_at, row.url, row.is_live
    offers = row.offers or _NO_OFFERS
    prices = [
        (selection, odds, at, link_of(offers.get(selection), url), is_live, offers.get(selection))
        for selection, odds in row.odds.items()
    ]
    quote = row.market_type, row.period, row.bookmaker
    has_limits = row.bookmaker == reference.service
    return quote, _read(quote, prices, heard_at, bad), row.liquidity if has_limits else UNSET


_QUOTE: Final = attrgetter("market_type", "period", "bookmaker", "liquidity")


def quotes_of(messages: Iterable[PriceMessage]) -> Iterator[list[PriceMessage]]:
    """Yield a game's stream messages in order, those of a quote that follow each other together."""
    for _, together in groupby(messages, _QUOTE):
        yield list(together)


def read_messages(
    messages: Sequence[PriceMessage], heard_at: int, reference: DeskReference, bad: list[str]
) -> Reading:
    """Return the prices of stream messages of a quote; as ``read_row`` does."""
    first = messages[0]
    prices = [
        (m.selection, m.odds, m.scraped_at, None, m.is_live, m.offer or None) for m in messages
    ]
    quote = first.market_type, first.period, first.bookmaker
    has_limits = first.bookmaker == reference.service
    return quote, _read(quote, prices, heard_at, bad), first.liquidity if has_limits else UNSET


def game_of_matrix(matrix: GameMatrix) -> GameEntry:
    """Return the game that a matrix is of."""
    return GameEntry(
        game_id=matrix.game_id,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=sport_in(matrix),
        kick_off=optional_ms(matrix.match_date),
        is_live=matrix.is_live,
        bookmaker_count=len(matrix.all_bookmakers),
        last_scraped_at=None,
    )


_StatedPrice = tuple[str, float, str, str | None, bool | None, Offer | None]
"""Selection, odds, scraped_at, url, is_live, what is for sale."""
_NO_OFFERS: Final[dict[str, Offer]] = {}


def _read_line(
    row: MatrixRow, is_live: bool | None, reference: DeskReference
) -> Iterator[tuple[str, _StatedPrice, float | UnsetType | None]]:
    """Yield the bookmaker, price and maximum bet of each price of a selection."""
    own, selection = row.reference, row.selection
    if own is not None and own.odds is not None:
        at, offer = own.scraped_at or "", own.offer or None
        price: _StatedPrice = (selection, own.odds, at, None, is_live, offer)
        if reference.is_services_own or reference.service is not None:
            yield reference.services_bookmaker, price, own.liquidity
    for bookmaker, cell in row.books.items():
        if cell is not None and cell.odds is not None:
            at, offer = cell.scraped_at or "", cell.offer or None
            price = (selection, cell.odds, at, cell.url, is_live, offer)
            yield bookmaker, price, UNSET


def _read(
    quote: QuoteKey, prices: Iterable[_StatedPrice], heard_at: int, bad: list[str]
) -> list[tuple[str, Sighting]]:
    """Return the prices of a quote that make sense; the others are named in ``bad``."""
    found = []
    for selection, odds, scraped_at, url, is_live, offer in prices:
        if odds <= 1:
            if not is_disabled(odds):
                bad.append(f"{_name(quote, selection)}: expected odds above 1, got {odds:g}")
                _keep(quote, selection, bad)
            continue
        try:
            at_ms = seen_ms(scraped_at, heard_at)
        except ValueError as error:
            bad.append(f"{_name(quote, selection)}: scraped_at: {error}")
            _keep(quote, selection, bad)
            continue
        depth = None if offer is None else _depth(offer, odds, _name(quote, selection), bad)
        found.append((selection, Sighting(_shared(odds), at_ms, heard_at, url, is_live, depth)))
    return found


def _keep(quote: QuoteKey, selection: str, bad: list[str]) -> None:
    if isinstance(bad, Unread):
        bad.cells.append(CellKey(quote[0], quote[1], selection, quote[2]))


def _depth(offer: Offer, odds: float, name: str, bad: list[str]) -> Depth | None:
    try:
        return depth_of(offer, odds)
    except ValueError as error:
        bad.append(f"{name}: offers: {error}")
        return None


def _name(quote: QuoteKey, selection: str) -> str:
    market_type, period, bookmaker = quote
    return f"{bookmaker}, {market_type} {period}, {selection!r}"


_AGAIN_MS: Final = 5_000
"""How long the same complaint rests; a stream may bring nonsense a thousand times a second."""
_LEFT_OUT_AGAIN_MS: Final = 3_600_000
_MOST: Final = 200
_log = logging.getLogger(__name__)


class IntakeLog:
    """Logs what made no sense of answers and messages, but not without end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged: dict[str, tuple[int, int]] = {}
        """By what was read: when it was logged, and how many were not logged since."""
        self._left_out: dict[str, int] = {}
        """By game and day: when it was logged."""

    def log_left_out(self, match_name: str, day: str, count: int) -> None:
        """Log that prices of a game that is not followed are left out; hourly for each day."""
        now, what = self._clock(), f"{match_name} {day}"
        if 0 <= now - self._left_out.get(what, now - _LEFT_OUT_AGAIN_MS - 1) < _LEFT_OUT_AGAIN_MS:
            return
        if len(self._left_out) >= _MOST:
            self._left_out.clear()
        self._left_out[what] = now
        line = "%s: skipped %d prices of another game of these teams on %s"
        _log.warning(line, match_name, count, day)

    def log_rejected(self, what: str, bad: Sequence[str]) -> None:
        """Log how many were passed over, and the first of them."""
        if not bad:
            return
        now = self._clock()
        logged_at, unlogged = self._logged.get(what, (None, 0))
        count = unlogged + len(bad)
        if logged_at is not None and 0 <= now - logged_at < _AGAIN_MS:
            self._logged[what] = logged_at, count
            return
        if len(self._logged) >= _MOST:
            self._logged.clear()
        self._logged[what] = now, 0
        _log.warning("%s: skipped %d, the first: %s", what, count, bad[0])


class Series:
    """Games of the same teams that share an id: which of them the board holds prices of."""

    def __init__(self, log: IntakeLog) -> None:
        self._log = log
        self._kick_offs = KickOffs()
        self._followed: dict[str, int] = {}
        """By id: the kick-off (ms) of the game whose prices are held."""

    def __contains__(self, game: str) -> bool:
        return game in self._followed

    def kick_off(self, game: str, listed: int | None) -> int | None:
        """Return the kick-off of the game whose prices are held, ``listed`` where it has an id."""
        return self._followed.get(game, listed)

    def learn_kick_offs(self, rows: Iterable[OddsRow], now_ms: int) -> None:
        """Take in the kick-offs that rows name."""
        self._kick_offs.learn(rows, now_ms)

    def forget_kick_offs(self, before_ms: int) -> None:
        """Forget kick-offs that no row has named since."""
        self._kick_offs.drop_before(before_ms)

    def is_series(self, game: str, rows: Sequence[OddsRow], listed_ms: int | None) -> bool:
        """Tell whether rows of an id may be of several games; if not, none is chosen any more."""
        names = rows[0].competition, rows[0].match_name
        times = {kick_off_ms(text) for text in {row.match_date for row in rows}}
        if self._kick_offs.is_series(*names) or any(are_apart(at, listed_ms) for at in times):
            return True
        self._followed.pop(game, None)
        return False

    def kick_off_to_follow(
        self, rows: Sequence[OddsRow], listed_ms: int | None, now_ms: int
    ) -> int | None:
        """Return the kick-off of the game that is to be followed."""
        names = rows[0].competition, rows[0].match_name
        return self._kick_offs.followed(*names, listed_ms, now_ms)

    def follow_kick_off(self, game: str, kick_off: int | None) -> bool:
        """Follow the game of this kick-off; tell whether that is another than before."""
        is_same = game in self._followed and not are_apart(self._followed[game], kick_off)
        if kick_off is None or is_same:
            return False
        self._followed[game] = kick_off
        return True

    def moved_games(self, listed: Mapping[str, GameEntry]) -> list[str]:
        """Return the games for which the list names another kick-off than the one followed."""
        return [
            game
            for game, kick_off in self._followed.items()
            if game in listed and are_apart(kick_off, listed[game].kick_off)
        ]

    def is_certain(self, game: str, message: PriceMessage) -> bool:
        """Whether a message, which has no kick-off, can only be of the game that is followed."""
        names = message.competition, message.match_name
        return self._kick_offs.prices_only(*names, message.bookmaker, self._followed[game])

    def rows_of_game(self, rows: Sequence[OddsRow], kick_off: int | None) -> list[OddsRow]:
        """Return the rows of the game of this kick-off; log how many prices of others there are."""
        kept, others = list[OddsRow](), dict[str, int]()
        for row in rows:
            at = kick_off_ms(row.match_date)
            if at is not None and not are_apart(at, kick_off):
                kept.append(row)
            else:
                day = "an unknown day" if at is None else _day(at)
                others[day] = others.get(day, 0) + len(row.odds)
        for day, count in others.items():
            self._log.log_left_out(rows[0].match_name, day, count)
        return kept


def _day(at_ms: int) -> str:
    day = datetime.fromtimestamp(at_ms / 1000, UTC)
    return f"{date_text(day, year=False)}"


_BATCH: Final = 1000


def put_all(
    book: GameBook, readings: Iterable[Reading], changes: Changes, scrape_interval: ScrapeInterval
) -> None:
    """Put the readings of one answer in, and learn from them how often each bookmaker is read."""
    gaps: dict[str, tuple[int, int]] = {}
    for quote, prices, liquidity in readings:
        found = book.put_quote(quote, prices, changes, liquidity)
        if found is not None:
            gaps.setdefault(quote[2], found)
    for bookmaker, (gap, scraped_at) in gaps.items():
        scrape_interval.rescraped(bookmaker, gap, scraped_at)


def hear_again(
    book: GameBook, row: OddsRow, heard_at: int, reference: DeskReference, changes: Changes
) -> tuple[int, int] | None:
    """Note that a row says what is held of its quote, in all of it; as ``Market.hear_again``."""
    try:
        at_ms = seen_ms(row.scraped_at, heard_at)
    except ValueError:
        return None
    return book.hear_again(row, at_ms, heard_at, reference, changes)


def put_move(
    book: GameBook, move: LoggedMove, now_ms: int, reference: DeskReference, changes: Changes
) -> None:
    """Put a move of the log in, received now."""
    key = move.key
    has_limits = move.key.bookmaker == reference.service
    if move.odds is None:
        book.withdraw(key, now_ms, changes)
        return
    seen = Sighting(move.odds, move.scraped_at, now_ms, None, move.is_live)
    book.put_sighting(key, seen, changes, move.liquidity if has_limits else UNSET)


def batched(readings: Iterable[Reading]) -> Iterator[list[Reading]]:
    """Yield readings by the thousand: a millisecond or two of work each."""
    rest = iter(readings)
    while batch := list(islice(rest, _BATCH)):
        yield batch


GameName = tuple[str, str]
"""A game's competition and name, as a message tells them."""
_AT_ONCE: Final = 64
"""How many messages of a game are taken in in one step."""


class WaitingMessages:
    """Holds messages until they are taken in: of games in sight first, of a game in their order.

    Figures are computed once for what is taken together: what comes meanwhile joins what waits.
    """

    def __init__(self, is_in_sight: Callable[[str, str], bool]) -> None:
        self._is_in_sight = is_in_sight
        self._in_sight: dict[GameName, list[PriceMessage]] = {}
        self._others: dict[GameName, list[PriceMessage]] = {}
        self.count = 0

    @property
    def are_in_sight(self) -> bool:
        """Whether some are of games in sight."""
        return bool(self._in_sight)

    def add_messages(self, messages: Iterable[PriceMessage]) -> None:
        """Have messages wait behind those of the same game."""
        came: dict[GameName, list[PriceMessage]] = {}
        for message in messages:
            game = message.competition, message.match_name
            if (of_game := came.get(game)) is None:
                of_game = came[game] = []
            of_game.append(message)
            self.count += 1
        for game, of_game in came.items():
            is_in_sight = self._is_in_sight(*game)
            others, waiting = (
                (self._others, self._in_sight) if is_in_sight else (self._in_sight, self._others)
            )
            if game in others:  # it came into sight since, or went
                waiting[game] = others.pop(game)
            waiting.setdefault(game, []).extend(of_game)

    def next_messages(self) -> tuple[GameName, list[PriceMessage]]:
        """Return the next game and its first messages, which no longer wait."""
        waiting = self._in_sight or self._others
        game, of_game = next(iter(waiting.items()))
        if len(of_game) <= _AT_ONCE:
            del waiting[game]
        else:
            waiting[game], of_game = of_game[_AT_ONCE:], of_game[:_AT_ONCE]
        self.count -= len(of_game)
        return game, of_game

    def drop_messages(self) -> None:
        """Forget all."""
        self._in_sight.clear()
        self._others.clear()
        self.count = 0


_LATEST: Final = 200
"""The lag is taken from this many messages, and those that came together with them."""


class _Messages(NamedTuple):
    """Messages that came together."""

    at_ms: int
    opened_at: int
    scraped: Sequence[str]

    def lags(self) -> list[int]:
        """Return how long each took from scrape to receipt, of those scraped since the opening."""
        scraped = [at for text in self.scraped if (at := optional_ms(text)) is not None]
        return [max(0, self.at_ms - at) for at in scraped if at >= self.opened_at]


class StreamPace:
    """How many stream messages come a minute, and how long they take."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._opened_at = 0
        self.heard_at: int | None = None
        """When the last message came."""
        self._latest: deque[_Messages] = deque()
        self._per_second: deque[tuple[int, int]] = deque()

    def open_stream(self) -> None:
        """Note that the stream is open: what was scraped before says nothing of its lag."""
        self._opened_at = self.heard_at = self._clock()

    def count_messages(self, scraped: Sequence[str]) -> None:
        """Count messages, by when each one says that its price was scraped."""
        now = self.heard_at = self._clock()
        self._latest.append(_Messages(now, self._opened_at, scraped))
        if self._per_second and 0 <= now - self._per_second[-1][0] < 1000:
            since, count = self._per_second[-1]
            self._per_second[-1] = (since, count + len(scraped))
        else:
            self._per_second.append((now, len(scraped)))

    def messages_per_minute(self) -> int:
        """Return how many came in the last minute."""
        now = self._clock()
        while self._per_second and not 0 <= now - self._per_second[0][0] <= MINUTE_MS:
            self._per_second.popleft()
        return sum(count for _, count in self._per_second)

    def lag_ms(self) -> int | None:
        """Return the median of how long the latest messages of a minute took; drop older ones."""
        now, kept, count, lags = self._clock(), deque[_Messages](), 0, list[int]()
        while self._latest and count < _LATEST and now - self._latest[-1].at_ms <= MINUTE_MS:
            messages = self._latest.pop()
            kept.appendleft(messages)
            count += len(messages.scraped)
            lags += messages.lags()
        self._latest = kept
        return round(median(lags)) if lags else None
