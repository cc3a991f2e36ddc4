"""Reading complete lists in several requests, since one answer holds 500 items at most."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Final, NamedTuple, TypeVar

from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.paging import pages
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.resources import Game, OddsRow, ValueBet

LIMIT: Final = 500
MOST_GAMES: Final = 10_000
"""So many of a list are kept; no service has half as many games with odds at one time (D85)."""
MOST_COMPETITIONS: Final = 1_000
_log = logging.getLogger(__name__)

T = TypeVar("T")


class Slice(NamedTuple):
    """One answer of a pass over all odds rows."""

    rows: Sequence[OddsRow]
    done: int
    """Slices read so far."""
    total: int | None
    """Slices that the pass will take; None while it is not known."""
    cut: str | None
    """The request whose answer was cut without a cursor to go on from; None where none was."""


class GameList(NamedTuple):
    """The games of a service, as far as they are read."""

    games: list[Game]
    is_cut: bool
    """Whether it has more of them."""


class BetSlice(NamedTuple):
    """One answer of a pass over all value bets."""

    bets: Sequence[ValueBet]
    is_cut: bool = False
    """Whether the answer was cut without a cursor to go on from."""


async def all_games(
    client: Client,
    as_of: str | None = None,
    on_answer: Callable[[Listing[Game]], None] = lambda _answer: None,
) -> GameList:
    """Read every game: page after page, or by competition where there are no pages (D14).

    ``on_answer`` is called with each page.
    """

    async def fetch(cursor: str | None) -> Listing[Game]:
        answer = await client.games(limit=LIMIT, cursor=cursor, as_of=as_of)
        on_answer(answer)
        return answer

    games, is_cut = await _whole("games", fetch)
    if len(games) != LIMIT:
        return GameList(games, is_cut)
    held = {game.game_id: game for game in games}
    for competition in await _competitions(client):
        answer = await client.games(competition=competition, limit=LIMIT, as_of=as_of)
        is_cut = is_cut or _is_cut(answer)
        for game in answer:
            held.setdefault(game.game_id, game)
    return GameList(list(held.values()), is_cut)


async def all_rows(client: Client) -> AsyncGenerator[Slice, None]:
    """Read every odds row in as few requests as the service allows.

    Pages where the service has them (D14); else by competition, and by market type where
    that is cut too: ``count == limit`` means cut.
    """
    done = 0
    async with aclosing(pages(lambda at: client.odds(limit=LIMIT, cursor=at), "odds")) as answers:
        async for answer in answers:
            if done == 0 and _is_cut(answer):
                break
            done += 1
            yield Slice(answer, done, None if answer.next_cursor else done, None)
        else:
            return
    plan: list[tuple[str, str | None]] = [(code, None) for code in await _competitions(client)]
    done = 0
    while done < len(plan):
        competition, market_type = plan[done]
        answer = await client.odds(competition=competition, market_type=market_type, limit=LIMIT)
        done += 1
        is_cut = len(answer) >= LIMIT
        if is_cut and market_type is None:
            plan += [(competition, name) for name in MARKET_TYPES]
            continue
        cut = f"{competition}, {market_type}" if is_cut else None
        yield Slice(answer, done, len(plan), cut)


async def all_in_play(client: Client, competition: str) -> tuple[list[OddsRow], bool]:
    """Read the rows of a competition that are in play; tell whether these are all."""
    rows, is_cut = await _whole(
        "live_odds",
        lambda cursor: client.live_odds(competition=competition, limit=LIMIT, cursor=cursor),
    )
    return rows, not is_cut and len(rows) != LIMIT


async def all_value_bets(client: Client) -> AsyncGenerator[BetSlice, None]:
    """Read every value bet in as few requests as the service allows.

    Pages where the service has them (D14); else by sport, and by competition where that is cut
    too. A bet may be in more than one slice.
    """
    read = 0
    async with aclosing(
        pages(lambda at: client.value_bets(limit=LIMIT, cursor=at), "value_bets")
    ) as answers:
        async for answer in answers:
            yield BetSlice(answer)
            read += 1
    if read > 1 or not _is_cut(answer):
        return
    for sport in await client.sports():
        answer = await client.value_bets(sport=sport.name, limit=LIMIT)
        yield BetSlice(answer)
        if len(answer) >= LIMIT:
            for code in sport.competition_codes:
                answer = await client.value_bets(competition=code, limit=LIMIT)
                yield BetSlice(answer, is_cut=len(answer) >= LIMIT)


async def _whole(
    name: str, fetch: Callable[[str | None], Awaitable[Listing[T]]]
) -> tuple[list[T], bool]:
    """Read a list as far as it is kept; tell whether there is more of it."""
    items: list[T] = []
    async with aclosing(pages(fetch, name)) as answers:
        async for answer in answers:
            items += answer
            if len(items) > MOST_GAMES:
                _log.warning("%s: the service has more than %d; no more are read", name, MOST_GAMES)
                return items[:MOST_GAMES], True
    return items, False


def _is_cut(answer: Listing[T]) -> bool:
    """Whether as many came as asked for, and no cursor."""
    return len(answer) >= LIMIT and answer.next_cursor is None


async def _competitions(client: Client) -> list[str]:
    codes = [code for sport in await client.sports() for code in sport.competition_codes]
    if len(codes) > MOST_COMPETITIONS:
        said = "sports: the service has %d competitions; no more are read than %d"
        _log.warning(said, len(codes), MOST_COMPETITIONS)
    return codes[:MOST_COMPETITIONS]
