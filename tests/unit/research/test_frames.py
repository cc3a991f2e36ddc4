"""`oddsdesk.research`: data frames with the figures and rows of the commands."""

import csv
import io
import json
import subprocess
import sys
from contextlib import closing as closed
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk import research
from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.store.store import open_store
from tests.kit.football_season import season_csv

pandas = pytest.importorskip("pandas")

SHARED = Path(__file__).parents[4] / "shared" / "data" / "football-data" / "bet365-only"


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def imported(folder: Path, *files: Path) -> Path:
    database = folder / "season.db"
    run("import", "football-data", *files, "--database", database)
    return database


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(season_csv())))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("season")
    file = folder / "E0.csv"
    file.write_text(season_csv())
    return imported(folder, file)


def plain(frame: Any) -> list[dict[str, Any]]:
    """The rows as JSON has them: times as texts, None for what is missing."""
    rows = []
    for row in frame.to_dict("records"):
        for name, value in row.items():
            if isinstance(value, pandas.Timestamp):
                row[name] = value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            elif not isinstance(value, list | dict) and pandas.isna(value):
                row[name] = None
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        (
            {"method": "shin", "reference": "Bet365", "close_method": "power"},
            ["--method", "shin", "--reference", "Bet365", "--close-method", "power"],
        ),
        (
            {"since": date(2024, 9, 1), "until": "2024-11-01", "close_reference": "consensus"},
            ["--from", "2024-09-01", "--to", "2024-11-01", "--close-reference", "consensus"],
        ),
        (
            {"least_ev": 0.5, "rules": ["Book margin", "sharp margin"], "staking": "kelly"},
            ["--least-ev", "0.5", "--rules", "Book margin,sharp margin", "--staking", "kelly"],
        ),
        (
            {"rules": "none", "staking": "proportional", "share": 2, "bankroll": 50},
            [*("--rules", "none", "--staking", "proportional"), "--share", "2", "--bankroll", "50"],
        ),
        (
            {"strategy": "best-vs-mean", "alpha": 0.03, "least_books": 2, "at": "close"},
            [
                *("--strategy", "best-vs-mean", "--alpha", "0.03"),
                *("--least-books", "2", "--at", "close"),
            ],
        ),
        (
            {"strategy": "best-vs-mean", "series": "football-data", "alpha": 0.02},
            ["--strategy", "best-vs-mean", "--series", "football-data", "--alpha", "0.02"],
        ),
        (
            {"series": "football-data", "rules": "none", "least_ev": 0},
            ["--series", "football-data", "--rules", "none", "--least-ev", "0"],
        ),
        (
            {"preset": "main markets", "latency_ms": 5_000, "derived": "none"},
            ["--preset", "Main markets", "--latency", "5000", "--derived", "none"],
        ),
    ],
)
def test_a_backtest_has_the_bets_and_the_figures_of_the_command(
    database: Path, arguments: dict[str, Any], options: list[str]
) -> None:
    frame = research.backtest(database, **arguments)
    command = json.loads(run("backtest", "--database", database, "--json", *options))
    rows = plain(frame.drop(columns="sport"))
    assert [row | {"period": int(row["period"])} for row in rows] == command["rows"]
    assert set(frame.sport) <= {"Football"}
    kept = {name: frame.attrs[name] for name in command if name in frame.attrs}
    said = {"notes": frame.attrs["notes"], "rules": command["rules"].replace(",", "+")}
    assert kept == {name: command[name] for name in kept} | said
    assert kept.keys() == command.keys() - {"rows"}
    assert kept.keys() >= {"bets", "yield_pct_low", "clv_pct", "clv_pct_high", "coverage"}
    head, *others = frame.attrs["notes"]
    assert head.startswith(f"judged by {command['reference']}")
    method = command["close_method"].replace("_", " ")
    assert head.endswith(f"; CLV vs the {command['close_reference']} close, {method}")
    assert others[: len(command["notes"])] == command["notes"]
    assert any(" games; " in line for line in frame.attrs["notes"])
    has_refused = any("refused" in line for line in frame.attrs["notes"])
    assert has_refused is (arguments.get("strategy") != "best-vs-mean")


def test_a_grid_has_the_rows_of_the_command(database: Path) -> None:
    axes = {"method": ["power", "shin"], "reference": ["Pinnacle", "Bet365"], "least_ev": [0, 2]}
    frame = research.grid(database, **axes, staking="proportional")
    lists = "method=power,shin;reference=Pinnacle,Bet365;least-ev=0,2"
    how = ["--grid", lists, "--staking", "proportional", "--json"]
    command = json.loads(run("backtest", "--database", database, *how))
    assert len(frame) == len(command) == frame.attrs["comparisons"] == 8
    nested = ("rows", "notes", "derived")
    for row, fields in zip(plain(frame), command, strict=True):
        flat = {name: value for name, value in fields.items() if name not in nested}
        flat |= {f"bankroll_{name}": value for name, value in flat.pop("bankroll").items()}
        flat |= flat.pop("coverage")
        head, *notes = row.pop("notes")
        by = f"{row['reference']}, {row['method']}; CLV vs the Pinnacle close, margin proportional"
        assert head == f"judged by {by}"
        assert notes[: len(fields["notes"])] == fields["notes"]
        assert row == flat
    assert frame.best_clv_pct.sum() == frame.best_yield_pct.sum() == 1
    best = frame[frame.best_clv_pct].iloc[0]
    assert best.clv_pct_corrected_low <= best.clv_pct_low < best.clv_pct == frame.clv_pct.max()


def test_a_grid_of_alphas_is_a_backtest_for_each(database: Path) -> None:
    how: dict[str, Any] = {"strategy": "best-vs-mean", "series": "football-data"}
    frame = research.grid(database, **how, alpha=[0.03, 0.02])
    each = [len(research.backtest(database, **how, alpha=alpha)) for alpha in (0.03, 0.02)]
    assert frame.bets.tolist() == each
    assert 0 < each[0] < each[1]
    assert frame.alpha.tolist() == [0.03, 0.02]


def test_a_grid_of_one_combination_is_the_backtest(database: Path) -> None:
    row = research.grid(database, least_ev=1).iloc[0]
    figures = research.backtest(database, least_ev=1).attrs
    assert (row.bets, row.clv_pct, row.comparisons) == (figures["bets"], figures["clv_pct"], 1)


def test_a_mean_by_game_has_the_interval_of_the_backtest(database: Path) -> None:
    bets = research.backtest(database)
    clv = research.mean_by_game(bets, "clv_pct")
    earned = research.mean_by_game(bets, "profit", per="stake")
    for found, name, times in ((clv, "clv_pct", 1), (earned, "yield_pct", 100)):
        ends = [bets.attrs[f"{name}{end}"] for end in ("", "_low", "_high")]
        assert [found.figure, found.low, found.high] == pytest.approx(
            [each / times for each in ends]
        )
    assert earned.count == bets.profit.notna().sum() == len(bets) - 1
    few = research.mean_by_game(bets[:5], "profit")
    assert few.figure == pytest.approx(bets[:5].profit.mean())
    assert str(few.low) == str(few.high) == "nan"


def test_bets_are_only_at_the_named_bookmakers(database: Path) -> None:
    frame = research.backtest(database, bookmakers="bet365")
    assert set(frame.bookmaker) == {"Bet365"}
    assert research.backtest(database, bookmakers=["nobody"]).empty


def test_times_are_moments_in_utc_also_without_rows(database: Path) -> None:
    frame = research.backtest(database)
    assert frame.placed_at[0] < frame.match_date[0] == pandas.Timestamp("2024-08-17 14:00", tz=UTC)
    none = research.backtest(database, since="2030-01-01")
    assert none.empty
    assert (none.dtypes == frame.dtypes).all()
    assert none.attrs["bets"] == 0


def test_a_scorecard_has_the_figures_of_the_command(database: Path) -> None:
    frame = research.scorecard(database, since="2024-09-01")
    command = json.loads(run("scorecard", "--database", database, "--from", "2024-09-01", "--json"))
    assert frame.attrs["coverage"] == command[0]["coverage"]
    assert any("75 games; Pinnacle priced 75" in line for line in frame.attrs["notes"])
    shared = ("reference", "close_reference", "close_method", "coverage")
    for card in command:
        assert all(frame.attrs[name] == card.pop(name) for name in shared)
    assert plain(frame) == command


@pytest.mark.parametrize("what", ["changes", "quotes", "results", "series"])
def test_exports_have_the_rows_of_the_command(database: Path, what: str) -> None:
    """A list in JSON is a tuple of numbers here."""
    span = ["--from", "2024-09-01", "--to", "2024-10-01"]
    exported = [
        json.loads(line)
        for line in run("export", what, "--database", database, *span, "-").splitlines()
    ]
    frame = getattr(research, what)(database, since="2024-09-01", until=date(2024, 10, 1))
    assert json.loads(json.dumps(plain(frame))) == exported != []


def test_changes_can_be_narrowed_and_stay_small(database: Path) -> None:
    every = research.changes(database)
    assert every.memory_usage(index=False).sum() < 80 * len(every) + 60_000
    some = research.changes(database, bookmaker=["Bet365", "Pinnacle"], market_type="moneyline")
    assert set(some.bookmaker) == {"Bet365", "Pinnacle"}
    assert len(some) == every.bookmaker.isin(["Bet365", "Pinnacle"]).sum()
    assert research.quotes(database, competition="LIGA").empty


CODES = {"Bet365": "B365", "Pinnacle": "PS", "William Hill": "WH"}


def test_closing_lines_are_the_closing_columns_with_results(
    database: Path, season: list[dict[str, str]]
) -> None:
    frame = research.closing(database)
    expected = {}
    for row in season:
        for name, code in CODES.items():
            for side, letter in (("home", "H"), ("draw", "D"), ("away", "A")):
                if odds := row[f"{code}C{letter}"]:
                    game = f"{row['HomeTeam']} vs {row['AwayTeam']}"
                    expected[game, name, side] = float(odds), result(row, letter)
    found = {
        (row["match_name"], row["bookmaker"], row["side"]): (row["odds"], row["result"])
        for row in plain(frame)
    }
    assert found == expected
    assert len(frame) == len(expected)
    won = frame[frame.result == "won"]
    assert ((won.odds - 1 - won.profit).abs() < 1e-12).all()
    assert (frame[frame.result == "lost"].profit == -1).all()
    unknown = frame[frame.result.isna()]
    assert unknown.profit.isna().all()
    assert set(unknown.no_result) == {"no result"}
    assert set(won.no_result) == {""}
    ours = frame[(frame.match_name == frame.match_name[0]) & (frame.bookmaker == "Bet365")]
    assert (1 / ours.fair_odds).sum() == pytest.approx(1)


def result(row: dict[str, str], letter: str) -> str | None:
    if not row["FTHG"]:
        return None
    ahead = int(row["FTHG"]) - int(row["FTAG"])
    return "won" if letter == ("D" if not ahead else "H" if ahead > 0 else "A") else "lost"


def quote(game: str, odds: dict[str, float], at: str, kick_off: str) -> Quote:
    return Quote(
        *("Betfair Exchange", game, "EPL", "moneyline", 0, odds, parse_ms(at)),
        match_date=parse_ms(kick_off),
    )


@pytest.fixture
def one_game(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    name, begins = "Leeds vs Hull", "2024-03-02T15:00:00Z"
    prices = [{"Leeds": 2.0, "Draw": 3.5, "Hull": 4.0}, {"Leeds": 1.9, "Draw": 3.6, "Hull": 4.4}]
    with closed(open_store(path)) as store:
        for odds, at in zip(prices, ("2024-03-01T15:00:00Z", "2024-03-02T12:00:00Z"), strict=True):
            store.record([quote(name, odds, at, begins)]).result(10)
    return path


def test_a_price_of_any_age_counts_on_request_after_the_log_has_ended(one_game: Path) -> None:
    assert research.closing(one_game).empty
    assert research.closing(one_game, max_age_minutes=179).empty
    last = research.closing(one_game, max_age_minutes=None)
    assert dict(zip(last.side, last.odds, strict=True)) == {"home": 1.9, "draw": 3.6, "away": 4.4}
    assert len(research.closing(one_game, max_age_minutes=180)) == 3
    kept = 1 - shipped_profiles().profile_of("Betfair Exchange").commission
    assert kept < 1
    assert last.net_odds[0] == pytest.approx(1 + 0.9 * kept)
    assert set(last.seen_at) == {pandas.Timestamp("2024-03-02 12:00", tz=UTC)}
    assert research.closing(one_game, max_age_minutes=None, until="2024-03-02").empty
    assert research.closing(one_game, max_age_minutes=None, bookmaker="Pinnacle").empty


def test_every_away_price_of_bet365_in_a_range_is_counted(tmp_path: Path) -> None:
    files = [SHARED / f"E0_{season}.csv" for season in ("1920", "2021", "2122")]
    if not SHARED.is_dir():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    span = {"since": "2020-04-01", "until": "2022-06-01"}
    lines = research.closing(imported(tmp_path, *files), **span, max_age_minutes=None)
    bets = lines[(lines.side == "away") & lines.odds.between(2.5, 4.0)]
    assert (len(bets), (bets.result == "won").sum()) == (260, 93)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "guess"}, "method: expected one of margin_proportional, multi"),
        ({"close_method": "guess"}, "close_method: expected one of"),
        ({"derived": "some"}, "derived: expected one of all, implied, none, got 'some'"),
        ({"since": "soon"}, "since: expected a date, or a time with an offset such as"),
        ({"since": datetime(2024, 1, 1, 12)}, "got '2024-01-01T12:00:00'"),
        ({"since": "2024-02-01", "until": "2024-01-01"}, "since must be earlier than until"),
        ({"preset": "mine"}, "no preset 'mine'; presets are 'All value bets'"),
        ({"latency_ms": -1}, "latency_ms: expected a number of at least 0, got -1"),
        ({"archive": "nowhere"}, "archive: nowhere is not a folder"),
        ({"least_ev": -6}, "The least EV is from -5 to 100 percent, not -6"),
        ({"rules": "all"}, "No rule is called “all”: use contract, none, or names of"),
        ({"strategy": "best"}, "strategy: expected one of value, best-vs-mean, got 'best'"),
        ({"at": "open"}, "at: expected one of any, close, got 'open'"),
        ({"least_books": 0}, "least_books: expected a number of at least 1, got 0"),
        ({"alpha": float("nan")}, "alpha: expected a number of at least 0, got nan"),
        ({"series": "mine"}, "series: expected one of football-data, got 'mine'"),
        ({"share": 2}, "share needs staking proportional or kelly"),
        ({"staking": "kelly", "share": 0}, "share: expected a percentage above 0"),
        ({"staking": "kelly", "bankroll": -1}, "bankroll: expected a number above 0"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    database: Path, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        research.backtest(database, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": []}, "method is an empty list: give at least one value"),
        ({"least_ev": [1, 1.0]}, "least_ev has a value twice"),
        ({"rules": ["none", "All"]}, "No rule is called “All”"),
        ({"alpha": [0.05, 0.034]}, "alpha has no effect with strategy value"),
        (
            {"strategy": "best-vs-mean", "method": ["shin", "power"]},
            "method has no effect with strategy best-vs-mean",
        ),
    ],
)
def test_grids_that_make_no_sense_are_refused(
    database: Path, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        research.grid(database, **arguments)


def test_closing_lines_of_an_unknown_bookmaker_are_refused_with_who_may_be_meant(
    database: Path,
) -> None:
    for name, meant in (("Pinacle", "; did you mean Pinnacle?"), ("Foo", "")):
        with pytest.raises(ValueError, match="bookmaker: no bookmaker is called") as raised:
            research.closing(database, bookmaker=name)
        assert str(raised.value).endswith(f"is called {name!r}{meant}")
    assert len(research.closing(database, bookmaker="pinnacle"))


@pytest.mark.parametrize(
    "what", ["backtest", "grid", "scorecard", "changes", "results", "series", "closing"]
)
def test_a_database_that_cannot_be_read_is_named_in_the_words_of_the_command(
    tmp_path: Path, what: str
) -> None:
    path = tmp_path / "missing.db"
    with pytest.raises(research.ResearchError) as raised:
        getattr(research, what)(path)
    done = CliRunner().invoke(main, ["backtest", "--database", str(path)])
    assert done.output.strip().removeprefix("Error: ") == str(raised.value)


def test_nothing_needs_pandas_until_it_is_used_and_then_it_says_what_to_install() -> None:
    program = """
import sys
sys.modules["pandas"] = None
from oddsdesk import research
import oddsdesk.research.backtests, oddsdesk.research.scorecards, oddsdesk.research.export
print([name in sys.modules for name in ("oddsdesk.research.frames", "numpy")], dir(research))
try:
    research.backtest("odds.db")
except ImportError as error:
    print(error)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded, words = ended.stdout.splitlines()
    assert loaded.startswith("[False, False]")
    assert "'scorecard'" in loaded
    assert words.startswith("data frames need pandas, which is not installed: pip install ")
    assert "[analysis]" in words


def test_all_that_is_public_can_be_imported_and_is_described() -> None:
    for name in research.__all__:
        assert getattr(research, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        research.nothing  # noqa: B018
