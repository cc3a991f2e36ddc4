"""Figures of a line group against worked numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import NO_OFFER, BestPrice, Doubted, Section, SelectionRow
from oddsdesk.board.valuation.figures import best_among
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import GAME, NOW, REFERENCE, Desk, Odds, lines, matrix, message


def section_of(odds: Odds, **more: str) -> Section:
    desk = Desk()
    picture = matrix(odds, **more)
    exhaust(desk.board.merge_matrix(picture))
    held = desk.board.matrix(picture.game_id)
    assert held is not None
    return held.sections[0]


def test_the_window_of_an_even_price_is_the_one_that_was_worked_out_by_hand() -> None:
    section = section_of({REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88}}, market_type="total")
    over = section.rows[0]
    assert over.fair == pytest.approx(2.0923, abs=5e-5)
    assert over.value_from == pytest.approx(2.13435, abs=5e-6)
    assert over.suspicious_above == pytest.approx(2.1830, abs=5e-5)
    assert section.overround == pytest.approx(1 / 2.05 + 1 / 1.88)


def test_holds_stand_for_whole_sets_only_and_best_prices_may_be_an_arbitrage() -> None:
    section = section_of(
        {
            "Betfair": {"Over 2.5": 2.10, "Under 2.5": 1.80},
            "Unibet": {"Over 2.5": 1.85, "Under 2.5": 2.05},
            "Marathonbet": {"Over 2.5": 1.9},
        },
        market_type="total",
    )
    assert section.holds == {
        "Betfair": pytest.approx(100 * (1 - 1 / (1 / 2.10 + 1 / 1.80))),
        "Unibet": pytest.approx(100 * (1 - 1 / (1 / 1.85 + 1 / 2.05))),
    }
    assert section.best_hold == pytest.approx(-3.735, abs=1e-3)
    assert section.reference is None
    assert section.overround is None


def test_equal_best_prices_are_both_named() -> None:
    section = section_of(
        {"Unibet": {"Over 2.5": 1.9}, "Betfair": {"Over 2.5": 1.9}}, market_type="total"
    )
    assert section.rows[0].best_bookmakers == ("Betfair", "Unibet")


chances = st.tuples(st.floats(0.05, 0.25), st.floats(0.25, 0.75), st.floats(0.05, 0.25))
"""How likely over 2 is among those whose stake stays, and how far over 1.5 and 2.5 lie off."""


@given(chances=chances, margin=st.floats(1, 1.12), soft=st.floats(0.95, 1.6), moved=chances)
def test_who_is_best_rests_on_the_window_that_its_neighbours_leave(
    chances: tuple[float, ...], margin: float, soft: float, moved: tuple[float, ...]
) -> None:
    """How often the stake of a whole line comes back decides whether any price can be value."""
    desk = Desk()
    prices = totals(*chances, margin)
    softer = {name: round(max(1.01, odds * soft), 3) for name, odds in prices.items()}
    exhaust(
        desk.board.merge_matrix(
            matrix({REFERENCE: prices, "Soft": softer, "Plain": prices}, market_type="total")
        )
    )
    assert_best_by_windows(desk)
    desk.board.apply_all(
        [
            message(name, odds, bookmaker=REFERENCE, market_type="total")
            for name, odds in totals(*moved, margin).items()
            if not name.endswith(" 2")
        ]
    )
    assert_best_by_windows(desk)


def totals(below: float, middle: float, above: float, margin: float) -> dict[str, float]:
    chances = {"1.5": middle + below, "2": middle, "2.5": middle - above}
    return {
        f"{side} {line}": round(max(1.01, 1 / (chance * margin)), 3)
        for line, over in chances.items()
        for side, chance in (("Over", max(0.01, over)), ("Under", max(0.01, 1 - over)))
    }


def assert_best_by_windows(desk: Desk) -> None:
    held = desk.board.matrix(GAME)
    assert held is not None
    for section in held.sections:
        for row in section.rows:
            offered = {
                name: price.odds
                for name, price in row.others()
                if (row.suspicious_above is None or price.odds <= row.suspicious_above)
                and math.fsum(1 / each.prices[name].odds for each in section.rows) >= 1 - 1e-5
            }
            best = max(offered.values(), default=None)
            assert row.best == best
            assert set(row.best_bookmakers) == {name for name in offered if offered[name] == best}


HOCKEY: Odds = {
    REFERENCE: {"Arsenal": 2.2, "Draw": 4.0, "Chelsea": 2.9},
    "With draw": {"Arsenal": 2.25, "Draw": 4.1, "Chelsea": 2.8},
    "Overtime": {"Arsenal": 1.7, "Chelsea": 2.2},
    "Part": {"Chelsea": 3.0},
}


def test_best_prices_and_holds_are_by_what_bookmakers_really_pay() -> None:
    desk = Desk()
    desk.board.set_profiles(Profiles([Profile(name="Betfair", group="Betfair", commission=0.05)]))
    odds = {
        REFERENCE: {"Over 2.5": 1.95, "Under 2.5": 1.95},
        "Betfair": {"Over 2.5": 2.02, "Under 2.5": 1.98},
        "Unibet": {"Over 2.5": 1.98, "Under 2.5": 1.90},
    }
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    section = desk.board.section(GAME, "total", 0, "Over 2.5")
    assert section is not None
    over, under = section.rows
    assert (over.best, over.best_bookmakers) == (1.98, ("Unibet",))
    assert (under.best, under.best_bookmakers) == (pytest.approx(1.931), ("Betfair",))
    assert section.holds["Betfair"] == pytest.approx(100 * (1 - 1 / (1 / 1.969 + 1 / 1.931)))
    assert section.best_hold == pytest.approx(100 * (1 - 1 / (1 / 1.98 + 1 / 1.931)))


def test_equal_net_prices_are_both_best_whatever_they_are_gross() -> None:
    desk = Desk()
    desk.board.set_profiles(Profiles([Profile(name="Betfair", group="Betfair", commission=0.5)]))
    odds = {"Betfair": {"Over 2.5": 2.0}, "Unibet": {"Over 2.5": 1.5}}
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    (row,) = lines(desk.board)
    assert (row.best, row.best_bookmakers) == (1.5, ("Betfair", "Unibet"))


def test_prices_with_and_without_the_draw_are_never_compared() -> None:
    section = section_of(HOCKEY, sport="Hockey")
    assert section.other_bets == {"Overtime"}
    assert [line.best for line in section.rows] == [2.25, 4.1, 3.0]
    assert set(section.holds) == {"With draw", "Overtime"}


def test_a_reference_without_the_draw_turns_it_round() -> None:
    two_way = {**HOCKEY, REFERENCE: {"Arsenal": 1.75, "Chelsea": 2.15}, "Part": {"Chelsea": 2.25}}
    section = section_of(two_way, sport="Hockey")
    assert section.other_bets == {"With draw"}
    home, draw, away = section.rows
    assert (home.best, away.best) == (1.7, 2.25)
    assert draw.fair is None
    assert home.fair is not None
    assert section.best_hold == pytest.approx(100 * (1 - 1 / (1 / 1.7 + 1 / 2.25)))


def test_a_football_result_without_the_draw_is_never_valued() -> None:
    odds = {REFERENCE: {"Arsenal": 1.9, "Chelsea": 2.0}, "Betfair": {"Arsenal": 2.0, "Draw": 3.0}}
    section = section_of(odds)
    assert section.reference is None
    assert [line.fair for line in section.rows] == [None, None, None]


def test_outcomes_that_overlap_have_neither_hold_nor_fair_price() -> None:
    odds = {
        REFERENCE: {"1X": 1.3, "X2": 1.8, "12": 1.3},
        "Betfair": {"1X": 1.3, "X2": 1.8, "12": 1.3},
    }
    section = section_of(odds, market_type="double_chance")
    assert section.holds == {}
    assert section.best_hold is None
    assert [line.best for line in section.rows] == [1.3, 1.8, 1.3]
    assert all(line.fair is None for line in section.rows)


def test_text_that_fits_no_form_is_shown_and_never_valued() -> None:
    section = section_of({REFERENCE: {"Arsenal by two": 3.0}}, market_type="spread")
    assert [line.selection for line in section.rows] == ["Arsenal by two"]
    assert section.reference is None


def test_the_best_hold_is_of_legs_of_different_operators() -> None:
    desk = Desk()
    skins = [Profile(name=name, group="One") for name in ("Betfair", "Unibet")]
    desk.board.set_profiles(Profiles(skins))
    odds = {
        "Betfair": {"Over 2.5": 2.10, "Under 2.5": 1.80},
        "Unibet": {"Over 2.5": 1.85, "Under 2.5": 2.05},
        "Bovada": {"Over 2.5": 1.95, "Under 2.5": 1.90},
    }
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    section = desk.board.section(GAME, "total", 0, "Over 2.5")
    assert section is not None
    assert section.best_hold == pytest.approx(100 * (1 - 1 / (1 / 1.95 + 1 / 2.05)))
    said = message("Under 2.5", 1.92, NOW + 1000, bookmaker="Bovada", market_type="total")
    desk.board.apply_all([said])
    assert section.best_hold == pytest.approx(100 * (1 - 1 / (1 / 2.10 + 1 / 1.92)))


FAIR = {"Over 2.5": 7.0, "Under 2.5": 1.12}


def loaded(odds: dict[str, float], mine: tuple[str, ...] = ()) -> tuple[Desk, Section]:
    """Over 2.5 at some bookmakers, with a reference whose fair price is 7.3 or so."""
    desk = Desk()
    desk.board.set_bookmakers(mine)
    books = {name: {"Over 2.5": price, "Under 2.5": 1.05} for name, price in odds.items()}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: FAIR} | books, market_type="total")))
    held = desk.board.matrix(GAME)
    assert held is not None
    return desk, held.sections[0]


def over(section: Section) -> SelectionRow:
    return section.selection_row("Over 2.5")


def tell(desk: Desk, bookmaker: str, odds: float) -> None:
    said = {"at": desk.now, "bookmaker": bookmaker, "market_type": "total"}
    desk.board.apply_all([message("Over 2.5", odds, **said)])


def test_a_price_that_is_too_good_stands_beside_the_best_with_its_reason() -> None:
    _, section = loaded({"A": 6.9, "B": 9.6})
    row = over(section)
    assert row.suspicious_above is not None
    assert row.suspicious_above < 9.6
    assert (row.best, row.best_bookmakers, row.best_of_all) == (6.9, ("A",), BestPrice(6.9, ("A",)))
    assert row.doubted == Doubted("B", 9.6, 9.6, Caution.ABOVE_WINDOW)


@pytest.mark.parametrize("market_type", ["draw_no_bet", "total"])
def test_a_price_that_is_too_good_is_doubted_by_a_reference_with_a_wide_margin(
    market_type: str,
) -> None:
    """S is 1.0599, so no price can be value; 1 / 2.02 + 1 / 2.12 is below 0.99 all the same."""
    names = ("Over 2.5", "Under 2.5") if market_type == "total" else ("Arsenal", "Chelsea")
    quoted = {REFERENCE: (1.7, 2.12), "A": (2.02, 1.84), "B": (1.75, 2.0)}
    odds = {name: dict(zip(names, prices, strict=True)) for name, prices in quoted.items()}
    desk = Desk()
    exhaust(desk.board.merge_matrix(matrix(odds, market_type=market_type)))
    held = desk.board.matrix(GAME)
    assert held is not None
    row = held.sections[0].selection_row(names[0])
    assert row.value_from is None
    assert row.suspicious_above == pytest.approx(1 / (0.99 - 1 / 2.12))
    assert row.best_of_all == BestPrice(1.75, ("B",))
    assert row.doubted == Doubted("A", 2.02, 2.02, Caution.ABOVE_WINDOW)


def test_best_of_mine_and_best_of_all_are_two_answers() -> None:
    desk, section = loaded({"A": 6.5, "B": 6.9, "C": 6.2}, mine=("A", "C"))
    row = over(section)
    assert (row.best, row.best_bookmakers) == (6.5, ("A",))
    assert row.best_of_all == BestPrice(6.9, ("B",))
    assert row.doubted is None
    tell(desk, "C", 6.9)
    assert (row.best_bookmakers, row.best_of_all) == (("C",), BestPrice(6.9, ("B", "C")))
    desk.board.set_bookmakers(())
    row = over(desk.board.matrix(GAME).sections[0])  # type: ignore[union-attr]
    assert (row.best, row.best_bookmakers) == (6.9, ("B", "C"))


def test_a_stale_price_is_doubted_as_long_as_it_is_higher() -> None:
    desk, section = loaded({"A": 6.5, "B": 6.9})
    row = over(section)
    desk.now += 4 * 60_000
    desk.board.apply_all(
        [message("Over 2.5", 6.6, at=desk.now, bookmaker="A", market_type="total")]
    )
    desk.board.sweep()
    assert row.best_bookmakers == ("A",)
    assert row.doubted == Doubted("B", 6.9, 6.9, Caution.STALE)
    desk.board.apply_all(
        [message("Over 2.5", 7.0, at=desk.now, bookmaker="A", market_type="total")]
    )
    assert row.doubted is None


def test_what_is_doubted_is_compared_net() -> None:
    desk, _ = loaded({"A": 6.9, "B": 9.6})
    desk.board.set_profiles(Profiles([Profile(name="B", group="B", commission=0.5)]))
    row = over(desk.board.matrix(GAME).sections[0])  # type: ignore[union-attr]
    assert row.doubted is None  # 5.3 net, which is not even the best


names = st.sampled_from("ABCDE")


@given(
    odds=st.dictionaries(names, st.sampled_from([6.5, 6.8, 6.9, 7.0, 9.3, 9.6]), min_size=1),
    mine=st.sets(names),
    compared=st.none() | st.sets(names),
)
def test_the_best_prices_are_those_that_sorting_finds(
    odds: dict[str, float], mine: set[str], compared: set[str] | None
) -> None:
    """Worked out plainly: 9.3 and 9.6 are above the window, the others are not."""
    desk, section = loaded(odds, tuple(sorted(mine)))
    row = over(section)
    assert row.suspicious_above == pytest.approx(9.2)
    asked = {n: p for n, p in odds.items() if compared is None or n in compared}
    of_mine = {n: p for n, p in asked.items() if n in mine or not mine}

    def best(prices: dict[str, float]) -> BestPrice:
        sure = {n: p for n, p in prices.items() if p < 9}
        most = max(sure.values(), default=None)
        return (
            NO_OFFER
            if most is None
            else BestPrice(most, tuple(sorted(n for n in sure if sure[n] == most)))
        )

    found = best_among(section, row, desk.board.basis, compared)
    assert (found.mine, found.of_all) == (best(of_mine), best(asked))
    high = [(-p, n not in of_mine, n) for n, p in asked.items() if p > 9]
    expected = None if not high else (min(high)[2], -min(high)[0])
    assert (None if found.doubted is None else found.doubted[:2]) == expected
    if compared is None:
        assert row.offer.found() == found
