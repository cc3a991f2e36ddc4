"""The interface of The Odds API, served: what programs written for it get (D112)."""

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from oddsdesk.base.tasks import spawn
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.the_odds_api import convert
from oddsdesk.feeds.the_odds_api.markets import MARKET_TYPES, PARTS_OF_SPORT, PLAYER_KEYS
from oddsdesk.feeds.the_odds_api.published import SPORTS
from oddsdesk.server.fairness import MOST_WAITING, STRANGERS_IN_FLIGHT
from oddsdesk.server.the_odds_api import keys
from oddsdesk.server.the_odds_api.answers import Answers
from oddsdesk.store.databases import Database
from tests.kit.odds_api_answers import HOUR_MS
from tests.kit.running_service import LIMIT_S, NOW, RunningService

MINUTE_MS = 60_000
PROGRAMS = Path(__file__).parent / "programs"
NODE = shutil.which("node")
ALL = {"regions": "us,uk,eu,au"}


def market(key: str, *outcomes: tuple[Any, ...], **more: Any) -> dict[str, Any]:
    names = ("name", "price", "point", "description")
    found = [dict(zip(names, each, strict=False)) for each in outcomes]
    said = [{name: value for name, value in each.items() if value is not None} for each in found]
    return {"key": key, "last_update": second(NOW - MINUTE_MS), "outcomes": said, **more}


def second(ms: int) -> str:
    return format_ms(ms)[:-5] + "Z"


def game(home: str, away: str, hours: float, *bookmakers: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"{home}-{away}",
        "sport_key": "soccer_epl",
        "commence_time": second(NOW + round(hours * HOUR_MS)),
        "home_team": home,
        "away_team": away,
        "bookmakers": list(bookmakers),
    }


def bookmaker(key: str, title: str, *markets: dict[str, Any], **more: Any) -> dict[str, Any]:
    seen = second(NOW - MINUTE_MS)
    return {"key": key, "title": title, "last_update": seen, "markets": list(markets), **more}


H2H = market("h2h", ("Arsenal", 2.1), ("Chelsea", 3.6), ("Draw", 3.4))
SPREADS = market("spreads", ("Arsenal", 1.95, -0.5), ("Chelsea", 1.87, 0.5))
TOTALS = market("totals", ("Over", 1.9, 2.5), ("Under", 1.92, 2.5))
LAYS = market("h2h_lay", ("Arsenal", 2.14), ("Chelsea", 3.75), ("Draw", 3.55))
DERBY = game(
    "Arsenal",
    "Chelsea",
    2,
    bookmaker("pinnacle", "Pinnacle", H2H, SPREADS, TOTALS),
    bookmaker("betfair_ex_uk", "Betfair", H2H, LAYS),
    bookmaker("draftkings", "DraftKings", H2H, link="https://example.org/derby"),
)
LATER = game("Everton", "Fulham", 26, bookmaker(
    "pinnacle", "Pinnacle", market("h2h", ("Everton", 1.25), ("Fulham", 13.0), ("Draw", 6.5))
))  # fmt: skip


@pytest.fixture
def served(database: Database) -> Iterator[RunningService]:
    """A server with the interface on a database with both games."""
    running = RunningService(database, serve_as="the-odds-api")
    record(running, DERBY, LATER)
    yield running
    running.close()


def record(running: RunningService, *games: dict[str, Any]) -> None:
    imported = convert(SourceFile("answer", json.dumps(games).encode()))
    assert not imported.problems
    running.record(*imported.quotes)


def ask(running: RunningService, path: str, **asked: Any) -> httpx.Response:
    return running.http.get(f"/v4/{path}", params={"apiKey": "any", **asked})


def data(running: RunningService, path: str, **asked: Any) -> Any:
    answer = ask(running, path, **asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(running: RunningService, path: str, **asked: Any) -> tuple[int, str]:
    answer = ask(running, path, **asked)
    assert answer.json().keys() == {"message", "error_code", "details_url"}
    assert answer.headers["x-requests-last"] == "0"
    return answer.status_code, answer.json()["error_code"]


def prices(games: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[Any, str]]:
    """Return price and time by game, bookmaker, market, outcome and point."""
    return {
        (each["home_team"], book["key"], sold["key"], one["name"], one.get("point")): (
            one["price"],
            sold["last_update"],
        )
        for each in games
        for book in each["bookmakers"]
        for sold in book["markets"]
        for one in sold["outcomes"]
    }


def test_what_was_imported_is_answered_again(served: RunningService) -> None:
    markets = "h2h,spreads,totals"
    found = data(served, "sports/soccer_epl/odds", markets=markets, **ALL)
    assert prices(found) == prices([DERBY, LATER])
    head = {name: found[0][name] for name in ("sport_key", "commence_time", "away_team")}
    assert head == {name: DERBY[name] for name in head}
    titles = {each["key"]: each["title"] for each in found[0]["bookmakers"]}
    assert titles["betfair_ex_uk"] == "Betfair Exchange UK"
    assert len(found[0]["id"]) == 32


def test_a_past_snapshot_has_the_same_but_lays(served: RunningService) -> None:
    served.now += 5 * MINUTE_MS
    asked = {"markets": "h2h,spreads,totals", "date": second(NOW + 4 * MINUTE_MS), **ALL}
    found = data(served, "historical/sports/soccer_epl/odds", **asked)
    kept = {key: price for key, price in prices([DERBY, LATER]).items() if key[2] != "h2h_lay"}
    assert prices(found["data"]) == kept
    assert found["timestamp"] == second(NOW)
    assert found["previous_timestamp"] == second(NOW - 5 * MINUTE_MS)
    assert found["next_timestamp"] == second(NOW + 5 * MINUTE_MS)
    before = data(served, "historical/sports/soccer_epl/odds", date=second(NOW - HOUR_MS), **ALL)
    assert before["data"] == []


def test_odds_are_american_and_times_unix_if_asked(served: RunningService) -> None:
    asked = {"oddsFormat": "american", "dateFormat": "unix", "bookmakers": "pinnacle"}
    derby, later = data(served, "sports/soccer_epl/odds", **asked)
    assert derby["commence_time"] == NOW // 1000 + 7_200
    (found,) = derby["bookmakers"]
    assert found["last_update"] == found["markets"][0]["last_update"] == NOW // 1000 - 60
    assert [each["price"] for each in found["markets"][0]["outcomes"]] == [110, 260, 240]
    assert later["bookmakers"][0]["markets"][0]["outcomes"][0]["price"] == -400


def test_regions_and_bookmakers_pick(served: RunningService) -> None:
    def found(**asked: str) -> list[str]:
        games = data(served, "sports/soccer_epl/odds", **asked)
        return sorted({book["key"] for each in games for book in each["bookmakers"]})

    assert found(regions="us") == ["draftkings"]
    assert found(regions="uk") == ["betfair_ex_uk"]
    assert found(regions="eu,us2") == ["pinnacle"]
    assert found(bookmakers="draftkings,unknown", regions="uk") == ["draftkings"]
    assert found(bookmakers="unknown") == []
    assert refusal(served, "sports/soccer_epl/odds") == (422, "MISSING_REGION")


def test_filters_pick_games(served: RunningService) -> None:
    def homes(path: str = "sports/soccer_epl/events", **asked: str) -> list[str]:
        return [each["home_team"] for each in data(served, path, **asked)]

    assert homes() == ["Arsenal", "Everton"]
    first = data(served, "sports/soccer_epl/events")[0]["id"]
    assert homes(eventIds=f"{first},other") == ["Arsenal"]
    assert homes("sports/soccer_epl/odds", eventIds=first, **ALL) == ["Arsenal"]
    assert homes(commenceTimeFrom=second(NOW + 3 * HOUR_MS)) == ["Everton"]
    assert homes(commenceTimeTo=second(NOW + 2 * HOUR_MS)) == ["Arsenal"]
    shifted = {"match_name": "Leeds - Hull", "match_date": NOW + HOUR_MS + 499}
    served.quote(odds={"Leeds": 2.0, "Draw": 3.0, "Hull": 4.0}, **shifted)
    shown = data(served, "sports/soccer_epl/events")[0]["commence_time"]
    assert homes(commenceTimeFrom=shown, commenceTimeTo=shown) == ["Leeds"]


def test_one_game_has_its_odds_and_markets(served: RunningService) -> None:
    ident = data(served, "sports/soccer_epl/events")[0]["id"]
    path = f"sports/soccer_epl/events/{ident}"
    found = data(served, f"{path}/odds", markets="totals", **ALL)
    assert prices([found]) == {
        ("Arsenal", "pinnacle", "totals", "Over", 2.5): (1.9, second(NOW - MINUTE_MS)),
        ("Arsenal", "pinnacle", "totals", "Under", 2.5): (1.92, second(NOW - MINUTE_MS)),
    }
    assert data(served, f"{path}/odds", markets="btts", **ALL)["bookmakers"] == []
    listed = data(served, f"{path}/markets", bookmakers="pinnacle")["bookmakers"]
    (pinnacle,) = listed
    names = [each["key"] for each in pinnacle["markets"]]
    assert names == ["alternate_spreads", "alternate_totals", "h2h", "spreads", "totals"]
    for wrong in ("odds", "markets"):
        answer = refusal(served, f"sports/soccer_epl/events/{'0' * 32}/{wrong}", **ALL)
        assert answer == (404, "EVENT_NOT_FOUND")


def test_the_main_line_is_the_most_even_one_and_all_lines_are_alternates(
    served: RunningService,
) -> None:
    lines = {"Over 1.5": 1.3, "Under 1.5": 3.5, "Over 2.5": 1.9, "Under 2.5": 1.92, "Over 3": 2.0}
    served.quote(market_type="total", odds=lines, match_name="Leeds - Hull")

    def points(key: str) -> list[tuple[str, float]]:
        found = prices(data(served, "sports/soccer_epl/odds", markets=key, **ALL))
        return sorted((name, point) for home, *_, name, point in found if home == "Leeds")

    assert points("totals") == [("Over", 2.5), ("Under", 2.5)]
    all_of_them = [("Over", 1.5), ("Over", 2.5), ("Over", 3.0), ("Under", 1.5), ("Under", 2.5)]
    assert points("alternate_totals") == all_of_them


def test_players_teams_halves_and_both_chances_are_named_as_theirs(served: RunningService) -> None:
    of = {"match_name": "Leeds - Hull"}
    served.quote(market_type="player_prop", odds={"Bo Ek shots Over 1.5": 1.8}, **of)
    served.quote(market_type="team_total", odds={"Home Over 1.5": 2.0, "Home Under 1.5": 1.8}, **of)
    served.quote(market_type="double_chance", odds={"1X": 1.3, "X2": 1.6, "12": 1.2}, **of)
    served.quote(period=1, odds={"Leeds": 2.7, "Draw": 2.1, "Hull": 4.0}, **of)
    asked = "player_shots,team_totals,double_chance,h2h_h1"
    (found,) = data(served, "sports/soccer_epl/odds", markets=asked, **ALL)
    outcomes = {each["key"]: each["outcomes"] for each in found["bookmakers"][0]["markets"]}
    assert outcomes["player_shots"] == [
        {"name": "Over", "price": 1.8, "description": "Bo Ek", "point": 1.5}
    ]
    assert [each["description"] for each in outcomes["team_totals"]] == ["Leeds", "Leeds"]
    names = [each["name"] for each in outcomes["double_chance"]]
    assert names == ["Hull or Draw", "Leeds or Draw", "Leeds or Hull"]
    assert [each["name"] for each in outcomes["h2h_h1"]] == ["Hull", "Leeds", "Draw"]


def outcomes_of(running: RunningService, sport: str, key: str) -> list[dict[str, Any]]:
    """Return the outcomes of a market of all games and bookmakers."""
    games = data(running, f"sports/{sport}/odds", markets=key, **ALL)
    markets = [each for one in games for book in one["bookmakers"] for each in book["markets"]]
    assert {each["key"] for each in markets} <= {key, "h2h_lay"}
    return [outcome for each in markets if each["key"] == key for outcome in each["outcomes"]]


def test_a_combined_stat_is_not_in_the_markets_of_its_parts(served: RunningService) -> None:
    odds = {
        "D Player points rebounds assists Over 31.5": 1.9,
        "E Player rebounds assists Over 10.5": 1.8,
        "C Player Points Over 5.5": 1.7,
        "C Player assists Over 4.5": 1.6,
    }
    served.quote(market_type="player_prop", odds=odds, competition="NBA", match_name="Ab - Bc")

    def players(key: str) -> list[tuple[str, float]]:
        found = outcomes_of(served, "basketball_nba", key)
        return [(each["description"], each["price"]) for each in found]

    assert players("player_assists") == [("C Player", 1.6)]
    assert players("player_points") == [("C Player", 1.7)]
    assert players("player_rebounds_assists") == [("E Player", 1.8)]
    assert players("player_points_rebounds_assists") == [("D Player", 1.9)]


def test_a_ladder_of_a_player_is_whole_in_the_alternate_market(served: RunningService) -> None:
    sides = {10.5: (1.5, 2.5), 15.5: (1.9, 1.91), 20.5: (2.6, 1.45)}
    points = {
        f"Bo Ek points {name} {line}": price
        for line, both in sides.items()
        for name, price in zip(("Over", "Under"), both, strict=True)
    }
    shots = {f"Bo Ek shots Over {line}": line + 1 for line in (0.5, 1.5, 2.5)}
    over_only = {"Al Ip assists Over 2.5": 1.2, "Al Ip assists Over 4.5": 2.1}
    odds = points | shots | over_only
    of = {"market_type": "player_prop", "match_name": "Leeds - Hull"}
    served.quote(odds=odds, **of)
    served.quote(odds={"Bo Ek threes Over 1.5": 2.0}, period=1, **of)

    def lines(key: str) -> list[float]:
        return [each["point"] for each in outcomes_of(served, "soccer_epl", key)]

    assert lines("player_points") == [15.5, 15.5]
    assert lines("player_points_alternate") == [10.5, 10.5, 15.5, 15.5, 20.5, 20.5]
    assert lines("player_assists") == [4.5], "the most even one, as none has both sides"
    assert lines("player_assists_alternate") == [2.5, 4.5]
    assert lines("player_threes") == [], "a part of the game"
    assert lines("player_shots") == [0.5, 1.5, 2.5], "they have no alternate of it"
    listed = data(served, "sports/soccer_epl/events")
    (ident,) = [each["id"] for each in listed if each["home_team"] == "Leeds"]
    (book,) = data(served, f"sports/soccer_epl/events/{ident}/markets", **ALL)["bookmakers"]
    names = [each["key"] for each in book["markets"]]
    assert names == [
        *("player_assists", "player_assists_alternate"),
        *("player_points", "player_points_alternate", "player_shots"),
    ]


def unique_prices(*texts: str) -> Iterator[tuple[str, float]]:
    """Yield selections with a price that no other one has."""
    for text in texts:
        UNIQUE.append(text)
        yield text, round(1.5 + len(UNIQUE) / 100, 2)


UNIQUE: list[str] = []


def of_every_market(home: str, away: str, parts: int, sums: str) -> Iterator[dict[str, Any]]:
    """Yield quotes of all market types that The Odds API has, also of each part of the game."""
    lines = [f"{side} {line}" for line in (1.5, 2.25, 3) for side in ("Over", "Under")]
    spread = [
        f"{team} {sign}{line}" for line in (0.5, 1.5) for team, sign in ((home, "-"), (away, "+"))
    ]
    whole = {
        "moneyline": (home, "draw", away),
        "draw_no_bet": (home.lower(), away),
        "double_chance": ("1X", "X2", "12"),
        "btts": ("Yes", "no"),
        "team_total": [f"{side} {line}" for side in ("Home", "Away") for line in lines],
        sums: lines,
        "games_handicap" if sums == "total_games" else "spread": spread,
    }
    for market_type, texts in whole.items():
        of_parts = range(parts + 1) if market_type in ("moneyline", "team_total", "total") else (0,)
        for period in of_parts:
            odds = dict(unique_prices(*texts))
            yield {"market_type": market_type, "period": period, "odds": odds}
    of_players = [
        f"Bo Ek {stat} {rest}" for stat in PLAYER_KEYS for rest in ("Over 1.5", "Over 2.5", "Yes")
    ]
    yield {"market_type": "player_prop", "odds": dict(unique_prices(*of_players))}


@pytest.mark.parametrize(
    ("competition", "parts", "sums"),
    [("EPL", 2, "total"), ("NBA", 4, "total"), ("TENNIS", 2, "total_games")],
)
def test_each_price_is_in_one_market_or_also_in_its_alternate(
    served: RunningService, competition: str, parts: int, sums: str
) -> None:
    home, away = "Rovers", "United"
    stored: dict[float, str] = {}
    for quoted in of_every_market(home, away, parts, sums):
        served.quote(match_name=f"{home} - {away}", competition=competition, **quoted)
        stored |= {price: text for text, price in quoted["odds"].items()}
    sport = keys.sport_key(competition, played_sport(competition))
    listed = data(served, f"sports/{sport}/events")
    (ident,) = [each["id"] for each in listed if each["home_team"] == home]
    endings = ("", *(f"_{part}" for part in PARTS_OF_SPORT[played_sport(competition)]))
    of_games = [f"{key}{part}" for key in MARKET_TYPES for part in endings]
    of_players = [f"{key}{more}" for key in PLAYER_KEYS.values() for more in ("", "_alternate")]
    where: dict[float, set[str]] = {price: set() for price in stored}
    for asked in (of_games, of_players[:150], of_players[150:]):
        path = f"sports/{sport}/events/{ident}/odds"
        (book,) = data(served, path, markets=",".join(asked), **ALL)["bookmakers"]
        for sold in book["markets"]:
            family = sold["key"].removeprefix("alternate_").removesuffix("_alternate")
            for outcome in sold["outcomes"]:
                where[outcome["price"]].add(family)
                text = stored[outcome["price"]]
                said = outcome["name"] if outcome.get("point") is None else f"{outcome['point']:g}"
                assert said.lstrip("-").casefold() in text.casefold() or family == "double_chance"
    assert {price: len(families) for price, families in where.items()} == dict.fromkeys(stored, 1)


def test_links_ids_and_limits_come_if_asked(served: RunningService) -> None:
    outcome = {"name": "Arsenal", "price": 2.2, "sid": "a1", "bet_limit": 250.0}
    outcome["link"] = "https://example.org/slip"
    others = [{"name": "Chelsea", "price": 3.5}, {"name": "Draw", "price": 3.3}]
    linked = {**H2H, "outcomes": [outcome, *others], "last_update": second(NOW)}
    record(served, game("Arsenal", "Chelsea", 2, bookmaker("fanduel", "FanDuel", linked)))
    asked = {"bookmakers": "fanduel"}
    extras = {"includeLinks": "true", "includeSids": "true", "includeBetLimits": "true"}
    plain, full = (
        data(served, "sports/soccer_epl/odds", **asked, **more)[0]["bookmakers"][0]
        for more in ({}, extras)
    )
    assert plain["markets"][0]["outcomes"][0] == {"name": "Arsenal", "price": 2.2}
    assert full["markets"][0]["outcomes"][0] == outcome
    assert full["markets"][0]["outcomes"][1]["link"] is None
    derby = data(served, "sports/soccer_epl/odds", bookmakers="draftkings", includeLinks="true")
    assert derby[0]["bookmakers"][0]["link"] == "https://example.org/derby"


def test_sports_are_those_with_games_now(served: RunningService) -> None:
    served.quote(competition="Kings Cup", sport="Football", match_name="Al A - Al B")
    listed = data(served, "sports/")
    assert [each["key"] for each in listed] == ["soccer_epl", "soccer_kings_cup"]
    assert listed[0] == {
        "key": "soccer_epl",
        "group": "Soccer",
        "title": "EPL",
        "description": "EPL",
        "active": True,
        "has_outrights": False,
    }
    everything = {each["key"]: each for each in data(served, "sports", all="true")}
    assert everything["basketball_nba"]["active"] is False
    assert everything["soccer_kings_cup"]["active"] is True
    assert everything["soccer_efl_champ"]["title"] == "Championship"
    assert everything.keys() == {*SPORTS, "soccer_kings_cup"}
    (found,) = data(served, "sports/soccer_kings_cup/events")
    assert found["sport_key"] == "soccer_kings_cup"


def test_a_known_sport_without_games_is_empty_and_an_unknown_one_refused(
    served: RunningService,
) -> None:
    assert data(served, "sports/soccer_brazil_serie_b/odds", **ALL) == []
    past = {"date": second(NOW), **ALL}
    for key in ("quidditch", "soccer_nope", "tennis_nope"):
        for path in ("odds", "events", "scores"):
            assert refusal(served, f"sports/{key}/{path}", **ALL) == (404, "UNKNOWN_SPORT")
        for path in ("odds", "events"):
            in_history = f"historical/sports/{key}/{path}"
            assert refusal(served, in_history, **past) == (404, "UNKNOWN_SPORT")


def test_a_competition_between_its_games_is_no_unknown_sport(served: RunningService) -> None:
    served.quote(competition="Kings Cup", sport="Football", match_name="Al A - Al B")
    served.now += 5 * HOUR_MS
    assert data(served, "sports/soccer_kings_cup/events") == []
    assert refusal(served, "sports/soccer_kings_cap/events") == (404, "UNKNOWN_SPORT")


def test_upcoming_has_what_is_in_play_and_the_next_eight(served: RunningService) -> None:
    for number in range(10):
        name = f"Home {number} - Away {number}"
        odds = {f"Home {number}": 2.0, "Draw": 3.0, f"Away {number}": 4.0}
        kick_off = NOW + (number + 3) * HOUR_MS
        served.quote(match_name=name, odds=odds, match_date=kick_off, competition="LIGA")
    in_play = {"is_live": True, "match_date": NOW - HOUR_MS, "match_name": "Leeds - Hull"}
    served.quote(odds={"Leeds": 2.0, "Draw": 3.0, "Hull": 4.0}, **in_play)
    found = data(served, "sports/upcoming/odds", **ALL)
    assert [each["home_team"] for each in found][:3] == ["Leeds", "Arsenal", "Home 0"]
    assert len(found) == 9
    assert {each["sport_key"] for each in found} == {"soccer_epl", "soccer_spain_la_liga"}


def test_old_prices_and_games_that_are_over_are_left_out(served: RunningService) -> None:
    served.now += 50 * MINUTE_MS
    assert len(data(served, "sports/soccer_epl/events")) == 2, "an hour counts as current"
    served.now += 15 * MINUTE_MS
    assert data(served, "sports/soccer_epl/events") == []
    assert data(served, "sports/soccer_epl/odds", **ALL) == []
    in_history = "historical/sports/soccer_epl/odds"
    served.now = NOW + 3 * HOUR_MS
    asked = {"date": second(served.now), **ALL}
    homes = [each["home_team"] for each in data(served, in_history, **asked)["data"]]
    assert homes == ["Everton"], "no price from before the kick-off is one of a game in play"
    served.now = NOW + 6 * HOUR_MS
    events = data(served, "historical/sports/soccer_epl/events", date=second(served.now))
    assert [each["home_team"] for each in events["data"]] == ["Everton"]


def test_games_without_a_kick_off_or_two_teams_are_left_out(served: RunningService) -> None:
    served.quote(match_name="Leeds - Hull", match_date=None)
    served.quote(match_name="Winner of the cup")
    for path in ("sports/soccer_epl/events", "sports/soccer_epl/odds"):
        homes = [each["home_team"] for each in data(served, path, **ALL)]
        assert homes == ["Arsenal", "Everton"]


def test_scores_are_of_games_in_play_and_with_days_of_those_that_ended(
    served: RunningService,
) -> None:
    ended = GameResult("EPL", "Leeds vs Hull", NOW - 20 * HOUR_MS, 2, 1, reported_at=NOW)
    final = {"status": GameStatus.FINAL, "sport": "Football"}
    served.store.record_results([msgspec.structs.replace(ended, **final)]).result(LIMIT_S)
    path = "sports/soccer_epl/scores"
    now = data(served, path)
    assert [(each["home_team"], each["scores"]) for each in now] == [
        ("Arsenal", None),
        ("Everton", None),
    ]
    leeds = data(served, path, daysFrom=1)[0]
    assert leeds["completed"] is True
    assert leeds["scores"] == [{"name": "Leeds", "score": "2"}, {"name": "Hull", "score": "1"}]
    assert leeds["last_update"] == second(NOW)
    assert refusal(served, path, daysFrom=4) == (422, "INVALID_SCORES_DAYS_FROM")


def test_the_history_refuses_the_future_and_needs_a_date(served: RunningService) -> None:
    path = "historical/sports/soccer_epl/events"
    wrong = (422, "INVALID_HISTORICAL_TIMESTAMP")
    assert refusal(served, path) == (422, "MISSING_HISTORICAL_TIMESTAMP")
    assert refusal(served, path, date=second(NOW + HOUR_MS)) == wrong
    assert data(served, path, date="1950-01-01T00:00:00Z")["data"] == []
    newest = data(served, path, date=second(NOW))
    assert newest["next_timestamp"] is None


def test_errors_are_in_their_format(served: RunningService) -> None:
    assert refusal(served, "nothing") == (404, "NOT_FOUND")
    assert refusal(served, "historical/sports") == (404, "NOT_FOUND")
    assert refusal(served, "sports/soccer_epl/odds", markets="h2hh", **ALL)[1] == "INVALID_MARKET"
    posted = served.http.post("/v4/sports", params={"apiKey": "any"})
    assert (posted.status_code, posted.json()["error_code"]) == (405, "METHOD_NOT_ALLOWED")
    assert posted.headers["allow"] == "GET, HEAD"
    without = served.http.get("/v4/sports")
    assert (without.status_code, without.json()["error_code"]) == (401, "MISSING_KEY")
    strange = served.http.get("/v4/sports/%00%ff/odds", params={"apiKey": "any", **ALL})
    assert strange.status_code in (400, 404)


async def test_too_many_at_once_are_told_as_theirs(
    served: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering = threading.Event()

    def wait(_answers: Answers) -> list[Any]:
        answering.wait(LIMIT_S)
        return []

    monkeypatch.setattr(Answers, "sports", wait)
    many, most = STRANGERS_IN_FLIGHT + MOST_WAITING + 8, httpx.Limits(max_connections=200)
    url = f"{served.url}/v4/sports?apiKey=any"
    async with httpx.AsyncClient(limits=most, timeout=LIMIT_S) as client:
        asked = [spawn("ask", client.get(url)) for _ in range(many)]
        refused: list[httpx.Response] = []
        for done in asyncio.as_completed(asked):
            refused.append(await done)
            if len(refused) == 8:
                break
        answering.set()
        answers = await asyncio.gather(*asked)
    for answer in refused:
        assert answer.status_code == 429
        assert answer.json().keys() == {"message", "error_code", "details_url"}
        assert answer.json()["error_code"] == "EXCEEDED_FREQ_LIMIT"
        assert "X-Api-Key" not in answer.json()["message"]
        assert (answer.headers["retry-after"], answer.headers["x-requests-last"]) == ("1", "0")
    assert Counter(each.status_code for each in answers) == {200: many - 8, 429: 8}


def test_nothing_costs_credits(served: RunningService) -> None:
    quotas = [ask(served, "sports").headers for _ in range(3)]
    names = ("x-requests-remaining", "x-requests-used", "x-requests-last")
    assert [[each[name] for name in names] for each in quotas] == [["100000", "0", "0"]] * 3


def test_other_hosts_are_refused(served: RunningService) -> None:
    """A page of another site that resolves to this machine must not read prices (D25)."""
    answer = served.http.get("/v4/sports?apiKey=a", headers={"Host": "odds.example.org"})
    assert answer.status_code == 400


def test_without_the_option_there_is_no_such_path(file_service: RunningService) -> None:
    file_service.quote()
    answer = file_service.http.get("/v4/sports", params={"apiKey": "any"})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthorized"
    assert file_service.get("/v4/sports", file_service.key()).status_code == 404


def test_the_main_interface_is_served_as_before(served: RunningService) -> None:
    key = served.key()
    assert len(served.data("/api/odds", key)) == 6
    assert served.http.get("/api/odds", params={"apiKey": "any"}).status_code == 401


def run(program: str, *arguments: str, by: str = sys.executable) -> str:
    command = [by, str(PROGRAMS / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_program_for_live_odds_runs_with_another_host(served: RunningService) -> None:
    lines = run("live_odds.py", str(served.http.base_url)).splitlines()
    assert lines[0] == "soccer_epl Soccer EPL True False"
    assert "games: 2" in lines
    seen = second(NOW - MINUTE_MS)
    assert f"Pinnacle spreads {seen} ('Arsenal', 1.95, -0.5) ('Chelsea', 1.87, 0.5)" in lines
    assert lines[-1] == "left 100000 used 0"


def test_a_program_for_past_odds_runs_with_another_host(served: RunningService) -> None:
    lines = run("past_odds.py", str(served.http.base_url), second(NOW)).splitlines()
    assert lines[0] == f"{second(NOW)} games: 2 None"
    assert lines[1] == f"{second(NOW - 5 * MINUTE_MS)} games: 0 {second(NOW)}"
    assert "pinnacle ('Arsenal', 110) ('Chelsea', 260) ('Draw', 240)" in lines


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_a_program_for_node_reads_the_lines_of_players(served: RunningService) -> None:
    odds = {
        "Bo Ek points Over 10.5": 1.5,
        "Bo Ek points Under 10.5": 2.5,
        "Bo Ek points Over 20.5": 2.6,
        "Al Ip points assists Over 30.5": 1.91,
    }
    names = {"match_name": "Celtics - Knicks", "competition": "NBA", "bookmaker": "DraftKings"}
    served.quote(market_type="player_prop", odds=odds, **names)
    host = str(served.http.base_url)
    lines = run("player_props.mjs", host, "basketball_nba", by=NODE or "").splitlines()
    assert lines == [
        "basketball_nba Basketball NBA",
        "soccer_epl Soccer EPL",
        f"NBA {second(NOW + HOUR_MS)} Celtics v Knicks",
        "DraftKings player_points_alternate Bo Ek Over 10.5 -200",
        "DraftKings player_points_alternate Bo Ek Under 10.5 150",
        "DraftKings player_points_alternate Bo Ek Over 20.5 160",
        "DraftKings player_points_assists Al Ip Over 30.5 -110",
        "Remaining requests 100000",
        "Used requests 0",
    ]
    with pytest.raises(AssertionError, match="Error status 404 UNKNOWN_SPORT"):
        run("player_props.mjs", host, "basketball_mba", by=NODE or "")
