"""Sources of batches as one: each goes at its own pace, and an error of one ends all."""

import asyncio
from collections.abc import AsyncGenerator, Iterable

import pytest

from oddsdesk.feeds.live.merging import merged


class Source:
    """Says what it is given, and then waits for ever; knows how often it was asked."""

    def __init__(self, said: Iterable[str], *, then: BaseException | None = None) -> None:
        self._said = said
        self._then = then
        self.asked = 0
        self.is_closed = False

    async def batches(self) -> AsyncGenerator[str, None]:
        try:
            for each in self._said:
                self.asked += 1
                yield each
            if self._then is not None:
                raise self._then
            await asyncio.Event().wait()
        finally:
            self.is_closed = True


async def test_what_each_says_comes_out_in_its_order() -> None:
    both = merged(Source("abc").batches(), Source("xyz").batches())
    found = [await anext(both) for _ in range(6)]
    await both.aclose()
    assert [each for each in found if each in "abc"] == ["a", "b", "c"]
    assert sorted(found) == ["a", "b", "c", "x", "y", "z"]


async def test_a_source_that_floods_is_asked_for_no_more_than_was_taken() -> None:
    flood = Source(str(number) for number in range(1_000_000))
    both = merged(flood.batches(), Source("x").batches())
    found = [await anext(both) for _ in range(4)]
    await both.aclose()
    assert "x" in found
    assert flood.asked <= 4


async def test_it_ends_with_the_last_of_them() -> None:
    async def few(said: str) -> AsyncGenerator[str, None]:
        for each in said:
            yield each

    assert sorted([each async for each in merged(few("ab"), few("c"))]) == ["a", "b", "c"]


async def test_closing_it_closes_all() -> None:
    sources = [Source("a"), Source("")]
    both = merged(*(each.batches() for each in sources))
    await anext(both)
    await both.aclose()
    assert [each.is_closed for each in sources] == [True, True]


async def test_an_error_of_one_ends_all(caplog: pytest.LogCaptureFixture) -> None:
    other = Source("")
    both = merged(Source("a", then=ValueError("broken")).batches(), other.batches())
    assert await anext(both) == "a"
    with pytest.raises(ValueError, match="broken"):
        await anext(both)
    assert other.is_closed
    caplog.clear()
