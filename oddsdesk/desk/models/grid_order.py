"""The order of the odds grid's rows: unknown last, and stable."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def in_order(items: Sequence[T], key: Callable[[T], Any], *, descending: bool) -> list[T]:
    """Return items sorted by a key, those of key None last either way; equal ones keep order.

    What is no number is compared once each: ranks are sorted, since many rows share one.
    """
    keys = list(map(key, items))
    known: Iterable[int] = range(len(items))
    unknown: list[T] = []
    if None in keys:
        unknown = [item for item, found in zip(items, keys, strict=True) if found is None]
        known = [place for place, found in enumerate(keys) if found is not None]
    if not isinstance(next((found for found in keys if found is not None), 0), int | float):
        distinct = sorted(set(keys) - {None})
        ranks: dict[Any, int | None] = {found: rank for rank, found in enumerate(distinct)}
        ranks[None] = None
        keys = [ranks[found] for found in keys]
    order = sorted(known, key=keys.__getitem__, reverse=descending)
    return [*(items[place] for place in order), *unknown]


def stand_well(first: Any, second: Any, *, descending: bool) -> bool:
    """Whether a row of one key may stand before a row of another."""
    if first is None or second is None:
        return second is None
    return bool(first >= second if descending else first <= second)
