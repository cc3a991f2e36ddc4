"""GET /api/value-bets: from Pro (D21), in play for Pro+ Live only (D30)."""

from oddsdesk.contract.resources import ValueBet
from oddsdesk.server.access import require_value_bets, visibility_for
from oddsdesk.server.answers import Payload
from oddsdesk.server.endpoints.lists import (
    BET_CURSOR,
    BOOKMAKER,
    COMPETITION,
    SPORT,
    filters_of,
    limit,
    listing,
)
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.parameters import BadParameterError, number

MAX_EV = 20.0


def _value_bets(call: Call) -> Payload:
    min_ev, max_ev = call.asked["min_ev"], call.asked["max_ev"]
    if min_ev > max_ev:
        raise BadParameterError(
            "min_ev", f"expected a number up to max_ev, which is {max_ev:g}, got {min_ev:g}"
        )
    require_value_bets(call.caller)
    page = call.reader.value_bets(
        call.now_ms,
        filters_of(call.asked),
        visibility_for(call.caller, call.asked),
        min_ev,
        max_ev,
        call.asked["limit"],
        call.asked["cursor"],
    )
    return listing(page)


VALUE_BETS = Endpoint(
    "/api/value-bets",
    "Prices better than fair, the best first; needs Pro.",
    list[ValueBet],
    _value_bets,
    [
        SPORT,
        COMPETITION,
        BOOKMAKER,
        number("min_ev", "Least edge in percent.", 1.0, minimum=0.0, maximum=MAX_EV),
        number("max_ev", "Greatest edge in percent.", MAX_EV, minimum=0.0, maximum=MAX_EV),
        limit(100, 500),
        BET_CURSOR,
    ],
)
