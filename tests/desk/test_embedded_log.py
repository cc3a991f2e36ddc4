"""The embedded server's log as the desk asks it, also while the server stops."""

import asyncio
from pathlib import Path

from oddsdesk.board.history_source import HistoryError, PriceLog
from oddsdesk.clock import system_clock
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.tasks import spawn

LINE = ("moneyline", 0, "Draw")


async def _ask(log: PriceLog) -> str:
    """Ask as a sparkline does; return why there is no answer."""
    try:
        await log.reference_history("game", [LINE], 0)
        await log.state(0)
    except HistoryError as error:
        return str(error)
    return ""


async def test_who_asks_while_the_server_stops_is_answered_or_told_so(qapp, tmp_path: Path):
    session = EmbeddedSession(EmbeddedProfile("x", str(tmp_path / "x.db")), system_clock)
    await session.start()
    assert session.local is not None
    assert await _ask(session.local.log) == ""
    stopping = spawn("stop", session.stop())
    told = set()
    while not stopping.done():
        told |= set(await asyncio.gather(*(_ask(session.local.log) for _ in range(8))))
    assert told <= {"", "the embedded server has stopped"}
    assert await _ask(session.local.log) == "the embedded server has stopped"
