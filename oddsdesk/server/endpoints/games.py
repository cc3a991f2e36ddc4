"""GET /api/games and /api/games/{game_id}; rights as for odds (D19)."""

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.resources import Game, GameMatrix
from oddsdesk.server.access import sight_for
from oddsdesk.server.answers import Payload, Refusal
from oddsdesk.server.endpoints.lists import (
    BOOKMAKER,
    COMPETITION,
    GAME_CURSOR,
    IS_LIVE,
    PERIOD,
    SPORT,
    filters_of,
    limit,
    listing,
)
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.parameters import market_type, read_uuid


def _games(call: Call) -> Payload:
    sight = sight_for(call.caller, call.asked)
    page = call.reader.games(
        call.now_ms,
        filters_of(call.asked),
        sight,
        call.asked["limit"],
        call.asked["cursor"],
    )
    return listing(page)


def _game(call: Call) -> Payload:
    sight = sight_for(call.caller, call.asked)
    matrix = call.reader.matrix(
        _game_id(call.path["game_id"]),
        call.now_ms,
        sight,
        bookmaker=call.asked["bookmaker"],
        market_type=call.asked["market_type"],
        period=call.asked["period"],
    )
    if matrix is None:
        raise _unknown()
    return Payload(matrix)


def _game_id(text: str) -> str:
    """A malformed UUID names no game (D12)."""
    try:
        return read_uuid(text)
    except ValueError as error:
        raise _unknown() from error


def _unknown() -> Refusal:
    return Refusal(ErrorCode.NOT_FOUND, "No game with this id has active odds.")


GAMES = Endpoint(
    "/api/games",
    "Games with fresh odds: live first, then by start.",
    list[Game],
    _games,
    [SPORT, COMPETITION, BOOKMAKER, IS_LIVE, limit(200, 500), GAME_CURSOR],
)
GAME = Endpoint(
    "/api/games/{game_id:path}",
    "One game: selections by bookmakers, the reference apart.",
    GameMatrix,
    _game,
    [BOOKMAKER, market_type(), PERIOD],
)
