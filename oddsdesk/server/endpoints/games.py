"""GET /api/games, a game and its history; rights as for odds (D19)."""

from msgspec.structs import replace

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.plans import DAY_S
from oddsdesk.contract.resources import Game, GameMatrix, PriceChange
from oddsdesk.contract.times import format_ms
from oddsdesk.server.access import require_all_bookmakers, visibility_for
from oddsdesk.server.answers import Payload, Refusal
from oddsdesk.server.endpoints.lists import (
    AS_OF,
    BOOKMAKER,
    COMPETITION,
    GAME_CURSOR,
    IS_LIVE,
    MOVE_CURSOR,
    PERIOD,
    SPORT,
    filters_of,
    is_of_the_past,
    limit,
    listing,
    past_moment,
)
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.parameters import BadParameterError, market_type, moment, read_uuid, text
from oddsdesk.store.values import SILENT_MS, MoveFilter

SELECTION = text("selection", "One selection, matched exactly.")
SINCE = moment("since", "Only moves at this moment or later.")
UNTIL = moment("until", "Only moves before this moment.")
_SILENCES_OF_MS = 30 * DAY_S * 1000
_MOST_SILENCES = 200


def _games(call: Call) -> Payload:
    at = past_moment(call)
    visibility = visibility_for(call.caller, call.asked)
    if at is not None:
        require_all_bookmakers(call.caller, AS_OF.name)
        filters = filters_of(call.asked)
        asked = (call.asked["limit"], call.asked["cursor"])
        page = call.reader.games_as_of(at, filters, visibility, *asked)
        made_up = call.reader.made_up_among([game.game_id for game in page.items])
        real = len(page.items) - made_up
        return replace(
            listing(page),
            simulated=made_up > 0,
            mixed=made_up > 0 and real > 0,
            shifted=real > 0 and call.reader.is_shifted(at),
        )
    page = call.reader.games(
        call.now_ms,
        filters_of(call.asked),
        visibility,
        call.asked["limit"],
        call.asked["cursor"],
    )
    return listing(page)


def _game(call: Call) -> Payload:
    at = past_moment(call)
    visibility = visibility_for(call.caller, call.asked)
    if at is not None:
        require_all_bookmakers(call.caller, AS_OF.name)
    read = call.reader.matrix if at is None else call.reader.matrix_as_of
    matrix = read(
        _game_id(call.path["game_id"]),
        call.now_ms if at is None else at,
        visibility,
        bookmaker=call.asked["bookmaker"],
        market_type=call.asked["market_type"],
        period=call.asked["period"],
    )
    if matrix is None:
        raise _unknown()
    return Payload(matrix)


def _history(call: Call) -> Payload:
    since, until = call.asked["since"], call.asked["until"]
    if since is not None and until is not None and until <= since:
        raise BadParameterError("until", f"expected a moment after since, got {format_ms(until)}")
    require_all_bookmakers(call.caller, "history")
    wanted = MoveFilter(
        **{name: call.asked[name] for name in ("market_type", "period", "selection", "bookmaker")},
        since=since,
        until=until,
    )
    page = call.reader.moves(
        _game_id(call.path["game_id"]),
        wanted,
        visibility_for(call.caller, call.asked),
        call.asked["limit"],
        call.asked["cursor"],
    )
    if page is None:
        raise Refusal(
            ErrorCode.NOT_FOUND,
            "There is no game with this id; /api/games lists games with active odds.",
        )
    silences = call.reader.silences(call.now_ms - _SILENCES_OF_MS, call.now_ms, SILENT_MS)
    told = [[format_ms(begin), format_ms(end)] for begin, end in silences[-_MOST_SILENCES:]]
    return replace(listing(page), silences=told)


def _game_id(text: str) -> str:
    """Return a game id; a malformed UUID is answered as an unknown game (D12)."""
    try:
        return read_uuid(text)
    except ValueError as error:
        raise _unknown() from error


def _unknown() -> Refusal:
    return Refusal(
        ErrorCode.NOT_FOUND,
        "No game with this id has active odds; /api/games lists those that have.",
    )


GAMES = Endpoint(
    "/api/games",
    "Games with fresh odds: live first, then by start.",
    list[Game],
    _games,
    [SPORT, COMPETITION, BOOKMAKER, IS_LIVE, limit(200, 500), GAME_CURSOR, AS_OF],
    looks_back=is_of_the_past,
)
GAME = Endpoint(
    "/api/games/{game_id:path}",
    "One game: selections by bookmakers, the reference apart.",
    GameMatrix,
    _game,
    [BOOKMAKER, market_type(), PERIOD, AS_OF],
    looks_back=is_of_the_past,
)
HISTORY = Endpoint(
    "/api/games/{game_id:path}/history",
    "How the prices of a game moved, by scraped_at; null odds: withdrawn. For plans with all"
    " bookmakers.",
    list[PriceChange],
    _history,
    [
        market_type(),
        PERIOD,
        SELECTION,
        BOOKMAKER,
        SINCE,
        UNTIL,
        limit(1000, 5000),
        MOVE_CURSOR,
    ],
    looks_back=lambda _asked: True,
)
