"""SQL conditions that queries share: what a caller may see, and which games it asks for."""

from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

from oddsdesk.contract.competitions import OTHER, SPORT_BY_COMPETITION, SPORTS, sport_of
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import Filters, Visibility

_PRICED: Final = """
SELECT 1 FROM source WHERE newest >= :since AND bookmaker = coalesce(:bookmaker, bookmaker)
    AND market_type = coalesce(:market_type, market_type) LIMIT 1
"""

NEWEST_OF_PAIR: Final = """
CASE WHEN c.newest <= :until THEN c.newest ELSE (
    SELECT max(f.scraped_at) FROM quote f WHERE f.game = c.game AND f.bookmaker = c.bookmaker
        AND f.is_live = c.is_live AND f.odds IS NOT NULL AND f.scraped_at <= :until
) END
"""
"""The newest price of a row ``c`` of ``coverage`` that stands now; its quotes are looked at only
where a wrong clock left one in the future."""
FRESH_PAIR: Final = f"c.newest >= :since AND {NEWEST_OF_PAIR} >= :since"
"""Such a row has prices that stand now."""

_SPORT_BY_LOWER: Final = {sport.lower(): sport for sport in SPORTS}


class Window(NamedTuple):
    """Between which times, both inclusive, a price was seen that stands now (D16)."""

    since: int
    until: int


def standing(now_ms: int, age_ms: int) -> Window:
    """Return the window of prices of an age; what lies ahead of the clock stands nowhere (D84)."""
    return Window(now_ms - age_ms, now_ms + CLOCK_TOLERANCE_MS)


def canonical_sport(sport: str) -> str:
    """Return a sport as the contract writes it; an unknown one unchanged, which matches nothing."""
    return _SPORT_BY_LOWER.get(sport.lower(), sport)


def of_sport(sport: str) -> str:
    """Return the condition on ``g`` that the contract's table has its competition in a sport.

    ``g.sport`` is what is really played, which may be more than the table knows. The parameter
    ``sport`` is as ``canonical_sport`` returns it.
    """
    asked = canonical_sport(sport)
    codes = [code for code in SPORT_BY_COMPETITION if asked in (OTHER, sport_of(code))]
    listed = ", ".join(f"'{code}'" for code in codes)
    if asked == OTHER:
        return f"g.competition NOT IN ({listed})"
    return f"g.sport = :sport AND g.competition IN ({listed or 'NULL'})"


def is_priced(
    select: Select, since: int, bookmaker: str | None, market_type: str | None = None
) -> bool:
    """Whether there is any such price; if not, the query need not walk all games."""
    asked = {"since": since, "bookmaker": bookmaker, "market_type": market_type}
    return bool(select(_PRICED, asked))


def visibility_parameters(select: Select, visibility: Visibility, reference: str) -> dict[str, Any]:
    """Return the parameters of ``visible`` and of the reference's liquidity."""
    share = share_parameter(select, visibility.share)
    return {"visible_bookmaker": visibility.bookmaker, "reference": reference, **share}


def visible(select: Select, alias: str, visibility: Visibility) -> str:
    """Return the condition on a row with ``bookmaker`` and ``is_live`` (D19, D20, D66)."""
    parts = [may_be_told(select, alias, visibility.share)]
    if visibility.bookmaker is not None:
        parts.append(f"{alias}.bookmaker = :visible_bookmaker")
    if not visibility.live:
        parts.append(f"{alias}.is_live = FALSE")
    return " AND ".join(parts)


def may_be_told(select: Select, alias: str, share: Collection[str] | None) -> str:
    """Return the condition that a row with ``game`` and ``bookmaker`` may be passed on (D66)."""
    if share is None:
        return "TRUE"
    is_shared = select.sql.conditions.is_one_of.format("share")
    return f"""NOT EXISTS (
        SELECT 1 FROM origin WHERE origin.game = {alias}.game
            AND origin.bookmaker = {alias}.bookmaker AND NOT origin.may_share
            AND NOT origin.source {is_shared}
    )"""


def share_parameter(select: Select, share: Collection[str] | None) -> dict[str, object]:
    """Return the parameter of ``may_be_told``."""
    return {"share": select.listed(sorted(share or ()))}


def phases(filters: Filters, visibility: Visibility, after: bool | None) -> Iterator[bool]:
    """Yield the parts of a list to read: in play (True), then the others (D13, D37).

    ``after`` is the part that a cursor is in.
    """
    if visibility.live and filters.is_live is not False and after is not False:
        yield True
    if filters.is_live is not True:
        yield False


def games_index(filters: Filters, live: bool) -> str:
    """Return the index that yields the asked games in the order of D13."""
    if live:
        return "game_live"
    if filters.competition is not None:
        return "game_competition"
    is_of_one_sport = filters.sport is not None and canonical_sport(filters.sport) != OTHER
    return "game_sport" if is_of_one_sport else "game_order"


def wanted_games(filters: Filters, live: bool) -> tuple[str, dict[str, Any]]:
    """Return the condition on ``g`` that walks ``games_index``, and its parameters."""
    parts = ["g.recent AND g.last_scraped_at >= :since"]
    parameters: dict[str, Any] = {}
    if live:
        parts.append("g.has_live")
    if filters.competition is not None:
        parts.append("g.competition = :competition")
        parameters["competition"] = filters.competition
    if filters.sport is not None:
        parts.append(of_sport(filters.sport))
        parameters["sport"] = canonical_sport(filters.sport)
    return " AND ".join(parts), parameters
