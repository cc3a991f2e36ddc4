"""What the list endpoints share: their filters and how a page becomes an answer (D14, D33)."""

from typing import Any

import msgspec

from oddsdesk.contract.times import format_ms
from oddsdesk.server.answers import Payload
from oddsdesk.server.gate import Call
from oddsdesk.server.parameters import (
    BadParameterError,
    Parameter,
    boolean,
    integer,
    moment,
    sport,
    text,
)
from oddsdesk.store.cursors import BetPlace, GamePlace, MovePlace, OddsPlace, from_cursor
from oddsdesk.store.values import Filters, Page


def _cursor(place: type[msgspec.Struct]) -> Parameter:
    """Return the ``cursor`` parameter; checked with the others, before rights (D14, D39)."""

    def parse(cursor: str) -> str:
        from_cursor(cursor, place)
        return cursor

    allowed = "the next_cursor of an answer of this list"
    schema = {"type": "string", "minLength": 1}
    meaning = "The next_cursor of an answer that was cut: goes on there."
    return Parameter("cursor", None, allowed, parse, schema, meaning)


SPORT = sport()
COMPETITION = text("competition", "Competition code, matched exactly.")
BOOKMAKER = text("bookmaker", "Bookmaker name, matched exactly.")
IS_LIVE = boolean("is_live", "true for in-play only, false for pre-match only.")
PERIOD = integer("period", "One period.")
GAME_CURSOR = _cursor(GamePlace)
ODDS_CURSOR = _cursor(OddsPlace)
BET_CURSOR = _cursor(BetPlace)
MOVE_CURSOR = _cursor(MovePlace)
AS_OF = moment("as_of", "Answer as things stood at this moment; for plans with all bookmakers.")
STALE_RANGE = (1, 60)


def limit(default: int, maximum: int) -> Parameter:
    """Return how many items an answer may hold."""
    return integer("limit", "Most items of the answer.", default, minimum=1, maximum=maximum)


def stale_minutes(default: int) -> Parameter:
    """Return how old odds may be, in minutes."""
    minimum, maximum = STALE_RANGE
    meaning = "Oldest odds to include, in minutes."
    return integer("stale_minutes", meaning, default, minimum=minimum, maximum=maximum)


def filters_of(asked: dict[str, Any]) -> Filters:
    """Return the filters that the parameters name."""
    return Filters(
        sport=asked["sport"],
        competition=asked["competition"],
        bookmaker=asked["bookmaker"],
        market_type=asked.get("market_type"),
        is_live=asked.get("is_live"),
    )


def is_of_the_past(asked: dict[str, Any]) -> bool:
    """Whether an answer is asked for as things stood at a moment."""
    return asked[AS_OF.name] is not None


def past_moment(call: Call) -> int | None:
    """Return the moment in ``as_of``, None for now; the future is refused."""
    at: int | None = call.asked[AS_OF.name]
    if at is not None and at > call.now_ms:
        problem = f"expected a moment that is not to come, got {format_ms(at)}"
        raise BadParameterError(AS_OF.name, problem)
    return at


def listing(page: Page[Any]) -> Payload:
    """Return a page with its count, and the cursor of the next one."""
    return Payload(page.items, count=len(page.items), next_cursor=page.next_cursor)
