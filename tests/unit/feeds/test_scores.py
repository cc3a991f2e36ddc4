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
    (message,) = read(path, "Date,Home,Away\n").problems
    assert message.startswith(f"{path}: expected the columns Date, HomeTeam, AwayTeam, FTHG, FTAG")


def test_a_season_with_prices_is_named_as_football_data(tmp_path: Path) -> None:
    season = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG{}\nE0,16/08/2024,Leeds,Hull,2,1{}\n"
    found = read(tmp_path / "E0.csv", season.format(",PSH,PSD,PSA", ",2,3,4"))
    (message,) = found.problems
    assert "oddsdesk import football-data" in message
    assert found.results == []
    assert len(read(tmp_path / "a.csv", season.format("", "")).results) == 1
    other = "Date,Home,Away,HG,AG,PSH,PSD,PSA\n16/08/2024,Leeds,Hull,2,1,2,3,4\n"
    assert "use `oddsdesk import football-data`" in read(tmp_path / "b.csv", other).problems[0]
