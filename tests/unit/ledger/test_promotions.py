"""Stored promotions, and the bets of each."""

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from oddsdesk.ledger.accounts import MoneyBook, Rate, in_main_currency
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import OwnTableError
from oddsdesk.ledger.promotions import (
    Earned,
    earned,
    known_promotions,
    promo_in,
    promo_note,
    promotion_named,
    promotions_file,
    remove_promotion,
    save_promotion,
    use_promotion,
)
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.selections import Result

FREE = Promotion(
    name="Free 25", kind=PromoKind.FREE, bookmaker="Bet365", amount=25, least_odds=2.0, until=1_000
)
BOOST = Promotion(name="Boost", kind=PromoKind.BOOST, bookmaker="bwin", amount=10, boost=0.5)


def test_promotions_are_stored_and_read_again_in_order() -> None:
    assert known_promotions() == ([], [])
    save_promotion(FREE)
    save_promotion(BOOST)
    save_promotion(replace(FREE, amount=30), instead_of="free  25")
    assert known_promotions().promotions == [replace(FREE, amount=30), BOOST]
    assert promotion_named(known_promotions().promotions, "BOOST") == BOOST
    assert remove_promotion("free 25").amount == 30
    assert known_promotions().promotions == [BOOST]


def test_a_name_is_stored_once() -> None:
    save_promotion(FREE)
    with pytest.raises(OwnTableError, match="there is already an offer 'FREE 25'"):
        save_promotion(replace(BOOST, name="FREE 25"))
    with pytest.raises(OwnTableError, match="no offer 'Boost'"):
        remove_promotion("Boost")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"name": " "}, "give the offer a name"),
        ({"name": "a; b"}, "the name may not contain ';' or line ends"),
        ({"amount": 0.0}, "the amount must be above 0"),
        ({"amount": float("nan")}, "the amount must be above 0"),
        ({"kind": PromoKind.BOOST}, "the boost must be above 0 %"),
        ({"least_odds": 0.5}, "the minimum odds must be at least 1"),
    ],
)
def test_an_offer_that_makes_no_sense_is_not_stored(
    changed: dict[str, object], problem: str
) -> None:
    with pytest.raises(OwnTableError, match=problem):
        save_promotion(replace(FREE, **changed))
    assert not promotions_file().exists()


def test_it_is_noted_when_an_offer_was_used() -> None:
    save_promotion(FREE)
    assert use_promotion("free 25", 500).used_at == 500
    assert known_promotions().promotions[0].is_over(600)
    assert use_promotion("free 25", None) == FREE


def write(text: str) -> Path:
    path = promotions_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_one_bad_entry_costs_only_itself_and_nothing_is_overwritten() -> None:
    good = '{"name":"A","kind":"free","bookmaker":"B","amount":5}'
    path = write(f'[{good},{{"name":"C","kind":"gift","bookmaker":"B","amount":5}},{good}]')
    known = known_promotions()
    assert [each.name for each in known.promotions] == ["A"]
    assert [line.partition(": ")[2] for line in known.problems] == [
        "entry 2: Invalid enum value 'gift' - at `$.kind`",
        "entry 3: there is already an offer 'A'",
    ]
    before = path.read_text("utf-8")
    with pytest.raises(OwnTableError, match="correct it, or move the file away"):
        save_promotion(FREE)
    assert path.read_text("utf-8") == before


def test_a_file_that_is_no_list_is_reported() -> None:
    path = write("{}")
    (problem,) = known_promotions().problems
    assert problem.startswith(f"{path}: not a list of promotions")


@pytest.mark.parametrize("note", ["", "seen on the forum"])
def test_a_note_says_which_offer_a_bet_belongs_to(note: str) -> None:
    written = promo_note("Free 25", note)
    assert promo_in(written) == "Free 25"
    assert written.endswith(note)
    assert promo_in("a compromo: x") == ""


def bet(note: str, **more: object) -> PlacedBet:
    fields = {
        "game_id": "g",
        "match_name": "A - B",
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "period": 0,
        "selection": "A",
        "bookmaker": "Bet365",
        "odds": 5.0,
        "stake": 25.0,
        "placed_at": 1,
    } | more
    return PlacedBet(note=note, **fields)  # type: ignore[arg-type]


def test_what_the_bets_of_an_offer_earned_is_added_up() -> None:
    bets = [
        bet("promo: free 25", kind=BetKind.FREE, result=Result.LOST),
        bet("promo: Free 25; hedge", odds=1.5, stake=60.0, result=Result.WON),
        bet("promo: Free 25"),
        bet("promo: Free 25", practice=True, result=Result.WON),
        bet("promo: Free 250", result=Result.WON),
    ]
    assert earned(bets, "Free 25") == Earned(bets=3, open=1, profit=30.0)


def test_bets_in_several_currencies_are_added_up_in_the_main_one() -> None:
    bets = [
        bet("promo: Free 25", currency="EUR", result=Result.LOST),
        bet("promo: Free 25", currency="GBP", odds=2.0, stake=20.0, result=Result.WON),
    ]
    book = MoneyBook(main="EUR", rates=[Rate("GBP", "EUR", 0, 1.25)])
    in_main = partial(in_main_currency, book=book, now_ms=1)
    assert earned(bets, "Free 25", in_main) == Earned(bets=2, open=0, profit=0.0)
