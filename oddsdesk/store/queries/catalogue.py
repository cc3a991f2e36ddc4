"""``GET /api/sports`` and ``GET /api/bookmakers``: the same for everyone (D19)."""

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Final

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.resources import Bookmaker, Sport
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.conditions import (
    FRESH_PAIR,
    NEWEST_OF_PAIR,
    Window,
    may_be_told,
    share_parameter,
)
from oddsdesk.store.queries.select import Select

_IS_TOLD: Final = f"""
EXISTS (SELECT 1 FROM coverage c WHERE c.game = game.id AND {FRESH_PAIR} AND {{}})
"""


def list_sports(select: Select, window: Window, share: Collection[str] | None) -> list[Sport]:
    """Return the sports with fresh prices, by name."""
    told = may_be_told(select, "c", share)
    query = select.sql.catalogue.sports.format(
        newest=NEWEST_OF_PAIR,
        told="TRUE" if share is None else _IS_TOLD.format(told),
    )
    rows = select(query, {**window._asdict(), **share_parameter(select, share)})
    by_sport: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for competition, count in rows:
        by_sport[sport_of(competition)][competition] += count
    return [
        Sport(sport, sorted(by_sport[sport]), by_sport[sport].total()) for sport in sorted(by_sport)
    ]


def list_bookmakers(
    select: Select, window: Window, has_live: bool | None, share: Collection[str] | None
) -> list[Bookmaker]:
    """Return the bookmakers with fresh prices, by name; ``has_live`` picks (D38)."""
    query = select.sql.catalogue.bookmakers.format(
        fresh=FRESH_PAIR, newest=NEWEST_OF_PAIR, told=may_be_told(select, "c", share)
    )
    asked = {**window._asdict(), **share_parameter(select, share)}
    bookmakers = [
        Bookmaker(name, count, bool(live), format_ms(newest))
        for name, live, newest, count in select(query, asked)
    ]
    return [each for each in bookmakers if has_live is None or each.has_live == has_live]
