"""Live odds in the real program: one line on standard output, the plan on standard error."""

import asyncio
import json
from pathlib import Path

from oddsdesk.base.clock import system_clock
from tests.kit.fake_source import FakeSource
from tests.kit.odds_api_answers import bookmaker, game, h2h, listed
from tests.kit.program import Launch

KEY = "canary0123456789canary0123456789"


async def test_serve_says_what_it_will_cost_and_never_the_key(launch: Launch, tmp_path: Path):
    source = FakeSource()
    await source.start()
    now = system_clock()
    played = game(now, bookmaker(now, "Pinnacle", h2h()))
    heard = {"x-requests-remaining": "20000", "x-requests-used": "0"}
    source.say("/v4/sports/soccer_epl/events", listed(played), headers=heard)
    source.say("/v4/sports/soccer_epl/odds", [played], headers=heard)
    database = str(tmp_path / "odds.db")
    feed = f"the-odds-api:soccer_epl?url={source.url}"
    arguments = ("serve", "--port", "0", "--database", database, "--feed", feed)
    serving = launch(*arguments, ODDSDESK_THE_ODDS_API_KEY=KEY)
    first = await asyncio.to_thread(serving.first_line)
    assert first.startswith("listening on http://127.0.0.1:")
    line = await asyncio.to_thread(serving.wait_for_log, "a month")
    assert "the-odds-api: one league, 20,000 credits a month: every " in line
    while "/v4/sports/soccer_epl/odds" not in source.paths():
        await asyncio.sleep(0.05)
    asking = launch("feeds", "--database", database, "--json")
    out, err = await asyncio.to_thread(asking.process.communicate, None, 30)
    (state,) = json.loads(out)
    assert (state["name"], state["state"], state["credits_left"]) == (
        "the-odds-api", "running", 20_000,
    )  # fmt: skip
    status, rest, log = await asyncio.to_thread(serving.finish)
    assert (status, rest) == (0, "")
    assert KEY not in line + log + out + err
    await source.stop()
