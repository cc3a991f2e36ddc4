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
from oddsdesk.pricing.value import expected_value
from oddsdesk.server.dashboard import GAME, UPDATES
from oddsdesk.server.dashboard.live_pages import MOST_OF_ACCOUNT
from oddsdesk.store.databases import Database
from oddsdesk.store.values import FoundValueBet, MarketKey
from tests.kit.dashboard import PASSWORD, Browser, RunningDashboard

EXCHANGE = "Betfair Exchange"
TOTAL = {"Over 2.5": 2.05, "Under 2.5": 1.88}
SHARP = {"Over 2.5": 1.9, "Under 2.5": 1.97}
BAD_NAME = "<script>alert(1)</script>"
LINK = re.compile(r'href="(/live/game/[^"]+)"')


@pytest.fixture
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    yield running
    running.close()


def put_value(service: RunningDashboard, match_name: str = "Team - Other", game: int = 1) -> str:
    """Record a value bet of 2.05 / 1.963284 - 1 = 4.42 % at Betfair, and return the game's id."""
    quote: dict[str, Any] = {
        "match_name": match_name,
        "competition": "EPL",
        "market_type": "total",
        "odds": TOTAL,
    }
    service.quote(bookmaker="Pinnacle", liquidity=700.0, **{**quote, "odds": SHARP})
    service.quote(bookmaker="Betfair", **quote)
    service.quote(bookmaker="Unibet", **{**quote, "odds": {"Over 2.5": 1.9, "Under 2.5": 1.95}})
    bet = FoundValueBet("Betfair", "Over 2.5", 2.05, SHARP, 1.9, 1.963284, 3.383, 0.995419)
    found = {MarketKey(game, "total", 0): [bet]}
    service.store.replace_value_bets(found, service.now).result(timeout=10)
    return game_id("EPL", match_name)


def link_in(page: httpx.Response) -> str:
    found = LINK.search(page.text)
    assert found is not None, page.text
    return html.unescape(found[1])


def see_again(service: RunningDashboard, bookmaker: str) -> None:
    """Record a bookmaker's prices of ``put_value`` as seen now."""
    names = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    odds = SHARP if bookmaker == "Pinnacle" else TOTAL
    service.quote(bookmaker=bookmaker, odds=odds, **names)


def outcome(page: httpx.Response) -> tuple[str, str]:
    """Return the style and the text of what became of the price in the link."""
    found = re.search(r'<p class="message outcome (\w+)"[^>]*>([^<]*)', page.text)
    assert found is not None, page.text
    return found[1], html.unescape(found[2])


def ages(page: httpx.Response) -> list[str]:
    return re.findall(r'data-show="age"[^>]*>([^<]*)', page.text)


def headings(page: httpx.Response) -> list[str]:
    return re.findall(r"<summary><h2>([^<]*)", page.text)


def columns(page: httpx.Response) -> list[str]:
    """Return the columns of the first market, without the selections."""
    return re.findall(r'<th scope="col" class="[^"]*">([^<]*)', page.text.partition("</thead>")[0])


def best(page: httpx.Response) -> dict[str, str]:
    """Return the best price of each selection with its bookmaker."""
    cell = r'<th scope="row">([^<]*).*?<td class="number best top">([^<]*)<small>([^<]*)'
    found = re.findall(cell, page.text, re.DOTALL)
    return {selection: f"{odds} {name}" for selection, odds, name in found}


def test_the_figures_are_those_of_rest(service: RunningDashboard) -> None:
    put_value(service)
    [bet] = service.data("/api/value-bets", service.key())
    page = service.signed_in("anna").get("/live")
    assert "1 value bet;" in page.text
    shown = (f">{bet['odds']:.2f}<", f"fair {bet['fair_odds']:.4f}<", "limit 700<", "Team v Other")
    assert [each for each in shown if each not in page.text] == []
    assert "oddsdesk_live_" not in page.text


def test_ev_is_what_alerts_and_the_desk_say(service: RunningDashboard) -> None:
    """REST keeps the contract's figure, 1 % lower, and says what it is."""
    put_value(service)
    [bet] = service.data("/api/value-bets", service.key())
    assert bet["ev_pct"] == 3.38
    browser = service.signed_in("anna")
    for path in ("/live", link_in(browser.get("/live"))):
        page = browser.get(path).text
        assert f"{expected_value(bet['odds'], bet['fair_odds']):+.2f} %" in page
        assert "3.38" not in page
        assert "before the safety margin of 1 %" in page


def test_ev_is_after_commission(service: RunningDashboard) -> None:
    """2.12 pays 2.064 after 5 %: EV 5.13 %. 2.05 pays 1.9975, below the minimum EV."""
    put_value(service)
    names = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    for bookmaker, over, under in ((EXCHANGE, 2.12, 1.88), ("Betfair Exchange EU", 1.88, 2.05)):
        service.quote(bookmaker=bookmaker, odds={"Over 2.5": over, "Under 2.5": under}, **names)
    page = service.signed_in("anna").get("/live").text
    assert "2 value bets;" in page
    assert "+5.13 %" in page
    assert "2.064 net" in page


def test_a_game_has_its_matrix_and_marks_its_value(service: RunningDashboard) -> None:
    put_value(service)
    browser = service.signed_in("anna")
    page = browser.get(link_in(browser.get("/live")))
    assert "<h1>Team v Other</h1>" in page.text
    for said in ("EV +4.42 %", "fair 1.9633", "limit 700"):
        assert said in page.text
    assert columns(page) == ["Pinnacle", "Betfair", "Best", "Unibet"]
    at_unibet = price_page(game_id("EPL", "Team - Other"), "total", 0, "Over 2.5", "Unibet")
    assert columns(browser.get(at_unibet)) == ["Pinnacle", "Unibet", "Best", "Betfair"]
    assert outcome(page) == (
        "good",
        "The price in the link still stands: 2.05 for Over 2.5 at Betfair. EV +4.42 % now.",
    )


def test_the_linked_market_comes_first(service: RunningDashboard) -> None:
    ident = put_value(service)
    names = {"match_name": "Team - Other", "competition": "EPL"}
    three_way = {"Team": 2.1, "Draw": 3.4, "Other": 3.6}
    for kind, odds in (("btts", {"Yes": 1.9, "No": 1.9}), ("moneyline", three_way)):
        service.quote(bookmaker="Unibet", market_type=kind, odds=odds, **names)
    service.quote(bookmaker="Unibet", market_type="moneyline", period=1, odds=three_way, **names)
    browser = service.signed_in("anna")
    titles = ["Total, Full Time", "Match result, Full Time", "Both teams to score, Full Time"]
    assert headings(browser.get(GAME + ident)) == [*titles, "Match result, 1st Half"]
    link = price_page(ident, "btts", 0, "No", "Unibet")
    assert "#" not in link
    assert headings(browser.get(link))[:2] == [titles[2], titles[0]]


def test_a_stale_link_says_what_happened(service: RunningDashboard) -> None:
    put_value(service)
    browser = service.signed_in("anna")
    link = link_in(browser.get("/live"))
    service.now += 1_000
    same = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    service.quote(bookmaker="Betfair", odds={"Over 2.5": 1.95, "Under 2.5": 1.9}, **same)
    style, said = outcome(browser.get(link))
    assert style == "warn"
    assert said.endswith("It is 1.95 now. It is not a value bet now: EV -0.68 % is below 2.01 %.")
    service.quote(bookmaker="Betfair", odds={"Under 2.5": 1.9}, **same)
    assert outcome(browser.get(link))[0] == "warn"
    assert "Betfair no longer offers it." in browser.page.text
    service.now += 20 * 60_000
    page = browser.get(link)
    assert page.status_code == 404
    assert "no prices from the last 10 minutes" in page.text
    assert outcome(page) == ("warn", "The price in the link was 2.05 for Over 2.5 at Betfair.")


def test_a_price_that_rose_is_no_warning(service: RunningDashboard) -> None:
    put_value(service)
    browser = service.signed_in("anna")
    higher, lower = (f"{link_in(browser.get('/live'))}&odds={odds}" for odds in (2.04, 2.06))
    assert [outcome(browser.get(each))[0] for each in (higher, lower)] == ["good", "warn"]


def test_the_sharp_books_age_is_shown_and_marked_when_old(service: RunningDashboard) -> None:
    """As the desk, which calls a price stale after 3 min if it does not know its rhythm."""
    put_value(service)
    browser = service.signed_in("anna")
    link = link_in(browser.get("/live"))
    service.now += 170_000
    see_again(service, "Betfair")
    assert ages(browser.get("/live")) == ["0 s", "2 min"]
    assert outcome(browser.get(link))[0] == "good"
    service.now += 20_000
    page = browser.get("/live")
    assert ages(page) == ["20 s", "3 min, old"]
    assert "is-doubtful" in page.text
    style, said = outcome(browser.get(link))
    assert style == "warn"
    assert said.endswith("EV +4.42 % now, but the sharp book's price is more than 3 min old.")


def test_fresh_prices_come_before_a_higher_ev_on_old_ones(service: RunningDashboard) -> None:
    put_value(service)
    service.now += 200_000
    see_again(service, "Betfair")
    put_value(service, "Second - Other", game=2)
    lower = FoundValueBet("Betfair", "Over 2.5", 2.05, TOTAL, 2.05, 1.99, 2.0, 1.02)
    service.store.replace_value_bets({MarketKey(2, "total", 0): [lower]}, service.now).result(10)
    page = service.signed_in("anna").get("/live").text
    assert 0 < page.index("Second v Other") < page.index("Team v Other")


def test_no_ev_without_a_current_sharp_price(service: RunningDashboard) -> None:
    """REST may list it up to 15 minutes, as the contract says; a page for betting does not."""
    put_value(service)
    browser = service.signed_in("anna")
    link = link_in(browser.get("/live"))
    service.now += 10 * 60_000 + 1_000
    see_again(service, "Betfair")
    assert len(service.data("/api/value-bets", service.key())) == 1
    page = browser.get("/live").text
    assert "Pinnacle has no price from the last 10 minutes" in page
    assert "Team v Other" not in page
    page = browser.get(link).text
    assert "EV +" not in page
    assert outcome(browser.page)[0] == "warn"
    assert "has no price for this from the last 10 minutes, so its EV is not known" in page


def test_games_in_play_say_so(service: RunningDashboard) -> None:
    names = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    started = {**names, "match_date": service.now - 60_000}
    put_value(service)
    for bookmaker in ("Pinnacle", "Betfair"):
        odds = SHARP if bookmaker == "Pinnacle" else TOTAL
        service.quote(bookmaker=bookmaker, odds=odds, is_live=True, **started)
    browser = service.signed_in("anna", Plan.PRO_LIVE)
    assert "In play<" in browser.get("/live").text
    assert "Starts" not in browser.page.text
    service.now += 70_000
    assert ages(browser.get("/live")) == ["70 s, old", "70 s, old"]
    service.now += 20_000  # the list is searched again
    for bookmaker in ("Pinnacle", "Betfair"):
        odds = SHARP if bookmaker == "Pinnacle" else TOTAL
        service.quote(bookmaker=bookmaker, odds=odds, is_live=False, **started)
    page = browser.get("/live").text
    assert "Started, price not marked as in play" in page
    assert "is-doubtful" in page


def test_a_likely_error_is_not_the_best(service: RunningDashboard) -> None:
    """By the desk's rule: 12.00 is far above the fair odds of about 2.1."""
    for bookmaker, home in (("Pinnacle", 2.0), ("Bet365", 2.16), ("Coral", 12.0), ("Unibet", 1.9)):
        service.quote(bookmaker=bookmaker, odds={"Arsenal": home, "Draw": 3.4, "Chelsea": 4.0})
    browser = service.signed_in("anna")
    ident = game_id("EPL", "Arsenal - Chelsea")
    page = browser.get(GAME + ident).text
    assert best(browser.page)["Arsenal"] == "2.16 Bet365"
    assert page.count("likely error, far above fair") == 1
    link = price_page(ident, "moneyline", 0, "Arsenal", "Coral", 12.0)
    style, said = outcome(browser.get(link))
    assert style == "warn"
    assert "likely error, far above fair" in said


def test_a_line_with_a_margin_below_0_has_no_value_bets(service: RunningDashboard) -> None:
    """1/2.05 + 1/1.97 is 99.5 %: an error, old, or a boost, as the desk warns."""
    put_value(service)
    names = {"match_name": "Team - Other", "competition": "EPL", "market_type": "total"}
    service.quote(bookmaker="Betfair", odds={"Over 2.5": 2.05, "Under 2.5": 1.97}, **names)
    browser = service.signed_in("anna")
    assert "Team v Other" not in browser.get("/live").text
    link = price_page(game_id("EPL", "Team - Other"), "total", 0, "Over 2.5", "Betfair")
    said = "Betfair offers 2.05 for Over 2.5. It is not a value bet now: EV +4.42 %,"
    said += " but this bookmaker's margin is negative."
    assert outcome(browser.get(link)) == ("warn", said)
    assert best(browser.page)["Over 2.5"] == "1.90 Unibet"


def test_old_prices_are_the_best_only_if_all_are_old(service: RunningDashboard) -> None:
    service.quote(bookmaker="Unibet")
    service.now += 200_000
    service.quote(bookmaker="Bet365", odds={"Arsenal": 2.0})
    browser = service.signed_in("anna")
    found = best(browser.get(GAME + game_id("EPL", "Arsenal - Chelsea")))
    assert found == {"Arsenal": "2.00 Bet365", "Draw": "3.40 Unibet", "Chelsea": "3.60 Unibet"}


def test_an_alerts_link_names_no_odds(service: RunningDashboard) -> None:
    ident = put_value(service)
    browser = service.signed_in("anna")
    path = price_page(ident, "total", 0, "Over 2.5", "Betfair")
    assert "Betfair offers 2.05 for Over 2.5. EV +4.42 % now." in browser.get(path).text
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
        ("min_ev=4,5", "Nothing passes the filter now."),
        ("min_ev=4,4", "1 value bet;"),
        ("q=nobody", "Nothing passes the filter now."),
        ("q=TEAM+v+other&min_ev=4.4&sport=football&bookmaker=Betfair&sort=start", "1 value bet;"),
        ("min_ev=lots", "Minimum EV: type a number from 0 to 100, such as 2.5."),
        ("min_ev=&sport=&sort=nonsense", "1 value bet;"),
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
    assert (name, "4.42" in text) == ("figures", False)
    put_value(service, game=2)
    service.now += 10_000  # the list is searched again
    while "4.42" not in text:
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


def test_free_has_as_many_live_updates_as_connections(service: RunningDashboard) -> None:
    """D22, D117: by the rule of the stream, counted for all processes."""
    service.quote()
    browser = service.signed_in("free", Plan.FREE)
    without = Updating(browser, "of=games")
    without.close()
    assert without.answer.status_code == 403, "no bookmaker is chosen"
    service.access.keys.change_account("free", service.now, bookmaker="Betfair")
    statuses = []
    for _ in range(32):
        updates = Updating(browser, "of=games")
        if updates.answer.status_code == 200:
            assert updates.event()[0] == "figures"
        statuses.append(updates.answer.status_code)
        updates.close()
    assert statuses == [200] * 30 + [429] * 2
    page = browser.get("/live/games").text
    assert "The 30 live updates a day of the Free plan are used up." in page
    assert "There are more at 21 Nov 2026 00:00 UTC." in page
    assert "data-updates" not in page
    service.now += 6 * 3_600_000
    assert "data-updates" in browser.get("/live/games").text
