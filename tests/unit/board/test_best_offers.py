"""What is best: of the user's bookmakers, of all, and what is higher but doubted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.best_offers import best_among
from oddsdesk.board.matrix import NO_OFFER, Doubted, Offer, Section, SelectionRow
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, REFERENCE, Desk, matrix, message

FAIR = {"Over 2.5": 7.0, "Under 2.5": 1.12}


def loaded(odds: dict[str, float], mine: tuple[str, ...] = ()) -> tuple[Desk, Section]:
    """Over 2.5 at some bookmakers beside a reference whose fair price is 7.3 or so."""
    desk = Desk()
    desk.board.set_bookmakers(mine)
    books = {name: {"Over 2.5": price, "Under 2.5": 1.05} for name, price in odds.items()}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: FAIR} | books, market_type="total")))
    held = desk.board.matrix(GAME)
    assert held is not None
    return desk, held.sections[0]


def over(section: Section) -> SelectionRow:
    return section.row_of("Over 2.5")


def tell(desk: Desk, bookmaker: str, odds: float) -> None:
    said = {"at": desk.now, "bookmaker": bookmaker, "market_type": "total"}
    desk.board.apply_all([message("Over 2.5", odds, **said)])


def test_a_price_that_is_too_good_stands_beside_the_best_with_its_reason() -> None:
    _, section = loaded({"A": 6.9, "B": 9.6})
    row = over(section)
    assert row.suspicious_above is not None
    assert row.suspicious_above < 9.6
    assert (row.best, row.best_bookmakers, row.best_of_all) == (6.9, ("A",), Offer(6.9, ("A",)))
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
    row = held.sections[0].row_of(names[0])
    assert row.value_from is None
    assert row.suspicious_above == pytest.approx(1 / (0.99 - 1 / 2.12))
    assert row.best_of_all == Offer(1.75, ("B",))
    assert row.doubted == Doubted("A", 2.02, 2.02, Caution.ABOVE_WINDOW)


def test_best_of_mine_and_best_of_all_are_two_answers() -> None:
    desk, section = loaded({"A": 6.5, "B": 6.9, "C": 6.2}, mine=("A", "C"))
    row = over(section)
    assert (row.best, row.best_bookmakers) == (6.5, ("A",))
    assert row.best_of_all == Offer(6.9, ("B",))
    assert row.doubted is None
    tell(desk, "C", 6.9)
    assert (row.best_bookmakers, row.best_of_all) == (("C",), Offer(6.9, ("B", "C")))
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

    def best(prices: dict[str, float]) -> Offer:
        sure = {n: p for n, p in prices.items() if p < 9}
        most = max(sure.values(), default=None)
        return (
            NO_OFFER
            if most is None
            else Offer(most, tuple(sorted(n for n in sure if sure[n] == most)))
        )

    found = best_among(section, row, desk.board.basis, compared)
    assert (found.mine, found.of_all) == (best(of_mine), best(asked))
    high = [(-p, n not in of_mine, n) for n, p in asked.items() if p > 9]
    expected = None if not high else (min(high)[2], -min(high)[0])
    assert (None if found.doubted is None else found.doubted[:2]) == expected
    if compared is None:
        assert row.offer.found() == found
