"""The example of a third party's feed stands the conformance test, and faulty ones do not (D67)."""

import importlib.util
from collections.abc import AsyncGenerator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, Reported
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live import adapters, conformance
from oddsdesk.feeds.live.conformance import ConformanceError, check_feed
from oddsdesk.feeds.live.polling import PollingFeed

EXAMPLE = Path(__file__).parents[4] / "docs" / "example-feed"
SPEC = "cornershop:football"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    return load("cornershop")


@pytest.fixture
def answers(example: Any) -> dict[str, bytes]:
    return {"/games/football": load("test_cornershop").GAMES}


def test_the_example_and_its_own_test_hold(example: Any) -> None:
    load("test_cornershop").test_it_is_a_feed()


def test_the_example_is_short() -> None:
    assert len((EXAMPLE / "cornershop.py").read_text().splitlines()) < 70


def test_a_feed_that_reads_anything_is_found_out(example: Any, answers: dict[str, bytes]) -> None:
    class Careless(example.CornerShop):
        def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
            try:
                found: list[Quote] = super().parse(part, answer, now_ms)
            except FeedError:
                return []
            return found

    with pytest.raises(ConformanceError, match="does not say that it fails on JSON that is cut"):
        check_feed(Careless, SPEC, answers)


def test_a_feed_that_dies_is_found_out(
    example: Any, answers: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mortal(example.CornerShop):
        async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
            while True:
                quotes = self.parse("football", await self.read("football", clock()), clock())
                self.status.running(clock())
                yield quotes

    with pytest.raises(ConformanceError, match="it ends on a page of HTML"):
        check_feed(Mortal, SPEC, answers)


def test_a_feed_may_report_results(example: Any, answers: dict[str, bytes]) -> None:
    result = GameResult("EPL", "Arsenal vs Chelsea", parse_ms("2026-01-04T15:00:00Z"), 2, 1)

    class Reporting(example.CornerShop):
        def parse(self, part: str, answer: Any, now_ms: int) -> list[Reported]:
            return [*super().parse(part, answer, now_ms), result]

    class OnlyResults(Reporting):
        def parse(self, part: str, answer: Any, now_ms: int) -> list[Reported]:
            return super().parse(part, answer, now_ms)[1:]

    quote, reported = check_feed(Reporting, SPEC, answers)
    assert isinstance(quote, Quote)
    assert reported == result
    assert check_feed(OnlyResults, SPEC, answers) == [result]


def test_a_result_that_makes_no_sense_is_not_reported(
    example: Any, answers: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(example.CornerShop):
        def parse(self, part: str, answer: Any, now_ms: int) -> list[Reported]:
            decoded = super().parse(part, answer, now_ms)
            return [GameResult("EPL", decoded[0].match_name, decoded[0].match_date, 2, 1)]

    monkeypatch.setattr(conformance, "LIMIT_S", 0.5)
    with pytest.raises(ConformanceError, match="it says nothing within"):
        check_feed(Wrong, SPEC, answers)


def test_a_feed_that_takes_any_option_is_found_out(example: Any, answers: Any) -> None:
    class Lenient(example.CornerShop):
        options = frozenset({"no-such-option"})

    with pytest.raises(ConformanceError, match="options that it does not know"):
        check_feed(Lenient, SPEC, answers)


def test_an_entry_point_is_a_feed_by_its_name(
    example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cornershop", example)
    point = EntryPoint("cornershop", "cornershop:CornerShop", adapters.GROUP)
    broken = EntryPoint("broken", "cornershop:NoSuchClass", adapters.GROUP)

    def found(group: str, name: str | None = None) -> list[EntryPoint]:
        return [each for each in (point, broken) if name in (None, each.name)]

    monkeypatch.setattr(adapters, "entry_points", found)
    assert isinstance(adapters.open_live(SPEC), PollingFeed)
    assert "cornershop" in adapters.live_names()
    with pytest.raises(FeedError, match="feed broken: AttributeError"):
        adapters.open_live("broken:football")
