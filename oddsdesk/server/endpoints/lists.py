"""What the list endpoints share: their filters and how a page becomes an answer."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec.structs import replace

from oddsdesk.contract import resources
from oddsdesk.contract.access import DAY_S, ErrorCode
from oddsdesk.contract.results import ResultRow, result_row
from oddsdesk.contract.times import format_ms
from oddsdesk.server.gate import (
    Call,
    Endpoint,
    no_such_path,
    require_all_bookmakers,
    require_value_bets,
    visibility_for,
)
from oddsdesk.server.rest import (
    BadParameterError,
    Parameter,
    Payload,
    Refusal,
    boolean,
    encode_data,
    integer,
    market_type,
    moment,
    number,
    read_uuid,
    sport_parameter,
    text_parameter,
)
from oddsdesk.store import values


def _cursor(place: type[msgspec.Struct]) -> Parameter:
    """Return the ``cursor`` parameter; checked with the others, before rights."""

    def parse_cursor(cursor: str) -> str:
        values.from_cursor(cursor, place)
        return cursor

    allowed = "the next_cursor of an earlier answer of this list"
    schema = {"type": "string", "minLength": 1}
    meaning = "next_cursor of a truncated answer, to get the next page."
    return Parameter("cursor", None, allowed, parse_cursor, schema, meaning)


SPORT = sport_parameter()
COMPETITION = text_parameter("competition", "Competition code, matched exactly.")
BOOKMAKER = text_parameter("bookmaker", "Bookmaker name, matched exactly.")
IS_LIVE = boolean("is_live", "true for in-play only, false for pre-match only.")
PERIOD = integer("period", "One period.")
GAME_CURSOR = _cursor(values.GamePlace)
ODDS_CURSOR = _cursor(values.OddsPlace)
BET_CURSOR = _cursor(values.BetPlace)
MOVE_CURSOR = _cursor(values.MovePlace)
HISTORY_CURSOR = _cursor(values.HistoryPlace)
RESULT_CURSOR = _cursor(values.ResultPlace)
AS_OF = moment("as_of", "Return the state at this time; for plans with all bookmakers.")
STALE_RANGE = (1, 60)


def limit(default: int, maximum: int) -> Parameter:
    """Return how many items an answer may hold."""
    return integer("limit", "Maximum number of items.", default, minimum=1, maximum=maximum)


def stale_minutes(default: int) -> Parameter:
    """Return how old odds may be, in minutes."""
    minimum, maximum = STALE_RANGE
    meaning = "Oldest odds to include, in minutes."
    return integer("stale_minutes", meaning, default, minimum=minimum, maximum=maximum)


def filters_of(asked: dict[str, Any]) -> values.Filters:
    """Return the filters in the parameters."""
    return values.Filters(**{name: asked.get(name) for name in values.Filters.__struct_fields__})


def _markets_of(asked: dict[str, Any]) -> values.MarketFilter:
    return values.MarketFilter(
        **{name: asked[name] for name in values.MarketFilter.__struct_fields__}
    )


def is_of_the_past(asked: dict[str, Any]) -> bool:
    """Return whether a past moment is requested."""
    return asked[AS_OF.name] is not None


def past_moment(call: Call) -> int | None:
    """Return the moment in ``as_of``, None for now; the future is refused."""
    at: int | None = call.asked[AS_OF.name]
    if at is not None and at > call.now_ms:
        problem = f"expected a moment that is not to come, got {format_ms(at)}"
        raise BadParameterError(AS_OF.name, problem)
    return at


def listing(page: values.Page[Any]) -> Payload:
    """Return a page with its count, and the cursor of the next one."""
    return Payload(page.items, count=len(page.items), next_cursor=page.next_cursor)


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
    return listing(call.reader.list_odds(call.now_ms, filters_of(call.asked), visibility, *asked))


_COMMON = [SPORT, COMPETITION, market_type(), limit(100, 500), ODDS_CURSOR]

ODDS = Endpoint(
    "/api/odds",
    "Odds rows from the last 10 minutes.",
    list[resources.OddsRow],
    _odds,
    [*_COMMON, BOOKMAKER, IS_LIVE, AS_OF],
    looks_back=is_of_the_past,
)
LIVE_ODDS = Endpoint(
    "/api/odds/live",
    "In-play odds rows; needs Pro+ Live.",
    list[resources.OddsRow],
    _live_odds,
    [*_COMMON, BOOKMAKER, boolean("is_live", "In-play rows only.", only=True)],
)
ODDS_OF_BOOKMAKER = Endpoint(
    "/api/odds/{bookmaker:path}",
    "Odds rows of one bookmaker.",
    list[resources.OddsRow],
    _odds_of_bookmaker,
    [*_COMMON, IS_LIVE, AS_OF],
    looks_back=is_of_the_past,
)


def _events(call: Call) -> Payload:
    visibility = visibility_for(call.caller, call.asked)
    page = call.reader.list_events(
        call.now_ms,
        filters_of(call.asked),
        visibility,
        call.asked["stale_minutes"],
        call.asked["limit"],
        call.asked["cursor"],
    )
    return listing(page)


def _event(call: Call) -> Payload:
    """The slug may be encoded once more than the path was."""
    visibility = visibility_for(call.caller, call.asked)
    name = call.path["id"]
    for match_name in dict.fromkeys((name, unquote(name))):
        detail = call.reader.event_detail(
            match_name,
            call.now_ms,
            visibility,
            _markets_of(call.asked),
            stale_minutes=call.asked["stale_minutes"],
        )
        if detail is not None:
            return Payload(detail)
    raise Refusal(
        ErrorCode.NOT_FOUND,
        "No event with this slug has active odds; /api/events lists those that do.",
    )


EVENTS = Endpoint(
    "/api/events",
    "Events with fresh odds, live ones first, then by start.",
    list[resources.Event],
    _events,
    [SPORT, COMPETITION, BOOKMAKER, IS_LIVE, stale_minutes(10), limit(200, 1000), GAME_CURSOR],
)
EVENT = Endpoint(
    "/api/events/{id:path}",
    "One event with every market; {id} is the slug from the list.",
    resources.EventDetail,
    _event,
    [BOOKMAKER, market_type(), PERIOD, stale_minutes(20)],
)


SELECTION = text_parameter("selection", "One selection, matched exactly.")
SINCE = moment("since", "Only moves at or after this time.")
UNTIL = moment("until", "Only moves before this time.")
_SILENCES_OF_MS = 30 * DAY_S * 1000
_MOST_SILENCES = 200
_LONGEST_PAGE_S = 1.0
"""A page of the history of all games ends after the game that is being read then."""


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
    page = call.reader.list_games(
        call.now_ms, filters_of(call.asked), visibility, call.asked["limit"], call.asked["cursor"]
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
        _markets_of(call.asked),
    )
    if matrix is None:
        raise _unknown()
    return Payload(matrix)


def _history(call: Call) -> Payload:
    page = call.reader.moves(
        _game_id(call.path["game_id"]),
        _wanted_moves(call),
        visibility_for(call.caller, call.asked),
        call.asked["limit"],
        call.asked["cursor"],
    )
    if page is None:
        raise Refusal(
            ErrorCode.NOT_FOUND, "No game with this id; /api/games lists games with active odds."
        )
    return replace(listing(page), silences=_silences(call))


def _history_of_games(call: Call) -> Payload:
    ends = time.perf_counter() + _LONGEST_PAGE_S
    page = call.reader.moves_of_games(
        filters_of(call.asked),
        _wanted_moves(call),
        visibility_for(call.caller, call.asked),
        call.asked["limit"],
        call.asked["cursor"],
        lambda: time.perf_counter() < ends,
    )
    made_up = call.reader.made_up_among(list({move.game_id for move in page.items}))
    return replace(listing(page), simulated=made_up > 0, silences=_silences(call))


def _wanted_moves(call: Call) -> values.MoveFilter:
    """Return which moves are requested, by a plan that may have them."""
    since, until = call.asked["since"], call.asked["until"]
    if since is not None and until is not None and until <= since:
        raise BadParameterError("until", f"expected a moment after since, got {format_ms(until)}")
    require_all_bookmakers(call.caller, "history")
    names = values.MoveFilter.__struct_fields__
    return values.MoveFilter(**{name: call.asked.get(name) for name in names})


def _silences(call: Call) -> list[list[str]]:
    found = call.reader.silences(call.now_ms - _SILENCES_OF_MS, call.now_ms, values.SILENT_MS)
    return [[format_ms(begin), format_ms(end)] for begin, end in found[-_MOST_SILENCES:]]


def _game_id(text: str) -> str:
    """Return a game id; a malformed UUID is treated as an unknown game."""
    try:
        return read_uuid(text)
    except ValueError as error:
        raise _unknown() from error


def _unknown() -> Refusal:
    return Refusal(
        ErrorCode.NOT_FOUND, "No game with this id has active odds; /api/games lists those that do."
    )


GAMES = Endpoint(
    "/api/games",
    "Games with fresh odds, live ones first, then by start.",
    list[resources.Game],
    _games,
    [SPORT, COMPETITION, BOOKMAKER, IS_LIVE, limit(200, 500), GAME_CURSOR, AS_OF],
    looks_back=is_of_the_past,
)
GAME = Endpoint(
    "/api/games/{game_id:path}",
    "One game: selections by bookmakers, the sharp book listed separately.",
    resources.GameMatrix,
    _game,
    [BOOKMAKER, market_type(), PERIOD, AS_OF],
    looks_back=is_of_the_past,
)
HISTORY = Endpoint(
    "/api/games/{game_id:path}/history",
    "Price moves of a game, by scraped_at; null odds mean no longer offered. For plans with all"
    " bookmakers.",
    list[resources.PriceChange],
    _history,
    [market_type(), PERIOD, SELECTION, BOOKMAKER, SINCE, UNTIL, limit(1000, 5000), MOVE_CURSOR],
    looks_back=lambda _asked: True,
)
HISTORY_OF_GAMES = Endpoint(
    "/api/history",
    "Price moves of all games, game by game, each by scraped_at; null odds mean no longer offered."
    " For plans with all bookmakers.",
    list[resources.HistoryRow],
    _history_of_games,
    [
        SPORT,
        COMPETITION,
        market_type(),
        PERIOD,
        BOOKMAKER,
        SINCE,
        UNTIL,
        limit(5000, 10_000),
        HISTORY_CURSOR,
    ],
    looks_back=lambda _asked: True,
)


FROM = moment("from", "Only games that begin at or after this time.")
TO = moment("to", "Only games that begin before this time.")


def _results(call: Call) -> Payload:
    since, until = call.asked["from"], call.asked["to"]
    if since is not None and until is not None and until <= since:
        raise BadParameterError("to", f"expected a moment after from, got {format_ms(until)}")
    page = call.reader.list_results(
        visibility_for(call.caller, call.asked),
        call.asked["limit"],
        call.asked["cursor"],
        since_ms=since,
        until_ms=until,
        competition=call.asked["competition"],
    )
    rows = [result_row(each.game_id, each.result, each.before) for each in page.items]
    return listing(replace(page, items=rows))


RESULTS = Endpoint(
    "/api/results",
    "How games stand or ended, by kick-off, as each source says.",
    list[ResultRow],
    _results,
    [COMPETITION, FROM, TO, limit(100, 500), RESULT_CURSOR],
)


MAX_EV = 20.0


def _value_bets(call: Call) -> Payload:
    page = dated_bets(call)
    return listing(replace(page, items=[each.bet for each in page.items]))


def dated_bets(call: Call, *age_ms: int) -> values.Page[values.DatedBet]:
    """Return the value bets with the ages of both prices, which are at most ``age_ms``, if given.

    Raises:
        Refusal: The plan has none.
        BadParameterError: The limits of EV contradict each other.
    """
    min_ev, max_ev = call.asked["min_ev"], call.asked["max_ev"]
    if min_ev > max_ev:
        raise BadParameterError(
            "min_ev", f"expected a number up to max_ev, which is {max_ev:g}, got {min_ev:g}"
        )
    require_value_bets(call.caller)
    return call.reader.list_dated_bets(
        call.now_ms,
        filters_of(call.asked),
        visibility_for(call.caller, call.asked),
        (min_ev, max_ev),
        call.asked["limit"],
        call.asked["cursor"],
        *age_ms,
    )


VALUE_BETS = Endpoint(
    "/api/value-bets",
    "Value bets, highest EV first; needs Pro.",
    list[resources.ValueBet],
    _value_bets,
    [
        SPORT,
        COMPETITION,
        BOOKMAKER,
        number("min_ev", "Minimum EV in percent.", 1.0, minimum=0.0, maximum=MAX_EV),
        number("max_ev", "Maximum EV in percent.", MAX_EV, minimum=0.0, maximum=MAX_EV),
        limit(100, 500),
        BET_CURSOR,
    ],
)


TTL_MS = 60_000


class CatalogueCache:
    """Keeps answers for a minute, by request.

    The catalogue is the same for everyone who may see the same sources, so the caller is not part
    of the key. Empty answers are not kept, so that a first feed shows at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[int, Payload]] = {}

    def kept_answer(
        self, key: Hashable, now_ms: int, find: Callable[[], tuple[Payload, bool]]
    ) -> Payload:
        """Return the kept answer, else that of ``find``, which also says whether to keep it."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and 0 <= now_ms - kept[0] < TTL_MS:
            return kept[1]
        payload, anything = find()
        if anything:
            with self._lock:
                self._kept[key] = (now_ms, payload)
        return payload


_HAS_LIVE = boolean("is_live", "true for events in play, false for the others.")


class Catalogue:
    """Sports and bookmakers, from the cache while it holds them."""

    def __init__(self) -> None:
        self._cache = CatalogueCache()

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint(
                "/api/sports",
                "Sports with odds from the last 10 minutes; up to 60 s old.",
                list[resources.Sport],
                self._sports,
            ),
            Endpoint(
                "/api/bookmakers",
                "Bookmakers with odds from the last 10 minutes; up to 60 s old.",
                list[resources.Bookmaker],
                self._bookmakers,
                [_HAS_LIVE],
            ),
        ]

    def _sports(self, call: Call) -> Payload:
        def find_sports() -> tuple[Payload, bool]:
            sports = call.reader.list_sports(call.now_ms)
            return Payload(encode_data(sports)), bool(sports)

        return self._cache.kept_answer(("sports", call.reader.share), call.now_ms, find_sports)

    def _bookmakers(self, call: Call) -> Payload:
        has_live = call.asked["is_live"]

        def find_bookmakers() -> tuple[Payload, bool]:
            found = call.reader.list_bookmakers(call.now_ms, has_live)
            return Payload(encode_data(found), count=len(found)), bool(found)

        asked = ("bookmakers", has_live, call.reader.share)
        return self._cache.kept_answer(asked, call.now_ms, find_bookmakers)
