"""How many streams a key may open: on Free, tokens and connections are counted by day (D22)."""

from oddsdesk.contract.plans import DAY_S
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind, Token


async def take_token(access: LoopAccess, caller: Caller, now_ms: int) -> tuple[Kind, Count] | None:
    """Count a request for a token; None where the plan has no limit.

    Not allowed once as many tokens were issued, or connections opened, as the plan includes: the
    kind says which.
    """
    allowance = caller.rights.connections_per_day
    if allowance is None:
        return None
    opened = await access.peek(caller.key_id, Kind.CONNECTIONS, allowance, DAY_S, now_ms)
    if opened.remaining == 0:
        return Kind.CONNECTIONS, opened
    count = await access.take(caller.key_id, Kind.TOKENS, allowance, DAY_S, now_ms)
    return Kind.TOKENS, count


async def open_connection(access: LoopAccess, caller: Caller, token: Token, now_ms: int) -> Count:
    """Use a token up for a connection that opens, and count it where the plan has a limit.

    Not allowed once the day's are used up (close 4029).

    Raises:
        TokenSpentError: the token has opened a stream already (close 4001).
    """
    most = caller.rights.connections_per_day
    return await access.spend_token(token, caller.key_id, most, now_ms)


def give_back_connection(access: LoopAccess, caller: Caller, count: Count) -> None:
    """Undo the count of a connection that could not be served after all."""
    most = caller.rights.connections_per_day
    if most is not None:
        access.give_back(caller.key_id, Kind.CONNECTIONS, most, DAY_S, count)
