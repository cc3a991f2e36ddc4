"""Betfair's markets by their catalogue: what each runner selects, and what can be backed."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.quotes import UNNAMED, check_quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.betfair.books import Books, RunnerChange
from oddsdesk.feeds.betfair.catalogue import Catalogue, Priced, quotes_of
from oddsdesk.feeds.errors import FeedError

NOW = 1_800_000_000_000
MATCH = {1: "Leeds", 2: "Luton", 3: "The Draw"}


def market(kind: str, runners: dict[int, str], **fields: Any) -> dict[str, Any]:
    return {
        "marketId": "1.1",
        "marketStartTime": "2026-04-11T11:30:00.000Z",
        "description": {"marketType": kind},
        "event": {"id": "7", "name": "Leeds v Luton"},
        "eventType": {"id": "1", "name": "Soccer"},
        "competition": {"id": "10932509", "name": "English Premier League"},
        "runners": [
            {"selectionId": ident, "runnerName": name, "sortPriority": place}
            for place, (ident, name) in enumerate(runners.items(), start=1)
        ],
    } | fields


def catalogue(*markets: Any) -> Catalogue:
    found = Catalogue()
    found.read_answer(json.dumps({"jsonrpc": "2.0", "result": markets}).encode())
    return found


def books(*runners: tuple[int, float, float], status: str = "OPEN", delayed: bool = False) -> Books:
    """A book with a back price and a higher lay price for each runner."""
    heard = {
        "marketId": "1.1",
        "status": status,
        "inplay": False,
        "isMarketDataDelayed": delayed,
        "runners": [
            {
                "selectionId": ident,
                "handicap": handicap,
                "status": "ACTIVE",
                "ex": {
                    "availableToBack": [{"price": price, "size": 2}] if price else [],
                    "availableToLay": [{"price": 900.0, "size": 2}],
                },
            }
            for ident, handicap, price in runners
        ],
    }
    held = Books()
    held.take_books(json.dumps([heard]).encode())
    return held


def priced(kind: str, runners: dict[int, str], held: Books, **fields: Any) -> Priced:
    (found,) = quotes_of(catalogue(market(kind, runners, **fields)).markets, held, NOW)
    check_quote(found.quote, NOW)
    return found


def test_a_match_is_priced_by_what_can_be_backed() -> None:
    quote = priced("MATCH_ODDS", MATCH, books((3, 0, 3.6), (2, 0, 3.0), (1, 0, 2.5))).quote
    assert list(quote.odds.items()) == [("Leeds", 2.5), ("Draw", 3.6), ("Luton", 3.0)]
    assert (quote.match_name, quote.competition) == ("Leeds vs Luton", "EPL")
    assert (quote.scraped_at, quote.match_date) == (NOW, parse_ms("2026-04-11T11:30:00Z"))


def test_a_lay_price_is_never_a_back_price() -> None:
    quote = priced("MATCH_ODDS", MATCH, books((1, 0, 0), (2, 0, 3.0), (3, 0, 3.6))).quote
    assert quote.odds == {"Draw": 3.6, "Luton": 3.0}


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED", "INACTIVE"])
def test_a_market_that_takes_no_bets_has_no_odds(status: str) -> None:
    held = books((1, 0, 2.5), (2, 0, 3.0), (3, 0, 3.6), status=status)
    found = priced("MATCH_ODDS", MATCH, held)
    assert (found.quote.odds, found.is_open) == ({}, False)


def test_without_a_price_of_its_draw_a_market_has_no_odds() -> None:
    assert priced("MATCH_ODDS", MATCH, books((1, 0, 2.5), (2, 0, 3.0))).quote.odds == {}


def test_prices_of_a_delayed_key_say_so() -> None:
    runners = ((1, 0.0, 2.5), (3, 0.0, 3.6))
    late = priced("MATCH_ODDS", MATCH, books(*runners, delayed=True))
    assert late.quote.bookmaker == "Betfair Exchange (delayed)"
    assert priced("MATCH_ODDS", MATCH, books(*runners)).quote.bookmaker == "Betfair Exchange"


@pytest.mark.parametrize(
    ("kind", "runners", "expected"),
    [
        ("OVER_UNDER_25", {1: "Under 2.5 Goals", 2: "Over 2.5 Goals"}, ["Over 2.5", "Under 2.5"]),
        ("OVER_UNDER_105", {1: "Under 10.5 Goals"}, ["Under 10.5"]),
        ("FIRST_HALF_GOALS_05", {1: "Under 0.5 Goals"}, ["Under 0.5"]),
        ("BOTH_TEAMS_TO_SCORE", {1: "Yes", 2: "No"}, ["Yes", "No"]),
        ("DRAW_NO_BET", {1: "Leeds", 2: "Luton"}, ["Leeds", "Luton"]),
        (
            "DOUBLE_CHANCE",
            {1: "Home or Draw", 2: "Draw or Away", 3: "Home or Away"},
            ["1X", "X2", "12"],
        ),
        ("HALF_TIME", MATCH, ["Leeds", "Draw", "Luton"]),
    ],
)
def test_every_market_has_its_selections(
    kind: str, runners: dict[int, str], expected: list[str]
) -> None:
    held = books(*((ident, 0.0, 2.0) for ident in runners))
    quote = priced(kind, runners, held).quote
    assert list(quote.odds) == expected
    assert quote.period == int(kind in ("HALF_TIME", "FIRST_HALF_GOALS_05"))


def test_each_runner_of_a_handicap_has_its_own_line() -> None:
    held = books((1, -0.5, 2.1), (1, 0.5, 1.4), (2, 0.5, 1.8), (2, -0.5, 2.9))
    quote = priced("ASIAN_HANDICAP", {1: "Leeds", 2: "Luton"}, held).quote
    assert quote.odds == {
        "Leeds -0.5": 2.1,
        "Luton +0.5": 1.8,
        "Leeds +0.5": 1.4,
        "Luton -0.5": 2.9,
    }


def test_american_events_name_the_home_team_last() -> None:
    event = {"event": {"name": "Boston Celtics @ New York Knicks"}, "competition": None}
    runners = {1: "Boston Celtics", 2: "New York Knicks"}
    quote = priced("MATCH_ODDS", runners, books((1, 0, 2.5), (2, 0, 1.6)), **event).quote
    assert (quote.match_name, quote.competition) == ("New York Knicks vs Boston Celtics", "Soccer")
    assert list(quote.odds.items()) == [("New York Knicks", 1.6), ("Boston Celtics", 2.5)]


def test_players_whose_names_the_event_shortens_are_known_by_their_order() -> None:
    event = {"event": {"name": "Djokovic v Nadal"}, "eventType": {"id": "2", "name": "Tennis"}}
    runners = {1: "Novak Djokovic", 2: "Rafael Nadal"}
    quote = priced("MATCH_ODDS", runners, books((1, 0, 2.5), (2, 0, 1.6)), **event).quote
    assert (quote.competition, quote.odds) == ("TENNIS", {"Djokovic": 2.5, "Nadal": 1.6})


def test_only_what_was_touched_is_said() -> None:
    markets = catalogue(market("MATCH_ODDS", MATCH)).markets
    held = books((1, 0, 2.5))
    assert quotes_of(markets, held, NOW, touched=[]) == []
    assert len(quotes_of(markets, held, NOW, touched=["1.1", "1.9"])) == 1
    assert quotes_of(markets, Books(), NOW) == []


def test_of_a_market_that_is_not_known_whole_nothing_is_said() -> None:
    markets = catalogue(market("MATCH_ODDS", MATCH)).markets
    held = Books()
    change = {"id": "1.1", "rc": [{"id": 1, "batb": [[0, 2.5, 10]]}]}
    held.take_line(json.dumps({"op": "mcm", "mc": [change]}).encode())
    assert quotes_of(markets, held, NOW) == []
    held = books((1, 0, 2.5), (3, 0, 3.6))
    held.take_line(b'{"op": "mcm", "mc": [{"id": "1.1", "rc": [{"id": 1, "batb": [[0]]}]}]}')
    assert quotes_of(markets, held, NOW) == []


def test_what_is_not_of_a_game_is_counted() -> None:
    outright = {"event": {"name": "Austrian Bundesliga"}}
    found = catalogue(
        market("WINNER", {1: "Rapid"}),
        market("MATCH_ODDS", MATCH, **outright),
        market("BOTH_TEAMS_TO_SCORE", {1: "Yes", 2: "Perhaps"}),
    )
    assert found.skipped == {"market type WINNER": 1, "not a game": 1, "unknown outcome": 1}
    assert found.markets["1.1"].selections == {1: "Yes"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"marketStartTime": "soon"}, "marketStartTime"),
        ({"runners": None}, "runners"),
        ({"description": {}}, "marketType"),
        ({"event": {}}, "name"),
    ],
)
def test_a_changed_shape_names_the_field_and_keeps_the_rest(
    fields: dict[str, Any], field: str
) -> None:
    broken = market("MATCH_ODDS", MATCH) | {"marketId": "1.9"} | fields
    found = catalogue(7, broken, market("MATCH_ODDS", MATCH))
    assert set(found.markets) == {"1.1"}
    assert "market 1" in found.problems[0]
    assert "market 1.9: " in found.problems[1]
    assert field in found.problems[1]


def test_an_error_is_told() -> None:
    with pytest.raises(FeedError, match="DSC-0018"):
        Catalogue().read_answer(
            b'{"jsonrpc":"2.0","error":{"code":-32602,"message":"DSC-0018"},"id":1}'
        )


def test_recorded_answers_are_read(shared_data: Path) -> None:
    folder = shared_data / "live" / "betfair"
    found = Catalogue()
    found.read_answer((folder / "blw" / "list_market_catalogue.json").read_bytes())
    assert (found.markets, found.skipped, found.problems) == ({}, {"market type WINNER": 1}, [])
    held = Books()
    taken = held.take_books((folder / "blw" / "list_market_book.json").read_bytes())
    assert (taken.problems, taken.touched) == ([], {"1.125875153"})
    book = held.book("1.125875153")
    assert book is not None
    assert (book.is_open, book.runners[8665860, 0.0].best_back) == (False, 21.0)
    held.take_books((folder / "blw" / "list_runner_book.json").read_bytes())
    assert held.is_delayed("1.156770587")


@pytest.mark.parametrize(
    ("kind", "sport"),
    [
        ({"id": "1", "name": "Soccer"}, "Football"),
        ({"id": "7522", "name": "Basketball"}, "Basketball"),
        ({"id": "5", "name": "Rugby Union"}, "Rugby"),
        ({"id": "4", "name": "Cricket"}, None),
    ],
)
def test_the_kind_of_event_tells_the_sport(kind: dict[str, str], sport: str | None) -> None:
    held = books((1, 0, 2.5), (2, 0, 3.0), (3, 0, 3.6))
    cup = {"id": "1", "name": "Some Cup"}
    quote = priced("MATCH_ODDS", MATCH, held, eventType=kind, competition=cup).quote
    assert (quote.competition, quote.sport) == ("Some Cup", sport)


def test_three_levels_of_each_side_are_kept_in_pounds() -> None:
    """D103, D104."""
    held = books((1, 0, 2.5), (2, 0, 3.0), (3, 0, 3.6))
    book = held.book("1.1")
    assert book is not None
    back = [[2.5, 8.0], [2.48, 3.0], [2.46, 1.5], [2.44, 9.0]]
    book.runners[1, 0.0].apply_change(RunnerChange(1, atb=back, atl=[[2.54, 4.0], [900.0, 0.0]]))
    offer = (priced("MATCH_ODDS", MATCH, held).quote.offers or {})["Leeds"]
    assert offer.back == ((2.5, 8.0), (2.48, 3.0), (2.46, 1.5))
    assert (offer.lay, offer.currency) == (((2.54, 4.0),), "GBP")


def test_a_runner_of_an_unknown_name_leaves_what_it_may_be() -> None:
    runners = {1: "Leeds", 2: "Lutton Twn", 3: "The Draw"}
    held = books((1, 0, 2.5), (2, 0, 3.0), (3, 0, 3.6))
    quote = check_quote(priced("MATCH_ODDS", runners, held).quote, NOW)
    assert (quote.odds, quote.stays("Luton")) == ({"Leeds": 2.5, "Draw": 3.6}, True)
    assert list(quote.unread or ()) == [UNNAMED]
    gone = check_quote(
        priced("MATCH_ODDS", runners, books((1, 0, 0), (2, 0, 3), (3, 0, 3))).quote, NOW
    )
    assert (gone.odds, gone.gone, gone.stays("Luton")) == ({"Draw": 3.0}, ("Leeds",), True)
    over = books((1, 0, 2.5), (2, 0, 3.0), status="SUSPENDED")
    assert not priced("MATCH_ODDS", runners, over).quote.stays("Luton")


def goal_lines() -> Catalogue:
    runners = {1: "Under {} Goals", 2: "Over {} Goals"}
    return catalogue(
        *(
            market(
                f"OVER_UNDER_{line.replace('.', '')}",
                {ident: name.format(line) for ident, name in runners.items()},
                marketId=f"1.{line[0]}",
            )
            for line in ("2.5", "3.5")
        )
    )


def goal_books(**prices: tuple[float, float]) -> Books:
    held = Books()
    for name, (under, over) in prices.items():
        answer = {
            "marketId": f"1.{name[1:]}",
            "status": "OPEN" if under else "SUSPENDED",
            "inplay": False,
            "runners": [
                {
                    "selectionId": ident,
                    "status": "ACTIVE",
                    "ex": {"availableToBack": [{"price": price, "size": 2}] if price else []},
                }
                for ident, price in ((1, under), (2, over))
            ],
        }
        held.take_books(json.dumps([answer]).encode())
    return held


BOTH = {"Over 2.5": 2.0, "Under 2.5": 1.9, "Over 3.5": 3.0, "Under 3.5": 1.4}


def test_goal_lines_of_a_game_are_one_market() -> None:
    held = goal_books(m2=(1.9, 2.0), m3=(1.4, 3.0))
    for touched in (None, {"1.3"}):
        (found,) = quotes_of(goal_lines().markets, held, NOW, touched)
        assert (found.quote.odds, found.quote.unread, found.is_open) == (BOTH, None, True)
        assert found.quote.offers is not None
        assert found.quote.offers.keys() == BOTH.keys()
    assert quotes_of(goal_lines().markets, held, NOW, {"1.9"}) == []


def test_a_suspended_goal_line_leaves_the_others() -> None:
    (found,) = quotes_of(goal_lines().markets, goal_books(m2=(0, 0), m3=(1.4, 3.0)), NOW)
    assert (found.quote.odds, found.is_open) == ({"Over 3.5": 3.0, "Under 3.5": 1.4}, True)


def test_a_goal_line_whose_book_is_not_known_keeps_its_price() -> None:
    (found,) = quotes_of(goal_lines().markets, goal_books(m3=(1.4, 0)), NOW)
    checked = check_quote(found.quote, NOW)
    assert checked.odds == {"Under 3.5": 1.4}
    assert (checked.stays("Over 2.5"), checked.stays("Over 3.5")) == (True, False)
