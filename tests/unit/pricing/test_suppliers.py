"""Bookmakers with one supplier: lines compared, pairs counted a second time, votes shared."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.suppliers import LEAST_SHARED, Suppliers, Voices

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
    monkeypatch.setattr("oddsdesk.pricing.suppliers.MOST_LINES", 10)
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
    assert {voices.of(name) for name in ("Skin", "Other skin", "Client")} == {"Feed"}
    assert (voices.of("Loner"), voices.of("Proud"), voices.of("New")) == ("Loner", "Proud", "New")
    pairs = {("Client", "New"), ("Loner", "Proud"), ("Loner", "Late")}
    voices = Voices(profiles, pairs)
    assert {voices.of(name) for name in ("Skin", "Client", "New")} == {"Feed"}
    assert voices.of("Loner") == voices.of("Late") == "Late / Loner"
    assert voices.of("Proud") == "Proud", "its own name as supplier sets a bookmaker apart"
