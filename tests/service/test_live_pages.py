"""D110: value bets and games for a phone, by the rights of the account that is signed in."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id, price_page
from oddsdesk.feeds.feed import Origin
from oddsdesk.server.dashboard import GAME, UPDATES
from oddsdesk.server.dashboard.live_pages import MOST_OF_ACCOUNT
from oddsdesk.store.databases import Database
from oddsdesk.store.values import FoundValueBet, MarketKey
from tests.kit.dashboard import PASSWORD, Browser, RunningDashboard

TOTAL = {"Over 2.5": 2.05, "Under 2.5": 1.88}
BAD_NAME = "<script>alert(1)</script>"
LINK = re.compile(r'href="(/live/game/[^"]+)"')


@pytest.fixture
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    yield running
    running.close()


def put_value(service: RunningDashboard, match_name: str = "Team - Other", game: int = 1) -> str:
    """Record a value bet of 4.44 % at Betfair, and return the game's id."""
    quote: dict[str, Any] = {
        "match_name": match_name,
        "competition": "EPL",
        "market_type": "total",
        "odds": TOTAL,
    }
    service.quote(bookmaker="Pinnacle", liquidity=700.0, **quote)
    service.quote(bookmaker="Betfair", **quote)
    service.quote(bookmaker="Unibet", **{**quote, "odds": {"Over 2.5": 1.9, "Under 2.5": 1.95}})
    bet = FoundValueBet("Betfair", "Over 2.5", 2.05, TOTAL, 2.05, 1.962812, 4.444, 1.019722)
    found = {MarketKey(game, "total", 0): [bet]}
    service.store.replace_value_bets(found, service.now).result(timeout=10)
    return game_id("EPL", match_name)


def link_in(page: httpx.Response) -> str:
    found = LINK.search(page.text)
    assert found is not None, page.text
    return html.unescape(found[1]).partition("#")[0]


def test_the_figures_are_those_of_rest(service: RunningDashboard) -> None:
    put_value(service)
    [bet] = service.data("/api/value-bets", service.key())
    page = service.signed_in("anna").get("/live")
    assert "1 value bet<" in page.text
    shown = (f"{bet['ev_pct']:+.2f} %", f">{bet['odds']:.2f}<", f">{bet['fair_odds']}<", ">700<")
    assert [each for each in shown if each not in page.text] == []
    assert "18:00:00 UTC" in page.text
    assert "oddsdesk_live_" not in page.text


def test_a_game_has_its_matrix_and_marks_its_value(service: RunningDashboard) -> None:
    put_value(service)
    browser = service.signed_in("anna")
    page = browser.get(link_in(browser.get("/live")))
    assert "<h1>Team v Other</h1>" in page.text
    for said in ("Sharp book", "Betfair", "Unibet", "EV +4.44 %", "fair 1.9628", "limit 700"):
        assert said in page.text
    assert [page.text.index(f">{name}<small") for name in ("Sharp book", "Betfair", "Unibet")]
    at_unibet = price_page(game_id("EPL", "Team - Other"), "total", 0, "Over 2.5", "Unibet")
    moved = browser.get(at_unibet.partition("#")[0]).text
    assert moved.index(">Unibet<small") < moved.index(">Betfair<small")
    assert "still stands: 2.05 for Over 2.5 at Betfair. EV +4.44 % now." in page.text


def test_a_stale_link_says_what_happened(service: RunningDashboard) -> None:
    put_value(service)
    browser = service.signed_in("anna")
    link = link_in(browser.get("/live"))
    service.now += 1_000
    same = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    service.quote(bookmaker="Betfair", odds={"Over 2.5": 1.95, "Under 2.5": 1.9}, **same)
    assert "It is 1.95 now. It is no value bet now." in browser.get(link).text
    service.now += 20 * 60_000
    page = browser.get(link)
    assert page.status_code == 404
    assert "no prices from the last 10 minutes" in page.text
    assert "was 2.05 for Over 2.5 at Betfair" in page.text


def test_an_alerts_link_names_no_odds(service: RunningDashboard) -> None:
    ident = put_value(service)
    browser = service.signed_in("anna")
    path = price_page(ident, "total", 0, "Over 2.5", "Betfair").partition("#")[0]
    assert "Betfair offers 2.05 for Over 2.5. EV +4.44 % now." in browser.get(path).text
    service.now += 20 * 60_000
    assert "The price in the link" not in browser.get(path).text


def test_a_plan_sees_what_its_keys_see(service: RunningDashboard) -> None:
    ident = put_value(service)
    browser = service.signed_in("free", Plan.FREE)
    assert "not part of the Free plan" in browser.get("/live").text
    assert "none is chosen" in browser.get("/live/games").text
    assert browser.get(GAME + ident).status_code == 403
    service.access.keys.change_account("free", service.now, bookmaker="Unibet")
    page = browser.get(GAME + ident).text
    assert "Unibet" in page
    assert "Betfair" not in page
    assert "EV +" not in page
    assert "Betfair" not in browser.get("/live").text


def test_rows_that_may_not_be_passed_on_are_absent(new_database: Callable[[], Database]) -> None:
    """D66: as for keys."""
    running = RunningDashboard(new_database(), share=())
    try:
        put_value(running)
        quote = running.quote(bookmaker="Hidden", match_name="Team - Other")
        origin = Origin("the-odds-api", may_share=False)
        running.store.record([quote], origin=origin).result(timeout=10)
        browser = running.signed_in("anna")
        page = browser.get(GAME + game_id("EPL", "Team - Other")).text
        key = running.key()
        data = running.data(f"/api/games/{game_id('EPL', 'Team - Other')}", key)
        assert data["all_bookmakers"] == ["Betfair", "Pinnacle", "Unibet"]
        assert "Hidden" not in page + browser.get("/live").text + browser.get("/live/games").text
    finally:
        running.close()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("min_ev=5", "Nothing passes the filter now."),
        ("q=nobody", "Nothing passes the filter now."),
        ("q=TEAM+v+other&min_ev=4.4&sport=football&bookmaker=Betfair&sort=start", "1 value bet<"),
        ("min_ev=lots", "min_ev: expected a number from 0 to 20"),
        ("min_ev=&sport=&sort=nonsense", "1 value bet<"),
    ],
)
def test_a_list_is_filtered(service: RunningDashboard, asked: str, said: str) -> None:
    put_value(service)
    page = service.signed_in("anna").get(f"/live?{asked}")
    assert said in html.unescape(page.text)
    assert page.status_code == (400 if "lots" in asked else 200)


def test_an_empty_list_says_why(service: RunningDashboard) -> None:
    browser = service.signed_in("anna")
    assert "No prices have been recorded yet." in browser.get("/live").text
    service.quote()
    assert "The sharp book Pinnacle has no prices" in browser.get("/live").text
    service.quote(bookmaker="Pinnacle")
    assert "No price is far enough above its fair odds" in browser.get("/live").text
    service.now += 16 * 60_000
    page = browser.get("/live").text
    assert "All prices are stale: the newest one was read at 20 Nov 2026 18:00 UTC." in page


def test_foreign_text_is_no_markup(service: RunningDashboard) -> None:
    put_value(service, f"{BAD_NAME} - Other")
    browser = service.signed_in("anna")
    for path in ("/live", "/live/games", link_in(browser.get("/live"))):
        assert BAD_NAME not in browser.get(path).text
        assert html.escape(BAD_NAME) in browser.page.text
    assert BAD_NAME not in browser.get(f"/live?q={BAD_NAME}&sport={BAD_NAME}").text
    link = {"market_type": "total", "period": "0", "selection": BAD_NAME, "odds": "2"}
    query = "&".join(f"{name}={value}" for name, value in link.items())
    path = GAME + game_id("EPL", f"{BAD_NAME} - Other")
    assert BAD_NAME not in browser.get(f"{path}?{query}&bookmaker={BAD_NAME}").text


def test_pages_need_a_session_and_return_after_the_sign_in(service: RunningDashboard) -> None:
    ident = put_value(service)
    service.signed_in("anna")
    browser = service.browser()
    page = browser.get(f"{GAME}{ident}?odds=2.05")
    assert "Team" not in page.text
    browser.send("/sign-in", account="anna", password=PASSWORD)
    assert browser.page.request.url.path == GAME + ident
    assert "Team v Other" in browser.page.text


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example", "/live.evil/x"])
def test_the_sign_in_leads_to_no_other_site(service: RunningDashboard, wanted: str) -> None:
    service.signed_in("anna")
    browser = service.browser()
    browser.cookies["__Host-oddsdesk_next"] = wanted
    assert browser.sign_in("anna").request.url.path == "/dashboard/keys"


def test_a_link_in_a_page_elsewhere_opens_with_the_session(service: RunningDashboard) -> None:
    """Browsers leave out strict cookies then; the page reloads itself, which sends them."""
    answer = service.browser().ask("GET", "/live", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert 'http-equiv="refresh" content="0"' in answer.text
    assert "value bet" not in answer.text


def test_pages_are_not_stored_or_framed(service: RunningDashboard) -> None:
    put_value(service)
    page = service.signed_in("anna").get("/live")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-frame-options"] == "DENY"
    policy = page.headers["content-security-policy"]
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "style=" not in page.text
    assert not re.search(r"<script(?! src)", page.text)
    assert page.text.count("<h1>") == 1


def test_pages_count_like_requests_of_a_key(service: RunningDashboard) -> None:
    browser = service.signed_in("free", Plan.FREE)
    statuses = [browser.get("/live").status_code for _ in range(201)]
    assert statuses == [200] * 200 + [429]
    assert "The 200 pages of the Free plan are used up" in browser.page.text
    assert service.data("/api/sports", service.key(Plan.FREE, "Unibet", "free")) is not None


# Live updates


class Updating:
    """An open stream of updates; reads its events."""

    def __init__(self, browser: Browser, of: str = "of=bets", **headers: str) -> None:
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        sent = {**browser.headers, "Cookie": cookie, **headers}
        self._http = httpx.Client(base_url=browser._http.base_url, timeout=30)
        request = self._http.build_request("GET", f"{UPDATES}?{of}", headers=sent)
        self.answer = self._http.send(request, stream=True)
        self._lines = self.answer.iter_lines()

    def event(self) -> tuple[str, str]:
        """Return the next event, its name and its text."""
        name, text = "", []
        for line in self._lines:
            if not line:
                return name, "\n".join(text)
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                text.append(value)
        return "", ""

    def close(self) -> None:
        self.answer.close()
        self._http.close()


@pytest.fixture
def opened() -> Iterator[list[Updating]]:
    made: list[Updating] = []
    yield made
    for each in made:
        each.close()


def test_new_figures_arrive(service: RunningDashboard, opened: list[Updating]) -> None:
    service.quote()
    browser = service.signed_in("anna", Plan.PRO_RT)
    assert 'data-updates="/live/updates?of=bets' in browser.get("/live").text
    updates = Updating(browser)
    opened.append(updates)
    assert updates.answer.headers["content-type"] == "text/event-stream"
    name, text = updates.event()
    assert (name, "4.44" in text) == ("figures", False)
    put_value(service, game=2)
    while "4.44" not in text:
        name, text = updates.event()
        assert name in ("figures", "alive")


@pytest.mark.parametrize("how", ["sign out", "plan", "removed"])
def test_an_ended_session_ends_the_updates(
    service: RunningDashboard, opened: list[Updating], how: str
) -> None:
    put_value(service)
    browser = service.signed_in("anna", Plan.PRO_RT)
    updates = Updating(browser)
    opened.append(updates)
    assert updates.event()[0] == "figures"
    if how == "sign out":
        service.access.owners.sign_out("anna")
    elif how == "plan":
        service.access.keys.change_account("anna", service.now, plan=Plan.PRO)
    else:
        service.access.keys.remove_account("anna", service.now)
    assert updates.event() == ("ended", "")
    assert updates.event() == ("", "")


def test_updates_need_a_session_of_this_site_and_the_plan(
    service: RunningDashboard, opened: list[Updating]
) -> None:
    put_value(service)
    browser = service.signed_in("anna", Plan.PRO_RT)
    for headers, status in (
        ({"Cookie": ""}, 303),
        ({"Cookie": "__Host-oddsdesk_session=guessed"}, 303),
        ({"Origin": "https://evil.example"}, 400),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ):
        opened.append(Updating(browser, **headers))
        assert opened[-1].answer.status_code == status
    pro = service.signed_in("pro", Plan.PRO)
    page = pro.get("/live").text
    assert "data-updates" not in page
    assert "Live updates are not part of the Pro plan" in page
    opened.append(Updating(pro))
    assert opened[-1].answer.status_code == 403


def test_an_account_has_few_live_pages_at_a_time(
    service: RunningDashboard, opened: list[Updating]
) -> None:
    put_value(service)
    browser = service.signed_in("anna", Plan.PRO_RT)
    for _ in range(MOST_OF_ACCOUNT):
        opened.append(Updating(browser))
        assert opened[-1].event()[0] == "figures"
    opened.append(Updating(browser))
    assert opened[-1].answer.status_code == 429
    assert browser.get("/live").status_code == 200
    other = Updating(service.signed_in("other", Plan.PRO_RT))
    opened.append(other)
    assert other.event()[0] == "figures"
