"""The votes on a line group, asked without each operator."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.model.matrix import Price
from oddsdesk.board.valuation.pool import Pool, Voter
from oddsdesk.pricing.consensus import Voices, Vote
from oddsdesk.pricing.devig import devig, overround
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.selections import line_groups

GROUP = line_groups("moneyline", "A - B", ["A", "Draw", "B"], "Football")[0]
METHOD = "multiplicative"


def voter(number: int, odds: tuple[float, ...], is_stale: bool) -> Voter:
    name, chances = f"Book {number}", devig(METHOD, odds).probabilities
    profile = Profile(name=name, group=f"group {number % 7}")
    return Voter(
        bookmaker=name,
        profile=profile,
        voice=profile.group,
        group=GROUP,
        odds=odds,
        vote=Vote(profile.group, chances),
        overround=overround(odds),
        price=Price(odds[0], 0, 0, 0),
        scraped_at=number,
        is_live=False,
        is_stale=is_stale,
        has_overtime=None,
    )


casts = st.lists(
    st.tuples(st.tuples(*[st.floats(1.05, 30)] * 3), st.booleans()), min_size=1, max_size=9
)


@given(casts, st.integers(1, 4))
def test_no_line_is_below_the_least_fair_odds_whoever_is_left_out(
    cast: list[tuple[tuple[float, ...], bool]], least: int
) -> None:
    voters = [voter(number, *said) for number, said in enumerate(cast)]
    profiles = Profiles([each.profile for each in voters])
    pool = Pool("moneyline", voters, Voices(profiles), METHOD, least)
    for name in ("", *(each.bookmaker for each in voters)):
        pooled = pool.pooled_without(name)
        if pooled is None:
            continue
        assert pooled.line.scraped_at == min(each.scraped_at for each in pooled.voters)
        for side, price in pooled.line.prices.items():
            assert price.fair_odds is not None
            assert price.fair_odds >= pool.least_fair(side)
