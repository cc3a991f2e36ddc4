"""`oddsdesk backtest` on a database of one game."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import termios
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from oddsdesk.base.places import settings_folder
from oddsdesk.cli.backtest import backtest
from oddsdesk.cli.import_ import import_
from oddsdesk.cli.scorecard import scorecard
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.store import open_store

START = 1_700_000_000_000
HOUR = 3_600_000
FIGURES = ["bets", "staked", "profit", "yield_pct", "clv_pct", "clv_bets"]
RESULTS = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG\nEFL,15/11/2023,Leeds,Hull,2,1\n"


def quote(bookmaker: str, odds: dict[str, float], at: int) -> Quote:
    names = {"match_name": "Leeds vs Hull", "competition": "EFL", "market_type": "total"}
    return Quote(
        bookmaker=bookmaker,
        odds=odds,
        period=0,
        scraped_at=at,
        match_date=START + 20 * HOUR,
        **names,
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "odds.db"
    even = {"Over 2.5": 1.95, "Under 2.5": 1.95}
    store = open_store(path)
    store.record([quote("Pinnacle", even, START), quote("Soft", {"Over 2.5": 2.09}, START)])
    store.record([quote("Pinnacle", even, START + 20 * HOUR)]).result(10)
    store.close()
    return path


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(backtest, ["--database", str(database), *arguments])


def test_it_prints_the_figures_with_their_ranges_and_every_bet(
    database: Path, tmp_path: Path
) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text(RESULTS)
    done = run(database, "--json", "--results", str(scores))
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {name: found[name] for name in FIGURES} == {
        "bets": 1,
        "staked": 1,
        "profit": pytest.approx(1.09),
        "yield_pct": pytest.approx(109),
        "clv_pct": pytest.approx(4.5),
        "clv_bets": 1,
    }
    assert all(found[f"{name}_{end}"] is None for name in FIGURES[3:] for end in ("low", "high"))
    assert [(row["selection"], row["odds"], row["result"]) for row in found["rows"]] == [
        ("Over 2.5", 2.09, "won")
    ]


def test_without_results_it_says_so_and_guesses_nothing(database: Path) -> None:
    found = json.loads(run(database, "--json").stdout)
    assert (found["profit"], found["yield_pct"], found["clv_bets"]) == (None, None, 1)
    assert found["notes"] == [
        "no results: import them with the seasons of football-data.co.uk",
        "1 of 1 closing lines are the same odds that the bets were valued with: their CLV repeats"
        " their EV; there are no others",
    ]
    text = run(database).stdout
    assert "yield: unknown" in text
    assert "no results" in text
    begin = (
        "bets: value by Pinnacle, margin proportional; the contract's least EV; all price rules of"
        " the contract; at any moment\nstakes: one unit on each bet\nCLV: vs the"
        " Pinnacle close, margin proportional\nlog: 3 rows; it covers 2023"
    )
    assert text.startswith(begin)


def test_the_commission_of_bets_is_named_with_the_stakes(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    even = {"Over 2.5": 1.95, "Under 2.5": 1.95}
    store = open_store(path)
    exchange = quote("Betfair Exchange UK", {"Over 2.5": 2.2}, START)
    store.record([quote("Pinnacle", even, START), exchange]).result(10)
    store.close()
    assert run(path, "--rules", "none").stdout.splitlines()[1] == (
        "stakes: one unit on each bet; less 5 % commission at Betfair Exchange UK"
    )


def test_the_span_that_is_asked_for_stands_with_its_rows(database: Path) -> None:
    assert run(database, "--from", "2023-11-14").stdout.splitlines()[3] == (
        "log: 3 rows from 2023-11-14T00:00:00.000Z to the end; it covers 2023-11-14T22:13:20.000Z"
        " to 2023-11-14T22:13:20.000Z"
    )


@pytest.mark.parametrize("is_made", [False, True])
def test_a_database_without_odds_says_to_import_some(tmp_path: Path, *, is_made: bool) -> None:
    path = tmp_path / "empty.db"
    if is_made:
        with closing(open_store(path)):
            pass
    else:
        path.touch()
    for command in (backtest, scorecard):
        said = CliRunner().invoke(command, ["--database", str(path)]).output
        assert "has no odds yet: import some first" in said


def test_an_empty_span_is_said(database: Path) -> None:
    done = run(database, "--from", "2020-01-01", "--to", "2020-02-01", "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["bets"], found["rows"]) == (0, 0, [])
    assert found["notes"] == [
        "nothing was recorded from 2020-01-01T00:00:00.000Z to 2020-02-01T00:00:00.000Z;"
        " the log covers 2023-11-14T22:13:20.000Z to 2023-11-14T22:13:20.000Z"
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "2024-01-02", "--to", "2024-01-01"], "--from must be earlier than --to"),
        (["--from", "some day"], "expected a date"),
        (["--preset", "Nobody's"], "no preset"),
        (["--latency", "-1"], "not in the range"),
        (["--least-ev", "-5.1"], "The least EV is from -5 to 100 percent, not -5.1"),
        (["--rules", "margin"], "No rule is called “margin”: use contract, none, or names of"),
        (["--share", "2"], "--share needs --staking proportional or kelly"),
        (["--bankroll", "10"], "--bankroll needs --staking proportional or kelly"),
        (["--staking", "kelly", "--share", "0"], "the share must be above 0, at most 100"),
        (["--grid", "colour=red"], "'colour' is not an axis: use method, reference, least-ev"),
        (["--grid", "method=shin", "--method", "power"], "--method and --grid both have a method"),
        (["--alpha", "0.1"], "--alpha has no effect with --strategy value"),
        (["--alpha", "1", "--strategy", "best-vs-mean"], "alpha is from 0 to below 1, not 1"),
        (["--least-books", "4"], "--least-books needs --strategy best-vs-mean"),
        (["--least-books", "0", "--strategy", "best-vs-mean"], "0 is not in the range x>=1"),
        (["--method", "shin", "--strategy", "best-vs-mean"], "--method has no effect with"),
        (["--reference", "Soft", "--strategy", "best-vs-mean"], "--reference has no effect with"),
        (["--least-ev", "1", "--strategy", "best-vs-mean"], "--least-ev has no effect with"),
        (["--derived", "all", "--strategy", "best-vs-mean"], "--derived needs a sharp book"),
        (["--grid", "alpha=0.1"], "alpha in --grid has no effect with --strategy value"),
        (["--at", "close", "--latency", "5"], "--at close leaves no time for a --latency"),
        (["--series", "oddsportal"], "'oddsportal' is not 'football-data'"),
        (["--grid", "least-ev=1", "--least-ev", "2"], "--least-ev and --grid both have a least-ev"),
        (
            ["--grid", "least-ev=1", "--method", "power", "--method", "shin"],
            "with --grid several methods go into it",
        ),
    ],
)
def test_what_makes_no_sense_is_misuse(database: Path, arguments: list[str], said: str) -> None:
    done = run(database, *arguments)
    assert (done.exit_code, said in done.output) == (2, True), done.output


def test_a_missing_database_and_unreadable_results_are_one_line(
    database: Path, tmp_path: Path
) -> None:
    missing = run(tmp_path / "none.db")
    assert (missing.exit_code, missing.output.count("\n")) == (1, 1)
    bad = run(database, "--results", str(tmp_path / "none.csv"))
    assert (bad.exit_code, bad.output.count("\n")) == (1, 1)


def test_methods_are_one_table_with_one_close(database: Path) -> None:
    """Published makes 1.90 of 1.95 fair: by its own close its bet would beat what it lost to."""
    asked = ["--method", "published", "--method", "shin", "--method", "published"]
    found = json.loads(run(database, "--json", *asked).stdout)
    assert [(each["method"], each["close_reference"], each["close_method"]) for each in found] == [
        ("published", "Pinnacle", "margin_proportional"),
        ("shin", "Pinnacle", "margin_proportional"),
    ]
    for each in found:
        for row in each["rows"]:
            assert row["clv_pct"] == pytest.approx((row["net_odds"] / 2.0 - 1) * 100)
    text = run(database, *asked).stdout
    head, _, close, _, _, titles, *lines = text.splitlines()
    assert head.startswith("bets: value by Pinnacle, 2 methods; ")
    assert close == "CLV: vs the Pinnacle close, margin proportional"
    assert titles.split("  ")[0] == "METHOD"
    assert titles.split()[1:4] == ["BETS", "RESULTS", "PROFIT"]
    assert [line.split()[0] for line in lines[:2]] == ["published", "shin"]
    assert text.count("no results") == 1, "what holds for all is said once"
    assert "published: the published formula adds" in text

    other = json.loads(run(database, "--json", "--close-method", "published", *asked[2:4]).stdout)
    assert other["close_method"] == "published"
    fair = 1 / (1 / 1.95 - (1 / (2 / 1.95) - 1) / 2)
    assert other["clv_pct"] == pytest.approx((2.09 / fair - 1) * 100)


def test_settings_say_whose_close_it_is(database: Path) -> None:
    settings_folder().mkdir(parents=True, exist_ok=True)
    (settings_folder() / "desk.ini").write_text(
        "[research]\nclose=shin\nclose_reference=Soft\n", "utf-8"
    )
    found = json.loads(run(database, "--json").stdout)
    assert (found["close_reference"], found["close_method"]) == ("Soft", "shin")
    given = ["--close-reference", "consensus", "--close-method", "power"]
    found = json.loads(run(database, "--json", *given).stdout)
    assert (found["close_reference"], found["close_method"]) == ("Consensus", "power")
    (settings_folder() / "desk.ini").write_text("[prices]\ndevig=goto\n", "utf-8")
    assert json.loads(run(database, "--json").stdout)["close_method"] == "goto"


def test_a_close_of_somebody_who_priced_nothing_is_told_with_who_may_be_meant(
    database: Path,
) -> None:
    said = (
        "no price of 'Pinacle' was recorded, so its closing lines are missing (did you mean"
        " Pinnacle?); bookmakers here: Pinnacle, Soft"
    )
    assert said in run(database, "--close-reference", "Pinacle").stdout
    asked = ["--database", str(database), "--close-reference", "Pinacle"]
    assert said in CliRunner().invoke(scorecard, asked).stdout
    assert "closing lines are missing" not in run(database).stdout


def test_what_the_log_covers_is_told(database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(database, tmp_path))
    with closing(open_store(database)) as store:
        for day in (1, 2):
            begins = START + (day * 24 + 20) * HOUR
            sides = {"Over 2.5": 2.9, "Under 2.5": 1.5}
            later = quote("Soft", sides, begins - 60_000)
            game = f"Home {day} vs Away {day}"
            store.record([replace(later, match_name=game, match_date=begins)]).result(10)
    found = json.loads(run(database, "--json").stdout)["coverage"]
    assert found == {
        "games": 3,
        "reference_games": 1,
        "reference_first_day": "2023-11-15",
        "reference_last_day": "2023-11-15",
        "begun": 3,
        "with_result": 0,
        "with_result_pct": 0.0,
        "contradictory": 0,
        "with_close": 1,
        "with_close_pct": pytest.approx(100 / 3),
        "with_series": None,
        "refused": {},
    }
    late = run(database, "--from", "2023-11-16").stdout
    assert "the sharp book, Pinnacle, priced none of 2 games from 2023-11-16" in late
    assert "it priced none after 2023-11-15" in late
    assert "no price was value" not in late


def test_a_yield_of_few_of_the_bets_says_of_how_many(database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(database, tmp_path))
    even = {"Over 2.5": 1.95, "Under 2.5": 1.95}
    with closing(open_store(database)) as store:
        for game in ("Home 1 vs Away 1", "Home 2 vs Away 2"):
            said = quote("Pinnacle", even, START), quote("Soft", {"Over 2.5": 2.09}, START)
            store.record([replace(each, match_name=game) for each in said]).result(10)
    scores = tmp_path / "scores.csv"
    scores.write_text(RESULTS)
    text = run(database, "--results", str(scores)).stdout
    assert "yield: +109.00 % over 1 of 3 bets; too few games for a 95 % interval" in text


SEASON = """Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,B365H,B365D,B365A,PSH,PSD,PSA,PSCH,PSCD,PSCA
E0,16/08/2024,20:00,Leeds,Hull,2,1,2.6,3.3,2.8,2.3,3.4,3.2,2.2,3.45,3.4
E0,20/08/2024,19:45,Derby,Luton,0,0,2.6,3.3,2.8,2.3,3.4,3.2,2.2,3.45,3.4
E0,24/08/2024,12:30,Hull,Derby,1,3,2.6,3.3,2.8,2.3,3.4,3.2,2.2,3.45,3.4
E0,26/08/2024,16:00,Luton,Leeds,1,0,2.6,3.3,2.8,2.3,3.4,3.2,2.2,3.45,3.4
"""


def backtest_of(season: str, folder: Path) -> dict[str, Any]:
    (folder / "E0.csv").write_text(season)
    names = ["football-data", str(folder / "E0.csv"), "--database", str(folder / "odds.db")]
    assert CliRunner().invoke(import_, names).exit_code == 0
    return dict(json.loads(run(folder / "odds.db", "--json").stdout))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r",\d\d:\d\d|,Time", ""),
        (r"(\d\d)/(\d\d)/(\d{4})", r"\3-\2-\1"),
        (r",(\d),(\d),", r",\1.0,\2.0,"),
    ],
)
def test_a_season_without_hours_or_saved_again_has_the_same_figures(
    old: str, new: str, tmp_path: Path
) -> None:
    (tmp_path / "saved").mkdir()
    saved = re.sub(old, new, SEASON)
    assert saved != SEASON
    first, second = backtest_of(SEASON, tmp_path), backtest_of(saved, tmp_path / "saved")
    assert first["bets"] == first["clv_bets"] == 4
    assert first["profit"] == pytest.approx(1.6 * 2 - 2)
    assert {name: first[name] for name in FIGURES} == {name: second[name] for name in FIGURES}


def test_bets_on_derived_fair_odds_are_marked_and_summed_up(tmp_path: Path) -> None:
    three = {"Leeds": 2.05, "Draw": 3.5, "Hull": 3.7}
    path = tmp_path / "derived.db"
    with closing(open_store(path)) as store:
        chance = {"1X": 1.2, "X2": 2.02, "12": 1.2}
        moneyline, double = ({"market_type": name} for name in ("moneyline", "double_chance"))
        store.record(
            [
                replace(quote("Pinnacle", three, START), **moneyline),
                replace(quote("Soft", chance, START), **double),
            ]
        ).result(10)
        last = quote("Pinnacle", three, START + 20 * HOUR)
        store.record([replace(last, **moneyline)]).result(10)
    assert json.loads(run(path, "--json", "--derived", "none").stdout)["rows"] == []
    found = json.loads(run(path, "--json").stdout)
    (row,) = found["rows"]
    assert (row["derived"], row["band_pct"], row["implied_close"]) == ("implied", None, True)
    assert found["derived"]["implied"]["clv_pct"] == pytest.approx(row["clv_pct"])
    assert "of these 1 bet implied: yield: unknown; CLV: +" in run(path).stdout


def season_of(games: int, folder: Path) -> Path:
    """Import a season in which the home side is value at Bet365; it wins every third game."""
    lines = [SEASON.splitlines()[0]]
    for number in range(games):
        goals = "2,1" if number % 3 == 0 else "0,0"
        odds = 2.5 + number % 5 / 50
        lines.append(
            f"E0,{number % 28 + 1:02}/{number // 28 + 1:02}/2025,20:00,Home {number},Away {number},"
            f"{goals},{odds},3.3,2.8,2.3,3.4,3.2,2.2,3.45,3.4"
        )
    (folder / "E0.csv").write_text("\n".join(lines) + "\n")
    path = folder / "season.db"
    names = ["football-data", str(folder / "E0.csv"), "--database", str(path)]
    done = CliRunner().invoke(import_, names)
    assert done.exit_code == 0, done.output
    return path


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return season_of(60, tmp_path_factory.mktemp("season"))


GRID = "method=shin,power;reference=Pinnacle,Nobody;least-ev=2,6"


def test_a_grid_is_an_array_of_what_each_combination_gives_alone(season: Path) -> None:
    found = json.loads(run(season, "--json", "--grid", GRID, "--rules", "none").stdout)
    keys = ("method", "reference", "least_ev")
    assert [tuple(each[key] for key in keys) for each in found] == [
        (method, reference, least)
        for method in ("shin", "power")
        for reference in ("Pinnacle", "Nobody")
        for least in (2, 6)
    ]
    assert {each["comparisons"] for each in found} == {8}
    alone = ["--method", "power", "--least-ev", "6", "--rules", "none", "--json"]
    one = json.loads(run(season, *alone).stdout)
    assert {key: found[5][key] for key in one} == one
    assert 0 < one["bets"] < found[4]["bets"] == 60
    assert "no price of the sharp book 'Nobody' was recorded" in found[2]["notes"][0]


def test_the_best_of_a_grid_has_a_corrected_interval(season: Path) -> None:
    found = json.loads(run(season, "--json", "--grid", GRID, "--rules", "none").stdout)
    for name in ("yield_pct", "clv_pct"):
        (best,) = [each for each in found if each[f"best_{name}"]]
        assert best[name] == max(each[name] for each in found if each[name] is not None)
        assert best[f"{name}_corrected_low"] < best[f"{name}_low"] < best[name]
        assert best[f"{name}_corrected_high"] == best[f"{name}_high"] > best[name]
        others = [each for each in found if each is not best]
        assert {each[f"{name}_corrected_low"] for each in others} == {None}


def test_a_grid_is_one_table_with_the_best_named_below(season: Path) -> None:
    lines = run(season, "--grid", GRID, "--rules", "none").stdout.splitlines()
    assert lines[0] == (
        "bets: value by 2 sharp books, 2 methods; 2 least EVs; no price rules; at any moment"
    )
    assert lines[5].split()[:4] == ["METHOD", "REFERENCE", "EV", "≥"]
    assert [line.split()[:3] for line in lines[6:14:3]] == [
        ["shin", "Pinnacle", "2"],
        ["shin", "Nobody", "6"],
        ["power", "Nobody", "2"],
    ]
    (best,) = [line for line in lines if line.startswith("best yield of 8: ")]
    assert re.fullmatch(
        r".*: (shin|power), Pinnacle, least EV (2|6), \S+ %, corrected 95 % interval \S+ to \S+",
        best,
    )
    assert "games to choose by" not in best
    (nobody,) = [line for line in lines if "was recorded" in line]
    assert nobody.startswith("Nobody: no price of the sharp book 'Nobody'")
    assert "60 games; Pinnacle priced 60 (100 %), from 2025-01-01 to 2025-03-04" in lines
    assert "60 games; Nobody priced 0 (0 %)" in lines


def narrow(*arguments: str) -> list[str]:
    """Return the lines that the command prints in a terminal of 80 columns."""
    read, write = os.openpty()
    termios.tcsetwinsize(write, (24, 80))
    program = [sys.executable, "-m", "oddsdesk", "backtest", *arguments]
    with subprocess.Popen(program, stdout=write, stderr=write) as process:
        os.close(write)
        text = b""
        with contextlib.suppress(OSError):
            while part := os.read(read, 65_536):
                text += part
        os.close(read)
    assert process.returncode == 0, text
    return text.decode().splitlines()


def test_a_method_has_one_name_in_an_output(season: Path) -> None:
    methods = ["--method", "margin_proportional", "--method", "multiplicative"]
    text = run(season, *methods).stdout
    assert "margin proportional" in text
    assert "margin_proportional" not in text


def test_a_narrow_terminal_gets_a_table_that_fits(season: Path) -> None:
    """What an axis but the last has stands above the rows that have it."""
    lines = narrow("--database", str(season), "--grid", GRID)
    start = next(number for number, line in enumerate(lines) if "EV ≥" in line)
    assert [line.split()[:2] for line in lines[start + 1 : start + 5]] == [
        ["shin,", "Pinnacle"],
        ["2", "60"],
        ["6", "36"],
        ["shin,", "Nobody"],
    ]
    assert max(map(len, lines)) <= 80


def test_a_narrow_terminal_gets_fewer_figures_and_no_broken_words(season: Path) -> None:
    lines = narrow("--database", str(season))
    assert max(map(len, lines)) <= 80
    assert lines[:2] == [
        "bets: value by Pinnacle, margin proportional; the contract's least EV; all price",
        "  rules of the contract; at any moment",
    ]
    titles = ["OF", "BETS", "PROFIT", "YIELD", "CLV", "DRAWDOWN"]
    assert titles in [line.split() for line in lines]


def test_rows_have_the_ev_with_and_without_the_safety_margin(season: Path) -> None:
    asked = ["--least-ev", "0", "--rules", "none"]
    found = json.loads(run(season, "--json", *asked).stdout)
    for row in found["rows"]:
        assert row["net_ev_pct"] == pytest.approx((row["net_odds"] / row["fair_odds"] - 1) * 100)
        safe = row["fair_odds"] * 1.01
        assert row["ev_pct"] == pytest.approx((row["net_odds"] / safe - 1) * 100)
    assert min(row["net_ev_pct"] for row in found["rows"]) >= 0
    expected = sum(row["stake"] * row["net_ev_pct"] / 100 for row in found["rows"])
    below = run(season, *asked).stdout.split("EXPECTED")[1].splitlines()[1]
    assert f"{expected:+.2f}" in below.split()


def test_a_share_of_the_bankroll_is_staked(season: Path) -> None:
    asked = ["--staking", "proportional", "--share", "2%", "--bankroll", "1000"]
    found = json.loads(run(season, "--json", *asked).stdout)
    assert (found["staking"], found["share"]) == ("proportional", 2)
    assert found["rows"][0]["stake"] == 20
    assert found["bankroll"]["start"] == 1000
    assert found["bankroll"]["end"] == pytest.approx(1000 + found["profit"])
    assert found["yield_pct"] == pytest.approx(found["profit"] / found["staked"] * 100)
    text = run(season, *asked).stdout
    assert "stakes: 2 % of a running bankroll of 1,000 units" in text
    assert text.count("bankroll 1,000.00 to ") == 1
    assert "largest stake" in text


def test_kelly_has_the_share_and_the_caps_of_the_desk(season: Path) -> None:
    settings_folder().mkdir(parents=True, exist_ok=True)
    (settings_folder() / "desk.ini").write_text("[stakes]\nkelly_share=40\ncap=1\n", "utf-8")
    text = run(season, "--staking", "kelly").stdout
    assert (
        "stakes: 40 % Kelly of a running bankroll of 100 units, at most 1 % on an outcome,"
        " 3 % on a game, 25 % on all open bets"
    ) in text
    (settings_folder() / "desk.ini").unlink()


SERIES = """Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,PSH,PSD,PSA,PSCH,PSCD,PSCA,\
MaxCH,MaxCD,MaxCA,AvgCH,AvgCD,AvgCA
E0,16/08/2024,20:00,Leeds,Hull,2,1,2.3,3.4,3.2,2.2,3.45,3.4,2.6,3.5,3.4,2.3,3.4,3.3
E0,20/08/2024,19:45,Derby,Luton,0,0,2.3,3.4,3.2,2.2,3.45,3.4,2.3,3.5,3.4,2.2,3.4,3.3
E0,24/08/2024,12:30,Hull,Derby,1,3,2.3,3.4,3.2,2.2,3.45,3.4,,,,,,
"""


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("series")
    (folder / "E0.csv").write_text(SERIES)
    path = folder / "series.db"
    names = ["football-data", str(folder / "E0.csv"), "--database", str(path)]
    assert CliRunner().invoke(import_, names).exit_code == 0
    return path


def test_the_best_against_the_mean_says_how_many_games_have_both(series: Path) -> None:
    """Only Leeds at 2.6 against a mean of 2.3 is (1/2.3 - 0.05) x 2.6 = 1.0004."""
    asked = ["--strategy", "best-vs-mean", "--series", "football-data", "--at", "close"]
    asked += ["--least-books", "40"]
    found = json.loads(run(series, "--json", *asked).stdout)
    assert [(row["selection"], row["odds"], row["bookmaker"]) for row in found["rows"]] == [
        ("Leeds", 2.6, "Best of many (football-data)")
    ]
    settings = ("strategy", "reference", "method", "alpha", "least_books", "at", "series")
    assert [found[name] for name in settings] == [
        *("best-vs-mean", "mean of many (football-data)", None, 0.05, None, "close"),
        "football-data",
    ]
    covered = found["coverage"]
    assert (covered["games"], covered["reference_games"], covered["with_close"]) == (3, 2, 3)
    assert covered["reference_last_day"] == "2024-08-20"
    lines = run(series, *asked).stdout.splitlines()
    assert lines[0] == (
        "bets: best-vs-mean, match results with (1/mean - alpha) x best odds above 1; alpha 0.05;"
        " mean of the series football-data; at the close"
    )
    priced = "3 games; the series football-data priced 2 (67 %), from 2024-08-16 to 2024-08-20"
    assert priced in lines


def test_alphas_are_compared_and_other_settings_stay(series: Path) -> None:
    asked = ["--strategy", "best-vs-mean", "--series", "football-data", "--at", "close"]
    found = json.loads(run(series, "--json", *asked, "--grid", "alpha=0.05,0.06").stdout)
    assert [(each["alpha"], each["bets"], each["comparisons"]) for each in found] == [
        (0.05, 1, 2),
        (0.06, 0, 2),
    ]


def test_a_mean_of_few_bookmakers_is_none(season: Path) -> None:
    asked = ["--strategy", "best-vs-mean"]
    none = run(season, *asked).stdout
    assert "3 or more bookmakers priced no match result in this database" in none
    assert "60 games; 3 or more bookmakers priced 0 (0 %)" in none
    two = json.loads(run(season, *asked, "--least-books", "2", "--alpha", "0", "--json").stdout)
    assert two["coverage"]["reference_games"] == 60
    assert two["bets"] > 60


def test_value_of_a_series_says_how_many_games_have_it(series: Path) -> None:
    asked = ["--series", "football-data", "--at", "close", "--rules", "none"]
    found = json.loads(run(series, "--json", *asked).stdout)
    assert {row["bookmaker"] for row in found["rows"]} == {"Best of many (football-data)"}
    covered = found["coverage"]
    assert (covered["reference_games"], covered["with_series"]) == (3, 2)
    text = run(series, *asked).stdout
    assert "bets: the best odds of football-data, value by Pinnacle" in text
    assert "best odds of the series for 2 (67 %)" in text


def test_a_missing_series_is_said(season: Path) -> None:
    text = run(season, "--series", "football-data").stdout
    assert "no game has odds of the series football-data in this database" in text
