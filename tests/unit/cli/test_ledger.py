"""`oddsdesk ledger`."""

import json
import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from oddsdesk.archive.archive import Archive
from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.cli.ledger import ledger
from oddsdesk.cli.settle import RecurringSettlement
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import DAY_MS
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.selections import Result as Outcome
from oddsdesk.store.store import open_store
from tests.unit.ledger.test_reading import YEAR, workbook

KICK_OFF = 1_776_366_000_000
MINUTE = 60_000
NAME = "Leeds - Wolves"
BET = PlacedBet(
    *(game_id("EPL", NAME), NAME, "EPL", "Football", "total", 0, "Over 2.5"),
    *("Bet365", 2.1, 10.0, KICK_OFF - 90 * MINUTE),
    kick_off=KICK_OFF,
    fair_odds=2.0,
    true_ev=3.96,
    method="multiplicative",
    net_odds=2.1,
)
NOT_WRONG = {"wrong": 0, "mended": 0}
NO_SCORES = "scores cannot settle these bets, and they get no closing line"


@pytest.fixture(autouse=True)
def held() -> list[PlacedBet]:
    with closing(Ledger(default_ledger())) as held:
        return held.place_all([BET, msgspec.structs.replace(BET, currency="EUR")], "placed")


def run(*arguments: str, exit_code: int = 0) -> Result:
    done = CliRunner().invoke(ledger, arguments)
    assert done.exit_code == exit_code, done.output
    return done


def told(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_bets_are_listed_by_state() -> None:
    assert [bet["bet"] for bet in told("list")] == [1, 2]
    assert [bet["state"] for bet in told("list", "--state", "to-settle")] == ["to settle"] * 2
    assert told("list", "--state", "settled") == []
    assert "Over 2.5" in run("list").stdout


def test_lists_and_reports_say_of_each_kind_what_is_at_risk() -> None:
    lay = msgspec.structs.replace(BET, kind=BetKind.LAY, odds=5.5, stake=72.99, net_odds=None)
    free = msgspec.structs.replace(BET, kind=BetKind.FREE, odds=5.0, stake=100.0, net_odds=None)
    legs = tuple(BetLeg(selection=each, odds=2.0) for each in ("Over 2.5", "Leeds"))
    multiple = msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, legs=legs, odds=4.0, net_odds=4.0
    )
    default_ledger().unlink()
    with closing(Ledger(default_ledger())) as held:
        held.place_all([lay, free, multiple], "placed")
    rows = told("list")
    assert [(row["kind"], row["staked"], row["free_staked"]) for row in rows] == [
        ("lay", 328.455, 0),
        ("free", 0, 100),
        ("multiple", 10, 0),
    ]
    assert [row["liability"] for row in rows] == [328.455, None, None]
    assert [leg["selection"] for leg in rows[2]["legs"]] == ["Over 2.5", "Leeds"]
    listed = run("list").stdout
    assert "Over 2.5 (lay 72.99)" in listed
    assert "stakes of lays are liabilities" in listed
    for bet in ("1", "2", "3"):
        run("settle", bet, "won")
    split = told("report", "--by", "kind")
    assert [(row["of"], row["staked"], row["free_staked"], row["profit"]) for row in split] == [
        ("lay", 328.455, 0, pytest.approx(72.99)),
        ("multiple", 10, 0, 30),
        ("free bet", 0, 100, 400),
        (None, pytest.approx(338.455), 100, pytest.approx(502.99)),
    ]


def test_an_ev_of_a_decided_unit_is_marked_and_goes_into_files_and_back(tmp_path: Path) -> None:
    assert "*" not in run("list").stdout
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(msgspec.structs.replace(BET, selection="Over 3", per="decided"))
    *_, whole, last = run("list").stdout.splitlines()
    assert "+5.00 % *" in whole
    assert last == "3 bets; * EV without pushes, as how often the line pushes is not known"
    file = tmp_path / "bets.csv"
    file.write_text(run("export").stdout)
    default_ledger().unlink()
    run("import", str(file))
    assert [bet["per"] for bet in told("list")] == ["", "", "decided"]


def test_the_list_says_what_open_bets_lose_at_worst_in_each_currency() -> None:
    """155 at 1.935 and 150 at 2.00 on two sides lock in a loss: 5.075 of 305."""
    assert "at risk" not in run("list").stdout, "these games are long over"
    later = system_clock() + 60 * MINUTE
    over = msgspec.structs.replace(BET, kick_off=later, odds=1.935, net_odds=1.935, stake=155.0)
    under = msgspec.structs.replace(
        over, selection="Under 2.5", bookmaker="X", odds=2.0, net_odds=2.0, stake=150.0
    )
    euro = msgspec.structs.replace(over, currency="EUR", stake=7.0)
    with closing(Ledger(default_ledger())) as held:
        held.place_all([over, under, euro], "placed")
    assert run("list").stdout.splitlines()[-1] == "5 bets, at risk 5.07, 7.00 EUR"
    sure = [msgspec.structs.replace(each, stake=9.0, currency="GBP") for each in (over, under)]
    sure[0] = msgspec.structs.replace(sure[0], odds=2.1, net_odds=2.1)
    with closing(Ledger(default_ledger())) as held:
        held.place_all(sure, "sure")
    assert run("list").stdout.splitlines()[-1].endswith(", 0.00 GBP")


def test_bets_are_settled_by_number_and_that_is_taken_back() -> None:
    assert told("settle", "1", "2", "won")["settled"] == 2
    assert {bet["profit"] for bet in told("list")} == {11.0}
    assert told("undo") == {"undone": "settled", "bets": 2}
    assert {bet["result"] for bet in told("list")} == {"open"}


def test_legs_are_settled_by_number_and_decide_the_bet() -> None:
    legs = tuple(BetLeg(selection=name, odds=2.0) for name in ("Leeds", "Arsenal"))
    multiple = msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, odds=4.0, net_odds=4.0, legs=legs
    )
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(multiple)
    counts = told("settle", "3.1", "void")
    assert (counts["settled"], counts["legs_settled"]) == (0, 1)
    assert counts["lists"]["legs_settled"][0]["legs"][0]["result"] == "void"
    assert told("settle", "3.2", "won")["settled"] == 1
    assert (told("list")[2]["result"], told("list")[2]["profit"]) == ("won", 10)
    assert told("settle", "3.1", "3.2", "lost")["settled"] == 1
    assert told("list")[2]["profit"] == -10
    told("undo")
    assert told("list")[2]["profit"] == 10


def test_a_watch_prints_each_leg_that_settles_and_the_bet_that_it_decides() -> None:
    wolves = {"match_name": NAME, "competition": "EPL", "sport": "Football", "kick_off": KICK_OFF}
    legs = (
        BetLeg(selection="Leeds", odds=2.0, market_type="moneyline", **wolves),
        BetLeg(selection="Over 2.5", odds=2.0, market_type="total", **wolves),
        BetLeg(selection="Arsenal", odds=2.0),
    )
    multiple = msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, odds=8.0, net_odds=8.0, legs=legs
    )
    with closing(Ledger(default_ledger())) as held:
        held.delete_bets(1, 2)
        held.record_bet(multiple)
    result = GameResult("EPL", NAME, KICK_OFF, 1, 0, overtime=False, source="scores")
    settlement = RecurringSettlement()
    leeds, over, whole = settlement.settle_bets(lambda _: [result])
    assert leeds == "leg settled: bet 3, Leeds, Leeds v Wolves: won by scores 1-0"
    assert over == "leg settled: bet 3, Over 2.5, Leeds v Wolves: lost by scores 1-0"
    assert whole.startswith("settled: bet 3, Over 2.5, Leeds v Wolves: lost by leg 2, Over 2.5: ")
    assert settlement.settle_bets(lambda _: [result]) == []


def test_an_each_way_bet_is_settled_as_placed() -> None:
    each_way = msgspec.structs.replace(BET, kind=BetKind.EACH_WAY, place_fraction=0.2)
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(each_way)
    told("settle", "3", "placed")
    assert told("list")[2]["profit"] == pytest.approx(5 * 1.1 * 0.2 - 5)


def test_a_part_is_cashed_out() -> None:
    told("settle", "1", "cashed-out", "--back", "7.5", "--part", "5")
    told("settle", "1", "lost")
    assert told("list")[0]["profit"] == pytest.approx(-2.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["settle"], "give BET... RESULT, --results FILE or --database FILE|URL"),
        (["settle", "7", "won"], "no bet 7"),
        (["settle", "1", "perhaps"], "expected won, lost"),
        (["settle", "1", "cashed-out"], "with --back AMOUNT"),
        (["settle", "1", "won", "--back", "3"], "are only for cashed-out"),
        (["settle", "won"], "give bet numbers"),
        (["settle", "x", "won"], "bet 'x': expected the number of a bet"),
        (["settle", "1.2", "won"], "bet 1 has no leg 2: it has no legs"),
        (["settle", "1.2", "cashed-out", "--back", "3"], "cash out one bet at a time"),
        (["settle", "1", "placed"], "only each-way bets can settle as placed"),
        (["settle", "1", "half-won"], "Over 2.5 is won or lost in full: half results are for"),
    ],
)
def test_misuse_is_said(arguments: list[str], said: str) -> None:
    assert said in run(*arguments, exit_code=2).stderr


def test_a_file_settles_and_what_is_wrong_in_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("bet,result\n1,won\n8,lost\n")
    done = run("settle", "--results", str(file), exit_code=1)
    assert done.stdout == "settled 1, to check 0, for no bet 0, problems 1\n"
    assert f"{file}: line 3: no bet 8" in done.stderr
    assert "cannot be read" in run("settle", "--results", "nowhere.csv", exit_code=1).stderr


def test_reports_never_sum_two_currencies() -> None:
    told("settle", "1", "won")
    told("settle", "2", "lost")
    reports = told("report", "--by", "bookmaker")
    assert [(each["currency"], each["of"], each["profit"]) for each in reports] == [
        ("", "Bet365", 11.0),
        ("", None, 11.0),
        ("EUR", "Bet365", -10.0),
        ("EUR", None, -10.0),
    ]
    assert reports[1]["expected"] == pytest.approx(0.396)
    assert "EUR" in run("report").stdout


def test_a_report_says_of_how_many_bets_an_ev_or_a_close_is_known(tmp_path: Path) -> None:
    """Nothing known is no figure: an expected profit of 0 would be one."""
    blank = {"fair_odds": None, "true_ev": None}
    close = ClosingLine(1.9, 2.0, "multiplicative", KICK_OFF)
    bets = [
        msgspec.structs.replace(BET, result=Outcome.WON, settled_at=KICK_OFF, **fields)
        for fields in (blank, blank | {"close": close}, {"bookmaker": "Other"})
    ]
    default_ledger().unlink()
    with closing(Ledger(default_ledger())) as held:
        held.place_all(bets, "placed")
    headings, *rows = run("report", "--by", "bookmaker").stdout.splitlines()
    start, end = headings.index("YIELD") + len("YIELD"), headings.index("DRAWDOWN")
    bet365, other, whole = (row[start:end].strip() for row in rows)
    assert (bet365, other) == ("+5.00 % of 1", "+0.50")
    assert whole == "+0.50 of 1  +5.00 % of 1"


def test_a_report_without_a_settled_bet_says_so() -> None:
    assert run("report").stdout == "no settled bets yet\n"
    assert told("report") == []


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (["list"], 0),
        (["report"], 0),
        (["export"], 0),
        (["close", "--database", "odds.db"], 0),
        (["settle", "--results", "-"], 1),
        (["settle", "1", "won"], 2),
        (["undo"], 1),
    ],
)
def test_only_an_import_makes_a_ledger(
    arguments: list[str], exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    open_store(Path("odds.db")).close()
    shutil.rmtree(default_ledger().parent)
    run(*arguments, exit_code=exit_code)
    assert not default_ledger().parent.exists()
    (tmp_path / "bets.csv").write_text("Selection,Bookmaker,Stake,Odds\nArsenal,Bet365,10,2.1\n")
    run("import", "bets.csv")
    assert len(told("list")) == 1


def test_a_ledger_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    assert "does not exist" in run("export", "--ledger", str(other), exit_code=2).stderr
    assert not other.exists()


def test_what_is_exported_is_imported_elsewhere_and_not_twice(tmp_path: Path) -> None:
    told("settle", "1", "won")
    for name in ("bets.csv", "bets.xlsx"):
        file, other = tmp_path / name, tmp_path / f"{name}.db"
        run("export", "--to", str(file))
        there = ("import", str(file), "--ledger", str(other))
        rest = {"settled": 0, "bad": 0, "profit_differs": 0}
        assert told(*there) == {"bets": 2, "there_already": 0} | rest
        assert told(*there) == {"bets": 0, "there_already": 2} | rest
        with closing(Ledger(default_ledger())) as one, closing(Ledger(other)) as two:
            assert one.read_bets() == two.read_bets()
    assert [bet["bet"] for bet in json.loads(run("export", "--json").stdout)] == [1, 2]


def test_a_file_to_export_into_is_named_as_others_are(tmp_path: Path) -> None:
    file = tmp_path / "bets.json"
    run("export", str(file))
    assert [bet["bet"] for bet in json.loads(file.read_text())] == [1, 2]
    if os.name == "posix":
        assert file.stat().st_mode & 0o077 == 0, "bets are their owner's"
    assert run("export", "-").stdout == run("export").stdout
    twice = CliRunner().invoke(ledger, ["export", str(file), "--to", str(file)])
    assert twice.exit_code == 2
    assert "give only one of them" in twice.stderr


def test_a_list_without_dates_is_taken_once_and_settles_what_was_open(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake,result\nPSG,2.0,5,\nPSG,2.0,7,\nPSG,2.0,5,\n")
    counts = {"settled": 0, "bad": 0, "profit_differs": 0}
    assert told("import", str(file)) == {"bets": 3, "there_already": 0} | counts
    assert told("import", str(file)) == {"bets": 0, "there_already": 3} | counts
    file.write_text("selection,odds,stake,result\nPSG,2.0,5,won\nPSG,2.0,7,\nPSG,2.0,9,lost\n")
    counts["settled"] = 1
    assert told("import", str(file)) == {"bets": 1, "there_already": 2} | counts
    states = [(bet["stake"], bet["result"]) for bet in told("list")[2:]]
    assert states == [(5, "won"), (7, "open"), (5, "open"), (9, "lost")]


def test_two_bets_of_a_day_are_two_where_no_more_than_the_day_is_known(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    for stake, bets in (("10", 1), ("25", 1), ("25", 0)):
        file.write_text(f"date,selection,odds,stake\n2026-04-16,PSG,2.0,{stake}\n")
        assert told("import", str(file))["bets"] == bets


@pytest.mark.parametrize("title", ["Game", "Fixture", "Teams"])
def test_a_list_may_call_the_match_otherwise(tmp_path: Path, title: str) -> None:
    file = tmp_path / "bets.csv"
    file.write_text(f"selection,odds,stake,{title}\nPSG,2.0,5,PSG vs Lyon\n")
    no_date = "no date: the bets count as placed now; use --column date=TITLE"
    assert run("import", str(file)).stderr == f"{file}: decimal odds\n{file}: {no_date}\n"
    assert told("list")[-1]["match_name"] == "PSG vs Lyon"


def test_what_is_surely_the_match_goes_before_what_may_be_it(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake,Event,Game\nPSG,2.0,5,PSG vs Lyon,Football\n")
    assert "unused columns: Game" in run("import", str(file)).stderr
    assert told("list")[-1]["match_name"] == "PSG vs Lyon"


def test_unknown_columns_are_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake,mood\nPSG,2.0,5,good\nPSG,1.0,5,bad\n")
    done = run("import", str(file), exit_code=1)
    assert done.stdout == "bets 1, already recorded 0, settled 0, problems 1, profit differs 0\n"
    assert "unused columns: mood" in done.stderr
    assert f"{file}: line 3: odds 1" in done.stderr


def test_profits_that_differ_from_the_results_are_counted_and_shown_last(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    rows = "".join(f"Leeds,2.5,{stake},lost,-15\n" for stake in range(4, 11))
    file.write_text(f"selection,odds,stake,result,profit\n{rows}Hull,2.5,10,lost,-10\n")
    done = run("import", str(file))
    assert done.stdout == "bets 8, already recorded 0, settled 0, problems 0, profit differs 7\n"
    first, *lines, last = done.stderr.splitlines()[3:]
    assert first == "check these bets: their profit in the file differs from their result:"
    assert lines[0] == f"{file}: line 2: profit -15.00 in the file, but lost is -4.00"
    assert (len(lines), last) == (5, "and 2 more")


def test_odds_that_do_not_tell_how_they_are_written_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake\nPSG,150,5\n")
    refused = run("import", str(file), exit_code=1)
    assert refused.stderr.strip().endswith("or something else; use --odds, such as --odds american")
    done = run("import", str(file), "--odds", "american")
    no_match = f"no column holds the game: {NO_SCORES}"
    no_date = "no date: the bets count as placed now; use --column date=TITLE"
    assert done.stderr == f"{file}: american odds\n{file}: {no_match}\n{file}: {no_date}\n"
    assert told("list")[-1]["odds"] == 2.5


def test_what_a_list_does_not_show_is_asked_once_for_lists_with_its_titles(tmp_path: Path) -> None:
    """Columns, dates, decimals and the worth of a unit: each refusal names its option."""
    file, later = tmp_path / "bets.csv", tmp_path / "later.csv"
    head = "Placed,Game,My pick,Betrag,Odds,Mood\n"
    file.write_text(f"{head}08/09/25,A v B,A,1.5u,2.1,good\n")
    given = list[str]()
    for option, answer, problem in (
        (
            "--column",
            "selection=my pick",
            "no column for selection, stake; unknown: My pick, Betra",
        ),
        (
            "--column",
            "stake=Betrag",
            "no column for stake; unknown: Betrag, Mood; name columns with",
        ),
        ("--unit", "10", "stakes such as 1.5u are in units, not money; give what a unit is worth"),
        (
            "--dates",
            "day-first",
            "dates such as 08/09/25 do not show the day; use --dates day-firs",
        ),
    ):
        refused = run("import", str(file), *given, exit_code=1).stderr
        assert problem in refused
        given += [option, answer]
    done = run("import", str(file), *given)
    assert done.stdout.startswith("bets 1, ")
    assert f"{file}: columns as chosen: selection=my pick, stake=Betrag\n" in done.stderr
    assert f"{file}: 1 unit is 10\n" in done.stderr
    later.write_text("Mood,Odds,Betrag,My pick,Game,Placed\nbad,1.9,2u,B,A v B,09/09/25\n")
    done = run("import", str(later))
    assert (done.stdout[:7], f"{later}: 1 unit is 10\n" in done.stderr) == ("bets 1,", True)
    assert [(bet["stake"], bet["placed_at"][:10]) for bet in told("list")[:2]] == [
        (15.0, "2025-09-08"),
        (20.0, "2025-09-09"),
    ]
    later.write_text("Mood,Odds,Betrag,My pick,Game,Placed,More\nbad,1.9,2u,B,A v B,09/09/25,\n")
    assert "no column for selection" in run("import", str(later), exit_code=1).stderr


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("Betrag", "'Betrag': expected FIELD=TITLE, such as stake=Einsatz"),
        ("mood=Betrag", "no field 'mood': expected one of selection, stake, odds"),
    ],
)
def test_a_column_for_no_field_is_refused(tmp_path: Path, given: str, problem: str) -> None:
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake\nPSG,2,5\n")
    assert problem in " ".join(
        run("import", str(file), "--column", given, exit_code=2).stderr.split()
    )


def test_what_goes_to_bet_analytix_is_known_as_its_list(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    exported = run("export", "--format", "bet-analytix", "--to", str(file))
    assert exported.stderr == (
        "currencies are only in the comment, and Bet-Analytix adds them up: 1 no currency, 1 EUR\n"
    )
    done = run("import", str(file), "--ledger", str(tmp_path / "other.db"))
    assert done.stderr.startswith(f"{file}: decimal odds, exported by Bet-Analytix\n")
    assert done.stdout == "bets 2, already recorded 0, settled 0, problems 0, profit differs 0\n"


def quote(minutes_before: float, over: float, under: float, *, live: bool = False) -> Quote:
    at = KICK_OFF - round(minutes_before * MINUTE)
    odds = {"Over 2.5": over, "Under 2.5": under}
    return Quote("Pinnacle", NAME, "EPL", "total", 0, odds, at, live, KICK_OFF)


def test_closing_lines_are_filled_in_from_the_log(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        for each in (quote(80, 1.95, 1.95), quote(4, 1.9, 2.0), quote(-2, 1.5, 2.6, live=True)):
            store.record([each]).result()
    asked = ("close", "--database", str(database))
    written = {"written": 2, "with_close": 2, "no_close": 0, "not_known": 0} | NOT_WRONG
    assert told(*asked) == written
    assert told(*asked) == written | {"written": 0}
    bet = told("list")[0]
    *_, last = run("list").stdout.splitlines()
    assert last == "2 bets"
    assert run("settle", "1", "won").stdout
    closed = "CLV vs the Pinnacle close, margin proportional"
    assert run("report").stderr.splitlines() == [closed]
    assert (bet["close_odds"], bet["method"]) == (1.9, "multiplicative")
    assert (bet["close_reference"], bet["close_method"]) == ("Pinnacle", "margin_proportional")
    fair = 1 / (1 / 1.9 - (1 / 1.9 + 1 / 2.0 - 1) / 2)
    assert bet["clv_pct"] == pytest.approx((2.1 / fair - 1) * 100)
    assert (bet["close_line"], bet["clv_per"]) == ("1.9 2", "staked")
    assert "+" in run("list").stdout


def test_a_bet_that_was_placed_in_play_has_no_closing_line(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        for each in (quote(4, 1.9, 2.0), quote(-2, 3.5, 1.3, live=True)):
            store.record([each]).result()
    with closing(Ledger(default_ledger())) as held:
        in_play = {"placed_at": KICK_OFF + 30 * MINUTE, "odds": 3.6, "net_odds": 3.6}
        held.record_bet(msgspec.structs.replace(BET, **in_play))
    written = {"written": 3, "with_close": 2, "no_close": 1, "not_known": 0} | NOT_WRONG
    assert told("close", "--database", str(database)) == written
    last = told("list")[-1]
    assert (last["clv_pct"], last["close_fair_odds"]) == (None, None)
    assert last["no_close"] == (
        "it was placed after the game had started, when its line had closed"
    )


def test_a_leg_whose_game_the_log_lacks_is_named_by_its_number(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        store.record([quote(4, 1.9, 2.0)]).result()
    legs = tuple(BetLeg(selection=name, odds=2.0) for name in ("Leeds", "Arsenal"))
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(
            msgspec.structs.replace(BET, kind=BetKind.MULTIPLE, odds=4.0, net_odds=4.0, legs=legs)
        )
    done = run("close", "--database", str(database))
    assert "bet 3.2: the bet has no game" in done.stderr
    assert told("list")[2]["no_close"] == "leg 1, Leeds: the bet has no game"
    assert told("close", "--database", str(database))["not_known"] == 1


def test_a_bet_without_a_close_has_its_reason(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        store.record([quote(80, 1.95, 1.95)]).result()
    assert told("close", "--database", str(database))["no_close"] == 2
    assert told("list")[0]["no_close"] == "last seen more than 30 minutes before the game"
    assert "no close" in run("list").stdout


@pytest.mark.parametrize(
    ("seen", "why", "odds"),
    [(80, "last seen more than 30 minutes before the game", None), (10, "", 1.95)],
)
def test_a_market_that_was_withdrawn_before_the_game_is_told_of(
    tmp_path: Path, seen: float, why: str, odds: float | None
) -> None:
    """The bets were placed before anything was recorded, and nothing stands by now."""
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        store.record([quote(seen, 1.95, 1.95)]).result()
        store.record([msgspec.structs.replace(quote(5, 1.95, 1.95), odds={})]).result()
    assert told("close", "--database", str(database))["not_known"] == 0
    bet = told("list")[0]
    assert (bet["no_close"], bet["close_odds"]) == (why, odds)


def test_a_reference_that_priced_other_markets_only_is_not_said_to_have_been_away(
    tmp_path: Path,
) -> None:
    database = tmp_path / "odds.db"
    odds = {"Leeds": 2.0, "Draw": 3.5, "Wolves": 4.0}
    moneyline = msgspec.structs.replace(quote(5, 1.9, 1.9), market_type="moneyline", odds=odds)
    with closing(open_store(database)) as store:
        store.record([moneyline]).result()
    told("close", "--database", str(database))
    why = "the sharp book did not price this market before the game"
    assert told("list")[0]["no_close"] == why


@pytest.mark.parametrize("competition", ["EPL", "English Premier League", ""])
@pytest.mark.parametrize(
    ("match_name", "selection", "market_type"),
    [
        ("Manchester United vs Fulham FC", "Manchester United", "moneyline"),
        ("Man United - Fulham", "Man United", "moneyline"),
        ("Man Utd v Fulham", "Man Utd -1.5", "spread"),
    ],
)
def test_a_game_that_the_log_calls_otherwise_is_that_of_a_bet(
    tmp_path: Path, competition: str, match_name: str, selection: str, market_type: str
) -> None:
    """By what results are matched by, and in the log's own words: its fair close of both lines."""
    database, name = tmp_path / "odds.db", "Manchester United - Fulham"
    odds = {"Manchester United": 2.0, "Draw": 4.0, "Fulham": 4.0}
    lines = {"Manchester United -1.5": 2.0, "Fulham +1.5": 2.0}
    soon = msgspec.structs.replace(quote(5, 1.9, 1.9), match_name=name)
    with closing(open_store(database)) as store:
        for kind, priced in (("moneyline", odds), ("spread", lines)):
            said = msgspec.structs.replace(soon, market_type=kind, odds=priced)
            store.record([said]).result()
    bet = msgspec.structs.replace(
        BET,
        game_id=game_id(competition, match_name),
        match_name=match_name,
        competition=competition,
        market_type=market_type,
        selection=selection,
        sport="Football" if competition else "",
    )
    default_ledger().unlink()
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(bet)
    counts = {"written": 1, "with_close": 1, "no_close": 0, "not_known": 0} | NOT_WRONG
    assert told("close", "--database", str(database)) == counts
    assert told("list")[0]["clv_pct"] == pytest.approx(5)


def test_a_game_that_only_the_archive_has_is_found_by_another_name_too(tmp_path: Path) -> None:
    database, folder, now = tmp_path / "odds.db", tmp_path / "archive", KICK_OFF + MINUTE
    with closing(open_store(database, clock=lambda: now)) as store:
        store.record([quote(4, 1.9, 2.0)]).result()
        archive = Archive(folder, store.reader)
        archive.seal(now + DAY_MS)
        store.prune(now + 3 * DAY_MS, 1, archive.through(now + 2 * DAY_MS))
        assert store.reader().real_games_between(0, now) == []
        store.keep_archive(folder).result()
    with closing(Ledger(default_ledger())) as held:
        named = {"match_name": "Leeds United v Wolverhampton Wanderers", "game_id": "unheard"}
        held.record_bet(msgspec.structs.replace(BET, **named))
    counts = {"written": 3, "with_close": 3, "no_close": 0, "not_known": 0} | NOT_WRONG
    assert told("close", "--database", str(database)) == counts


@pytest.mark.parametrize(("hours_before", "is_known"), [(35.9, True), (36.1, False)])
def test_a_bet_without_kick_off_is_closed_by_the_only_game_and_not_settled(
    tmp_path: Path, hours_before: float, is_known: bool
) -> None:
    """Nothing says that it is on this game: what it would be by the score is told."""
    database, file = tmp_path / "odds.db", tmp_path / "results.csv"
    file.write_text("Date,Time,HomeTeam,AwayTeam,FTHG,FTAG\n16/04/2026,20:00,Leeds,Wolves,2,1\n")
    with closing(open_store(database)) as store:
        store.record([quote(5, 1.9, 2.0)]).result()
    placed_at = KICK_OFF - round(hours_before * 60 * MINUTE)
    bet = {"kick_off": None, "placed_at": placed_at, "game_id": "unheard"}
    default_ledger().unlink()
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(msgspec.structs.replace(BET, **bet))
    assert told("close", "--database", str(database))["with_close"] == is_known
    done = run("settle", "--results", str(file), exit_code=1)
    assert done.stdout == "settled 0, to check 1, for no bet 0, problems 0\n"
    assert "may be another game: the bet has no kick-off; it would then be won" in done.stderr
    assert "it would then be won" in done.stderr


def test_a_bet_whose_game_is_not_known_is_named_with_the_reason(tmp_path: Path) -> None:
    """The reason stays with the bet, and gives way to a close of another database."""
    database, other = tmp_path / "odds.db", tmp_path / "other.db"
    crosswise = msgspec.structs.replace(quote(5, 1.9, 1.9), match_name="Hull - Leeds United")
    with closing(open_store(database)) as store:
        store.record([crosswise]).result()
    with closing(open_store(other)) as store:
        store.record([quote(4, 1.9, 2.0)]).result()
    with closing(Ledger(default_ledger())) as held:
        for fields in (
            {"match_name": "", "game_id": ""},
            {"match_name": "Leeds United - Hull", "game_id": "unheard"},
            {"match_name": "Hull - Leeds Rhinos", "game_id": "unheard"},
            {"match_name": "Leeds - Hull", "game_id": "unheard", "kick_off": None},
        ):
            held.record_bet(msgspec.structs.replace(BET, **fields))
        ahead = {"kick_off": 9_999_999_999_999, "placed_at": KICK_OFF}
        held.record_bet(
            msgspec.structs.replace(BET, **ahead, match_name="A - B", game_id="unheard")
        )
    asked = run("close", "--database", str(database))
    assert asked.stdout == ("written 6, with close 0, no close 0, unknown 7, wrong 0, replaced 0\n")
    no_game = "the log has no game of these teams near its kick-off"
    crossed = "the log has Hull v Leeds United, which has the teams the other way round"
    alike = "the log has Hull v Leeds United, which may be another game"
    whys = [no_game, no_game, "the bet has no game", crossed, alike, crossed, no_game]
    lines = [f"{database}: bet {number}: {why}" for number, why in enumerate(whys, 1)]
    assert asked.stderr.splitlines() == lines
    assert {bet["bet"]: bet["no_close"] for bet in told("list")} == dict(
        enumerate([*whys[:6], ""], 1)
    )
    told("close", "--database", str(other))
    closes = {bet["bet"]: bet["close_odds"] for bet in told("list")}
    assert (closes[1], closes[2], closes[4]) == (1.9, 1.9, None)
    assert told("close", "--database", str(database))["not_known"] == 5


def test_games_of_another_database_stay_unknown(tmp_path: Path) -> None:
    open_store(tmp_path / "odds.db").close()
    assert told("close", "--database", str(tmp_path / "odds.db"))["not_known"] == 2
    missing = run("close", "--database", str(tmp_path / "none.db"), exit_code=1)
    assert len(missing.stderr.splitlines()) == 1


def test_practice_is_marked_in_lists_and_files_and_counts_in_no_report(tmp_path: Path) -> None:
    with closing(Ledger(default_ledger())) as held:
        held.record_bet(msgspec.structs.replace(BET, selection="Over 3", practice=True))
    assert [bet["practice"] for bet in told("list")] == [False, False, True]
    *_, line, last = run("list").stdout.splitlines()
    assert "to settle, practice" in line
    assert last == "3 bets, 1 practice"
    run("settle", "1", "3", "won")
    report = run("report", "--json")
    assert [(each["bets"], each["staked"]) for each in json.loads(report.stdout)] == [(1, 10)]
    assert report.stderr == "practice bets left out: 1\n"
    file = tmp_path / "bets.csv"
    file.write_text(run("export").stdout)
    default_ledger().unlink()
    run("import", str(file))
    assert [bet["practice"] for bet in told("list")] == [False, False, True]
    undated = tmp_path / "odds.db"
    open_store(undated).close()
    assert told("close", "--database", str(undated))["not_known"] == 2


RESULT = GameResult("EPL", NAME, KICK_OFF, 2, 1, overtime=False, source="scores")


def recorded(database: Path, *results: GameResult) -> tuple[str, str]:
    """Record results, and return the options that settle by them."""
    with closing(open_store(database)) as store:
        store.record_results(results).result()
    return "--database", str(database)


def test_bets_settle_by_recorded_results_once_and_say_by_which(tmp_path: Path) -> None:
    there = recorded(tmp_path / "odds.db", RESULT)
    found = told("settle", *there)
    assert (found["settled"], found["to_look_at"], found["bad"]) == (2, 0, 0)
    settled = {"result": "won", "settled_by": "scores 2-1"}
    assert found["lists"]["settled"] == [{"bet": 1} | settled, {"bet": 2} | settled]
    assert [bet["settled_by"] for bet in told("list")] == ["scores 2-1"] * 2
    assert told("settle", *there)["settled"] == 0


def test_an_undone_settlement_and_a_corrected_result_are_listed(tmp_path: Path) -> None:
    there = recorded(tmp_path / "odds.db", RESULT)
    run("settle", *there)
    run("undo")
    undone = run("settle", *there, exit_code=1)
    assert undone.stderr.splitlines() == [
        f"bet {number}, Over 2.5, Leeds v Wolves: you undid this: won by scores 2-1; it would "
        "then be won"
        for number in (1, 2)
    ]
    run("settle", "1", "open")
    run("settle", "2", "won")
    recorded(tmp_path / "odds.db", msgspec.structs.replace(RESULT, home=1))
    assert told("settle", *there)["settled"] == 1
    recorded(tmp_path / "odds.db", RESULT)
    done = run("settle", *there, exit_code=1)
    assert done.stdout == "settled 0, to check 1, for no bet 0, problems 0\n"
    assert done.stderr == (
        "bet 1, Over 2.5, Leeds v Wolves: settled lost by scores 1-1; now scores 2-1; it would "
        "then be won\n"
    )
    fields = json.loads(run("settle", *there, "--json", exit_code=1).stdout)
    (correction,) = fields["lists"]["corrections"]
    assert (correction["bet"], correction["proposed"], correction["found"]) == (
        *(1, "won", "scores 2-1"),
    )
    assert told("list")[0]["result"] == "lost"


def test_bets_without_a_result_are_named(tmp_path: Path) -> None:
    there = recorded(tmp_path / "odds.db")
    done = run("settle", *there)
    assert done.stdout.endswith("problems 0, without result 2\n")
    assert f"{there[1]}: no result for bet 1, Over 2.5, Leeds v Wolves" in done.stderr


def test_a_database_that_is_not_there_settles_nothing(tmp_path: Path) -> None:
    done = run("settle", "--database", str(tmp_path / "none.db"), exit_code=1)
    assert "none.db" in done.stderr
    closed = ("--database", "http://127.0.0.1:9", "--key-file", str(tmp_path / "key.txt"))
    (tmp_path / "key.txt").write_text("key")
    assert "Error: " in run("settle", *closed, exit_code=1).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--database", "http://127.0.0.1:9"),
        ("--database", "odds.db", "--key-file", "key.txt"),
        ("--database", "odds.db", "--results", "E0.csv"),
        ("1", "won", "--database", "odds.db"),
    ],
)
def test_results_have_one_source_and_a_service_needs_a_key(arguments: tuple[str, ...]) -> None:
    assert "Error: " in run("settle", *arguments, exit_code=2).stderr


def test_all_sheets_of_a_workbook_are_imported(tmp_path: Path) -> None:
    file = tmp_path / "bets.xlsx"
    file.write_bytes(
        workbook("Month,Profit\nJune,10\n", YEAR.format(2024, 10), YEAR.format(2025, 20))
    )
    done = run("import", str(file))
    assert done.stdout.startswith("bets 2, already recorded 0")
    assert f"{file}: sheet 1 is left out: it has no bets" in done.stderr
    assert [bet["stake"] for bet in told("list")][:2] == [10, 20]


def test_a_column_of_kinds_is_chosen_once_for_lists_with_its_titles(tmp_path: Path) -> None:
    file = tmp_path / "liste.csv"
    head = "Datum,Tipp,Form,Quote,Einsatz,Ergebnis\n"
    file.write_text(f"{head}2026-03-14,A,Laywette,3.0,10,verloren\n")
    done = run("import", str(file), "--column", "kind=Form")
    assert f"{file}: columns as chosen: kind=Form\n" in done.stderr
    file.write_text(f"{head}2026-03-15,B,Freiwette,3.0,10,verloren\n")
    run("import", str(file))
    made = [bet for bet in told("list") if bet["selection"] in {"A", "B"}]
    assert {(bet["kind"], bet["profit"], bet["liability"]) for bet in made} == {
        ("lay", -20.0, 20.0),
        ("free", 0.0, None),
    }


def test_the_legs_of_a_list_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "bets.csv"
    file.write_text(
        "Date,Selection,Odds,Bet type,Stake,Payout if won,Status\n"
        "2026-03-14,A @ 1.80 + B @ 2.10,3.78,Double,10,37.80,Won\n"
    )
    run("import", str(file))
    (bet,) = [bet for bet in told("list") if bet["kind"] == "multiple"]
    assert bet["profit"] == pytest.approx(27.8)
    assert [(leg["selection"], leg["odds"]) for leg in bet["legs"]] == [("A", 1.8), ("B", 2.1)]
