"""The dashboard on a real socket, and a browser for it that does what a test says."""

import itertools
import re
from http.cookies import SimpleCookie
from typing import Any, Final

import httpx
from argon2 import PasswordHasher
from starlette.types import ASGIApp

from oddsdesk.cli.live_values import judge_by
from oddsdesk.contract.access import Plan
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.dashboard import LIVE, ROOT
from oddsdesk.server.edge.middleware import BehindProxy, Proxies
from oddsdesk.store.databases import Database
from oddsdesk.store.owners import Owners
from oddsdesk.store.passwords import Hashing
from tests.kit.running_service import LIMIT_S, RunningService

PASSWORD: Final = "correct horse battery"
SITE: Final = "odds.example.org"
KEY: Final = re.compile(r"oddsdesk_live_[0-9a-f]{32}")
_FORM: Final = re.compile(r'name="form" value="([0-9a-f]+)"')


class RunningDashboard(RunningService):
    """The service with a dashboard, on loopback and behind a trusted proxy for ``SITE``.

    Passwords are checked with little work, so that tests are quick.
    """

    def __init__(self, database: Database, **served: Any) -> None:
        served.setdefault("judge", judge_by(DEFAULT_METHOD))
        super().__init__(database, has_dashboard=True, hosts=frozenset({SITE}), **served)
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.access.owners = Owners(self.access._file, Hashing(quick))
        self._addresses = itertools.count(1)
        self._browsers: list[Browser] = []

    def _front(self, app: ASGIApp) -> ASGIApp:
        return BehindProxy(app, Proxies(("127.0.0.1",)))

    def browser(self, **headers: str) -> "Browser":
        """Return a browser that reaches the server by TLS, from an address of its own."""
        number = next(self._addresses)
        address = f"203.0.{number // 250}.{number % 250 + 1}"
        known = {"Host": SITE, "X-Forwarded-Proto": "https", "X-Forwarded-For": address}
        return self._opened({**known, **headers})

    def _opened(self, headers: dict[str, str]) -> "Browser":
        self._browsers.append(Browser(self.url, headers))
        return self._browsers[-1]

    def close(self) -> None:
        """Close the browsers, then everything else."""
        for each in self._browsers:
            each.close()
        super().close()

    def invite(self, account: str, plan: Plan = Plan.PRO, *, operator: bool = False) -> str:
        """Return the token of an invitation."""
        made = self.access.owners.invite(account, self.now, operator=operator, plan=plan)
        return made.token

    def signed_in(
        self, account: str, plan: Plan = Plan.PRO, *, operator: bool = False
    ) -> "Browser":
        """Return a browser in which the owner of a new account is signed in."""
        browser = self.browser()
        browser.get(f"/invitation?token={self.invite(account, plan, operator=operator)}")
        answer = browser.send("/invitation", password=PASSWORD, again=PASSWORD)
        assert answer.request.url.path == f"{ROOT}/keys", answer.text
        return browser


class Browser:
    """Keeps cookies, sends forms as browsers do, and follows redirects.

    ``page`` is the last answer; ``visited`` lists each address that was asked for.
    """

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.headers = headers
        self.cookies: dict[str, str] = {}
        self.visited: list[str] = []
        self.page: httpx.Response
        self._http = httpx.Client(base_url=url, timeout=LIMIT_S)

    @property
    def site(self) -> str:
        """The address that the browser shows."""
        return f"{self.headers.get('X-Forwarded-Proto', 'http')}://{self.headers['Host']}"

    @property
    def form(self) -> str:
        """The token of the forms on the page."""
        found = _FORM.search(self.page.text)
        assert found is not None, self.page.text
        return found[1]

    @property
    def session(self) -> str:
        """The cookie of the session."""
        return next(value for name, value in self.cookies.items() if name.endswith("_session"))

    def ask(self, method: str, path: str, **asked: Any) -> httpx.Response:
        """Send one request with the cookies, and keep those that come."""
        self.visited.append(path)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {**self.headers, **({"Cookie": cookie} if cookie else {})}
        headers |= asked.pop("headers", {})
        address = path if path.startswith(LIVE) else ROOT + path
        answer = self._http.request(method, address, headers=headers, **asked)
        for line in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                self.cookies.pop(name, None)
                if morsel.value:
                    self.cookies[name] = morsel.value
        return answer

    def get(self, path: str) -> httpx.Response:
        """Open a page."""
        return self._follow(self.ask("GET", path))

    def send(self, path: str, **fields: str) -> httpx.Response:
        """Send a form of the present page, with its token, and follow where it leads."""
        return self._follow(self.post(path, {"form": self.form, **fields}))

    def post(
        self, path: str, fields: dict[str, str], headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """Send a form with exactly these fields."""
        own = {"Origin": self.site, "Sec-Fetch-Site": "same-origin"}
        said = {name: value for name, value in {**own, **(headers or {})}.items() if value}
        return self.ask("POST", path, data=fields, headers=said)

    def sign_in(self, account: str, password: str = PASSWORD) -> httpx.Response:
        """Sign in with a password."""
        self.get("/sign-in")
        return self.send("/sign-in", account=account, password=password)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _follow(self, answer: httpx.Response) -> httpx.Response:
        hops = 0
        while answer.status_code == 303:
            hops += 1
            assert hops < 5, "the pages lead in a circle"
            answer = self.ask("GET", answer.headers["location"].removeprefix(ROOT))
        self.page = answer
        return answer
