"""Several sources of quotes as one, each waiting until its own last batch was taken."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

from oddsdesk.tasks import spawn, stop

T = TypeVar("T")


async def merged(*sources: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """Yield what the sources yield, as it comes, until the last of them ends.

    A source is asked for more only when what it said before was taken, so that none can flood
    the other. An error of one ends all.
    """
    asked = {spawn("next batch", _next(source)): source for source in sources}
    try:
        while asked:
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                source = asked.pop(task)
                said = task.result()
                if said is not None:
                    yield said
                    asked[spawn("next batch", _next(source))] = source
    finally:
        await stop(*asked)
        for source in sources:
            await source.aclose()


async def _next(source: AsyncGenerator[T, None]) -> T | None:
    """The next of a source, None at its end."""
    return await anext(source, None)
