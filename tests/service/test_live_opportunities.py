"""D110: arbitrage, middles and low hold for a phone, found by the desk's board."""

import html
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from msgspec import structs

from oddsdesk.base.texts import use_language
from oddsdesk.board.valuation.verdict_words import english_caution
from oddsdesk.cli import arbitrage
from oddsdesk.cli.live_values import judge_by
from oddsdesk.contract.access import Plan
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.feeds.feed import Origin
from oddsdesk.feeds.simulator.fixtures import load_fixtures
from oddsdesk.feeds.simulator.simulator import World
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.dashboard import OPPORTUNITIES, UPDATES
from oddsdesk.server.dashboard.opportunities import Found as AllFound
from oddsdesk.server.dashboard.opportunities import OpportunityLine, Prices
from oddsdesk.store.databases import Database
from tests.kit.dashboard import RunningDashboard

MINUTE_MS = 60_000
JUDGE = judge_by(DEFAULT_METHOD)
LEG = re.compile(r'<a href="([^"]+)"><span>([^<]+)</span> <strong>([^<]+)</strong>')


@pytest.fixture
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    yield running
    running.close()


def quote(
    service: RunningDashboard, bookmaker: str, over: float, under: float, **more: Any
) -> None:
    service.quote(
        **{
            "bookmaker": bookmaker,
            "match_name": "Team - Other",
            "competition": "EPL",
            "market_type": "total",
            "odds": {"Over 2.5": over, "Under 2.5": under},
            **more,
        }
    )


def put_arbitrage(service: RunningDashboard) -> None:
    """Record one that leaves 7.19 % of 47 at 2.2 and 49 at 2.1, far above fair odds."""
    quote(service, "Pinnacle", 2.05, 1.95)
    quote(service, "Unibet", 2.2, 1.7)
    quote(service, "Bovada", 1.8, 2.1)


def test_an_arbitrage_has_its_legs_profit_and_links(service: RunningDashboard) -> None:
    put_arbitrage(service)
    page = service.signed_in("anna").get(OPPORTUNITIES).text
    assert "+7.19 %" in page
    legs = LEG.findall(page)
    assert [leg[1:] for leg in legs[:2]] == [("Over 2.5", "2.20"), ("Under 2.5", "2.10")]
    assert "bookmaker=Unibet" in legs[0][0]
    assert "Team v Other" in page
    assert 'aria-current="page">Arbitrage<' in page
    assert "oddsdesk_live_" not in page


def test_a_legs_link_says_whether_the_price_stands(service: RunningDashboard) -> None:
    for bookmaker, over, under in (("Pinnacle", 2.05, 1.95), ("Unibet", 2.09, 1.8)):
        quote(service, bookmaker, over, under)
    quote(service, "Bovada", 1.8, 1.98)
    browser = service.signed_in("anna")
    link = html.unescape(LEG.findall(browser.get(OPPORTUNITIES).text)[1][0])
    said = '<p class="message outcome good">The price in the link still stands: 1.98 for Under 2.5'
    assert f"{said} at Bovada.</p>" in browser.get(link).text
    service.now += 1_000
    quote(service, "Bovada", 1.8, 1.97)
    assert '<p class="message outcome warn">' in browser.get(link).text


def test_each_leg_has_its_age(service: RunningDashboard) -> None:
    quote(service, "Pinnacle", 2.05, 1.95)
    quote(service, "Unibet", 2.2, 1.7)
    service.now += 60_000
    quote(service, "Bovada", 1.8, 2.1)
    page = service.signed_in("anna").get(OPPORTUNITIES).text
    assert re.findall(r'data-show="age"[^>]*>([^<]*)', page)[:2] == ["60 s", "0 s"]


@pytest.mark.parametrize("minutes", [4, 11, 60])
def test_a_leg_says_that_the_sharp_book_is_stale(service: RunningDashboard, minutes: int) -> None:
    """Older than what REST lists, too: the worse the data, the more must be said."""
    quote(service, "Pinnacle", 2.05, 1.95)
    service.now += minutes * 60_000
    quote(service, "Unibet", 2.2, 1.7)
    quote(service, "Bovada", 1.8, 2.1)
    assert "Pinnacle is stale" in service.signed_in("anna").get(OPPORTUNITIES).text


def test_filters_hide_and_say_so(service: RunningDashboard) -> None:
    put_arbitrage(service)
    browser = service.signed_in("anna")
    assert "+7.19 %" in browser.get(f"{OPPORTUNITIES}?kind=arbitrage&q=team").text
    for query in ("q=nobody", "kind=middle", "sport=Tennis", "bookmaker=Betfair"):
        page = browser.get(f"{OPPORTUNITIES}?{query}").text
        assert "Nothing passes the filter now." in page
        assert "+7.19 %" not in page


def test_free_sees_none_and_is_told_why(service: RunningDashboard) -> None:
    put_arbitrage(service)
    page = service.signed_in("free", Plan.FREE).get(OPPORTUNITIES).text
    assert "one bookmaker; an arbitrage takes several" in page
    assert "7.19" not in page


def test_odds_in_play_need_the_plan_that_has_them(service: RunningDashboard) -> None:
    for bookmaker, over, under in (("Pinnacle", 2.05, 1.95), ("Unibet", 2.2, 1.7)):
        quote(service, bookmaker, over, under, is_live=True)
    quote(service, "Bovada", 1.8, 2.1, is_live=True)
    assert "7.19" not in service.signed_in("pro", Plan.PRO).get(OPPORTUNITIES).text
    assert "+7.19 %" in service.signed_in("live", Plan.PRO_LIVE).get(OPPORTUNITIES).text


def test_odds_that_may_not_be_passed_on_are_no_leg(new_database: Callable[[], Database]) -> None:
    running = RunningDashboard(new_database(), share=())
    try:
        put_arbitrage(running)
        browser = running.signed_in("anna")
        assert "+7.19 %" in browser.get(OPPORTUNITIES).text
        running.now += 20 * 60_000
        quote(running, "Pinnacle", 2.05, 1.95)
        quote(running, "Unibet", 2.2, 1.7)
        hidden = running.quote(bookmaker="Hidden")
        origin = Origin("the-odds-api", may_share=False)
        total = {"market_type": "total", "odds": {"Over 2.5": 1.8, "Under 2.5": 2.1}}
        same = {"match_name": "Team - Other", "bookmaker": "Bovada"}
        running.store.record([structs.replace(hidden, **same, **total)], origin=origin).result(10)
        assert "7.19" not in browser.get(OPPORTUNITIES).text
    finally:
        running.close()


def test_an_empty_list_says_why(service: RunningDashboard) -> None:
    browser = service.signed_in("anna")
    assert "No prices have been recorded yet" in browser.get(OPPORTUNITIES).text
    quote(service, "Pinnacle", 2.05, 1.95)
    assert "No prices cover each other well enough now" in browser.get(OPPORTUNITIES).text


def test_names_are_no_markup(service: RunningDashboard) -> None:
    bad = "<script>alert(1)</script>"
    for bookmaker, over, under in (("Pinnacle", 2.05, 1.95), (bad, 2.2, 1.7), ("Bovada", 1.8, 2.1)):
        quote(service, bookmaker, over, under, match_name=f"{bad} - Other")
    page = service.signed_in("anna").get(OPPORTUNITIES).text
    assert "+7.19 %" in page
    assert bad not in page


def test_it_is_kept_live(service: RunningDashboard) -> None:
    put_arbitrage(service)
    browser = service.signed_in("rt", Plan.PRO_RT)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    address = f"{service.url}{UPDATES}?of=opportunities&id="
    with httpx.stream("GET", address, headers={**browser.headers, "Cookie": cookie}) as answer:
        sent = ""
        for line in answer.iter_lines():
            sent += line
            if "+7.19 %" in line:
                break
    assert "event: figures" in sent


def test_a_server_without_a_judge_has_no_such_pages(new_database: Callable[[], Database]) -> None:
    running = RunningDashboard(new_database(), judge=None)
    try:
        browser = running.signed_in("anna")
        assert browser.get(OPPORTUNITIES).status_code == 404
        assert browser.get("/live").status_code == 404
        assert OPPORTUNITIES not in browser.page.text
    finally:
        running.close()


class Found:
    """Finds as the server does, and keeps what was found last."""

    def __init__(self) -> None:
        self.lines: list[OpportunityLine] = []

    def __call__(self, prices: Prices) -> AllFound:
        found = JUDGE.find(prices)
        self.lines = found.opportunities
        return found


@pytest.fixture
def found() -> Found:
    return Found()


@pytest.fixture
def both(
    found: Found, new_database: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningDashboard]:
    """Serve the page, to an account in which all is seen; the command has the server's time."""
    running = RunningDashboard(new_database(), judge=JUDGE._replace(find=found))
    monkeypatch.setattr(arbitrage, "system_clock", lambda: running.now)
    yield running
    running.close()


def page_of(service: RunningDashboard) -> str:
    page = service.signed_in("anna", Plan.PRO_LIVE).get(OPPORTUNITIES)
    assert page.status_code == 200
    return html.unescape(page.text)


def of_command(service: RunningDashboard) -> list[dict[str, Any]]:
    """Return what `oddsdesk arbitrage` lists from the same database, in the page's words."""
    name = getattr(service.database, "url", str(service.database))
    result = CliRunner().invoke(arbitrage.arbitrage, ["--database", name, "--json"])
    assert result.exit_code == 0, result.output
    return sorted(map(in_words_of_page, json.loads(result.stdout)), key=repr)


def in_words_of_page(listed: dict[str, Any]) -> dict[str, Any]:
    staked = sum(leg["stake"] for leg in listed["legs"])
    is_one = listed["market_type"] is not None
    return {
        "kind": listed["kind"],
        "game": listed["game_id"],
        "profit": listed["profit_pct"],
        "margin": listed["hold_pct"],
        "push": None if listed["push"] is None else round(listed["push"] / staked * 100, 1),
        "chance": listed.get("chance_pct"),
        "legs": [
            (
                f"{'Lay ' if leg['side'] == 'lay' else ''}{leg['selection']}"
                + ("" if is_one else f" ({market_title(leg['market_type'])})"),
                *(leg["bookmaker"], leg["odds"], leg["net_odds"], leg.get("for_sale")),
                [english_caution(Caution(each), "Pinnacle") for each in leg["cautions"]],
            )
            for leg in listed["legs"]
        ],
        "notes": listed["notes"],
    }


def of_page(found: Found) -> list[dict[str, Any]]:
    return sorted(map(fields_of, found.lines), key=repr)


def fields_of(line: OpportunityLine) -> dict[str, Any]:
    return {
        "kind": line.kind,
        "game": line.game_id,
        "profit": round(line.profit_pct, 2),
        "margin": round(line.margin_pct, 2),
        "push": None if line.push_pct is None else round(line.push_pct, 1),
        "chance": None if line.chance_pct is None else round(line.chance_pct, 2),
        "legs": [
            (
                *(leg.text, leg.bookmaker, leg.odds, round(leg.net_odds, 4)),
                None if leg.for_sale is None else round(leg.for_sale[0], 2),
                leg.warnings,
            )
            for leg in line.legs
        ],
        "notes": line.notes,
    }


def test_the_page_gives_what_the_command_gives(both: RunningDashboard, found: Found) -> None:
    """The same sets, profits, amounts, warnings and notes."""
    put_game = partial(quote, both)
    for minutes in (11, 4, 0):  # of the sharp book: far too old, stale, now
        game = {"match_name": f"Aged {minutes} - Other"}
        sharp_at = both.now - minutes * MINUTE_MS
        put_game("Pinnacle", 1.98, 1.93, scraped_at=sharp_at, **game)
        put_game("Unibet", 2.10, 1.75, **game)
        put_game("Bovada", 1.80, 1.95, **game)
    put_game("Pinnacle", 1.98, 1.93, match_name="Error - Other", scraped_at=both.now - 660_000)
    put_game("Unibet", 12.0, 1.05, match_name="Error - Other")
    put_game("Bovada", 1.8, 1.95, match_name="Error - Other")
    put_game("Unibet", 4.1, 1.25, match_name="Unchecked - Other")
    put_game("Bovada", 1.8, 1.95, match_name="Unchecked - Other")
    players = {"match_name": "Player - Rival", "competition": "ATP", "market_type": "moneyline"}
    for name, one, other in (("Pinnacle", 2.0, 1.9), ("Unibet", 2.1, 1.7), ("Bovada", 1.7, 1.98)):
        both.quote(bookmaker=name, odds={"Player": one, "Rival": other}, **players)
    for amount in (5.0, 500.0):
        game = {"match_name": f"Lay {amount:.0f} - Other"}
        put_game("Pinnacle", 2.0, 1.9, **game)
        put_game("Unibet", 2.1, 1.7, **game)
        put_game("Betfair Exchange UK", 2.0, 1.85, **game, offers=offers_of(2.02, amount))
    put_game("Pinnacle", 1.98, 1.93, match_name="Late - Other")
    put_game("Betfair Exchange UK", 1.85, 2.1, match_name="Late - Other")
    for name, home, away in (("Unibet", 2.04, 1.8), ("Betfair", 1.8, 2.02)):
        even = {"market_type": "total", "match_name": "Push - Other"}
        both.quote(
            bookmaker=name, competition="EPL", odds={"Over 3": home, "Under 3": away}, **even
        )
    page, listed = page_of(both), of_command(both)
    assert of_page(found) == listed
    laid = [leg[0] for each in listed for leg in each["legs"] if leg[0].startswith("Lay")]
    assert laid == ["Lay Over 2.5"]
    said = [text for each in listed for text in each["notes"]]
    said += [text for each in listed for leg in each["legs"] for text in leg[-1]]
    assert {"Pinnacle is stale", "likely error, far above fair"} <= set(said)
    assert any("retires" in text for text in said)
    assert any("hours late" in text for text in said)
    assert any(each["push"] is not None for each in listed)
    assert [text for text in said if text not in page] == []
    assert page.count("Pinnacle is stale") >= 4
    assert "likely error: so high a profit, and no fair odds to check a leg" in page
    assert "Rules differ." in page
    assert "Rules not known." in page


def offers_of(odds: float, amount: float) -> dict[str, Offer]:
    lay, back = ((odds, amount),), ((2.0, 900.0),)
    return {"Over 2.5": Offer(back=back, lay=lay, currency="GBP")}


def test_simulated_odds_give_the_same_as_the_command(both: RunningDashboard, found: Found) -> None:
    world = World(load_fixtures(), "Pinnacle", Random(5), both.now)
    reported = [each for batch in world.opening() for each in batch if isinstance(each, Quote)]
    games = list(dict.fromkeys((each.competition, each.match_name) for each in reported))[::6]
    record_of(both, reported, games)
    both.now += 4 * MINUTE_MS  # all are stale by then that are not read again
    again = [each for batch in world.until(both.now) for each in batch if isinstance(each, Quote)]
    record_of(both, [each for each in again if each.bookmaker != "Pinnacle"], games)
    page, listed = page_of(both), of_command(both)
    assert of_page(found) == listed
    assert len(listed) > 10
    assert "Pinnacle is stale" in page


def record_of(service: RunningDashboard, quotes: list[Quote], games: list[tuple[str, str]]) -> None:
    service.record(*(each for each in quotes if (each.competition, each.match_name) in games))


def test_sets_with_a_warning_are_behind_all_others(both: RunningDashboard, found: Found) -> None:
    put_arbitrage(both)  # far above the sharp book's window
    quote(both, "Pinnacle", 1.98, 1.93, match_name="Cost - Other")
    quote(both, "Unibet", 2.0, 1.7, match_name="Cost - Other")
    quote(both, "Bovada", 1.8, 1.95, match_name="Cost - Other")
    page = page_of(both)
    assert [(each.kind, each.has_warning) for each in found.lines] == [
        ("low-hold", False),
        ("arbitrage", True),
    ]
    assert "2 found, those with a warning last (1); prices of" in page


def test_all_of_it_is_english_whatever_the_language(both: RunningDashboard, found: Found) -> None:
    quote(both, "Pinnacle", 1.98, 1.93, match_name="Late - Other")
    quote(both, "Betfair Exchange UK", 1.85, 2.1, match_name="Late - Other")
    put_arbitrage(both)
    both.now += 1_000
    use_language("de")
    try:
        page = page_of(both)
    finally:
        use_language("en")
    late = next(each for each in found.lines if "Late" in each.match_name)
    assert [leg.text for leg in late.legs] == ["Over 2.5", "Under 2.5"]
    assert late.notes[0].startswith("If the game begins 12 to 72 hours late: Over 2.5 at Pinnacle")
    assert late.notes[0] in page
    assert "likely error, far above fair" in page


def test_too_little_to_lay_is_no_leg(both: RunningDashboard, found: Found) -> None:
    quote(both, "Pinnacle", 2.0, 1.9)
    quote(both, "Unibet", 2.1, 1.7)
    exchange = partial(quote, both, "Betfair Exchange UK", 2.0, 1.85)
    exchange(offers=offers_of(2.02, 0.5))
    assert "Lay" not in page_of(both)
    both.now += 20_000
    exchange(offers=offers_of(2.02, 500.0))
    page = both.signed_in("berta", Plan.PRO_LIVE).get(OPPORTUNITIES).text
    assert "Lay Over 2.5" in page
    assert "510.00 GBP liability for sale" in page


def test_the_link_of_a_lay_says_whether_its_odds_stand(both: RunningDashboard) -> None:
    quote(both, "Pinnacle", 2.0, 1.9)
    quote(both, "Unibet", 2.1, 1.7)
    exchange = partial(quote, both, "Betfair Exchange UK", 2.0, 1.85)
    exchange(offers=offers_of(2.02, 500.0))
    browser = both.signed_in("anna", Plan.PRO_LIVE)
    legs = LEG.findall(browser.get(OPPORTUNITIES).text)
    link = html.unescape(next(link for link, text, _ in legs if text.startswith("Lay")))

    def verdict() -> tuple[str, str]:
        page = html.unescape(browser.get(link).text)
        found = re.search(r'<p class="message outcome (good|warn)"[^>]*>([^<]*)', page)
        assert found is not None
        return found[1], found[2]

    named = "2.02 for laying Over 2.5 at Betfair Exchange UK"
    amount = "up to 500.00 GBP of backer's stakes."
    assert verdict() == ("good", f"The price in the link still stands: {named}, {amount}")
    both.now += 1_000
    exchange(offers=offers_of(2.04, 500.0))
    moved = f"The price in the link was {named}. It is 2.04 now, {amount}"
    assert verdict() == ("warn", moved)
    both.now += 1_000
    exchange(offers=offers_of(2.01, 500.0))
    assert verdict()[0] == "good", "lower odds cost the layer less"
    both.now += 4 * MINUTE_MS
    assert verdict()[0] == "warn"
    assert "more than 3 min old" in verdict()[1]
    exchange()
    assert "Nothing to lay is known now." in verdict()[1]


def test_prices_that_are_too_old_are_said_to_be_left_out(service: RunningDashboard) -> None:
    put_arbitrage(service)
    service.now += 4 * MINUTE_MS
    quote(service, "Pinnacle", 2.05, 1.95)
    page = service.signed_in("anna").get(OPPORTUNITIES).text
    assert "No prices cover each other well enough now" in page
    assert "over 3 min old, in play over 1 min. That is 2 of 3 markets of bookmakers" in page
