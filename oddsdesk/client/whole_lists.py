"""Whole lists of games, events and value bets, since one answer holds 500 or 1,000 at most.

A service with pages is read page after page. One that is exactly the contract has none: a
list that it cuts is asked for by sport, then competition, state of play and bookmaker, and value
bets by their EV first. All odds rows are read by ``whole_odds``.
"""

import logging
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from functools import wraps
from statistics import median
from typing import TYPE_CHECKING, Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from msgspec import structs

from oddsdesk.client.answers import Listing
from oddsdesk.client.errors import (
    BadRequestError,
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    ServiceUnavailableError,
)
from oddsdesk.contract import resources
from oddsdesk.contract.access import ErrorCode
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Event, Game, Sport, ValueBet
from oddsdesk.contract.times import DAY_MS, format_ms, parse_ms

if TYPE_CHECKING:
    from oddsdesk.client.client import Client

LIMIT: Final = 500
MOST_EVENTS: Final = 1_000
"""The largest limit of events."""
HISTORY_PATH: Final = "/api/games/{game_id}/history"
MOVES_PATH: Final = "/api/history"
MOST_MOVES: Final = 10_000
"""The largest limit of the moves of all games."""
SMALLER_LIMITS: Final = (500, 250, 200, 100)
"""Tried in turn where a service refuses to answer as many."""
MOST_GAMES: Final = 10_000
"""Most games kept of a list; no service has half as many with odds at one time."""
MOST_COMPETITIONS: Final = 1_000
MOST_FAILURES: Final = 3
"""A reading ends after the service fails for this many competitions in a row."""
_LEAST_EV, _MOST_EV = 1.0, 20.0
"""The contract's range of value bets, in percent."""
_SMALLEST_STEP: Final = 0.01
"""EV ranges are not halved below this."""
_AT_LEAST: Final = 50
"""A shorter answer is a whole one: no service answers fewer items at most."""
_log = logging.getLogger(__name__)

T = TypeVar("T")
Filters = dict[str, Any]
Fetch = Callable[..., Awaitable[Listing[T]]]


class GameList(NamedTuple):
    """The games of a service, as far as read."""

    games: list[Game]
    is_cut: bool
    """Whether it has more of them."""
    failed: tuple[str, ...] = ()
    """Competitions whose games the service failed to answer."""


class BetSlice(NamedTuple):
    """One answer of a pass over all value bets."""

    bets: Sequence[ValueBet]
    is_cut: bool = False
    """Whether bets beyond it stay unread."""


class AnswerSize:
    """Learns how many items a service answers at most, of one list.

    Some answer fewer than they are asked for, and do not say it.

    Attributes:
        limit: How many to ask for.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._clamp: int | None = None
        self._longest = 0
        self._is_checked = False

    @property
    def most(self) -> int:
        """How many items an answer holds at most."""
        return self._clamp or self.limit

    def shrink(self) -> bool:
        """Ask for fewer from now on; tell whether that is possible."""
        smaller = [size for size in SMALLER_LIMITS if size < self.limit]
        if smaller:
            self.limit = smaller[0]
        return bool(smaller)

    async def is_cut(self, answer: Listing[Any], lacks_some: Callable[[], Awaitable[bool]]) -> bool:
        """Return whether there may be items beyond an answer.

        An answer as long as a usual limit, the longest so far, is taken for a cut one. Of the first
        long answer ``lacks_some`` finds it out by one more request.
        """
        count = answer.answered
        if answer.next_cursor is not None:
            return False
        if count >= self.limit or count == self._clamp:
            self._longest = max(self._longest, count)
            return True
        if count <= max(self._longest, _AT_LEAST - 1):
            return False
        self._longest, self._clamp = count, None
        is_limit = count % 100 == 0 or count & (count - 1) == 0
        is_checked, self._is_checked = self._is_checked, True
        if is_limit or (not is_checked and await lacks_some()):
            self._clamp = count
        return self._clamp is not None


async def sized(size: AnswerSize, fetch: Fetch[T], **asked: Any) -> Listing[T]:
    """Ask for as many items as an answer may hold, for fewer where the service refuses that."""
    while True:
        try:
            return await fetch(**asked, limit=size.limit)
        except BadRequestError:
            if asked.get("cursor") is not None or not size.shrink():
                raise


class _Splitting:
    """Reads one list whole: in pages, or narrower and narrower where it is cut."""

    def __init__(
        self,
        client: "Client",
        name: str,
        fetch: Fetch[Any],
        axes: Sequence[str],
        on_request: Callable[[], None] = lambda: None,
    ) -> None:
        self.size = client.answer_size(name)
        self.is_cut = False
        """Whether anything stayed unread."""
        self._client = client
        self._name = name
        self._ask = fetch
        self._on_request = on_request
        self._axes = axes
        self._sports: list[Sport] | None = None
        self._bookmakers: list[str] | None = None
        self.failed: list[str] = []
        """Competitions that the service failed to answer."""
        self._failed_in_a_row = 0

    def _fetch(self, **asked: Any) -> Awaitable[Listing[Any]]:
        self._on_request()
        return self._ask(**asked)

    async def answers(self, asked: Filters) -> AsyncGenerator[Listing[Any], None]:
        """Yield one answer after the other; an item may be in several."""

        def page(cursor: str | None) -> Awaitable[Listing[Any]]:
            at = {} if cursor is None else {"cursor": cursor}
            return sized(self.size, self._fetch, **asked, **at)

        is_first, is_part = True, False
        async with aclosing(pages(page, self._name)) as whole:
            async for answer in whole:
                is_part = is_first and await self._is_cut(asked, answer)
                is_first = False
                yield answer
        if is_part:
            async with aclosing(self.narrower(asked, answer)) as parts:
                async for part in parts:
                    yield part

    async def narrower(
        self, asked: Filters, answer: Listing[Any]
    ) -> AsyncGenerator[Listing[Any], None]:
        """Yield answers that hold all that ``answer``, which was cut, is a part of."""
        axis = next((axis for axis in self._axes if asked.get(axis) is None), None)
        values = [] if axis is None else await self._values(axis, asked)
        if axis is None or not values:
            self.is_cut = True
            return
        for value in values:
            filters = asked | {axis: value}
            part = await self._part(filters)
            yield part
            if await self._is_cut(filters, part):
                async with aclosing(self.narrower(filters, part)) as parts:
                    async for each in parts:
                        yield each

    async def _part(self, filters: Filters) -> Listing[Any]:
        try:
            part = await self._fetch(**filters, limit=self.size.limit)
        except ServiceUnavailableError:
            self._failed_in_a_row += 1
            if "competition" not in filters or self._failed_in_a_row >= MOST_FAILURES:
                raise
            self.failed.append(filters["competition"])
            return Listing([])
        except ForbiddenError as error:
            if error.code in _NOT_TO_BE_SEEN and (filters.get("is_live") or "bookmaker" in filters):
                return Listing([])
            raise
        self._failed_in_a_row = 0
        return part

    async def _is_cut(self, asked: Filters, answer: Listing[Any]) -> bool:
        async def lacks_some() -> bool:
            axis = next((axis for axis in _PROBED if asked.get(axis) is None), None)
            value = None if axis is None else getattr(answer[-1], axis, None)
            if axis is None or value is None:
                return False
            found = await self._fetch(**asked, **{axis: value}, limit=self.size.limit)
            held = sum(1 for item in answer if getattr(item, axis) == value)
            more = sum(1 for item in found if getattr(item, axis) == value)
            return more > held + max(1, held // 20)

        return await self.size.is_cut(answer, lacks_some)

    async def _values(self, axis: str, asked: Filters) -> list[Any]:
        if axis == "is_live":
            return [False, True]  # what begins between the two answers is in both
        if axis == "bookmaker":
            if self._bookmakers is None:
                self._on_request()
                self._bookmakers = [each.name for each in await self._client.bookmakers()]
            return self._bookmakers
        if self._sports is None:
            self._on_request()
            self._sports = list(await self._client.sports())
        if axis == "sport":
            return [sport.name for sport in self._sports]
        return self._codes(asked.get("sport"))

    def _codes(self, sport: str | None) -> list[str]:
        codes = [
            code
            for each in self._sports or ()
            if sport is None or each.name.casefold() == sport.casefold()
            for code in each.competition_codes
        ]
        if len(codes) > MOST_COMPETITIONS:
            self.is_cut = True
            line = "sports: the service has %d competitions; only %d are read"
            _log.warning(line, len(codes), MOST_COMPETITIONS)
        return codes[:MOST_COMPETITIONS]


_NOT_TO_BE_SEEN: Final = {ErrorCode.LIVE_NOT_ON_PLAN.value, ErrorCode.BOOKMAKER_FORBIDDEN.value}
_OF_THE_BOOKMAKER: Final = {
    ErrorCode.BOOKMAKER_NOT_CONFIGURED.value,
    ErrorCode.BOOKMAKER_FORBIDDEN.value,
}
_PROBED: Final = ("competition", "sport")
"""What is asked of the last item of an answer, to find out whether there are more like it."""
_IN_LISTS: Final = {"games": "game_id", "events": "slug"}
_GAME_AXES: Final = ("sport", "competition", "is_live", "bookmaker")
_BET_AXES: Final = ("sport", "competition", "bookmaker")


async def all_games(
    client: "Client",
    as_of: str | None = None,
    on_answer: Callable[[Listing[Game]], None] = lambda _answer: None,
    on_request: Callable[[], None] = lambda: None,
) -> GameList:
    """Read every game; ``on_answer`` gets each answer, ``on_request`` is called at each request.

    The contract does not say which plans have games, so events are read where the key has none.
    """
    asked: Filters = {} if as_of is None else {"as_of": as_of}
    if client.has_games:
        reading = _Splitting(client, "games", client.games, _GAME_AXES, on_request)
        try:
            return await _games_of(reading, asked, on_answer)
        except ForbiddenError as error:
            if asked or error.code in _OF_THE_BOOKMAKER:
                raise
            note_no_games(client, error)
    reading = _Splitting(client, "events", client.events, _GAME_AXES, on_request)
    return await _games_of(reading, asked, lambda _answer: None)


def note_no_games(client: "Client", error: ForbiddenError) -> None:
    """Note that a key may not read games.

    Raises:
        ForbiddenError: the key read games before, so the refusal is temporary.
    """
    if client.has_read_games:
        raise error
    client.has_games = False


async def _games_of(
    reading: _Splitting, asked: Filters, on_answer: Callable[[Listing[Game]], None]
) -> GameList:
    held: dict[str, Game] = {}
    async with aclosing(reading.answers(asked)) as answers:
        async for answer in answers:
            on_answer(answer)
            for item in answer:
                game = _as_game(item)
                held.setdefault(game.game_id, game)
            if len(held) > MOST_GAMES:
                line = "games: the service has more than %d; the rest is not read"
                _log.warning(line, MOST_GAMES)
                return GameList(list(held.values())[:MOST_GAMES], is_cut=True)
    return GameList(list(held.values()), reading.is_cut, tuple(dict.fromkeys(reading.failed)))


def _as_game(game: Game | Event) -> Game:
    """Return an event as the game that it is."""
    if isinstance(game, Game):
        return game
    return Game(
        game_id=game_id(game.competition, game.match_name),
        match_name=game.match_name,
        competition=game.competition,
        sport=game.sport,
        match_date=game.match_date,
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        last_scraped_at=None,
    )


async def every_item(
    client: "Client", name: str, fetch: Fetch[T], asked: Filters
) -> AsyncGenerator[list[T], None]:
    """Yield every game or event, each once, answer by answer; ``name`` says which list it is."""
    reading, seen = _Splitting(client, name, fetch, _GAME_AXES), set[object]()
    if asked.get("limit") is not None:
        reading.size = AnswerSize(asked["limit"])
    async with aclosing(reading.answers(without_paging(asked))) as answers:
        async for answer in answers:
            yield _unseen(answer, ("competition", _IN_LISTS[name]), seen)
    warn_of_unread(name, is_cut=reading.is_cut or bool(reading.failed))


def _unseen(items: Iterable[T], names: Sequence[str], seen: set[object]) -> list[T]:
    """Return the items whose fields of these names are new together; add them to ``seen``."""
    found = []
    for item in items:
        key = tuple(getattr(item, name, "") for name in names)
        if key not in seen:
            seen.add(key)
            found.append(item)
    return found


async def every_value_bet(client: "Client", asked: Filters) -> AsyncGenerator[list[ValueBet], None]:
    """Yield every value bet, each once, answer by answer."""
    seen, is_cut = set[object](), False
    async with aclosing(value_bet_slices(client, asked)) as slices:
        async for part in slices:
            is_cut |= part.is_cut
            yield _unseen(part.bets, _BET_KEY, seen)
    warn_of_unread("value_bets", is_cut=is_cut)


_BET_KEY: Final = (
    *("competition", "match_name", "market_type", "period", "selection", "bookmaker"),
)


async def every_move(
    client: "Client", asked: Filters, now_ms: int
) -> AsyncGenerator[Sequence[resources.HistoryRow], None]:
    """Yield every price move, game by game, answer by answer.

    A service without ``MOVES_PATH`` is read by the history of each game, which takes far more
    requests; how many is logged before. Its games are those of each day from ``since`` on; without
    ``since``, or without ``as_of``, those with prices now.

    Raises:
        NotFoundError: the service has no history of either kind.
    """
    filters = without_paging(asked)
    if await client.offers(MOVES_PATH):
        limit = asked.get("limit") or MOST_MOVES

        def page(cursor: str | None) -> Awaitable[Listing[resources.HistoryRow]]:
            return client.moves(**filters, limit=limit, cursor=cursor)

        async with aclosing(pages(page, "moves", most=_MOST_PAGES_OF_MOVES)) as answers:
            async for answer in answers:
                yield answer
        return
    if not await client.offers(HISTORY_PATH):
        raise NotFoundError(ErrorCode.NOT_FOUND.value, "this service has no price history", 404)
    for game in await _games_of_span(client, filters, now_ms):
        yield await _moves_of_game(client, game, filters)


_MOST_PAGES_OF_MOVES: Final = 100_000


async def _games_of_span(client: "Client", filters: Filters, now_ms: int) -> list[Game]:
    """Return the games whose history is to be read; log how many requests that takes."""
    of_games = {name: filters[name] for name in ("sport", "competition") if name in filters}
    days: list[str | None] = [None]
    if "since" in filters and await client.offers("/api/games", "as_of"):
        first, last = _moment_of(filters, "since"), now_ms
        if "until" in filters:
            last = min(last, _moment_of(filters, "until"))
        days = [format_ms(at) for at in (*range(first, last, DAY_MS), max(first, last))]
        line = "moves: the service has no %s: its games are listed day by day, %d requests or more"
        _log.warning(line, MOVES_PATH, len(days))
    found: dict[str, Game] = {}
    for day in days:
        async with aclosing(client.all_games(**of_games, as_of=day)) as games:
            async for game in games:
                found[game.game_id] = game
    quota = client.quota
    left = "" if quota is None else f"; {quota.remaining:,} are left"
    line = "moves: the service has no %s: %d games are read one by one, %d requests or more%s"
    _log.warning(line, MOVES_PATH, len(found), len(found), left)
    return list(found.values())


def _moment_of(filters: Filters, name: str) -> int:
    try:
        return parse_ms(filters[name])
    except ValueError as error:
        problem = f"{name}: expected an ISO-8601 time with an offset, got {filters[name]!r}"
        raise BadRequestError(ErrorCode.BAD_REQUEST.value, problem) from error


async def _moves_of_game(
    client: "Client", game: Game, filters: Filters
) -> list[resources.HistoryRow]:
    of_moves = {name: value for name, value in filters.items() if name in _OF_MOVES}
    named = {name: getattr(game, name) for name in _OF_GAME}
    try:
        moves = [move async for move in client.all_history(game.game_id, **of_moves)]
    except NotFoundError:
        _log.warning("moves: %s is no longer there", game.match_name)
        return []
    return [resources.HistoryRow(**named, **structs.asdict(move)) for move in moves]


_OF_GAME: Final = (
    *("game_id", "match_name", "competition", "sport", "match_date", "source_sport"),
)
_OF_MOVES: Final = ("market_type", "period", "bookmaker", "since", "until")


def without_paging(asked: Filters) -> Filters:
    """Return what a list is filtered by."""
    return {
        name: value
        for name, value in asked.items()
        if value is not None and name not in ("limit", "cursor")
    }


def warn_of_unread(name: str, *, is_cut: bool) -> None:
    """Log that not all of a list could be read, where that is so."""
    if is_cut:
        _log.warning("%s: the service has more than could be read", name)


async def value_bet_slices(
    client: "Client", asked: Mapping[str, Any] | None = None
) -> AsyncGenerator[BetSlice, None]:
    """Read every value bet in as few requests as the service allows.

    A bet may be in more than one slice.
    """
    filters, limit = without_paging(dict(asked or {})), (asked or {}).get("limit")
    reading = _Splitting(client, "value_bets", client.value_bets, ())
    if limit is not None:
        reading.size = AnswerSize(limit)
    is_cut = False
    async with aclosing(reading.answers(filters)) as answers:
        async for answer in answers:
            yield BetSlice(answer)
    if not reading.is_cut:
        return
    low = filters.pop("min_ev", None) or _LEAST_EV
    high = filters.pop("max_ev", None) or _MOST_EV
    todo = [(low, high, answer)]
    requests = 0
    narrow = _Splitting(client, "value_bets", client.value_bets, _BET_AXES)
    narrow.size = reading.size
    while todo:
        low, high, cut = todo.pop()
        middle = _between(low, high, cut)
        if middle is None or requests >= MOST_PAGES:
            ranged = filters | {"min_ev": low, "max_ev": high}
            async with aclosing(narrow.narrower(ranged, cut)) as parts:
                async for part in parts:
                    yield BetSlice(part)
            is_cut |= narrow.is_cut or bool(narrow.failed)
            continue
        for range_ in ((low, middle), (middle, high)):
            ranged = filters | {"min_ev": range_[0], "max_ev": range_[1]}
            part = await client.value_bets(**ranged, limit=reading.size.limit)
            requests += 1
            yield BetSlice(part)
            if len(part) >= reading.size.most:
                todo.append((*range_, part))
    if is_cut:
        yield BetSlice((), is_cut=True)


def _between(low: float, high: float, bets: Sequence[ValueBet]) -> float | None:
    """Return where to divide a range of EV; None where all bets have the same."""
    if len({bet.ev_pct for bet in bets}) < 2:
        return None
    for middle in (median(bet.ev_pct for bet in bets), (low + high) / 2):
        if low + _SMALLEST_STEP < middle < high - _SMALLEST_STEP:
            return round(middle, 4)
    return None


P = ParamSpec("P")
S = TypeVar("S")


MOST_PAGES: Final = 200
"""A list with more pages is taken for an endless one."""
_LONGEST_CURSOR: Final = 4_096
"""In characters; it is part of the next request's address."""


async def pages(
    fetch: Callable[[str | None], Awaitable[Listing[T]]],
    name: str,
    cursor: str | None = None,
    most: int = MOST_PAGES,
) -> AsyncGenerator[Listing[T], None]:
    """Yield page after page from ``cursor`` on; ``name`` names the list in errors.

    Raises:
        MalformedAnswerError: a cursor comes a second time or is too long, or there are more than
            ``most`` pages.
    """
    seen = {cursor}
    for _ in range(most):
        page = await fetch(cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
        if len(cursor) > _LONGEST_CURSOR:
            raise MalformedAnswerError(f"{name}: the service's cursor is far too long")
        if cursor in seen:
            raise MalformedAnswerError(f"{name}: the service repeats a page")
        seen.add(cursor)
    raise MalformedAnswerError(f"{name}: the service does not end after {most} pages")


def paged(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, Listing[T]]],
    largest: int,
    whole: Callable[[S, dict[str, Any]], AsyncGenerator[Sequence[T], None]] | None = None,
) -> Callable[Concatenate[S, P], AsyncGenerator[T, None]]:
    """Return a method that yields what ``method`` lists, over as many requests as it takes.

    Parameters are those of ``method``; ``limit`` is the size of a page, ``largest`` by default.
    ``whole`` yields all items from the beginning, answer by answer, of a service without pages,
    too. The method's ``in_pages`` yields lists of items.
    """

    async def in_pages(
        client: S, /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncGenerator[Sequence[T], None]:
        asked: dict[str, Any] = kwargs
        if whole is not None and asked.get("cursor") is None and asked.get("as_of") is None:
            answers = whole(client, asked)
        else:
            if asked.get("limit") is None:
                kwargs["limit"] = largest

            def fetch(cursor: str | None) -> Coroutine[Any, Any, Listing[T]]:
                kwargs["cursor"] = cursor
                return method(client, *args, **kwargs)

            begin: Any = asked.get("cursor")
            answers = pages(fetch, method.__name__, begin)
        async with aclosing(answers) as parts:
            async for part in parts:
                yield part

    @wraps(method)
    async def every(client: S, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        async with aclosing(in_pages(client, *args, **kwargs)) as parts:
            async for part in parts:
                for item in part:
                    yield item

    every.in_pages = in_pages  # type: ignore[attr-defined]
    every.__name__ = f"all_{method.__name__}"
    every.__doc__ = (
        f"Yield all that ``{method.__name__}`` lists, in as many requests as it takes.\n\n"
        f"Takes its parameters; ``limit`` is the size of a page, {largest} unless given.\n"
        "Items that change between two answers may be missing or outdated."
    )
    return every
