"""The paths of The Odds API: any key is accepted, nothing is counted.

So they are for programs on this machine alone: not for proxies, and not for web pages.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from starlette.types import Scope

from oddsdesk.contract.access import ErrorCode
from oddsdesk.server import rest
from oddsdesk.server.fairness import A_TURN_S, MOST_WAITING, RETRY_S, LineFullRefusal, ReaderPool
from oddsdesk.server.gate import GET, Gate, RequestContext, Service
from oddsdesk.server.local_callers import is_of_this_machine
from oddsdesk.server.the_odds_api import NAME, ROOT
from oddsdesk.server.the_odds_api.answers import Answers, of_snapshot
from oddsdesk.server.the_odds_api.asking import Asked, TurnedDown, read_query

QUOTA: Final[rest.Headers] = (
    (b"x-requests-remaining", b"100000"),
    (b"x-requests-used", b"0"),
    (b"x-requests-last", b"0"),
)
"""The credits that programs look at: always the same, as nothing costs any."""
_OTHER_SITES: Final = (b"cross-site", b"same-site")
"""Values of ``Sec-Fetch-Site`` of requests that a page of another site or port makes."""
_OWN_PAGES_ONLY: Final = (b"cross-origin-resource-policy", b"same-origin")
_TURNS: Final = 5
"""The estimated cost of an answer, in turns."""
_encode: Final = msgspec.json.Encoder().encode


class OddsApiGate(Gate):
    """Answers every path below ``ROOT``."""

    path = f"{ROOT}/{{path}}"
    work = "answering as The Odds API"

    def __init__(self, service: Service, reads: ReaderPool, looks_back: ReaderPool) -> None:
        super().__init__(service)
        self._reads = reads
        self._looks_back = looks_back

    async def reply(self, request: RequestContext) -> rest.Reply:
        """Return what The Odds API would."""
        try:
            _require_own_program(request.scope)
            answer = await self._answer(request)
        except TurnedDown as refusal:
            return _reply(refusal.status, refusal.body)
        reply = _reply(200, answer, [(b"vary", b"Accept-Encoding")])
        return rest.packed(reply) if rest.accepts_gzip(request.scope["headers"]) else reply

    def refuse(self, refusal: rest.Refusal, scope: Scope) -> rest.Reply:
        """Return a refusal of the server in their format; of too many at once, with their code."""
        if isinstance(refusal, LineFullRefusal):
            message = (
                f"Too many requests at once: {MOST_WAITING} are waiting. Wait for their answers"
                f" before you send more, or retry in {RETRY_S} s."
            )
            retry = [(b"retry-after", str(RETRY_S).encode())]
            return _reply(429, TurnedDown("EXCEEDED_FREQ_LIMIT", message).body, retry)
        body = TurnedDown(refusal.code.value.upper(), refusal.message).body
        return _reply(refusal.code.status, body, refusal.headers)

    async def _answer(self, request: RequestContext) -> Any:
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        parts = [each for each in request.scope["path"].removeprefix(ROOT).split("/") if each]
        looks_back = parts[:1] == ["historical"]
        read = _of_history(parts[1:]) if looks_back else _of_now(parts)
        if read is None:
            raise rest.Refusal(ErrorCode.NOT_FOUND, "No such path; see docs/feeds.md.")
        asked = read_query(request.scope["query_string"])
        at_ms = _moment(asked, request.now_ms) if looks_back else None
        store, now_ms = self._service.store, request.now_ms

        def answer_request() -> Any:
            return read(Answers(store.reader(), asked, now_ms, at_ms))

        reads = self._looks_back if looks_back else self._reads
        return await reads.run(answer_request, NAME, _TURNS * A_TURN_S)


def _require_own_program(scope: Scope) -> None:
    """Refuse callers behind a proxy, and pages of other sites: these need no answer to do harm."""
    if not is_of_this_machine(scope):
        message = "This interface is for programs on the server's own machine, without a proxy."
        raise TurnedDown("ACCESS_DENIED", message, 403)
    sites = [value for name, value in scope["headers"] if name == b"sec-fetch-site"]
    if any(each in _OTHER_SITES for each in sites):
        message = "Other web sites may not use this server; call it from a program."
        raise TurnedDown("ACCESS_DENIED", message, 403)


def _moment(asked: Asked, now_ms: int) -> int:
    if asked.date is None:
        message = "date: expected a time such as 2026-11-20T18:00:00Z, but it is missing."
        raise TurnedDown("MISSING_HISTORICAL_TIMESTAMP", message)
    return of_snapshot(asked.date, now_ms)


_Read = Callable[[Answers], Any]


def _of_now(parts: list[str]) -> _Read | None:
    match parts:
        case ["sports"]:
            return Answers.sports
        case ["sports", key, "odds"]:
            return lambda answers: answers.odds(key)
        case ["sports", key, "events"]:
            return lambda answers: answers.events(key)
        case ["sports", key, "scores"]:
            return lambda answers: answers.scores(key)
        case ["sports", key, "events", ident, "odds"]:
            return lambda answers: answers.event_odds(key, ident)
        case ["sports", key, "events", ident, "markets"]:
            return lambda answers: answers.event_markets(key, ident)
    return None


def _of_history(parts: list[str]) -> _Read | None:
    match parts:
        case ["sports", _, "odds" | "events"] | ["sports", _, "events", _, "odds"]:
            read = _of_now(parts)
            assert read is not None
            return lambda answers: answers.snapshot(read(answers))
    return None


def _reply(status: int, body: Any, headers: rest.Headers = ()) -> rest.Reply:
    return rest.Reply(status, _encode(body), [*QUOTA, _OWN_PAGES_ONLY, *headers])
