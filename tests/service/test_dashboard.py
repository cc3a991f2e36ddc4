"""D109: account owners manage their keys in a browser, operators the accounts."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import msgspec
import pytest

from oddsdesk.cli.serve import check_together
from oddsdesk.contract.access import Plan
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.databases import Database
from tests.kit.dashboard import KEY, PASSWORD, RunningDashboard


@pytest.fixture(scope="module")
def service(new_database: Callable[[], Database]) -> Iterator[RunningDashboard]:
    running = RunningDashboard(new_database())
    running.quote()
    yield running
    running.close()


def titles(text: str) -> str:
    found = re.search("<title>(.*) – oddsdesk</title>", text)
    assert found is not None
    return found[1]


def test_an_invited_owner_sets_a_password_and_makes_a_key(service: RunningDashboard) -> None:
    """D109: by a link of the operator, then by a password."""
    browser = service.browser()
    page = browser.get(f"/invitation?token={service.invite('anna')}")
    assert titles(page.text) == "Set a password"
    assert "token=" not in str(page.request.url)
    page = browser.send("/invitation", password="too short", again="too short")
    assert page.status_code == 422
    assert "at least 12 characters" in page.text
    page = browser.send("/invitation", password=PASSWORD, again=f"{PASSWORD}!")
    assert "The two passwords differ." in page.text
    browser.send("/invitation", password=PASSWORD, again=PASSWORD)
    page = browser.send("/keys/create")
    (secret,) = set(KEY.findall(page.text))
    assert service.get("/api/sports", secret).status_code == 200
    assert not KEY.search(browser.get("/keys").text)
    assert f"oddsdesk_live_****{secret[-4:]}" in browser.page.text


def test_a_key_is_rotated_and_revoked(service: RunningDashboard) -> None:
    """service.md, Keys: the old key stops working at once, a revoked one for good."""
    browser = service.signed_in("rotating")
    browser.get("/keys")
    first = KEY.findall(browser.send("/keys/create").text)[0]
    ident = re.findall(r'name="key" value="(\d+)"', browser.page.text)[0]
    second = KEY.findall(browser.send("/keys/rotate", key=ident).text)[0]
    assert service.get("/api/sports", first).status_code == 401
    assert service.get("/api/sports", second).status_code == 200
    browser.send("/keys/revoke", key=ident)
    assert service.get("/api/sports", second).status_code == 401
    assert "was revoked" in browser.page.text
    assert "That key is not active" in browser.send("/keys/revoke", key=ident).text


def test_the_sixth_key_is_refused(service: RunningDashboard) -> None:
    """service.md, Keys: five at most."""
    browser = service.signed_in("many keys")
    browser.get("/keys")
    for _ in range(5):
        browser.send("/keys/create")
    assert "Create key" not in browser.page.text
    assert "at most 5 keys" in browser.send("/keys/create").text
    assert len(service.access.keys.account("many keys", service.now).key_ids) == 5


def test_the_free_plan_chooses_among_the_known_bookmakers(service: RunningDashboard) -> None:
    """service.md, Plans: one bookmaker, chosen in the dashboard."""
    browser = service.signed_in("free", Plan.FREE)
    page = browser.get("/keys")
    assert "none is chosen" in page.text
    assert '<option value="Betfair">' in page.text
    page = browser.send("/keys/bookmaker", bookmaker="Betfair")
    assert "Your bookmaker is Betfair now." in page.text
    assert "get no odds" not in page.text
    secret = KEY.findall(browser.send("/keys/create").text)[0]
    assert service.data("/api/bookmakers", service.key()) is not None
    assert service.get("/api/odds", secret).status_code == 200
    page = browser.send("/keys/bookmaker", bookmaker="No such")
    assert "Choose a bookmaker from the list." in page.text


def test_the_bookmakers_that_have_odds_now_are_marked(service: RunningDashboard) -> None:
    """Most known names have none: a key of such an account gets empty answers."""
    service.quote()
    browser = service.signed_in("choosing", Plan.FREE)
    priced, others = re.findall("<optgroup(.*?)</optgroup>", browser.get("/keys").text)
    assert 'label="With odds now"' in priced
    assert 'value="Betfair"' in priced
    assert 'label="Without odds now"' in others
    assert 'value="Betway"' in others
    page = browser.send("/keys/bookmaker", bookmaker="Betway")
    assert "Your keys get no odds at the moment: there are none of Betway." in page.text
    operator = service.signed_in("choosing operator", operator=True)
    operator.get("/accounts")
    fields = {"account": "choosing", "plan": "Free"}
    page = operator.send("/accounts/change", bookmaker="Unibet", **fields)
    assert "no odds at the moment: there are none of Unibet" in page.text
    page = operator.send("/accounts/change", bookmaker="Betfair", **fields)
    assert "no odds" not in page.text


def test_usage_shows_what_is_left_and_the_day_of_the_last_use(service: RunningDashboard) -> None:
    """D109: requests left, streams open, last use of each key by day."""
    browser = service.signed_in("using", Plan.FREE)
    service.access.keys.change_account("using", service.now, bookmaker="Betfair")
    browser.get("/keys")
    secret = KEY.findall(browser.send("/keys/create").text)[0]
    assert "Not yet" in browser.get("/usage").text
    browser.get("/keys")
    browser.send("/keys/create")
    for _ in range(3):
        service.get("/api/sports", secret)
    for _ in range(2):  # counts are saved a little later than they are made
        page = browser.get("/usage").text
        assert "197 of 200" in page
        assert "20 Nov 2026" in page
        assert page.count("Not yet") == 1
        service.access.quotas.save_counts_now()
    ends = re.compile(r"_\*\*\*\*(\w+)</code>")
    assert ends.findall(page) == ends.findall(browser.get("/keys").text)


def test_an_account_without_keys_has_no_requests(service: RunningDashboard) -> None:
    browser = service.signed_in("keyless", operator=True)
    assert "no active key" in browser.get("/usage").text
    row = browser.get("/accounts").text.split("keyless</th>")[1].split("</tr>")[0]
    assert '<td data-label="Requests left">–</td>' in row


def test_a_changed_password_ends_all_other_sessions(service: RunningDashboard) -> None:
    """D109: sessions can be ended."""
    browser = service.signed_in("two browsers")
    other = service.browser()
    other.sign_in("two browsers")
    browser.get("/account")
    wrong = browser.send("/account/password", current="x", password="a" * 3, again="b")
    assert "The two passwords differ." in wrong.text
    fields = {"password": "another battery staple", "again": "another battery staple"}
    assert (
        "current password is wrong"
        in browser.send("/account/password", current="not the password", **fields).text
    )
    same = {"password": PASSWORD, "again": PASSWORD}
    page = browser.send("/account/password", current=PASSWORD, **same)
    assert "must differ from the current one" in page.text
    assert "is changed" in browser.send("/account/password", current=PASSWORD, **fields).text
    assert titles(other.get("/keys").text) == "Sign in"
    assert titles(browser.get("/keys").text) == "Keys"


def test_an_owner_ends_other_sessions(service: RunningDashboard) -> None:
    """D109: sessions can be ended, one or all others."""
    browser = service.signed_in("three browsers")
    others = [service.browser() for _ in range(2)]
    for other in others:
        other.sign_in("three browsers")
    browser.get("/account")
    ident = re.findall(r'name="session" value="(\d+)"', browser.page.text)[0]
    browser.send("/account/end", session=ident)
    ended = [titles(each.get("/keys").text) for each in others]
    assert sorted(ended) == ["Keys", "Sign in"]
    browser.send("/account/end-others")
    assert [titles(each.get("/keys").text) for each in others] == ["Sign in", "Sign in"]
    assert titles(browser.get("/keys").text) == "Keys"


def test_an_operator_changes_a_plan_without_touching_keys(service: RunningDashboard) -> None:
    """D109: an account with five keys can change its plan."""
    keys = [service.key(Plan.PRO, account="five keys") for _ in range(5)]
    browser = service.signed_in("operator", operator=True)
    assert "five keys" in browser.get("/accounts").text
    page = browser.send("/accounts/change", account="five keys", plan="Pro+ Live", bookmaker="")
    assert "Account five keys is on Pro+ Live now." in page.text
    assert all(service.get("/api/odds/live", key).status_code == 200 for key in keys)
    page = browser.send("/accounts/change", account="five keys", plan="Free", bookmaker="")
    assert "none is chosen" in page.text
    browser.send("/accounts/remove", account="five keys")
    assert service.get("/api/sports", keys[0]).status_code == 401


def test_an_operator_invites_an_owner(service: RunningDashboard) -> None:
    """D109: a link that works once."""
    browser = service.signed_in("inviting operator", operator=True)
    browser.get("/accounts")
    page = browser.send("/accounts/invite", account="carla")
    found = re.search(r"https://odds\.example\.org/dashboard/invitation\?token=(\w+)", page.text)
    assert found is not None
    assert found[1] not in browser.get("/accounts").text
    owner = service.browser()
    owner.get(f"/invitation?token={found[1]}")
    owner.send("/invitation", password=PASSWORD, again=PASSWORD)
    assert titles(owner.page.text) == "Keys"
    assert titles(service.browser().get(f"/invitation?token={found[1]}").text).endswith("ended")
    page = browser.send("/accounts/invite", account="desk")
    assert page.status_code == 422
    assert titles(page.text) == "Error: Accounts"


def test_an_operator_invites_with_a_plan_and_a_role(service: RunningDashboard) -> None:
    browser = service.signed_in("generous operator", operator=True)
    browser.get("/accounts")
    page = browser.send("/accounts/invite", account="dora", plan="Pro+ RT", operator="yes")
    assert "It makes the owner an operator" in page.text
    assert "invited as operator until" in page.text
    assert service.access.keys.account("dora", service.now).plan is Plan.PRO_RT
    page = browser.send("/accounts/invite", account="dora", plan="")
    assert "It makes the owner an operator" in page.text
    assert service.access.keys.account("dora", service.now).plan is Plan.PRO_RT
    link = re.findall(r"token=(\w+)", page.text)[0]
    owner = service.browser()
    owner.get(f"/invitation?token={link}")
    owner.send("/invitation", password=PASSWORD, again=PASSWORD)
    assert owner.get("/accounts").status_code == 200


def test_an_operator_withdraws_an_invitation(service: RunningDashboard) -> None:
    browser = service.signed_in("withdrawing operator", operator=True)
    token = service.invite("withdrawn", Plan.PRO)
    assert "Withdraw invitation" in browser.get("/accounts").text
    page = browser.send("/accounts/withdraw", account="withdrawn")
    assert "Its link no longer works." in page.text
    assert service.browser().get(f"/invitation?token={token}").status_code == 404
    assert service.access.keys.account("withdrawn", service.now).plan is Plan.PRO
    assert "no such open invitation" in browser.send("/accounts/withdraw", account="x").text


def test_an_operator_ends_the_sessions_of_an_account(service: RunningDashboard) -> None:
    owner = service.signed_in("signed out by an operator")
    browser = service.signed_in("ending operator", operator=True)
    browser.get("/accounts")
    page = browser.send("/accounts/sign-out", account="signed out by an operator")
    assert "1 session of signed out by an operator ended." in page.text
    assert titles(owner.get("/keys").text) == "Sign in"
    assert owner.sign_in("signed out by an operator").status_code == 200


def test_an_operator_makes_and_ends_operators(service: RunningDashboard) -> None:
    owner = service.signed_in("made operator")
    service.invite("has no password")
    browser = service.signed_in("making operator", operator=True)
    browser.get("/accounts")
    page = browser.send("/accounts/make-operator", account="has no password")
    assert "nobody can sign in to account &#39;has no password&#39; yet" in page.text.lower()
    browser.send("/accounts/make-operator", account="made operator")
    owner.sign_in("made operator")
    assert owner.get("/accounts").status_code == 200
    page = browser.send("/accounts/end-operator", account="made operator")
    assert "made operator is no longer an operator." in page.text
    assert owner.get("/accounts").status_code == 404
    assert titles(owner.get("/keys").text) == "Keys"


def test_the_server_page_shows_what_health_and_feeds_know(service: RunningDashboard) -> None:
    """D109: feeds and their health, health status, reference, retention."""
    browser = service.signed_in("watching operator", operator=True)
    page = browser.get("/server").text
    assert titles(page) == "Server"
    for said in ("Pinnacle", "kept for ever", "real", "20 Nov 2026 18:00 UTC"):
        assert said in page


def test_the_server_page_does_not_call_old_odds_real(new_database: Callable[[], Database]) -> None:
    """A replay moves the times of old odds to now."""
    replay = RunningDashboard(new_database())
    try:
        replay.store.record([replay.quote()], shifted=True).result(timeout=10)
        page = replay.signed_in("operator of a replay", operator=True).get("/server").text
        assert "no bookmaker offers them any more" in page
        assert "<dd>real</dd>" not in page
    finally:
        replay.close()


def test_a_form_with_an_error_says_so_in_its_title_and_field(service: RunningDashboard) -> None:
    """The first wrong field is focused, and says what is wrong."""
    browser = service.browser()
    page = browser.sign_in("nobody at all", "not the password")
    assert titles(page.text) == "Error: Sign in"
    (field,) = re.findall(r"<input[^>]* autofocus>", page.text)
    assert 'aria-invalid="true" aria-describedby="password-error"' in field
    owner = service.signed_in("makes errors")
    owner.get("/account")
    page = owner.send("/account/password", current=PASSWORD, password="a", again="b")
    assert page.text.count(" autofocus") == 1
    assert 'autocomplete="username" value="makes errors" readonly hidden' in page.text
    assert titles(owner.send("/keys/revoke", key="0").text) == "Error: Keys"


def test_pages_work_with_the_reader_of_a_screen(service: RunningDashboard) -> None:
    """D109: titles, language, labels, the present page and a way past the menu."""
    browser = service.signed_in("listening", Plan.FREE, operator=True)
    for path in ("/keys", "/usage", "/account", "/accounts", "/server"):
        text = browser.get(path).text
        assert '<html lang="en">' in text
        assert text.count("<h1>") == 1
        assert 'aria-current="page"' in text
        assert 'href="#content"' in text
        fields = re.findall(r'<(?:input|select) id="([^"]+)"', text)
        labels = re.findall(r'<label for="([^"]+)"', text)
        assert set(fields) <= set(labels), path
        assert len(set(fields)) == len(fields), path
        assert "style=" not in text
        assert "onclick" not in text
        assert not re.search(r"<script(?! src)", text)
        assert "https://" not in text.replace("https://odds.example.org", "")


def test_without_the_option_there_is_no_dashboard(file_service: object) -> None:
    """D109: off by default."""
    answer = file_service.http.get("/dashboard")  # type: ignore[attr-defined]
    assert answer.status_code == 401


def test_the_option_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """D109: a clear message which extra to install."""
    settings = Settings(Path("odds.db"), dashboard=True)
    check_together(settings)
    with pytest.raises(click.UsageError, match="needs the role api"):
        check_together(msgspec.structs.replace(settings, roles=frozenset({Role.STREAM})))
    monkeypatch.setattr("oddsdesk.cli.serve.find_spec", lambda _name: None)
    with pytest.raises(
        click.UsageError, match=r"argon2, cryptography, jinja2, not installed: .*\[dashboard\]"
    ):
        check_together(settings)
