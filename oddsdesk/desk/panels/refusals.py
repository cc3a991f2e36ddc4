"""What is said where the service refuses the key: each code of the contract in its own words."""

from typing import Final, NamedTuple

from oddsdesk.board.connection import Connection
from oddsdesk.contract.errors import ErrorCode

_SENTENCES: Final = {
    ErrorCode.UNAUTHORIZED.value: "The service does not know this key.",
    ErrorCode.BOOKMAKER_NOT_CONFIGURED.value: "No bookmaker is chosen for this key.",
    ErrorCode.BOOKMAKER_FORBIDDEN.value: "This key sees another bookmaker only.",
    ErrorCode.LIVE_NOT_ON_PLAN.value: "In-play prices are not in your plan.",
    ErrorCode.WEBSOCKET_NOT_ON_PLAN.value: "The stream is not in your plan.",
    ErrorCode.VALUE_BETS_NOT_ON_PLAN.value: "Value bets are not in your plan.",
}


class Refusal(NamedTuple):
    """What was refused, and what to do about it."""

    sentence: str
    detail: str


def refusal(connection: Connection) -> Refusal:
    """Return what to say of a connection that is refused."""
    sentence = _SENTENCES.get(connection.code or "")
    if sentence is not None:
        return Refusal(sentence, connection.advice)
    said = f"{reason_text(connection)} {connection.advice}".strip()
    return Refusal("The service does not let this key in.", said)


def reason_text(connection: Connection) -> str:
    """Return the connection's reason as a sentence; empty for none."""
    reason = (connection.reason or "").rstrip(".")
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""
