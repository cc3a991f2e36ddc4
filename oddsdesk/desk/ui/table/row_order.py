"""The order of a table's rows."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def in_order(items: Sequence[T], key: Callable[[T], Any], *, descending: bool) -> list[T]:
    """Return items sorted by a key, those of key None last either way; equal ones keep order.

    What is no number is compared once each: ranks are sorted, since many rows share one.
    """
    keys: list[Any] = list(map(key, items))
    if isinstance(next((found for found in keys if found is not None), 0), int | float):
        last = -math.inf if descending else math.inf
        if None in keys:
            keys = [last if found is None else found for found in keys]
    else:
        distinct = sorted(set(keys) - {None})
        ranks: dict[Any, int] = {found: rank for rank, found in enumerate(distinct)}
        ranks[None] = -1 if descending else len(distinct)
        keys = [ranks[found] for found in keys]
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=descending)
    return list(map(items.__getitem__, order))
