"""Value bets of the service and of the prices held, and what becomes of one that moves."""

from typing import Any

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import RowKey, SectionKey
from oddsdesk.board.model.notices import PricesChanged, ValueBetsChanged
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.board.valuation.value_bets import ServiceRow
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.devig import devig
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import Rule
from tests.kit.board import GAME, NOW, REFERENCE, Desk, matrix, message, row_key, value_bet

KEY = RowKey(GAME, "total", 0, "Over 2.5", "Betfair")


def test_true_ev_is_worked_out_from_the_row_alone(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()]))
    entry = entry_of(desk)
    found = entry.assessment
    fair = devig("margin_proportional", (2.05, 1.88)).fair_odds[0]
    assert found.fair_odds == pytest.approx(fair, rel=2e-5)
    assert found.ev_pct == pytest.approx((2.15 / (fair * 1.01) - 1) * 100, abs=2e-3)
    assert (found.odds, entry.is_in_contract, entry.scraped_at) == (2.15, True, None)
    said = explain(desk.board, KEY, desk.now)
    assert said is not None
    assert said.window is not None
    assert said.window.least == pytest.approx(2.1344, abs=5e-4)


def test_a_price_of_which_only_the_row_is_known_has_no_age_and_is_no_value(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert cautions(desk) == (Caution.AGE_UNKNOWN,)
    assert entry_of(desk).assessment.is_value_but_for_cautions
    assert not entry_of(desk).is_value
    exhaust(desk.board.merge_matrix(matrix(TOTAL, market_type="total")))
    assert cautions(desk) == ()
    assert entry_of(desk).is_value


def test_a_service_with_the_published_formula_is_found_out(desk: Desk) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    bet = value_bet(
        fair_odds=round(published, 4), ev_pct=round((2.15 / (published * 1.01) - 1) * 100, 2)
    )
    exhaust(desk.board.merge_value_bets([bet]))
    assert desk.board.audit is not None
    assert desk.board.audit.is_published
    ev = entry_of(desk).assessment.ev_pct
    assert ev is not None
    assert ev < bet.ev_pct


def test_a_service_that_sends_the_return_rate_is_told_and_reckoned_with_its_total(
    desk: Desk,
) -> None:
    """An honest row with 1/S in ``payout_rate`` fitted the published formula (D52)."""
    honest = value_bet()
    exhaust(desk.board.merge_value_bets([honest]))
    before = ev_of(desk)
    exhaust(desk.board.merge_value_bets([value_bet(payout_rate=round(1 / honest.payout_rate, 4))]))
    audit = desk.board.audit
    assert audit is not None
    assert (audit.sends_return_rate, audit.is_published) == (True, False)
    listed = desk.board.values.listed[KEY]
    assert listed.payout_rate == pytest.approx(honest.payout_rate, abs=1e-4)
    assert ev_of(desk) == pytest.approx(before, abs=5e-3)
    exhaust(desk.board.merge_value_bets([honest]))
    assert desk.board.audit is not None
    assert not desk.board.audit.sends_return_rate


def test_the_number_of_outcomes_is_the_one_that_fits_the_row(desk: Desk) -> None:
    for outcomes in (2, 3):
        fair = 1 / (1 / 2.05 - 0.0197 / outcomes)
        bet = value_bet(
            market_type="moneyline",
            selection="Arsenal",
            sport="Hockey",
            competition="NHL",
            fair_odds=round(fair, 4),
            ev_pct=round((2.15 / (fair * 1.01) - 1) * 100, 2),
        )
        exhaust(desk.board.merge_value_bets([bet]))
        (key,) = desk.board.value_bets
        assert row_of(desk, key).outcomes == outcomes


def test_prices_that_are_held_judge_a_bet_by_the_users_method(desk: Desk) -> None:
    odds = {REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88}, "Betfair": {"Over 2.5": 2.15}}
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet()]))
    first = entry_of(desk)
    assert first.is_value
    assert (first.url, first.scraped_at) == ("https://Betfair.example", NOW)
    desk.board.set_method("power")
    assert entry_of(desk).assessment.fair_odds != first.assessment.fair_odds


@pytest.mark.parametrize(
    "wrong", [{"odds": 1.0}, {"fair_odds": 0.0}, {"payout_rate": 0.4}, {"detected_at": "yesterday"}]
)
def test_a_bet_that_makes_no_sense_is_named_and_the_rest_is_kept(
    desk: Desk, caplog: pytest.LogCaptureFixture, wrong: dict[str, object]
) -> None:
    exhaust(desk.board.merge_value_bets([value_bet(**wrong), value_bet(bookmaker="Unibet")]))
    assert [key.bookmaker for key in desk.board.value_bets] == ["Unibet"]
    assert "value bets: skipped 1, " in caplog.text


def test_a_kick_off_that_is_no_time_is_unknown(desk: Desk) -> None:
    exhaust(
        desk.board.merge_value_bets(
            [value_bet(match_date="soon"), value_bet(bookmaker="Unibet", match_date=format_ms(NOW))]
        )
    )
    assert [entry.kick_off for entry in desk.board.value_bets.values()] == [None, NOW]


TOTAL = {
    REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88},
    "Betfair": {"Over 2.5": 2.15, "Under 2.5": 1.8},
}


def served(odds: float, sides: tuple[float, ...], method: str, **more: Any) -> ValueBet:
    """A row as a service reckons it, on the first of the reference's prices; figures rounded."""
    fair = devig(method, sides).fair_odds[0]
    return value_bet(
        odds=odds,
        reference_odds=sides[0],
        payout_rate=round(sum(1 / price for price in sides), 4),
        fair_odds=round(fair, 4),
        ev_pct=round((odds / (fair * 1.01) - 1) * 100, 2),
        **more,
    )


def entry_of(desk: Desk, key: RowKey = KEY) -> AssessedPrice:
    return desk.board.value_bets[key]


def cautions(desk: Desk) -> tuple[Caution, ...]:
    return entry_of(desk).assessment.cautions


def stopped_by(desk: Desk) -> list[Rule]:
    return [check.rule for check in entry_of(desk).assessment.stopped_by]


def ev_of(desk: Desk) -> float:
    ev = entry_of(desk).assessment.ev_pct
    assert ev is not None
    return ev


def row_of(desk: Desk, key: RowKey) -> ServiceRow:
    row = desk.board.values.service_row(key, desk.board.method)
    assert row is not None
    return row


@pytest.mark.parametrize("method", ["margin_proportional", "multiplicative", "published"])
@pytest.mark.parametrize(("odds", "sides"), [(2.15, (2.05, 1.88)), (13.5, (11.0, 1.07))])
def test_nothing_changes_by_having_the_prices_of_a_game_too(
    desk: Desk, method: str, odds: float, sides: tuple[float, float]
) -> None:
    exhaust(desk.board.merge_value_bets([served(odds, sides, method)]))
    by_row = entry_of(desk).assessment
    over, under = sides
    held = {REFERENCE: {"Over 2.5": over, "Under 2.5": under}, "Betfair": {"Over 2.5": odds}}
    exhaust(desk.board.merge_matrix(matrix(held, market_type="total")))
    by_prices = entry_of(desk).assessment
    assert (by_row.net_odds, by_row.per) == (by_prices.net_odds, by_prices.per)
    exact = devig("margin_proportional", sides).fair_odds[0]
    assert by_prices.fair_odds == pytest.approx(exact)
    assert by_row.fair_odds == pytest.approx(exact, rel=1e-4)
    assert by_row.ev_pct == pytest.approx(by_prices.ev_pct, abs=2e-2)
    stopped = [[check.rule for check in each.stopped_by] for each in (by_row, by_prices)]
    assert stopped[0] == stopped[1]


def test_a_service_of_the_users_method_is_taken_at_its_word_where_a_row_tells_too_little(
    desk: Desk,
) -> None:
    """Shin's method needs all three prices; the row has one, and the service's fair odds."""
    desk.board.set_method("shin")
    where = {"market_type": "moneyline", "selection": "Arsenal"}
    three = served(3.4, (3.2, 3.4, 2.4), "shin", **where)
    two_way = [
        served(2.15, (2.05 - i / 100, 1.88), "shin", bookmaker=f"Book {i}") for i in range(11)
    ]
    exhaust(desk.board.merge_value_bets([*two_way, three]))
    key = row_key("Arsenal", "Betfair")
    assert (row_of(desk, key).fair, row_of(desk, key).method) == (three.fair_odds, "shin")
    assert entry_of(desk, key).assessment.fair_odds == three.fair_odds
    other = served(3.4, (3.2, 3.4, 2.4), "margin_proportional", **where)
    exhaust(desk.board.merge_value_bets([*two_way, other]))
    assert row_of(desk, key).method == "margin_proportional"


def test_a_bet_that_the_users_method_cannot_judge_says_by_which_method_it_is(desk: Desk) -> None:
    desk.board.set_method("shin")
    where = {"market_type": "moneyline", "selection": "Arsenal"}
    sides = (2.0, 3.6, 4.0)
    exhaust(desk.board.merge_value_bets([served(2.2, sides, "margin_proportional", **where)]))
    key = row_key("Arsenal", "Betfair")
    assert method_told(desk, key) == "margin_proportional"
    odds = {
        REFERENCE: dict(zip(("Arsenal", "Draw", "Chelsea"), sides, strict=True)),
        "Betfair": {"Arsenal": 2.2},
    }
    exhaust(desk.board.merge_matrix(matrix(odds)))
    assert method_told(desk, key) == "shin"
    fair = entry_of(desk, key).assessment.fair_odds
    assert fair == pytest.approx(devig("shin", sides).fair_odds[0])


def method_told(desk: Desk, key: RowKey) -> str:
    said = explain(desk.board, key, desk.now)
    assert said is not None
    return said.method


def holding(desk: Desk) -> None:
    """The bet is listed and its game held; nothing was told yet."""
    exhaust(desk.board.merge_matrix(matrix(TOTAL, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet()]))
    desk.heard()


def test_a_price_that_moves_within_its_window_is_judged_at_once(desk: Desk) -> None:
    holding(desk)
    desk.board.apply_all([message("Over 2.5", 2.17, market_type="total")])
    assert ValueBetsChanged((KEY,)) in desk.heard()
    assert (entry_of(desk).assessment.odds, entry_of(desk).is_value) == (2.17, True)
    assert ev_of(desk) == pytest.approx((2.17 / (2.0923 * 1.01) - 1) * 100, abs=1e-2)


@pytest.mark.parametrize(
    ("odds", "rules", "spoken_against"),
    [(2.10, [Rule.MIN_EDGE], ()), (2.40, [Rule.PAYOUT], (Caution.ABOVE_WINDOW,))],
)
def test_a_price_that_leaves_its_window_is_value_no_more_at_once(
    desk: Desk, odds: float, rules: list[Rule], spoken_against: tuple[Caution, ...]
) -> None:
    holding(desk)
    both = {"Under 2.5": 1.7, "Over 2.5": odds}
    desk.board.apply_all([message(*each, market_type="total") for each in both.items()])
    assert ValueBetsChanged((KEY,)) in desk.heard()
    assert (entry_of(desk).assessment.odds, entry_of(desk).is_value) == (odds, False)
    assert (stopped_by(desk), cautions(desk)) == (rules, spoken_against)
    desk.board.apply_all([message("Over 2.5", 2.15, at=NOW + 2_000, market_type="total")])
    assert entry_of(desk).is_value


def test_a_price_that_the_service_does_not_list_comes_with_its_edge_and_goes_with_it(
    desk: Desk,
) -> None:
    exhaust(desk.board.merge_matrix(matrix(TOTAL, market_type="total")))
    assert entry_of(desk).is_value
    desk.heard()
    desk.board.apply_all([message("Over 2.5", 2.10, market_type="total")])
    assert ValueBetsChanged((KEY,)) in desk.heard()
    assert KEY not in desk.board.value_bets


def test_prices_that_moves_bring_to_their_edge_come_and_go_as_often(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix(TOTAL, market_type="total")))
    for step, (odds, is_value) in enumerate([(2.1, False), (2.16, True)] * 3, start=1):
        said = [
            message("Over 2.5", odds, NOW + step * 1_000, market_type="total", bookmaker=bookmaker)
            for bookmaker in ("Unibet", "Betfair")
        ]
        desk.board.apply_all(said)
        for bookmaker in ("Unibet", "Betfair"):
            assert (KEY._replace(bookmaker=bookmaker) in desk.board.value_bets) is is_value


def test_a_move_of_the_reference_fells_a_bet_too(desk: Desk) -> None:
    holding(desk)
    moved = message("Over 2.5", 2.12, market_type="total", bookmaker=REFERENCE)
    desk.board.apply_all([moved])
    assert stopped_by(desk) == [Rule.MIN_EDGE]


def test_a_withdrawn_price_falls_until_it_is_detected_anew(desk: Desk) -> None:
    holding(desk)

    def load_without() -> None:
        picture = matrix({**TOTAL, "Betfair": {"Under 2.5": 1.8}}, desk.now, market_type="total")
        exhaust(desk.board.merge_matrix(picture))

    desk.now += 10_000
    load_without()
    assert cautions(desk) == (Caution.WITHDRAWN,)
    desk.now += 70_000
    desk.board.sweep()
    load_without()
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert desk.board.assess(KEY) is None
    assert cautions(desk) == (Caution.AGE_UNKNOWN, Caution.WITHDRAWN)
    exhaust(desk.board.merge_value_bets([value_bet(detected_at=format_ms(desk.now))]))
    assert cautions(desk) == (Caution.AGE_UNKNOWN,)


def test_a_bet_of_the_list_that_a_whole_reading_lacks_is_offered_no_more(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()], desk.now))
    desk.heard()
    desk.now += 1_000
    exhaust(desk.board.withdrawing_unheard(desk.now))
    assert cautions(desk) == (Caution.AGE_UNKNOWN, Caution.WITHDRAWN)
    assert ValueBetsChanged((KEY,)) in desk.heard()
    said = explain(desk.board, KEY, desk.now)
    assert said is not None
    assert said.assessment.cautions == cautions(desk)
    again = [value_bet(), value_bet(bookmaker="Unibet", detected_at=format_ms(desk.now))]
    exhaust(desk.board.merge_value_bets(again, desk.now))
    assert Caution.WITHDRAWN in cautions(desk)
    new = desk.board.value_bets[KEY._replace(bookmaker="Unibet")]
    assert new.assessment.cautions == (Caution.AGE_UNKNOWN,)
    exhaust(desk.board.merge_value_bets([value_bet(detected_at=format_ms(desk.now))], desk.now))
    assert cautions(desk) == (Caution.AGE_UNKNOWN,)


def test_a_bet_found_long_before_its_prices_were_read_needs_no_second_reading(desk: Desk) -> None:
    desk.now += 70_000
    exhaust(desk.board.withdrawing_unheard(desk.now))
    exhaust(desk.board.merge_value_bets([value_bet()], desk.now + 1))
    assert Caution.WITHDRAWN in cautions(desk)


def test_a_bet_on_a_game_that_the_service_has_no_more_is_offered_no_more(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()], desk.now))
    desk.now += 1_000
    desk.board.end_game("another")
    assert cautions(desk) == (Caution.AGE_UNKNOWN,)
    desk.board.end_game(GAME)
    assert Caution.WITHDRAWN in cautions(desk)


def test_what_the_kick_off_changes_is_assessed_and_told_some_prices_at_a_time(desk: Desk) -> None:
    names = [f"B{number}" for number in range(50)]
    many = {REFERENCE: TOTAL[REFERENCE], **{name: {"Over 2.5": 2.15} for name in names}}
    picture = matrix(many, market_type="total", kick_off=NOW + 5_000)
    exhaust(desk.board.merge_matrix(picture))
    desk.heard()
    desk.now += 5_002
    desk.board.sweep()
    told = [notice.moved for notice in desk.heard() if isinstance(notice, ValueBetsChanged)]
    assert {key.bookmaker for moved in told for key in moved} == set(names)
    assert max(map(len, told)) < len(names) / 2
    assert not any(desk.board.is_value_bet(key) for key in desk.board.value_bets)


def test_a_bet_falls_with_the_references_price(desk: Desk) -> None:
    holding(desk)
    desk.now += 10_000
    without = {name: odds for name, odds in TOTAL.items() if name != REFERENCE}
    exhaust(desk.board.merge_matrix(matrix(without, desk.now, market_type="total")))
    assert entry_of(desk).assessment.fair_odds is None
    assert stopped_by(desk) == [Rule.REFERENCE_SIDES]
    assert (entry_of(desk).is_value, entry_of(desk).is_in_contract) == (False, False)


def test_a_price_that_goes_in_play_alone_is_no_value_bet(desk: Desk) -> None:
    holding(desk)
    desk.board.apply_all([message("Over 2.5", 2.16, market_type="total", is_live=True)])
    assert Caution.STATE_DIFFERS in cautions(desk)
    assert not entry_of(desk).is_value


def test_a_price_that_is_held_is_assessed_as_it_is_held_whatever_the_list_says(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix(TOTAL, NOW - 60_000, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet(odds=2.16)]))
    assert entry_of(desk).assessment.odds == 2.15
    assert desk.board.values.listed[KEY].odds == 2.16


def test_another_profile_of_a_bookmaker_judges_its_bets_anew(desk: Desk) -> None:
    holding(desk)
    desk.board.set_profiles(Profiles([Profile(name="Betfair", group="Betfair", commission=0.05)]))
    assert ValueBetsChanged() in desk.heard()
    assert entry_of(desk).assessment.net_odds == pytest.approx(1 + 1.15 * 0.95)
    assert (stopped_by(desk), entry_of(desk).is_in_contract) == ([Rule.MIN_EDGE], True)
    desk.board.set_profiles(Profiles())
    assert entry_of(desk).is_value


def test_what_was_held_of_a_game_left_is_known_by_the_services_rows_alone(desk: Desk) -> None:
    desk.board.subscribe_game(GAME)
    both = {**TOTAL, "Unibet": {"Over 2.5": 2.16}}
    exhaust(desk.board.merge_matrix(matrix(both, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert {key.bookmaker for key in desk.board.value_bets} == {"Betfair", "Unibet"}
    desk.board.unsubscribe_game(GAME)
    assert list(desk.board.value_bets) == [KEY]
    assert cautions(desk) == (Caution.AGE_UNKNOWN,)


def test_a_service_that_changes_its_formula_is_found_out(desk: Desk) -> None:
    rows = [(2.15 + i / 100, (2.05 + i / 50, 1.88 - i / 60)) for i in range(12)]

    def load(method: str) -> None:
        exhaust(
            desk.board.merge_value_bets(
                [
                    served(odds, sides, method, bookmaker=f"Book {i}")
                    for i, (odds, sides) in enumerate(rows)
                ]
            )
        )

    load("margin_proportional")
    assert desk.board.audit is not None
    assert not desk.board.audit.is_published
    load("published")
    assert desk.board.audit.is_published
    load("margin_proportional")
    assert not desk.board.audit.is_published


def test_prices_that_move_while_a_list_is_taken_in_are_not_lost(desk: Desk) -> None:
    holding(desk)
    steps = desk.board.merge_value_bets([value_bet(), value_bet(bookmaker="Unibet")])
    for _ in range(3):
        next(steps)  # both were looked at, the first was judged
    desk.board.apply_all([message("Over 2.5", 2.10, market_type="total")])
    for _ in steps:
        pass
    assert entry_of(desk).assessment.odds == 2.10
    assert not entry_of(desk).is_value


def test_a_list_that_was_cut_says_so(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()], is_cut=True))
    assert desk.board.values.is_cut
    desk.heard()
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert not desk.board.values.is_cut
    assert desk.heard() == [ValueBetsChanged()]


def test_a_line_is_judged_anew_where_its_neighbours_tell_of_another_push(desk: Desk) -> None:
    """A total of 2 comes back where two are scored: the lines next to it say how often."""
    sharp = {"1.5": (1.45, 2.85), "2": (1.95, 1.95), "2.5": (2.5, 1.58)}
    totals = {
        f"{side} {line}": odds
        for line, pair in sharp.items()
        for side, odds in zip(("Over", "Under"), pair, strict=True)
    }
    picture = matrix(
        {REFERENCE: totals, "Betfair": {**totals, "Over 2": 2.08}}, desk.now, market_type="total"
    )
    desk.board.want_values(True)
    exhaust(desk.board.merge_matrix(picture))
    key = row_key("Over 2", "Betfair", "total")
    before = desk.board.value_bets[key].assessment.ev_pct
    desk.heard()
    moved = [
        message(side, odds, at=desk.now, bookmaker=REFERENCE, market_type="total")
        for side, odds in (("Over 1.5", 1.40), ("Under 1.5", 3.10))
    ]
    desk.board.apply_all(moved)
    found = desk.board.assess(key)
    assert found is not None
    assert found.ev_pct != before
    assert desk.board.value_bets[key].assessment.ev_pct == found.ev_pct
    changed = next(notice for notice in desk.heard() if isinstance(notice, PricesChanged))
    assert SectionKey("total", 0, "2") in changed.sections
