"""A lay as a leg: what it is called, staked and odds of what it takes."""

import math

import pytest

from oddsdesk.board.opportunities.finder import OpportunityLeg
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.stakes import Depth
from tests.kit.board import NOW, row_key

EXCHANGE = Profile(name="Betfair", group="Betfair", commission=0.05)
LAYS = ((2.14, 100.0), (2.2, 0.0), (2.24, 50.0))


def lay(liability: float, lays: tuple[tuple[float, float], ...] = LAYS) -> OpportunityLeg:
    depth = Depth(((2.1, 80.0),), "GBP", lays)
    return OpportunityLeg(
        key=row_key("Arsenal", "Betfair"),
        bookmaker="Betfair",
        odds=2.14,
        net_odds=EXCHANGE.net_lay(2.14),
        stake=liability,
        seen_at=NOW,
        cautions=(),
        url=None,
        depth=depth,
        ladder=EXCHANGE.lay_ladder(depth),
        is_lay=True,
    )


def test_a_lay_is_staked_by_its_liability_and_says_what_backers_stake() -> None:
    leg = lay(57.0)
    assert leg.named("Arsenal") == "Lay Arsenal"
    assert leg.backers_stake == pytest.approx(50.0)
    assert leg.lay_odds == pytest.approx(2.14)
    assert leg.for_sale == (pytest.approx(114.0), "GBP")


def test_a_lay_of_several_levels_has_their_average_odds() -> None:
    leg = lay(114.0 + 31.0)
    assert leg.backers_stake == pytest.approx(100 + 25)
    assert leg.lay_odds == pytest.approx((100 * 2.14 + 25 * 2.24) / 125)


def test_a_lay_of_unknown_size_takes_any_liability_at_its_odds() -> None:
    leg = lay(114.0, ((2.14, math.inf),))
    assert leg.backers_stake == pytest.approx(100)
    assert leg.lay_odds == pytest.approx(2.14)


def test_a_back_has_no_lay_odds() -> None:
    leg = lay(50.0)._replace(is_lay=False)
    assert (leg.lay_odds, leg.backers_stake, leg.named("Arsenal")) == (None, None, "Arsenal")
