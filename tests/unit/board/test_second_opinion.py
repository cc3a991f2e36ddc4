"""Who has a vote on a price, and what they say together, counted a second time by hand."""

import math
from statistics import fmean

import pytest

from oddsdesk.board.explaining import ConsensusFigure, NoFairOdds, explain
from oddsdesk.board.explanation_text import explanation_text
from oddsdesk.board.matrix import RowKey
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.quoted_game import REFERENCE, QuotedGame

OVER, UNDER = "Over 2.5", "Under 2.5"
ODDS = {
    REFERENCE: (1.95, 1.97),
    "Alpha": (1.90, 1.92),
    "Beta": (2.00, 1.85),
    "Gamma": (1.87, 1.98),
    "Delta": (2.30, 1.95),
}


def game(odds: dict[str, tuple[float, ...]] = ODDS) -> QuotedGame:
    made = QuotedGame()
    rows = {OVER: {}, UNDER: {}}
    for name, prices in odds.items():
        rows |= {
            text: rows[text] | {name: price} for text, price in zip(rows, prices, strict=False)
        }
    made.quote("total", rows)
    made.board.name_reference(REFERENCE)
    made.load()
    return made


def opinion(
    made: QuotedGame, bookmaker: str | None, selection: str = OVER
) -> ConsensusFigure | None:
    key = RowKey(made.id, "total", 0, selection, bookmaker)
    said = explain(made.board, key, made.clock())
    assert said is not None
    return said.consensus


def fair_by_hand(*names: str) -> float:
    """Of two outcomes: take half the margin off each chance, pool the log-odds."""
    logits = []
    for name in names:
        over, under = (1 / odds for odds in ODDS[name])
        chance = over - (over + under - 1) / 2
        logits.append(math.log(chance / (1 - chance)))
    return 1 + math.exp(-fmean(logits))


def test_the_others_without_the_reference_say_what_a_price_is_worth() -> None:
    found = opinion(game(), "Delta")
    assert found is not None
    fair = fair_by_hand("Alpha", "Beta", "Gamma")
    assert (found.groups, found.fair_odds) == (3, pytest.approx(fair))
    assert found.ev_pct == pytest.approx((2.30 / (fair * 1.01) - 1) * 100)


def test_of_the_reference_all_others_speak() -> None:
    found = opinion(game(), None)
    assert found is not None
    assert found.groups == 4


def test_a_selection_that_the_reference_does_not_price_has_an_opinion_too() -> None:
    made = game({name: prices for name, prices in ODDS.items() if name != REFERENCE})
    said = explain(made.board, RowKey(made.id, "total", 0, OVER, "Delta"), made.clock())
    assert said is not None
    assert said.no_fair_odds is NoFairOdds.NO_REFERENCE
    assert said.consensus is not None
    fair = f"{fair_by_hand('Alpha', 'Beta', 'Gamma'):.4f}"
    assert f"Consensus of 3 others: fair {fair}" in explanation_text(said)


def test_two_others_are_too_few() -> None:
    assert opinion(game({k: v for k, v in ODDS.items() if k != "Gamma"}), "Delta") is None


def test_half_a_line_has_no_vote() -> None:
    assert opinion(game(ODDS | {"Gamma": (1.87,)}), "Delta") is None


def test_skins_of_one_operator_are_one_voice_and_the_prices_own_none() -> None:
    made = game(ODDS | {"Epsilon": (1.91, 1.93)})
    made.board.set_profiles(Profiles([Profile(name="Epsilon", group="Alpha")]))
    found = opinion(made, "Delta")
    assert found is not None
    assert found.groups == 3
    made.board.set_profiles(Profiles([Profile(name="Epsilon", group="Delta")]))
    again = opinion(made, "Delta")
    assert again is not None
    assert again.fair_odds == pytest.approx(fair_by_hand("Alpha", "Beta", "Gamma"))


def test_a_weight_is_that_of_a_vote() -> None:
    made = game()
    names = ("Alpha", "Beta", "Gamma")
    heavy = [Profile(name=name, group=name, weight=float(name == "Beta")) for name in names]
    made.board.set_profiles(Profiles(heavy))
    assert opinion(made, "Delta") is None
    heavy[0] = Profile(name="Alpha", group="Alpha", weight=1e-12)
    heavy[2] = Profile(name="Gamma", group="Gamma", weight=1e-12)
    made.board.set_profiles(Profiles(heavy))
    found = opinion(made, "Delta")
    assert found is not None
    assert found.fair_odds == pytest.approx(fair_by_hand("Beta"))


def test_prices_that_are_stale_gone_or_in_play_alone_have_no_vote() -> None:
    made = game()
    made.tell("Gamma", "total", OVER, 1.88, is_live=True)
    made.tell("Delta", "total", OVER, 2.30, is_live=False)
    assert opinion(made, "Delta") is None
    made = game()
    made.clock.now += 3_600_000
    for name in (REFERENCE, "Beta", "Gamma", "Delta"):
        made.tell(name, "total", OVER, ODDS[name][0])
        made.tell(name, "total", UNDER, ODDS[name][1])
    made.board.sweep()
    assert opinion(made, "Delta") is None
