"""All adapters in one `serve`, against fakes that serve recordings, to the desk.

What is served is compared with what the files hold as `tests/kit/recordings` counts it.
"""

import asyncio
import contextlib
import csv
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from oddsdesk.base.places import settings_folder
from oddsdesk.desk.connections.profiles import KeyPlace, Profiles, RemoteProfile, Secrets
from tests.kit import recorded_sources, recordings
from tests.kit.fake_source import FakeSource
from tests.kit.program import Launch, as_owner
from tests.kit.recordings import Prices

LIMIT_S = 60
SERVICE = "Recorded sources"
WAYS = ("exec", "ws", "post", "mirror")
ROUNDED = 1e-4
"""The importer of The Odds API rounds American odds to so much."""


@contextlib.asynccontextmanager
async def _sources(count: int) -> AsyncIterator[list[FakeSource]]:
    sources = [FakeSource() for _ in range(count)]
    for source in sources:
        await source.start()
    yield sources
    for source in sources:
        await source.stop()


class Serving:
    """A `serve` of feeds, and a key of it."""

    def __init__(self, launch: Launch, folder: Path, *feeds: str) -> None:
        self._launch, self._database = launch, str(folder / "odds.db")
        arguments = [part for feed in feeds for part in ("--feed", feed)]
        keys = {
            "ODDSDESK_THE_ODDS_API_KEY": "canary0123456789",
            "ODDSDESK_BETFAIR_KEY": "canaryappkey0123:canarysession456",
        }
        common = ("serve", "--port", "0", "--database", self._database)
        self.program = launch(*common, *arguments, **keys)
        self.url = self.program.first_line().removeprefix("listening on ")
        creating = launch("keys", "create", "--plan", "Pro+ Live", "--database", self._database)
        self.key = creating.process.communicate(timeout=LIMIT_S)[0].strip()

    async def ingest(self, lines: list[str]) -> None:
        async with httpx.AsyncClient(base_url=self.url, headers=as_owner(self._database)) as http:
            heard = (await http.post("/ingest", content="\n".join(lines))).json()
        assert (heard["accepted"], heard["rejected"]) == (len(lines), [])

    async def prices(self) -> Prices:
        headers = {"X-Api-Key": self.key}
        async with httpx.AsyncClient(base_url=self.url, headers=headers) as http:
            answer = await http.get("/api/odds", params={"limit": 500})
        return recordings.of_rows(answer.json()["data"])

    async def until_as_held(self, held: Prices) -> None:
        served: Prices = {}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LIMIT_S):
                while served != pytest.approx(held, abs=ROUNDED):
                    await asyncio.sleep(0.2)
                    served = await self.prices()
        assert served == pytest.approx(held, abs=ROUNDED)

    def feeds(self) -> list[str]:
        asking = self._launch("feeds", "--database", self._database, "--json")
        states = json.loads(asking.process.communicate(timeout=LIMIT_S)[0])
        return [f"{each['name']}: {each['state']} {each['reason']}".strip() for each in states]


def _shown(rows: str) -> dict[tuple[str, str, str], float]:
    table = csv.DictReader(rows.splitlines(), delimiter="\t")
    return {(row["Game"], row["Bookmaker"], row["Selection"]): float(row["Odds"]) for row in table}


@pytest.mark.slow
async def test_every_source_is_served_and_shown_as_its_recording_holds_it(
    launch: Launch, open_desk: Any, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "live"
    async with _sources(5) as sources, recorded_sources.betfair_stream(folder) as stream:
        asked, markets, events, exchange, socket = sources
        made = [
            recorded_sources.odds_api(asked, folder),
            recorded_sources.kalshi(markets, folder),
            recorded_sources.polymarket(events, folder),
            recorded_sources.betfair(exchange, folder, stream),
        ]
        ways = {way: recordings.renamed(made[0][1], way) for way in WAYS}
        held = {key: odds for _, prices in made for key, odds in prices.items()}
        held |= {key: odds for prices in ways.values() for key, odds in prices.items()}
        lines = {
            way: recordings.as_lines(each, recorded_sources.WNBA) for way, each in ways.items()
        }
        feeds = [*(spec for spec, _ in made), _listening_to(socket, lines["ws"])]
        feeds += [_running(tmp_path, lines["exec"]), await _mirroring(launch, tmp_path, lines)]
        serving = await asyncio.to_thread(Serving, launch, tmp_path, *feeds)
        await serving.ingest(lines["post"])
        await serving.until_as_held(held)
        said = await asyncio.to_thread(serving.feeds)
        assert said.pop(5) == "exec: stopped it has ended"
        assert {each.rpartition(": ")[2] for each in said} == {"running"}
        shown = await asyncio.to_thread(_at_the_desk, open_desk, serving, len(held))
    odds = {(game, book, text): odds for (game, book, _, text), odds in held.items()}
    assert len(odds) == len(held)
    assert shown == pytest.approx(odds, abs=ROUNDED)


def _listening_to(source: FakeSource, lines: list[str]) -> str:
    source.play = recorded_sources.streaming(*lines)
    return f"{source.url.replace('http', 'ws')}/odds"


def _running(folder: Path, lines: list[str]) -> str:
    (folder / "lines").write_text("\n".join(lines))
    program = folder / "program.py"
    program.write_text(f"print(open({str(folder / 'lines')!r}).read())")
    return f"exec:{sys.executable} {program}"


async def _mirroring(launch: Launch, folder: Path, lines: dict[str, list[str]]) -> str:
    (folder / "origin").mkdir()
    origin = await asyncio.to_thread(Serving, launch, folder / "origin")
    await origin.ingest(lines["mirror"])
    (folder / "key").write_text(origin.key)
    return f"mirror:{origin.url}?key-file={folder / 'key'}"


def _at_the_desk(open_desk: Any, serving: Serving, count: int) -> dict[tuple[str, str, str], float]:
    """Return the odds grid of a desk that is connected to a service, once it is whole."""
    profile = RemoteProfile(SERVICE, serving.url, key_place=KeyPlace.FILE)
    kept = Profiles(settings_folder()).save_profile(profile)
    assert isinstance(kept, RemoteProfile)
    Secrets(settings_folder()).keep_key(kept.ident, KeyPlace.FILE, serving.key)
    desk = open_desk("--profile", SERVICE)
    desk.press("ctrl+g")
    return _shown(desk.copied_by("ctrl+c", lambda text: len(text.splitlines()) == count + 1))
