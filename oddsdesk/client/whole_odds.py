"""Reading every odds row of a service, pass after pass, in as few requests as it allows.

A service with pages is read page after page. One that is exactly the contract has none: what
it cuts at 500 rows is asked for in slices, which are planned by what the last pass found.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.texts import N_
from oddsdesk.client import errors, whole_lists
from oddsdesk.client.answers import Listing
from oddsdesk.client.partial_answers import Losses, MatrixInPart, RowInPart
from oddsdesk.client.rows import (
    FORGOTTEN_MS,
    SAFE_SHARE,
    Cell,
    Coverage,
    Domains,
    RowsByGame,
    RowSlice,
    cheapest_cover,
    count_rows,
    has_reference,
    reference_of,
    rows_of_game,
)
from oddsdesk.contract.access import ErrorCode
from oddsdesk.contract.resources import Bookmaker, Game, OddsRow
from oddsdesk.contract.times import MINUTE_MS, format_ms

if TYPE_CHECKING:
    from oddsdesk.client.client import Client

MOST_SLICES: Final = 5_000
"""A pass of more requests than an hour's quota is not begun: what is beyond that stays unread."""
RETRY_S: Final = (0.5, 2.0)
"""Waits before a request is made again that the service could not answer, in the midst of a pass"""
SERIES_SPORTS: Final = frozenset({"Baseball", "Basketball", "Hockey"})
"""Sports where the same teams play at the same place on consecutive days: such games may share an
id, and the answer for a game would mix their prices."""
SHORT_WAIT_S: Final = 10.0
"""For so long a pass waits for requests to be taken again; longer waits end it for the moment."""
LATEST_RESUMED_MS: Final = 60 * MINUTE_MS
"""A pass that stopped longer ago is begun again."""

_log = logging.getLogger(__name__)


class Slice(NamedTuple):
    """One answer of a pass over all odds rows."""

    rows: Sequence[OddsRow]
    done: int
    """Requests made so far."""
    total: int | None
    """Requests that the pass will take; None while it is not known."""
    cut: str | None
    """What was asked for, where rows of it stay unread; None where all came."""


_Fetch = Callable[..., Awaitable[Listing[OddsRow]]]
T = TypeVar("T")

_Key = tuple[str, str, str, int]
"""Match name, bookmaker, market type and period of a row, within a competition."""


class _NoGamesError(Exception):
    """Games cannot be read as a whole: the key may not, or nothing tells whose a price is."""


class _SeriesError(Exception):
    """A game shares its id with another of the same teams: its answer mixes their prices."""

    def __init__(self, competition: str) -> None:
        super().__init__(competition)
        self.competition = competition


class _Pass:
    """One pass: what was read, and what is still to be asked for."""

    def __init__(self, began_ms: int) -> None:
        self.began_ms = began_ms
        self.requests = 0
        self.todo: deque[RowSlice] = deque()
        self.is_planned = False
        self.whole: list[RowSlice] = []
        self.unread: list[RowSlice] = []
        self.later: deque[RowSlice] = deque()
        """Slices that the service failed to answer; asked for once more at the end."""
        self.failed: list[RowSlice] = []
        """Slices that the service failed to answer since its latest answer."""
        self.given_up = set[str]()
        """Competitions that fail: only one of their slices is tried, until it is answered."""
        self.read_again = set[str]()
        """Names of slices that were answered, and of their competitions."""
        self.losses = Losses()
        self.in_part: list[RowSlice] = []
        """Slices with a row in which not even the market could be read."""
        self.cells: Counter[Cell] = Counter()
        self.in_play: dict[str, set[_Key]] = {}
        """Rows in play by competition, since the answer of a game does not say which are."""


class WholeOdds:
    """Reads every odds row that the key may see; remembers how the service cuts its answers.

    A pass that ends with ``RateLimitedError`` is continued by the next ``read``.

    Attributes:
        coverage: What the last finished pass read whole.
        unread: What that pass could not read, for people.
        requests: How many requests it took.
        began_ms: When the present or the last pass began.
    """

    def __init__(
        self,
        client: "Client",
        filters: RowSlice | None = None,
        *,
        clock: Clock = system_clock,
        in_play: bool = False,
        limit: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Make a reader of all rows.

        Args:
            client: Asks the service.
            filters: What all rows have in common; None: nothing.
            clock: Tells the time in milliseconds.
            in_play: Whether to ask for rows in play only, of ``/api/odds/live``.
            limit: How many rows to ask for at a time; as many as possible by default.
            sleep: Waits for seconds.
        """
        self.coverage = Coverage()
        self.unread: tuple[str, ...] = ()
        self.requests = 1
        self.began_ms = 0
        self._client = client
        self._root = filters or RowSlice()
        self._clock = clock
        self._fetch: _Fetch = client.live_odds if in_play else client.odds
        self._sleep = sleep
        self._size = client.answer_size("odds") if limit is None else whole_lists.AnswerSize(limit)
        self._domains = Domains()
        if in_play:
            self._domains.has_live = self._domains.has_games = False
        self._series = set[str]()
        """Competitions in which games share an id, so that only rows separate them."""
        self._games: list[Game] = []
        self._game_names: dict[str, str] = {}
        self._bookmakers: list[Bookmaker] = []
        self._cells: Mapping[Cell, float] | None = None
        """Rows of the last pass; None where one answer held them all, or pages did."""
        self._pass: _Pass | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the last finished pass read everything."""
        return not self.unread

    def start_over(self) -> None:
        """Drop an unfinished pass: what it read by now may have changed unheard."""
        self._pass = None

    def left_to_read(self) -> tuple[str, ...]:
        """Return what the unfinished pass has not read, for people; empty where there is none."""
        now = self._pass
        return () if now is None else self._named([*now.todo, *now.later, *now.unread])

    async def read(self) -> AsyncGenerator[Slice, None]:
        """Make a pass, or continue the one that the quota stopped.

        Rows may come twice: with an answer that was cut, and with the slices that replace it.

        Raises:
            ServiceError: the service does not answer, or refuses.
        """
        now = self._begin()
        try:
            if not now.is_planned and self._cells is None:
                async for first in self._read_unsliced(now):
                    yield first
            elif not now.is_planned:
                await self._plan(now)
            while now.todo or now.later:
                found = await self._read_next(now)
                if found is not None:
                    yield found
        except errors.RateLimitedError:
            raise
        except errors.ServiceError:
            self._pass = None
            raise
        self._finish(now)

    def lacks(self) -> tuple[str, ...]:
        """Return the slices that are unread at the moment, in words.

        These are missing from the last finished pass and not read since, or from this pass.
        """
        now = self._pass
        if now is None:
            return self.unread
        lost = [*now.unread, *(each for each in now.later if each.competition in now.given_up)]
        still = [each for each in self.unread if each not in now.read_again]
        return tuple(dict.fromkeys([*still, *self._named_of(now, lost)]))

    def _named_of(self, now: _Pass, parts: Iterable[RowSlice]) -> tuple[str, ...]:
        """Name slices; a competition that fails as a whole once."""
        failing = now.given_up
        return self._named(
            RowSlice(competition=each.competition) if each.competition in failing else each
            for each in parts
        )

    def _named(self, parts: Iterable[RowSlice]) -> tuple[str, ...]:
        """Name slices for people: games by their teams."""
        names = self._game_names
        named = (each._replace(game=names.get(each.game or "", each.game)) for each in parts)
        return tuple(dict.fromkeys(map(str, named)))

    def _begin(self) -> _Pass:
        now_ms, now = self._clock(), self._pass
        is_young = now is not None and 0 <= now_ms - now.began_ms <= LATEST_RESUMED_MS
        if now is None or not now.is_planned or not is_young:
            now = self._pass = _Pass(now_ms)
        self.began_ms = now.began_ms
        return now

    def _finish(self, now: _Pass) -> None:
        cut = {part.competition for part in now.unread if part.game is None}
        # A game without the reference's rows, or those in play, is read in part only.
        whole = [part for part in now.whole if part.game is None or part.competition not in cut]
        in_part = [part for part in now.whole if part.game and part.competition in cut]
        unread, sports = [*now.unread, *in_part, *now.in_part], self._domains.competitions
        self.coverage = Coverage(whole, unread, sports)
        self.unread = (*self._named_of(now, now.unread), *([str(now.losses)] if now.losses else []))
        self.requests = max(now.requests, 1)
        self._client.kick_offs.drop_before(self._clock() - FORGOTTEN_MS)
        is_sliced = now.is_planned and now.cells.total() > self._room()
        self._cells = now.cells if is_sliced else None
        self._pass = None

    def _room(self) -> int:
        return int(self._size.most * SAFE_SHARE)

    # The first question, which is for everything

    async def _read_unsliced(self, now: _Pass) -> AsyncGenerator[Slice, None]:
        """Ask for all rows: page after page, or in slices where the answer is cut."""
        is_part, is_first = False, True
        async with aclosing(whole_lists.pages(lambda at: self._page(now, at), "odds")) as answers:
            async for answer in answers:
                is_last = answer.next_cursor is None
                is_part = is_last and is_first and await self._is_cut(now, self._root, answer)
                is_first = False
                total = now.requests if is_last and not is_part else None
                self._note(now, answer, self._root)
                yield Slice([*answer, *answer.unread], now.requests, total, None)
        if is_part:
            self._domains.learn(answer)
            await self._load(now, sports=True, bookmakers=True, games=True)
            self._cells = _estimated(answer, self._games, self._bookmakers)
            await self._plan(now, is_fresh=True)
        elif self._root not in now.in_part:
            now.whole.append(self._root)

    def _note(self, now: _Pass, answer: Listing[OddsRow], part: RowSlice) -> None:
        """Count the bad parts of an answer."""
        self._client.kick_offs.learn(answer, self._clock())
        now.losses.add_losses(answer.losses)
        if answer.losses.rows and part not in now.in_part:
            now.in_part.append(part)

    async def _page(self, now: _Pass, cursor: str | None) -> Listing[OddsRow]:
        async def fetch(**asked: Any) -> Listing[OddsRow]:
            now.requests += 1
            return await self._fetch(**asked)

        at = {} if cursor is None else {"cursor": cursor}
        return await whole_lists.sized(self._size, fetch, **self._root.filters(), **at)

    async def _is_cut(self, now: _Pass, part: RowSlice, answer: Listing[OddsRow]) -> bool:
        """Return whether there are rows beyond an answer.

        Where it is doubtful, it is asked whether there are more of its last bookmaker than in it.
        """

        async def lacks_some() -> bool:
            probe = _narrower(part, answer[-1])
            if probe is None:
                return False
            now.requests += 1
            found = await self._fetch(**probe.filters(), limit=self._size.limit)
            held = sum(map(probe.holds, answer))
            return sum(map(probe.holds, found)) > held + max(1, held // 20)

        return await self._size.is_cut(answer, lacks_some)

    # Slices

    async def _plan(self, now: _Pass, *, is_fresh: bool = False) -> None:
        """Choose the slices, after reading again the lists that they are made of."""
        assert self._cells is not None
        parts = await self._cover(self._root, self._cells)
        if not is_fresh:
            await self._load(
                now,
                sports=any(part.sport or part.competition for part in parts),
                bookmakers=any(part.bookmaker != self._root.bookmaker for part in parts),
                games=any(part.game for part in parts),
            )
            parts = await self._cover(self._root, self._cells)
        now.todo, now.is_planned = deque(parts), True
        self._keep_bound(now)

    async def _cover(self, part: RowSlice, cells: Mapping[Cell, float]) -> list[RowSlice]:
        """Plan on a thread: of 10,000 cells it takes a tenth of a second."""
        return await asyncio.to_thread(cheapest_cover, part, cells, self._domains, self._room())

    def _keep_bound(self, now: _Pass) -> None:
        while now.todo and len(now.todo) + now.requests > MOST_SLICES:
            now.unread.append(now.todo.pop())

    async def _load(self, now: _Pass, *, sports: bool, bookmakers: bool, games: bool) -> None:
        """Read the lists that slices are made of.

        What the last pass had rows of is asked for once more, also where it is not listed now.
        """
        client, domains, known = self._client, self._domains, self._cells or {}
        if sports:
            listed = await self._patiently(now, client.sports)
            codes = {cell.competition: cell.sport for cell in known}
            domains.competitions = codes | {
                code: sport.name for sport in listed for code in sport.competition_codes
            }
        if bookmakers and domains.sees_all_bookmakers and self._root.bookmaker is None:
            self._bookmakers = list(await self._patiently(now, client.bookmakers))
            names = [each.name for each in self._bookmakers]
            names += [cell.bookmaker for cell in known]
            domains.bookmakers = list(dict.fromkeys(names))
        if games and domains.has_games and self._client.has_games:
            await self._load_games(now)

    async def _load_games(self, now: _Pass) -> None:
        def count() -> None:
            now.requests += 1

        try:
            found = await self._patiently(
                now, partial(whole_lists.all_games, self._client, on_request=count), requests=0
            )
            await self._take_games(now, found)
        except errors.ForbiddenError as error:
            whole_lists.note_no_games(self._client, error)
            self._drop_games(now)
        except errors.NotFoundError:
            self._drop_games(now)

    async def _take_games(self, now: _Pass, found: whole_lists.GameList) -> None:
        root = self._root
        self._games = [
            game
            for game in found.games
            if root.sport in (None, game.sport) and root.competition in (None, game.competition)
        ]
        self._game_names = {game.game_id: game.match_name for game in self._games}
        if not self._client.has_games:  # these are events
            self._domains.has_games = False
            return
        self._domains.take_games(self._games, is_cut=found.is_cut)
        for competition in found.failed:
            self._domains.games.pop(competition, None)
        may_be = (game.competition for game in self._games if game.sport in SERIES_SPORTS)
        for competition in {*self._series, *may_be}:
            self._domains.games.pop(competition, None)
        if self._domains.reference is None and self._games:
            self._domains.reference = await self._reference(now)

    async def _reference(self, now: _Pass) -> str | None:
        """Return the reference's name, from a large game; if that fails, from another."""
        largest = dict[str, Game]()
        for game in sorted(self._games, key=lambda game: -game.bookmaker_count):
            largest.setdefault(game.competition, game)
        for tried, game in enumerate(largest.values(), 1):
            try:
                matrix = await self._patiently(now, partial(self._client.game, game.game_id))
            except errors.ServiceUnavailableError:
                if tried >= whole_lists.MOST_FAILURES:
                    raise
            else:
                return reference_of(matrix)
        return None

    def _drop_games(self, now: _Pass) -> None:
        """Read no game as a whole any more: the key may not, or the answers do not tell enough."""
        self._domains.has_games = False
        self._domains.games = {}
        kept = [part._replace(game=None) for part in now.todo]
        now.todo = deque(dict.fromkeys(kept))

    def _drop_games_of(self, now: _Pass, competition: str) -> None:
        """Stop reading games of a competition as a whole: their prices have no kick-off."""
        self._series.add(competition)
        self._domains.games.pop(competition, None)
        kept = [
            part._replace(game=None) if part.competition == competition else part
            for part in now.todo
        ]
        now.todo = deque(dict.fromkeys(kept))

    async def _read_next(self, now: _Pass) -> Slice | None:
        """Read the next slice; None where the service failed to answer it."""
        is_last_try = not now.todo
        part = now.later.popleft() if is_last_try else now.todo.popleft()
        try:
            rows, is_part = await self._patiently(now, partial(self._rows_of, now, part))
        except _SeriesError as error:
            now.todo.appendleft(part)
            self._drop_games_of(now, error.competition)
            return None
        except _NoGamesError:
            now.todo.appendleft(part)
            self._drop_games(now)
            return None
        except errors.RateLimitedError:
            now.todo.appendleft(part)
            raise
        except (errors.OfflineError, errors.ServiceUnavailableError) as error:
            if not is_last_try and self._is_down(now, part, error):
                raise
            self._put_off(now, part, is_last_try=is_last_try)
            return None
        except (errors.BadRequestError, errors.MalformedAnswerError) as error:
            _log.warning("odds: %s was not read: %s", self._named([part])[0], error.message)
            now.unread.append(part)
            return self._slice(now, (), part)
        now.failed.clear()
        if part.competition in now.given_up:
            now.given_up.discard(part.competition)
        if self.unread:
            now.read_again.update((*self._named([part]), part.competition or ""))
        return await self._take(now, part, rows, is_part=is_part)

    def _is_down(self, now: _Pass, part: RowSlice, error: errors.ServiceError) -> bool:
        """Return whether the whole service fails, not only this slice."""
        now.failed.append(part)
        if isinstance(error, errors.OfflineError):
            return len(now.failed) > 1
        places = {each.competition or str(each) for each in now.failed}
        return len(places) >= whole_lists.MOST_FAILURES

    def _put_off(self, now: _Pass, part: RowSlice, *, is_last_try: bool) -> None:
        """Try a slice once more at the end; if its whole competition fails, all of its slices."""
        code = part.competition
        if is_last_try:
            now.unread.append(part)
            if code in now.given_up:
                now.unread += [each for each in now.later if each.competition == code]
                now.later = deque(each for each in now.later if each.competition != code)
            return
        now.later.append(part)
        same = sum(each.competition == code for each in now.failed)
        if code is not None and same >= whole_lists.MOST_FAILURES:
            now.given_up.add(code)
            now.later += [each for each in now.todo if each.competition == code]
            now.todo = deque(each for each in now.todo if each.competition != code)

    async def _take(
        self, now: _Pass, part: RowSlice, rows: Sequence[OddsRow], *, is_part: bool
    ) -> Slice:
        self._domains.learn(rows)
        if not is_part:
            now.whole += [] if part in now.in_part else [part]
        elif children := await self._split(now, part, rows):
            now.todo.extendleft(reversed(children))
            self._keep_bound(now)
            return self._slice(now, rows, None)
        else:
            now.unread.append(part)
        now.cells.update(count_rows(rows))
        if part.is_live and part.competition is not None:
            now.in_play.setdefault(part.competition, set()).update(map(_key_of, rows))
        return self._slice(now, rows, part if is_part else None)

    def _slice(self, now: _Pass, rows: Sequence[OddsRow], cut: RowSlice | None) -> Slice:
        total = now.requests + len(now.todo) + len(now.later)
        return Slice(rows, now.requests, total, None if cut is None else self._named([cut])[0])

    async def _split(self, now: _Pass, part: RowSlice, rows: Sequence[OddsRow]) -> list[RowSlice]:
        """Return the slices that replace one that was cut; empty where there are no narrower."""
        if not self._bookmakers and part.bookmaker is None:
            await self._load(now, sports=False, bookmakers=True, games=False)
        known = {cell: count for cell, count in (self._cells or {}).items() if part.holds(cell)}
        seen = count_rows(rows)
        for cell, count in seen.items():
            known[cell] = max(known.get(cell, 0.0), count)
        factor = max(1.0, 2 * len(rows) / max(sum(known.values()), 1))
        children = await self._cover(part, {cell: n * factor for cell, n in known.items()})
        return [] if children == [part] else children

    # One slice

    async def _patiently(self, now: _Pass, ask: Callable[[], Awaitable[T]], requests: int = 1) -> T:
        """Ask, and again where the service was too busy; ``requests``: how many that takes."""
        waits = iter(RETRY_S)
        while True:
            now.requests += requests
            try:
                return await ask()
            except errors.RateLimitedError as error:
                wait_s, least_s = (error.retry_at_ms - self._clock()) / 1000, next(waits, None)
                if wait_s > SHORT_WAIT_S or least_s is None:
                    raise
                await self._sleep(max(wait_s, least_s))
            except (errors.OfflineError, errors.ServiceUnavailableError):
                if (least_s := next(waits, None)) is None:
                    raise
                await self._sleep(least_s)

    async def _rows_of(self, now: _Pass, part: RowSlice) -> tuple[Sequence[OddsRow], bool]:
        try:
            if part.game is not None:
                return await self._rows_of_game(now, part), False
            answer = await self._fetch(**part.filters(), limit=self._size.limit)
        except errors.NotFoundError:
            return (), False
        except errors.ForbiddenError as error:
            return self._not_to_be_seen(part, error), False
        self._note(now, answer, part)
        return [*answer, *answer.unread], await self._is_cut(now, part, answer)

    async def _rows_of_game(self, now: _Pass, part: RowSlice) -> Sequence[OddsRow]:
        assert part.game is not None
        matrix = await self._client.game(
            part.game, market_type=part.market_type, bookmaker=part.bookmaker
        )
        if self._domains.reference is None and has_reference(matrix):
            raise _NoGamesError
        in_play = now.in_play.get(matrix.competition)
        is_live = matrix.is_live and in_play is None and self._domains.has_live is not False
        if self._client.kick_offs.is_series(matrix.competition, matrix.match_name):
            raise _SeriesError(matrix.competition)
        rows = rows_of_game(matrix, is_live=is_live)
        for each in matrix.unread if isinstance(matrix, MatrixInPart) else ():
            now.losses.add_cell(f"{matrix.match_name}: {each.selection or 'a row'}")
            if each.bookmaker is None and not each.is_reference and part not in now.in_part:
                now.in_part.append(part)
        return [row for row in rows if _key_of(row) not in (in_play or ())]

    def _not_to_be_seen(self, part: RowSlice, error: errors.ForbiddenError) -> Sequence[OddsRow]:
        """Learn what the plan does not show; there is nothing of it to be read.

        Raises:
            ForbiddenError: it is something else that is refused.
        """
        if error.code == ErrorCode.LIVE_NOT_ON_PLAN.value and part.is_live:
            self._domains.has_live = False
        elif error.code == ErrorCode.BOOKMAKER_FORBIDDEN.value and part.bookmaker is not None:
            self._domains.sees_all_bookmakers = False
            self._domains.bookmakers = []
        elif part.game is not None:
            whole_lists.note_no_games(self._client, error)
            raise _NoGamesError from None
        else:
            raise error
        return ()


def _estimated(
    sample: Sequence[OddsRow], games: Sequence[Game], bookmakers: Sequence[Bookmaker]
) -> dict[Cell, float]:
    """Estimate how many rows there are from an answer that was cut and from the short lists.

    Rows are spread over competitions as the bookmakers of their games, over bookmakers as the
    lines that each is said to have, over market types as in the sample.
    """
    names = {row.bookmaker for row in sample}
    is_one = len(names) == 1  # the plan may show no other
    lines = {each.name: each.odds_count for each in bookmakers}
    if is_one or not sum(lines.values()):
        lines = Counter(row.bookmaker for row in sample)
    places = Counter[tuple[str, str, bool]]()
    for game in games:
        count = 1 if is_one else game.bookmaker_count
        places[game.sport, game.competition, game.is_live] += count
    places = places or Counter((row.sport, row.competition, row.is_live) for row in sample)
    a_pair = len(sample) / len({(row.competition, row.match_name, row.bookmaker) for row in sample})
    lines_a_row = max(sum(len(row.odds) for row in sample) / len(sample), 1.0)
    by_pairs = places.total() * a_pair if games else 2.0 * len(sample)
    by_lines = 0.0 if is_one else sum(lines.values()) / lines_a_row
    total = max(by_pairs, by_lines)
    kinds = Counter(row.market_type for row in sample)
    return {
        Cell(sport, code, name, kind, is_live): total
        * (count / places.total())
        * (lines[name] / sum(lines.values()))
        * (kinds[kind] / len(sample))
        for (sport, code, is_live), count in places.items()
        for name in lines
        for kind in kinds
    }


def _narrower(part: RowSlice, row: OddsRow) -> RowSlice | None:
    """Return a slice of a slice that holds a row; None where there is none."""
    for name in ("bookmaker", "market_type", "competition"):
        if getattr(part, name) is None:
            return part._replace(**{name: getattr(row, name)})
    return None


def _key_of(row: OddsRow) -> _Key:
    return row.match_name, row.bookmaker, row.market_type, row.period


def _has_nothing(row: OddsRow) -> bool:
    return isinstance(row, RowInPart) and row.has_nothing


async def every_row(
    client: "Client", asked: dict[str, Any], *, in_play: bool = False
) -> AsyncGenerator[list[OddsRow], None]:
    """Yield every odds row that fits the filters of ``asked``, each once, answer by answer."""
    filters = RowSlice(**whole_lists.without_paging(asked))
    reading = WholeOdds(client, filters, in_play=in_play, limit=asked.get("limit"))
    seen = RowsByGame()
    async with aclosing(reading.read()) as slices:
        async for part in slices:
            yield [row for row in part.rows if not _has_nothing(row) and seen.add_row(row)]
    if reading.unread:
        _log.warning("odds: %s", unread_text(reading.unread))


def every_row_in_play(
    client: "Client", asked: dict[str, Any]
) -> AsyncGenerator[list[OddsRow], None]:
    """Yield the same of odds rows in play."""
    return every_row(client, asked, in_play=True)


class OddsSnapshot(NamedTuple):
    """All odds rows of a service, as far as they could be read."""

    rows: list[OddsRow]
    unread: tuple[str, ...]
    """What could not be read, for people; empty where everything was."""


async def snapshot(client: "Client", filters: RowSlice) -> OddsSnapshot:
    """Read every odds row once; what the quota or a failing service leaves unread is named.

    Raises:
        ServiceError: nothing could be read.
    """
    reading, rows = WholeOdds(client, filters), RowsByGame()
    try:
        async with aclosing(reading.read()) as slices:
            async for part in slices:
                for row in part.rows:
                    if not _has_nothing(row):
                        rows.add_row(row)
    except errors.RateLimitedError as error:
        if not (found := rows.all_rows()):
            raise
        until = N_(f"the requests are used up until {format_ms(error.retry_at_ms)}")
        return OddsSnapshot(found, (until, *reading.left_to_read()))
    return OddsSnapshot(rows.all_rows(), reading.unread)


def unread_text(unread: Sequence[str]) -> str:
    """Say what could not be read, in a line; empty where everything was."""
    if not unread:
        return ""
    some = "; ".join(unread[:3])
    more = "; " + N_(f"and {len(unread) - 3:,} more") if len(unread) > 3 else ""
    return N_(f"not all prices could be read: {some}{more}")
