"""Weights of votes that are learned from results, on made-up seasons with known truth."""

import math
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.consensus import LogitPool, Voices, Vote
from oddsdesk.pricing.devig import devig
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.research.learned_weights import (
    BLOCKS,
    LEAST_GAMES,
    ClosedGroup,
    ClosedVote,
    LearnedMarket,
    MarketKey,
    TooFew,
    fit_market,
    folds_of,
    opinions_of,
)

MARKET = MarketKey("Football", "moneyline", 0)
SIDES = ("A", "Draw", "B")
METHOD = "multiplicative"
SHARP = "Sharp"
CROWD = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
DAY = 24 * 3_600_000
SEASONS = tuple(parse_ms(f"{year}-08-15T15:00:00Z") for year in (2021, 2022, 2023, 2024))


def games(
    noise: dict[str, float], seed: int = 1, per_season: int = 300, margin: float = 1.05
) -> Iterator[ClosedGroup]:
    """Yield games whose bookmakers know the true chances up to some noise in log odds."""
    random = Random(seed)
    for number in range(len(SEASONS) * per_season):
        strengths = [math.exp(random.gauss(0, 0.6)) for _ in SIDES]
        chances = [each / sum(strengths) for each in strengths]
        winner = random.choices(range(len(SIDES)), chances)[0]
        votes = [
            ClosedVote(name, SIDES, said(chances, spread, random, margin), winner, 1.0)
            for name, spread in noise.items()
        ]
        begins = SEASONS[number // per_season] + number % per_season * DAY
        yield ClosedGroup(MARKET, number, begins, votes)


def said(
    chances: Sequence[float], spread: float, random: Random, margin: float
) -> tuple[float, ...]:
    raised = [each * math.exp(random.gauss(0, spread)) for each in chances]
    return tuple(sum(raised) / each / margin for each in raised)


def fitted(groups: list[ClosedGroup], profiles: Profiles | None = None) -> LearnedMarket:
    known = profiles or Profiles()
    found = fit_market(MARKET, groups, SHARP, METHOD, known, Voices(known))
    assert isinstance(found, LearnedMarket)
    return found


SHARP_SEASON = dict.fromkeys(CROWD, 0.25) | {SHARP: 0.02}


def test_a_planted_sharp_bookmaker_gets_the_weight() -> None:
    found = fitted(list(games(SHARP_SEASON)))
    share = found.found.weights[SHARP] / sum(found.found.weights.values())
    assert share > 0.5
    assert found.found.is_better
    assert found.gain_vs_equal.low is not None
    assert found.gain_vs_equal.low > 0


def test_equals_stay_near_equal_and_are_not_used() -> None:
    for seed in range(3):
        found = fitted(list(games(dict.fromkeys((*CROWD, SHARP), 0.1), seed)))
        assert not found.found.is_better
        assert all(0.3 < weight < 2.5 for weight in found.found.weights.values())
        assert "equal weights are used" in found.verdict_text


def test_the_verdict_says_if_the_reference_alone_is_better() -> None:
    found = fitted(list(games(dict.fromkeys(CROWD, 0.35) | {SHARP: 0.02})))
    assert found.found.is_better
    assert found.gain_vs_reference.high is not None
    assert found.gain_vs_reference.high < 0
    assert found.verdict_text == "learned weights are used, but Sharp alone is better"


def test_the_weights_of_a_fold_never_see_its_games() -> None:
    """A planted leak: what happens in a season changes the weights of all folds but its own."""
    before = list(games(SHARP_SEASON, per_season=100))
    leaked = [
        group._replace(votes=[v._replace(winner=(v.winner + 1) % 3) for v in group.votes])
        if group.begins >= SEASONS[-1]
        else group
        for group in before
    ]
    known, planted = fitted(before).folds, fitted(leaked).folds
    assert [fold.name for fold in known] == ["2021/22", "2022/23", "2023/24", "2024/25"]
    assert known[-1].weights == planted[-1].weights
    assert all(a.weights != b.weights for a, b in zip(known[:-1], planted[:-1], strict=True))


def test_losses_are_those_of_the_live_consensus() -> None:
    """Counted a second time, game by game, with the pool that a board uses."""
    groups = list(games(SHARP_SEASON, per_season=50))
    found, losses, equal = fitted(groups), [], []
    by_season = {SEASONS[place]: fold.weights for place, fold in enumerate(found.folds)}
    for group in groups:
        opinion = opinions_of(group, METHOD, Profiles(), Voices(Profiles()))
        if opinion is None or SHARP not in opinion[1]:
            continue  # losses are over the lines of the sharp book
        weights = by_season[max(each for each in SEASONS if each <= group.begins)]
        votes = [
            Vote(each.bookmaker, devig(METHOD, each.odds).probabilities)
            for each in group.votes
            if each.bookmaker in opinion[1]
        ]
        winner = group.votes[0].winner
        weighed = [vote._replace(weight=weights[vote.group]) for vote in votes]
        for votes_of, into in ((weighed, losses), (votes, equal)):
            pooled = LogitPool(votes_of).chances()
            assert pooled is not None
            into.append(-math.log(pooled[winner]))
    assert found.log_loss.figure == pytest.approx(math.fsum(losses) / len(losses), abs=2e-4)
    assert found.equal_log_loss.figure == pytest.approx(math.fsum(equal) / len(equal), abs=1e-9)


def test_few_games_leave_weights_near_equal() -> None:
    few = fitted(list(games(SHARP_SEASON, per_season=30))).found.weights
    many = fitted(list(games(SHARP_SEASON, per_season=400))).found.weights
    assert 1 < few[SHARP] < many[SHARP]


def test_too_few_games_teach_nothing() -> None:
    groups = list(games(dict.fromkeys((*CROWD, SHARP), 0.01)))[: LEAST_GAMES - 1]
    known = Profiles()
    found = fit_market(MARKET, groups, SHARP, METHOD, known, Voices(known))
    assert found == TooFew(MARKET, LEAST_GAMES - 1)


def test_the_same_games_give_the_same_weights() -> None:
    groups = list(games(SHARP_SEASON, per_season=50))
    assert fitted(groups) == fitted(groups)


def test_brands_of_one_operator_share_a_weight() -> None:
    brands = [Profile(name=name, group="Two brands") for name in ("Alpha", "Beta")]
    weights = fitted(list(games(SHARP_SEASON, per_season=50)), Profiles(brands)).found.weights
    assert weights["Alpha"] == weights["Beta"]


def test_unusable_lines_do_not_vote() -> None:
    group = next(games(SHARP_SEASON))
    worst = {
        "Margin": (1.5, 2.5, 2.5),
        "Below": (4.0, 4.0, 4.0),
        "Empty": (1.01, 1.01, 900.0),
        "Switched": tuple(reversed(group.votes[0].odds)),
    }
    winner = group.votes[0].winner
    more = [ClosedVote(name, SIDES, odds, winner, 1.0) for name, odds in worst.items()]
    more.append(ClosedVote("Two-way", ("A", "B"), (1.9, 1.9), 0, 1.0))
    known = Profiles()
    found = opinions_of(group._replace(votes=[*group.votes, *more]), METHOD, known, Voices(known))
    assert found is not None
    assert not {"Margin", "Below", "Empty", "Two-way"} & set(found[1])


def test_folds_are_seasons_or_blocks_of_time() -> None:
    years = [at + day * DAY for at in SEASONS for day in range(10)]
    assert set(folds_of(years)) == {"2021/22", "2022/23", "2023/24", "2024/25"}
    one = [SEASONS[0] + day * DAY for day in range(100)]
    folds = folds_of(one)
    assert folds == sorted(folds)
    assert [folds.count(f"block {number}") for number in range(1, BLOCKS + 1)] == [20] * BLOCKS
