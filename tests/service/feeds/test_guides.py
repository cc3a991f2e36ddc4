"""What sources say of choices and cost before anything is paid, and their bad days."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.feeds import feeds as feeds_command
from oddsdesk.contract.administration import feed_text
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.adapters import Guides, sources
from oddsdesk.feeds.live.errors import KeyRefusedError, MissingKeyError, ShapeError, SourceError
from oddsdesk.feeds.live.live_feed import read_spec
from oddsdesk.feeds.the_odds_api.planner import Job, Planner
from tests.kit.fake_source import FakeSource
from tests.kit.odds_api_answers import HOUR_MS, game, listed

KEY = "canary0123456789canary0123456789"
NOW = system_clock()
CREDITS = {"x-requests-remaining": "20000", "x-requests-used": "0"}
SPORTS = [
    {"key": "cricket_ipl", "group": "Cricket", "title": "IPL", "active": True},
    {"key": "basketball_nba", "group": "Basketball", "title": "NBA", "active": True},
    {"key": "soccer_epl", "group": "Soccer", "title": "EPL", "active": True},
    {"key": "soccer_x_winner", "group": "Soccer", "title": "Winner", "has_outrights": True},
    {"key": "icehockey_nhl", "group": "Ice Hockey", "title": "NHL", "active": False},
]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY", raising=False)


@pytest.fixture
async def guides() -> AsyncIterator[Guides]:
    made = Guides(lambda: NOW)
    yield made
    await made.close_guides()


def say_sports(source: FakeSource) -> None:
    source.say("/v4/sports", SPORTS, headers=CREDITS)
    for sport, games in (("soccer_epl", 3), ("basketball_nba", 2), ("cricket_ipl", 0)):
        played = [game(NOW, ident=f"{sport}{n}") for n in range(games)]
        source.say(f"/v4/sports/{sport}/events", listed(*played), headers=CREDITS)


def spec(source: FakeSource, what: str = "soccer_epl,basketball_nba", more: str = "") -> str:
    return f"the-odds-api:{what}?url={source.url}{more}"


async def test_sports_in_season_are_listed_those_known_here_first(source, guides) -> None:
    say_sports(source)
    found = await guides.choices_of("the-odds-api", source.url, KEY)
    assert [(each.name, each.group, each.competition) for each in found.choices] == [
        ("soccer_epl", "Football", "EPL"),
        ("basketball_nba", "Basketball", "NBA"),
        ("cricket_ipl", "Cricket", ""),
    ]
    assert (found.credits_left, found.credits_used) == (20_000, 0)
    assert source.asked[0].query_params["apiKey"] == KEY


async def test_the_plan_is_the_planners_own_and_nothing_is_paid(source, guides) -> None:
    say_sports(source)
    told = await guides.plan_feed(spec(source, more="&regions=uk,eu&markets=h2h,totals"), KEY)
    planner = Planner()
    planner.note_credits(20_000, 0, NOW)
    kick_off = NOW + 2 * HOUR_MS
    kick_off -= kick_off % 1000
    jobs = [Job("a", 4, (kick_off,) * 3, 2), Job("b", 4, (kick_off,) * 2, 2)]
    plan = planner.plan_jobs(jobs, NOW)
    assert told.sentence == f"{plan.text}; results take at most a quarter of the credits"
    every_s = {job: schedule.every_s for job, schedule in plan.schedules.items()}
    assert told.intervals_s == {"soccer_epl": (every_s["a"],), "basketball_nba": (every_s["b"],)}
    assert told.games == {"soccer_epl": 3, "basketball_nba": 2}
    assert told.credits_left == 20_000
    assert not any(path.endswith("/odds") for path in source.paths())


async def test_games_are_listed_once_while_somebody_chooses(source, guides) -> None:
    say_sports(source)
    for what in ("soccer_epl", "soccer_epl,basketball_nba", "soccer_epl,basketball_nba"):
        await guides.plan_feed(spec(source, what), KEY)
    assert source.paths().count("/v4/sports/soccer_epl/events") == 1
    assert "/v4/sports" not in source.paths(), "what is listed told the credits already"


async def test_credits_that_no_list_told_are_asked_for(source, guides) -> None:
    say_sports(source)
    source.say("/v4/sports/soccer_epl/events", listed(game(NOW)))
    told = await guides.plan_feed(spec(source, "soccer_epl"), KEY)
    assert "one league, 20,000 credits a month: every " in told.sentence


async def test_no_games_cost_nothing_and_no_credits_say_until_when(source, guides) -> None:
    say_sports(source)
    assert "at no cost" in (await guides.plan_feed(spec(source, "cricket_ipl"), KEY)).sentence
    spent = {"x-requests-remaining": "0", "x-requests-used": "500"}
    source.say("/v4/sports/soccer_epl/events", listed(game(NOW)), headers=spent)
    told = await guides.plan_feed(spec(source, "soccer_epl"), KEY)
    assert "one league, 500 credits a month: all used; renewed by " in told.sentence


async def test_no_key_and_a_refused_key_are_told_apart(source, guides, monkeypatch) -> None:
    monkeypatch.setattr("oddsdesk.base.keyring.Keyring.is_there", lambda _: False)
    with pytest.raises(MissingKeyError, match=r"^no key: "):
        await guides.choices_of("the-odds-api", source.url)
    refusal = {"error_code": "INVALID_KEY", "message": "no"}
    source.say("/v4/sports", refusal, status=401)
    with pytest.raises(
        KeyRefusedError, match=r"INVALID_KEY\); check it, or use another key"
    ) as got:
        await guides.choices_of("the-odds-api", source.url, KEY)
    assert not isinstance(got.value, MissingKeyError)
    assert KEY not in str(got.value)
    with pytest.raises(KeyRefusedError, match="not a key: expected letters and digits"):
        await guides.choices_of("the-odds-api", source.url, "two words")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>busy</html>", r"127\.0\.0\.1:\d+ sent a web page instead of odds"),
        (b"\n<!DOCTYPE HTML><title>Sign in</title>", "a login page of your network"),
        (b"busy", "is not JSON"),
        ([{"key": 1}], "unexpected shape"),
        ({}, "unexpected shape"),
    ],
)
async def test_a_changed_shape_is_one_line(source, guides, answer, said) -> None:
    source.say("/v4/sports", answer)
    with pytest.raises(ShapeError, match=said):
        await guides.choices_of("the-odds-api", source.url, KEY)


async def test_nobody_at_the_address_is_one_line(guides) -> None:
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:1 does not answer"):
        await guides.choices_of("the-odds-api", "http://127.0.0.1:1", KEY)


async def test_what_makes_no_sense_is_refused_before_anything_is_asked(source, guides) -> None:
    for text in ("the-odds-api:soccer epl", "the-odds-api:", "no-such:x", "the-odds-api:x?y=1"):
        with pytest.raises(FeedError):
            await guides.plan_feed(text, KEY)
    with pytest.raises(FeedError, match="url"):
        await guides.choices_of("the-odds-api", "36637", KEY)
    with pytest.raises(FeedError, match="no list"):
        await guides.choices_of("exec")
    assert source.asked == []


async def test_polymarkets_leagues_go_by_the_tag_that_is_theirs(source, guides) -> None:
    rows = [("epl", "1,82,306"), ("nba", "1,745"), ("lal", "1,306,780"), ("none", "x")]
    leagues = [{"sport": name, "tags": tags, "image": "x"} for name, tags in rows]
    source.say("/gamma/sports", leagues)
    found = (await guides.choices_of("polymarket", source.url)).choices
    assert [(each.name, each.title, each.group) for each in found] == [
        ("82", "English Premier League", "Football"),
        ("780", "Spanish La Liga", "Football"),
        ("745", "NBA", "Basketball"),
    ]
    source.say("/gamma/events", [])
    told = await guides.plan_feed(f"polymarket:82?url={source.url}")
    assert (told.sentence, told.games) == ("0 games, read every 10 seconds, free", {"82": 0})


async def test_kalshis_series_need_no_question(guides) -> None:
    found = (await guides.choices_of("kalshi", "http://127.0.0.1:1")).choices
    assert (found[0].name, found[0].title) == ("KXEPLGAME", "English Premier League")
    assert "ATP" in {each.title for each in found}


async def test_betfairs_competitions_are_those_of_its_answer(source, guides) -> None:
    rows = [("129", "Allsvenskan", "SWE"), ("10932509", "English Premier League", "GBR")]
    result = [
        {"competition": {"id": ident, "name": name}, "marketCount": 3, "competitionRegion": where}
        for ident, name, where in rows
    ]
    source.say("/exchange/betting/json-rpc/v1", {"jsonrpc": "2.0", "result": result})
    found = (await guides.choices_of("betfair", source.url, "app-key:session-token")).choices
    assert [(each.name, each.group) for each in found] == [("10932509", "Football"), ("129", "SWE")]


async def test_another_source_ends_the_connections_of_the_one_before(source, guides) -> None:
    say_sports(source)
    await guides.choices_of("the-odds-api", source.url, KEY)
    await guides.choices_of("kalshi")
    await guides.choices_of("the-odds-api", source.url, KEY)
    assert source.paths() == ["/v4/sports", "/v4/sports"]


def test_every_source_says_what_people_have_to_know() -> None:
    found = sources()
    assert [each.name for each in found[:2]] == ["the-odds-api", "polymarket"]
    for about in found:
        assert all((about.title, about.summary, about.costs)), about.name
        assert not about.key_url or about.key_url.startswith("https://")
        for option in about.options:
            assert set(option.chosen) <= {value for value, _ in option.values}


def test_what_is_chosen_is_read_as_it_was_meant() -> None:
    text = feed_text("mirror", ["https://[::1]:80/a,b?c&d"], {"url": "http://x/a&b=c", "every": ""})
    spec = read_spec(text)
    assert (spec.name, spec.what) == ("mirror", ("https://[::1]:80/a,b?c&d",))
    assert (spec.url, spec.options) == ("http://x/a&b=c", {})


async def test_the_command_line_tells_the_same(source, monkeypatch) -> None:
    say_sports(source)
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    run = CliRunner().invoke
    words = (["choices", "the-odds-api", "--url", source.url, "--json"], ["plan", spec(source)])
    listed_, planned = [await asyncio.to_thread(run, feeds_command, each) for each in words]
    assert json.loads(listed_.output)[0]["name"] == "soccer_epl"
    assert planned.output.startswith("two leagues, 20,000 credits a month: every ")
    assert "basketball_nba: 2 games" in planned.output
    refused = await asyncio.to_thread(run, feeds_command, ["plan", "the-odds-api:"])
    assert (refused.exit_code, "after the colon" in refused.output) == (1, True)
    assert "The Odds API" in run(feeds_command, ["choices"]).output
