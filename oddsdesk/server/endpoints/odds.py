"""GET /api/odds, /api/odds/live and /api/odds/{bookmaker}."""

from msgspec.structs import replace

from oddsdesk.contract.resources import OddsRow
from oddsdesk.server.access import require_all_bookmakers, visibility_for
from oddsdesk.server.answers import Payload
from oddsdesk.server.endpoints.lists import (
    AS_OF,
    BOOKMAKER,
    COMPETITION,
    IS_LIVE,
    ODDS_CURSOR,
    SPORT,
    filters_of,
    is_of_the_past,
    limit,
    listing,
    past_moment,
)
from oddsdesk.server.gate import Call, Endpoint, no_such_path
from oddsdesk.server.parameters import boolean, market_type


def _odds(call: Call) -> Payload:
    at = past_moment(call)
    if at is None:
        return _odds_of_now(call)
    require_all_bookmakers(call.caller, AS_OF.name)
    asked = (call.asked["limit"], call.asked["cursor"])
    visibility = visibility_for(call.caller, call.asked)
    return listing(call.reader.odds_as_of(at, filters_of(call.asked), visibility, *asked))


def _live_odds(call: Call) -> Payload:
    return _odds_of_now(replace(call, asked={**call.asked, "is_live": True}))


def _odds_of_bookmaker(call: Call) -> Payload:
    bookmaker = call.path["bookmaker"]
    if not bookmaker:
        raise no_such_path()
    return _odds(replace(call, asked={**call.asked, "bookmaker": bookmaker}))


def _odds_of_now(call: Call) -> Payload:
    asked = (call.asked["limit"], call.asked["cursor"])
    visibility = visibility_for(call.caller, call.asked)
    return listing(call.reader.odds(call.now_ms, filters_of(call.asked), visibility, *asked))


_COMMON = [SPORT, COMPETITION, market_type(), limit(100, 500), ODDS_CURSOR]

ODDS = Endpoint(
    "/api/odds",
    "Odds rows of the last 10 minutes.",
    list[OddsRow],
    _odds,
    [*_COMMON, BOOKMAKER, IS_LIVE, AS_OF],
    looks_back=is_of_the_past,
)
LIVE_ODDS = Endpoint(
    "/api/odds/live",
    "In-play odds rows; needs Pro+ Live.",
    list[OddsRow],
    _live_odds,
    [*_COMMON, BOOKMAKER, boolean("is_live", "In-play rows only.", only=True)],
)
ODDS_OF_BOOKMAKER = Endpoint(
    "/api/odds/{bookmaker:path}",
    "Odds rows of one bookmaker.",
    list[OddsRow],
    _odds_of_bookmaker,
    [*_COMMON, IS_LIVE, AS_OF],
    looks_back=is_of_the_past,
)
