"""The closed tables: competitions, market types, plans, error codes, against the contract."""

import pytest

from oddsdesk.contract.access import ErrorCode, Plan
from oddsdesk.contract.competitions import (
    SPORT_BY_COMPETITION,
    SPORTS,
    named_sport,
    played_sport,
    sport_of,
)
from oddsdesk.contract.markets import (
    DRAW_RETURNS,
    DRAW_VOIDS,
    HANDICAPS,
    LINE_MARKETS,
    MARKET_RANK,
    MARKET_TYPES,
    SCORE_MARKETS,
    TOTALS,
    market_title,
)


@pytest.mark.parametrize(
    ("code", "sport"),
    [
        ("EPL", "Football"),
        ("LIGA2", "Football"),
        ("EURO", "Basketball"),
        ("WTA", "Tennis"),
        ("SMLIT", "Hockey"),
        ("MLB", "Baseball"),
        ("NFL", "AmericanFootball"),
        ("RUGBY", "Rugby"),
        ("epl", "Other"),
        ("Ligue 1 Uber Eats", "Other"),
        ("", "Other"),
    ],
)
def test_a_code_has_its_sport_or_the_catch_all(code: str, sport: str) -> None:
    assert sport_of(code) == sport


@pytest.mark.parametrize(
    ("code", "told", "sport"),
    [
        ("soccer_fifa_world_cup", None, "Football"),
        ("soccer_fifa_world_cup", "Football", "Football"),
        ("E2", None, "Football"),
        ("icehockey_sweden_allsvenskan", None, "Hockey"),
        ("basketball_wnba", None, "Basketball"),
        ("americanfootball_ncaaf", None, "AmericanFootball"),
        ("rugbyunion_six_nations", None, "Rugby"),
        ("cricket_ipl", None, "Other"),
        ("cricket_ipl", "Cricket", "Other"),
        ("Friendlies", "soccer", "Football"),
        ("Friendlies", "Ice Hockey", "Hockey"),
        ("Friendlies", None, "Other"),
        ("Friendlies", "Other", "Other"),
        ("soccer", None, "Other"),
        ("NFL", "Football", "AmericanFootball"),
    ],
)
def test_the_sport_inside_is_the_tables_then_the_sources_then_the_codes(
    code: str, told: str | None, sport: str
) -> None:
    assert played_sport(code, told) == sport


@pytest.mark.parametrize("sport", SPORTS[:-1])
def test_a_sport_is_known_by_the_name_it_has_here(sport: str) -> None:
    assert named_sport(sport) == named_sport(sport.upper()) == sport


def test_the_tables_have_the_contracts_sizes() -> None:
    assert len(SPORT_BY_COMPETITION) == 15 + 2 + 3 + 7 + 1 + 1 + 1
    assert len(SPORTS) == 8
    assert SPORTS[-1] == "Other"
    assert len(MARKET_TYPES) == len(MARKET_RANK) == 12


def test_what_pricing_and_settlement_take_from_the_table_of_markets() -> None:
    """A second list of every type, apart from the table that these follow from."""
    sets = (SCORE_MARKETS, TOTALS, HANDICAPS, DRAW_RETURNS, DRAW_VOIDS)
    assert {name: [name in each for each in sets] for name in MARKET_TYPES} == {
        "moneyline": [True, False, False, False, False],
        "spread": [True, False, True, True, False],
        "total": [True, True, False, False, False],
        "btts": [True, False, False, False, False],
        "double_chance": [True, False, False, False, False],
        "draw_no_bet": [True, False, False, True, True],
        "3way_handicap": [True, False, False, False, False],
        "total_games": [False, True, False, False, False],
        "games_handicap": [False, False, True, False, False],
        "team_total": [True, True, False, False, False],
        "player_prop": [False, True, False, False, False],
        "yes_no": [False, False, False, False, False],
    }


def test_line_markets_are_market_types_and_titles_are_told_apart() -> None:
    assert len(LINE_MARKETS) == 7
    assert set(MARKET_TYPES) >= LINE_MARKETS
    assert len({market_title(market_type) for market_type in MARKET_TYPES}) == 12
    assert market_title("corners") == "corners"


@pytest.mark.parametrize(
    ("plan", "requests", "window", "value_bets", "websocket", "live", "connections"),
    [
        ("Free", 200, 86_400, False, True, False, 30),
        ("Pro", 5_500, 3_600, True, False, False, None),
        ("Pro+ RT", 5_500, 3_600, True, True, False, None),
        ("Pro+ Live", 5_500, 3_600, True, True, True, None),
    ],
)
def test_plans_allow_what_the_contract_sells(
    plan: str,
    requests: int,
    window: int,
    value_bets: bool,
    websocket: bool,
    live: bool,
    connections: int | None,
) -> None:
    rights = Plan(plan).rights
    assert (rights.requests, rights.window_s) == (requests, window)
    assert (rights.value_bets, rights.websocket, rights.live) == (value_bets, websocket, live)
    assert rights.connections_per_day == connections
    assert rights.all_bookmakers is (plan != "Free")


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        (400, ["bad_request"]),
        (401, ["unauthorized"]),
        (
            403,
            [
                "live_not_on_plan",
                "websocket_not_on_plan",
                "value_bets_not_on_plan",
                "bookmaker_not_configured",
                "bookmaker_forbidden",
                "write_forbidden",  # of our own `POST /ingest`
            ],
        ),
        (404, ["not_found"]),
        (405, ["method_not_allowed"]),
        (409, ["key_limit_reached"]),
        (429, ["rate_limit_exceeded"]),
        (500, ["internal_error"]),
        (503, ["service_unavailable"]),
    ],
)
def test_codes_have_the_contracts_status(status: int, codes: list[str]) -> None:
    assert [code.value for code in ErrorCode if code.status == status] == codes
