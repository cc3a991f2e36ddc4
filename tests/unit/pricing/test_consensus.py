"""The laws of pooling chances, and a worked example by plain arithmetic."""

import math
import operator
from fractions import Fraction
from itertools import combinations
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.consensus import (
    LEAST_SHARED,
    LEAST_VOTES,
    Consensus,
    LogitPool,
    Suppliers,
    Voices,
    Vote,
    consensus,
    outliers,
)
from oddsdesk.pricing.profiles import Profile, Profiles

shares = st.lists(st.integers(1, 60), min_size=3, max_size=3).map(
    lambda parts: tuple(part / sum(parts) for part in parts)
)
votes = st.lists(
    st.builds(
        Vote,
        st.sampled_from("abcdef"),
        shares,
        st.sampled_from([0.5, 1.0, 3.0]),
        logits=st.just(()),
    ),
    min_size=1,
    max_size=12,
)


def groups_of(cast: list[Vote]) -> set[str]:
    return {vote.group for vote in cast}


@given(votes)
def test_chances_sum_to_one(cast: list[Vote]) -> None:
    found = consensus(cast)
    if len(groups_of(cast)) < LEAST_VOTES:
        assert found is None
        return
    assert found is not None
    assert found.groups == len(groups_of(cast))
    assert math.fsum(found.chances) == pytest.approx(1, abs=1e-12)


@given(st.lists(st.integers(1, 99), min_size=LEAST_VOTES, max_size=9))
def test_of_two_outcomes_the_chance_lies_between_what_was_said(percents: list[int]) -> None:
    said = [percent / 100 for percent in percents]
    found = consensus([Vote(str(place), (one, 1 - one)) for place, one in enumerate(said)])
    assert found is not None
    assert min(said) - 1e-9 <= found.chances[0] <= max(said) + 1e-9


@given(votes, st.permutations(range(3)))
def test_neither_the_order_of_votes_nor_of_outcomes_matters(
    cast: list[Vote], order: list[int]
) -> None:
    turned = [
        vote._replace(chances=tuple(vote.chances[place] for place in order))
        for vote in reversed(cast)
    ]
    one, other = consensus(cast), consensus(turned)
    if one is None or other is None:
        assert one is other
        return
    assert other.chances == pytest.approx([one.chances[place] for place in order])


@given(votes, shares)
def test_a_group_has_one_vote_however_many_skins_it_has(
    cast: list[Vote], said: tuple[float, ...]
) -> None:
    alone = consensus([*cast, Vote("skins", said)])
    doubled = consensus([*cast, *[Vote("skins", said)] * 5])
    if alone is None or doubled is None:
        assert alone is doubled
        return
    assert doubled.groups == alone.groups
    assert doubled.chances == pytest.approx(alone.chances)


@given(shares, st.integers(LEAST_VOTES, 9))
def test_who_agrees_is_agreed_with(said: tuple[float, ...], count: int) -> None:
    found = consensus([Vote(str(number), said) for number in range(count)])
    assert found is not None
    assert found.chances == pytest.approx(said)


def test_two_outcomes_by_hand() -> None:
    """Odds for: 1, 4 and 16 to 1, their geometric mean is 4; with weights 2, 1, 1 it is 2^1.5."""
    cast = [
        Vote(group, (odds / (odds + 1), 1 / (odds + 1)))
        for group, odds in zip("abc", (1, 4, 16), strict=True)
    ]
    found = consensus(cast)
    assert found is not None
    assert found.chances == pytest.approx((Fraction(4, 5), Fraction(1, 5)))
    weighted = consensus([cast[0]._replace(weight=2.0), *cast[1:]])
    assert weighted is not None
    assert weighted.chances[0] / weighted.chances[1] == pytest.approx(2**1.5)


def test_who_has_no_weight_has_no_vote() -> None:
    cast = [Vote(group, (0.5, 0.5)) for group in "abc"]
    silent = Vote("d", (0.9, 0.1), 0.0)
    assert consensus([*cast, silent]) == consensus(cast)
    assert consensus([*cast[:2], silent]) is None


@given(st.lists(st.tuples(st.floats(0.02, 0.98), st.floats(0.1, 5)), min_size=2, max_size=6))
def test_what_is_said_without_a_group_is_what_the_others_say(
    said: list[tuple[float, float]],
) -> None:
    votes = [Vote(str(place), (p, 1 - p), w) for place, (p, w) in enumerate(said)]
    pool = LogitPool(votes)
    for place, vote in enumerate(votes):
        others = votes[:place] + votes[place + 1 :]
        assert pool.chances(without=vote.group) == LogitPool(others).chances()


def test_one_vote_alone_is_a_consensus_where_one_is_enough() -> None:
    assert consensus([Vote("A", (0.3, 0.7))], least=1) == Consensus((0.3, 0.7), 1)


extreme = st.floats(1e-300, 1 - 1e-15).map(lambda chance: (chance, (1 - chance) / 2, 0.5))
"""Chances as a method may give them: they need not sum to 1."""


skewed = st.builds(
    Vote,
    st.sampled_from("abcdef"),
    shares | extreme,
    st.sampled_from([0.5, 3.0]),
    logits=st.just(()),
)


@given(st.lists(skewed, min_size=1, max_size=8))
def test_no_chance_is_above_the_most_whoever_is_left_out(cast: list[Vote]) -> None:
    pool = LogitPool(cast)
    for without in ("", *pool.groups):
        said = pool.chances(without)
        assert said is None or all(map(operator.le, said, pool.most_chances()))


def test_the_most_that_many_say_is_hardly_above_what_they_say() -> None:
    pool = LogitPool([Vote(str(one), (0.48 + one / 500, 0.52 - one / 500)) for one in range(20)])
    assert pool.most_chances()[0] < 1.01 * (pool.chances() or [0.0])[0]


def two_way(*percents: float, groups: str = "abcdefghijkl") -> list[Vote]:
    return [
        Vote(group, (each / 100, 1 - each / 100))
        for group, each in zip(groups, percents, strict=False)
    ]


def far_by_hand(cast: list[Vote], place: int) -> bool:
    """Whether a vote is an outlier by the words of the rule, with other means."""
    others: dict[str, list[Vote]] = {}
    for vote in cast:
        if vote.group != cast[place].group:
            others.setdefault(vote.group, []).append(vote)
    for side, chance in enumerate(cast[place].chances):
        logits = [
            fmean(math.log(vote.chances[side]) - math.log1p(-vote.chances[side]) for vote in each)
            for each in others.values()
        ]
        middle = median(logits)
        off = median(abs(logit - middle) for logit in logits)
        own = math.log(chance) - math.log1p(-chance)
        points = chance - 1 / (1 + math.exp(-middle))
        if abs(own - middle) > 4 * off + 1e-12 and abs(points) > 0.03 + 1e-12:
            return True
    return False


@given(votes)
def test_outliers_are_those_of_the_rule_s_words(cast: list[Vote]) -> None:
    found = outliers(cast)
    if len(groups_of(cast)) < 4:
        assert not found
        return
    assert set(found) == {place for place in range(len(cast)) if far_by_hand(cast, place)}


def test_a_switched_line_is_an_outlier_and_close_ones_are_not() -> None:
    found = outliers(two_way(62, 61, 60.5, 63, 38))
    assert set(found) == {4}
    assert (found[4].chance, round(found[4].others, 3)) == (pytest.approx(0.38), 0.615)
    assert not outliers(two_way(50, 50, 50, 52.9))
    assert set(outliers(two_way(50, 50, 50, 53.1))) == {3}, "where others agree, points decide"
    assert not outliers(two_way(50, 53, 56, 60)), "wide apart, none is far from the others"


def test_three_voices_are_too_few_to_tell_an_outlier() -> None:
    assert not outliers(two_way(60, 60, 30))
    assert not outliers(two_way(60, 60, 60, 30, groups="aabc"))


def test_one_supplier_s_eight_skins_do_not_make_the_others_outliers() -> None:
    cast = two_way(*[50] * 8, 57, 57.5, 58, 57, groups="aaaaaaaabcde")
    assert set(outliers(cast)) == set(range(8))


def test_one_bad_side_of_three_leaves_the_whole_line_out() -> None:
    sure = [Vote(name, (0.5, 0.3, 0.2)) for name in "abcd"]
    assert set(outliers([*sure, Vote("e", (0.5, 0.26, 0.24))])) == {4}


PRICES = st.sampled_from([(1.9, 1.9), (1.8, 2.0), (2.1, 1.75)])
boards = st.lists(
    st.dictionaries(st.sampled_from("ABCD"), PRICES, min_size=1), min_size=1, max_size=12
)


def compared(lines: list[dict[str, tuple[float, float]]]) -> Suppliers:
    found = Suppliers()
    for number, odds_of in enumerate(lines):
        found.compare(number, odds_of, 1_000 + number)
    return found


def lines_of(identical: int, shared: int) -> list[dict[str, tuple[float, float]]]:
    """Lines of two bookmakers that are the same but for the last ones."""
    return [
        {"A": (1.8, 2.0), "B": (1.8, 2.0 if number < identical else 2.01)}
        for number in range(shared)
    ]


@given(boards)
def test_pairs_are_what_counting_line_by_line_gives(
    lines: list[dict[str, tuple[float, float]]],
) -> None:
    found = {(pair.one, pair.other): pair for pair in compared(lines).pairs()}
    for one, other in combinations("ABCD", 2):
        both = [
            (number, line[one] == line[other])
            for number, line in enumerate(lines)
            if line.get(one, (1.9, 1.9)) != (1.9, 1.9) != line.get(other, (1.9, 1.9))
        ]
        same = [number for number, is_same in both if is_same]
        pair = found.get((one, other))
        assert (pair is None) == (not same)
        if pair is not None:
            assert (pair.shared, pair.identical) == (len(both), len(same))
            assert (pair.first_ms, pair.last_ms) == (1_000 + same[0], 1_000 + same[-1])


def test_80_percent_of_30_lines_are_one_supplier_and_less_of_either_is_none() -> None:
    assert compared(lines_of(24, LEAST_SHARED)).found == {("A", "B")}
    assert not compared(lines_of(23, LEAST_SHARED)).found
    assert not compared(lines_of(29, 29)).found


def test_a_price_that_is_the_same_on_every_side_is_no_evidence() -> None:
    lines = [{"A": (1.91, 1.91), "B": (1.91, 1.91)} for _ in range(100)]
    assert not compared(lines).pairs()


def test_a_line_counts_once_for_a_pair_however_often_it_is_compared() -> None:
    found = Suppliers()
    for _ in range(50):
        found.compare("line", {"A": (1.8, 2.0), "B": (1.8, 2.0)}, 0)
    found.compare("line", {"A": (1.7, 2.0), "B": (1.8, 2.0), "C": (1.8, 2.0)}, 9)
    said = [(pair.one, pair.other, pair.shared, pair.identical) for pair in found.pairs()]
    assert said == [("A", "B", 1, 1), ("B", "C", 1, 1)]


def test_memory_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr("oddsdesk.pricing.consensus.MOST_LINES", 10)
    (pair,) = compared(lines_of(40, 40)).pairs()
    assert pair.shared == 10


def test_a_vote_is_shared_by_operator_by_supplier_and_by_what_was_found() -> None:
    profiles = Profiles(
        [
            Profile(name="Skin", group="Operator"),
            Profile(name="Other skin", group="Operator", supplier="Feed"),
            Profile(name="Client", group="Client", supplier="Feed"),
            Profile(name="Loner", group="Loner"),
            Profile(name="Proud", group="Proud", supplier="Proud"),
        ]
    )
    voices = Voices(profiles)
    assert {voices.voice_of(name) for name in ("Skin", "Other skin", "Client")} == {"Feed"}
    assert (voices.voice_of("Loner"), voices.voice_of("Proud"), voices.voice_of("New")) == (
        "Loner",
        "Proud",
        "New",
    )
    pairs = {("Client", "New"), ("Loner", "Proud"), ("Loner", "Late")}
    voices = Voices(profiles, pairs)
    assert {voices.voice_of(name) for name in ("Skin", "Client", "New")} == {"Feed"}
    assert voices.voice_of("Loner") == voices.voice_of("Late") == "Late / Loner"
    assert voices.voice_of("Proud") == "Proud", "its own name as supplier sets a bookmaker apart"
