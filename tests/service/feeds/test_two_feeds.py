"""Two feeds of one source: told apart, and sharing what their key may spend."""

import asyncio
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.feeds import feeds as feeds_command
from oddsdesk.contract.administration import FeedCondition
from tests.kit.fake_source import FakeSource
from tests.kit.odds_api_answers import bookmaker, game, h2h, listed
from tests.service.feeds.conftest import Serve

CREDITS = {"x-requests-remaining": "20000", "x-requests-used": "0"}
SPORTS = ("soccer_epl", "basketball_nba")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", "canary0123456789canary0123456789")


def spec(source: FakeSource, sport: str) -> str:
    return f"the-odds-api:{sport}?url={source.url}&every=0.05"


def say_games(source: FakeSource, *sports: str) -> None:
    now = system_clock()
    played = game(now, bookmaker(now, "Pinnacle", h2h()))
    for sport in sports:
        source.say(f"/v4/sports/{sport}/events", listed(played), headers=CREDITS)
        source.say(f"/v4/sports/{sport}/odds", [played], headers=CREDITS)


async def test_table_plans_and_log_tell_two_feeds_of_one_source_apart(
    source: FakeSource, serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds")
    say_games(source, "soccer_epl")
    source.say("/v4/sports/basketball_nba/events", b"<html>")
    async with serve(*(spec(source, sport) for sport in SPORTS)) as served:
        await served.until(lambda: served.status(1).plan)
        await served.state(FeedCondition.FAILING, 2)
        asked = ["--database", str(tmp_path / "odds.db")]
        done = await asyncio.to_thread(CliRunner().invoke, feeds_command, asked)
    headings, first, second, plan = done.stdout.splitlines()
    assert headings.split()[:2] == ["NUMBER", "FEED"]
    assert [line.split()[:3] for line in (first, second)] == [
        ["1", "the-odds-api", "running"],
        ["2", "the-odds-api", "failing"],
    ]
    assert plan.startswith("feed 1, the-odds-api: one league")
    said = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("feed 1, the-odds-api: one league") for line in said)
    assert any(line.startswith("feed 2, the-odds-api: failing: ") for line in said)


async def test_feeds_on_one_key_plan_an_equal_part_of_its_credits_until_one_stops(
    source: FakeSource, serve: Serve
) -> None:
    say_games(source, *SPORTS)
    both, alone = (
        "one league, 20,000 credits a month shared by two feeds: ",
        "one league, 20,000 credits a month: ",
    )
    async with serve(*(spec(source, sport) for sport in SPORTS)) as served:
        await served.until(lambda: all(served.status(n).plan.startswith(both) for n in (1, 2)))
        await served.server.running_feeds.stop_feed(1)
        await served.until(lambda: served.status(2).plan.startswith(alone))


async def test_feeds_on_two_keys_share_nothing(
    source: FakeSource, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY")
    say_games(source, *SPORTS)
    feeds = []
    for sport in SPORTS:
        (tmp_path / sport).write_text(f"canary-of-{sport.replace('_', '-')}")
        feeds.append(f"{spec(source, sport)}&key-file={tmp_path / sport}")
    async with serve(*feeds) as served:
        for number in (1, 2):
            await served.until_read(number)
            await served.until(lambda number=number: served.status(number).plan)
            assert "shared" not in served.status(number).plan
