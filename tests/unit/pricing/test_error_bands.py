"""The table of error bands: which row of a cell counts, and how its file is read and written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.derived import LEAST_LINES, Band, BandKey, FairGame
from oddsdesk.pricing.devig import METHODS, PUBLISHED
from oddsdesk.pricing.error_bands import (
    COLUMNS,
    BandRow,
    Given,
    bands_of,
    read_rows,
    shipped_bands,
    shipped_rows,
    with_own,
    write_rows,
)
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import ReferenceLine, reference_line

FAR = BandKey("Football", "total", "1")
NEAR = BandKey("Football", "total", "0.5")
HEADER = ",".join(COLUMNS)


def row(
    error: float, lines: int, key: BandKey = FAR, given: Given = "all", method: str = "shin"
) -> BandRow:
    return BandRow(key, given, method, error, -0.001, lines, 9)


def test_the_widest_row_with_enough_lines_counts() -> None:
    rows = [row(0.01, 30), row(0.02, 40, given="one"), row(0.03, 29), row(0.04, 99, method="power")]
    assert bands_of(rows, "shin") == {FAR: Band(0.02, 40)}
    assert bands_of(rows, "power") == {FAR: Band(0.04, 99)}, "each method has its own"


def test_a_cell_without_enough_lines_has_the_count_of_its_longest_row() -> None:
    assert bands_of([row(0.01, 12), row(0.02, 9)], "shin") == {FAR: Band(0.01, 12)}


def test_own_cells_replace_the_shipped_ones_where_they_have_enough_lines() -> None:
    shipped = {FAR: Band(0.01, 100), NEAR: Band(0.02, 100)}
    own = {FAR: Band(0.03, LEAST_LINES), NEAR: Band(0.04, LEAST_LINES - 1)}
    assert with_own(shipped, own) == {FAR: Band(0.03, LEAST_LINES), NEAR: Band(0.02, 100)}


def test_a_file_is_read_as_it_was_written() -> None:
    rows = [row(0.0125, 30), row(0.02, 40, given="one"), row(0.5, 1, NEAR)]
    found = read_rows(write_rows(rows))
    assert found.problems == []
    assert sorted(found.rows) == sorted(rows)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Football,goals,1,all,shin,0.1,0,30,9", "market 'goals'; expected one of moneyline"),
        ("Football,total,1.5,all,shin,0.1,0,30,9", "distance '1.5'; expected one of 0.5, 1, 2"),
        ("Football,total,1,some,shin,0.1,0,30,9", "given 'some'; expected one of all, one"),
        ("Football,total,1,all,magic,0.1,0,30,9", "method 'magic'; expected one of"),
        ("Football,total,1,all,shin,-0.1,0,30,9", "error '-0.1'; expected a probability"),
        ("Football,total,1,all,shin,nan,0,30,9", "error"),
        ("Football,total,1,all,shin,0.1,0,many,9", "lines 'many'; expected a whole number"),
        ("Football,total", "given ''"),
        (",total,1,all,shin,0.1,0,30,9", "no sport"),
    ],
)
def test_an_invalid_line_is_reported_and_the_others_apply(line: str, problem: str) -> None:
    found = read_rows(f"{HEADER}\n{line}\nsoccer,total,1,all,shin,0.1,0,30,9\n")
    assert [each.key for each in found.rows] == [FAR]
    (said,) = found.problems
    assert said.startswith("line 2: ")
    assert problem in said


LINES = st.lists(
    st.tuples(*[st.sampled_from(["Football", "total", "1", "all", "shin", "0.1", "30", ""])] * 9)
    .map(",".join)
    .flatmap(lambda line: st.sampled_from([line, f'"{line}', line[:20]])),
    max_size=5,
)


@given(st.one_of(st.text(), LINES.map(lambda lines: "\n".join([HEADER, *lines]))))
def test_every_line_of_a_file_is_read_or_reported(text: str) -> None:
    found = read_rows(text)
    assert read_rows(write_rows(found.rows)).problems == []


def test_a_field_that_is_too_long_ends_the_file_in_one_line() -> None:
    good = "Football,total,1,all,shin,0.1,0,30,9"
    rows, problems = read_rows("\n".join([HEADER, good, "x" * 200_000, good]))
    assert len(rows) == 1
    assert ["line 3" in problem for problem in problems] == [True]


def test_a_file_without_a_column_says_which() -> None:
    (said,) = read_rows("sport,market\nFootball,total\n").problems
    assert "no column 'distance'" in said
    assert read_rows("\n") == ([], [])


def test_the_shipped_table_covers_football_completely() -> None:
    found = read_rows(write_rows(shipped_rows()))
    assert found.problems == []
    assert {each.key.sport for each in shipped_rows()} == {"Football"}
    assert all(0 < each.error < 0.2 and each.games <= each.lines for each in shipped_rows())
    for method in METHODS:
        cells = shipped_bands(method)
        assert bool(cells) == (method != PUBLISHED), method
        enough = {key[1:] for key, band in cells.items() if band.lines >= LEAST_LINES}
        assert not cells or {("total", "0.5"), ("spread", "0.5"), ("team_total", "none")} <= enough


def line(market_type: str, odds: dict[str, float]) -> ReferenceLine:
    (group,) = line_groups(market_type, "A vs B", odds, "Football")
    ordered = [odds[selection] for selection in group.selections]
    return reference_line(market_type, group, ordered, scraped_at=0, is_live=False)


@pytest.mark.parametrize("lines", [LEAST_LINES - 1, LEAST_LINES])
def test_fewer_than_thirty_lines_give_no_price(lines: int) -> None:
    held = [
        line("moneyline", {"A": 2.05, "Draw": 3.6, "B": 3.8}),
        line("total", {"Over 2.5": 1.95, "Under 2.5": 1.95}),
    ]
    keys = (FAR, NEAR, BandKey("Football", "total", "none"))
    keys += (BandKey("Football", "moneyline", "none"),)
    bands = bands_of((row(0.02, lines, key) for key in keys), "shin")
    (wanted,) = line_groups("total", "A vs B", ["Over 3.5", "Under 3.5"], "Football")
    found = FairGame("Football", held, bands).line("total", wanted)
    assert (found is not None) == (lines == LEAST_LINES)
    if found is not None and found.derived is not None:
        assert set(found.derived.bands.values()) == {0.02}
        assert math.isclose(sum(1 / (each.fair_odds or 0) for each in found.prices.values()), 1)


def test_no_band_is_narrower_than_a_nearer_one() -> None:
    cells = {"0.5": (0.02, 30), "1": (0.03, 29), "2": (0.01, 40), "more": (0.005, 2)}
    rows = [
        row(error, lines, BandKey("Football", "total", distance))
        for distance, (error, lines) in cells.items()
    ]
    found = {key.distance: band.error for key, band in bands_of(rows, "shin").items()}
    assert found == {"0.5": 0.02, "1": 0.03, "2": 0.02, "more": 0.02}
    own = {BandKey("Football", "total", "0.5"): Band(0.05, 30)}
    assert with_own(bands_of(rows, "shin"), own)[BandKey("Football", "total", "2")].error == 0.05
