"""The Python client of an odds service: one coroutine a resource."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Self
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from oddsdesk.client.addresses import read_addresses, read_key
from oddsdesk.client.answers import EventAnswer, GameAnswer, Listing, decode
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    UnauthorizedError,
)
from oddsdesk.client.kick_offs import KickOffs
from oddsdesk.client.large_answers import LARGEST_ITEM, list_in_steps, one_in_steps
from oddsdesk.client.paging import paged
from oddsdesk.client.partial_answers import Losses
from oddsdesk.client.quota import Quota
from oddsdesk.client.requests import Parameter, Requests
from oddsdesk.client.row_slices import RowSlice
from oddsdesk.client.stream import StateListener, follow
from oddsdesk.client.whole_lists import (
    LIMIT,
    MOST_EVENTS,
    AnswerSize,
    every_item,
    every_value_bet,
)
from oddsdesk.client.whole_odds import OddsSnapshot, every_row, every_row_in_play, snapshot
from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.resources import (
    Bookmaker,
    Event,
    Game,
    Health,
    OddsRow,
    PriceChange,
    PriceMessage,
    Sport,
    StreamToken,
    ValueBet,
)
from oddsdesk.slices import awake

HISTORY_PATH: Final = "/api/games/{game_id}/history"


_MOST_TOLD: Final = 1_000
_log = logging.getLogger(__name__)


class _Parameter(msgspec.Struct):
    name: str = ""


class _Operation(msgspec.Struct):
    parameters: list[_Parameter] = []

    def takes(self, parameter: str) -> bool:
        return any(each.name == parameter for each in self.parameters)


class _Path(msgspec.Struct):
    get: _Operation = msgspec.field(default_factory=_Operation)


class _Described(msgspec.Struct):
    paths: dict[str, _Path] = {}


class Client:
    """Asks one service with one key; use it as ``async with Client(url, key) as client``.

    Every coroutine raises a ``ServiceError`` of the kind that says what to do about it.
    The key is never part of a message or ``repr``. With ``keeps_quota`` nothing is asked while the
    latest answer says that nothing is left: ``RateLimitedError`` is raised at once.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        auth_url: str | None = None,
        ws_url: str | None = None,
        clock: Clock = system_clock,
        keeps_quota: bool = False,
    ) -> None:
        self.addresses = read_addresses(base_url, auth_url, ws_url)
        self.keeps_quota = keeps_quota
        self._clock = clock
        self._told: dict[str, str] = {}
        """What was not read of the latest answer, by path."""
        self._answer_sizes: dict[str, AnswerSize] = {}
        self.has_games = True
        """Whether the key may read games, as far as it is known."""
        self.has_read_games = False
        """Whether it read some."""
        self.kick_offs = KickOffs()
        """What whole readings saw of the kick-offs of games that share an id."""
        self._requests = Requests(self.addresses, read_key(key), clock, keeps_quota=keeps_quota)

    def __repr__(self) -> str:
        return f"<Client of {self.addresses.base}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def quota(self) -> Quota | None:
        """Requests left, None before the first answer."""
        return self._requests.quota

    @property
    def clock_ahead_ms(self) -> int:
        """How far the own clock is ahead of the service's, by its last answer; 0 if they agree."""
        return self._requests.clock_ahead_ms

    @property
    def heard(self) -> int | None:
        """How often anything was heard of the service; None while no answer is waited for."""
        return self._requests.heard

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        await self._requests.close()

    async def sports(self) -> Listing[Sport]:
        """Return the sports with odds of the last 10 minutes."""
        return await self._list(Sport, "/api/sports")

    async def bookmakers(self, *, is_live: bool | None = None) -> Listing[Bookmaker]:
        """Return the bookmakers scraped within the last 10 minutes."""
        return await self._list(Bookmaker, "/api/bookmakers", is_live=is_live)

    async def events(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        is_live: bool | None = None,
        stale_minutes: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[Event]:
        """Return events, in-play ones first, then by kick-off."""
        return await self._list(
            Event,
            "/api/events",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            is_live=is_live,
            stale_minutes=stale_minutes,
            limit=limit,
            cursor=cursor,
        )

    async def event(
        self,
        slug: str,
        *,
        bookmaker: str | None = None,
        market_type: str | None = None,
        period: int | None = None,
        stale_minutes: int | None = None,
    ) -> EventAnswer:
        """Return an event with every market; ``slug`` as the events list gives it."""
        path = f"/api/events/{quote(slug, safe='%')}"
        detail: EventAnswer = await self._one(
            EventAnswer,
            path,
            bookmaker=bookmaker,
            market_type=market_type,
            period=period,
            stale_minutes=stale_minutes,
        )
        return detail

    async def odds(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        market_type: str | None = None,
        is_live: bool | None = None,
        as_of: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[OddsRow]:
        """Return odds rows of the last 10 minutes; at most 500 an answer.

        ``as_of`` as in ``games``, with the rows of its games by their kick-offs.
        """
        return await self._list(
            OddsRow,
            "/api/odds",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            market_type=market_type,
            is_live=is_live,
            as_of=as_of,
            limit=limit,
            cursor=cursor,
        )

    async def live_odds(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        market_type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[OddsRow]:
        """Return in-play odds rows."""
        return await self._list(
            OddsRow,
            "/api/odds/live",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            market_type=market_type,
            limit=limit,
            cursor=cursor,
        )

    async def games(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        is_live: bool | None = None,
        as_of: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[Game]:
        """Return games, in-play ones first, then by kick-off; at most 500 an answer.

        ``as_of`` (ISO-8601 with an offset) asks for those that had prices then, by kick-off. It is
        an addition to the contract: other services ignore it and answer as of now.
        """
        games = await self._list(
            Game,
            "/api/games",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            is_live=is_live,
            as_of=as_of,
            limit=limit,
            cursor=cursor,
        )
        self.has_read_games = True
        return games

    async def game(
        self,
        game_id: str,
        *,
        market_type: str | None = None,
        period: int | None = None,
        bookmaker: str | None = None,
        as_of: str | None = None,
    ) -> GameAnswer:
        """Return a game as selections by bookmakers, with ``as_of`` as it stood then."""
        matrix: GameAnswer = await self._one(
            GameAnswer,
            f"/api/games/{quote(game_id, safe='')}",
            market_type=market_type,
            period=period,
            bookmaker=bookmaker,
            as_of=as_of,
        )
        return matrix

    async def history(
        self,
        game_id: str,
        *,
        market_type: str | None = None,
        period: int | None = None,
        selection: str | None = None,
        bookmaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[PriceChange]:
        """Return how the prices of a game moved, by time; at most 5000 an answer.

        From ``since`` to before ``until`` (ISO-8601 with an offset). It is an addition to the
        contract: a service without it answers ``NotFoundError`` (``offers``).
        """
        return await self._list(
            PriceChange,
            f"/api/games/{quote(game_id, safe='')}/history",
            market_type=market_type,
            period=period,
            selection=selection,
            bookmaker=bookmaker,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
        )

    async def value_bets(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        min_ev: float | None = None,
        max_ev: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Listing[ValueBet]:
        """Return value bets, highest EV first; ``min_ev`` and ``max_ev`` in percent."""
        return await self._list(
            ValueBet,
            "/api/value-bets",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            min_ev=min_ev,
            max_ev=max_ev,
            limit=limit,
            cursor=cursor,
        )

    all_events = paged(
        events, 1000, lambda own, asked: every_item(own, "events", own.events, asked)
    )
    all_odds = paged(odds, 500, every_row)
    all_live_odds = paged(live_odds, 500, every_row_in_play)
    all_games = paged(games, 500, lambda own, asked: every_item(own, "games", own.games, asked))
    all_history = paged(history, 5000)
    all_value_bets = paged(value_bets, 500, every_value_bet)

    async def odds_snapshot(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        market_type: str | None = None,
        is_live: bool | None = None,
    ) -> OddsSnapshot:
        """Return all odds rows at once, and what could not be read (``unread``).

        Where the requests are used up amid the reading, the rest is unread; so is what the service
        fails to answer time and again.
        """
        return await snapshot(self, RowSlice(sport, competition, bookmaker, market_type, is_live))

    def answer_size(self, name: str) -> AnswerSize:
        """Return how many items of a list the service answers at most, as far as it is known."""
        limit = MOST_EVENTS if name == "events" else LIMIT
        return self._answer_sizes.setdefault(name, AnswerSize(limit))

    async def health(self) -> Health:
        """Return how the service is; it costs no request of the quota."""
        path = "/api/health"
        body = await self._requests.get(path, {}, is_counted=False)
        health: Health = _small(Health, body, path)
        return health

    async def offers(self, path: str, parameter: str = "") -> bool:
        """Return whether the service says in ``/openapi.json`` that it answers a path (D75).

        Such as ``HISTORY_PATH``, or a parameter of one: ``offers("/api/odds", "as_of")``. A service
        that describes itself in no such way offers nothing beyond the contract. It costs no
        request of the quota.
        """
        where = "/openapi.json"
        try:
            described = _small(
                _Described, await self._requests.get(where, {}, is_counted=False), where
            )
        except (ForbiddenError, MalformedAnswerError, NotFoundError, UnauthorizedError):
            return False
        found = described.paths.get(path)
        return found is not None and (not parameter or found.get.takes(parameter))

    async def stream_token(self) -> StreamToken:
        """Return a token for one stream connection; ``expires_in`` in seconds."""
        path = "/api/stream/token"
        token: StreamToken = _small(StreamToken, await self._requests.post(path), path)
        return token

    async def stream(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        game_id: str | None = None,
        on_state: StateListener | None = None,
    ) -> AsyncGenerator[PriceMessage, None]:
        """Yield price changes for as long as it is iterated; reconnects by itself.

        ``on_state`` is called with each connection and loss. Changes between a loss and the next
        connection are missed, so read the present state again when connected.

        Raises:
            ServiceError: the key may not stream, or not with this filter.
        """
        filters = {
            "sport": sport,
            "competition": competition,
            "bookmaker": bookmaker,
            "game_id": game_id,
        }
        plain = {name: value for name, value in filters.items() if value is not None}
        async with aclosing(follow(self, plain, on_state, clock=self._clock)) as batches:
            async for messages in batches:
                for message in messages:
                    yield message

    def stream_together(
        self, gather_s: float, on_state: StateListener
    ) -> AsyncGenerator[list[PriceMessage], None]:
        """Yield all price changes, gathered for a while: for who takes in thousands a second.

        Else as ``stream``.
        """
        return follow(self, {}, on_state, clock=self._clock, gather_s=gather_s)

    async def _list(self, kind: Any, path: str, **parameters: Parameter) -> Listing[Any]:
        body = await self._requests.get(path, parameters)
        losses = Losses()
        items, meta = await awake(list_in_steps(kind, body, path, losses))
        self._say(path, losses)
        cursor = None if meta.next_cursor is UNSET else meta.next_cursor
        return Listing(items, cursor, meta, losses)

    async def _one(self, kind: Any, path: str, **parameters: Parameter) -> Any:
        body = await self._requests.get(path, parameters)
        losses = Losses()
        found = await awake(one_in_steps(kind, body, path, losses))
        self._say(path, losses)
        return found

    def _say(self, path: str, losses: Losses) -> None:
        """Log what of an answer was not read, once while it stays the same.

        Of odds rows it is told by those who read all of them, so here it is only noted.
        """
        said = str(losses) if losses else ""
        if said and self._told.get(path) != said:
            is_told = path in ("/api/odds", "/api/odds/live")
            _log.log(logging.INFO if is_told else logging.WARNING, "%s: not read: %s", path, said)
        if len(self._told) >= _MOST_TOLD:
            self._told.clear()
        self._told[path] = said


def _small(kind: Any, body: bytes, path: str) -> Any:
    """Read an answer that is none of prices.

    Raises:
        MalformedAnswerError: it is something else, or far too large.
    """
    if len(body) > LARGEST_ITEM:
        raise MalformedAnswerError(f"{path} answered {len(body):,} bytes, more than it has to say")
    return decode(kind, body, path)
