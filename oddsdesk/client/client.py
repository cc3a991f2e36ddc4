"""The Python client of an odds service: one coroutine per resource."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Self
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.tasks import awake
from oddsdesk.client import answers, whole_lists
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    UnauthorizedError,
)
from oddsdesk.client.partial_answers import Losses
from oddsdesk.client.quota import Quota
from oddsdesk.client.requests import Parameter, Requests, read_addresses, read_key
from oddsdesk.client.rows import KickOffs, RowSlice
from oddsdesk.client.stream import StateListener, follow
from oddsdesk.client.whole_odds import OddsSnapshot, every_row, every_row_in_play, snapshot
from oddsdesk.contract import resources
from oddsdesk.contract.results import ResultRow

HISTORY_PATH: Final = whole_lists.HISTORY_PATH
MOVES_PATH: Final = whole_lists.MOVES_PATH
RESULTS_PATH: Final = "/api/results"


_MOST_LOGGED: Final = 1_000
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
    """Reads one service with one key; use it as ``async with Client(url, key) as client``.

    Every coroutine raises a ``ServiceError`` of the kind that says what to do about it. The key is
    never in a message or ``repr``. With ``keeps_quota``, no request is sent once the latest answer
    says that none are left: ``RateLimitedError`` is raised at once.
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
        self._logged: dict[str, str] = {}
        """What was unreadable in the latest answer, by path."""
        self._answer_sizes: dict[str, whole_lists.AnswerSize] = {}
        self.has_games = True
        """Whether the key may read games, as far as known."""
        self.has_read_games = False
        """Whether it has read some."""
        self.kick_offs = KickOffs()
        """Kick-offs from complete readings, for games that share an id."""
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
        """How far this clock is ahead of the service's, by its last answer; 0 if they agree."""
        return self._requests.clock_ahead_ms

    @property
    def signs_of_life(self) -> int | None:
        """Counts signs of life of the service; None while no answer is awaited."""
        return self._requests.signs_of_life

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        await self._requests.close_requests()

    async def sports(self) -> answers.Listing[resources.Sport]:
        """Return the sports with odds from the last 10 minutes."""
        return await self._list(resources.Sport, "/api/sports")

    async def bookmakers(
        self, *, is_live: bool | None = None
    ) -> answers.Listing[resources.Bookmaker]:
        """Return the bookmakers scraped within the last 10 minutes."""
        return await self._list(resources.Bookmaker, "/api/bookmakers", is_live=is_live)

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
    ) -> answers.Listing[resources.Event]:
        """Return events, in-play ones first, then by kick-off."""
        return await self._list(
            resources.Event,
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
    ) -> answers.EventAnswer:
        """Return an event with every market; ``slug`` comes from the list of events."""
        path = f"/api/events/{quote(slug, safe='%')}"
        detail: answers.EventAnswer = await self._one(
            answers.EventAnswer,
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
    ) -> answers.Listing[resources.OddsRow]:
        """Return odds rows from the last 10 minutes; at most 500 per answer.

        ``as_of`` works as in ``games``, with the rows of those games by kick-off.
        """
        return await self._list(
            resources.OddsRow,
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
    ) -> answers.Listing[resources.OddsRow]:
        """Return in-play odds rows."""
        return await self._list(
            resources.OddsRow,
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
    ) -> answers.Listing[resources.Game]:
        """Return games, in-play ones first, then by kick-off; at most 500 per answer.

        ``as_of`` (ISO-8601 with an offset) returns the games with prices at that time, by kick-off.
        It is an addition to the contract: other services ignore it and return the current games.
        """
        games = await self._list(
            resources.Game,
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
    ) -> answers.GameAnswer:
        """Return a game as selections by bookmakers; with ``as_of``, at that time."""
        matrix: answers.GameAnswer = await self._one(
            answers.GameAnswer,
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
    ) -> answers.Listing[resources.PriceChange]:
        """Return the price moves of a game, by time; at most 5000 per answer.

        The span is ``since`` to before ``until`` (ISO-8601 with an offset). It is an addition to
        the contract: other services raise ``NotFoundError`` (see ``offers``).
        """
        return await self._list(
            resources.PriceChange,
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

    async def moves(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        market_type: str | None = None,
        period: int | None = None,
        bookmaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> answers.Listing[resources.HistoryRow]:
        """Return the price moves of all games, game by game; at most 10,000 per answer.

        The span is ``since`` to before ``until`` (ISO-8601 with an offset). It is an addition to
        the contract: other services raise ``NotFoundError``, but ``all_moves`` reads them, too.
        """
        return await self._list(
            resources.HistoryRow,
            MOVES_PATH,
            sport=sport,
            competition=competition,
            market_type=market_type,
            period=period,
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
    ) -> answers.Listing[resources.ValueBet]:
        """Return value bets, highest EV first; ``min_ev`` and ``max_ev`` in percent."""
        return await self._list(
            resources.ValueBet,
            "/api/value-bets",
            sport=sport,
            competition=competition,
            bookmaker=bookmaker,
            min_ev=min_ev,
            max_ev=max_ev,
            limit=limit,
            cursor=cursor,
        )

    async def results(
        self,
        *,
        competition: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> answers.Listing[ResultRow]:
        """Return how games stand or ended, by kick-off, one row per source, at most 500 per answer.

        Those that begin from ``since`` to before ``until`` (ISO-8601 with an offset). It is an
        addition to the contract: a service without it has no results.
        """
        try:
            return await self._list(
                ResultRow,
                RESULTS_PATH,
                competition=competition,
                limit=limit,
                cursor=cursor,
                **{"from": since, "to": until},
            )
        except NotFoundError:
            return answers.Listing([])

    all_events = whole_lists.paged(
        events, 1000, lambda own, asked: whole_lists.every_item(own, "events", own.events, asked)
    )
    all_odds = whole_lists.paged(odds, 500, every_row)
    all_live_odds = whole_lists.paged(live_odds, 500, every_row_in_play)
    all_games = whole_lists.paged(
        games, 500, lambda own, asked: whole_lists.every_item(own, "games", own.games, asked)
    )
    all_history = whole_lists.paged(history, 5000)
    all_moves = whole_lists.paged(
        moves,
        whole_lists.MOST_MOVES,
        lambda own, asked: whole_lists.every_move(own, asked, own._clock()),
    )
    all_value_bets = whole_lists.paged(value_bets, 500, whole_lists.every_value_bet)
    all_results = whole_lists.paged(results, 500)

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

        If the requests are used up midway, the rest is unread; so is what the service repeatedly
        fails to answer.
        """
        return await snapshot(self, RowSlice(sport, competition, bookmaker, market_type, is_live))

    def answer_size(self, name: str) -> whole_lists.AnswerSize:
        """Return how many items of a list the service returns at most, as far as known."""
        limit = whole_lists.MOST_EVENTS if name == "events" else whole_lists.LIMIT
        return self._answer_sizes.setdefault(name, whole_lists.AnswerSize(limit))

    async def health(self) -> resources.Health:
        """Return the health of the service; costs no request of the quota."""
        path = "/api/health"
        body = await self._requests.get_body(path, {}, is_counted=False)
        health: resources.Health = _small(resources.Health, body, path)
        return health

    async def offers(self, path: str, parameter: str = "") -> bool:
        """Return whether the service lists a path in ``/openapi.json``.

        Also for a parameter of a path: ``offers("/api/odds", "as_of")``. A service without that
        document offers nothing beyond the contract. Costs no request of the quota.
        """
        where = "/openapi.json"
        try:
            described = _small(
                _Described, await self._requests.get_body(where, {}, is_counted=False), where
            )
        except (ForbiddenError, MalformedAnswerError, NotFoundError, UnauthorizedError):
            return False
        found = described.paths.get(path)
        return found is not None and (not parameter or found.get.takes(parameter))

    async def stream_token(self) -> resources.StreamToken:
        """Return a token for one stream connection; ``expires_in`` in seconds."""
        path = "/api/stream/token"
        token: resources.StreamToken = _small(
            resources.StreamToken, await self._requests.post(path), path
        )
        return token

    async def stream(
        self,
        *,
        sport: str | None = None,
        competition: str | None = None,
        bookmaker: str | None = None,
        game_id: str | None = None,
        on_state: StateListener | None = None,
    ) -> AsyncGenerator[resources.PriceMessage, None]:
        """Yield price changes while it is iterated; reconnects by itself.

        ``on_state`` is called on each connection and loss. Changes between a loss and the next
        connection are missed, so read the current state again once connected.

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
    ) -> AsyncGenerator[list[resources.PriceMessage], None]:
        """Yield all price changes, collected for a while, for callers with thousands a second.

        Otherwise like ``stream``.
        """
        return follow(self, {}, on_state, clock=self._clock, gather_s=gather_s)

    async def _list(self, kind: Any, path: str, **parameters: Parameter) -> answers.Listing[Any]:
        body = await self._requests.get_body(path, parameters)
        losses = Losses()
        items, meta = await awake(answers.list_in_steps(kind, body, path, losses))
        self._log_losses(path, losses)
        cursor = None if meta.next_cursor is UNSET else meta.next_cursor
        return answers.Listing(items, cursor, meta, losses)

    async def _one(self, kind: Any, path: str, **parameters: Parameter) -> Any:
        body = await self._requests.get_body(path, parameters)
        losses = Losses()
        found = await awake(answers.one_in_steps(kind, body, path, losses))
        self._log_losses(path, losses)
        return found

    def _log_losses(self, path: str, losses: Losses) -> None:
        """Log what was unreadable in an answer, once while it stays the same.

        For odds rows, the reader of the whole list logs it; here it is only stored.
        """
        text = str(losses) if losses else ""
        if text and self._logged.get(path) != text:
            is_logged_elsewhere = path in ("/api/odds", "/api/odds/live")
            _log.log(
                logging.INFO if is_logged_elsewhere else logging.WARNING,
                "%s: not read: %s",
                path,
                text,
            )
        if len(self._logged) >= _MOST_LOGGED:
            self._logged.clear()
        self._logged[path] = text


def _small(kind: Any, body: bytes, path: str) -> Any:
    """Read an answer that has no prices.

    Raises:
        MalformedAnswerError: it is something else, or far too large.
    """
    if len(body) > answers.LARGEST_ITEM:
        raise MalformedAnswerError(f"{path} answered {len(body):,} bytes, which is too much")
    return answers.decode(kind, body, path)
