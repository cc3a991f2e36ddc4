"""GET /api/events and /api/events/{id}."""

from urllib.parse import unquote

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.resources import Event, EventDetail
from oddsdesk.server.access import visibility_for
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
    stale_minutes,
)
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.parameters import market_type


def _events(call: Call) -> Payload:
    visibility = visibility_for(call.caller, call.asked)
    page = call.reader.events(
        call.now_ms,
        filters_of(call.asked),
        visibility,
        call.asked["stale_minutes"],
        call.asked["limit"],
        call.asked["cursor"],
    )
    return listing(page)


def _event(call: Call) -> Payload:
    """The slug may come encoded once more than the path was (D5)."""
    visibility = visibility_for(call.caller, call.asked)
    name = call.path["id"]
    for match_name in dict.fromkeys((name, unquote(name))):
        detail = call.reader.event(
            match_name,
            call.now_ms,
            visibility,
            bookmaker=call.asked["bookmaker"],
            market_type=call.asked["market_type"],
            period=call.asked["period"],
            stale_minutes=call.asked["stale_minutes"],
        )
        if detail is not None:
            return Payload(detail)
    raise Refusal(
        ErrorCode.NOT_FOUND,
        "No event with this slug has active odds; /api/events lists those that have.",
    )


EVENTS = Endpoint(
    "/api/events",
    "Events with fresh odds: live first, then by start.",
    list[Event],
    _events,
    [SPORT, COMPETITION, BOOKMAKER, IS_LIVE, stale_minutes(10), limit(200, 1000), GAME_CURSOR],
)
EVENT = Endpoint(
    "/api/events/{id:path}",
    "One event with every market; {id} is the slug as the list gives it.",
    EventDetail,
    _event,
    [BOOKMAKER, market_type(), PERIOD, stale_minutes(20)],
)
