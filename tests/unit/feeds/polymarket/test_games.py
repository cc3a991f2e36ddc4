"""Polymarket's events become games whose tokens select something, all others are counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote, check_quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import HIGHEST_FEE, Game, Listing, quotes_of
from oddsdesk.pricing.profiles import Kind, Profile, shipped_profiles

KICK_OFF = "2026-04-11T11:30:00Z"


def market(title: str, token: str, **fields: Any) -> dict[str, Any]:
    """A Yes/No market as gamma writes it: lists are JSON in texts."""
    return {
        "question": f"Will {title} win on 2026-04-11?",
        "groupItemTitle": title,
        "outcomes": '["Yes", "No"]',
        "clobTokenIds": json.dumps([f"{token}-yes", f"{token}-no"]),
        "sportsMarketType": "moneyline",
        "active": True,
        "closed": False,
    } | fields


HOME = market("Leeds", "home")
DRAW = market("Draw (Leeds vs. Luton)", "draw")
AWAY = market("Luton", "away")
SPREAD = market(
    "Luton (-1.5)",
    "spread",
    question="Spread: Luton (-1.5)",
    outcomes='["Luton", "Leeds"]',
    sportsMarketType="spreads",
    line=-1.5,
)
TOTAL = market(
    "O/U 2.5", "total", outcomes='["Over", "Under"]', sportsMarketType="totals", line=2.5
)
BTTS = market("Both Teams to Score", "btts", sportsMarketType="both_teams_to_score")


def event(*markets: Any, **fields: Any) -> dict[str, Any]:
    return {
        "slug": "epl-lee-lut-2026-04-11",
        "title": "Leeds vs. Luton",
        "startTime": KICK_OFF,
        "endDate": "2026-04-18T00:00:00Z",
        "markets": list(markets),
    } | fields


def listing(*events: Any) -> Listing:
    found = Listing()
    assert found.read_page(json.dumps(events).encode()) == len(events)
    return found


def the_game(*events: Any) -> Game:
    found = listing(*events)
    assert found.problems == []
    (game,) = found.games.values()
    return game


def test_a_football_game_is_three_yes_no_markets() -> None:
    game = the_game(event(HOME, DRAW, AWAY))
    assert (game.match_name, game.competition) == ("Leeds vs Luton", "EPL")
    assert game.markets == {
        "moneyline": {"Leeds": "home-yes", "Draw": "draw-yes", "Luton": "away-yes"}
    }
    assert game.url == "https://polymarket.com/event/epl-lee-lut-2026-04-11"


def test_the_away_teams_market_may_come_first() -> None:
    game = the_game(event(AWAY, DRAW, HOME))
    assert game.match_name == "Leeds vs Luton"
    assert game.markets["moneyline"]["Leeds"] == "home-yes"


def test_the_end_date_is_no_kick_off() -> None:
    assert the_game(event(HOME, DRAW, AWAY)).kick_off == parse_ms(KICK_OFF)
    assert the_game(event(HOME, DRAW, AWAY, startTime=None)).kick_off is None


def test_the_kick_off_may_stand_at_the_market() -> None:
    late = HOME | {"gameStartTime": "2026-04-11 12:30:00+00"}
    game = the_game(event(late, DRAW, AWAY, startTime=None))
    assert game.kick_off == parse_ms("2026-04-11T12:30:00Z")


def test_without_its_draw_a_game_of_yes_and_no_is_not_shown_as_two_way() -> None:
    found = listing(event(HOME, AWAY), event(HOME, DRAW | {"closed": True}, AWAY))
    assert found.tokens == []
    assert found.skipped["draw without a possible price"] == 4


def test_lines_totals_and_both_teams_to_score_belong_to_the_same_game() -> None:
    more = event(
        SPREAD,
        TOTAL,
        BTTS,
        slug="epl-lee-lut-2026-04-11-more-markets",
        title="Leeds vs. Luton - More Markets",
    )
    game = the_game(event(HOME, DRAW, AWAY), more)
    assert game.markets["spread"] == {"Luton -1.5": "spread-yes", "Leeds +1.5": "spread-no"}
    assert game.markets["total"] == {"Over 2.5": "total-yes", "Under 2.5": "total-no"}
    assert game.markets["btts"] == {"Yes": "btts-yes", "No": "btts-no"}


def test_american_leagues_name_the_away_team_first() -> None:
    winner = market("Lakers vs. Celtics", "nba", outcomes='["Lakers", "Celtics"]')
    game = the_game(event(winner, slug="nba-lal-bos-2026-04-11", title="Lakers vs. Celtics"))
    assert (game.match_name, game.competition) == ("Celtics vs Lakers", "NBA")
    assert game.markets["moneyline"] == {"Lakers": "nba-yes", "Celtics": "nba-no"}


def test_what_the_event_says_of_home_and_away_counts() -> None:
    teams = [{"name": "Luton", "ordering": "home"}, {"name": "Leeds", "ordering": "away"}]
    assert the_game(event(HOME, DRAW, AWAY, teams=teams)).match_name == "Luton vs Leeds"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"title": "Counter-Strike: FaZe vs illwill (BO3) - HLC Belgrade"}, "FaZe vs illwill"),
        ({"title": "", "teams": [{"name": "FaZe"}, {"name": "illwill"}]}, "FaZe vs illwill"),
    ],
)
def test_teams_are_found_without_a_moneyline(fields: dict[str, Any], name: str) -> None:
    assert the_game(event(TOTAL, slug="cs2-faze-ill-2026-04-05", **fields)).match_name == name


@pytest.mark.parametrize(
    "closed",
    [{"closed": True}, {"active": False}, {"acceptingOrders": False}, {"enableOrderBook": False}],
)
def test_markets_where_nobody_can_buy_are_counted(closed: dict[str, bool]) -> None:
    found = listing(event(TOTAL | closed))
    assert (found.tokens, found.skipped) == ([], {"closed": 2})


@pytest.mark.parametrize("over", [{"closed": True}, {"ended": True}])
def test_games_that_are_over_are_counted(over: dict[str, bool]) -> None:
    found = listing(event(HOME, DRAW, AWAY, **over))
    assert (found.tokens, found.skipped) == ([], {"closed": 6})


def test_what_is_not_of_a_game_is_counted() -> None:
    nominee = market("Stephen A. Smith", "x", sportsMarketType=None)
    corners = market("Corners", "y", sportsMarketType="total_corners")
    found = listing(event(nominee, nominee), event(corners))
    assert (found.tokens, found.skipped) == ([], {"not a game": 4, "total_corners": 2})


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (HOME | {"outcomes": "Yes, No"}, "outcomes"),
        (HOME | {"clobTokenIds": "[1, 2]"}, "clobTokenIds"),
        (HOME | {"clobTokenIds": '["1"]'}, "clobTokenIds"),
        ({name: value for name, value in HOME.items() if name != "outcomes"}, "outcomes"),
        (HOME | {"line": []}, "line"),
    ],
)
def test_a_changed_market_names_the_field_and_keeps_the_rest(
    broken: dict[str, Any], field: str
) -> None:
    found = listing(event(broken, TOTAL), event(HOME, DRAW, AWAY))
    (problem,) = found.problems
    assert problem.startswith("epl-lee-lut-2026-04-11: ")
    assert field in problem
    assert len(found.tokens) == 5


def test_a_changed_event_names_the_field_and_keeps_the_rest() -> None:
    found = listing({"slug": "a"}, 7, event(HOME, DRAW, AWAY), event(TOTAL, startTime="soon"))
    assert len(found.tokens) == 5
    missing, number, time = found.problems
    assert "event 1" in missing
    assert "markets" in missing
    assert "event 2" in number
    assert "startTime" in time


@pytest.mark.parametrize("data", [b"<html>", b'{"error": "slow down"}', b"\xff", b"3"])
def test_other_answers_are_refused(data: bytes) -> None:
    with pytest.raises(FeedError, match="expected Polymarket's events"):
        Listing().read_page(data)


def recorded(shared_data: Path, name: str) -> Any:
    return json.loads((shared_data / "live" / "polymarket" / name).read_bytes())


def test_the_shape_of_a_world_cup_game_is_one_game(shared_data: Path) -> None:
    game = the_game(recorded(shared_data, "three_way_shape/world_cup_three_way.shape.json"))
    assert (game.match_name, game.kick_off) == ("Mexico vs South Africa", None)
    assert game.markets == {
        "moneyline": {"Mexico": "mex-yes", "Draw": "draw-yes", "South Africa": "rsa-yes"}
    }


def test_recorded_markets_of_a_match_make_a_game(shared_data: Path) -> None:
    markets = [
        recorded(shared_data, f"nautilus/gamma_market_sports_market_{kind}.json")
        for kind in ("money_line", "map_handicap")
    ]
    (match,) = markets[0]["events"]
    open_again = {"closed": False, "acceptingOrders": True}
    game = the_game(
        match
        | {"closed": False, "ended": False, "markets": [each | open_again for each in markets]}
    )
    assert (game.match_name, game.competition) == ("FaZe vs illwill", "cs2")
    assert game.kick_off == parse_ms("2026-04-05T15:10:00Z")
    assert {kind: list(texts) for kind, texts in game.markets.items()} == {
        "moneyline": ["FaZe", "illwill"],
        "spread": ["FaZe -1.5", "illwill +1.5"],
    }
    closed = listing(match | {"markets": markets})
    assert (closed.tokens, closed.skipped) == ([], {"closed": 4})


def test_recorded_events_that_are_no_games_have_no_tokens(shared_data: Path) -> None:
    events = [
        *recorded(shared_data, "nautilus/gamma_event.json"),
        *recorded(shared_data, "nautilus/search_response.json")["events"],
        {
            "slug": "russia-x-ukraine-ceasefire-by-end-of-2027",
            "markets": [
                recorded(shared_data, "nautilus/gamma_market_closed_binary_accepting_true.json")
            ],
        },
    ]
    found = listing(*events)
    assert (found.tokens, found.problems) == ([], [])
    assert found.skipped == {"not a game": sum(2 * len(each["markets"]) for each in events)}


@pytest.mark.parametrize(("league", "sport"), [("mex", "Football"), ("cbb", "Basketball")])
def test_a_league_without_a_code_tells_the_sport(league: str, sport: str) -> None:
    (game,) = listing(event(HOME, DRAW, AWAY, slug=f"{league}-lee-lut-2026-04-11")).games.values()
    assert (game.competition, game.sport) == (league, sport)


def test_an_outcome_of_an_unknown_name_leaves_what_it_may_be() -> None:
    game = the_game(event(HOME, DRAW, market("Lutton", "away")))
    assert game.unnamed == {"moneyline"}
    (quote,) = quotes_of([game], Books(), 1_700_000_000_000)
    checked = check_quote(quote, quote.scraped_at)
    assert (checked.odds, checked.gone) == ({}, ("Draw", "Leeds"))
    assert checked.stays("Luton")
    (without,) = quotes_of([the_game(event(HOME, AWAY, market("Drow", "draw")))], Books(), 1)
    assert without.stays("Draw")


NOW = 1_800_000_000_000
SIDES = {"Luton": "away", "Draw": "draw", "Leeds": "home"}


def books(**asks: str) -> Books:
    held = Books()
    heard = [
        {"asset_id": token, "asks": [{"price": ask, "size": "1"}]} for token, ask in asks.items()
    ]
    held.take_books(json.dumps(heard).encode())
    return held


def game(*, kick_off: int | None = NOW + 1, is_live: bool | None = None) -> Game:
    return Game("Leeds vs Luton", "EPL", kick_off, is_live, "https://polymarket.com/event/x")


def moneyline(held: Books, **fields: int | bool | None) -> Quote:
    of = game(**fields)  # type: ignore[arg-type]
    of.markets["moneyline"] = dict(SIDES)
    (quote,) = quotes_of([of], held, NOW)
    return check_quote(quote, NOW)


def test_odds_are_one_over_the_ask_home_first() -> None:
    quote = moneyline(books(home="0.5", draw="0.25", away="0.3"))
    assert list(quote.odds.items()) == [
        ("Leeds", 2.0),
        ("Draw", 4.0),
        ("Luton", pytest.approx(1 / 0.3)),
    ]
    assert (quote.bookmaker, quote.scraped_at, quote.match_date) == ("Polymarket", NOW, NOW + 1)


def test_the_fee_is_the_profiles() -> None:
    market = Profile(name="P", group="P", kind=Kind.PREDICTION_MARKET, taker_fee=0.05)
    price = moneyline(books(home="0.5", draw="0.25", away="0.3")).odds["Leeds"]
    assert market.net(price) == pytest.approx(1.9512, abs=5e-5)


@pytest.mark.parametrize(
    ("told", "bookmaker", "net"),
    [
        ([{}] * 3, "Polymarket", 1.9324),
        ([{"feeSchedule": {"rate": 0.03}}] * 3, "Polymarket (3 % fee)", 1.9704),
        ([{"feesEnabled": True, "feeSchedule": {"rate": 0.05, "exponent": 1}}] * 3, None, 1.9512),
        ([{"feesEnabled": False, "feeSchedule": None}] * 3, "Polymarket (0 % fee)", 2.0),
        ([{"feesEnabled": False}, {"feeSchedule": {"rate": 0.05}}, {}], "Polymarket", 1.9324),
        (
            [{"feesEnabled": True, "feeSchedule": {"rate": 0.05, "exponent": 2}}] * 3,
            "Polymarket",
            None,
        ),
        ([{"feesEnabled": "no", "feeSchedule": [1]}] * 3, "Polymarket", None),
        ([{"feeSchedule": {"rate": "0.05"}}] * 3, "Polymarket", None),
    ],
)
def test_a_market_that_tells_a_fee_of_its_own_bears_it_in_the_name(
    told: list[dict[str, object]], bookmaker: str | None, net: float | None
) -> None:
    """D46; several questions of one market: the most that any of them says."""
    markets = [
        {
            "groupItemTitle": title,
            "outcomes": '["Yes", "No"]',
            "clobTokenIds": json.dumps([token, f"no {token}"]),
            "sportsMarketType": "moneyline",
            **fee,
        }
        for (title, token), fee in zip(
            {"Leeds": "home", "Draw (Leeds vs. Luton)": "draw", "Luton": "away"}.items(),
            told,
            strict=True,
        )
    ]
    listing = Listing()
    event = {"slug": "epl-lee-lut", "title": "Leeds vs. Luton", "markets": markets}
    listing.read_page(json.dumps([event]).encode())
    (quote,) = quotes_of(listing.games.values(), books(home="0.5", draw="0.25", away="0.3"), NOW)
    assert quote.bookmaker == (bookmaker or "Polymarket (5 % fee)")
    if net is not None:
        profile = shipped_profiles().profile_of(quote.bookmaker)
        assert profile.group == "Polymarket"
        assert profile.net(quote.odds["Leeds"]) == pytest.approx(net, abs=5e-5)


def test_an_unknown_fee_is_the_shipped_one_the_highest_published() -> None:
    assert shipped_profiles().profile_of("Polymarket").taker_fee == HIGHEST_FEE


def test_a_side_that_nobody_sells_has_no_price() -> None:
    assert list(moneyline(books(home="0.5", draw="0.25")).odds) == ["Leeds", "Draw"]


def test_without_a_price_of_its_draw_a_market_has_none() -> None:
    assert moneyline(books(home="0.5", away="0.3")).odds == {}


def test_a_share_that_costs_nearly_all_is_no_price() -> None:
    assert "Leeds" not in moneyline(books(home="0.9999999", draw="0.2", away="0.1")).odds


def test_only_what_was_touched_is_said() -> None:
    of = game()
    of.markets |= {"moneyline": dict(SIDES), "btts": {"Yes": "y", "No": "n"}}
    found = quotes_of([of], books(y="0.5", n="0.6"), NOW, touched={"n"})
    assert [quote.market_type for quote in found] == ["btts"]


def test_a_game_is_in_play_when_it_says_so_or_has_begun() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    assert moneyline(held, is_live=True).is_live
    assert moneyline(held, kick_off=NOW).is_live
    assert moneyline(held, kick_off=NOW, is_live=False).is_live, "its list is minutes old"
    assert not moneyline(held, kick_off=None).is_live


def test_what_was_touched_is_said_once_all_its_books_are_there() -> None:
    of = game()
    of.markets["moneyline"] = dict(SIDES)
    assert quotes_of([of], books(home="0.5", draw="0.25"), NOW, touched={"home"}) == []
    held = books(home="0.5", draw="0.25", away="0.3")
    assert len(quotes_of([of], held, NOW, touched={"home"})) == 1


def ask(price: str, size: str) -> dict[str, str]:
    return {"price": price, "size": size}


def test_asks_are_what_can_be_backed_and_bids_what_can_be_laid_in_dollars() -> None:
    """D104: 3 shares at 0.43 are 1.29 dollars, the worst level comes first from the source."""
    held = books(draw="0.25", away="0.4")
    asks = [ask("0.53", "500"), ask("0.43", "3"), ask("1", "9"), ask("0", "9")]
    bids = [ask("0.2", "10"), ask("0.4", "20")]
    held.take_books(json.dumps([{"asset_id": "home", "asks": asks, "bids": bids}]).encode())
    offer = (moneyline(held).offers or {})["Leeds"]
    assert offer.back == ((round(1 / 0.43, 6), 1.29), (round(1 / 0.53, 6), 265.0))
    assert offer.lay == ((2.5, 8.0), (5.0, 2.0))
    assert offer.currency == "USD"


def test_a_best_price_whose_size_nobody_told_has_nothing_for_sale() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    best = {"event_type": "best_bid_ask", "asset_id": "home", "best_ask": "0.45"}
    held.take_message(json.dumps(best).encode())
    offer = (moneyline(held).offers or {})["Leeds"]
    assert offer.back == ((round(1 / 0.45, 6), 0.0), (2.0, 0.5))


def test_the_stream_changes_one_level() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    change = {"asset_id": "home", "price": "0.5", "size": "7", "side": "SELL", "best_ask": "0.5"}
    held.take_message(
        json.dumps({"event_type": "price_change", "price_changes": [change]}).encode()
    )
    assert (moneyline(held).offers or {})["Leeds"].back == ((2.0, 3.5),)
