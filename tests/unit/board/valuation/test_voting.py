"""Who has a vote on a price, and what they say together, counted a second time by hand."""

import math
from statistics import fmean

import pytest

from oddsdesk.board.model.basis import CONSENSUS, LEARNED
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.closing_lines import pooled_sighting
from oddsdesk.board.valuation.explaining import ConsensusFigure, Explanation, NoFairOdds, explain
from oddsdesk.board.valuation.pool import Silence
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.pricing.consensus import LearnedWeights, MarketWeights
from oddsdesk.pricing.devig import DEFAULT_METHOD
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


def opinion(made: QuotedGame, bookmaker: str, selection: str = OVER) -> ConsensusFigure | None:
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
    assert found.ev == pytest.approx((2.30 / fair - 1) * 100)


def test_of_the_reference_all_others_speak() -> None:
    found = opinion(game(ODDS | {"Delta": (1.96, 1.88)}), REFERENCE)
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


RESULT = ("Everton", "Draw", "Liverpool")
HONEST = {
    "Bet365": (2.1, 3.4, 3.6),
    "William Hill": (2.08, 3.4, 3.6),
    "Unibet": (2.12, 3.45, 3.55),
    "bwin": (2.1, 3.35, 3.55),
    "1xBet": (2.15, 3.45, 3.65),
}


def by_consensus(odds: dict[str, tuple[float, float, float]]) -> QuotedGame:
    """The match result as bookmakers price it, judged by all together."""
    made = QuotedGame()
    made.quote(
        "moneyline",
        {
            side: {name: prices[place] for name, prices in odds.items()}
            for place, side in enumerate(RESULT)
        },
    )
    made.board.want_values(True)
    made.board.choose_reference(CONSENSUS)
    made.load()
    return made


def explained(made: QuotedGame, bookmaker: str, selection: str = "Liverpool") -> Explanation:
    said = explain(made.board, RowKey(made.id, "moneyline", 0, selection, bookmaker), made.clock())
    assert said is not None
    return said


def left_out(made: QuotedGame, bookmaker: str) -> dict[str, Silence]:
    return {each.bookmaker: each.why for each in explained(made, bookmaker).left_out}


def fair_of_three(*names: str) -> float:
    """Of the away win: the margin off in equal shares, log-odds pooled and renormalised."""
    pooled = []
    for place in range(3):
        logits = []
        for name in names:
            margin = sum(1 / odds for odds in HONEST[name]) - 1
            chance = 1 / HONEST[name][place] - margin / 3
            logits.append(math.log(chance / (1 - chance)))
        pooled.append(1 / (1 + math.exp(-fmean(logits))))
    return sum(pooled) / pooled[2]


def test_placeholders_of_an_empty_book_have_no_vote() -> None:
    three = {name: HONEST[name] for name in ("Bet365", "William Hill", "Unibet")}
    made = by_consensus(three | {"Exchange": (1.01, 1.01, 1.01)})
    assert not any(bet.is_value for bet in made.board.value_bets.values())
    assert left_out(made, "Bet365") == {"Exchange": Silence.PLACEHOLDER}
    assert explained(made, "Bet365").no_fair_odds is NoFairOdds.TOO_FEW


def test_switched_sides_are_an_outlier_and_make_nothing_value() -> None:
    made = by_consensus(HONEST | {"Betsson": (3.6, 3.4, 2.1)})
    assert not any(bet.is_value for bet in made.board.value_bets.values())
    said = explained(made, "1xBet")
    assert said.assessment.fair_odds == pytest.approx(
        fair_of_three("Bet365", "William Hill", "Unibet", "bwin"), rel=1e-9
    )
    (odd,) = said.left_out
    assert (odd.bookmaker, odd.why) == ("Betsson", Silence.OUTLIER)
    assert odd.reason_text.startswith("outlier: ")
    assert f"No vote: Betsson, {odd.reason_text}" in explanation_text(said)


@pytest.mark.parametrize(
    ("odds", "why"),
    [
        ((1.7, 2.7, 2.9), Silence.MARGIN),
        ((2.3, 3.7, 3.9), Silence.BELOW_100),
        ((2.1, 3.4), Silence.PARTIAL),
        ((1.02, 1.01, 90.0), Silence.PLACEHOLDER),
    ],
)
def test_a_line_that_is_no_opinion_has_no_vote(odds: tuple[float, ...], why: Silence) -> None:
    made = QuotedGame()
    said = HONEST | {"Odd": odds}
    made.quote(
        "moneyline",
        {
            side: {name: prices[place] for name, prices in said.items() if place < len(prices)}
            for place, side in enumerate(RESULT)
        },
    )
    made.board.choose_reference(CONSENSUS)
    made.load()
    assert left_out(made, "Bet365") == {"Odd": why}


def test_a_price_too_good_to_be_true_has_no_vote() -> None:
    made = by_consensus(
        {name: (1.5, 4.4, 7.0 + 0.1 * number) for number, name in enumerate(HONEST)}
        | {"Giver": (1.47, 4.2, 8.8)}
    )
    assert left_out(made, "Bet365") == {"Giver": Silence.TOO_GOOD}
    (bet,) = (bet for key, bet in made.board.value_bets.items() if key.bookmaker == "Giver")
    assert not bet.is_value


def test_who_votes_does_not_depend_on_the_reference() -> None:
    made = by_consensus(HONEST | {"Betsson": (3.6, 3.4, 2.1)})
    together = left_out(made, "1xBet")
    for reference in ("Unibet", "Betsson", "Bet365"):
        made.board.choose_reference(reference)
        assert left_out(made, "1xBet") == together
    by_bet365 = explained(made, "1xBet").consensus
    assert by_bet365 is not None
    assert by_bet365.fair_odds == pytest.approx(fair_of_three("William Hill", "Unibet", "bwin"))


def test_brands_of_one_supplier_share_a_vote_and_the_user_can_set_one_apart() -> None:
    brands = dict.fromkeys(("Casumo", "betPARX", "Bally Bet"), HONEST["Bet365"])
    made = by_consensus(HONEST | brands)
    clients = [Profile(name=name, group=name, supplier="Kambi") for name in brands]
    made.board.set_profiles(Profiles(clients))
    said = explained(made, "1xBet")
    assert (said.votes, len(said.voters)) == (5, 7)
    assert "one vote (" in explanation_text(said)
    own = explained(made, "Casumo")
    assert left_out(made, "Casumo") == {"betPARX": Silence.OWN, "Bally Bet": Silence.OWN}
    assert own.votes == 5
    apart = Profile(name="Casumo", group="Casumo", supplier="Casumo")
    made.board.set_profiles(Profiles([apart, *clients[1:]]))
    assert explained(made, "1xBet").votes == 6


def test_suppliers_are_found_on_the_board_as_prices_come() -> None:
    made = QuotedGame()
    totals = {
        f"{side} {line}.5": {
            name: round(price + 0.01 * line + spread, 2)
            for name, spread in (("A", 0.0), ("B", 0.0), ("C", 0.03), ("D", 0.02), ("E", 0.04))
        }
        for line in range(30)
        for side, price in (("Over", 1.8), ("Under", 1.9))
    }
    made.quote("total", totals)
    made.board.choose_reference(CONSENSUS)
    made.load()
    key = RowKey(made.id, "total", 0, "Over 2.5", "D")
    before = explain(made.board, key, made.clock())
    made.board.sweep()
    after = explain(made.board, key, made.clock())
    assert before is not None
    assert after is not None
    assert (before.votes, after.votes) == (4, 3)
    assert made.board.basis.voices.voice_of("A") == made.board.basis.voices.voice_of("B") == "A / B"
    assert after.ev != before.ev, "what was judged before is judged again"


@pytest.mark.parametrize("chosen", ["", CONSENSUS, LEARNED, "bwin"])
def test_every_bookmaker_votes_or_is_left_out_with_a_reason(chosen: str) -> None:
    odd = {
        "Empty": (1.01, 1.01, 90.0),
        "Wide": (1.7, 2.7, 2.9),
        "Crossed": (2.3, 3.7, 3.9),
        "Switched": (3.6, 3.4, 2.1),
        "Slow (delayed)": HONEST["bwin"],
        "Silent": HONEST["bwin"],
        "Skin": HONEST["Bet365"],
    }
    made = by_consensus(HONEST | odd)
    silent, skin = Profile(name="Silent", group="s", weight=0), Profile(name="Skin", group="Bet365")
    made.board.set_profiles(Profiles([silent, skin]))
    made.board.set_learned(LearnedWeights([learned("moneyline", dict.fromkeys(HONEST, 1.0))]))
    made.board.choose_reference(chosen)
    for name in HONEST | odd:
        said = explained(made, name)
        without = {each.bookmaker for each in said.left_out}
        if chosen in (CONSENSUS, LEARNED):
            voting = {each.bookmaker for each in said.voters}
            assert voting | without | {name} == set(HONEST | odd)
            assert not voting & without
        never = {"Empty", "Wide", "Crossed", "Switched", "Slow (delayed)", "Silent"}
        assert never - {name} <= without
        assert all(each.reason_text for each in said.left_out)


def learned(market_type: str, weights: dict[str, float], **fields: object) -> MarketWeights:
    of = {
        "sport": "Football",
        "market_type": market_type,
        "period": 0,
        "method": DEFAULT_METHOD,
        "weights": weights,
        "games": 1_000,
        "first_day": "2023-08-11",
        "last_day": "2025-05-25",
        "reference": REFERENCE,
        "gain": 0.002,
        "gain_low": 0.001,
        "gain_high": 0.003,
        "is_better": True,
    }
    return MarketWeights(**(of | fields))


def by_learned(**fields: object) -> QuotedGame:
    made = game()
    weights = {"alpha": 2.0, "Beta": 0.5, "Gamma": 0.5}
    made.board.set_learned(LearnedWeights([learned("total", weights, **fields)]))
    made.board.choose_reference(LEARNED)
    return made


def explained_total(made: QuotedGame, bookmaker: str) -> Explanation:
    said = explain(made.board, RowKey(made.id, "total", 0, OVER, bookmaker), made.clock())
    assert said is not None
    return said


def test_learned_weights_are_those_of_the_votes() -> None:
    said = explained_total(by_learned(), "Delta")
    assert said.reference == "Consensus (learned)"
    alpha = math.log(1 / (fair_by_hand("Alpha") - 1))
    others = [math.log(1 / (fair_by_hand(name) - 1)) for name in ("Beta", "Gamma")]
    pooled = (2 * alpha + 0.5 * sum(others)) / 3
    assert said.assessment.fair_odds == pytest.approx(1 + math.exp(-pooled))
    assert {vote.bookmaker: vote.weight for vote in said.voters} == {
        "Alpha": 2,
        "Beta": 0.5,
        "Gamma": 0.5,
    }
    silent = {each.bookmaker: each.why for each in said.left_out}
    assert silent == {REFERENCE: Silence.UNMEASURED, "Delta": Silence.BELOW_100}
    assert "Weights: learned from 1,000 games up to 2025-05-25" in explanation_text(said)


def test_too_few_learned_votes_leave_the_line_to_equal_weights() -> None:
    """Without its own vote, two of the three are left to judge Alpha's price."""
    said = explained_total(by_learned(), "Alpha")
    assert said.assessment.fair_odds == pytest.approx(fair_by_hand(REFERENCE, "Beta", "Gamma"))
    assert said.learned == "equal weights: too few bookmakers with a learned weight"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"is_better": False}, "learned ones were not clearly better here"),
        ({"method": "shin"}, "learned with the devig method shin"),
        ({"period": 1}, "none were learned for this market"),
        ({"sport": "Tennis"}, "none were learned for this market"),
    ],
)
def test_weights_are_used_only_where_they_are_better(fields: dict[str, object], why: str) -> None:
    said = explained_total(by_learned(**fields), "Delta")
    assert said.assessment.fair_odds == pytest.approx(
        fair_by_hand(REFERENCE, "Alpha", "Beta", "Gamma")
    )
    assert said.learned == f"equal weights: {why}"


def test_only_the_learned_consensus_has_learned_weights() -> None:
    made = by_learned()
    made.board.choose_reference(CONSENSUS)
    said = explained_total(made, "Delta")
    assert said.learned == ""
    assert said.assessment.fair_odds == pytest.approx(
        fair_by_hand(REFERENCE, "Alpha", "Beta", "Gamma")
    )
    made.board.choose_reference(LEARNED)
    section = made.board.section(made.id, "total", 0, OVER)
    assert section is not None
    close = pooled_sighting([section], made.board.basis, "Delta")
    assert close is not None, "closing lines use equal weights with every reference"
    assert close.odds[OVER] == pytest.approx(fair_by_hand(REFERENCE, "Alpha", "Beta", "Gamma"))
