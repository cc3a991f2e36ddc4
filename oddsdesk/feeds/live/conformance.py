"""Tests that a feed of another package must pass: run `check_feed` in the tests of its package.

def test_it_is_a_feed():
    reported = check_feed(MyFeed, "my-feed:football", {"/games/football": RECORDED})
    assert reported == ...
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final
from unittest import mock
from urllib.parse import urlsplit

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.contract.administration import FeedCondition
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.contract.results import BadResultError, GameResult, Reported, check_result
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.keys import variable_of
from oddsdesk.feeds.live.live_feed import LiveFeed, LiveSpec, read_spec
from oddsdesk.feeds.live.polling import PollingFeed

LIMIT_S: Final = 10.0
END_S: Final = 2.0
KEY: Final = "canary-of-the-conformance-test"
_EVERY_S: Final = 0.02

Maker = Callable[[LiveSpec], LiveFeed]


class ConformanceError(AssertionError):
    """The feed does not do what every feed has to; says what."""


class _Answer(msgspec.Struct, frozen=True):
    """An answer of the service, with its status."""

    body: bytes
    status: str = "200 OK"
    head: str = ""


_BROKEN: Final = {
    "a page of HTML": _Answer(b"<html>busy</html>"),
    "JSON that is cut": _Answer(b'[{"a": '),
    "JSON of another shape": _Answer(b'{"surprise": [1, 2, 3]}'),
    "status 500": _Answer(b"", "500 Internal Server Error"),
    "a redirect": _Answer(b"", "302 Found", "Location: http://127.0.0.1:1/\r\n"),
}


def check_feed(make: Maker, spec: str, answers: Mapping[str, bytes]) -> list[Reported]:
    """Run a feed against recorded answers, and against what services answer on bad days.

    Args:
        make: The class of the feed, as the entry point names it.
        spec: The feed as on the command line, without ``url=`` and ``every=``.
        answers: What its service answers, by path. POST is answered as GET is.

    Returns:
        The quotes and results of the recorded answers.

    Raises:
        ConformanceError: it does something that feeds must not; says what.
    """
    return asyncio.run(_check(make, spec, answers))


async def _check(make: Maker, spec: str, answers: Mapping[str, bytes]) -> list[Reported]:
    service = _Service({path: _Answer(body) for path, body in answers.items()})
    name = read_spec(spec).name
    with mock.patch.dict("os.environ", {variable_of(name): KEY}):
        async with service.running() as url:
            whole = f"{spec}{'&' if '?' in spec else '?'}url={url}&every={_EVERY_S}"
            _refuses_what_it_does_not_know(make, whole)
            reported = await _first_reported(_made(make, whole))
            for what, answer in _BROKEN.items():
                await _stands(_made(make, whole), service, what, answer)
    return reported


def _made(make: Maker, spec: str) -> LiveFeed:
    parsed = read_spec(spec)
    feed = make(parsed)
    _hold(isinstance(feed, LiveFeed), f"{feed!r} is no LiveFeed")
    _hold(feed.name == parsed.name, f"it calls itself {feed.name}, the entry point {parsed.name}")
    if isinstance(feed, PollingFeed):
        _hold(feed.every_s == _EVERY_S, "every= does not replace its own pace")
    return feed


def _refuses_what_it_does_not_know(make: Maker, spec: str) -> None:
    try:
        make(read_spec(f"{spec}&no-such-option=1"))
    except FeedError:
        return
    raise ConformanceError("it takes options that it does not know")


async def _first_reported(feed: LiveFeed) -> list[Reported]:
    """The quotes and results of the first readings, until one is repeated."""
    reported: list[Reported] = []
    async with _batches(feed) as batches:
        async for batch in batches:
            _hold(bool(batch), "it yields a batch without quotes or results")
            if reported and _subject_of(batch[0]) == _subject_of(reported[0]):
                break
            reported += batch
    for each in reported:
        try:
            if isinstance(each, GameResult):
                check_result(each, system_clock())
                continue
            _hold(bool(each.odds), f"a good answer withdraws {each.bookmaker}, {each.match_name}")
            check_quote(each, system_clock())
        except (BadQuoteError, BadResultError) as error:
            raise ConformanceError(f"{each.match_name}: {error}") from error
    _hold(feed.status.now.state is FeedCondition.RUNNING, "it reads well, but is not running")
    return reported


def _subject_of(each: Reported) -> tuple[object, ...]:
    """What a quote or result is about: a market of a bookmaker, or a game."""
    if isinstance(each, GameResult):
        return (each.competition, each.match_name, each.kick_off)
    return (
        each.competition,
        each.match_name,
        each.match_date,
        each.bookmaker,
        each.market_type,
        each.period,
    )


async def _stands(feed: LiveFeed, service: "_Service", what: str, answer: _Answer) -> None:
    """See that a bad answer is told in a line without the key, and withdraws nothing."""
    service.broken = answer
    withdrawn: list[Quote] = []

    async def listen() -> None:
        async with _batches(feed) as batches:
            async for batch in batches:
                withdrawn.extend(
                    each for each in batch if isinstance(each, Quote) and not each.odds
                )

    listening = spawn("conformance", listen())
    try:
        async with asyncio.timeout(LIMIT_S):
            while feed.status.now.state is not FeedCondition.FAILING:
                _hold(not listening.done(), f"it ends on {what}")
                await asyncio.sleep(_EVERY_S)
    except TimeoutError:
        raise ConformanceError(f"it does not say that it fails on {what}") from None
    finally:
        service.broken = None
        listening.cancel()
        await asyncio.wait([listening], timeout=END_S)
    _hold(listening.done(), "it does not end within two seconds")
    _hold(not withdrawn, f"{what} withdraws prices")
    reason = feed.status.now.reason
    _hold(bool(reason) and "\n" not in reason, f"it does not say in one line what is wrong: {what}")
    _hold(KEY not in reason, "its key appears in its messages")


@asynccontextmanager
async def _batches(feed: LiveFeed) -> AsyncIterator[AsyncIterator[Sequence[Reported]]]:
    """The batches of a feed, whose own logging of what fails here is kept quiet."""
    logger = logging.getLogger("oddsdesk.feeds.live")
    before, logger.disabled = logger.disabled, True
    try:
        async with asyncio.timeout(LIMIT_S), aclosing(feed.batches(system_clock)) as batches:
            yield batches
    except TimeoutError:
        raise ConformanceError(f"it says nothing within {LIMIT_S:g} seconds") from None
    finally:
        logger.disabled = before


class _Service:
    """Answers every request of a path with what was recorded, or all with what is broken."""

    def __init__(self, answers: Mapping[str, _Answer]) -> None:
        self._answers = answers
        self.broken: _Answer | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Serve on a free port of this machine and return the address."""
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            while (await reader.readline()).strip():
                pass
            path = urlsplit(line.split(b" ")[1].decode()).path
            missing = _Answer(b"", "404 Not Found")
            answer = self.broken or self._answers.get(path, missing)
            size = len(answer.body)
            head = f"HTTP/1.1 {answer.status}\r\n{answer.head}Content-Length: {size}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + answer.body)
            await writer.drain()
        except (ConnectionError, IndexError):
            pass
        finally:
            writer.close()


def _hold(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ConformanceError(otherwise)
