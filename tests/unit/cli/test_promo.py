"""`oddsdesk promo`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.cli.promo import promo
from oddsdesk.cli.promo_ways import offer_text
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.promotions import promo_note
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.selections import Result as Ended
from oddsdesk.store.store import open_store
from tests.unit.ledger.test_promotions import bet

ODDS = {
    "Pinnacle": (1.85, 3.95, 3.8),
    "ParionsSport": (1.88, 4.1, 3.5),
    "Unibet": (1.88, 4.0, 3.9),
    "Betclic": (1.85, 3.9, 3.8),
}
OFFER = ("--kind", "qualify", "--bookmaker", "parionssport", "--amount", "10")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path, now = tmp_path / "odds.db", system_clock()
    store = open_store(path)
    quotes = [
        Quote(
            match_name="Liverpool - Leicester City",
            competition="EPL",
            bookmaker=bookmaker,
            market_type="moneyline",
            period=0,
            odds=dict(zip(("Liverpool", "Draw", "Leicester City"), odds, strict=True)),
            scraped_at=now,
            match_date=now + 3_600_000,
        )
        for bookmaker, odds in ODDS.items()
    ]
    store.record(quotes).result()
    store.close()
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(promo, list(map(str, arguments)))


FREE = ("--kind", "free", "--stake", "100")
LAID = ("--back", "5", "--lay", "5.5", "--step", "1")


def told(*arguments: str | Path) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("options", "lay_stake", "liability", "locked"),
    [
        ("free --stake 100 --back 5.0 --lay 5.5 --commission 2", 72.99, 328.47, 71.53),
        ("qualify --stake 50 --back 3.0 --lay 2.8", 53.57, 96.43, 3.57),
        ("free --stake 50 --back 3.0 --lay 2.8", 35.71, 64.29, 35.71),
        ("refund --stake 50 --back 3.0 --lay 2.8 --refund 25", 44.64, 80.36, 19.64),
        ("boost --stake 10 --back 2/1 --lay 3.1 --commission 2% --boost 50", 12.99, 27.27, 2.73),
        ("free-returned --stake 50 --back 3.0 --lay 2.8", 53.57, 96.43, 53.57),
    ],
)
def test_a_lay_is_worked_out(
    options: str, lay_stake: float, liability: float, locked: float
) -> None:
    found = told("hedge", "--kind", *options.split())
    assert (round(found["lay_stake"], 2), round(found["liability"], 2)) == (lay_stake, liability)
    assert round(found["locked"], 2) == locked
    assert found["if_back_wins"] == pytest.approx(found["if_lay_wins"])


def test_a_free_bet_is_hedged_at_a_bookmaker() -> None:
    found = told("hedge", *FREE, "--back", "+200", "--hedge", "-210")
    assert [round(each, 2) for each in found["hedge_stakes"]] == [135.48]
    assert round(found["locked"], 2) == 64.52


def test_stakes_are_rounded_to_steps_the_better_way() -> None:
    found = told("hedge", *FREE, *LAID, "--commission", "2")
    assert (found["lay_stake"], found["locked"]) == (73, 71.5)
    shown = run("hedge", *FREE, *LAID).output
    assert "lay stake     72.00" in shown
    assert shown.startswith("kind          free bet\n")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("free --stake 10 --back 2", "give --lay, or --hedge for each other outcome"),
        ("free --stake 10 --back 2 --lay 2 --refund 5", "--refund needs --kind refund"),
        ("boost --stake 10 --back 2 --lay 2", "--kind boost needs --boost"),
        ("free --stake 10 --back 2 --lay 2 --boost 5", "--boost needs --kind boost"),
        ("free --stake 0 --back 2 --lay 2", "the stake must be above 0"),
        ("free --stake 10 --back 1 --lay 2", "expected decimal odds"),
        ("free --stake 10 --back 2 --lay 2 --commission 101", "the commission must be from 0 to"),
    ],
)
def test_options_that_do_not_fit_are_misuse(options: str, reason: str) -> None:
    done = run("hedge", "--kind", *options.split())
    assert done.exit_code == 2
    assert reason in done.stderr


def test_the_best_ways_are_listed(database: Path) -> None:
    found = told("find", "--database", database, *OFFER, "--least-odds", "1.7", "--step", "0.01")
    best = found["hedged"][0]
    assert [(leg["bookmaker"], leg["selection"], leg["stake"]) for leg in best["legs"]] == [
        ("ParionsSport", "Liverpool", 10.0),
        ("Pinnacle", "Draw", 4.76),
        ("Unibet", "Leicester City", 4.82),
    ]
    assert best["locked"] < 0
    there = found["also_there"]
    assert [leg["stake"] for leg in there["legs"]] == [10.0, 4.59, 4.82]
    assert there["locked"] > best["locked"]
    assert there["payout_pct"] == 96.878
    assert found["looked_at"] == 3
    assert {"ev", "certainty_equivalent", "chance_pct"} <= set(found["unhedged"][0])


def test_one_bet_of_the_hedge_may_be_at_the_same_bookmaker(database: Path) -> None:
    """The published answer of another program for this game."""
    options = ("--least-odds", "1.7", "--step", "0.01", "--also-there")
    best = told("find", "--database", database, *OFFER, *options)["hedged"][0]
    assert [(leg["odds"], leg["stake"]) for leg in best["legs"]] == [
        (1.88, 10.0),
        (4.1, 4.59),
        (3.9, 4.82),
    ]
    assert [round(best["staked"] + best[key], 2) for key in ("worst", "best")] == [18.8, 18.82]
    assert best["staked"] == 19.41
    exact = told("find", "--database", database, *OFFER, "--step", "0", "--also-there")["hedged"][0]
    assert exact["returned_pct"] == exact["payout_pct"] == 96.878


def test_an_unknown_bookmaker_is_told_with_the_nearest(database: Path) -> None:
    offer = ("--kind", "free", "--bookmaker", "Parion Sports", "--amount", "10")
    done = run("find", "--database", database, *offer)
    assert "no prices of Parion Sports; did you mean ParionsSport?" in done.output


def test_a_stored_offer_is_found_by_its_name_and_shows_what_it_earned(database: Path) -> None:
    added = run("add", "Free 25", "--kind", "free", "--bookmaker", "ParionsSport", "--amount", "25")
    assert added.output == "Free 25: free bet, 25.00, ParionsSport\n"
    listed = run("find", "free 25", "--database", database).output
    assert "With a hedge:" in listed
    with_bets = Ledger(default_ledger(), is_made=True)
    note = promo_note("Free 25")
    with_bets.record_bet(bet(note, kind=BetKind.FREE, result=Ended.WON, settled_at=2))
    with_bets.close()
    (row,) = told("list")
    assert (row["state"], row["bets"], row["profit"]) == ("open", 1, 100.0)
    assert run("used", "Free 25").output == "Free 25 is used\n"
    refused = run("find", "Free 25", "--database", database)
    assert (refused.exit_code, refused.stderr) == (1, "Error: Free 25 is used\n")
    assert run("used", "Free 25", "--undo").output == "Free 25 is open\n"
    assert run("remove", "Free 25").output == "removed Free 25\n"
    assert run("list").output.startswith("no offers are stored")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("find", "gift"), "no offer 'gift'; no offers are stored"),
        (("find", "--kind", "free"), "give the name of a stored offer, or --bookmaker"),
        (("find", "gift", "--kind", "free"), "or options that describe one"),
        (("add", "x", *OFFER, "--boost", "5"), "--boost needs --kind boost"),
        (("add", "x", *OFFER, "--kind", "boost"), "--kind boost needs --boost"),
        (("add", "x", *OFFER, "--sport", "chess boxing"), "no sport 'chess boxing'"),
        (("add", "x", *OFFER, "--market", "winner of all"), "no market 'winner of all'"),
        (("add", "x", *OFFER, "--until", "some day"), "expected a time"),
    ],
)
def test_an_offer_that_is_not_clear_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert reason in done.stderr


def test_the_amount_of_a_boost_is_said_to_be_a_stake() -> None:
    offer = Promotion(
        name="Boost", kind=PromoKind.BOOST, bookmaker="Bet365", amount=50, boost=0.5, least_odds=2
    )
    assert offer_text(offer) == "boost +50 % on a stake of up to 50.00, odds from 2, Bet365"
