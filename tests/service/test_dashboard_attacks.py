"""D109: what attackers try on the dashboard, each refused; every test is one attack."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.server.dashboard.site import LEISURE
from oddsdesk.store.databases import Database
from tests.kit.dashboard import KEY, PASSWORD, SITE, Browser, RunningDashboard

pytestmark = pytest.mark.one_engine

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    running.quote()
    yield running
    running.close()


@pytest.fixture
def owner(service: RunningDashboard, request: pytest.FixtureRequest) -> Browser:
    """A signed-in owner of an account of the test's own, on the page of keys."""
    browser = service.signed_in(name_of(request))
    browser.get("/keys")
    return browser


def name_of(request: pytest.FixtureRequest) -> str:
    return request.node.name[:60]


def keys_of(service: RunningDashboard, account: str) -> int:
    return len(service.access.keys.account(account, service.now).key_ids)


def refuses_to_create(
    service: RunningDashboard,
    request: pytest.FixtureRequest,
    answer: httpx.Response,
    status: int = 403,
) -> None:
    assert answer.status_code == status
    assert not KEY.search(answer.text)
    assert keys_of(service, name_of(request)) == 0


# Forms from elsewhere


def test_a_form_without_a_token(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    refuses_to_create(service, request, owner.post("/keys/create", {"key": "1"}))


@pytest.mark.parametrize("token", ["", "0" * 64, "é", "x" * 5_000])
def test_a_guessed_token(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, token: str
) -> None:
    refuses_to_create(service, request, owner.post("/keys/create", {"form": token}))


def test_the_token_of_another_owner(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    other = service.signed_in("the attacker")
    refuses_to_create(service, request, owner.post("/keys/create", {"form": other.form}))


def test_the_token_from_before_the_sign_in(
    service: RunningDashboard, request: pytest.FixtureRequest
) -> None:
    service.signed_in(name_of(request))
    browser = service.browser()
    browser.get("/sign-in")
    early = browser.form
    browser.send("/sign-in", account=name_of(request), password=PASSWORD)
    refuses_to_create(service, request, browser.post("/keys/create", {"form": early}))


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", f"https://{SITE}.evil.example", "https://x@y"]
)
def test_a_form_from_another_site(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, origin: str
) -> None:
    answer = owner.post("/keys/create", {"form": owner.form}, {"Origin": origin})
    refuses_to_create(service, request, answer, 400)


@pytest.mark.parametrize("origin", [f"http://{SITE}", f"https://{SITE}:8443", "http://localhost"])
def test_a_form_from_another_port_or_scheme(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, origin: str
) -> None:
    answer = owner.post("/keys/create", {"form": owner.form}, {"Origin": origin})
    refuses_to_create(service, request, answer)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_form_that_the_browser_calls_foreign(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, site: str
) -> None:
    answer = owner.post(
        "/keys/create", {"form": owner.form}, {"Origin": "", "Sec-Fetch-Site": site}
    )
    refuses_to_create(service, request, answer)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_a_change_by_another_method(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, method: str
) -> None:
    answer = owner.ask(method, f"/keys/create?form={owner.form}")
    refuses_to_create(service, request, answer, 405)
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", ""])
def test_a_body_that_is_no_form(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest, kind: str
) -> None:
    headers = {"Origin": owner.site, "Content-Type": kind}
    answer = owner.ask("POST", "/keys/create", content=f"form={owner.form}", headers=headers)
    refuses_to_create(service, request, answer, 400)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("form={0}&form={0}", 400),
        ("form={0}&" + "&".join(f"f{n}=1" for n in range(50)), 400),
        ("form={0}&a=%ff%fe", 400),
        ("form={0}&a=é", 400),
        ("form={0}&a=" + "x" * 20_000, 413),
    ],
)
def test_a_form_that_is_made_to_break_the_parser(
    service: RunningDashboard,
    owner: Browser,
    request: pytest.FixtureRequest,
    body: str,
    status: int,
) -> None:
    headers = {"Origin": owner.site, "Content-Type": "application/x-www-form-urlencoded"}
    content = body.format(owner.form).encode()
    answer = owner.ask("POST", "/keys/create", content=content, headers=headers)
    refuses_to_create(service, request, answer, status)


def test_a_forged_sign_in_into_the_attackers_account(service: RunningDashboard) -> None:
    """Login CSRF: a victim would make keys in an account that the attacker can read."""
    service.signed_in("login csrf")
    attacker, victim = service.browser(), service.browser()
    attacker.get("/sign-in")
    fields = {"form": attacker.form, "account": "login csrf", "password": PASSWORD}
    answer = victim.post("/sign-in", fields)
    assert answer.status_code == 403
    assert not any("session" in name for name in victim.cookies)


# Sessions


def test_a_session_that_was_planted_before_the_sign_in(
    service: RunningDashboard, request: pytest.FixtureRequest
) -> None:
    """Fixation."""
    service.signed_in(name_of(request))
    planted = "a" * 64
    victim, attacker = service.browser(), service.browser()
    for each in (victim, attacker):
        each.cookies["__Host-oddsdesk_session"] = planted
    victim.sign_in(name_of(request))
    assert victim.session != planted
    assert "Sign in" in attacker.get("/keys").text


def test_a_session_of_the_attacker_that_the_victim_signs_in_on(
    service: RunningDashboard, request: pytest.FixtureRequest
) -> None:
    """Fixation with a valid session: it ends, and a new one begins."""
    service.signed_in(name_of(request))
    attacker, victim = service.signed_in("fixing attacker"), service.browser()
    victim.get("/sign-in")
    victim.cookies["__Host-oddsdesk_session"] = attacker.session
    victim.get(f"/invitation?token={service.invite(name_of(request))}")
    victim.send("/invitation", password=PASSWORD, again=PASSWORD)
    assert victim.session != attacker.session
    assert "Sign in" in attacker.get("/keys").text


def test_a_script_that_reads_the_cookie(owner: Browser, service: RunningDashboard) -> None:
    browser = service.browser()
    answer = browser.ask("GET", "/sign-in")
    lines = answer.headers.get_list("set-cookie")
    assert lines
    for line in lines:
        assert line.startswith("__Host-oddsdesk_")
        for said in ("; HttpOnly", "; Secure", "; SameSite=Strict", "; Path=/"):
            assert said in line
        assert "Domain" not in line


def test_a_session_after_signing_out(owner: Browser) -> None:
    stolen = owner.session
    owner.send("/sign-out")
    assert "You are signed out." in owner.page.text
    owner.cookies["__Host-oddsdesk_session"] = stolen
    assert "Sign in" in owner.get("/keys").text


def test_a_session_of_a_removed_account(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    service.access.keys.remove_account(name_of(request), service.now)
    page = owner.send("/keys/create")
    assert "Sign in" in page.text
    assert all(each.name != name_of(request) for each in service.access.keys.accounts(service.now))


@pytest.mark.parametrize("guess", ["0" * 64, "", "é", "' OR 1=1 --", "x" * 4_000])
def test_a_guessed_session(service: RunningDashboard, guess: str) -> None:
    browser = service.browser()
    headers = {"Cookie": f"__Host-oddsdesk_session={guess}".encode()}
    answer = browser.ask("GET", "/keys", headers=headers)
    assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard/sign-in")


def test_two_session_cookies(service: RunningDashboard, owner: Browser) -> None:
    both = f"__Host-oddsdesk_session={owner.session}; __Host-oddsdesk_session={'0' * 64}"
    assert service.browser().ask("GET", "/keys", headers={"Cookie": both}).status_code == 303


def test_a_cookie_that_a_sister_site_has_planted(service: RunningDashboard, owner: Browser) -> None:
    """Only a ``__Host-`` cookie counts over TLS: no other site can set that."""
    headers = {"Cookie": f"oddsdesk_session={owner.session}"}
    assert service.browser().ask("GET", "/keys", headers=headers).status_code == 303


def test_the_session_as_a_key_of_the_api(service: RunningDashboard, owner: Browser) -> None:
    cookie = {"Cookie": f"__Host-oddsdesk_session={owner.session}"}
    assert service.http.get("/api/sports", headers=cookie).status_code == 401
    assert service.get("/api/sports", owner.session).status_code == 401


def test_a_key_of_the_api_as_a_session(service: RunningDashboard) -> None:
    answer = service.browser().ask("GET", "/keys", headers={"X-Api-Key": service.key()})
    assert answer.status_code == 303


# Guessing accounts and passwords


def failed(browser: Browser, account: str) -> tuple[int, str, str]:
    """Return status, text and wait of a failed sign-in, without what is random."""
    page = browser.sign_in(account, "not the password")
    text = page.text.replace(browser.form, "FORM").replace(account, "NAME")
    return page.status_code, text, page.headers.get("retry-after", "")


def test_an_account_that_does_not_exist_looks_like_a_wrong_password(
    service: RunningDashboard,
) -> None:
    """Enumeration by words, status and headers, before and after the slow-down."""
    service.signed_in("known")
    service.access.owners.invite("invited", service.now)
    tries = {
        name: [failed(service.browser(), name) for _ in range(7)]
        for name in ("known", "no such", "invited")
    }
    assert tries["known"] == tries["no such"] == tries["invited"]
    assert [status for status, *_ in tries["known"]] == [422] * 5 + [429] * 2
    service.now += 3_600_000


def test_an_account_that_does_not_exist_takes_as_long(
    service: RunningDashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enumeration by time: one password is checked for any name."""
    service.signed_in("timed")
    hasher = service.access.owners._hashing
    checks: list[str | None] = []
    matches = hasher.matches

    def counted(stored: str | None, password: str) -> bool:
        checks.append(stored)
        return matches(stored, password)

    monkeypatch.setattr(hasher, "matches", counted)
    for name in ("timed", "no such timed"):
        service.browser().sign_in(name, "not the password")
    assert len(checks) == 2
    assert checks[1] is None


def test_guessing_a_password(service: RunningDashboard) -> None:
    """After five failures not even the right password is looked at, for some seconds."""
    service.signed_in("guessed")
    for number in range(5):
        service.browser().sign_in("guessed", f"guess number {number}")
    page = service.browser().sign_in("guessed")
    assert page.status_code == 429
    assert "the password was not checked" in page.text
    assert 0 < int(page.headers["retry-after"]) <= 5
    service.now += 5_000
    assert "Keys" in service.browser().sign_in("guessed").text


def test_one_address_tries_many_accounts(service: RunningDashboard) -> None:
    browser = service.browser()
    tries = [browser.sign_in(f"sprayed {n}", PASSWORD).status_code for n in range(7)]
    assert tries == [422] * 5 + [429] * 2


def test_a_failed_sign_in_leaves_no_password_in_the_page(service: RunningDashboard) -> None:
    page = service.browser().sign_in("somebody", "a very secret password")
    assert "a very secret password" not in page.text


def test_an_owner_looks_for_the_operators_pages(service: RunningDashboard, owner: Browser) -> None:
    """They look like pages that do not exist."""
    nowhere = owner.get("/no-such-page")
    for path in ("/accounts", "/server"):
        page = owner.get(path)
        assert page.status_code == nowhere.status_code == 404
        assert page.text == nowhere.text


# Other people's accounts


@pytest.mark.parametrize("action", ["rotate", "revoke"])
def test_another_accounts_key(service: RunningDashboard, owner: Browser, action: str) -> None:
    key = service.access.keys.create(f"victim of {action}", Plan.PRO, None, service.now)
    page = owner.send(f"/keys/{action}", key=str(key.key.key_id))
    assert "That key is not active" in page.text
    assert service.get("/api/sports", key.secret).status_code == 200
    masked = owner.send(f"/keys/{action}", key=key.key.masked)
    assert "That key is not active" in masked.text
    assert service.get("/api/sports", key.secret).status_code == 200


def test_another_accounts_session(service: RunningDashboard, owner: Browser) -> None:
    victim = service.signed_in("victim of ending")
    (session,) = service.access.owners.sessions("victim of ending", service.now)
    owner.get("/account")
    page = owner.send("/account/end", session=str(session.session_id))
    assert "That session is over." in page.text
    assert "Keys" in victim.get("/keys").text


@pytest.mark.parametrize("ident", ["", "-1", "1 OR 1=1", "9" * 40, "²"])
def test_a_session_number_that_is_none(owner: Browser, ident: str) -> None:
    owner.get("/account")
    assert "That session is over." in owner.send("/account/end", session=ident).text


OPERATORS_FORMS = [
    *("invite", "change", "remove", "withdraw", "sign-out", "make-operator", "end-operator")
]


@pytest.mark.parametrize("action", OPERATORS_FORMS)
def test_an_owner_does_what_only_operators_may(
    service: RunningDashboard, owner: Browser, action: str
) -> None:
    account = f"untouched by {action}"
    service.key(account=account)
    page = owner.send(f"/accounts/{action}", account=account, plan="Free", bookmaker="")
    assert page.status_code == 404
    state = service.access.keys.account(account, service.now)
    assert (state.plan, len(state.key_ids)) == (Plan.PRO_LIVE, 1)
    assert service.access.owners.states(service.now)[account].invited_until is None


@pytest.mark.parametrize("action", OPERATORS_FORMS)
def test_a_former_operator_sends_a_form_that_is_still_open(
    service: RunningDashboard, request: pytest.FixtureRequest, action: str
) -> None:
    former = service.signed_in(name_of(request), operator=True)
    victim = service.signed_in(f"victim of a former operator: {action}", operator=True)
    account = f"victim of a former operator: {action}"
    before = service.access.owners.states(service.now)[account]
    former.get("/accounts")
    service.access.owners.end_operator(name_of(request))
    page = former.send(f"/accounts/{action}", account=account, plan="Free", bookmaker="")
    assert page.status_code == 404
    assert service.access.owners.states(service.now)[account] == before
    assert "Keys" in victim.get("/keys").text


@pytest.mark.parametrize("action", OPERATORS_FORMS)
def test_another_site_sends_an_operators_form(
    service: RunningDashboard, request: pytest.FixtureRequest, action: str
) -> None:
    account = f"target of {action}"
    service.signed_in(account, operator=action == "end-operator")
    service.invite(account, operator=False) if action == "withdraw" else None
    before = service.access.owners.states(service.now)[account]
    operator = service.signed_in(name_of(request), operator=True)
    operator.get("/accounts")
    fields = {"form": operator.form, "account": account, "plan": "Free", "bookmaker": ""}
    path = f"/accounts/{action}"
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert operator.post(path, fields, headers).status_code in (400, 403)
    assert operator.post(path, fields | {"form": "0" * 64}).status_code == 403
    assert operator.ask("GET", path).status_code == 405
    assert service.access.owners.states(service.now)[account] == before


@pytest.mark.parametrize("action", ["remove", "sign-out", "make-operator", "end-operator"])
def test_an_operator_is_made_to_change_their_own_account(
    service: RunningDashboard, request: pytest.FixtureRequest, action: str
) -> None:
    """Each operator leaves the others' roles, so one is left."""
    browser = service.signed_in(name_of(request), operator=True)
    browser.get("/accounts")
    page = browser.send(f"/accounts/{action}", account=f"  {name_of(request)} ")
    assert "You are signed in with this account." in page.text
    assert browser.get("/accounts").status_code == 200


@pytest.mark.parametrize("action", ["remove", "end-operator"])
def test_two_operators_take_the_role_from_each_other(
    service: RunningDashboard,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
) -> None:
    """The second was still an operator when the request was let in."""
    for name, state in service.access.owners.states(service.now).items():
        if state.is_operator:
            service.access.owners.invite(name, service.now, operator=False)
    names = [f"{name_of(request)[:50]} {number}" for number in (1, 2)]
    first, second = (service.signed_in(name, operator=True) for name in names)
    for each in (first, second):
        each.get("/accounts")
    owners = service.access.owners
    late = owners.session(second.session, service.now)
    assert "message good" in first.send("/accounts/end-operator", account=names[1]).text
    found = owners.session
    monkeypatch.setattr(
        owners,
        "session",
        lambda token, *said, **more: (
            late if token == second.session else found(token, *said, **more)
        ),
    )
    page = second.send(f"/accounts/{action}", account=names[0])
    assert "is the only operator" in page.text
    monkeypatch.undo()
    assert first.get("/accounts").status_code == 200


def test_a_stolen_session_does_not_become_an_operators(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    """Nor does a link that somebody else may have."""
    link = service.access.owners.invite(name_of(request), service.now).token
    operator = service.signed_in("promoting operator", operator=True)
    operator.get("/accounts")
    page = operator.send("/accounts/make-operator", account=name_of(request))
    assert "is an operator now" in page.text
    assert "Sign in" in owner.get("/accounts").text
    assert service.browser().get(f"/invitation?token={link}").status_code == 404
    assert owner.sign_in(name_of(request)).status_code == 200
    assert owner.get("/accounts").status_code == 200


def test_a_link_offers_a_role_that_was_taken_back(
    service: RunningDashboard, request: pytest.FixtureRequest
) -> None:
    account = name_of(request)
    operator = service.signed_in("who takes back", operator=True)
    service.signed_in(account, operator=True)
    link = service.invite(account, operator=True)
    operator.get("/accounts")
    operator.send("/accounts/end-operator", account=account)
    assert service.browser().get(f"/invitation?token={link}").status_code == 404


@pytest.mark.parametrize("said", ["", "no", "YES", "true", "é"])
def test_a_box_that_no_browser_sends_makes_no_operator(
    service: RunningDashboard, request: pytest.FixtureRequest, said: str
) -> None:
    operator = service.signed_in(f"boxes {said}", operator=True)
    operator.get("/accounts")
    account = f"no operator by {said!r}"
    page = operator.send("/accounts/invite", account=account, operator=said)
    assert "makes the owner an operator" not in page.text
    assert not service.access.owners.states(service.now)[account].makes_operator


@pytest.mark.parametrize("plan", ["free", "Pro+", "Unlimited", "' OR 1=1 --"])
def test_an_invitation_with_a_plan_that_is_none(service: RunningDashboard, plan: str) -> None:
    operator = service.signed_in(f"invites on {plan}", operator=True)
    operator.get("/accounts")
    page = operator.send("/accounts/invite", account="on no plan", plan=plan)
    assert "Choose a plan from the list." in page.text
    assert "on no plan" not in service.access.owners.states(service.now)


def test_an_owner_adds_a_plan_to_a_form(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    owner.send("/keys/create", plan="Pro+ Live", account="somebody else", may_write="1")
    state = service.access.keys.account(name_of(request), service.now)
    (key,) = [each for each in service.access.keys.all_keys() if each.account == state.name]
    assert (state.plan, key.may_write) == (Plan.PRO, False)


def test_a_former_operator(service: RunningDashboard, request: pytest.FixtureRequest) -> None:
    browser = service.signed_in(name_of(request), operator=True)
    assert browser.get("/accounts").status_code == 200
    service.access.owners.invite(name_of(request), service.now, operator=False)
    assert browser.get("/accounts").status_code == 404


@pytest.mark.parametrize(
    "action", [each for each in OPERATORS_FORMS if each not in ("invite", "withdraw")]
)
def test_the_desks_own_account(service: RunningDashboard, action: str) -> None:
    service.access.keys.reissue("desk", Plan.PRO_LIVE, service.now)
    browser = service.signed_in(f"operator to {action} the desk", operator=True)
    browser.get("/accounts")
    page = browser.send(f"/accounts/{action}", account="desk", plan="Free", bookmaker="")
    assert 'class="message bad"' in page.text
    assert service.access.keys.all_keys()


# On the way


def test_a_password_over_a_connection_that_anybody_can_read(service: RunningDashboard) -> None:
    """Off loopback without TLS: no form, no cookie, and a password is not looked at."""
    service.signed_in("plain")
    browser = service.browser(**{"X-Forwarded-Proto": "http"})
    for path in ("", "/sign-in", "/invitation", "/keys"):
        page = browser.ask("GET", path)
        assert page.status_code == 403
        assert "not encrypted" in page.text
        assert "<form" not in page.text
        assert "set-cookie" not in page.headers
    answer = browser.post("/sign-in", {"account": "plain", "password": PASSWORD})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_stolen_session_over_a_connection_that_anybody_can_read(
    service: RunningDashboard, owner: Browser
) -> None:
    plain = service.browser(**{"X-Forwarded-Proto": "http"})
    for name in ("__Host-oddsdesk_session", "oddsdesk_session"):
        answer = plain.ask("GET", "/keys", headers={"Cookie": f"{name}={owner.session}"})
        assert answer.status_code == 403


def test_a_page_that_points_its_name_to_this_server(service: RunningDashboard) -> None:
    """DNS rebinding."""
    assert service.browser(Host="evil.example").ask("GET", "/sign-in").status_code == 400


# What the pages carry


def test_a_script_as_the_name_of_an_account(service: RunningDashboard) -> None:
    service.signed_in(f"a {SCRIPT}")
    browser = service.signed_in("operator who reads names", operator=True)
    text = browser.get("/accounts").text
    assert SCRIPT not in text
    assert "a &lt;script&gt;" in text


def test_a_script_as_the_name_of_a_bookmaker(service: RunningDashboard) -> None:
    service.quote(bookmaker=f'"><img src=x onerror=alert(1)>{SCRIPT}')
    browser = service.signed_in("reads bookmakers", Plan.FREE)
    text = browser.get("/keys").text
    assert SCRIPT not in text
    assert "<img" not in text


def test_a_script_in_a_field_that_the_page_repeats(service: RunningDashboard) -> None:
    page = service.browser().sign_in(f'"><{SCRIPT}', "x")
    assert SCRIPT not in page.text
    assert page.status_code == 422


def test_a_script_as_the_name_of_a_browser(service: RunningDashboard) -> None:
    browser = service.browser(**{"User-Agent": SCRIPT})
    browser.get(f"/invitation?token={service.invite('agent')}")
    browser.send("/invitation", password=PASSWORD, again=PASSWORD)
    assert SCRIPT not in browser.get("/account").text


def test_a_template_as_the_name_of_an_account(service: RunningDashboard) -> None:
    page = service.browser().sign_in("{{ 7 * 191 }}", "x")
    assert "1337" not in page.text


@pytest.mark.parametrize("path", ["/sign-in", "/keys", "/no-such-page", "/keys/create", "/x"])
def test_a_page_in_the_frame_of_another(owner: Browser, path: str) -> None:
    """Every answer, errors too, forbids frames, foreign scripts and copies."""
    headers = owner.ask("GET", path).headers
    policy = headers["content-security-policy"]
    for said in (
        "default-src 'none'",
        "script-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ):
        assert said in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] in ("same-origin", "no-referrer")


@pytest.mark.parametrize(
    "path", ["//evil.example", "/%2e%2e/%2e%2e/etc/passwd", "/../api/sports", "/%0d%0aX-Evil:1"]
)
def test_a_path_that_leads_out_of_the_dashboard(owner: Browser, path: str) -> None:
    answer = owner.ask("GET", path)
    assert answer.status_code in (400, 401, 404)
    assert "x-evil" not in answer.headers
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    "token", ["%0d%0aSet-Cookie:+a=b", "a;+Domain=evil.example", "é", "a" * 999]
)
def test_a_token_that_adds_a_header(service: RunningDashboard, token: str) -> None:
    browser = service.browser()
    page = browser.get(f"/invitation?token={token}")
    assert page.status_code == 404
    assert "This invitation has ended" in page.text
    assert set(browser.cookies) <= {"__Host-oddsdesk_visit", "__Host-oddsdesk_invitation"}
    assert browser.cookies["__Host-oddsdesk_invitation"] == "none"


# Invitations and keys that are shown once


def test_an_invitation_that_was_used(service: RunningDashboard) -> None:
    token = service.invite("used once")
    first, second = service.browser(), service.browser()
    for each in (first, second):
        each.get(f"/invitation?token={token}")
    first.send("/invitation", password=PASSWORD, again=PASSWORD)
    page = second.send(
        "/invitation", password="an attackers password", again="an attackers password"
    )
    assert page.status_code == 404
    assert not any("session" in name for name in second.cookies)


def test_an_invitation_that_was_replaced_or_is_old(service: RunningDashboard) -> None:
    old = service.invite("replaced")
    service.invite("replaced")
    assert service.browser().get(f"/invitation?token={old}").status_code == 404
    late = service.invite("late")
    service.now += 8 * 86_400_000
    assert service.browser().get(f"/invitation?token={late}").status_code == 404


def test_the_invitation_in_addresses_and_references(service: RunningDashboard) -> None:
    token = service.invite("addressed")
    browser = service.browser()
    answer = browser.ask("GET", f"/invitation?token={token}")
    assert answer.headers["location"] == "/dashboard/invitation"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert token not in answer.text
    assert token not in browser.get("/invitation").text


def test_a_key_in_addresses_logs_cookies_and_later_pages(
    service: RunningDashboard, owner: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = owner.post("/keys/create", {"form": owner.form})
    assert answer.status_code == 303
    assert not KEY.search(str(answer.headers))
    hidden = owner.cookies["__Host-oddsdesk_once"]
    (secret,) = set(KEY.findall(owner.get("/keys").text))
    assert secret not in hidden
    assert "__Host-oddsdesk_once" not in owner.cookies
    for path in ("/keys", "/usage", "/account"):
        assert secret not in owner.get(path).text
    assert secret not in caplog.text
    assert not any(secret in address for address in owner.visited)


def test_a_key_in_the_page_that_a_browser_keeps_for_going_back(owner: Browser) -> None:
    """The page after it changes a cookie: Chromium then drops pages that are not to be stored."""
    owner.send("/keys/create")
    assert "__Host-oddsdesk_shown" in owner.cookies
    owner.get("/usage")
    assert "__Host-oddsdesk_shown" not in owner.cookies


def test_a_hidden_key_in_another_browser_later_or_altered(
    service: RunningDashboard, owner: Browser
) -> None:
    owner.post("/keys/create", {"form": owner.form})
    hidden = owner.cookies["__Host-oddsdesk_once"]
    other = service.signed_in("reads hidden keys")
    other.cookies["__Host-oddsdesk_once"] = hidden
    assert not KEY.search(other.get("/keys").text)
    for altered in (hidden[:-4] + "AAAA", hidden[:40], "AAAA" * 20, "é", "=", ""):
        owner.cookies["__Host-oddsdesk_once"] = altered
        page = owner.ask("GET", "/keys", headers={"Cookie": _cookies(owner)})
        assert page.status_code == 200
        assert not KEY.search(page.text)
    owner.cookies["__Host-oddsdesk_once"] = hidden
    service.now += 61_000
    assert not KEY.search(owner.get("/keys").text)


def test_a_reload_makes_no_second_key(
    service: RunningDashboard, owner: Browser, request: pytest.FixtureRequest
) -> None:
    owner.send("/keys/create")
    for _ in range(3):
        owner.get("/keys")
    assert keys_of(service, name_of(request)) == 1


# Floods


def test_a_flood_of_sign_ins_stops_neither_keys_nor_owners(
    service: RunningDashboard, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only four passwords are checked or wait; others are refused at once."""
    hasher, key = service.access.owners._hashing, service.key()
    service.get("/api/sports", key)
    release = threading.Event()

    def slow(stored: str | None, password: str) -> bool:
        return not release.wait(30)

    monkeypatch.setattr(hasher, "matches", slow)
    found: list[Any] = []
    browsers = [service.browser() for _ in range(6)]
    for each in browsers:
        each.get("/sign-in")
    threads = [
        threading.Thread(
            target=lambda each=each, n=n: found.append(
                each.send("/sign-in", account=f"flood {n}", password="x" * 20).status_code
            )
        )
        for n, each in enumerate(browsers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while len(found) < 2:
            thread.join(0.01)
    try:
        assert found == [503, 503]
        assert service.get("/api/sports", key).status_code == 200
        assert "Keys" in owner.get("/keys").text
    finally:
        release.set()
        for thread in threads:
            thread.join()
    assert sorted(found) == [422] * 4 + [503] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a nice value on Linux only")
def test_the_check_of_a_password_lets_all_other_work_go_first(
    service: RunningDashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def noted(stored: str | None, password: str) -> bool:
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return False

    monkeypatch.setattr(service.access.owners._hashing, "matches", noted)
    service.browser().sign_in("priority", "not the password")
    assert found == [LEISURE]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < LEISURE


def _cookies(browser: Browser) -> bytes:
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items()).encode()
