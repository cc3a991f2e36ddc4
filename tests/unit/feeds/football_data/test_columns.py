"""Columns are read by name, whatever the league and season."""

import csv
from pathlib import Path

import pytest

from oddsdesk.feeds.football_data.columns import odds_columns


def named(*header: str) -> list[tuple[str, str, bool, str | None]]:
    return [
        (market.bookmaker, market.market_type, market.closing, market.statistic)
        for market in odds_columns(header)
    ]


def test_prefixes_that_begin_alike_are_told_apart() -> None:
    header = ["BFH", "BFD", "BFA", "BFDH", "BFDD", "BFDA", "BFEH", "BFED", "BFEA"]
    assert [name for name, *_ in named(*header)] == [
        "Betfair Sportsbook",
        "Betfred",
        "Betfair Exchange",
    ]


def test_closing_prices_carry_a_c_and_their_own_handicap_line() -> None:
    before, closing = odds_columns(["AHh", "PAHH", "PAHA", "AHCh", "PCAHH", "PCAHA"])
    assert (before.closing, before.line_column) == (False, "AHh")
    assert (closing.closing, closing.line_column) == (True, "AHCh")
    assert before.bookmaker == closing.bookmaker == "Pinnacle"


def test_a_code_that_begins_or_ends_with_c_is_no_closing_price() -> None:
    header = ["VCH", "VCD", "VCA", "VCCH", "VCCD", "VCCA", "CLH", "CLD", "CLA"]
    assert named(*header) == [
        ("VC Bet", "moneyline", False, None),
        ("VC Bet", "moneyline", True, None),
        ("Coral", "moneyline", False, None),
    ]


def test_statistics_are_marked() -> None:
    header = ["Max>2.5", "Max<2.5", "AvgC>2.5", "AvgC<2.5"]
    assert named(*header) == [
        ("Max", "total", False, "market maximum"),
        ("Avg", "total", True, "market average"),
    ]


def test_an_unknown_bookmaker_keeps_its_code() -> None:
    assert named("XYH", "XYD", "XYA", "XYCH", "XYCD", "XYCA") == [
        ("XY", "moneyline", False, None),
        ("XY", "moneyline", True, None),
    ]


def test_figures_of_the_game_and_lone_columns_are_no_odds() -> None:
    assert named("FTHG", "FTAG", "FTR", "HS", "AS", "HC", "AC", "HR", "AR", "B365H", "B365D") == []


@pytest.mark.parametrize("name", ["E0_2425.csv", "D1_2526_bom_crlf_partial.csv"])
def test_real_columns_are_what_the_map_says(shared_data: Path, name: str) -> None:
    folder = shared_data / "football-data"
    with (folder / "column_map.csv").open() as stream:
        known = {row["column"]: row for row in csv.DictReader(stream)}
    with (folder / name).open(encoding="utf-8-sig") as stream:
        header = next(csv.reader(stream))
    found = {column: market for market in odds_columns(header) for column in market.columns}
    assert found.keys() == known.keys() & set(header) - {"AHh", "AHCh"}
    for column, market in found.items():
        row = known[column]
        assert market.market_type == row["market_type"]
        assert market.closing == (row["phase"] == "closing")
        assert (market.statistic is not None) == (row["kind"] == "aggregate")
        if market.statistic is None:
            assert row["bookmaker"].startswith(market.bookmaker)
