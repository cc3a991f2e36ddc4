"""Reading a list to its end, page after page (D14)."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from oddsdesk.client.answers import Listing
from oddsdesk.client.errors import MalformedAnswerError

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

MOST_PAGES: Final = 200
"""A list with more pages is taken for an endless one (D85)."""
_LONGEST_CURSOR: Final = 4_096
"""In characters; it is part of the next request's address."""


async def pages(
    fetch: Callable[[str | None], Awaitable[Listing[T]]], name: str, cursor: str | None = None
) -> AsyncGenerator[Listing[T], None]:
    """Yield page after page from ``cursor`` on; ``name`` names the list in errors.

    Raises:
        MalformedAnswerError: a cursor comes a second time or is too long, or there are more than
            ``MOST_PAGES``.
    """
    seen = {cursor}
    for _ in range(MOST_PAGES):
        page = await fetch(cursor)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
        if len(cursor) > _LONGEST_CURSOR:
            raise MalformedAnswerError(f"{name}: the service's cursor is far too long")
        if cursor in seen:
            raise MalformedAnswerError(f"{name}: the service repeats a page")
        seen.add(cursor)
    raise MalformedAnswerError(f"{name}: the service does not end after {MOST_PAGES} pages")


def paged(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, Listing[T]]],
    largest: int,
    whole: Callable[[S, dict[str, Any]], AsyncGenerator[T, None]] | None = None,
) -> Callable[Concatenate[S, P], AsyncGenerator[T, None]]:
    """Return a method that yields what ``method`` lists, over as many requests as it takes.

    Parameters are those of ``method``; ``limit`` is the size of a page, ``largest`` by default.
    ``whole`` yields all items from the beginning, of a service without pages, too.
    """

    @wraps(method)
    async def every(client: S, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        asked: dict[str, Any] = kwargs
        if whole is not None and asked.get("cursor") is None and asked.get("as_of") is None:
            async with aclosing(whole(client, asked)) as items:
                async for item in items:
                    yield item
            return
        if asked.get("limit") is None:
            kwargs["limit"] = largest

        def fetch(cursor: str | None) -> Coroutine[Any, Any, Listing[T]]:
            kwargs["cursor"] = cursor
            return method(client, *args, **kwargs)

        begin: Any = asked.get("cursor")
        async with aclosing(pages(fetch, method.__name__, begin)) as answers:
            async for page in answers:
                for item in page:
                    yield item

    every.__name__ = f"all_{method.__name__}"
    every.__doc__ = (
        f"Yield all that ``{method.__name__}`` lists, over as many requests as it takes.\n\n"
        f"Takes its parameters; ``limit`` is the size of a page, {largest} unless given.\n"
        "What moves between two answers may be missing, or come as it was before."
    )
    return every
