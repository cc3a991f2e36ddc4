"""Season files become quotes; a broken cell is counted by its reason and never guessed."""

import csv
from collections.abc import Callable
from datetime import date, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.football_rows import parse_date, uk_ms
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.contract.series import GameSeries, count_odds
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.football_data import IMPORTER, convert, odds_columns, taken_ms
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.matching.names import shipped_names

GAME = {
    "Div": "E0",
    "Date": "17/08/2024",
    "Time": "15:00",
    "HomeTeam": "Everton",
    "AwayTeam": "Brighton",
}
PRICES = {"PSH": "2.5", "PSD": "3.3", "PSA": "2.9"}


def season(*rows: dict[str, str]) -> bytes:
    header = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(header), *(",".join(row.get(name, "") for name in header) for row in rows)]
    return "\r\n".join(lines).encode()


def imported(*rows: dict[str, str]) -> Imported:
    return convert(SourceFile("E0.csv", season(*rows)))


def read(text: str) -> Imported:
    return convert(SourceFile("E0.csv", text.encode()))


def only(result: Imported) -> Quote:
    (quote,) = result.quotes
    return quote


def only_series(result: Imported) -> GameSeries:
    (series,) = result.series
    return series


def test_a_row_becomes_quotes_with_inferred_times() -> None:
    result = imported(GAME | PRICES)
    quote = only(result)
    assert result.inferred_times
    assert (quote.bookmaker, quote.match_name, quote.competition) == (
        "Pinnacle",
        "Everton vs Brighton",
        "EPL",
    )
    assert list(quote.odds.items()) == [("Everton", 2.5), ("Draw", 3.3), ("Brighton", 2.9)]
    assert quote.match_date is not None
    assert format_ms(quote.match_date) == "2024-08-17T14:00:00.000Z"
    assert format_ms(quote.scraped_at) == "2024-08-16T16:00:00.000Z"


def test_closing_prices_are_quotes_at_kick_off_with_their_own_line() -> None:
    before = {"AHh": "-0.5", "PAHH": "1.9", "PAHA": "2.0"}
    closing = {"AHCh": "-0.75", "PCAHH": "2.1", "PCAHA": "1.8"}
    first, second = imported(GAME | before | closing).quotes
    assert first.odds == {"Everton -0.5": 1.9, "Brighton +0.5": 2.0}
    assert second.odds == {"Everton -0.75": 2.1, "Brighton +0.75": 1.8}
    assert second.scraped_at == second.match_date


def test_totals_are_of_two_and_a_half_goals() -> None:
    quote = only(imported(GAME | {"B365>2.5": "1.9", "B365<2.5": "1.95"}))
    assert quote.odds == {"Over 2.5": 1.9, "Under 2.5": 1.95}


def test_a_league_without_code_keeps_its_own() -> None:
    assert only(imported(GAME | PRICES | {"Div": "SC3"})).competition == "SC3"


STATISTICS = {"MaxH": "2.6", "MaxD": "3.4", "MaxA": "3.0"}


def test_names_are_the_same_in_prices_results_and_statistics() -> None:
    composed = {"HomeTeam": "Cafe\u0301", "FTHG": "1", "FTAG": "0"}
    result = imported(GAME | PRICES | STATISTICS | composed)
    names = [each[0].match_name for each in (result.quotes, result.results, result.series)]
    assert names == ["Caf\u00e9 vs Brighton"] * 3
    assert "Caf\u00e9" in only_series(result).points[0].odds


@pytest.mark.parametrize("home", ["???", "A\x07B", "brighton", "x" * 300])
def test_a_row_whose_names_make_no_sense_is_left_out_with_its_result(home: str) -> None:
    row = {"HomeTeam": home, "FTHG": "1", "FTAG": "0"}
    result = imported(GAME | PRICES | STATISTICS | row)
    assert (result.quotes, result.results, result.series) == ([], [], [])
    assert result.skipped == {"broken row": 6}
    assert len(result.problems) == 1


@pytest.mark.parametrize("line", ["inf", "nan", "1e400", "", "x"])
def test_a_handicap_without_a_line_is_counted(line: str) -> None:
    handicap = {"AHh": line, "PAHH": "1.9", "PAHA": "1.95", "MaxAHH": "1.95", "MaxAHA": "2"}
    result = imported(GAME | handicap)
    assert (result.quotes, result.series) == ([], [])
    assert result.skipped == {"no line": 2, "no line (best odds)": 2}


@pytest.mark.parametrize(
    ("statistics", "skipped"),
    [
        ({"MaxH": "2.6", "MaxD": "", "MaxA": "0"}, {"one side missing (best odds)": 1}),
        ({"MaxH": "", "MaxD": "0", "MaxA": "0.0"}, {}),
        ({"AvgH": "3", "AvgD": "4", "AvgA": "3"}, {"margin out of range (mean odds)": 3}),
        ({"MaxH": "3.4", "MaxD": "4.5", "MaxA": "4"}, {"margin out of range (best odds)": 3}),
        (
            {"MaxH": "a", "MaxD": "3.4", "MaxA": "3"},
            {"not a number": 1, "one side missing (best odds)": 2},
        ),
        ({"BbMxH": "2.6", "BbMxD": "3.4", "BbMxA": "3"} | STATISTICS, {"twin column": 3}),
    ],
)
def test_statistics_that_are_not_stored_are_counted(
    statistics: dict[str, str], skipped: dict[str, int]
) -> None:
    result = imported(GAME | PRICES | statistics)
    assert (len(result.quotes), result.skipped) == (1, skipped)
    assert sum(count_odds(result.series).values()) == 3 * ("twin column" in skipped)


def test_the_best_odds_may_leave_no_margin() -> None:
    result = imported(GAME | {"MaxH": "3", "MaxD": "4", "MaxA": "3.8"})  # 0.846
    assert [each.kind for each in only_series(result).points] == ["best"]
    assert result.skipped == {}


def test_statistics_of_a_day_to_come_are_dated_by_the_day() -> None:
    """Without an hour the game has no kick-off, and its series is found by its day."""
    coming = {name: value for name, value in GAME.items() if name != "Time"}
    result = imported(coming | PRICES | STATISTICS)
    assert only(result).match_date is None
    series = only_series(result)
    assert (format_ms(series.kick_off), series.has_time) == ("2024-08-17T12:00:00.000Z", False)


def test_statistics_are_a_series_and_never_a_bookmaker() -> None:
    result = imported(
        GAME
        | {"MaxH": "2.6", "MaxD": "3.4", "MaxA": "3.0", "AvgH": "2.5", "AvgD": "3.3", "AvgA": "2.9"}
    )
    assert (result.quotes, result.skipped) == ([], {})
    assert [(each.kind, list(each.odds.values())) for each in only_series(result).points] == [
        ("best", [2.6, 3.4, 3.0]),
        ("mean", [2.5, 3.3, 2.9]),
    ]


@pytest.mark.parametrize(
    ("prices", "skipped"),
    [
        ({"PSD": "0.0"}, {"one side missing": 2}),
        ({"PSD": ""}, {"one side missing": 2}),
        ({"PSH": "0", "PSD": "0.0", "PSA": ""}, {}),
        ({"PSD": "x"}, {"not a number": 1, "one side missing": 2}),
        ({"PSD": "1"}, {"impossible price": 1, "one side missing": 2}),
        ({"PSD": "nan"}, {"impossible price": 1, "one side missing": 2}),
        ({"PSD": "33"}, {"margin out of range": 3}),
        ({"PSD": "1.1"}, {"margin out of range": 3}),
    ],
)
def test_broken_cells_are_counted_by_reason(
    prices: dict[str, str], skipped: dict[str, int]
) -> None:
    result = imported(GAME | PRICES | prices)
    assert (result.quotes, result.skipped) == ([], skipped)


def test_a_handicap_without_line_is_left_out() -> None:
    result = imported(GAME | {"AHh": "", "PAHH": "1.9", "PAHA": "2.0"})
    assert (result.quotes, result.skipped) == ([], {"no line": 2})


CLOSING = {"PSCH": "2.5", "PSCD": "3.3", "PSCA": "2.9"}
SCORE = {"FTHG": "2", "FTAG": "0"}


def test_a_played_game_without_an_hour_is_at_noon_of_its_day() -> None:
    result = imported(GAME | {"Time": ""} | PRICES | CLOSING | SCORE)
    before, closing = result.quotes
    assert format_ms(before.scraped_at) == "2024-08-16T16:00:00.000Z"
    assert closing.scraped_at == closing.match_date == before.match_date
    assert format_ms(closing.scraped_at) == "2024-08-17T12:00:00.000Z"
    (told,) = result.results
    assert (told.kick_off, told.has_time) == (closing.match_date, False)
    assert (result.skipped, result.problems) == ({}, [])


@pytest.mark.parametrize("day", ["16/08/2024", "20/08/2024"])
def test_prices_before_closing_come_first_also_on_the_day_they_are_taken(day: str) -> None:
    row = GAME | {"Date": day, "Time": ""} | PRICES | CLOSING | SCORE
    before, closing = imported(row).quotes
    assert before.scraped_at < closing.scraped_at


def test_closing_prices_say_that_a_game_without_hour_and_score_has_begun() -> None:
    (quote,) = imported(GAME | {"Time": ""} | CLOSING).quotes
    assert quote.match_date is not None
    assert format_ms(quote.match_date) == "2024-08-17T12:00:00.000Z"


def test_a_short_last_row_is_whole_where_its_line_ends() -> None:
    text = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,PSH,PSD,PSA\nE0,16/08/2025,A,B,2,1\n"
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        result = convert(SourceFile("E0.csv", text.encode(encoding)))
        assert (len(result.results), result.problems) == (1, [])


def test_a_game_to_come_without_an_hour_has_no_kick_off() -> None:
    quote = only(imported(GAME | {"Time": ""} | PRICES))
    assert quote.match_date is None
    assert format_ms(quote.scraped_at) == "2024-08-16T16:00:00.000Z"


def test_a_file_of_a_further_league_is_read_by_country_and_league() -> None:
    result = read(
        "\ufeffCountry,League,Season,Date,Time,Home,Away,HG,AG,Res,PSCH,PSCD,PSCA,MaxCH,MaxCD,MaxCA\n"
        "Norway,Eliteserien,2025,29/03/2025,16:00,Fjordby,Nordvik,2,1,H,2.05,3.60,3.65,2,3,4\n"
        "Chile,Primera,2025,29/03/2025,16:00,Uno,Dos,1,1,D,2.05,3.60,3.65,2,3,4\n"
        "Chile,,2025,29/03/2025,16:00,Uno,Dos,1,1,D,2.05,3.60,3.65,2,3,4\n"
    )
    assert [quote.competition for quote in result.quotes] == [
        "soccer_norway_eliteserien",
        "Chile - Primera",
    ]
    assert [(each.home, each.away) for each in result.results] == [(2, 1), (1, 1)]
    assert result.skipped == {"broken row": 6}
    assert [each.competition for each in result.series] == [
        "soccer_norway_eliteserien",
        "Chile - Primera",
    ]
    assert result.problems == [
        "E0.csv line 4: expected a name in Div, or in Country and League, got nothing"
    ]


@pytest.mark.parametrize(
    "league",
    [
        *("Argentina - Liga Profesional", "Austria - Bundesliga", "Brazil - Serie A"),
        *("China - Super League", "Denmark - Superliga", "Finland - Veikkausliiga"),
        *("Ireland - Premier Division", "Japan - J1 League", "Mexico - Liga MX"),
        *("Norway - Eliteserien", "Poland - Ekstraklasa", "Romania - Superliga"),
        *("Russia - Premier League", "Sweden - Allsvenskan", "Switzerland - Super League"),
        "USA - MLS",
    ],
)
def test_each_of_the_further_leagues_is_in_the_table(league: str) -> None:
    assert shipped_names().knows(league)


SAVED = (
    "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,HTHG,HTAG,B365H,B365D,B365A,AHh,PAHH,PAHA",
    "E0,16/08/2025,Alpha,Beta,2,1,1,0,2.10,3.40,3.60,-0.25,1.9,2.01",
)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"16/08/2025": "2025-08-16"},
        {"16/08/2025": "16/08/25"},
        {"16/08/2025": "16.08.2025"},
        {"16/08/2025": "2025-08-16 00:00:00"},
        {",2,1,1,0,": ",2.0,1.0,1.0,0.0,"},
        {"\n": "\r\n"},
        {"\n": "\n\n,,,,,,,,,,,,,\n"},
        {"Beta,": "Beta ,", "A\n": "A,,,\n", "01\n": "01,,\n"},
    ],
)
def test_a_row_is_the_same_however_it_was_saved(
    mark: str, encoding: str, changes: dict[str, str]
) -> None:
    text = "\n".join([*SAVED, ""])
    for old, new in changes.items():
        text = text.replace(old, new)
    if mark != ",":
        text = text.replace(",", mark).replace("2.10", "2,10").replace("-0.25", "-0,25")
    result = convert(SourceFile("saved.csv", text.encode(encoding)))
    assert [quote.odds for quote in result.quotes] == [
        {"Alpha": 2.1, "Draw": 3.4, "Beta": 3.6},
        {"Alpha -0.25": 1.9, "Beta +0.25": 2.01},
    ]
    (told,) = result.results
    assert (told.home, told.away, told.periods[0]) == (2, 1, PeriodScore(1, 1, 0))
    assert format_ms(told.kick_off) == "2025-08-16T12:00:00.000Z"
    assert (result.problems, result.skipped) == ([], {})


def test_a_workbook_is_read_with_the_dates_and_hours_that_excel_stores(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "E0.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("E0")
        sheet.write_row(0, 0, [*GAME, *PRICES])
        sheet.write_row(1, 0, ["E0", 45521, 0.625, "Everton", "Brighton", 2.5, 3.3, 2.9])
        book.add_worksheet("empty")
        second = book.add_worksheet("E1")
        second.write_row(0, 0, [*GAME, *PRICES])
        second.write_row(1, 0, ["E1", "soon", 0.625, "Hull", "Derby", 2.5, 3.3, 2.9])
        second.write_row(2, 0, ["E1", 45521, 0.625, "Hull", "Derby", 2.5, 3.3, 2.9])
        book.add_worksheet("notes").write(0, 0, "Key to results data")
    result = convert(SourceFile("E0.xlsx", path.read_bytes()))
    first, other = result.quotes
    assert list(first.odds.values()) == [2.5, 3.3, 2.9]
    assert first.match_date == other.match_date == only(imported(GAME | PRICES)).match_date
    assert (first.competition, other.competition) == ("EPL", "EFL")
    date, notes = result.problems
    assert date == "E0.xlsx sheet 3 line 2: expected a date such as 16/08/2024, got 'soon'"
    assert notes.startswith("E0.xlsx sheet 4: expected a football-data header")
    assert result.skipped == {"broken row": 3}


def test_dates_are_month_first_if_the_whole_file_shows_it() -> None:
    header = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG\n"
    rows = "E0,8/9/2025,A,B,2,1\nE0,8/16/2025,C,D,2,1\nE0,soon,E,F,1,1\n"
    result = read(header + rows)
    days = [format_ms(each.kick_off)[:10] for each in result.results]
    assert days == ["2025-08-09", "2025-08-16"]
    assert result.problems == ["E0.csv line 4: expected a date such as 08/16/2024, got 'soon'"]
    mixed = read(header + rows + "E0,16/8/2025,G,H,0,0\n")
    days = [format_ms(each.kick_off)[:10] for each in mixed.results]
    assert days == ["2025-09-08", "2025-08-16"]
    assert mixed.problems[0] == (
        "E0.csv line 3: expected a date such as 16/08/2024, got '8/16/2025'"
    )


def test_a_row_with_more_cells_than_titles_may_be_shifted_and_is_left_out() -> None:
    result = read(
        "Div,Date,HomeTeam,AwayTeam,PSH,PSD,PSA\nE0,16/08/2025,A,B,2,10,3,40,3,60\n"
        "E0,16/08/2025,A,B,2.5,3.3,2.9,,\n"
    )
    assert only(result).odds["A"] == 2.5
    assert result.skipped == {"broken row": 3}
    assert result.problems == [
        "E0.csv line 2: 3 more cells than titles, so cells may be under the wrong title"
    ]


def test_a_stray_quote_spoils_one_row() -> None:
    row = "E0,17/08/2024,Everton,Brighton,2.5,3.3,2.9\n"
    head = "Div,Date,HomeTeam,AwayTeam,PSH,PSD,PSA\n"
    result = read(head + row + row.replace("Everton", '"Everton') + row * 3)
    assert (len(result.quotes), result.skipped) == (4, {"broken row": 3})
    assert result.problems == [
        "E0.csv line 3: a quote is opened here and not closed, so the line is left out"
    ]


def test_the_first_seasons_have_two_digits_of_year_and_no_odds() -> None:
    result = read("Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,14/08/93,Arsenal,Coventry,0,3,A\n")
    (told,) = result.results
    assert format_ms(told.kick_off) == "1993-08-14T12:00:00.000Z"
    assert (told.home, told.away, told.periods, told.overtime) == (0, 3, (), False)
    assert (result.problems, result.skipped) == ([], {})


def test_teams_that_stand_under_ht_and_at_are_read() -> None:
    result = read("Div,Date,HT,AT,FTHG,FTAG\nG1,01/09/01,Aris,Iraklis,1,0\n")
    assert [each.match_name for each in result.results] == ["Aris vs Iraklis"]


@pytest.mark.parametrize(
    ("file", "competition"),
    [("E0_1819.csv", "EPL"), ("data/SP2.csv", "LIGA2"), ("EC-93.csv", "EC")],
)
def test_a_division_without_a_column_is_in_the_name_of_the_file(
    file: str, competition: str
) -> None:
    data = b"Season,Date,HomeTeam,AwayTeam,FTHG,FTAG\n1819,10/08/2018,A,B,2,1\n"
    (told,) = convert(SourceFile(file, data)).results
    assert told.competition == competition
    assert "lacks Div" in IMPORTER.convert([SourceFile("E01.csv", data)]).problems[0]


def test_each_bookmaker_of_the_first_files_had_its_own_line() -> None:
    result = read(
        "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,GBAHH,GBAHA,GBAH,LBAHH,LBAHA,LBAH,B365AHH,B365AHA,"
        "B365AH,BbAH,BbAHh,BbMxAHH,BbAvAHH,BbMxAHA,BbAvAHA\n"
        "E0,13/08/2005,A,B,1,0,1.9,1.95,-0.5,1.8,2.05,-0.25,1.85,1.98,-0.75,20,-0.5,2,1.9,2.1,2\n"
    )
    assert {quote.bookmaker: list(quote.odds) for quote in result.quotes} == {
        "Gamebookers": ["A -0.5", "B +0.5"],
        "Ladbrokes": ["A -0.25", "B +0.25"],
        "Bet365": ["A -0.75", "B +0.75"],
    }
    assert result.skipped == {}
    assert [(each.kind, each.odds) for each in only_series(result).points] == [
        ("best", {"A -0.5": 2.0, "B +0.5": 2.1}),
        ("mean", {"A -0.5": 1.9, "B +0.5": 2.0}),
    ]


def test_a_row_that_makes_no_sense_is_named_and_empty_ones_are_passed_over() -> None:
    rows = [GAME | PRICES | {"Date": "soon"}, dict.fromkeys(GAME, ""), GAME | PRICES]
    result = imported(*rows, GAME | PRICES | {"HomeTeam": ""})
    assert len(result.quotes) == 1
    assert result.skipped == {"broken row": 6}
    assert result.problems == [
        "E0.csv line 2: expected a date such as 16/08/2024, got 'soon'",
        "E0.csv line 5: expected a name in HomeTeam, got nothing",
    ]


@pytest.mark.parametrize("left", ["E0,17/08/2025,16:00,C,D,2.1,3.", "E0,17/08/20", "E0,17"])
def test_the_last_row_of_a_file_that_was_cut_short_is_left_out_and_said(left: str) -> None:
    header = "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA\n"
    row = "E0,16/08/2025,15:00,A,B,2,3,4"
    cut = convert(SourceFile("E0.csv", f"{header}{row}\n{left}".encode()))
    assert cut.problems == ["E0.csv: the file is cut off in its last row"]
    assert cut.kept == 3
    assert cut.kept + cut.skipped.total() == 3 + left.count(".")
    whole = convert(SourceFile("E0.csv", f"{header}{row}".encode()))
    assert (whole.problems, whole.kept) == ([], 3)


def test_text_is_utf8_with_or_without_mark_else_windows_1252() -> None:
    row = GAME | PRICES | {"HomeTeam": "Nîmes"}
    data = season(row)
    for encoded in (data, b"\xef\xbb\xbf" + data, data.decode().encode("cp1252")):
        assert only(convert(SourceFile("F1.csv", encoded))).match_name == "Nîmes vs Brighton"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "has no column titles"),
        (b"Home,Away\n", "lacks Div, Date"),
        (b"Div,Date\n", "lacks HomeTeam, AwayTeam"),
        (b"League,Date,Home,Away\n", "lacks Div"),
        (b"Div,Date\x81\n", "UTF-8, UTF-16 or Windows-1252"),
        (b'Div,Date,HomeTeam,AwayTeam\nE0,"' + b"x" * 2_000_000, "characters a row"),
        (b"[" + b" " * 2_000_000, "at most 1,048,576 characters a row"),
        (b"Div,Date,HomeTeam,AwayTeam\n" + b'"\n",' * 500_000, "10,000 unreadable"),
        (b"Div,Date,HomeTeam,AwayTeam\n" + b"x\n" * 11_000, "10,000 unreadable rows"),
    ],
)
def test_other_files_are_refused(data: bytes, reason: str) -> None:
    imported = IMPORTER.convert([SourceFile("x.csv", data)])
    (problem,) = imported.problems
    assert problem.startswith("x.csv: ")
    assert reason in problem
    assert not imported.quotes


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("E0_2425.csv", 380),
        ("F1_2425.csv", 306),
        ("D1_2425.csv", 306),
        ("D1_2526_bom_crlf_partial.csv", 270),
        ("fixtures_20260417T1347Z.csv", 171),
    ],
)
def test_real_files_are_read_whole(shared_data: Path, name: str, games: int) -> None:
    result = convert(SourceFile(name, (shared_data / "football-data" / name).read_bytes()))
    assert result.problems == []
    assert len({(quote.match_name, quote.match_date) for quote in result.quotes}) == games
    assert not {"Max", "Avg"} & {quote.bookmaker for quote in result.quotes}
    assert set(result.skipped) <= {
        "margin out of range",
        "margin out of range (best odds)",
        "margin out of range (mean odds)",
        "one side missing",
    }
    assert len(result.series) == games


def test_seasons_with_one_bookmaker_and_no_hours_are_counted_as_published(
    shared_data: Path,
) -> None:
    """A backtest that was published: 260 bets on the away team from 2.5 to 4.0, 93 of them won."""
    folder = shared_data / "football-data" / "bet365-only"
    bets, won = 0, 0
    for season in ("1819", "1920", "2021", "2122"):
        file = folder / f"E0_{season}.csv"
        result = convert(SourceFile(file.name, file.read_bytes()))
        assert (result.problems, result.skipped, len(result.results)) == ([], {}, 380)
        for quote, ended in zip(result.quotes, result.results, strict=True):
            assert (ended.match_name, ended.kick_off) == (quote.match_name, quote.match_date)
            _, _, away = quote.odds.values()
            if "2020-04-01" <= format_ms(ended.kick_off) <= "2022-06-01" and 2.5 <= away <= 4:
                assert ended.home is not None
                assert ended.away is not None
                bets, won = bets + 1, won + (ended.away > ended.home)
    assert (bets, won) == (260, 93)


def test_the_first_season_has_two_digits_of_year(shared_data: Path) -> None:
    file = shared_data / "football-data" / "bet365-only" / "E0_9394.csv"
    result = convert(SourceFile(file.name, file.read_bytes()))
    days = [format_ms(each.kick_off)[:10] for each in result.results]
    assert (len(days), min(days), max(days)) == (462, "1993-08-14", "1994-05-08")
    assert (result.quotes, result.problems, result.skipped) == ([], [], {})


def test_a_season_tells_how_its_games_ended() -> None:
    goals = {"FTHG": "2", "FTAG": "0", "HTHG": "1", "HTAG": "0"}
    result = imported(GAME | PRICES | goals)
    (told,) = result.results
    halves = (PeriodScore(1, 1, 0), PeriodScore(2, 1, 0))
    assert told == GameResult(
        *("EPL", "Everton vs Brighton", told.kick_off, 2, 0, halves),
        overtime=False,
        source="football-data",
    )
    assert told.kick_off == only(result).match_date


def test_a_game_that_is_to_come_has_no_result() -> None:
    result = imported(GAME | PRICES | {"FTHG": "", "FTAG": ""})
    assert (result.results, result.problems) == ([], [])


@pytest.mark.parametrize("missing", ["FTHG", "FTAG"])
def test_the_goals_of_one_team_are_no_result_and_a_problem(missing: str) -> None:
    result = imported(GAME | PRICES | SCORE | {missing: ""})
    assert (result.kept, result.results) == (3, [])
    assert result.problems == [f"E0.csv line 2: expected a number in {missing}, got nothing"]


def test_goals_that_are_no_number_are_named_and_prices_kept() -> None:
    result = imported(GAME | PRICES | {"FTHG": "two", "FTAG": "0"})
    assert result.problems == ["E0.csv line 2: expected a number such as 2 in FTHG, got 'two'"]
    assert only(result).odds["Everton"] == 2.5


@pytest.mark.parametrize("spelled", ["{}.0", "{}.", "{}.00"])
def test_goals_that_pandas_saved_are_read(spelled: str) -> None:
    goals = {"FTHG": 2, "FTAG": 0, "HTHG": 1, "HTAG": 0}
    result = imported(GAME | PRICES | {name: spelled.format(at) for name, at in goals.items()})
    (told,) = result.results
    assert (told.home, told.away) == (2, 0)
    assert told.periods == (PeriodScore(1, 1, 0), PeriodScore(2, 1, 0))
    assert result.problems == []


@pytest.mark.parametrize("half", ["1.5", "one", "-1"])
def test_a_bad_half_time_score_loses_only_the_half(half: str) -> None:
    result = imported(GAME | PRICES | {"FTHG": "2", "FTAG": "0", "HTHG": "1", "HTAG": half})
    (told,) = result.results
    assert (told.home, told.away, told.periods) == (2, 0, ())
    assert result.problems == [
        f"E0.csv line 2: expected a number such as 2 in HTAG, got {half!r}; half-time score ignored"
    ]


def test_a_division_without_a_code_is_football() -> None:
    quote = only(imported(GAME | PRICES | {"Div": "E2"}))
    assert (quote.competition, quote.sport) == ("E2", "Football")


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
    assert named(*header) == [("Max", "total", False, "best"), ("Avg", "total", True, "mean")]


def test_an_unknown_bookmaker_keeps_its_code() -> None:
    assert named("XYH", "XYD", "XYA", "XYCH", "XYCD", "XYCA") == [
        ("XY", "moneyline", False, None),
        ("XY", "moneyline", True, None),
    ]


@pytest.mark.parametrize("spell", [str.lower, str.upper])
def test_titles_count_in_any_case(spell: Callable[[str], str]) -> None:
    header = ["MaxH", "MaxD", "MaxA", "BbAv>2.5", "BbAv<2.5", "PSCH", "PSCD", "PSCA"]
    assert named(*map(spell, header)) == [
        ("Max", "moneyline", False, "best"),
        ("Pinnacle", "moneyline", True, None),
        ("BbAv", "total", False, "mean"),
    ]
    (closing,) = odds_columns([spell(title) for title in ("AHh", "AHCh", "PCAHH", "PCAHA")])
    assert closing.line_column == spell("AHCh")


@pytest.mark.parametrize("spell", [str.lower, str.upper])
def test_a_real_season_is_the_same_in_any_case(
    shared_data: Path, spell: Callable[[str], str]
) -> None:
    text = (shared_data / "football-data" / "E0_2425.csv").read_text(encoding="utf-8-sig")
    header, _, rows = text.partition("\n")
    result = read(f"{spell(header)}\n{rows}")
    statistics = sum(count_odds(result.series).values())
    assert (result.kept, statistics) == (23_630, 10_640)
    assert result.kept + statistics + result.skipped.total() == 34_280


@pytest.mark.parametrize("twin", ["PSH", "psh", "PSH.1"])
def test_a_second_column_of_a_price_is_counted(twin: str) -> None:
    head = f"Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,PSH,PSD,PSA,{twin}\n"
    result = read(f"{head}E0,17/08/2024,Everton,Brighton,1,0,2.5,3.3,2.9,2.6\n")
    assert only(result).odds["Everton"] == 2.5
    assert result.skipped == {"twin column": 1}


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


@pytest.mark.parametrize(
    ("day", "clock", "taken"),
    [
        (date(2024, 8, 16), time(20), "2024-08-16T16:00:00.000Z"),  # Friday
        (date(2024, 8, 17), time(12, 30), "2024-08-16T16:00:00.000Z"),  # Saturday
        (date(2024, 8, 19), time(20), "2024-08-16T16:00:00.000Z"),  # Monday
        (date(2024, 12, 3), time(19, 45), "2024-12-03T13:00:00.000Z"),  # Tuesday
        (date(2024, 12, 5), time(20), "2024-12-03T13:00:00.000Z"),  # Thursday
        (date(2024, 8, 16), time(12), "2024-08-16T11:00:00.000Z"),  # Friday noon: capped
    ],
)
def test_prices_were_taken_on_friday_or_tuesday(day: date, clock: time, taken: str) -> None:
    assert format_ms(taken_ms(day, uk_ms(day, clock))) == taken


@given(st.dates(date(2000, 1, 1), date(2050, 1, 1)), st.times())
def test_prices_are_never_taken_after_the_kick_off_nor_days_before(day: date, clock: time) -> None:
    kick_off = uk_ms(day, clock)
    taken = taken_ms(day, kick_off)
    assert taken <= kick_off
    assert kick_off - taken < 4 * 86_400_000


@given(st.dates(date(1888, 1, 1)), st.none() | st.times())
def test_every_day_that_is_read_has_times_to_write(day: date, clock: time | None) -> None:
    read = parse_date(f"{day:%d/%m}/{day.year:04}")
    kick_off = None if clock is None else uk_ms(read, clock)
    assert format_ms(taken_ms(read, kick_off))
