"""D109 in a real browser: an owner's day, by Chromium, with and without scripts."""

import re
from pathlib import Path

import httpx
import pytest

from tests.kit.browser import (
    PASSWORD,
    SIZES,
    Chromium,
    accept,
    browsers,
    invitation,
    reaches_all_by_tab,
    webdriver,
)
from tests.kit.program import Launch

__all__ = ["browsers"]


@pytest.fixture
def url(launch: Launch, tmp_path: Path) -> str:
    """The address of a server with a dashboard on ``tmp_path / "odds.db"``."""
    database = str(tmp_path / "odds.db")
    serving = launch("serve", "--port", "0", "--database", database, "--dashboard")
    return serving.first_line().removeprefix("listening on ")


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owners_day(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium], scripts: bool
) -> None:
    chromium = Chromium(SIZES[0], scripts=scripts)
    browsers.append(chromium)
    link = invitation(launch, tmp_path, "anna", "--plan", "Pro")
    chromium.driver.get(link)
    assert "token" not in chromium.driver.current_url
    chromium.fill(password=PASSWORD, again=PASSWORD)
    chromium.press("Set password and sign in")
    chromium.press("Create key")
    first = chromium.find("#secret").get_property("value")
    assert asks(url, first) == 200
    copying = [each for each in chromium.all("button[data-copy]") if each.is_displayed()]
    assert len(copying) == (3 if scripts else 0)
    chromium.press("Rotate…")
    chromium.press("Rotate")
    second = chromium.find("#secret").get_property("value")
    assert (asks(url, first), asks(url, second)) == (401, 200)
    chromium.driver.refresh()
    assert second not in chromium.driver.page_source
    chromium.press("Revoke…")
    chromium.press("Revoke")
    assert asks(url, second) == 401
    chromium.press("Sign out")
    assert chromium.driver.title == "Sign in – oddsdesk"
    chromium.leave_page(chromium.driver.back)
    assert "anna" not in chromium.find("body").text
    chromium.driver.get(f"{url}/dashboard/sign-in")
    chromium.fill(account="anna", password=PASSWORD)
    chromium.press("Sign in")
    assert "Revoked" in chromium.text
    assert [each for each in chromium.driver.get_log("browser") if each["level"] == "SEVERE"] == []


def asks(url: str, key: str) -> int:
    return httpx.get(f"{url}/api/sports", headers={"X-Api-Key": key}).status_code


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_a_key_is_not_shown_again_by_going_back(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium], scripts: bool
) -> None:
    """Chromium keeps pages as they were left, although they are sent with `no-store`."""
    chromium = Chromium(SIZES[1], scripts=scripts)
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "olga", "--operator"))

    def shown_after_going_back(css: str) -> bool:
        secret = chromium.find(css).get_property("value")
        assert secret
        chromium.leave_page(chromium.find("nav a[href$=usage]").click)
        chromium.driver.back()
        chromium.until(lambda: "Usage" not in chromium.driver.title and not chromium.all(css))
        return secret in chromium.driver.page_source

    chromium.press("Create key")
    assert not shown_after_going_back("#secret")
    assert chromium.driver.title == "Keys – oddsdesk"
    chromium.driver.get(f"{url}/dashboard/accounts")
    chromium.fill(account="anna")
    chromium.press("Make a link")
    assert not shown_after_going_back("#link")
    if scripts:
        chromium.driver.get(f"{url}/dashboard/keys")
        chromium.press("Create key")
        chromium.driver.get("data:text/html,another site")
        chromium.driver.back()
        chromium.until(lambda: not chromium.all("#secret"))
        assert chromium.driver.title == "Keys – oddsdesk"


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_a_new_key_is_whole_on_a_phone(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium], scripts: bool
) -> None:
    """It is not cut, and a script that may not copy selects it."""
    chromium = Chromium(SIZES[1], scripts=scripts)
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna"))
    chromium.press("Create key")
    for css in ("#secret", "#command"):
        shown = chromium.find(css)
        for direction in ("Width", "Height"):
            inner = shown.get_property(f"scroll{direction}")
            assert inner <= shown.get_property(f"client{direction}")
    if not scripts:
        return
    chromium.command(
        "Browser.setPermission", permission={"name": "clipboard-write"}, setting="denied"
    )
    chromium.find("[data-copy=secret]").click()
    chromium.until(lambda: "does not allow copying" in chromium.find("#said").text)
    selected = "const it = arguments[0]; return it.value.slice(it.selectionStart, it.selectionEnd)"
    secret = chromium.find("#secret")
    assert chromium.driver.execute_script(selected, secret) == secret.get_property("value")


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "2"), ("--roles", "api,upkeep,valuation")])
def test_an_invitation_leads_to_the_public_address(
    launch: Launch, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A running server leaves it where `accounts invite` finds it."""
    public = "https://odds.example.org"
    serving = ("serve", "--port", "0", "--dashboard", "--base-url", public, *options)
    server = launch(*serving, "--database", str(tmp_path / "odds.db"))
    server.first_line()
    assert invitation(launch, tmp_path, "anna").startswith(f"{public}/dashboard/invitation?token=")


@pytest.mark.slow
def test_an_invitation_that_is_opened_from_another_site(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium]
) -> None:
    """Strict cookies are not sent on the way from a mail; it works anyway."""
    chromium = Chromium(SIZES[1])
    browsers.append(chromium)
    link = invitation(launch, tmp_path, "anna")
    chromium.driver.get(f"data:text/html,<a href='{link}'>the mail</a>")
    chromium.leave_page(chromium.find("a").click)
    assert chromium.driver.title == "Set a password – oddsdesk"
    chromium.fill(password=PASSWORD, again=PASSWORD)
    chromium.press("Set password and sign in")
    assert chromium.driver.title == "Keys – oddsdesk"


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_an_operators_pages_fit_and_can_be_used_by_keyboard(
    launch: Launch,
    tmp_path: Path,
    url: str,
    browsers: list[Chromium],
    size: tuple[int, int],
    dark: bool,
) -> None:
    chromium = Chromium(size, dark=dark)
    browsers.append(chromium)
    chromium.driver.get(invitation(launch, tmp_path, "olga", "--operator"))
    keys = webdriver.ActionChains(chromium.driver)
    tab, enter = "\ue004", "\ue007"
    keys.send_keys(tab, tab, PASSWORD, tab, PASSWORD, enter)
    chromium.leave_page(keys.perform)
    assert chromium.driver.title == "Keys – oddsdesk"
    chromium.press("Create key")
    for page in ("keys", "usage", "account", "accounts", "server"):
        chromium.driver.get(f"{url}/dashboard/{page}")
        width = chromium.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= size[0], page
        tree = chromium.tree()
        assert ("heading", page.capitalize()) in tree
        assert ("link", "Skip to the content") in tree
        named = {"button", "link", "textbox", "combobox", "columnheader", "rowheader"}
        assert not [each for each in tree if each[0] in named and not each[1]]
        ground = chromium.find("body").value_of_css_property("background-color")
        assert max(map(int, re.findall(r"\d+", ground)[:3])) < 64 or not dark
        assert reaches_all_by_tab(chromium)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(320, 640), *SIZES])
def test_pages_fit_with_large_text(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium], size: tuple[int, int]
) -> None:
    """Text follows the size that is set in the browser, and no page scrolls sideways."""
    chromium = Chromium(size)
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "olga", "--operator"))
    chromium.press("Create key")
    chromium.command("Page.setFontSizes", fontSizes={"standard": 32, "fixed": 26})
    for page in ("keys", "usage", "account", "accounts", "server"):
        chromium.driver.get(f"{url}/dashboard/{page}")
        chromium.driver.execute_script("for (const it of document.all) it.open = true")
        assert chromium.find("main").value_of_css_property("font-size") == "30px"
        width = chromium.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= size[0], page


@pytest.mark.slow
def test_a_day_of_an_operator_and_two_owners(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium]
) -> None:
    """The operator invites both in the browser, and changes a plan without touching keys."""
    operator, *owners = (Chromium(size) for size in (SIZES[0], SIZES[0], SIZES[1]))
    browsers.extend((operator, *owners))
    accept(operator, invitation(launch, tmp_path, "olga", "--operator"))
    keys = []
    for name, owner in zip(("anna", "bert"), owners, strict=True):
        operator.driver.get(f"{url}/dashboard/accounts")
        operator.fill(account=name)
        operator.press("Make a link")
        assert "opens on the server's machine only" in operator.text
        accept(owner, operator.find("#link").get_property("value"))
        assert "none is chosen" in owner.text
        owner.find('option[value="Pinnacle"]').click()
        owner.press("Choose bookmaker")
        owner.press("Create key")
        keys.append(owner.find("#secret").get_property("value"))
    assert [value_bets(url, key) for key in keys] == [403, 403]
    operator.driver.get(f"{url}/dashboard/accounts")
    (anna,) = [each for each in operator.all("tbody tr") if each.text.startswith("anna")]
    anna.find_element("css selector", "summary").click()
    anna.find_element("xpath", ".//option[text()='Pro+ Live']").click()
    operator.press("Change account")
    assert "Account anna is on Pro+ Live now." in operator.text
    assert [value_bets(url, key) for key in keys] == [200, 403]
    owners[0].driver.get(f"{url}/dashboard/usage")
    assert "5,499 of 5,500" in owners[0].text
    operator.driver.get(f"{url}/dashboard/accounts")
    (bert,) = [each for each in operator.all("tbody tr") if each.text.startswith("bert")]
    bert.find_elements("css selector", "summary")[-1].click()
    operator.press("Remove")
    assert asks(url, keys[1]) == 401
    owners[1].driver.refresh()
    assert owners[1].driver.title == "Sign in – oddsdesk"
    operator.press("Sign-in…")
    operator.press("Make operator")
    assert "anna is an operator now" in operator.text
    owners[0].driver.refresh()
    owners[0].fill(account="anna", password=PASSWORD)
    owners[0].press("Sign in")
    owners[0].driver.get(f"{url}/dashboard/accounts")
    owners[0].press("Sign-in…")
    owners[0].press("End operator role")
    operator.driver.refresh()
    assert operator.driver.title == "No such page – oddsdesk"
    owners[0].fill(account="carl")
    owners[0].find('#plan option[value=""] + option + option').click()
    owners[0].find("#operator").click()
    owners[0].press("Make a link")
    assert "It makes the owner an operator" in owners[0].text
    (carl,) = [each for each in owners[0].all("tbody tr") if each.text.startswith("carl")]
    assert "invited as operator until" in carl.text
    carl.find_elements("css selector", "summary")[1].click()
    owners[0].press("Withdraw invitation")
    assert "The invitation of carl was withdrawn." in owners[0].text


def value_bets(url: str, key: str) -> int:
    return httpx.get(f"{url}/api/value-bets", headers={"X-Api-Key": key}).status_code
