"""The second count of bets against figures reckoned by hand."""

import json
import math

import pytest

from tests.money_count import count_bets, effect, full_kelly, one_by_one
from tests.money_quotes import read_profiles
from tests.money_rows import Row

BOOKMAKERS = [
    "name,group,kind,commission,tax,taker_fee,currency,short,code,aliases,source",
    "# a remark",
    "Exchange,Pool,exchange,5,,,,,,Exchange UK|exchange_eu,",
    "Predictions,Predictions,prediction_market,,,7,,,,,",
    "Taxed,Taxed,bookmaker,,5,,,,,,",
]
EVEN = 1.95
"""On both of two sides: S = 1.0256, fair 2.0."""
GOOD = 2.09
"""Against 2.0: EV 2.09/2.02 - 1 = 3.4653 %, payout 1/2.09 + 1/1.95 = 0.9913, Kelly 0.045/1.09."""


def quote(bookmaker: str, odds: dict[str, float], **other) -> str:
    line = {
        "bookmaker": bookmaker,
        "match_name": "A vs B",
        "competition": "TENNIS",
        "sport": "Tennis",
        "market_type": "moneyline",
        "period": 0,
        "is_live": False,
        "odds": odds,
        "match_date": "2026-04-17T12:00:00.000Z",
        "scraped_at": "2026-04-16T12:00:00.000Z",
    }
    return json.dumps(line | other)


def even(first: str, second: str, **other) -> str:
    return quote("Pinnacle", {first: EVEN, second: EVEN}, **other)


def at(second: int) -> str:
    return f"2026-04-16T12:{second // 60:02}:{second % 60:02}.000Z"


def only(lines: list[str], **select) -> Row:
    found = [
        row
        for row in count_bets(lines, BOOKMAKERS)
        if all(row.shown()[name] == value for name, value in select.items())
    ]
    assert len(found) == 1, [row.shown() for row in found]
    return found[0]


def test_a_price_is_judged_against_the_fair_price_and_staked_a_quarter_of_kelly():
    row = only([even("A", "B"), quote("Soft", {"A": GOOD})])

    assert row.shown() | {"stake": 0} == {
        "match_name": "A vs B",
        "competition": "TENNIS",
        "market_type": "moneyline",
        "period": 0,
        "selection": "A",
        "bookmaker": "Soft",
        "odds": GOOD,
        "net_odds": GOOD,
        "fair_odds": 2.0,
        "ev_pct": 3.47,
        "per": "staked",
        "derived": None,
        "band_pct": None,
        "service_ev_pct": 3.47,
        "cautions": [],
        "stake": 0,
        "bound": "kelly",
        "same_bet_as": None,
        "same_bet_selection": None,
    }
    assert row.stake == 10  # 0.045 / 1.09 / 4 * 1000 = 10.32, in steps of 1
    assert row.listed
    assert row.in_contract


def test_an_exchange_is_judged_after_its_commission():
    lines = [even("A", "B"), quote("exchange_eu", {"A": GOOD, "B": 1.9})]

    gross_only = only(lines, selection="A")  # net 1 + 1.09 * 0.95 = 2.0355
    assert gross_only.shown()["net_odds"] == 2.0355
    assert gross_only.shown()["ev_pct"] == 0.77
    assert gross_only.shown()["service_ev_pct"] == 3.47
    assert gross_only.in_contract
    assert not gross_only.listed
    lines = [even("A", "B"), quote("exchange_eu", {"A": 1.9, "B": 2.1})]
    net_only = only(lines, selection="B")  # gross payout 0.9890, net 2.045: 1.0018
    assert net_only.shown()["ev_pct"] == 1.24
    assert net_only.listed
    assert not net_only.in_contract
    assert net_only.stake == 5  # 0.0225 / 1.045 / 4 * 1000 = 5.38


def test_profiles_are_read_in_percent_with_their_aliases():
    profiles = read_profiles(BOOKMAKERS)

    assert profiles["Exchange UK"] == profiles["Exchange"]
    assert profiles["Exchange"].net(3.0) == pytest.approx(2.9)
    assert profiles["Taxed"].net(3.0) == pytest.approx(2.85)
    assert profiles["Predictions"].net(2.0) == pytest.approx(1 / (0.5 + 0.07 * 0.25))


def test_prices_of_one_outcome_share_one_stake():
    lines = [even("A", "B"), *(quote(name, {"A": o}) for name, o in (("S", 2.08), ("T", GOOD)))]
    first, second = count_bets([*lines, quote("Z", {"A": GOOD})])[:2]

    assert [first.quote.bookmaker, second.quote.bookmaker] == ["T", "Z"]  # the same net price
    assert (first.stake, first.same_bet_as) == (10, None)
    assert (second.stake, second.bound, second.same_bet_as) == (0, None, first)
    assert only(lines, bookmaker="S").shown()["same_bet_as"] == "T"


HOCKEY = {"sport": "Hockey", "competition": "NHL"}


def test_hockey_totals_with_and_without_overtime_are_not_compared():
    total = HOCKEY | {"market_type": "total"}
    lines = [
        even("A", "B", **HOCKEY),
        even("Over 5.5", "Under 5.5", **total),
        quote("Regulation", {"A": 2.4, "Draw": 4.2, "B": 2.4}, **HOCKEY),
        quote("Regulation", {"Over 5.5": GOOD}, **total),
        quote("Habit", {"A": 2.4, "Draw": 4.2, "B": 2.4}, **HOCKEY | {"match_name": "C vs D"}),
        quote("Habit", {"Over 5.5": GOOD}, **total),
        quote("Whole", {"Over 5.5": GOOD}, **total),
    ]

    def cautions(bookmaker: str) -> tuple[str, ...]:
        return only(lines, bookmaker=bookmaker, market_type="total").cautions

    assert cautions("Regulation") == ("other_rules",)
    assert cautions("Habit") == ("other_rules",)
    assert cautions("Whole") == ()
    assert only(lines, bookmaker="Habit").service_ev_pct is None
    assert only(lines, selection="A", bookmaker="Regulation").cautions == (
        "not_comparable",
        "above_window",
    )


def test_spreads_of_more_than_a_goal_are_compared_whatever_counts():
    spread = HOCKEY | {"market_type": "spread"}
    lines = [even("A", "B", **HOCKEY), quote("R", {"A": 2.4, "Draw": 4.2, "B": 2.4}, **HOCKEY)]
    for line in (0.5, 1.5):
        sides = (f"A -{line}", f"B +{line}")
        found = [*lines, even(*sides, **spread), quote("R", {sides[0]: GOOD}, **spread)]
        row = only(found, market_type="spread")
        assert row.cautions == (("other_rules",) if line == 0.5 else ())


@pytest.mark.parametrize(("seconds", "cautions"), [(60, ()), (61, ("apart", "reference_stale"))])
def test_in_play_prices_seen_more_than_a_minute_apart_are_no_value(
    seconds: int, cautions: tuple[str, ...]
):
    live = {"is_live": True, "match_date": at(0)}
    price = quote("Soft", {"A": GOOD}, **live, scraped_at=at(seconds))

    row = only([even("A", "B", **live), price])

    assert row.cautions == cautions
    assert row.stake == (0 if cautions else 10)
    assert row.in_contract


def test_the_moment_is_that_of_the_newest_quote():
    lines = [even("A", "B", scraped_at=at(100)), quote("Soft", {"A": GOOD})]
    newest = [even("Over 3", "Under 3", market_type="total_games", scraped_at=at(181))]

    assert only(lines + newest).cautions == ("stale",)
    assert only([*lines, newest[0].replace("12:03:01", "12:03:00")]).cautions == ()
    assert only([*lines, newest[0].replace("12:03:01", "12:04:41")]).cautions == (
        "stale",
        "reference_stale",
    )


def test_a_price_from_before_the_kick_off_ends_with_it_and_is_not_compared_with_one_in_play():
    begun = {"match_date": at(20)}
    lines = [even("A", "B", **begun, scraped_at=at(30), is_live=True)]

    row = only([*lines, quote("Soft", {"A": GOOD}, **begun)])

    assert row.cautions == ("state_differs", "started")
    assert not row.in_contract


@pytest.mark.parametrize(
    ("extra", "caution"), [("Nul", "not_comparable"), ("Both fall", "unread_outcome")]
)
def test_a_draw_is_read_and_what_is_not_read_makes_no_value(extra: str, caution: str):
    lines = [even("A", "B"), quote("Soft", {"A": 2.08, extra: 21.0, "B": 1.6})]

    assert only(lines).cautions == (caution,)


def test_a_crossed_reference_values_nothing():
    lines = [quote("Pinnacle", {"A": 5.0, "B": 1.2658}), quote("Soft", {"B": 1.3})]

    assert only(lines).cautions == ("crossed_reference", "above_window")
    assert only(lines).stake == 0


LADDER = {
    # Sides of P = 0.5, 0.56/0.44 and 0.44/0.56 with M = 0.04: two hundredths on each.
    "Over 8.5": 1 / 0.46, "Under 8.5": 1 / 0.58, "Over 7.5": 1 / 0.58, "Under 7.5": 1 / 0.46,
}  # fmt: skip
RUNS = {"sport": "Baseball", "competition": "MLB", "market_type": "total"}


def test_what_a_whole_line_may_push_comes_from_the_half_lines_beside_it():
    price = quote("Soft", {"Over 8": GOOD}, **RUNS)
    whole = {"Over 8": EVEN, "Under 8": EVEN}

    row = only([quote("Pinnacle", LADDER | whole, **RUNS), price])
    alone = only([quote("Pinnacle", whole, **RUNS), price])

    assert row.push.chance == pytest.approx(0.12)
    assert row.ev_pct == pytest.approx(3.4653 * 0.88, abs=1e-3)
    assert (row.per, row.stake) == ("staked", 10)
    assert alone.ev_pct == pytest.approx(3.4653, abs=1e-3)
    assert (alone.per, alone.stake) == ("decided", 10)


@pytest.mark.parametrize(
    ("line", "of_push"),
    [("Over 8.25", -0.5), ("Over 7.75", 0.545), ("Under 8.25", 0.545), ("Under 7.75", -0.5)],
)
def test_a_quarter_line_is_half_decided_where_its_whole_line_pushes(line: str, of_push: float):
    number = line.split()[1]
    quarter = {f"Over {number}": EVEN, f"Under {number}": EVEN}
    lines = [quote("Pinnacle", LADDER | quarter, **RUNS), quote("Soft", {line: GOOD}, **RUNS)]

    row = only(lines)

    assert row.ev_pct == pytest.approx(3.4653 * 0.94, abs=1e-3)
    won = 0.94 / 2 - (0.06 if of_push > 0 else 0)
    best = max(
        (f / 1_000_000 for f in range(30_000, 60_000)),
        key=lambda f: (
            won * math.log(1 + 1.09 * f)
            + 0.12 * math.log(1 + of_push * f)
            + (0.88 - won) * math.log(1 - f)
        ),
    )
    assert full_kelly([row])[0] == pytest.approx(best, abs=2e-6)


def test_draw_no_bet_pushes_on_the_draw_of_the_three_way_moneyline():
    football = {"sport": "Football", "competition": "EPL"}
    three_way = quote("Pinnacle", {"A": 1 / 0.45, "Draw": 1 / 0.27, "B": 1 / 0.31}, **football)
    lines = [
        three_way,
        even("A", "B", **football, market_type="draw_no_bet"),
        even("A +0", "B +0", **football, market_type="spread"),
        quote("Soft", {"A": GOOD}, **football, market_type="draw_no_bet"),
        quote("Soft", {"A +0": GOOD}, **football, market_type="spread"),
    ]

    for market_type in ("draw_no_bet", "spread"):
        row = only(lines, market_type=market_type)
        assert row.push.chance == pytest.approx(0.26)
        assert row.ev_pct == pytest.approx(3.4653 * 0.74, abs=1e-3)
    assert only(lines[1:], market_type="spread").per == "decided"


def favourite(first: str, second: str, **other) -> list[str]:
    """Fair 1.25 (M = 0.04); Kelly of 1.29 is 0.032/0.29: a quarter is above 2 %."""
    return [
        quote("Pinnacle", {first: 1 / 0.82, second: 1 / 0.22}, **other),
        quote("Soft", {first: 1.29}, **other),
    ]


def test_stakes_are_bound_by_outcome_by_game_and_in_all():
    one = favourite("A", "B")
    two = one + favourite("Over 20.5", "Under 20.5", market_type="total_games")
    names = [f"{i} vs B" for i in range(13)]
    many = [line for n in names for line in favourite(n.split()[0], "B", match_name=n)]

    assert [(r.stake, r.bound) for r in count_bets(one)] == [(20, "outcome")]
    # One line of a game is staked, where nothing tells what they win together.
    assert [(r.stake, r.bound) for r in count_bets(two)] == [(20, "outcome"), (0, "same_game")]
    assert [(r.stake, r.bound) for r in count_bets(many)] == [(19, "total")] * 13


def test_sides_that_exclude_each_other_are_solved_together():
    three_way = {"sport": "Football", "competition": "EPL"}
    lines = [
        quote("Pinnacle", {"A": 1 / 0.41, "Draw": 1 / 0.31, "B": 1 / 0.31}, **three_way),
        quote("Soft", {"A": 2.6}, **three_way),
        quote("Other", {"Draw": 3.45}, **three_way),
    ]
    rows = count_bets(lines)

    # R = 0.3 / (1 - 1/2.6 - 1/3.45) = 0.92158; f = 0.4 - R/2.6 and 0.3 - R/3.45
    assert full_kelly(rows) == pytest.approx([0.045546, 0.032875], abs=1e-5)
    assert [row.stake for row in rows] == [11, 8]


def test_both_sides_above_their_fair_price_are_an_arbitrage_within_the_cap_of_the_game():
    lines = [even("A", "B"), quote("S", {"A": GOOD}), quote("T", {"B": GOOD})]

    rows = count_bets(lines)

    assert full_kelly(rows) == pytest.approx([0.5, 0.5])
    assert [(row.stake, row.bound) for row in rows] == [(15, "game"), (15, "game")]


def test_games_of_the_same_teams_on_two_days_are_two():
    later = {"match_date": "2026-04-18T12:00:00.000Z"}
    lines = [even("A", "B"), even("A", "B", **later)]
    lines += [quote("Soft", {"A": GOOD}), quote("Soft", {"A": GOOD}, **later)]

    names = {row.quote.game[1] for row in count_bets(lines)}

    assert names == {"A vs B", "A vs B (2026-04-18)"}


def test_growth_is_that_of_the_endings():
    rows = count_bets([even("A", "B"), quote("S", {"A": GOOD}), quote("T", {"A": GOOD})])

    listed = effect(rows, 1000)
    apart = effect(one_by_one(rows, 1000), 1000)

    # 10 x 1.09 = 10.9 won or 10 lost; one by one twice 10.30
    assert listed.growth == pytest.approx(0.5 * math.log(1.0109) + 0.5 * math.log(0.99), abs=1e-9)
    assert (apart.bets, apart.staked, apart.outcomes) == (2, pytest.approx(20.6), 1)
    assert apart.above_cap == 1
    grown = 0.5 * math.log(1 + 0.0206 * 1.09) + 0.5 * math.log(1 - 0.0206)
    assert apart.growth == pytest.approx(grown, abs=1e-7)
