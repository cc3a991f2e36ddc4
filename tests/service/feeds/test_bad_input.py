"""Each source in each kind of trouble, one after the other, while the others go on (D65).

The first answers are recordings. Each trouble is one line, ends nothing and withdraws nothing, and
shows no key: what was logged, is told, was put into reports or recorded is looked through for them.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oddsdesk import network
from oddsdesk.cli.logs import LineFormatter
from oddsdesk.contract.administration import FeedCondition
from oddsdesk.desk.shell.commands import error_text
from oddsdesk.feeds.live import polling
from oddsdesk.feeds.the_odds_api.live import TheOddsApi
from oddsdesk.network import http
from tests.kit import recorded_sources, recordings
from tests.kit.fake_source import FakeSource, as_response
from tests.service.feeds.conftest import Serve, Served

SECRETS = ("canary0123456789canary0123456789", "canaryappkey0123", "canarysession456")
MIRROR_SECRET = "oddsdesk_live_canary0123456789canary01234567"
CANARY = "canary"
"""No part of a key is shown, either."""
ECHO = " ".join((*SECRETS, MIRROR_SECRET))
"""Sources may say what they were told."""
KEYED = frozenset({"the-odds-api", "betfair", "mirror"})
FAILING, WAITING, REFUSED = FeedCondition.FAILING, FeedCondition.WAITING, FeedCondition.REFUSED

Behaving = Callable[[Request], Awaitable[Response]]


class Logged(logging.Handler):
    """All that is logged, as the program writes it, tracebacks too."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(LineFormatter("%(name)s %(message)s"))
        self.lines: list[str] = []
        self.bugs: list[str] = []
        """What a bug report holds of the errors that nobody foresaw."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("uvicorn"):  # the fakes
            return
        self.lines.append(self.format(record))
        if record.exc_info:
            self.bugs.append(error_text(record))


@pytest.fixture
def logged() -> Iterator[Logged]:
    handler, root = Logged(), logging.getLogger()
    names = ("", "oddsdesk", "httpx", "httpcore", "websockets")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait shortly where others wait minutes, and give keys."""
    monkeypatch.setattr(polling, "ASK_AGAIN_S", 0.1)
    monkeypatch.setattr(polling, "LOOK_FOR_KEY_S", 0.02)
    monkeypatch.setattr(network, "LONGEST_S", 0.05)
    monkeypatch.setattr(network, "_SHORTEST_S", 0.05)
    monkeypatch.setattr(http, "LARGEST", 256 * 1024)
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", SECRETS[0])
    monkeypatch.setenv("ODDSDESK_BETFAIR_KEY", ":".join(SECRETS[1:]))


def mirror(source: FakeSource, folder: Path, key_file: Path) -> str:
    """A service of this kind with the recorded prices, for a plan without a stream."""
    key_file.write_text(MIRROR_SECRET)
    games = recordings.odds_api_of_now(folder / "the_odds_api/ostepan8/odds_api_current_odds.json")
    prices = recordings.renamed(recordings.of_odds_api(games), "mirror")
    lines = recordings.as_lines(prices, recorded_sources.WNBA)
    own = {"sport": "Basketball", "is_live": False, "url": None, "liquidity": None}
    rows = [own | json.loads(each) for each in lines]
    meta = {"rate_limit_remaining": 5_000, "count": len(rows)}
    source.say("/api/odds", {"data": rows, "meta": meta})
    return f"mirror:{source.url}?key-file={key_file}"


class Sources:
    """Every adapter's source, and what each is asked at first."""

    def __init__(self, folder: Path, key_file: Path) -> None:
        self.by_name = {
            name: FakeSource()
            for name in ("the-odds-api", "polymarket", "kalshi", "betfair", "mirror")
        }
        self._folder, self._key_file = folder, key_file
        self._well: dict[str, Behaving | None] = {}

    async def start(self) -> list[str]:
        """Serve, and return the texts of the feeds."""
        for source in self.by_name.values():
            await source.start()
        odds_api, polymarket, kalshi, betfair, mirrored = self.by_name.values()
        texts = [
            recorded_sources.odds_api(odds_api, self._folder)[0],
            recorded_sources.polymarket(polymarket, self._folder)[0].partition("&every")[0],
            recorded_sources.kalshi(kalshi, self._folder)[0],
            recorded_sources.betfair(betfair, self._folder, "127.0.0.1:1")[0],
            mirror(mirrored, self._folder, self._key_file),
        ]
        polymarket.play = None
        self._well = {name: source.behave for name, source in self.by_name.items()}
        return [f"{text}&every=0.2" for text in texts]

    async def stop(self) -> None:
        for source in self.by_name.values():
            await source.stop()

    @contextlib.contextmanager
    def in_trouble(self, name: str, behave: Behaving) -> Iterator[None]:
        """Let one source behave badly for a while."""
        source = self.by_name[name]
        source.behave = behave
        yield
        source.behave = self._well[name]


def answering(make: Callable[[], Response]) -> Behaving:
    async def behave(_request: Request) -> Response:
        return make()

    return behave


async def hanging(_request: Request) -> Response:
    await asyncio.sleep(10)
    return Response()


def html() -> Response:
    return Response(f"<html>Sign in, {ECHO}</html>", 200, {"content-type": "text/html"})


TROUBLES = {
    "html": (answering(html), FAILING, FAILING),
    "broken_json": (answering(lambda: as_response(b'[{"id": "g1", "commence')), FAILING, FAILING),
    "another_shape": (answering(lambda: as_response({"said": ECHO})), FAILING, FAILING),
    "redirect": (
        answering(lambda: RedirectResponse(f"http://127.0.0.1:1/{SECRETS[0]}")), FAILING, FAILING,
    ),
    "failure": (answering(lambda: as_response({"said": ECHO}, 500)), FAILING, FAILING),
    "refused_key": (answering(lambda: as_response({"said": ECHO}, 401)), FAILING, REFUSED),
    "too_fast": (
        answering(lambda: as_response({"said": ECHO}, 429, {"retry-after": "1"})), WAITING, WAITING,
    ),
    "hangs": (hanging, FAILING, FAILING),
    "flood": (answering(lambda: as_response(b"x" * 2**20)), FAILING, FAILING),
}  # fmt: skip
"""What each source does, and the state of feeds without and with a key meanwhile."""


@pytest.fixture
async def sources(shared_data: Path, tmp_path: Path) -> AsyncIterator[Sources]:
    made = Sources(shared_data / "live", tmp_path / "key of the mirror")
    yield made
    await made.stop()


async def well(served: Served, numbers: Iterable[int]) -> None:
    """Wait until feeds have been heard of since."""
    for number in numbers:
        await served.until_read(number)
        assert served.status(number).state is FeedCondition.RUNNING


@pytest.mark.slow
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_trouble_of_one_source_is_one_line_without_keys_and_harms_no_other(
    trouble: str, sources: Sources, serve: Serve, tmp_path: Path, logged: Logged, monkeypatch
) -> None:
    behave, without_key, with_key = TROUBLES[trouble]
    if trouble == "hangs":
        monkeypatch.setattr("oddsdesk.feeds.live.source.REQUEST_S", 2.0)
        monkeypatch.setattr(
            http.HttpClient.send_request, "__kwdefaults__", _short(http.HttpClient.send_request)
        )
    texts = await sources.start()
    async with serve(*texts) as served:
        await well(served, range(1, len(texts) + 1))
        before = await served.odds("/api/odds?limit=500")
        assert {row["bookmaker"] for row in before} >= {"FanDuel", "Kalshi", "Polymarket"}
        for number, name in enumerate(sources.by_name, start=1):
            with sources.in_trouble(name, behave):
                status = await served.state(with_key if name in KEYED else without_key, number)
                assert status.reason, name
                assert "\n" not in status.reason
                assert status.until is not None
                assert CANARY not in status.reason
                await well(served, {1, len(texts)} - {number})
            await served.state(FeedCondition.RUNNING, number)
        after = await served.odds("/api/odds?limit=500")
    assert keys_of(before) <= keys_of(after), "nothing was withdrawn"
    no_key_anywhere(logged, tmp_path)


@pytest.mark.slow
async def test_an_error_of_an_adapter_itself_is_a_bug_without_its_key_and_harms_no_other(
    sources: Sources, serve: Serve, tmp_path: Path, logged: Logged, monkeypatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError(f"https://127.0.0.1/v4/sports?apiKey={SECRETS[0]}")

    texts = await sources.start()
    async with serve(*texts) as served:
        await well(served, range(1, len(texts) + 1))
        with monkeypatch.context() as broken:
            broken.setattr(TheOddsApi, "parse", fail)
            status = await served.state(FAILING, 1)
            assert "ZeroDivisionError" in status.reason
            assert CANARY not in status.reason
            await well(served, range(2, len(texts) + 1))
        await served.state(FeedCondition.RUNNING, 1)
    assert any("ZeroDivisionError" in each for each in logged.bugs)
    no_key_anywhere(logged, tmp_path)


def _short(send: object) -> dict[str, object]:
    return {**send.__kwdefaults__, "limit_s": 2.0}  # type: ignore[attr-defined]


def keys_of(rows: list[dict[str, object]]) -> set[tuple[str, ...]]:
    names = ("match_name", "bookmaker", "market_type", "period")
    return {tuple(str(row[name]) for name in names) for row in rows}


def no_key_anywhere(logged: Logged, folder: Path) -> None:
    """Look through the log with its tracebacks, bug reports, and the database's files."""
    assert any("httpx" in each for each in logged.lines), "the libraries have said something"
    files = [file for file in folder.iterdir() if file.name.startswith("odds.db")]
    assert files
    assert not [each for each in (*logged.lines, *logged.bugs) if CANARY in each]
    assert not [file for file in files if CANARY.encode() in file.read_bytes()]
