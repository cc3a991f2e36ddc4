"""``GET /api/sports`` and ``GET /api/bookmakers``: the same for everyone (D19)."""

from collections.abc import Collection
from itertools import groupby
from typing import Final

from oddsdesk.contract.resources import Bookmaker, Sport
from oddsdesk.contract.times import format_ms
from oddsdesk.store.sqlite.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.sqlite.queries.select import Select

_SPORTS: Final = """
SELECT sport, competition, count(*) FROM game INDEXED BY game_sport
WHERE recent AND last_scraped_at >= :since AND {}
GROUP BY sport, competition ORDER BY sport, competition
"""
_IS_TOLD: Final = (
    "EXISTS (SELECT 1 FROM coverage c WHERE c.game = game.id AND c.newest >= :since AND {})"
)
# Where all quotes of a pair are fresh its sum holds; only mixed pairs are counted one by one.
_BOOKMAKERS: Final = """
SELECT c.bookmaker, max(c.is_live), max(c.newest), sum(
    CASE WHEN c.oldest >= :since THEN c.selections ELSE (
        SELECT sum(q.selections) FROM quote q
        WHERE q.game = c.game AND q.bookmaker = c.bookmaker AND q.is_live = c.is_live
            AND q.scraped_at >= :since
    ) END
)
FROM game g INDEXED BY game_order CROSS JOIN coverage c ON c.game = g.id
WHERE g.recent AND g.last_scraped_at >= :since AND c.newest >= :since AND {}
GROUP BY c.bookmaker ORDER BY c.bookmaker
"""


def list_sports(select: Select, since: int, share: Collection[str] | None) -> list[Sport]:
    """Return the sports with fresh prices, by name."""
    is_told = "1" if share is None else _IS_TOLD.format(may_be_told("c", share))
    rows = select(_SPORTS.format(is_told), {"since": since, **share_parameter(share)})
    sports = []
    for sport, group in groupby(rows, key=lambda row: row[0]):
        found = list(group)
        codes = [competition for _, competition, _ in found]
        sports.append(Sport(sport, codes, sum(count for *_, count in found)))
    return sports


def list_bookmakers(
    select: Select, since: int, has_live: bool | None, share: Collection[str] | None
) -> list[Bookmaker]:
    """Return the bookmakers with fresh prices, by name; ``has_live`` picks (D38)."""
    query = _BOOKMAKERS.format(may_be_told("c", share))
    bookmakers = [
        Bookmaker(name, count, bool(live), format_ms(newest))
        for name, live, newest, count in select(query, {"since": since, **share_parameter(share)})
    ]
    return [each for each in bookmakers if has_live is None or each.has_live == has_live]
