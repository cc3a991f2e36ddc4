"""``GET /api/sports`` and ``GET /api/bookmakers``: the same for everyone (D19)."""

from itertools import groupby
from typing import Final

from oddsdesk.contract.resources import Bookmaker, Sport
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.select import Select

_SPORTS: Final = """
SELECT sport, competition, count(*) FROM game INDEXED BY game_sport
WHERE recent AND last_scraped_at >= :since GROUP BY sport, competition ORDER BY sport, competition
"""
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
WHERE g.recent AND g.last_scraped_at >= :since AND c.newest >= :since
GROUP BY c.bookmaker ORDER BY c.bookmaker
"""


def list_sports(select: Select, since: int) -> list[Sport]:
    """Return the sports with fresh prices, by name."""
    rows = select(_SPORTS, {"since": since})
    sports = []
    for sport, group in groupby(rows, key=lambda row: row[0]):
        found = list(group)
        codes = [competition for _, competition, _ in found]
        sports.append(Sport(sport, codes, sum(count for *_, count in found)))
    return sports


def list_bookmakers(select: Select, since: int, has_live: bool | None) -> list[Bookmaker]:
    """Return the bookmakers with fresh prices, by name; ``has_live`` picks (D38)."""
    bookmakers = [
        Bookmaker(name, count, bool(live), format_ms(newest))
        for name, live, newest, count in select(_BOOKMAKERS, {"since": since})
    ]
    return [each for each in bookmakers if has_live is None or each.has_live == has_live]
