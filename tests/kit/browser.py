"""A real browser, Chromium by Selenium, for the pages of the dashboard and the phone.

Tests that import it are skipped where Selenium is not installed.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.program import Launch

webdriver = pytest.importorskip("selenium.webdriver")
expected = pytest.importorskip("selenium.webdriver.support.expected_conditions")
wait = pytest.importorskip("selenium.webdriver.support.wait")
exceptions = pytest.importorskip("selenium.common.exceptions")

LIMIT_S = 30
PASSWORD = "correct horse battery"
SIZES = ((1280, 800), (390, 844))


class Chromium:
    """A window of the browser, light or dark, with or without scripts."""

    def __init__(self, size: tuple[int, int], *, dark: bool = False, scripts: bool = True) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for each in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(each)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **screen)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)

    def command(self, name: str, **fields: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, fields)

    def find(self, css: str) -> Any:
        return self.driver.find_element("css selector", css)

    def all(self, css: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", css))

    def fill(self, **fields: str) -> None:
        for name, text in fields.items():
            self.find(f"input#{name}").send_keys(text)

    def press(self, label: str) -> None:
        """Press the one visible button, or what opens, with this label."""
        found = [each for each in self.all("button, summary") if label in each.text.split("\n")]
        (pressed,) = [each for each in found if each.is_displayed()]
        self.leave_page(pressed.click, leaves=pressed.tag_name == "button")

    def leave_page(self, act: Callable[[], object], *, leaves: bool = True) -> None:
        """Do what leads to another page, and wait for it."""
        page = self.find("html")
        act()
        if leaves:
            gone = expected.staleness_of(page)
            wait.WebDriverWait(self.driver, LIMIT_S).until(gone)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so; the page may change in between."""
        changed = (exceptions.WebDriverException,)
        waiting = wait.WebDriverWait(self.driver, LIMIT_S, 0.05, ignored_exceptions=changed)
        waiting.until(lambda _: is_so())

    @property
    def text(self) -> str:
        return str(self.find("main").text)

    def tree(self) -> list[tuple[str, str]]:
        """Return roles and names as a screen reader gets them."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [
            (each["role"]["value"], each.get("name", {}).get("value", ""))
            for each in nodes
            if not each["ignored"]
        ]


@pytest.fixture
def browsers() -> Iterator[list[Chromium]]:
    """The opened windows; skips where Chromium is not installed."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium and chromedriver are not installed")
    opened: list[Chromium] = []
    yield opened
    for each in opened:
        each.driver.quit()


def invitation(launch: Launch, tmp_path: Path, *options: str) -> str:
    inviting = launch("accounts", "invite", *options, "--database", str(tmp_path / "odds.db"))
    return inviting.process.communicate(timeout=30)[0].strip()


def accept(chromium: Chromium, link: str) -> None:
    chromium.driver.get(link)
    chromium.fill(password=PASSWORD, again=PASSWORD)
    chromium.press("Set password and sign in")


def reaches_all_by_tab(chromium: Chromium) -> bool:
    """Whether Tab visits everything that can be used, and shows where it is."""
    script = """
        const seen = [...document.querySelectorAll('a, button, summary, select,'
            + ' input:not([type=hidden]), [tabindex="0"]')].filter(each => each.checkVisibility());
        seen.forEach((each, n) => each.dataset.number = n);
        return seen.length;
    """
    count = chromium.driver.execute_script(script)
    visited = set()
    for _ in range(count + 1):
        webdriver.ActionChains(chromium.driver).send_keys("\ue004").perform()
        found = chromium.driver.switch_to.active_element
        number = found.get_dom_attribute("data-number")
        if number is not None:
            assert found.value_of_css_property("outline-style") != "none"
            visited.add(number)
    return len(visited) == count
