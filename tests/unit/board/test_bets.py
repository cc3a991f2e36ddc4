"""The list of bets from quotes of one moment."""

from typing import Any

import pytest

from oddsdesk.board.assessed import AssessedPrice, assess_prices
from oddsdesk.board.bets import Bet, list_bets
from oddsdesk.board.quotes import BookQuote
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import OPEN_AFTER_MS, placed_in
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.exposure import Bound, Placed, StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles

NOW = 1_776_000_000_000
EVEN = {"A": 1.95, "B": 1.95}
GOOD = 2.09
"""Fair is 2.0: EV 3.47 %, a quarter of Kelly of 1,000 is 10.32."""


def quote(bookmaker: str, odds: dict[str, float], **other: Any) -> BookQuote:
    made = BookQuote(
        game_id="one",
        match_name="A vs B",
        competition="ATP",
        sport="Tennis",
        kick_off=NOW + 3_600_000,
        bookmaker=bookmaker,
        market_type="moneyline",
        period=0,
        odds=odds,
        scraped_at=NOW,
        is_live=False,
    )
    return made._replace(**other)


def assessed(*quotes: BookQuote, **options: bool) -> list[AssessedPrice]:
    profiles = Profiles([Profile(name="Exchange", group="Exchange", commission=0.05)])
    reference = quote("Pinnacle", EVEN)
    if not any(each.bookmaker == "Pinnacle" for each in quotes):
        quotes = (reference, *quotes)
    return list(assess_prices(quotes, "Pinnacle", profiles, NOW, **options))


def listed(*quotes: BookQuote, **options: Any) -> list[Bet]:
    return list_bets(assessed(*quotes), StakePlan(), **options)


def cautions(bet: Bet) -> tuple[Caution, ...]:
    return bet.price.assessment.cautions


def test_one_outcome_is_staked_once_at_its_best_net_price() -> None:
    rows = listed(
        quote("Exchange", {"A": 2.11}), quote("Second", {"A": GOOD}), quote("First", {"A": GOOD})
    )
    shown = [(row.price.quote.bookmaker, row.stake, row.bound, row.same_bet_as) for row in rows]
    assert shown == [
        ("First", 10, Bound.KELLY, None),
        ("Second", 0, None, "First"),
        ("Exchange", 0, None, "First"),
    ]


def test_a_stake_is_bound_by_what_its_bookmaker_takes() -> None:
    limits = {"Soft": 3.0}
    price = quote("Soft", {"A": GOOD})
    (row,) = listed(price, most_at=limits.get)
    assert (row.stake, row.bound) == (3, Bound.BOOKMAKER)


def test_what_is_placed_leaves_less_of_its_outcome() -> None:
    price = quote("Soft", {"A": GOOD})
    (row,) = listed(price, placed=placed_in([placed(stake=4)], NOW))
    assert (row.stake, row.bound) == (6, Bound.PLACED)


def test_a_bet_counts_until_its_game_is_surely_over() -> None:
    begun = placed(kick_off=NOW - OPEN_AFTER_MS, stake=4)
    over = placed(kick_off=NOW - OPEN_AFTER_MS - 1, stake=8)
    undated = placed(kick_off=None, placed_at=NOW - 1, stake=16)
    unread = placed(selection="Both", stake=32)
    outcome = ("one", "moneyline", 0, "", "home")
    found = placed_in([begun, over, undated, unread], NOW)
    assert found == Placed({outcome: 20.0}, {"one": 52.0}, 52.0)


def placed(**other: Any) -> PlacedBet:
    fields = {"game_id": "one", "match_name": "A vs B", "competition": "ATP", "sport": "Tennis"}
    fields |= {"market_type": "moneyline", "period": 0, "selection": "A", "bookmaker": "Soft"}
    fields |= {"odds": GOOD, "stake": 1.0, "placed_at": NOW, "kick_off": NOW + 1}
    return PlacedBet(**(fields | other))


def test_only_value_is_listed_unless_everything_is_wanted() -> None:
    quotes = [
        quote("Late", {"A": GOOD}, scraped_at=NOW - 181_000),
        quote("Exchange", {"B": 2.08}),
        quote("Poor", {"A": 2.0}),
    ]
    assert listed(*quotes) == []
    late, exchange = listed(*quotes, everything=True)
    assert cautions(late) == (Caution.STALE,)
    assert (exchange.price.is_in_contract, cautions(exchange)) == (True, ())
    assert (late.stake, exchange.stake, exchange.same_bet_as) == (0, 0, None)


def test_a_price_whose_source_is_late_is_no_value() -> None:
    late = quote("Exchange (delayed)", {"A": 2.11})
    assert listed(late) == []
    (row,) = listed(late, everything=True)
    assert (cautions(row), row.stake) == ((Caution.DELAYED,), 0)


def test_prices_below_the_least_edge_can_be_left_out_from_the_start() -> None:
    quotes = [quote("Soft", {"A": GOOD, "B": 1.9}), quote("Exchange", {"B": 2.05})]
    near = assessed(*quotes, listable=True)
    assert [price.quote.bookmaker for price in near] == ["Soft", "Exchange"]
    every = list_bets(assessed(*quotes), StakePlan(), everything=True)
    assert list_bets(near, StakePlan(), everything=True) == every


def test_a_bookmaker_whose_draw_is_gone_is_not_two_way() -> None:
    price = quote("Soft", {"A": GOOD, "B": 1.8})
    (row,) = listed(price._replace(had_draw=True), everything=True)
    assert cautions(row) == (Caution.UNREAD_OUTCOME,)
    assert row.service_ev_pct is None
    assert cautions(listed(price)[0]) == ()


def test_a_bookmaker_without_a_moneyline_of_the_game_counts_overtime_as_usual() -> None:
    hockey: dict[str, Any] = {"sport": "Hockey", "competition": "NHL"}
    total = hockey | {"market_type": "total"}
    quotes = [
        quote("Pinnacle", EVEN, **hockey),
        quote("Pinnacle", {"Over 5.5": 1.95, "Under 5.5": 1.95}, **total),
        quote("Soft", {"Over 5.5": GOOD}, **total),
    ]
    usual = quote("Soft", {"C": 2.4, "Draw": 4.2, "D": 2.4}, **hockey)
    usual = usual._replace(game_id="two", match_name="C vs D")

    assert cautions(listed(*quotes)[0]) == ()
    assert cautions(listed(*quotes, usual, everything=True)[0]) == (Caution.OTHER_RULES,)
    other = usual._replace(game_id="three", odds={"C": 1.9, "D": 1.9})
    assert cautions(listed(*quotes, usual, other)[0]) == ()


def test_an_unknown_push_is_told_and_sorts_below() -> None:
    spread = {"market_type": "spread"}
    rows = listed(
        quote("Pinnacle", {"A -1": 1.95, "B +1": 1.95}, **spread),
        quote("Soft", {"A -1": GOOD}, **spread),
        quote("Pinnacle", EVEN),
        quote("Soft", {"A": GOOD}),
    )
    units = [(row.price.selection, row.price.assessment.per) for row in rows]
    assert units == [("A", "staked"), ("A -1", "decided")]


@pytest.mark.parametrize(
    ("market_type", "pushing"),
    [
        ("spread", {"A -1": 1.95, "B +1": 1.95, "A -0.5": 1.7, "B +0.5": 2.3, "A -1.5": 2.4}),
        ("total", {"Over 3": 1.95, "Under 3": 1.95, "Over 2.5": 1.7, "Under 2.5": 2.3}),
    ],
)
def test_a_push_is_as_likely_as_the_half_lines_beside_it_say(
    market_type: str, pushing: dict[str, float]
) -> None:
    """P(X = k) is P(X > k - 0.5) less P(X > k + 0.5), the margin shared out evenly."""
    first = next(iter(pushing))
    beyond = {"spread": ("A -1.5", "B +1.5"), "total": ("Over 3.5", "Under 3.5")}[market_type]
    ladder = pushing | dict.fromkeys(beyond[:1], 2.4) | dict.fromkeys(beyond[1:], 1.65)
    (price,) = assessed(
        quote("Pinnacle", ladder, market_type=market_type),
        quote("Soft", {first: GOOD}, market_type=market_type),
    )
    below = 1 / 1.7 - (1 / 1.7 + 1 / 2.3 - 1) / 2
    above = 1 / 2.4 - (1 / 2.4 + 1 / 1.65 - 1) / 2
    ends = price.assessment.settlement
    assert ends is not None
    assert ends.push == pytest.approx(below - above)
    assert price.assessment.ev_pct == pytest.approx(3.4653 * (1 - below + above), abs=1e-3)


def test_a_line_of_zero_pushes_on_the_draw_before_kick_off_only() -> None:
    football: dict[str, Any] = {"sport": "Football", "competition": "EPL"}
    three_way = quote("Pinnacle", {"A": 2.2, "Draw": 3.6, "B": 3.2}, **football)
    zero = {"market_type": "spread"} | football
    quotes = [three_way, quote("Pinnacle", {"A +0": 1.95, "B +0": 1.95}, **zero)]
    soft = quote("Soft", {"A +0": GOOD}, **zero)
    (before,) = assessed(*quotes, soft)
    (live,) = assessed(*(each._replace(is_live=True) for each in [*quotes, soft]))
    draw = 1 / 3.6 - (1 / 2.2 + 1 / 3.6 + 1 / 3.2 - 1) / 3
    assert before.assessment.settlement is not None
    assert before.assessment.settlement.push == pytest.approx(draw)
    assert (before.assessment.per, live.assessment.per) == ("staked", "decided")


def test_only_what_is_wanted_is_listed_and_staked() -> None:
    quotes = [quote("Best", {"A": GOOD}), quote("Mine", {"A": 2.08})]
    (row,) = listed(*quotes, wanted=lambda price: price.quote.bookmaker == "Mine")
    assert (row.price.quote.bookmaker, row.same_bet_as) == ("Mine", None)
    assert row.stake > 0
