"""Names of the database in The Odds API's words, and back."""

import pytest

from oddsdesk.contract.competitions import played_sport
from oddsdesk.feeds.the_odds_api.importer import COMPETITIONS, SHARED_TITLES
from oddsdesk.feeds.the_odds_api.markets import MARKET_TYPES, MarketKind, market_kind
from oddsdesk.feeds.the_odds_api.published import SPORTS
from oddsdesk.server.the_odds_api import keys


@pytest.mark.parametrize("key", [key for key in SPORTS if not key.startswith("tennis_")])
def test_a_sport_key_comes_back_from_its_competition(key: str) -> None:
    (code,) = keys.competitions_of(key)
    assert keys.sport_key(code, played_sport(code)) == key
    assert keys.is_sport_key(key)
    assert keys.group_of(key) != "Other"
    assert keys.sport_title(key, code) == SPORTS[key]


def test_our_competitions_have_keys_of_theirs() -> None:
    assert COMPETITIONS.keys() <= SPORTS.keys()


@pytest.mark.parametrize(
    ("key", "is_known"),
    [
        ("soccer_epl", True),
        ("soccer_nope", False),
        ("tennis_atp_new_open", True),
        ("tennis_nope", False),
        ("tennis_all", True),
        ("golf_us_open_winner", True),
        ("soup_winner", False),
    ],
)
def test_only_published_keys_are_known(key: str, is_known: bool) -> None:
    assert keys.is_sport_key(key) is is_known


def test_titles_are_theirs_or_those_of_the_competition() -> None:
    titles = {
        ("soccer_efl_champ", "EFL"): "Championship",
        ("soccer_kings_cup", "Kings Cup"): "Kings Cup",
        ("tennis_all", "ATP"): "Tennis",
        ("tennis_atp_munich", "TENNIS"): "ATP Munich",
    }
    assert {each: keys.sport_title(*each) for each in titles} == titles


def test_other_competitions_get_a_key_of_their_sport() -> None:
    assert keys.sport_key("E2", "Football") == "soccer_e2"
    assert keys.sport_key("FA Cup 3. Runde", "Football") == "soccer_fa_cup_3_runde"
    assert keys.sport_key("Sumo", "Other") == "other_sumo"
    assert keys.sport_key("***", "Hockey") == "icehockey_all"
    assert not keys.is_sport_key("other_sumo")


def test_any_tournament_of_tennis_means_all_tennis_games() -> None:
    assert keys.competitions_of("tennis_atp_munich") == {"TENNIS", "ATP", "WTA"}
    assert keys.sport_key("WTA", "Tennis") == keys.sport_key("TENNIS", "Tennis") == "tennis_all"


@pytest.mark.parametrize("key", MARKET_TYPES)
@pytest.mark.parametrize(
    ("competition", "part"), [("EPL", ""), ("EPL", "_h1"), ("NBA", "_q3"), ("NHL", "_p2")]
)
def test_a_market_key_comes_back_from_its_market(key: str, competition: str, part: str) -> None:
    kind = market_kind(key + part, competition)
    assert kind is not None
    found = keys.market_keys(kind.market_type, kind.period, played_sport(competition))
    assert key + part in found


def test_lines_of_tennis_are_those_of_games() -> None:
    assert keys.market_keys("games_handicap", 0, "Tennis")[0] == "spreads"
    assert keys.market_keys("total_games", 0, "Tennis")[0] == "totals"
    assert keys.market_keys("moneyline", 2, "Tennis") == ("h2h_s2",)


def test_markets_that_they_do_not_have_have_no_key() -> None:
    assert keys.market_keys("3way_handicap", 0, "Football") == ()
    assert keys.market_keys("total", 9, "Football") == ()
    assert keys.market_keys("total", 1, "Baseball") == ()
    assert market_kind("player_points", "NBA") == MarketKind("player_prop", stat="points")


@pytest.mark.parametrize("key", ["h2h", "h2h_lay", "outrights", "alternate_totals_corners"])
def test_their_market_keys_are_known(key: str) -> None:
    assert keys.is_market_key(key)


@pytest.mark.parametrize("key", ["h2hh", "", "H2H", "moneyline", "h2h;drop", "player_" + "x" * 60])
def test_others_are_not(key: str) -> None:
    assert not keys.is_market_key(key)


@pytest.mark.parametrize(
    ("name", "key", "regions"),
    [
        ("Pinnacle", "pinnacle", "eu"),
        ("1xBet", "onexbet", "eu"),
        ("Caesars", "williamhill_us", "us"),
        ("William Hill", "williamhill", "eu uk"),
        ("888sport", "sport888", "eu uk"),
        ("BetOnline.ag", "betonlineag", "eu us"),
        ("Bally Bet", "ballybet", "us2"),
        ("Kalshi", "kalshi", "us_ex"),
        ("Unibet (SE)", "unibet_se", "eu se"),
        ("ATG (SE)", "atg_se", "se"),
        ("Betfair Sportsbook", "betfair_sb_uk", "uk"),
        ("Betfair Exchange AU", "betfair_ex_au", "au"),
        ("bwin", "bwin", "eu"),
        ("My Own Book", "myownbook", "us us2 us_dfs us_ex uk eu fr se au"),
        ("***", "bookmaker", "us us2 us_dfs us_ex uk eu fr se au"),
    ],
)
def test_bookmakers_have_their_key_and_regions(name: str, key: str, regions: str) -> None:
    assert keys.bookmaker_key(name) == key
    assert keys.regions_of(name) == set(regions.split())


def test_titles_that_several_share_have_the_key_of_their_name() -> None:
    assert {name: keys.bookmaker_key(name) for name in SHARED_TITLES.values()} == {
        name: key for key, name in SHARED_TITLES.items()
    }
