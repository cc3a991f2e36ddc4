"""Scores of any origin become results under our names of competitions."""

from pathlib import Path

from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.importing import read_files


def read(path: Path, text: str) -> Imported:
    path.write_text(text)
    return read_files("scores", [str(path)], lambda _prices: None)


def test_competitions_get_our_names(tmp_path: Path) -> None:
    rows = "16/08/2024,Leeds,Hull,2,1,E0,\n16/08/2024,Odd,Brann,2,1,,Norway,Eliteserien\n"
    found = read(tmp_path / "a.csv", f"Date,Home,Away,HG,AG,Div,Country,League\n{rows}")
    assert [each.competition for each in found.results] == ["EPL", "soccer_norway_eliteserien"]
    assert {each.source for each in found.results} == {"scores"}


def test_problems_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert read(path, "Date,Home,Away,HG,AG\nsoon,A,B,1,0\n").problems == [
        f"{path} line 2: expected a date such as 16/08/2024, got 'soon'"
    ]
    (told,) = read(path, "Date,Home,Away\n").problems
    assert told.startswith(f"{path}: expected the columns Date, HomeTeam, AwayTeam, FTHG, FTAG")
