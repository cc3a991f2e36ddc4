"""Who has a vote on a line group when the bookmakers together are the reference (D60)."""

from collections.abc import Iterator
from functools import lru_cache

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import Section
from oddsdesk.board.own_groups import own_group, priced_by, state_of
from oddsdesk.board.pool import Pool, Voter, agreeing
from oddsdesk.pricing.assessment import is_unread, settles_otherwise
from oddsdesk.pricing.devig import DevigError, devig, overround
from oddsdesk.pricing.profiles import is_delayed
from oddsdesk.pricing.rules import MIN_OVERROUND


def pool_of(section: Section, basis: Basis) -> Pool | None:
    """Return the votes on a line group; None where nobody has any."""
    market_type, period, _ = section.key
    market = market_type, period, section.sport
    by_overtime = settles_otherwise(market, section.line, True, False)
    voters = agreeing(_voters(section, basis), by_overtime=by_overtime)
    if not voters:
        return None
    return Pool(market_type, voters, basis.profiles, basis.method, basis.least_voices)


def _voters(section: Section, basis: Basis) -> Iterator[Voter]:
    names = {name for row in section.rows for name in row.prices}
    for name in sorted(names):
        voter = _voter(section, name, basis)
        if voter is not None:
            yield voter


def _voter(section: Section, name: str, basis: Basis) -> Voter | None:
    """Return a bookmaker's vote, None where it has none.

    That is one that prices only a part of the line, whose prices are crossed (D50) or late, that
    may price an outcome more than it seems (D48), or that the user gave no weight.
    """
    profile, facts = basis.profiles.of(name), section.market
    if profile.weight <= 0 or is_delayed(name):
        return None
    rows = priced_by(section, name)
    group = own_group(section, rows)
    if group is None or is_unread(
        section.key.market_type,
        int(name in facts.unread),
        frozenset(group.sides),
        had_draw=name in facts.drew_at,
    ):
        return None
    prices = [row.prices[name] for row in rows]
    odds = tuple([price.odds for price in prices])
    said = _said(basis.method, odds)
    if said is None or said[1] < MIN_OVERROUND:
        return None
    chances, total = said
    return Voter(
        bookmaker=name,
        profile=profile,
        group=group,
        odds=odds,
        chances=chances,
        overround=total,
        price=prices[0],
        scraped_at=min(price.scraped_at for price in prices),
        is_live=state_of(prices),
        is_stale=name in facts.stale,
        has_overtime=basis.overtime.of(facts.game_id, facts.competition, section.sport, name),
    )


@lru_cache(maxsize=1 << 14)
def _said(method: str, odds: tuple[float, ...]) -> tuple[tuple[float, ...], float] | None:
    """Return chances without margin, and S; None where there are none that can be pooled."""
    try:
        chances = devig(method, odds).probabilities
    except DevigError:
        return None
    return (chances, overround(odds)) if all(0 < chance < 1 for chance in chances) else None
