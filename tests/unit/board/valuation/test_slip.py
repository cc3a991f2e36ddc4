"""What the board knows about the legs of a multiple, and why it may know nothing."""

from collections.abc import Iterator

import pytest

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.texts import ENGLISH, translated, use_language
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.slip import SlipLeg, leg_price, price_slip
from oddsdesk.pricing.derived import Band, BandKey
from oddsdesk.pricing.devig import devig
from tests.kit.quoted_game import REFERENCE, QuotedGame


@pytest.fixture
def game() -> QuotedGame:
    made = QuotedGame()
    names = ("Everton", "Draw", "Liverpool")
    odds = {name: {REFERENCE: price} for name, price in zip(names, (3.29, 3.36, 2.31), strict=True)}
    made.quote("moneyline", odds)
    made.quote("total", {f"{side} 2.5": {REFERENCE: 1.94} for side in ("Over", "Under")})
    made.quote("total", {"Over 3.5": {"Unibet": 2.9}, "Under 3.5": {"Unibet": 1.3}})
    made.quote("moneyline", {"Everton": {"Unibet": 3.48}}, period=1)
    cells = (("moneyline", "none"), ("total", "none"), ("total", "1"))
    made.board.set_bands({BandKey("Football", *cell): Band(0.01, 100) for cell in cells})
    made.load()
    return made


def leg(game: QuotedGame, selection: str, market_type: str = "total", period: int = 0) -> SlipLeg:
    return SlipLeg(RowKey(game.id, market_type, period, selection, "Unibet"))


def test_a_leg_has_the_fair_odds_of_its_row(game: QuotedGame) -> None:
    own = leg_price(game.board, leg(game, "Everton", "moneyline"))
    fair = devig(game.board.method, (3.29, 3.36, 2.31)).fair_odds[0]
    assert (own.fair_odds, own.band, own.side) == (pytest.approx(fair), 0, "home")
    modelled = leg_price(game.board, leg(game, "Over 3.5"))
    assert modelled.band == 0.01
    assert modelled.fair_odds is not None
    assert modelled.fair_odds > 2.9


@pytest.mark.parametrize(
    ("selection", "period", "why"),
    [("Over 9.5", 0, "no bookmaker prices it now"), ("Everton", 1, "no other line of this period")],
)
def test_a_leg_without_fair_odds_says_why(
    game: QuotedGame, selection: str, period: int, why: str
) -> None:
    market_type = "moneyline" if period else "total"
    found = leg_price(game.board, leg(game, selection, market_type, period))
    assert (found.fair_odds, found.why_not.startswith(why)) == (None, True)


def test_legs_of_one_game_are_modelled_only_if_the_user_wants_models(game: QuotedGame) -> None:
    legs = [leg(game, "Everton", "moneyline"), leg(game, "Over 2.5")]
    found = price_slip(game.board, legs)
    assert found.is_modelled
    assert found.fair_odds is not None
    game.board.set_derived("implied")
    assert price_slip(game.board, legs).why_not == (
        "Everton and Over 2.5 are on one game: modelled odds are turned off"
    )
    game.board.set_derived("all")
    game.board.choose_reference("consensus")
    assert price_slip(game.board, legs).why_not.endswith("a consensus is not modelled")


@pytest.fixture
def german() -> Iterator[None]:
    use_language("de")
    choose_numbers(Style(COMMA))
    yield
    use_language(ENGLISH)


def test_reasons_name_legs_in_the_language(game: QuotedGame, german: None) -> None:
    legs = [leg(game, "Draw", "moneyline"), leg(game, "Over 2.5"), leg(game, "Over 3.5")]
    game.board.set_derived("implied")
    assert translated(price_slip(game.board, legs).why_not) == (
        "Unentschieden und Über 3,5 sind auf einem Spiel: modellierte Quoten sind abgeschaltet"
    )
    (note,) = price_slip(game.board, legs).notes
    assert note.startswith("Über 2,5 wins whenever Über 3,5 does")
    assert legs[1].key.selection == "Over 2.5"
