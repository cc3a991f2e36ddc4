"""Who a caller is, and what their plan lets them see (D19..D21, D43)."""

from collections.abc import Iterable
from typing import Any

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.answers import Refusal
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.store.keys import Caller
from oddsdesk.store.values import Visibility

KEY_HEADER = b"x-api-key"
KEY_ID = "oddsdesk.key_id"
"""Where the scope of a request or stream says whose it is, once that is known."""

RequestHeaders = Iterable[tuple[bytes, bytes]]


def key_in(headers: RequestHeaders) -> str | None:
    """Return the key that a request carries, if any; of two it is not known who asks.

    Blanks around a value are no part of it (RFC 9110, 5.5), and the parser leaves those behind it.
    """
    given = [value for name, value in headers if name == KEY_HEADER]
    return given[0].strip(b" \t").decode("latin-1") if len(given) == 1 else None


def known_caller(access: LoopAccess, headers: RequestHeaders) -> Caller | None:
    """Return whose key a request carries, as far as that is known; it waits for nothing."""
    key = key_in(headers)
    return None if key is None else access.known_caller(key)


def unauthorized() -> Refusal:
    """Return the refusal for a missing or unknown key."""
    return Refusal(
        ErrorCode.UNAUTHORIZED,
        "X-Api-Key: expected one valid API key, but it is missing, unknown, revoked or sent"
        " twice; /docs shows how to send it. The operator of this server makes keys.",
    )


def require_stream(caller: Caller) -> None:
    """Refuse a plan without the stream, and Free without its bookmaker."""
    if not caller.rights.websocket:
        raise Refusal(
            ErrorCode.WEBSOCKET_NOT_ON_PLAN,
            f"The stream is not part of the {caller.plan.value} plan; it needs Pro+ RT.",
        )
    _require_chosen(caller)


def require_value_bets(caller: Caller) -> None:
    """Refuse plans below Pro (D21)."""
    if not caller.rights.value_bets:
        raise Refusal(
            ErrorCode.VALUE_BETS_NOT_ON_PLAN,
            f"Value bets are not part of the {caller.plan.value} plan; they need Pro.",
        )


def require_live(caller: Caller) -> None:
    """Refuse plans without in-play odds (D20)."""
    if not caller.rights.live:
        raise Refusal(
            ErrorCode.LIVE_NOT_ON_PLAN,
            f"In-play odds are not part of the {caller.plan.value} plan; they need Pro+ Live.",
        )


def require_all_bookmakers(caller: Caller, name: str) -> None:
    """Refuse a parameter to a plan that sees one bookmaker only."""
    if not caller.rights.all_bookmakers:
        raise Refusal(
            ErrorCode.BOOKMAKER_FORBIDDEN,
            f"{name} is not part of the {caller.plan.value} plan, which sees one bookmaker only; it"
            " needs Pro.",
        )


def visibility_for(caller: Caller, asked: dict[str, Any]) -> Visibility:
    """Return what the caller sees of an answer, given what the parameters ask for.

    Raises:
        Refusal: in-play odds or another bookmaker are asked for, and not on the plan; or
            Free has chosen no bookmaker.
    """
    if asked.get("is_live"):
        require_live(caller)
    if caller.rights.all_bookmakers:
        return Visibility(bookmaker=None, live=caller.rights.live)
    chosen = _require_chosen(caller)
    bookmaker = asked.get("bookmaker")
    if bookmaker is not None and bookmaker != chosen:
        raise Refusal(
            ErrorCode.BOOKMAKER_FORBIDDEN,
            f"bookmaker: the {caller.plan.value} plan sees {chosen!r} only, got {bookmaker!r};"
            " ask for that one, or leave it out.",
        )
    return Visibility(bookmaker=chosen, live=caller.rights.live)


def _require_chosen(caller: Caller) -> str:
    if caller.rights.all_bookmakers:
        return ""
    if caller.bookmaker is None:
        raise Refusal(
            ErrorCode.BOOKMAKER_NOT_CONFIGURED,
            f"The {caller.plan.value} plan sees one bookmaker, and this account has chosen none;"
            " the operator of this server chooses it.",
        )
    return caller.bookmaker
