"""D110: arbitrage, middles and low hold for a phone, found by the desk's board."""

import html
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from msgspec import structs

from oddsdesk.cli.live_opportunities import find_opportunities
from oddsdesk.contract.access import Plan
from oddsdesk.feeds.feed import Origin
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.dashboard import OPPORTUNITIES, UPDATES
from oddsdesk.store.databases import Database
from tests.kit.dashboard import RunningDashboard

FIND = partial(find_opportunities, DEFAULT_METHOD)
LEG = re.compile(r'<a href="([^"]+)"><span>([^<]+)</span> <strong>([^<]+)</strong>')


@pytest.fixture
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database(), find_opportunities=FIND)
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
    """Record one of 1 / (1/2.2 + 1/2.1) - 1 = 7.44 %, far below the sharp book's window."""
    quote(service, "Pinnacle", 2.05, 1.95)
    quote(service, "Unibet", 2.2, 1.7)
    quote(service, "Bovada", 1.8, 2.1)


def test_an_arbitrage_has_its_legs_profit_and_links(service: RunningDashboard) -> None:
    put_arbitrage(service)
    page = service.signed_in("anna").get(OPPORTUNITIES).text
    assert "+7.44 %" in page
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
    assert "+7.44 %" in browser.get(f"{OPPORTUNITIES}?kind=arbitrage&q=team").text
    for query in ("q=nobody", "kind=middle", "sport=Tennis", "bookmaker=Betfair"):
        page = browser.get(f"{OPPORTUNITIES}?{query}").text
        assert "Nothing passes the filter now." in page
        assert "+7.44 %" not in page


def test_free_sees_none_and_is_told_why(service: RunningDashboard) -> None:
    put_arbitrage(service)
    page = service.signed_in("free", Plan.FREE).get(OPPORTUNITIES).text
    assert "one bookmaker; an arbitrage takes several" in page
    assert "7.44" not in page


def test_odds_in_play_need_the_plan_that_has_them(service: RunningDashboard) -> None:
    for bookmaker, over, under in (("Pinnacle", 2.05, 1.95), ("Unibet", 2.2, 1.7)):
        quote(service, bookmaker, over, under, is_live=True)
    quote(service, "Bovada", 1.8, 2.1, is_live=True)
    assert "7.44" not in service.signed_in("pro", Plan.PRO).get(OPPORTUNITIES).text
    assert "+7.44 %" in service.signed_in("live", Plan.PRO_LIVE).get(OPPORTUNITIES).text


def test_odds_that_may_not_be_passed_on_are_no_leg(new_database: Callable[[], Database]) -> None:
    running = RunningDashboard(new_database(), find_opportunities=FIND, share=())
    try:
        put_arbitrage(running)
        browser = running.signed_in("anna")
        assert "+7.44 %" in browser.get(OPPORTUNITIES).text
        running.now += 20 * 60_000
        quote(running, "Pinnacle", 2.05, 1.95)
        quote(running, "Unibet", 2.2, 1.7)
        hidden = running.quote(bookmaker="Hidden")
        origin = Origin("the-odds-api", may_share=False)
        total = {"market_type": "total", "odds": {"Over 2.5": 1.8, "Under 2.5": 2.1}}
        same = {"match_name": "Team - Other", "bookmaker": "Bovada"}
        running.store.record([structs.replace(hidden, **same, **total)], origin=origin).result(10)
        assert "7.44" not in browser.get(OPPORTUNITIES).text
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
    assert "+7.44 %" in page
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
            if "+7.44 %" in line:
                break
    assert "event: figures" in sent


def test_a_server_without_a_finder_has_no_such_page(new_database: Callable[[], Database]) -> None:
    running = RunningDashboard(new_database())
    try:
        browser = running.signed_in("anna")
        assert browser.get(OPPORTUNITIES).status_code == 404
        assert OPPORTUNITIES not in browser.get("/live").text
    finally:
        running.close()
