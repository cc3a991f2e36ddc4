"""How many streams a key may open: on Free, tokens and connections are counted by day (D22)."""

from oddsdesk.contract.plans import DAY_S
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind


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


async def open_connection(access: LoopAccess, caller: Caller, now_ms: int) -> Count | None:
    """Count a connection that opens; None where the plan has no limit.

    Not allowed once the day's are used up (close 4029).
    """
    allowance = caller.rights.connections_per_day
    if allowance is None:
        return None
    return await access.take(caller.key_id, Kind.CONNECTIONS, allowance, DAY_S, now_ms)
