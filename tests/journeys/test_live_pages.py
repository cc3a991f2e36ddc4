"""D110 in a real browser: the pages for a phone, live and without scripts."""

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.browser import (
    SIZES,
    Chromium,
    accept,
    browsers,
    invitation,
    reaches_all_by_tab,
    wait,
)
from tests.kit.program import Launch

__all__ = ["browsers"]
LIMIT_S = 30


@pytest.fixture
def serving(launch: Launch, tmp_path: Path) -> Any:
    database = str(tmp_path / "odds.db")
    options = ("--database", database, "--dashboard", "--feed", "simulator")
    return launch("serve", "--port", "0", *options)


@pytest.fixture
def url(serving: Any) -> str:
    return str(serving.first_line().removeprefix("listening on "))


def until(chromium: Chromium, holds: Callable[[], bool]) -> None:
    wait.WebDriverWait(chromium.driver, LIMIT_S).until(lambda _: holds())


def state_of(chromium: Chromium) -> str:
    return str(chromium.find("#live-state").text)


def open_bets(chromium: Chromium, url: str) -> None:
    """Open the list once the valuation has found something."""

    def has_bets() -> bool:
        chromium.driver.get(f"{url}/live")
        return bool(chromium.all(".card"))

    until(chromium, has_bets)


@pytest.mark.slow
def test_figures_change_by_themselves_and_say_when_they_do_not(
    launch: Launch, tmp_path: Path, serving: Any, url: str, browsers: list[Chromium]
) -> None:
    chromium = Chromium(SIZES[1])
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna", "--plan", "Pro+ Live"))
    open_bets(chromium, url)
    until(chromium, lambda: state_of(chromium) == "Live")
    before = chromium.find("#figures").get_property("innerHTML")
    changed = "return document.getElementById('figures').textContent"
    shown = chromium.driver.execute_script(changed)
    until(chromium, lambda: bool(chromium.driver.execute_script(changed) != shown))
    assert "<script" not in before
    serving.process.send_signal(signal.SIGTERM)
    until(chromium, lambda: state_of(chromium).startswith("Not live. Figures of "))
    assert state_of(chromium).endswith("old.")


@pytest.mark.slow
def test_signing_out_elsewhere_ends_live_figures(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium]
) -> None:
    chromium = Chromium(SIZES[1])
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna", "--plan", "Pro+ RT"))
    chromium.driver.get(f"{url}/live/games")
    until(chromium, lambda: state_of(chromium) == "Live")
    leaving = launch("accounts", "sign-out", "anna", "--database", str(tmp_path / "odds.db"))
    leaving.process.communicate(timeout=LIMIT_S)
    until(chromium, lambda: "your session or plan has changed" in state_of(chromium))


@pytest.mark.slow
def test_pages_work_without_scripts(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium]
) -> None:
    chromium = Chromium(SIZES[1], scripts=False)
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna", "--plan", "Pro"))
    open_bets(chromium, url)
    assert re.fullmatch(r"Figures of \d\d \w+ \d{4} \d\d:\d\d UTC\.", state_of(chromium))
    assert "Live updates are not part of the Pro plan" in chromium.text
    assert re.search(r"Seen: .+ \d+ s · Pinnacle \d+ s", chromium.find(".card").text)
    chromium.press("Filter and sort")
    chromium.fill(min_ev="20")
    chromium.press("Show")
    assert "Nothing passes the filter now." in chromium.text
    chromium.leave_page(chromium.find(".reload").click)
    assert chromium.find("#min_ev").get_property("value") == "20"


@pytest.mark.slow
def test_a_link_shows_its_price_first_and_a_price_grows_old(
    launch: Launch, tmp_path: Path, url: str, browsers: list[Chromium]
) -> None:
    chromium = Chromium(SIZES[1])
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna", "--plan", "Pro"))
    open_bets(chromium, url)
    card, age = chromium.find(".card"), chromium.find(".card time[data-show=age]")
    chromium.driver.execute_script("arguments[0].dataset.old = -1", age)
    until(chromium, lambda: age.text.endswith(", old"))
    assert "is-doubtful" in card.get_dom_attribute("class")
    chromium.driver.get(chromium.find(".card a").get_attribute("href"))
    for css in ("h1", ".outcome", ".linked"):
        place = chromium.find(css).rect
        assert 0 <= place["y"] < SIZES[1][1] - place["height"], css
        assert 0 <= place["x"] < SIZES[1][0] - place["width"], css
    assert chromium.driver.execute_script("return scrollY") == 0
    past = "document.querySelector('.outcome').dataset.turns = '2020-01-01T00:00:00Z'"
    chromium.driver.execute_script(past)
    until(chromium, lambda: "A price has become old since." in chromium.find(".outcome").text)
    assert "warn" in chromium.find(".outcome").get_dom_attribute("class")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_pages_fit_and_can_be_used_by_keyboard(
    launch: Launch,
    tmp_path: Path,
    url: str,
    browsers: list[Chromium],
    size: tuple[int, int],
    dark: bool,
) -> None:
    chromium = Chromium(size, dark=dark)
    browsers.append(chromium)
    accept(chromium, invitation(launch, tmp_path, "anna", "--plan", "Pro"))
    open_bets(chromium, url)
    game = chromium.find(".card a").get_attribute("href")
    for page in (f"{url}/live", f"{url}/live/games?sport=Tennis", game):
        chromium.driver.get(page)
        width = chromium.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= size[0], page
        tree = chromium.tree()
        assert len([name for role, name in tree if role == "heading"]) >= 2
        named = {"button", "link", "textbox", "combobox", "columnheader", "rowheader", "region"}
        assert not [each for each in tree if each[0] in named and not each[1]]
        ground = chromium.find("body").value_of_css_property("background-color")
        assert max(map(int, re.findall(r"\d+", ground)[:3])) < 64 or not dark
        low = [each.text for each in chromium.all("button, summary, .card a") if is_low(each)]
        assert low == []
        assert reaches_all_by_tab(chromium)
    assert {"columnheader", "rowheader"} <= {role for role, _ in tree}
    assert [each for each in chromium.driver.get_log("browser") if each["level"] == "SEVERE"] == []


def is_low(element: Any) -> bool:
    """Whether it is too low for a finger."""
    return bool(element.is_displayed() and element.size["height"] < 43.5)
