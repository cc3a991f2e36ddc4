"""Reading files once: problems named, times set, the future left out."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds import files
from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.importing import (
    american_line,
    leave_out_future,
    leave_out_over,
    read_files,
    set_times,
    shift_to,
)

NOW = 1_776_340_800_000
MINUTE = 60_000
any_time = st.integers(parse_ms("0001-01-01T00:00:00Z"), parse_ms("9999-12-31T23:59:59Z"))


def quote(scraped_at: int, match_date: int | None = None) -> Quote:
    odds = {"Arsenal": 2.0, "Draw": 3.5, "Chelsea": 4.0}
    return Quote("Betfair", "A - B", "EPL", "moneyline", 0, odds, scraped_at, match_date=match_date)


def test_what_cannot_be_read_is_a_problem_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = tmp_path / "E0.csv"
    good.write_text("Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA\nE0,16/08/2025,15:00,A,B,2,3,4\n")
    heard: list[int] = []
    imported = read_files("football-data", [str(tmp_path / "gone.csv"), str(good)], heard.append)
    assert (imported.kept, sum(heard)) == (3, 3)
    assert [problem for problem in imported.problems if "gone.csv" in problem] != []


def test_a_file_that_is_too_large_leaves_the_others_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 200)
    (tmp_path / "a.csv").write_text("[" + " " * 300)
    (tmp_path / "b.csv").write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA\nE0,16/08/2025,15:00,A,B,2,3,4\n"
    )
    imported = read_files("football-data", [str(tmp_path)], lambda _prices: None)
    assert imported.kept == 3
    assert imported.problems == [f"{tmp_path / 'a.csv'}: too large: more than 200 bytes unpacked"]


@pytest.mark.parametrize(
    ("format_name", "data"),
    [
        ("the-odds-api", "[]"),
        ("oddsharvester", "[]"),
        ("football-data", "Div,Date,HomeTeam,AwayTeam,PSH,PSD,PSA\n"),
    ],
)
def test_a_file_without_any_price_is_a_problem(tmp_path: Path, format_name: str, data: str) -> None:
    path = tmp_path / "empty"
    path.write_text(data)
    imported = read_files(format_name, [str(path)], lambda _prices: None)
    assert imported.problems == [f"{path}: no prices in it"]


def test_times_move_together_so_that_the_newest_is_now() -> None:
    imported = Imported([quote(100, 5_000), quote(700)])
    set_times(imported, NOW, shift_to(imported, NOW))
    assert [q.scraped_at for q in imported.quotes] == [NOW - 600, NOW]
    assert imported.quotes[0].match_date == NOW + 4_300


def test_an_inferred_scrape_is_never_later_than_now() -> None:
    imported = Imported([quote(NOW + MINUTE)], inferred_times=True)
    set_times(imported, NOW)
    assert imported.quotes[0].scraped_at == NOW


def test_what_was_scraped_in_the_future_is_counted_and_said_with_a_remedy() -> None:
    imported = Imported([quote(NOW), quote(NOW + 6 * MINUTE)])
    leave_out_future(imported, NOW, "moving would help")
    assert [q.scraped_at for q in imported.quotes] == [NOW]
    assert imported.skipped == {"scraped in the future": 3}
    assert imported.problems[0].endswith("moving would help")


@pytest.mark.parametrize("days", [-1, 16])
def test_a_game_with_a_result_does_not_begin_later_than_now(days: int) -> None:
    kick_off = NOW + days * 24 * 60 * MINUTE
    other = quote(NOW - 2 * MINUTE, NOW + MINUTE)
    over = quote(NOW - 2 * MINUTE, kick_off)
    result = GameResult("EPL", "A - B", kick_off, 3, 5)
    imported = Imported([over, other], [result])
    leave_out_over(imported, NOW)
    if days < 0:
        assert (imported.quotes, imported.results) == ([over, other], [result])
        assert (imported.skipped, imported.problems) == ({}, [])
    else:
        assert (imported.quotes, imported.results) == ([other], [])
        assert imported.skipped == {"finished game with a kick-off in the future": 3}
        assert imported.problems == [
            "left out 1 game with a result and a future kick-off: A - B; correct their dates"
        ]


def test_a_game_that_was_put_off_may_begin_later_than_now() -> None:
    result = GameResult("EPL", "A - B", NOW + 24 * 60 * MINUTE, status=GameStatus.POSTPONED)
    imported = Imported([quote(NOW)], [result])
    leave_out_over(imported, NOW)
    assert (imported.results, imported.problems) == ([result], [])


def test_a_result_is_shifted_with_the_time_it_was_reported() -> None:
    said = GameResult("EPL", "A - B", NOW, 3, 5, reported_at=NOW + MINUTE)
    imported = Imported([quote(NOW)], [said, GameResult("EPL", "A - B", NOW, 3, 5)])
    set_times(imported, NOW, MINUTE)
    assert [(each.kick_off, each.reported_at) for each in imported.results] == [
        (NOW + MINUTE, NOW + 2 * MINUTE),
        (NOW + MINUTE, 0),
    ]


def test_files_with_american_odds_are_named_three_at_most() -> None:
    names = [f"{letter}.json" for letter in "abcde"]
    line = american_line(Imported(american=names))
    assert line is not None
    assert line.endswith(": a.json, b.json, c.json and 2 more files")
    assert american_line(Imported()) is None


@given(st.lists(st.tuples(any_time, any_time), min_size=1), any_time)
def test_moved_times_are_times_that_can_be_written(times: list[tuple[int, int]], now: int) -> None:
    """Kick-offs of the years 1 and 9999 are moved to the end of the calendar, not out of it."""
    imported = Imported([quote(*each) for each in sorted(times)])
    set_times(imported, now, shift_to(imported, now))
    for each in imported.quotes:
        assert each.match_date is not None
        assert parse_ms(format_ms(each.match_date)) == each.match_date
        assert parse_ms(format_ms(each.scraped_at)) == each.scraped_at


def test_an_empty_file_and_a_folder_without_files_are_said_to_be_so(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "empty.json"
    folder.mkdir()
    file.touch()
    imported = read_files("the-odds-api", [str(folder), str(file)], lambda _prices: None)
    assert imported.problems == [f"{folder}: the folder is empty", f"{file}: the file is empty"]


def test_two_scores_of_one_game_in_a_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "mlb.csv"
    file.write_text(
        "Date,HomeTeam,AwayTeam,FTHG,FTAG,Div\n"
        "12/09/2025,Cubs,Braves,5,2,MLB\n12/09/2025,Cubs,Braves,1,2,MLB\n"
        "12/09/2025,Mets,Marlins,5,2,MLB\n"
    )
    found = read_files("scores", [str(file)], lambda _count: None)
    assert [each.match_name for each in found.results] == ["Mets vs Marlins"]
    assert found.problems == [
        "Cubs v Braves, 2025-09-12: both 5-2 and 1-2, so neither counts; if these are two games,"
        " give the hour of each"
    ]
