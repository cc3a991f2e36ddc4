"""Net odds, groups and the file of profiles."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.places import resource_path
from oddsdesk.pricing.profiles import (
    Kind,
    Profile,
    Profiles,
    delayed_name,
    fee_name,
    is_delayed,
    read_profiles,
)
from oddsdesk.pricing.stakes import Depth, Rung

ODDS = st.floats(1.001, 1000)
PROFILE = st.builds(
    Profile,
    name=st.just("x"),
    group=st.just("x"),
    commission=st.floats(0, 0.2),
    tax=st.floats(0, 0.1),
    taker_fee=st.sampled_from([0.0, 0.05, 0.07]),
)


@pytest.mark.parametrize(
    ("profile", "odds", "net"),
    [
        (Profile(name="Betfair", group="b", commission=0.05), 3.0, 2.9),
        (Profile(name="Taxed", group="t", tax=0.05), 2.0, 1.9),
        (Profile(name="Both", group="b", commission=0.02, tax=0.05), 2.0, 1.881),
        (Profile(name="Polymarket", group="p", taker_fee=0.05), 2.0, 1.9512),
        (Profile(name="Plain", group="p"), 2.37, 2.37),
    ],
)
def test_net_odds_are_what_a_unit_pays_back(profile: Profile, odds: float, net: float) -> None:
    assert profile.net(odds) == pytest.approx(net, abs=5e-5)


@given(PROFILE, ODDS)
def test_gross_odds_are_those_whose_net_odds_they_were(profile: Profile, odds: float) -> None:
    net = profile.net(odds)
    assert net <= odds * (1 + 1e-12)
    if net > (1 - profile.tax) * 1.0001:
        assert profile.gross(net) == pytest.approx(odds, rel=1e-6)


def test_a_bookmaker_is_known_by_any_of_its_names() -> None:
    profiles = Profiles([Profile(name="BetVictor", group="BetVictor", aliases=("Bet Victor UK",))])
    names = ["betvictor", "Bet Victor", "BET-VICTOR", "bet victor uk"]
    assert {profiles.profile_of(name).name for name in names} == {"BetVictor"}


def test_an_unknown_bookmaker_is_a_group_of_its_own_without_commission() -> None:
    unknown = Profiles().profile_of("Nobody's Book")
    assert (unknown.group, unknown.net(2.5)) == ("Nobody's Book", 2.5)


def test_a_bookmaker_whose_prices_are_late_keeps_its_profile() -> None:
    exchange = Profile(name="Exchange", group="Exchange", commission=0.05, aliases=("Ex",))
    late = delayed_name("Ex")
    assert (is_delayed(late), is_delayed("Ex")) == (True, False)
    assert Profiles([exchange]).profile_of(late) == exchange
    assert Profiles().profile_of(delayed_name("Nobody")).group == "Nobody"


@pytest.mark.parametrize(("fee", "name"), [(0.0, "0"), (0.05, "5"), (0.0125, "1.25")])
def test_a_market_with_a_fee_of_its_own_bears_it_in_the_name(fee: float, name: str) -> None:
    known = Profiles([Profile(name="Poly", group="Pool", taker_fee=0.03, short="PM", code="P")])
    told = fee_name("Poly", fee)
    assert told == f"Poly ({name} % fee)"
    found = known.profile_of(told)
    assert (found.taker_fee, found.group, found.name) == (pytest.approx(fee), "Pool", "Poly")
    assert (found.short, found.code) == (f"PM {name} %", "")
    assert known.among(["Poly"])(told)
    assert known.canonical(told) is None


def test_a_wrong_line_is_named_and_the_rest_is_read() -> None:
    text = (
        "name,group,kind,commission,tax,taker_fee\n"
        "# a comment\n"
        "Smarkets,Smarkets,exchange,2,,\n"
        "Greedy,,exchange,100,,\n"
        "Odd,,casino,,,\n"
        ",,,,,\n"
        ",x,,,,\n"
        "Texty,,,two,,\n"
        "Betdaq,,exchange,2,,\n"
    )
    profiles, problems = read_profiles(text)
    assert [profile.name for profile in profiles] == ["Smarkets", "Betdaq"]
    assert profiles[0].commission == 0.02
    assert [problem.split(":")[0] for problem in problems] == [
        "line 4",
        "line 5",
        "line 7",
        "line 8",
    ]
    assert "from 0 to below 100" in problems[0]


def test_what_the_user_says_replaces_a_profile_under_all_its_names() -> None:
    shipped = Profiles(
        [
            Profile(
                name="Betfair Exchange UK", group="Betfair", commission=0.05, aliases=("Betfair",)
            )
        ]
    )
    mine = Profile(
        name="Betfair Exchange UK", group="Betfair", commission=0.02, aliases=("Betfair",)
    )
    changed = shipped.with_changes([mine])
    assert changed.profile_of("betfair").commission == 0.02
    assert shipped.profile_of("betfair").commission == 0.05


def test_the_shipped_file_is_sound() -> None:
    text = resource_path("bookmakers.csv").read_text("utf-8")
    profiles, problems = read_profiles(text)
    assert problems == []
    assert len({profile.name.casefold() for profile in profiles}) == len(profiles)
    known = Profiles(profiles)
    exchanges = {"Betfair Exchange UK", "Betfair Exchange EU", "Betfair Exchange AU"}
    assert len({known.profile_of(name).group for name in exchanges}) == 1
    assert (
        known.profile_of("Betfair Exchange UK").group
        != known.profile_of("Betfair Sportsbook").group
    )
    fees = {
        name: known.profile_of(name)
        for name in ("Betfair Exchange UK", "Smarkets", "Matchbook", "Kalshi")
    }
    assert [round(each.net(2.0), 4) for each in fees.values()] == [1.95, 1.98, 1.98, 1.9324]
    charged = [profile for profile in profiles if profile.net(2.0) != 2.0]
    assert [profile.name for profile in charged if not profile.source] == []
    assert all(profile.kind is not Kind.BOOKMAKER for profile in charged)
    assert all(len(profile.short) <= 12 for profile in profiles)
    codes = [profile.code for profile in profiles if profile.code]
    assert len(set(codes)) == len(codes)
    assert all(len(code) <= 4 for code in codes)


def test_aliases_lead_to_one_profile_each() -> None:
    profiles, _ = read_profiles(resource_path("bookmakers.csv").read_text("utf-8"))
    known = Profiles(profiles)
    for profile in profiles:
        assert all(
            known.profile_of(alias) is known.profile_of(profile.name) for alias in profile.aliases
        )
    assert math.isclose(known.profile_of("Unheard Of").net(3.3), 3.3)


def test_a_lay_is_a_back_of_the_other_side_after_commission() -> None:
    exchange = Profile(name="X", group="X", commission=0.02)
    assert exchange.net_lay(5.5) == pytest.approx(1 + 0.98 / 4.5)
    depth = Depth(((5.4, 10.0),), "GBP", lay=((5.5, 20.0), (5.6, 0.0)))
    assert exchange.lay_ladder(depth) == (Rung(pytest.approx(1 + 0.98 / 4.5), 90.0),)


def test_laying_on_a_prediction_market_is_buying_the_other_side_with_its_fee() -> None:
    market = Profile(name="M", group="M", taker_fee=0.05)
    yes = 0.4
    cost_of_no = (1 - yes) + 0.05 * yes * (1 - yes)
    assert market.net_lay(1 / yes) == pytest.approx(1 / cost_of_no)
    shares = 100.0
    (rung,) = market.lay_ladder(Depth(((2.4, 1.0),), lay=((1 / yes, shares * yes),)))
    assert rung.most == pytest.approx(shares * cost_of_no)
