"""The one answer to what a price is worth, caution by caution."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing import assessment as market_module
from oddsdesk.pricing.assessment import (
    Assessment,
    Caution,
    Group,
    Market,
    Prices,
    ReferenceMarket,
    Setting,
    Sighting,
    assess,
    counts_overtime,
    is_placeholder,
    is_unread,
    line_doubts,
    reference_lines,
    usual_form,
    value_bets,
    verdicts,
)
from oddsdesk.pricing.devig import DevigError
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import (
    Derived,
    LineName,
    ReferenceLine,
    ReferencePrice,
    Rule,
    reference_line,
)

NOW = 1_776_000_000_000
BOOK = Profile(name="Book", group="Book")
EXCHANGE = Profile(name="Exchange", group="Exchange", commission=0.05)


def reference(
    market_type: str = "total",
    odds: dict[str, float] | None = None,
    *,
    sport: str = "Football",
    is_live: bool | None = False,
    age_ms: int = 0,
) -> ReferenceLine:
    quoted = odds or {"Over 2.5": 2.05, "Under 2.5": 1.88}
    (group,) = line_groups(market_type, "A vs B", quoted, sport)
    prices = [quoted[text] for text in group.selections]
    return reference_line(market_type, group, prices, scraped_at=NOW - age_ms, is_live=is_live)


def judged(
    *,
    line: ReferenceLine | None = None,
    group: dict[str, Any] | None = None,
    setting: dict[str, Any] | None = None,
    **price: Any,
) -> Assessment:
    made = Setting(line or reference(), 0, "Football", NOW + 1, NOW, push=0.0)
    made = replace(made, **setting or {})
    book = replace(Group(BOOK, frozenset({"over", "under"})), **group or {})
    return assess(made, book, replace(Sighting("over", 2.15, NOW, False), **price))


FUTURE_MS = 5 * MINUTE_MS + 1


def test_a_price_of_the_future_is_stale_and_no_value() -> None:
    """D84: it would be fresh until then."""
    assert judged(scraped_at=NOW + FUTURE_MS - 1).is_value
    found = judged(scraped_at=NOW + FUTURE_MS)
    assert (found.cautions, found.is_value) == ((Caution.STALE,), False)
    assert found.is_value_but_for_cautions
    found = judged(line=reference(age_ms=-FUTURE_MS))
    assert (found.cautions, found.is_value) == ((Caution.REFERENCE_STALE,), False)


def test_a_price_without_cautions_that_holds_every_rule_is_value() -> None:
    found = judged()
    assert found.cautions == ()
    assert found.is_value
    assert found.ev_pct == pytest.approx((2.15 / (2.0923 * 1.01) - 1) * 100, abs=0.01)
    assert found.service_ev_pct == found.ev_pct


@pytest.mark.parametrize(
    ("caution", "changed"),
    [
        (Caution.NOT_COMPARABLE, {"group": {"sides": frozenset({"home", "draw", "away"})}}),
        (Caution.UNREAD_OUTCOME, {"group": {"has_unread": True}}),
        (Caution.UNREAD_OUTCOME, {"setting": {"has_unread": True}}),
        (
            Caution.OTHER_RULES,
            {
                "group": {"has_overtime": False},
                "setting": {"sport": "Hockey", "has_overtime": True},
            },
        ),
        (Caution.STATE_DIFFERS, {"line": reference(is_live=True), "setting": {"kick_off": None}}),
        (
            Caution.APART,
            {
                "line": reference(is_live=True, age_ms=61_000),
                "is_live": True,
                "setting": {"stale_after_ms": 120_000},
            },
        ),
        (Caution.STALE, {"scraped_at": NOW - 3 * MINUTE_MS - 1}),
        (Caution.STALE, {"scraped_at": NOW - 31_000, "stale_after_ms": 30_000}),
        (Caution.REFERENCE_STALE, {"line": reference(age_ms=15 * MINUTE_MS + 1)}),
        (Caution.AGE_UNKNOWN, {"scraped_at": None}),
        (Caution.STARTED, {"setting": {"kick_off": NOW - 1}}),
        (Caution.CROSSED_REFERENCE, {"line": reference(odds={"Over 2.5": 2.05, "Under 2.5": 2.1})}),
        (Caution.ABOVE_WINDOW, {"odds": 2.30}),
        (Caution.WITHDRAWN, {"is_offered": False}),
        (Caution.DELAYED, {"is_delayed": True}),
        (Caution.BOOK_BELOW_100, {"doubts": frozenset({Caution.BOOK_BELOW_100})}),
        (Caution.PLACEHOLDER, {"doubts": frozenset({Caution.PLACEHOLDER})}),
    ],
)
def test_each_caution_holds_where_it_should_and_ends_the_value(
    caution: Caution, changed: dict[str, Any]
) -> None:
    found = judged(**changed)
    assert caution in found.cautions
    assert set(found.cautions) - {caution, Caution.NOT_COMPARABLE, Caution.ABOVE_WINDOW} == set()
    assert not found.is_value


odds = st.floats(1.001, 1_000)


@given(st.lists(odds, min_size=1, max_size=3), st.booleans())
def test_a_line_that_pays_more_than_it_takes_is_doubted(line: list[float], is_whole: bool) -> None:
    """Reckoned in whole numbers: 100 staked so that each outcome pays 1,000,000."""
    found = line_doubts(line, is_complete=is_whole)
    cost = sum(1_000_000 / price for price in line)
    assert (Caution.BOOK_BELOW_100 in found) == (is_whole and cost < 1_000_000 - 10)
    shortest = sorted(line)[1:2]
    assert (Caution.PLACEHOLDER in found) == any(price <= 1.02 for price in shortest)


def test_a_line_of_exactly_100_percent_is_not_below() -> None:
    """Exchanges and prediction markets offer both sides at 100 %, in odds of six decimals."""
    for line in ((2.0, 2.0), (1.5, 3.0), (round(1 / 0.47, 6), round(1 / 0.53, 6)), (4, 2, 4)):
        assert line_doubts(line, is_complete=True) == frozenset()
    assert line_doubts((2.01, 2.0), is_complete=True) == {Caution.BOOK_BELOW_100}


def test_double_chances_that_pay_more_than_they_take_are_doubted() -> None:
    """Two of the three win: at fair odds they add up to 2."""
    cheap = (1.40, 2.02, 1.47)
    assert line_doubts(cheap, is_complete=True, overlaps=True) == {Caution.BOOK_BELOW_100}
    for odds in ((1.5, 1.5, 1.5), (1.01, 1.02, 4.0), (1.3, 2.02, 1.33)):
        assert line_doubts(odds, is_complete=True, overlaps=True) == frozenset()
    assert line_doubts(cheap[:2], is_complete=False, overlaps=True) == frozenset()


@pytest.mark.parametrize(
    ("odds", "others", "elsewhere", "is_one"),
    [
        (1_000.0, None, None, True),  # next to nothing
        (1_000.0, None, 2.1, True),
        (1_000.0, 1 / 1.95, None, True),
        (1_000.0, 1 / 1.95, 2.1, True),
        (1_000.0, 1 / 1.01, None, False),  # an exchange's line in a game that is decided
        (1_000.0, 1 / 1.95, 200.0, False),  # others mean it: the 1.95 is the mistake
        (1_000.0, None, 100.0, False),
        (1_001.0, None, 100.0, True),
        (610.0, None, 450.0, False),  # Tunisia at Sweden, in play
        (501.0, None, None, False),  # an outsider of an outright, alone
        (101.0, None, None, False),
        (101.0, 1 / 1.003, None, False),  # an outsider in tennis
        (101.0, None, 15.0, False),
        (101.0, None, 2.0, True),
        (99.0, 0.5, 2.0, False),
    ],
)
def test_long_odds_are_a_placeholder_where_nothing_backs_them(
    odds: float, others: float | None, elsewhere: float | None, is_one: bool
) -> None:
    assert is_placeholder(odds, others, elsewhere) == is_one


@given(odds, st.none() | st.floats(0.2, 1.2), st.none() | odds)
def test_what_backs_long_odds_more_makes_no_placeholder_of_them(
    price: float, others: float | None, elsewhere: float | None
) -> None:
    if not is_placeholder(price, others, elsewhere):
        if others is not None:
            assert not is_placeholder(price, others + 0.1, elsewhere)
        if elsewhere is not None:
            assert not is_placeholder(price, others, elsewhere * 1.5)
        assert not is_placeholder(max(1.01, price - 50), others, elsewhere)


def test_in_play_prices_are_stale_after_a_minute() -> None:
    line = reference(is_live=True, age_ms=61_000)
    found = judged(line=line, is_live=True, scraped_at=NOW - 61_000)
    assert found.cautions == (Caution.STALE, Caution.REFERENCE_STALE)


def test_before_the_game_prices_are_stale_after_three_minutes() -> None:
    line = reference(age_ms=180_001)
    assert judged(line=line, scraped_at=NOW - 180_000).cautions == (Caution.REFERENCE_STALE,)
    assert judged(scraped_at=NOW - 180_001).cautions == (Caution.STALE,)


def test_a_known_rhythm_says_when_a_price_is_stale() -> None:
    line = reference(age_ms=300_000)
    slow = {"stale_after_ms": 400_000}
    assert judged(line=line, setting=slow, scraped_at=NOW - 300_000, **slow).cautions == ()


@given(st.integers(0, 1_000), st.integers(30, 720), st.integers(0, 400))
def test_what_was_unread_of_an_age_does_not_count_and_moves_no_limit(
    age_s: int, limit_s: int, unread_s: int
) -> None:
    """As if the limit were longer by that, up to the contract's 15 minutes; it is told as it is."""
    limit_ms = limit_s * 1000
    more = {"stale_after_ms": limit_ms, "unread_ms": unread_s * 1000}
    line = reference(age_ms=age_s * 1000)
    found = judged(line=line, setting=more, scraped_at=NOW - age_s * 1000, **more)
    is_stale = age_s > min(limit_s + unread_s, 900)
    both = (Caution.STALE, Caution.REFERENCE_STALE)
    assert found.cautions == (both if is_stale else ())
    ages = [each for each in found.checks if each.rule in (Rule.BOOK_AGE, Rule.REFERENCE_AGE)]
    assert [each.most for each in ages] == [limit_ms] * 2
    counted = age_s - min(unread_s, 900 - limit_s)
    assert [each.figure for each in ages] == [counted * 1000] * 2


@pytest.mark.parametrize(
    ("changed", "would_be"),
    [
        ({"odds": 2.30}, True),
        ({"odds": 2.10}, False),
        ({"scraped_at": NOW - 16 * MINUTE_MS}, True),
        ({"line": reference(odds={"Over 2.5": 2.05, "Under 2.5": 2.1}), "odds": 2.2}, True),
        ({"line": reference(odds={"Over 2.5": 1.95, "Under 2.5": 1.75}), "odds": 2.2}, False),
    ],
)
def test_what_only_cautions_keep_from_being_value_is_known(
    changed: dict[str, Any], would_be: bool
) -> None:
    found = judged(**changed)
    assert not found.is_value
    assert found.is_value_but_for_cautions == would_be


def test_cautions_are_told_in_their_order() -> None:
    found = judged(group={"has_unread": True}, scraped_at=None, is_offered=False, is_delayed=True)
    assert found.cautions == (
        Caution.UNREAD_OUTCOME,
        Caution.AGE_UNKNOWN,
        Caution.WITHDRAWN,
        Caution.DELAYED,
    )


def test_rules_are_judged_on_net_odds() -> None:
    """2.15 is value gross; 2.0925 net is below the least edge."""
    found = judged(group={"profile": EXCHANGE})
    assert found.net_odds == pytest.approx(2.0925)
    assert not found.is_value
    assert found.service_ev_pct is not None
    assert found.service_ev_pct > 1
    assert found.ev_pct is not None
    assert found.ev_pct < 0
    assert found.cautions == ()


def test_ev_is_per_unit_staked_where_the_line_can_push() -> None:
    """D53's worked number: 4.03 % of a decided unit is 2.98 % of one staked with 26 % draws."""
    line = reference("draw_no_bet", {"A": 2.0, "B": 2.0})
    group = {"sides": frozenset({"home", "away"})}
    fair = line.prices["home"].fair_odds
    assert fair is not None
    odds = fair * 1.01 * 1.0403
    known = judged(line=line, group=group, side="home", odds=odds, setting={"push": 0.26})
    assert (known.per, known.ev_pct) == ("staked", pytest.approx(2.98, abs=0.005))
    unknown = judged(line=line, group=group, side="home", odds=odds, setting={"push": None})
    assert (unknown.per, unknown.ev_pct) == ("decided", pytest.approx(4.03, abs=0.005))


@pytest.mark.parametrize(
    ("market_type", "odds", "period", "differs"),
    [
        ("total", {"Over 5.5": 1.9, "Under 5.5": 1.95}, 0, True),
        ("total", {"Over 5.5": 1.9, "Under 5.5": 1.95}, 1, False),
        ("spread", {"A -0.5": 1.9, "B +0.5": 1.95}, 0, True),
        ("spread", {"A -1": 1.9, "B +1": 1.95}, 0, True),
        ("spread", {"A +1.25": 1.9, "B -1.25": 1.95}, 0, True),
        ("spread", {"A -1.5": 1.9, "B +1.5": 1.95}, 0, False),
        ("player_prop", {"X goals Over 0.5": 1.9, "X goals Under 0.5": 1.95}, 0, False),
    ],
)
def test_overtime_matters_to_goals_of_the_whole_game(
    market_type: str, odds: dict[str, float], period: int, *, differs: bool
) -> None:
    line = reference(market_type, odds, sport="Hockey")
    setting = {"sport": "Hockey", "has_overtime": True, "period": period}
    sides = frozenset(line.group.sides)
    found = judged(
        line=line,
        side=line.group.sides[0],
        odds=1.9,
        group={"has_overtime": False, "sides": sides},
        setting=setting,
    )
    assert (Caution.OTHER_RULES in found.cautions) == differs


def test_the_moneyline_tells_whether_overtime_counts() -> None:
    two, three = frozenset({"home", "away"}), frozenset({"home", "draw", "away"})
    assert counts_overtime("Hockey", two) is True
    assert counts_overtime("Hockey", three) is False
    assert counts_overtime("Football", three) is None
    assert counts_overtime("Hockey", frozenset({"home"})) is None
    assert counts_overtime("Hockey", two, had_draw=True) is False
    assert counts_overtime("Hockey", two, texts_unread=1) is None


def test_most_moneylines_tell_how_a_bookmaker_usually_counts() -> None:
    assert usual_form({True: 2, False: 1}) is True
    assert usual_form({False: 1}) is False
    assert usual_form({True: 1, False: 1}) is usual_form({}) is None


def test_an_unread_selection_puts_a_two_sided_market_in_question() -> None:
    two, three = frozenset({"home", "away"}), frozenset({"home", "draw", "away"})
    assert is_unread("moneyline", 1, two)
    assert not is_unread("moneyline", 0, two)
    assert not is_unread("moneyline", 1, three)
    assert not is_unread("player_prop", 1, frozenset({"over", "under"}))
    assert is_unread("moneyline", 0, two, had_draw=True)
    assert not is_unread("moneyline", 0, three, had_draw=True)
    assert not is_unread("total", 0, frozenset({"over", "under"}), had_draw=True)


def test_a_handicap_is_won_above_minus_its_line() -> None:
    """Home -0.25 loses half where the margin is 0; away +0.25 then wins half."""
    line = reference("spread", {"A -0.25": 1.95, "B +0.25": 1.95})
    setting = {"push": 0.28}
    group = {"sides": frozenset({"home", "away"})}
    home = judged(line=line, side="home", odds=2.0, setting=setting, group=group).settlement
    away = judged(line=line, side="away", odds=2.0, setting=setting, group=group).settlement
    assert home is not None
    assert away is not None
    assert (home.half_loss, away.half_win) == (0.28, 0.28)
    assert home.win == pytest.approx(away.loss)


def test_a_price_that_cannot_be_valued_has_no_figures() -> None:
    line = replace(reference(), prices={}, overround=None)
    found = judged(line=line)
    assert (found.fair_odds, found.ev_pct, found.settlement, found.is_value) == (
        None,
        None,
        None,
        False,
    )


def derived_handicap(band: float) -> ReferenceLine:
    """Handicap 0 on both teams; the stake comes back in 28 of 100 games."""
    (group,) = line_groups("spread", "A vs B", ["A 0", "B 0"], "Football")
    bands = {"home": band, "away": band} if band else {}
    kind: Literal["implied", "modelled"] = "modelled" if band else "implied"
    derived = Derived(kind, (LineName("moneyline", ""),), 0.28, bands)
    prices = {side: ReferencePrice(None, 0.0, 2.0) for side in group.sides}
    return ReferenceLine("spread", group, prices, 1.03, NOW, False, derived)


def judged_home(band: float, odds: float) -> Assessment:
    return judged(
        line=derived_handicap(band),
        side="home",
        odds=odds,
        setting={"push": 0.28},
        group={"sides": frozenset({"home", "away"})},
    )


def test_an_implied_price_has_no_band_and_is_staked_at_its_fair_odds() -> None:
    found = judged_home(0.0, 2.1)
    assert (found.derived, found.band_pct, found.cautious_odds) == ("implied", None, 2.0)
    assert found.stake_settlement == found.settlement
    assert found.is_value
    assert found.service_ev_pct is None  # no service knows such a line


def test_a_modelled_price_is_value_and_staked_at_the_unfavourable_end() -> None:
    """Per unit staked: 0.72 decided. At worst 0.48 of them are won."""
    found = judged_home(0.02, 2.15)
    assert found.derived == "modelled"
    assert found.ev == pytest.approx((2.15 / 2 - 1) * 72)
    assert found.band_pct == pytest.approx(2.15 * 0.02 * 72)
    assert found.ev - found.band_pct == pytest.approx((2.15 * 0.48 - 1) * 72)
    assert found.is_value
    middle, staked = found.settlement, found.stake_settlement
    assert middle is not None
    assert staked is not None
    assert (middle.chance, staked.chance) == (pytest.approx(0.5), pytest.approx(0.48))
    assert staked.kelly(2.15) < middle.kelly(2.15) / 2
    (edge,) = [check for check in found.checks if check.rule is Rule.MIN_EDGE]
    assert edge.figure == pytest.approx((2.15 * 0.48 - 1) * 72)
    low = judged_home(0.02, 2.1)
    assert [check.rule for check in low.stopped_by] == [Rule.MIN_EDGE]
    assert low.ev == pytest.approx(3.6)


NOW_OF_MARKET = 1_000_000_000_000
MINUTES = 60_000
TOTALS = Market("total", "Arsenal vs Chelsea", "Football")
RESULT = Market("moneyline", "Arsenal vs Chelsea", "Football")
HOCKEY = Market("moneyline", "Arsenal vs Chelsea", "Hockey")
SPREAD = Market("spread", "Arsenal vs Chelsea", "Football")


def prices(bookmaker: str, odds: dict[str, float], *, age: int = 0, live: bool = False) -> Prices:
    return Prices(bookmaker, odds, NOW_OF_MARKET - age, live)


def test_each_line_group_has_its_own_margin() -> None:
    row = {"Over 2.5": 2.05, "Under 2.5": 1.88, "Over 3.5": 3.4, "Under 3.5": 1.34, "Over 4.5": 7}
    lines = reference_lines(TOTALS, prices("Pinnacle", row))
    assert lines["2.5"].overround == pytest.approx(1 / 2.05 + 1 / 1.88)
    assert lines["3.5"].overround == pytest.approx(1 / 3.4 + 1 / 1.34)
    assert lines["4.5"].overround is None


def test_lines_are_compared_by_meaning_not_by_spelling() -> None:
    reference = prices("Pinnacle", {"Arsenal +0": 2.05, "Chelsea -0": 1.88})
    (found,) = value_bets(SPREAD, reference, [prices("bwin", {"Arsenal 0": 2.15})], NOW_OF_MARKET)
    assert (found.bookmaker, found.selection, found.line_key) == ("bwin", "Arsenal 0", "0")
    assert found.verdict.reference_odds == 2.05


def test_a_book_with_a_draw_is_not_compared_with_a_reference_without() -> None:
    reference = prices("Pinnacle", {"Arsenal": 2.05, "Chelsea": 1.88})
    three_way = prices("bwin", {"Arsenal": 2.15, "Draw": 4.0, "Chelsea": 2.0})
    assert value_bets(HOCKEY, reference, [three_way], NOW_OF_MARKET) == []
    stopped = [
        judged.verdict.stopped_by
        for judged in verdicts(HOCKEY, reference, [three_way], NOW_OF_MARKET)
    ]
    assert [check.rule for check in stopped[0]] == [Rule.COMPARABLE]
    two_way = prices("bwin", {"Arsenal": 2.15})
    assert len(value_bets(HOCKEY, reference, [two_way], NOW_OF_MARKET)) == 1


def test_prices_that_the_reference_does_not_give_are_explained() -> None:
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    book = prices("bwin", {"Over 3.5": 3.2, "Odd": 1.9})
    judged = list(verdicts(TOTALS, reference, [book], NOW_OF_MARKET))
    assert [(j.selection, j.line_key) for j in judged] == [("Over 3.5", "3.5"), ("Odd", "Odd ?")]
    for each in judged:
        assert [check.rule for check in each.verdict.stopped_by] == [Rule.REFERENCE_SIDES]


def test_the_references_own_price_is_never_value_even_under_the_published_formula() -> None:
    odds = {"Over 2.5": 1.95, "Under 2.5": 1.88}
    books = [prices("Pinnacle", odds), prices("bwin", odds)]
    found = value_bets(TOTALS, books[0], books, NOW_OF_MARKET, "published")
    assert {judged.bookmaker for judged in found} == {"bwin"}


def test_a_price_at_the_least_edge_is_found() -> None:
    """From 2.13434604 on EV is 1 % (the window of 2.05 against 1.88)."""
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    books = [prices("below", {"Over 2.5": 2.134346}), prices("above", {"Over 2.5": 2.134347})]
    found = value_bets(TOTALS, reference, books, NOW_OF_MARKET)
    assert [judged.bookmaker for judged in found] == ["above"]


def test_an_unknown_method_is_refused() -> None:
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    with pytest.raises(DevigError, match="unknown method"):
        value_bets(TOTALS, reference, [], NOW_OF_MARKET, "wisdom")


_SIDES = {
    TOTALS: ["Over 2.5", "Under 2.5", "Over 3", "Under 3", "Odd"],
    TOTALS._replace(sport="Hockey"): ["Over 2.5", "Under 2.5"],
    RESULT: ["Arsenal", "Draw", "Chelsea", "Odd"],
    HOCKEY: ["Arsenal", "Draw", "Chelsea", "Odd"],
    SPREAD: ["Arsenal +0", "Chelsea 0", "Arsenal 0", "Arsenal -1", "Chelsea +1"],
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Market, Prices, list[Prices]]:
    market = draw(st.sampled_from(list(_SIDES)))
    base = {side: draw(st.floats(1.5, 4.0)) for side in _SIDES[market]}
    if draw(st.booleans()):  # bring the margin near to nothing, where value bets are
        total = sum(1 / base[side] for side in _SIDES[market][:2])
        base = {side: max(1.01, odds * total / 1.01) for side, odds in base.items()}
    ages = st.sampled_from([0, 15 * MINUTES, 15 * MINUTES + 1])
    named = st.sampled_from(_SIDES[market])

    def quoted(bookmaker: str) -> Prices:
        sides = draw(st.lists(named, unique=True, min_size=1))
        nudge = st.floats(1.0, 1.12)
        odds = {side: base[side] * draw(nudge) for side in sides}
        found = prices(bookmaker, odds, age=draw(ages), live=draw(st.booleans()))
        overtime = draw(st.sampled_from([None, True, False]))
        return found._replace(had_draw=draw(st.booleans()), has_overtime=overtime)

    missing = draw(st.lists(named, unique=True, max_size=1))
    sharp = {side: odds for side, odds in base.items() if side not in missing}
    reference = prices("Pinnacle", sharp, age=draw(ages), live=draw(st.booleans()))
    reference = reference._replace(has_overtime=draw(st.sampled_from([None, True, False])))
    return market, reference, [quoted(name) for name in ("bwin", "Betano", "Pinnacle")]


@given(cases(), st.sampled_from(["margin_proportional", "published", "power", "shin"]))
def test_the_fast_path_finds_what_the_explained_path_finds(
    case: tuple[Market, Prices, list[Prices]], method: str
) -> None:
    market, reference, books = case
    explained = list(verdicts(market, reference, books, NOW_OF_MARKET, method))
    assert len(explained) == sum(len(book.odds) for book in books)
    found = value_bets(market, reference, books, NOW_OF_MARKET, method)
    assert found == [judged for judged in explained if judged.verdict.is_value]


@given(cases(), st.sampled_from(["margin_proportional", "power"]))
def test_what_is_remembered_of_a_reference_changes_no_answer(
    case: tuple[Market, Prices, list[Prices]], method: str
) -> None:
    market, reference, books = case
    known = ReferenceMarket(market, reference.odds, method)
    for seen in (
        reference,
        reference._replace(is_live=not reference.is_live, scraped_at=NOW_OF_MARKET),
    ):
        for some in (books[1:], [], books):
            assert known.value_bets(seen, some, NOW_OF_MARKET) == [
                judged
                for judged in verdicts(market, seen, some, NOW_OF_MARKET, method)
                if judged.verdict.is_value
            ]


def test_spellings_without_end_are_not_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(market_module, "_MOST_TEXTS", 20)
    reference = prices("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    known = ReferenceMarket(TOTALS, reference.odds, "margin_proportional")
    odd = {f"Exactly {goals}": 9.0 for goals in range(100)}
    books = [prices("odd", odd), prices("bwin", {"over 2.50": 2.15})]
    for _ in range(2):
        found = known.value_bets(reference, books, NOW_OF_MARKET)
        assert [judged.selection for judged in found] == ["over 2.50"]
    assert len(known._least) == 20


def test_a_crossed_reference_values_nothing() -> None:
    """5.0 against 1.2658 is S = 0.99: any price near would be value (D50)."""
    market = Market("moneyline", "A vs B", "Tennis")
    crossed = Prices("Pinnacle", {"A": 5.0, "B": 1.2658}, NOW_OF_MARKET, False)
    book = Prices("Book", {"A": 5.2, "B": 1.3}, NOW_OF_MARKET, False)
    assert value_bets(market, crossed, [book], NOW_OF_MARKET) == []
    assert not any(
        each.verdict.is_value for each in verdicts(market, crossed, [book], NOW_OF_MARKET)
    )


LEAGUE = Market("moneyline", "Storm vs Raiders", "Rugby")
LEAGUE_REFERENCE = prices("Pinnacle", {"Storm": 1.80, "Raiders": 2.08})
LEAGUE_BOOK = prices("Book", {"Storm": 1.91, "Raiders": 2.2})
GOALS = Market("total", "Rangers vs Devils", "Hockey")


@pytest.mark.parametrize("draw", ["Nul", "Remis", "Empate", "Neither", "Uafgjort"])
def test_a_draw_read_or_unread_makes_three_ways_of_two_teams(draw: str) -> None:
    """{"Storm": 1.91, "Nul": 21, "Raiders": 2.2} against 1.80/2.08 gave +1.63 % (D48)."""
    book = prices("Book", {"Storm": 1.91, draw: 21.0, "Raiders": 2.2})
    assert value_bets(LEAGUE, LEAGUE_REFERENCE, [book], NOW_OF_MARKET) == []
    stopped = [
        j.verdict.stopped_by for j in verdicts(LEAGUE, LEAGUE_REFERENCE, [book], NOW_OF_MARKET)
    ]
    assert [check.rule for check in stopped[0]] == [Rule.COMPARABLE]
    assert len(value_bets(LEAGUE, LEAGUE_REFERENCE, [LEAGUE_BOOK], NOW_OF_MARKET)) == 1


@pytest.mark.parametrize("is_books", [True, False])
def test_an_unread_selection_beside_over_and_under_is_not_compared(is_books: bool) -> None:
    """With exactly 3 apart, over and under 3 are two of three ways (D48)."""
    two = {"Over 2.5": 2.05, "Under 2.5": 1.88}
    reference = prices("Pinnacle", two if is_books else {**two, "Exactly 3": 4.0})
    book = {"Over 2.5": 2.15, "Under 2.5": 1.7}
    books = [prices("Book", {**book, "Exactly 3": 4.0} if is_books else book)]
    assert value_bets(TOTALS, reference, books, NOW_OF_MARKET) == []


def test_answers_to_different_questions_are_not_compared() -> None:
    """F3.13: Yes at one and Yes at the other may be of two questions."""
    market = Market("yes_no", "Arsenal vs Chelsea", "Football")

    def answers(question: str, yes: float, no: float) -> dict[str, float]:
        return {f"{question} Yes".strip(): yes, f"{question} No".strip(): no}

    for mine, theirs, count in (
        ("Overtime", "Overtime", 1),
        ("Overtime", "Own goal", 0),
        ("Overtime", "", 0),
        ("", "", 0),
    ):
        reference = prices("Pinnacle", answers(mine, 2.05, 1.88))
        book = prices("Book", answers(theirs, 2.15, 1.7))
        assert len(value_bets(market, reference, [book], NOW_OF_MARKET)) == count, (mine, theirs)


def test_a_prop_beside_one_that_says_nothing_is_compared() -> None:
    """Selections of a prop speak of many players: none is a missing side of another."""
    props = Market("player_prop", "Arsenal vs Chelsea", "Football")
    reference = prices("Pinnacle", {"Saka shots Over 2.5": 1.91, "Saka shots Under 2.5": 1.91})
    book = prices("Book", {"Saka shots Over 2.5": 2.12, "Palmer to be booked": 4.0})
    assert len(value_bets(props, reference, [book], NOW_OF_MARKET)) == 1


@pytest.mark.parametrize("is_books", [True, False])
def test_who_gave_a_draw_lately_is_not_two_way_without_it(is_books: bool) -> None:
    reference = LEAGUE_REFERENCE._replace(had_draw=not is_books)
    book = LEAGUE_BOOK._replace(had_draw=is_books)
    assert value_bets(LEAGUE, reference, [book], NOW_OF_MARKET) == []


@pytest.mark.parametrize(
    ("market", "line", "otherwise"),
    [
        (GOALS, 5.5, True),
        (GOALS._replace(period=1), 5.5, False),
        (GOALS._replace(sport="Football"), 5.5, False),
        (GOALS._replace(market_type="team_total"), 2.5, True),
        (GOALS._replace(market_type="spread"), 0.5, True),
        (GOALS._replace(market_type="spread"), 1, False),
        (GOALS._replace(market_type="spread"), 1.5, False),
    ],
)
def test_goals_with_and_without_overtime_are_not_compared(
    market: Market, line: float, otherwise: bool
) -> None:
    """D49: all 3 hockey bets of the real moment were false."""
    texts = {
        "total": (f"Over {line}", f"Under {line}"),
        "team_total": (f"Home Over {line}", f"Home Under {line}"),
        "spread": (f"Rangers -{line}", f"Devils +{line}"),
    }[market.market_type]
    reference = prices("Pinnacle", dict(zip(texts, (2.05, 1.88), strict=True)))
    book = prices("Book", dict(zip(texts, (2.15, 1.7), strict=True)))
    for mine, other in ((True, False), (False, True), (True, True), (None, True), (False, None)):
        found = value_bets(
            market,
            reference._replace(has_overtime=other),
            [book._replace(has_overtime=mine)],
            NOW_OF_MARKET,
        )
        is_apart = otherwise and None not in (mine, other) and mine != other
        assert (found == []) == is_apart, (mine, other)
