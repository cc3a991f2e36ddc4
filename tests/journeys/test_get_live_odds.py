"""The first five minutes with a key: from simulated odds to prices of real bookmakers."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from oddsdesk.base.clock import system_clock
from tests.kit.desk_window import LIMIT_S, DeskWindow
from tests.kit.fake_source import FakeSource
from tests.kit.odds_api_answers import bookmaker, game, h2h, listed

KEY = "canary0123456789canary0123456789"
HOME = "Quixote Town"
CREDITS = {"x-requests-remaining": "480", "x-requests-used": "20"}


@pytest.fixture
async def source() -> AsyncIterator[FakeSource]:
    fake = FakeSource()
    await fake.start()
    say(fake)
    yield fake
    await fake.stop()


def say(source: FakeSource) -> None:
    now = system_clock()
    played = game(now, bookmaker(now, "Unibet", h2h(2.1, team=HOME)), home=HOME)
    sports = [{"key": "soccer_epl", "group": "Soccer", "title": "EPL"}]
    source.say("/v4/sports", sports, headers=CREDITS)
    source.say("/v4/sports/soccer_epl/events", listed(played), headers=CREDITS)
    source.say("/v4/sports/soccer_epl/odds", [played], headers=CREDITS)


async def asked(source: FakeSource, path: str, act: Callable[[], None] = lambda: None) -> None:
    """Act until the source was asked for a path."""
    async with asyncio.timeout(LIMIT_S):
        while path not in source.paths():
            await asyncio.to_thread(act)
            for _ in range(30):
                await asyncio.sleep(0.1)
                if path in source.paths():
                    break


async def opened(desk: DeskWindow, words: str, title: str) -> None:
    """Open a game by the palette as soon as the desk has heard of it."""
    async with asyncio.timeout(3 * LIMIT_S):
        while True:
            await asyncio.to_thread(desk.enter, "oddsdesk$")
            await asyncio.to_thread(desk.go_to, words)
            try:
                await asyncio.to_thread(desk.wait_for_title, title, LIMIT_S / 4)
            except subprocess.TimeoutExpired:
                await asyncio.to_thread(desk.press, "Escape")
            else:
                return


@pytest.mark.slow
async def test_a_key_is_pasted_a_competition_ticked_and_prices_are_seen(
    open_desk: Callable[..., DeskWindow], own_folders: Path, source: FakeSource
) -> None:
    desk = await asyncio.to_thread(
        open_desk, PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring"
    )

    async def do(act: Callable[..., object], *arguments: str) -> object:
        return await asyncio.to_thread(act, *arguments)

    await do(desk.press, "ctrl+shift+e")
    await do(desk.program.wait_for_log, "live odds can be chosen")
    await do(desk.enter, "^Get live odds$")
    await do(desk.press, *["Tab"] * 14, "space")  # to More…, which goes to the address
    await do(desk.write, source.url)
    await do(desk.press, *["Tab"] * 5)  # to the offers, the buttons, the sources, the key
    await do(desk.write, KEY)
    await asked(source, "/v4/sports")
    await do(desk.press, *["Tab"] * 3)  # to the competitions
    await asked(source, "/v4/sports/soccer_epl/events", lambda: desk.press("space"))
    assert "/v4/sports/soccer_epl/odds" not in source.paths(), "nothing is paid before the start"
    await do(desk.press, "alt+t")
    await asked(source, "/v4/sports/soccer_epl/odds")
    await do(desk.program.wait_for_log, "live odds started: The Odds API")
    await do(desk.press, "Escape")
    await do(desk.wait_until_gone, "^Get live odds$")
    await opened(desk, "quixote", f"^{HOME} v Chelsea – oddsdesk$")
    await asyncio.to_thread(desk.explained, "quixote", "Down", "End", part=f"{HOME} at Unibet, 2.1")
    status, _, log = await asyncio.to_thread(desk.program.finish)
    assert status == 0
    assert KEY not in log
    settings = own_folders / "xdg_config_home" / "oddsdesk"
    kept = (settings / "connections.json").read_text()
    assert "the-odds-api:soccer_epl?regions=eu&markets=h2h&url=" in kept
    assert KEY not in kept
    assert (settings / "feed-keys" / "the-odds-api.key").read_text() == KEY
