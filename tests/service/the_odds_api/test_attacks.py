"""What may not use the interface of The Odds API, which accepts any key (D66, D112)."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from oddsdesk.store.databases import Database
from tests.kit.running_service import HOUR_MS, NOW, RunningService

pytestmark = pytest.mark.one_engine

ODDS = "/v4/sports/upcoming/odds?apiKey=any&regions=us,uk,eu,au&markets=h2h"


@pytest.fixture(scope="module")
def served(new_database: Callable[[], Database]) -> Iterator[RunningService]:
    running = RunningService(new_database(), serve_as="the-odds-api")
    for number in range(30):
        name, begins = f"Team {number} - Others {number}", NOW + number * HOUR_MS
        odds = {f"Team {number}": 2.1, "Draw": 3.4, f"Others {number}": 3.6}
        running.quote(match_name=name, match_date=begins - 2 * HOUR_MS, odds=odds)
    yield running
    running.close()


def refuses(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["error_code"]) == (403, "ACCESS_DENIED")
    assert answer.json().keys() == {"message", "error_code", "details_url"}


@pytest.mark.parametrize("path", ["/v4/sports?apiKey=any", ODDS, "/v4/nothing", "/v4"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Forwarded-For", "1.2.3.4"),
        ("X-Forwarded-Host", "odds.example.org"),
        ("X-Forwarded-Proto", "https"),
        ("Forwarded", "for=1.2.3.4"),
        ("Via", "1.1 proxy"),
        ("X-Real-IP", "1.2.3.4"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ],
)
def test_a_proxy_or_a_page_of_another_site(
    served: RunningService, path: str, name: str, value: str
) -> None:
    refuses(served.http.get(path, headers={name: value}))


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_a_person_at_a_browser_is_answered(served: RunningService, site: str) -> None:
    answer = served.http.get(ODDS, headers={"Sec-Fetch-Site": site})
    assert answer.status_code == 200
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(("path", "first"), [("odds", 2), ("events", 0), ("scores", 0)])
def test_upcoming_ends_after_eight_games(served: RunningService, path: str, first: int) -> None:
    """Three of the games have begun; of two the odds ended with that."""
    found = served.http.get(ODDS.replace("/odds?", f"/{path}?")).json()
    assert [each["home_team"] for each in found] == [f"Team {n}" for n in range(first, 11)]


def test_upcoming_is_not_cut_by_odds_that_were_not_asked_for(served: RunningService) -> None:
    totals = {"Over 2.5": 1.9, "Under 2.5": 1.95}
    for number in range(8, 30, 2):
        name, begins = f"Team {number} - Others {number}", NOW + number * HOUR_MS
        asked = {"market_type": "total", "odds": totals, "match_date": begins - 2 * HOUR_MS}
        served.quote(match_name=name, **asked)
    found = served.http.get(ODDS.replace("h2h", "totals")).json()
    assert [each["home_team"] for each in found] == [f"Team {n}" for n in range(8, 24, 2)]
