"""The Odds API through a real server: prices, credits, refusals, and no key anywhere."""

import asyncio
import contextlib
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.feeds import feeds as feeds_command
from oddsdesk.contract.administration import FeedCondition
from oddsdesk.contract.results import GameStatus
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.files import read_file
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.live import polling
from oddsdesk.feeds.live import source as live_source
from oddsdesk.feeds.the_odds_api import convert
from oddsdesk.server.run import feeds
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.values import Visibility
from tests.kit.fake_source import FakeSource, as_response, recorded_answer
from tests.kit.odds_api_answers import HOUR_MS, bookmaker, game, h2h, listed, totals
from tests.service.feeds.conftest import Serve, Served

KEY = "canary0123456789canary0123456789"
EVENTS = "/v4/sports/soccer_epl/events"
ODDS = "/v4/sports/soccer_epl/odds"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)


def spec(source: FakeSource, what: str = "soccer_epl", more: str = "", every: float = 0.05) -> str:
    return f"the-odds-api:{what}?url={source.url}&every={every}{more}"


def say(source: FakeSource, *games: dict[str, Any], **headers: str) -> None:
    source.say(EVENTS, listed(*games))
    source.say(ODDS, list(games), headers=headers)


def two_books(now: int) -> dict[str, Any]:
    return game(now, bookmaker(now, "Pinnacle", h2h()), bookmaker(now, "Unibet", h2h(2.1)))


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (row,) = (row for row in rows if row["bookmaker"] == name)
    return row


async def test_prices_of_real_bookmakers_are_served(source: FakeSource, serve: Serve) -> None:
    now = system_clock()
    say(source, two_books(now), **{"x-requests-remaining": "499", "x-requests-used": "1"})
    async with serve(spec(source, more="&regions=uk,eu&markets=h2h")) as served:
        rows = await served.until_odds(2)
        status = served.status()
    row = of(rows, "Unibet")
    assert row["odds"] == {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.8}
    assert (row["competition"], row["match_name"]) == ("EPL", "Arsenal vs Chelsea")
    assert (status.state, status.credits_left, status.credits_used) == ("running", 499, 1)
    asked = next(each for each in source.asked if each.url.path == ODDS)
    query = dict(asked.query_params)
    assert (query["apiKey"], query["regions"], query["markets"]) == (KEY, "uk,eu", "h2h")
    assert (query["includeLinks"], query["includeBetLimits"]) == ("true", "true")


async def test_where_other_machines_may_ask_it_is_recorded_and_left_out(
    source: FakeSource, tmp_path: Path
) -> None:
    """D66."""
    say(source, two_books(system_clock()))
    path = tmp_path / "odds.db"
    settings = Settings(path, "0.0.0.0", port=0, feeds=(spec(source),))
    async with serving(settings) as server:
        served = Served(server)
        await served.until(lambda: server.store.reader().last_seq() >= 6)
        assert await served.odds() == []
        status = served.status()
    assert status.state is FeedCondition.RUNNING
    assert "--share the-odds-api" in status.reason
    async with serving(msgspec.structs.replace(settings, share=("the-odds-api",))) as server:
        served = Served(server)
        assert len(await served.odds()) == 2
        assert (await served.state(FeedCondition.RUNNING)).reason == ""


async def test_results_are_recorded_and_left_out_where_prices_are(
    source: FakeSource, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    now = system_clock()
    started = two_books(now) | {"commence_time": format_ms(now - 3 * HOUR_MS)}
    scores = [{"name": "Chelsea", "score": "1"}, {"name": "Arsenal", "score": "0"}]
    ended = listed(started)[0] | {"completed": True, "last_update": format_ms(now)}
    say(source, started)
    source.say("/v4/sports/soccer_epl/scores", [ended | {"scores": scores}])
    async with serve(spec(source)) as served:
        reader = served.server.store.reader()
        await served.until(reader.results)
        (stored,) = reader.results()
        await served.until_odds(2)
        seen = [len(reader.list_results(Visibility(share=share), 9).items) for share in (None, ())]
        asked = source.paths().count("/v4/sports/soccer_epl/scores")
    result = stored.result
    assert (result.source, result.status, result.home, result.away) == (
        "the-odds-api",
        GameStatus.FINAL,
        0,
        1,
    )
    assert stored.has_game
    assert seen == [1, 0]
    assert asked == 1
    ours = [each for each in caplog.records if not each.name.startswith("uvicorn")]
    assert not [each for each in ours if KEY in each.getMessage()]


async def test_bookmakers_may_be_named_instead_of_regions(source, serve) -> None:
    say(source, two_books(system_clock()))
    async with serve(spec(source, more="&bookmakers=pinnacle,unibet")) as served:
        await served.until_odds(2)
    asked = next(each for each in source.asked if each.url.path == ODDS)
    assert asked.query_params["bookmakers"] == "pinnacle,unibet"
    assert "regions" not in asked.query_params


async def test_no_credit_is_spent_on_an_empty_slate(source, serve) -> None:
    source.say(EVENTS, [])
    async with serve(spec(source)) as served:
        await served.until(lambda: source.paths().count(EVENTS) > 3)
        assert served.status().state is FeedCondition.RUNNING
        assert served.status().plan == "no games now"
        assert ODDS not in source.paths()
        source.say(EVENTS, listed(two_books(system_clock())))
        await served.until(lambda: served.status().plan == "")


async def test_a_bookmaker_that_two_answers_lack_is_withdrawn(source, serve) -> None:
    now = system_clock()
    both = two_books(now)
    one = {**both, "bookmakers": both["bookmakers"][:1]}
    source.say(EVENTS, listed(both))
    source.say(ODDS, [both], [one], b"<html>busy</html>", [both], [one], [one])
    async with serve(spec(source)) as served:
        await served.until(lambda: source.paths().count(ODDS) == 4)
        assert {row["bookmaker"] for row in await served.until_odds(2)} == {"Pinnacle", "Unibet"}
        (left,) = await served.until_odds(1)
    assert left["bookmaker"] == "Pinnacle"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"home_team": "Arsenal FC"}, "Arsenal vs Chelsea"),
        ({"home_team": "Chelsea", "away_team": "Arsenal"}, "Arsenal vs Chelsea"),
        ({"home_team": "Fulham"}, "Fulham vs Chelsea"),
        ({"commence_time": 28}, "Arsenal vs Chelsea (2"),
        ({"commence_time": 5}, "Arsenal vs Chelsea"),
    ],
)
async def test_a_game_that_its_id_tells_otherwise_is_priced_once(
    source: FakeSource, serve: Serve, changes: dict[str, Any], name: str
) -> None:
    """D51, D65: what the source said of it before is withdrawn with the first answer."""
    now = system_clock()
    before = two_books(now)
    before["bookmakers"][0]["last_update"] = format_ms(now - 60_000)
    team = changes.get("home_team", "Arsenal")
    after = {**before, **changes}
    if hours := changes.get("commence_time"):
        after["commence_time"] = format_ms(now + hours * HOUR_MS)
    if team != "Chelsea":
        markets = [h2h(team=team)]
        after["bookmakers"] = [{**each, "markets": markets} for each in before["bookmakers"]]
    source.say(EVENTS, listed(after))
    source.say(ODDS, [before], [after], b"<html>busy</html>")
    async with serve(spec(source)) as served:
        await served.state(FeedCondition.FAILING)
        rows = await served.odds()
    assert sorted(row["bookmaker"] for row in rows) == ["Pinnacle", "Unibet"]
    assert all(row["match_name"].startswith(name) for row in rows)
    assert {row["scraped_at"] for row in rows} == {format_ms(now), format_ms(now - 60_000)}


async def test_a_source_whose_clock_was_ahead_is_corrected_by_its_next_answer(
    source: FakeSource, serve: Serve
) -> None:
    """D65: its prices stood until their time had come, and could not be withdrawn."""
    now = system_clock()
    other = game(now, bookmaker(now - 60_000, "Pinnacle", h2h(team="Fulham")), home="Fulham")
    other["id"] = "g2"
    ahead = game(now, bookmaker(now + 240_000, "Pinnacle", h2h(9.0)))
    right = game(now, bookmaker(now - 60_000, "Pinnacle", h2h(2.0)))
    source.say(EVENTS, listed(right, other))
    source.say(ODDS, [ahead, other], [right, other], b"<html>busy</html>")
    async with serve(spec(source)) as served:
        await served.state(FeedCondition.FAILING)
        rows = await served.odds()
        assert [row["odds"]["Arsenal"] for row in rows if "Arsenal" in row["odds"]] == [2.0]
        assert max(row["scraped_at"] for row in rows) <= format_ms(system_clock())
        source.say(ODDS, [other])
        (left,) = await served.until_odds(1)
    assert left["match_name"] == "Fulham vs Chelsea"


async def test_a_price_that_no_decimal_odds_are_is_left_out_and_told(
    source: FakeSource, serve: Serve
) -> None:
    """D65: it asked for decimal odds; one of -250 made American ones of the whole answer."""
    now = system_clock()
    books = [
        bookmaker(now, "Pinnacle", h2h()),
        bookmaker(now, "Longshot", h2h(140.0)),
        bookmaker(now, "Wrong", h2h(-250)),
    ]
    source.say(EVENTS, listed(game(now)))
    source.say(ODDS, [game(now, *books)], [game(now, *books)], [game(now, *books[:2])])
    async with serve(spec(source)) as served:
        rows = await served.until_odds(3)
        assert [of(rows, name)["odds"].get("Arsenal") for name in ("Pinnacle", "Longshot")] == [
            2.0,
            140.0,
        ]
        assert "Arsenal" not in of(rows, "Wrong")["odds"]
        said = "prices left out as unreadable: 1"
        await served.until(lambda: served.status().reason == said)
        assert served.status().state is FeedCondition.RUNNING
        await served.until(lambda: served.status().reason == "")


async def test_out_of_credits_is_told_by_its_code_and_ends_when_used_falls(
    source, serve, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "CREDITS_AGAIN_S", 0.1)
    errors = shared_data / "live" / "the_odds_api" / "errors"
    spent = (errors / "out_of_usage_credits.http").read_text()
    free = (errors / "free_endpoint_with_no_credits.http").read_text()
    played = two_books(system_clock())
    source.say(EVENTS, listed(played))
    source.say(ODDS, recorded_answer(spent), [played])
    fresh = as_response([], headers={"x-requests-used": "0", "x-requests-remaining": "500"})
    source.say("/v4/sports", recorded_answer(free), recorded_answer(free), fresh)
    async with serve(spec(source)) as served:
        status = await served.state(FeedCondition.OUT_OF_CREDITS)
        assert (status.credits_left, status.credits_used) == (0, 500)
        assert "used up (500 used)" in status.reason
        assert status.until is not None
        await served.until_odds(2)
        assert served.status().state is FeedCondition.RUNNING
        assert (served.status().reason, served.status().credits_left) == ("", 500)
    between = source.paths()[: source.paths().index("/v4/sports")]
    assert between.count(ODDS) == 1


async def test_what_is_left_may_be_below_zero(source, serve) -> None:
    played = two_books(system_clock())
    say(source, played, **{"x-requests-remaining": "-2", "x-requests-used": "502"})
    async with serve(spec(source)) as served:
        assert (await served.state(FeedCondition.OUT_OF_CREDITS)).credits_left == -2
        await served.until_odds(2)
    assert source.paths().count(ODDS) == 1


async def test_a_refused_key_is_told_and_another_one_is_tried_at_once(
    source, serve, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY")
    monkeypatch.setattr(polling, "LOOK_FOR_KEY_S", 0.05)
    invalid = (shared_data / "live" / "the_odds_api" / "errors" / "invalid_key.http").read_text()
    played = two_books(system_clock())

    async def behave(request: Request) -> Response:
        if request.query_params["apiKey"] != "right-key":
            return recorded_answer(invalid)
        return as_response([played] if request.url.path == ODDS else listed(played))

    source.behave = behave
    file = tmp_path / "key"
    file.write_text("wrong-key")
    async with serve(spec(source, more=f"&key-file={file}")) as served:
        status = await served.state(FeedCondition.REFUSED)
        assert "refuses the key (INVALID_KEY)" in status.reason
        asked = len(source.asked)
        said = "feed 1 (the-odds-api) is refused: its key is missing or not accepted"
        assert [trouble.line for trouble in served.server.troubles.now()] == [said]
        file.write_text("right-key")
        await served.until_odds(2)
        assert served.server.troubles.now() == []
        assert served.status().state is FeedCondition.RUNNING
    assert asked == 1


async def test_a_missing_key_is_told_with_what_to_do(source, serve, monkeypatch) -> None:
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY")
    async with serve(spec(source)) as served:
        status = await served.state(FeedCondition.REFUSED)
        assert "set ODDSDESK_THE_ODDS_API_KEY" in status.reason
        assert "oddsdesk feeds key the-odds-api" in status.reason
    assert source.asked == []


async def test_too_fast_is_waited_for(source, serve, shared_data: Path) -> None:
    limit = shared_data / "live" / "the_odds_api" / "errors" / "exceeded_freq_limit.http"
    slow = recorded_answer(limit.read_text())
    slow.headers["retry-after"] = "1"
    played = two_books(system_clock())
    source.say(EVENTS, listed(played))
    source.say(ODDS, slow, [played])
    async with serve(spec(source)) as served:
        await served.until(lambda: served.status().until is not None)
        assert served.status().state is FeedCondition.WAITING
        await served.until_odds(2)


async def test_a_competition_that_is_asked_too_often_leaves_the_others_their_turn(
    source, serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_source, "_WAIT_S", 0.01)
    played = two_books(system_clock())
    busy = "soccer_fa_cup"
    source.say(f"/v4/sports/{busy}/events", as_response({"message": "busy"}, 429))
    source.say(EVENTS, listed(played))
    source.say(ODDS, [played])
    async with serve(spec(source, f"{busy},soccer_epl")) as served:
        await served.until_odds(2)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (as_response(b"<html>busy</html>"), "sent a web page"),
        (as_response(b'[{"id": "g1", "commence'), "not JSON"),
        (as_response([{"id": "g1"}]), "commence_time"),
        (as_response({"message": "?"}, 500), "status 500"),
        (RedirectResponse("http://127.0.0.1:1/elsewhere"), "redirects elsewhere"),
        (as_response({"error_code": "UNKNOWN_SPORT", "message": "Unknown sport"}, 404), "UNKNOWN_"),
    ],
)
async def test_trouble_is_one_line_that_withdraws_nothing_and_passes(
    source, serve, monkeypatch: pytest.MonkeyPatch, answer: Response, reason: str
) -> None:
    monkeypatch.setattr(feeds, "FAILING_MS", 0)
    played = two_books(system_clock())
    source.say(EVENTS, listed(played), answer, listed(played))
    source.say(ODDS, [played])
    async with serve(spec(source)) as served:
        status = await served.state(FeedCondition.FAILING)
        assert reason in status.reason
        assert "\n" not in status.reason
        assert status.until is not None
        said = "feed 1 (the-odds-api) brings no odds: reading them fails"
        assert [trouble.line for trouble in served.server.troubles.now()] == [said]
        assert len(await served.odds()) == 2
        await served.state(FeedCondition.RUNNING)
        assert served.server.troubles.now() == []


async def test_a_changed_shape_of_the_odds_names_the_field(source, serve) -> None:
    played = two_books(system_clock())
    del played["bookmakers"][0]["title"], played["bookmakers"][1]["title"]
    say(source, played)
    async with serve(spec(source)) as served:
        assert "title" in (await served.state(FeedCondition.FAILING)).reason


async def test_one_that_hangs_and_one_that_fails_harm_no_other(source, serve) -> None:
    hanging = FakeSource()
    await hanging.start()
    hang = asyncio.Event()

    async def behave(_request: Request) -> Response:
        await hang.wait()
        return Response()

    hanging.behave = behave
    say(source, two_books(system_clock()))
    nobody = "the-odds-api:soccer_epl?url=http://127.0.0.1:1&every=0.05"
    async with serve(spec(hanging), nobody, spec(source)) as served:
        await served.until_odds(2)
        assert (await served.state(FeedCondition.FAILING, 2)).reason
        for _ in range(3):
            await served.until_read(3)
        assert served.status(3).state is FeedCondition.RUNNING
    hang.set()
    await hanging.stop()


async def test_one_league_that_fails_does_not_stop_the_others(source, serve) -> None:
    say(source, two_books(system_clock()))
    async with serve(spec(source, what="soccer_nowhere,soccer_epl")) as served:
        await served.until_odds(2)
        status = await served.state(FeedCondition.FAILING)
        assert status.reason.startswith("games of soccer_nowhere: ")


async def test_markets_that_only_games_have_are_read_game_by_game(source, serve) -> None:
    now = system_clock()
    first = game(now, bookmaker(now, "Pinnacle", h2h(team="Home 1")), ident="g1", home="Home 1")
    second = game(now, bookmaker(now, "Pinnacle", h2h(team="Home 2")), ident="g2", home="Home 2")
    say(source, first, second)
    lines = {"key": "alternate_totals", "outcomes": totals(3.5)["outcomes"]}
    for each in (first, second):
        path = f"/v4/sports/soccer_epl/events/{each['id']}/odds"
        source.say(path, {**each, "bookmakers": [bookmaker(now, "Pinnacle", totals(), lines)]})
    async with serve(spec(source, more="&markets=h2h,totals,alternate_totals")) as served:
        rows = await served.until_odds(4)
    assert [len(row["odds"]) for row in rows if row["market_type"] == "total"] == [4, 4]
    markets = {each.url.path: each.query_params.get("markets") for each in source.asked}
    assert markets[ODDS] == "h2h"
    assert markets["/v4/sports/soccer_epl/events/g1/odds"] == "alternate_totals,totals"


async def test_links_are_kept_but_not_those_with_a_placeholder(source, serve) -> None:
    now = system_clock()
    link = "https://book.example/epl/1"
    linked = bookmaker(now, "Linked", h2h(), link=link)
    deeper = bookmaker(now, "Deeper", {**h2h(), "link": f"{link}?m=h2h"}, link=link)
    placed = bookmaker(now, "Placed", h2h(), link="https://sports.{state}.book.example/1")
    limited = h2h()
    limited["outcomes"][0]["bet_limit"] = 500
    limited["outcomes"][1]["bet_limit"] = 250
    played = game(now, linked, deeper, placed, bookmaker(now, "Pinnacle", limited))
    say(source, played)
    async with serve(spec(source)) as served:
        rows = await served.until_odds(4)
    links = {row["bookmaker"]: row["url"] for row in rows}
    assert links == {"Linked": link, "Deeper": f"{link}?m=h2h", "Placed": None, "Pinnacle": None}
    assert of(rows, "Pinnacle")["liquidity"] == 250, "the least: so much is taken on each"


async def test_ids_limits_and_bet_slips_of_selections_are_kept_in_the_database(
    source, serve, shared_data: Path, tmp_path: Path
) -> None:
    """F6.5."""
    folder = shared_data / "live" / "the_odds_api" / "errors"
    book = json.loads((folder / "outcome_with_link_sid_limit.json").read_bytes())
    teams = {"home_team": "Boston Red Sox", "away_team": "New York Yankees"}
    played = game(system_clock(), book, **{"sport_key": "baseball_mlb", **teams})
    source.say("/v4/sports/baseball_mlb/events", listed(played))
    source.say("/v4/sports/baseball_mlb/odds", [played])
    async with serve(spec(source, what="baseball_mlb")) as served:
        reader = served.server.store.reader()
        await served.until(lambda: reader.last_seq() == 2)
    with contextlib.closing(sqlite3.connect(tmp_path / "odds.db")) as database:
        ((url, liquidity, offers),) = database.execute("SELECT url, liquidity, offers FROM quote")
    assert (url, liquidity) == ("https://sportsbook.draftkings.com/event/mlb-event-1", 500.0)
    assert json.loads(offers) == {
        "Boston Red Sox": {
            "sid": "dk-red-sox",
            "bet_limit": 500.0,
            "link": "https://sportsbook.draftkings.com/betslip/dk-red-sox",
        },
        "New York Yankees": {"sid": "dk-yankees"},
    }


async def test_lay_odds_are_served_with_the_odds_to_back(source, serve) -> None:
    now = system_clock()
    lay = {**h2h(9.0), "key": "h2h_lay"}
    say(source, game(now, bookmaker(now, "Exchange", h2h(), lay)))
    async with serve(spec(source, more="&markets=h2h,h2h_lay")) as served:
        (row,) = await served.until_odds(1)
    assert row["odds"]["Arsenal"] == 2.0
    assert row["offers"]["Arsenal"] == {"lay": [[9.0, 0.0]]}


@pytest.mark.parametrize("name", ["odds_api_current_odds.json", "odds_api_player_props.json"])
async def test_a_recorded_answer_gives_the_quotes_that_the_file_holds(
    source, serve, shared_data: Path, name: str
) -> None:
    data = read_file(shared_data / "live" / "the_odds_api" / "ostepan8" / name)
    raw = json.loads(data)
    games = raw if isinstance(raw, list) else [raw]
    sport = games[0]["sport_key"]
    source.say(f"/v4/sports/{sport}/events", listed(*games))
    source.say(f"/v4/sports/{sport}/odds", data)
    expected = convert(SourceFile(name, data)).quotes
    assert expected
    async with serve(spec(source, what=sport, every=60)) as served:
        await served.until_read()
        reader = served.server.store.reader()
        await served.until(lambda: reader.last_seq() >= sum(len(q.odds) for q in expected))
        assert reader.last_seq() == sum(len(quote.odds) for quote in expected)


async def test_the_command_asks_the_running_server(
    source, serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(source, two_books(system_clock()), **{"x-requests-remaining": "9", "x-requests-used": "1"})
    database = str(tmp_path / "odds.db")
    async with serve(spec(source)) as served:
        await served.until_odds(2)
        asked = ["--database", database, "--json"]
        done = await asyncio.to_thread(CliRunner().invoke, feeds_command, asked)
        shown = await asyncio.to_thread(CliRunner().invoke, feeds_command, asked[:2])
        assert len(await served.odds("/api/sports")) == 1
    assert done.exit_code == 0, done.output
    (heard,) = json.loads(done.stdout)
    assert {"name", "state", "since", "until", "reason", "read_at"} <= set(heard)
    assert (heard["name"], heard["state"], heard["reason"]) == ("the-odds-api", "running", "")
    assert (heard["credits_left"], heard["credits_used"]) == (9, 1)
    assert heard["read_at"].endswith("Z")
    assert "9 left, 1 used" in shown.stdout
    gone = CliRunner().invoke(feeds_command, asked)
    assert gone.exit_code == 1
    assert "no oddsdesk server is running on it" in gone.stderr


async def test_nobody_else_is_told_of_the_feeds(source, serve) -> None:
    async with serve() as served:
        with pytest.raises(AssertionError, match="404"):
            await served.odds("/administration/feeds")


async def test_no_log_and_no_database_holds_the_key(
    source, serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "httpx", "httpcore", "oddsdesk"):
        caplog.set_level(logging.DEBUG, logger=name)
    played = two_books(system_clock())
    source.say(EVENTS, listed(played))
    refused = as_response({"error_code": "BAD", "message": f"no {KEY}"}, 422)
    source.say(ODDS, [played], refused, [played])
    async with serve(spec(source)) as served:
        status = await served.state(FeedCondition.FAILING)
        await served.state(FeedCondition.RUNNING)
    assert KEY not in status.reason
    ours = [each for each in caplog.records if not each.name.startswith("uvicorn")]
    assert any(each.name == "httpx" for each in ours)
    assert not [each for each in ours if KEY in each.getMessage()]
    assert not [file for file in tmp_path.iterdir() if KEY.encode() in file.read_bytes()]


async def test_a_feed_is_added_stopped_and_begun_again_while_serving(source, serve) -> None:
    say(source, two_books(system_clock()))
    async with serve() as served:
        feeds = served.server.running_feeds
        (number,) = await feeds.open_feeds([spec(source)], 1.0)
        await feeds.start_feed(number)
        await served.until_odds(2)
        await feeds.stop_feed(number)
        assert served.status().state is FeedCondition.STOPPED
        asked = len(source.asked)
        await asyncio.sleep(0.2)
        assert len(source.asked) == asked
        await feeds.start_feed(number)
        await served.until_read()


async def test_credits_are_shared_out_and_the_plan_is_told_before_the_first_is_spent(
    source, serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds.live")
    heard = {"x-requests-remaining": "20000", "x-requests-used": "0"}
    now = system_clock()
    source.say(EVENTS, listed(two_books(now)), headers=heard)
    source.say("/v4/sports/basketball_nba/events", [], headers=heard)
    spent: list[bool] = []

    async def behave(request: Request) -> Response:
        if request.url.path == ODDS:
            spent.append("20,000 credits a month" in caplog.text)
            return as_response([two_books(now)], headers=heard)
        return as_response(listed(two_books(now)) if request.url.path == EVENTS else [], 200, heard)

    source.behave = behave
    feed = spec(source, what="soccer_epl,basketball_nba", every=0.05)
    async with serve(feed) as served:
        await served.until_odds(2)
        plan = served.status().plan
        assert plan.startswith("one league, 20,000 credits a month: every ")
        assert plan.endswith("one without games not read")
        for _ in range(5):
            await served.until_read()
    assert spent == [True], "the next one is not due for minutes"


async def test_what_was_read_just_now_is_not_paid_for_again_by_a_restart(
    source, serve, tmp_path: Path
) -> None:
    heard = {"x-requests-remaining": "400", "x-requests-used": "100"}
    now = system_clock()
    source.say(EVENTS, listed(two_books(now)), headers=heard)
    source.say(ODDS, [two_books(now)], headers=heard)
    feed = spec(source)
    for _ in range(2):
        async with serve(feed) as served:
            await served.until_odds(2)
            before = source.paths().count(EVENTS)
            await served.until(lambda before=before: source.paths().count(EVENTS) > before + 2)
    assert source.paths().count(ODDS) == 1
