"""D110: the phone says of every price what the desk's board and `oddsdesk bets` say."""

import html
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from oddsdesk.cli import bets
from oddsdesk.cli.bet_sources import board_of, moment_of_database
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id, price_page
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.feeds.simulator.fixtures import load_fixtures
from oddsdesk.feeds.simulator.simulator import World
from oddsdesk.store.databases import Database
from tests.kit.dashboard import Browser, RunningDashboard

CARD = re.compile(
    r'<li class="panel card">\n<h3><a href="([^"]+)">.*?EV </span>([-+.0-9]+) %.*?</li>', re.DOTALL
)
VERDICT = re.compile(r'<p class="message outcome (\w+)"[^>]*>([^<]*)')
EXCHANGE = "Betfair Exchange UK"


@pytest.fixture
def service(
    new_database: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    monkeypatch.setattr(bets, "system_clock", lambda: running.now)
    yield running
    running.close()


def total(
    service: RunningDashboard, bookmaker: str, over: float, under: float, **more: Any
) -> None:
    line = more.pop("line", "2.5")
    names = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    odds = {f"Over {line}": over, f"Under {line}": under}
    service.quote(bookmaker=bookmaker, **{**names, "odds": odds, **more})


def of_command(service: RunningDashboard) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Return odds, net and fair odds and EV of what `oddsdesk bets` lists, by link."""
    moment = moment_of_database(service.database, service.now)
    board = board_of(moment, service.now)
    found = bets.listed_bets(board, moment, None, None, everything=False)
    listed = bets.bets_fields(found, board, moment)
    return {
        (each["game_id"], each["market_type"], each["selection"], each["bookmaker"]): (
            each["odds"],
            each["net_odds"],
            each["fair_odds"],
            f"{bet.price.assessment.ev:+.2f}",
        )
        for each, bet in zip(listed, found, strict=True)
    }


def of_page(browser: Browser) -> dict[tuple[str, ...], str]:
    """Return the EV of what the list shows without a warning, by link, and ask every link."""
    found = {}
    for link, ev in CARD.findall(browser.get("/live").text):
        address = html.unescape(link)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        key = asked["market_type"], asked["selection"], asked["bookmaker"]
        found[urlsplit(address).path.rpartition("/")[2], *key] = ev
    for link, ev in CARD.findall(browser.page.text):
        style, said = verdict(browser, html.unescape(link))
        assert (style, f"EV {ev} % now" in said) == ("good", True), said
    return found


def verdict(browser: Browser, link: str) -> tuple[str, str]:
    found = VERDICT.search(browser.get(link).text)
    assert found is not None, browser.page.text
    return found[1], html.unescape(found[2])


def over(line: str = "2.5", bookmaker: str = "Harbour", game: str = "Team - Other") -> str:
    return price_page(game_id("EPL", game), "total", 0, f"Over {line}", bookmaker)


def same(service: RunningDashboard, browser: Browser) -> int:
    """Compare the page with the command; return how many bets there are."""
    service.now += 10_000  # the list is searched again
    wanted = of_command(service)
    assert of_page(browser) == {key: figures[3] for key, figures in wanted.items()}
    return len(wanted)


@pytest.fixture
def browser(service: RunningDashboard) -> Browser:
    return service.signed_in("anna", Plan.PRO_LIVE)


def test_an_exchange_is_judged_after_commission(
    service: RunningDashboard, browser: Browser
) -> None:
    total(service, "Pinnacle", 1.98, 1.93)
    offers = {"Over 2.5": Offer(back=[(2.16, 120.0)], currency="GBP")}
    total(service, EXCHANGE, 2.16, 1.8, offers=offers)
    assert same(service, browser) == 1
    assert verdict(browser, over(bookmaker=EXCHANGE))[1].endswith(
        "EV +3.72 % now, 120.00 GBP available."
    )


def test_pushes_lower_the_ev(service: RunningDashboard, browser: Browser) -> None:
    odds = {"2.5": (1.70, 2.27), "3": (2.04, 1.87), "3.5": (2.55, 1.56)}
    sharp = {
        f"{side} {line}": price
        for line, pair in odds.items()
        for side, price in zip(("Over", "Under"), pair, strict=True)
    }
    total(service, "Pinnacle", 0, 0, odds=sharp)
    total(service, "Harbour", 2.16, 1.7, line="3")
    assert same(service, browser) == 1
    assert "EV +2.56 % now." in verdict(browser, over("3"))[1]


@pytest.mark.parametrize("line", ["2.75", "2.25"])
def test_unknown_pushes_are_told(service: RunningDashboard, browser: Browser, line: str) -> None:
    total(service, "Pinnacle", 1.98, 1.93, line=line)
    total(service, "Harbour", 2.10, 1.75, line=line)
    assert same(service, browser) == 1
    assert "without pushes" in verdict(browser, over(line))[1]
    assert "without pushes" in browser.get("/live").text


@pytest.mark.parametrize(
    ("sharp", "offered", "reason"),
    [
        ({"over": 1.98, "under": 1.93}, {"over": 2.02}, "EV -0.32 % is below 2.01 %."),
        (
            {"over": 1.85, "under": 1.90},
            {"over": 2.10},
            "EV +6.49 %, but Pinnacle's margin of 6.7 % is over 5 %.",
        ),
        ({"over": 2.04, "under": 2.02}, {"over": 2.08}, "Pinnacle's margin is negative"),
        (
            {"over": 1.98, "under": 1.93},
            {"over": 2.12},
            "pays back over 101 % with Pinnacle's other side, check it.",
        ),
        ({"over": 1.98, "under": 1.93}, {"over": 12.0}, "likely error, far above fair"),
        (
            {"over": 1.98, "under": 1.93, "is_live": True},
            {"over": 2.10},
            "in play at only one of the two",
        ),
    ],
)
def test_what_is_no_value_says_why(
    service: RunningDashboard,
    browser: Browser,
    sharp: dict[str, Any],
    offered: dict[str, Any],
    reason: str,
) -> None:
    total(service, "Pinnacle", **sharp)
    total(service, "Harbour", **{"under": 1.5, **offered})
    assert same(service, browser) == 0
    style, said = verdict(browser, over())
    assert style == "warn"
    assert "It is not a value bet now: " in said
    assert reason in said


def test_a_stale_sharp_price_makes_no_value(service: RunningDashboard, browser: Browser) -> None:
    """From 4 minutes it is amber; after 10, an error is still no best price."""
    for minutes in (4, 11):
        game = f"Aged {minutes} - Other"
        total(
            service,
            "Pinnacle",
            1.98,
            1.93,
            match_name=game,
            scraped_at=service.now - minutes * 60_000,
        )
        total(service, "Harbour", 2.10, 1.75, match_name=game)
        total(service, "Wrong", 12.0, 1.05, match_name=game)
    assert same(service, browser) == 0
    assert browser.get("/live").text.count("is-doubtful") == 1
    for minutes in (4, 11):
        game = f"Aged {minutes} - Other"
        assert "likely error" in verdict(browser, over(bookmaker="Wrong", game=game))[1]
        assert "2.10<small>Harbour</small>" in browser.page.text


def test_a_started_game_says_so(service: RunningDashboard, browser: Browser) -> None:
    for bookmaker, price in (("Pinnacle", 1.98), ("Harbour", 2.10)):
        total(
            service, bookmaker, price, 1.93 if price < 2 else 1.75, match_date=service.now - 60_000
        )
    assert same(service, browser) == 0
    assert (
        "started, prices not marked as in play"
        in browser.get(f"/live/game/{game_id('EPL', 'Team - Other')}").text
    )


def test_what_is_gone_says_which_part(service: RunningDashboard, browser: Browser) -> None:
    total(service, "Pinnacle", 1.98, 1.93)
    service.quote(
        bookmaker="Harbour", match_name="Team - Other", market_type="total", odds={"Under 2.5": 1.9}
    )
    assert "Harbour no longer offers it." in verdict(browser, over())[1]
    assert "Nobody has no prices for this market" in verdict(browser, over(bookmaker="Nobody"))[1]
    other = price_page(game_id("EPL", "Team - Other"), "total", 1, "Over 2.5", "Harbour", 2.1)
    assert "This market has no prices" in verdict(browser, other.replace("2.1", "2,1"))[1]


def test_hand_made_odds_give_the_same_as_the_command(
    service: RunningDashboard, browser: Browser
) -> None:
    rolls = Random(46)
    for number in range(40):
        game, margin = f"Team {number} - Other", rolls.uniform(0.995, 1.055)
        chance = rolls.uniform(0.3, 0.7)
        line = rolls.choice(["2.5", "3", "2.75", "3.25"])
        sharp = [round(1 / (each * margin), 3) for each in (chance, 1 - chance)]
        aged = service.now - rolls.choice([0, 0, 0, 240_000, 660_000])
        total(service, "Pinnacle", *sharp, line=line, match_name=game, scraped_at=aged)
        for bookmaker in ("Harbour", "Unibet", EXCHANGE, "Smarkets"):
            odds = [round(sharp[0] * rolls.uniform(0.98, 1.1), 2), round(sharp[1] * 0.93, 2)]
            total(
                service, bookmaker, *odds, line=line, match_name=game, is_live=rolls.random() < 0.1
            )
    assert same(service, browser) > 4


def test_simulated_odds_give_the_same_as_the_command(
    service: RunningDashboard, browser: Browser
) -> None:
    world = World(load_fixtures(), "Pinnacle", Random(5), service.now)
    reported = [each for batch in world.opening() for each in batch if isinstance(each, Quote)]
    service.now += 60_000
    reported += [
        each for batch in world.until(service.now) for each in batch if isinstance(each, Quote)
    ]
    service.record(*reported)
    assert same(service, browser) > 2
