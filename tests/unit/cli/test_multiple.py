"""`oddsdesk multiple` on the prices of a database."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.multiple import multiple
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.settings.declared import METHOD
from oddsdesk.pricing.devig import devig
from oddsdesk.store.store import open_store

ARSENAL, LEEDS = "Arsenal vs Chelsea", "Leeds vs Everton"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    now = system_clock()

    def quote(game: str, market_type: str, bookmaker: str = "Pinnacle", **odds: float) -> Quote:
        named = {name.replace("_", " ").replace("p", "."): price for name, price in odds.items()}
        return Quote(bookmaker, game, "EPL", market_type, 0, named, now, match_date=now + 3_600_000)

    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record(
        [
            quote(ARSENAL, "moneyline", Arsenal=2.05, Draw=3.5, Chelsea=3.7),
            quote(ARSENAL, "total", Over_2p5=1.95, Under_2p5=1.9),
            quote(LEEDS, "moneyline", Leeds=2.0, Draw=3.5, Everton=4.0),
            quote(
                LEEDS,
                "total",
                Over_3=1.9,
                Under_3=1.9,
                Over_2p5=1.65,
                Under_2p5=2.2,
                Over_3p5=2.5,
                Under_3p5=1.5,
            ),
            quote(LEEDS, "moneyline", "Soft", Leeds=2.2, Draw=3.4, Everton=3.9),
        ]
    ).result()
    store.close()
    return path


def run(database: Path, *arguments: str, exit_code: int = 0) -> Result:
    done = CliRunner().invoke(multiple, ["--database", str(database), *arguments])
    assert done.exit_code == exit_code, done.output
    return done


def told(database: Path, *arguments: str, exit_code: int = 0) -> dict[str, Any]:
    done = run(database, *arguments, "--json", exit_code=exit_code)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


HOME = 1 / devig(METHOD.default, (2.05, 3.5, 3.7)).fair_odds[0]
LEEDS_WIN = 1 / devig(METHOD.default, (2.0, 3.5, 4.0)).fair_odds[0]


def test_legs_of_two_games_multiply(database: Path) -> None:
    legs = ("--leg", "arsenal", "Arsenal", "--leg", "everton leeds", "leeds")
    found = told(database, *legs, "--odds", "4.8")
    assert found["fair_odds"] == pytest.approx(1 / (HOME * LEEDS_WIN))
    assert found["ev_pct"] == pytest.approx(100 * (4.8 * HOME * LEEDS_WIN - 1))
    assert (found["modelled"], found["why_not"]) == (False, None)
    assert [leg["selection"] for leg in found["legs"]] == ["Arsenal", "Leeds"]
    assert "4.800 has an EV of" in run(database, *legs, "--odds", "19/5").stdout


def test_a_bookmakers_prices_are_taken_for_legs_without_odds(database: Path) -> None:
    legs = ("--leg", "arsenal", "Arsenal @ 2.1", "--leg", "leeds", "Leeds")
    found = told(database, *legs, "--bookmaker", "soft")
    assert found["odds"] == pytest.approx(2.1 * 2.2)


def test_legs_of_one_game_are_modelled_and_an_impossible_pair_is_said(database: Path) -> None:
    legs = ("--leg", "arsenal", "Arsenal", "--leg", "arsenal", "Over 2.5")
    found = told(database, *legs, "--odds", "3.5")
    assert found["modelled"]
    assert found["fair_odds"] < 1 / HOME * (1.95 * (1 / 1.95 + 1 / 1.9)), "they go together"
    assert found["cautious_ev_pct"] < found["ev_pct"]
    assert "at the low end of the model's error" in run(database, *legs, "--odds", "3.5").stdout
    pair = ("--leg", "arsenal", "Arsenal", "--leg", "arsenal", "Draw")
    none = told(database, *pair, exit_code=1)
    assert (none["fair_odds"], none["why_not"]) == (None, "Arsenal and Draw cannot both win")
    said = run(database, *pair, exit_code=1).stdout
    assert said.endswith("No fair price: Arsenal and Draw cannot both win.\n")


def test_a_leg_that_can_push_needs_its_own_odds(database: Path) -> None:
    legs = ("--leg", "arsenal", "Arsenal", "--leg", "leeds", "Over 3")
    why = told(database, *legs, "--odds", "4", exit_code=1)["why_not"]
    assert why.startswith("Over 3 can be a push")
    found = told(database, *legs[:-1], "Over 3 @ 1.95", "--odds", "4")
    assert 4 < found["fair_odds"] < 2.0 / HOME, "a push is worth something"


@pytest.mark.parametrize(
    ("leg", "said"),
    [
        (("madrid", "Madrid"), "no game 'madrid' has prices now"),
        (("vs", "Draw"), "'vs' may be Arsenal v Chelsea, Leeds v Everton: give more of its name"),
        (("arsenal", "Yes"), "'Yes': put its market first, such as 'btts: Yes'"),
        (("arsenal", "btts: Yes"), "no selection 'Yes' in Arsenal v Chelsea, Both teams to score"),
        (("arsenal", "Over 9.5"), "it has Over 2.5, Under 2.5"),
        (("arsenal", "Arsenal @ x"), "Arsenal:"),
    ],
)
def test_misuse_is_said(database: Path, leg: tuple[str, str], said: str) -> None:
    assert said in run(database, "--leg", *leg, exit_code=2).stderr
