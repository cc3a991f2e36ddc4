"""The real service for a board to be kept current from, with the prices of one game."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.board.intake.reading_plan import Pace
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import open_store
from tests.kit.board import MONEYLINE, NAME, REFERENCE

CALM = Pace(games_s=60, matrix_s=60, value_bets_s=60, rows_s=60, health_s=60)


def quote(bookmaker: str, odds: dict[str, float] | None = None, name: str = NAME) -> Quote:
    return Quote(
        bookmaker=bookmaker,
        match_name=name,
        competition="EPL",
        market_type="moneyline",
        period=0,
        odds=dict(MONEYLINE[bookmaker]) if odds is None else odds,
        scraped_at=system_clock(),
        match_date=system_clock() + 3_600_000,
    )


async def record(server: Server, *quotes: Quote) -> None:
    await asyncio.wrap_future(server.store.record(quotes))


@asynccontextmanager
async def service(
    folder: Path, port: int = 0, *moved: Quote, clock: Clock = system_clock
) -> AsyncIterator[Server]:
    """The real server with the prices of one game, ``moved`` before it answers anything."""
    settings = Settings(folder / "odds.db", port=port, reference=REFERENCE)
    if moved:
        with closing(open_store(settings.database, REFERENCE)) as store:
            await asyncio.wrap_future(store.record(moved))
    async with serving(settings, clock) as server:
        if not moved:
            await record(server, *(quote(name) for name in MONEYLINE))
        yield server


def key_of(server: Server, plan: Plan, bookmaker: str | None = None) -> str:
    return server.access.keys.create(plan.value, plan, bookmaker, system_clock()).secret
