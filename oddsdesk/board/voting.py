"""Who has a vote on a line group, asked by all that ask the bookmakers together (D60, D94).

A vote is an opinion: a fresh and complete line with a margin between 0 and 20 %, of real prices.
``Pool`` leaves out what disagrees with the others, such as outliers. Explain, second opinions, the
consensus as reference, closes and near misses all ask here.
"""

from collections.abc import Iterator
from functools import lru_cache

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import Matrix, Section
from oddsdesk.board.own_groups import own_group, priced_by, state_of
from oddsdesk.board.pool import LeftOut, Pool, Silence, Voter, agreeing
from oddsdesk.pricing.assessment import Caution, is_unread, settles_otherwise
from oddsdesk.pricing.consensus import MOST_MARGIN, Vote, logits_of
from oddsdesk.pricing.devig import DevigError, devig, overround
from oddsdesk.pricing.outcomes import DRAW
from oddsdesk.pricing.profiles import is_delayed
from oddsdesk.pricing.rules import MIN_OVERROUND
from oddsdesk.pricing.suppliers import Voices


def pool_of(section: Section, basis: Basis, left_out: list[LeftOut] | None = None) -> Pool | None:
    """Return the votes on a line group; None where nobody has any.

    Bookmakers that have none are added to ``left_out``, except those that ``Pool.left_out`` tells.
    """
    told: list[LeftOut] = [] if left_out is None else left_out
    market_type, period, _ = section.key
    market = market_type, period, section.sport
    by_overtime = settles_otherwise(market, section.line, True, False)
    voters = agreeing(_voters(section, basis, told), by_overtime=by_overtime, left_out=told)
    if not voters:
        return None
    return Pool(market_type, voters, basis.voices, basis.method, basis.least_voices)


def left_out_of(section: Section, basis: Basis, bookmaker: str | None) -> tuple[LeftOut, ...]:
    """Return which bookmakers have no vote on the prices of another, by name, and why.

    ``bookmaker`` None asks for the consensus of all.
    """
    found: list[LeftOut] = []
    pool = pool_of(section, basis, found)
    if pool is not None:
        found += pool.left_out(bookmaker)
    return tuple(sorted(found, key=lambda each: each.bookmaker.casefold()))


def compare_lines(matrix: Matrix, basis: Basis, now_ms: int) -> None:
    """Learn from a game's lines which bookmakers show the odds of one supplier (D94).

    Compared are whole lines before the game, with fresh prices: in play one feed is seconds late.
    """
    for section in matrix.sections:
        lines: dict[tuple[bool, ...], dict[str, tuple[float, ...]]] = {}
        for name, odds in _standing_lines(section, basis):
            sides = tuple([price > 0 for price in odds])
            lines.setdefault(sides, {})[name] = odds
        for sides, odds_of in lines.items():
            line = hash((matrix.game_id, section.key, sides))
            basis.suppliers.compare(line, odds_of, now_ms)


def _standing_lines(section: Section, basis: Basis) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each bookmaker's odds of a line, 0 for a draw that its whole line does not have."""
    rows, sides, stale = section.rows, section.sides, section.market.stale
    if not section.complete:
        return
    draw = sides.index(DRAW) if DRAW in sides else None
    for name in dict.fromkeys([name for row in rows for name in row.priced_by()]):
        prices = [row.price_of(name) for row in rows]
        odds = tuple(
            [
                price.odds if price and price.is_offered and not price.is_live else 0.0
                for price in prices
            ]
        )
        missing = [place for place, price in enumerate(odds) if not price]
        called = basis.reference.bookmaker if name is None else name
        if called and name not in stale and missing in ([], [draw]) and not is_delayed(called):
            yield called, odds


def _voters(section: Section, basis: Basis, left_out: list[LeftOut]) -> Iterator[Voter]:
    names: dict[str, str | None] = {name: name for row in section.rows for name in row.prices}
    kept_apart, voices = basis.reference.bookmaker, basis.voices
    if kept_apart is not None:
        names[kept_apart] = None
    for name in sorted(names):
        voter = _voter(section, name, names[name], basis, voices)
        if isinstance(voter, Voter):
            yield voter
        elif voter is not None:
            left_out.append(voter)


def _voter(
    section: Section, name: str, key: str | None, basis: Basis, voices: Voices
) -> Voter | LeftOut | None:
    """Return a bookmaker's vote, or why it has none; None where it offers nothing.

    Args:
        section: The line group.
        name: What the bookmaker is called.
        key: What its prices are kept under; None where it is the reference.
        basis: What prices are judged by.
        voices: Those of the basis.
    """
    profile, facts = basis.profiles.of(name), section.market
    rows = priced_by(section, key)
    if not rows:
        return None
    if profile.weight <= 0:
        return LeftOut(name, Silence.NO_WEIGHT)
    if is_delayed(name):
        return LeftOut(name, Silence.LATE)
    group = own_group(section, rows)
    if group is None:
        return LeftOut(name, Silence.PARTIAL)
    if is_unread(
        section.key.market_type,
        int(key in facts.unread),
        group.sides,
        had_draw=key in facts.drew_at,
    ):
        return LeftOut(name, Silence.UNREAD)
    if section.doubts and any(
        Caution.PLACEHOLDER in section.doubts.get((row.selection, key), ()) for row in rows
    ):
        return LeftOut(name, Silence.PLACEHOLDER)
    prices = [price for row in rows if (price := row.price_of(key)) is not None]
    odds = tuple([price.odds for price in prices])
    said = _opinion(basis.method, odds)
    if isinstance(said, Silence):
        return LeftOut(name, said, _margin_text(said, odds))
    chances, logits, total = said
    return Voter(
        bookmaker=name,
        profile=profile,
        voice=voices.of(name),
        group=group,
        odds=odds,
        vote=Vote(voices.of(name), chances, profile.weight, logits),
        overround=total,
        price=prices[0],
        scraped_at=min([price.scraped_at for price in prices]),
        is_live=state_of(prices),
        is_stale=key in facts.stale,
        has_overtime=basis.overtime.of(facts.game_id, facts.competition, section.sport, key),
    )


@lru_cache(maxsize=1 << 14)
def _opinion(
    method: str, odds: tuple[float, ...]
) -> tuple[tuple[float, ...], tuple[float, ...], float] | Silence:
    """Return chances without margin, their logits and S; or why a line is no opinion."""
    total = overround(odds)
    if total < MIN_OVERROUND:
        return Silence.BELOW_100
    if total > 1 + MOST_MARGIN + 1e-9:
        return Silence.MARGIN
    try:
        chances = devig(method, odds).probabilities
    except DevigError:
        return Silence.NO_ANSWER
    if min(chances) <= 0 or max(chances) >= 1:
        return Silence.NO_ANSWER
    return tuple(chances), logits_of(chances), total


def _margin_text(why: Silence, odds: tuple[float, ...]) -> str:
    """Return the margin that a line is left out for."""
    if why not in (Silence.BELOW_100, Silence.MARGIN):
        return ""
    return f"{(overround(odds) - 1) * 100:.1f} %".replace("-", "−")
