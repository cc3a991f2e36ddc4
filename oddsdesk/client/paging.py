"""Reading a list to its end, page after page (D14)."""

import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from oddsdesk.client.answers import Listing
from oddsdesk.client.errors import MalformedAnswerError

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

_log = logging.getLogger(__name__)


def paged(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, Listing[T]]], largest: int
) -> Callable[Concatenate[S, P], AsyncGenerator[T, None]]:
    """Return a method that yields what ``method`` lists, over as many requests as it takes.

    Parameters are those of ``method``; ``limit`` is the size of a page, ``largest`` by default.
    """

    @wraps(method)
    async def every(client: S, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        if kwargs.get("limit") is None:
            kwargs["limit"] = largest
        page = await method(client, *args, **kwargs)
        if page.next_cursor is None and len(page) == kwargs["limit"]:
            _log.warning(
                "%s: the service answered as many as asked for and told of no next page;"
                " there may be more, ask with filters",
                method.__name__,
            )
        while True:
            for item in page:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return
            if cursor == kwargs.get("cursor"):
                raise MalformedAnswerError(f"{method.__name__}: the service repeats a page")
            kwargs["cursor"] = cursor
            page = await method(client, *args, **kwargs)

    every.__name__ = f"all_{method.__name__}"
    every.__doc__ = (
        f"Yield all that ``{method.__name__}`` lists, over as many requests as it takes.\n\n"
        f"Takes its parameters; ``limit`` is the size of a page, {largest} unless given.\n"
        "What moves between two pages may be seen twice or not at all."
    )
    return every
