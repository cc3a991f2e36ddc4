"""`oddsdesk bets` from a database and from a service."""

import asyncio
import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger, settings_folder
from oddsdesk.cli import bet_sources
from oddsdesk.cli.bets import bets
from oddsdesk.client.blocking import SyncClient
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import open_store
from oddsdesk.store.values import origin_named

KEYS = [
    *("game_id", "match_name", "competition", "market_type", "period", "selection", "bookmaker"),
    *("odds", "net_odds", "fair_odds", "ev_pct", "per", "derived", "band_pct"),
    *("service_ev_pct", "cautions"),
    *("stake", "bound", "same_bet_as", "same_bet_selection"),
]


SHARP = ("--reference", "SHARP")


def quote(bookmaker: str, odds: dict[str, float], **other: Any) -> Quote:
    fields: dict[str, Any] = {
        "match_name": "A vs B",
        "competition": "ATP",
        "market_type": "moneyline",
        "period": 0,
        "scraped_at": system_clock(),
        "match_date": system_clock() + 3_600_000,
    }
    return Quote(bookmaker=bookmaker, odds=odds, **(fields | other))


def prices() -> list[Quote]:
    return [
        quote("Pinnacle", {"A": 1.95, "B": 1.95}),
        quote("Soft", {"A": 2.09}),
        quote("Betfair Exchange UK", {"A": 2.07}),
    ]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    record(path, *prices())
    return path


def record(path: Path, *quotes: Quote, simulated: bool = False) -> None:
    store = open_store(path)
    store.record(quotes, simulated=simulated).result()
    store.close()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(bets, [str(argument) for argument in arguments])


def rows(*arguments: str | Path) -> list[dict[str, Any]]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_json_has_the_keys_of_the_specification(database: Path) -> None:
    (row,) = rows("--database", database)
    assert list(row) == KEYS
    assert row["match_name"] == "A vs B"
    assert (row["odds"], row["net_odds"], row["fair_odds"]) == (2.09, 2.09, 2.0)
    assert (row["ev_pct"], row["service_ev_pct"], row["per"]) == (3.47, 3.47, "staked")
    assert (row["stake"], row["bound"], row["same_bet_as"]) == (10, "kelly", None)


def test_a_bet_on_derived_fair_odds_is_marked(tmp_path: Path) -> None:
    game = {"match_name": "A vs B", "competition": "EPL"}
    path = tmp_path / "odds.db"
    record(
        path,
        quote("Pinnacle", {"A": 2.05, "Draw": 3.5, "B": 3.7}, **game),
        quote("Unibet", {"X2": 2.02}, **game, market_type="double_chance"),
    )
    (row,) = rows("--database", path)
    assert (row["selection"], row["fair_odds"], row["ev_pct"]) == ("X2", 1.8983, 5.36)
    assert (row["derived"], row["band_pct"], row["service_ev_pct"]) == ("implied", None, None)
    assert "implied, Kelly" in run("--database", path).stdout
    for choice, count in (("all", 1), ("implied", 1), ("none", 0)):
        assert len(rows("--database", path, "--derived", choice)) == count


def test_bets_name_the_sources_of_the_prices_where_they_are_known(database: Path) -> None:
    store = open_store(database)
    told = Quote("Book", "C vs D", "EPL", "btts", 0, {"Yes": 1.8, "No": 1.9}, system_clock())
    store.record([told], origin=origin_named("the-odds-api")).result(10)
    store.close()
    assert [row["sources"] for row in rows("--database", database)] == [["the-odds-api"]]
    assert run("--database", database).stdout.endswith("\nOdds from the-odds-api\n")


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("simulated", "these odds are simulated: no bookmaker offers them\n"),
        ("shifted", "some odds are old (times shifted): no bookmaker offers"),
    ],
)
def test_what_nobody_offers_is_said(tmp_path: Path, mark: str, said: str) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record(prices(), **{mark: True}).result(10)
    store.close()
    assert run("--database", path).stderr.startswith(said)
    (row,) = rows("--database", path)
    assert row[mark] is True
    assert len(row) == len(KEYS) + 1


async def test_what_nobody_offers_is_said_of_a_service_too(tmp_path: Path) -> None:
    async with serving(Settings(tmp_path / "odds.db", port=0)) as server:
        await asyncio.wrap_future(server.store.record(prices(), simulated=True))
        key = server.access.keys.create("anna", Plan.PRO_LIVE, None, system_clock())
        file = tmp_path / "key"
        file.write_text(key.secret)
        result = await asyncio.to_thread(run, "--url", server.url, "--key-file", file)
    assert result.stderr == "these odds are simulated: no bookmaker offers them\n"


async def test_with_a_wrong_clock_nothing_is_listed_of_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SyncClient, "clock_ahead_ms", property(lambda _: -300_000))
    async with serving(Settings(tmp_path / "odds.db", port=0)) as server:
        await asyncio.wrap_future(server.store.record(prices()))
        file = tmp_path / "key"
        file.write_text(
            server.access.keys.create("anna", Plan.PRO_LIVE, None, system_clock()).secret
        )
        result = await asyncio.to_thread(run, "--url", server.url, "--key-file", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: the clocks of this computer and the service are 5 min apart: "
        "the age of prices cannot be known\n"
    )


def test_by_a_reference_of_which_no_price_is_there_nothing_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    open_store(path, "pinacle").close()
    record(path, *prices())
    result = run("--database", path)
    assert result.exit_code == 1
    assert result.stdout == ""
    said = "no odds from the sharp book 'pinacle': nothing can be valued; did you mean Pi"
    assert said in result.stderr
    assert len(rows("--database", path, "--reference", "Pinnacle")) == 1
    assert run("--database", path, "--reference", "pinacle").exit_code == 2


def test_all_adds_what_is_value_at_gross_odds_only(database: Path) -> None:
    first, second = rows("--database", database, "--all")
    assert (first["bookmaker"], second["bookmaker"]) == ("Soft", "Betfair Exchange UK")
    assert (second["net_odds"], second["stake"], second["same_bet_as"]) == (2.0165, 0, "Soft")
    assert second["ev_pct"] < 1 < second["service_ev_pct"]


def test_the_table_says_what_to_bet_and_why_not(database: Path) -> None:
    record(database, quote("Late", {"A": 2.09}, scraped_at=system_clock() - 240_000))
    heading, *lines = run("--database", database, "--all").stdout.splitlines()
    assert heading.split() == ["SELECTION", "BOOKMAKER", "ODDS", "NET", "EV", "STAKE", "GAME"]
    assert "stale: not seen lately" in next(line for line in lines if "Late" in line)
    assert "no value after commission" in next(line for line in lines if "Betfair" in line)
    assert "+4.50 %" in next(line for line in lines if "Soft" in line)
    assert lines[-1] == "3 prices, 1 with a stake, 10.00 staked in total"


def test_a_draw_that_went_within_a_day_puts_the_others_in_question(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    earlier = system_clock() - 60_000
    three_way = {"A": 2.09, "Tie": 9.0, "B": 2.2}
    record(path, quote("Soft", three_way, scraped_at=earlier))
    record(path, quote("Pinnacle", {"A": 1.95, "B": 1.95}), quote("Soft", {"A": 2.09, "B": 1.8}))
    assert rows("--database", path) == []
    (row,) = rows("--database", path, "--all")
    assert row["cautions"] == ["unread_outcome"]


def test_the_bankroll_is_that_of_the_option_else_of_the_settings(database: Path) -> None:
    folder = settings_folder()
    folder.mkdir(parents=True)
    (folder / "desk.ini").write_text("[stakes]\nbankroll=3000\n")
    assert rows("--database", database)[0]["stake"] == 30
    assert rows("--database", database, "--bankroll", "500")[0]["stake"] == 5
    (folder / "desk.ini").write_text("[stakes]\nbankroll=much\n")
    assert rows("--database", database)[0]["stake"] == 10


def test_rules_of_ones_own_hold_and_are_told(database: Path) -> None:
    record(database, quote("Low", {"A": 2.03}))  # EV +1.5 %
    folder = settings_folder()
    folder.mkdir(parents=True)
    assert "Low" not in {row["bookmaker"] for row in rows("--database", database)}
    (folder / "desk.ini").write_text("[values]\nmin_ev=1\n")
    found = {row["bookmaker"]: row["ev_pct"] for row in rows("--database", database)}
    assert found["Low"] == pytest.approx((2.03 / (2.0 * 1.01) - 1) * 100, abs=0.01)
    first = run("--database", database).stdout.splitlines()[0]
    assert first == "your own rules, with the service's in brackets: minimum EV 1 % (2.01 %)"
    (folder / "desk.ini").write_text("[values]\nmin_ev=12.25\n")
    lines = run("--database", database, "--all").stdout.splitlines()
    assert "below 12.25 %" in next(line for line in lines if "Soft" in line)


def test_the_users_own_bookmakers_hold_and_a_wrong_line_is_named(database: Path) -> None:
    folder = settings_folder()
    folder.mkdir(parents=True)
    path = folder / "bookmakers.csv"
    path.write_text("name,commission,limit\nSoft,1.5,4\nBetfair Exchange UK,2,\nBetdaq,100,\n")
    result = run("--database", database, "--json")
    soft, betfair = json.loads(result.stdout)
    assert (soft["net_odds"], soft["stake"], soft["bound"]) == (2.0736, 4, "bookmaker")
    # Next to 4 at 2.0736 the next price is worth 1.74: 1.0486 (246 - x) = 254.29 + 1.0486 x.
    told = betfair["net_odds"], betfair["stake"], betfair["bound"], betfair["same_bet_as"]
    assert told == (2.0486, 1, "kelly", None)
    assert result.stderr == (
        f"{path}: line 4: Betdaq: commission '100'; expected a percentage from 0 to below 100\n"
    )


def test_the_devig_method_is_that_of_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    record(path, quote("Pinnacle", {"A": 1.5, "B": 2.7}), quote("Soft", {"A": 1.59}))
    usual = rows("--database", path)[0]["fair_odds"]
    write_settings("[prices]\ndevig=power\n")
    assert rows("--database", path, "--all")[0]["fair_odds"] != usual


@pytest.mark.parametrize("mine", ["Betfair Exchange EU|soft", "S%6Fft"])
def test_only_the_users_own_bookmakers_are_listed_and_staked(database: Path, mine: str) -> None:
    write_settings(f"[bookmakers]\nmine={mine}\n")
    assert [row["bookmaker"] for row in rows("--database", database, "--all")] == ["Soft"]
    write_settings("[bookmakers]\nmine=betfair_ex_uk\n")
    (row,) = rows("--database", database, "--all")
    assert (row["bookmaker"], row["same_bet_as"]) == ("Betfair Exchange UK", None)
    write_settings("[bookmakers]\nmine=\n")
    assert len(rows("--database", database, "--all")) == 2


def write_settings(text: str) -> None:
    settings_folder().mkdir(parents=True, exist_ok=True)
    (settings_folder() / "desk.ini").write_text(text, "utf-8")


def test_a_preset_of_the_ledger_narrows_the_list(database: Path) -> None:
    default_ledger().parent.mkdir(parents=True)
    ledger = Ledger(default_ledger())
    ledger.save_preset(Preset("Short", ValueFilter(max_odds=2.0)))
    ledger.close()
    assert rows("--database", database, "--preset", "short") == []
    assert len(rows("--database", database, "--preset", "Main markets")) == 1


def test_what_is_placed_counts(database: Path) -> None:
    (row,) = rows("--database", database)
    assert not default_ledger().exists()
    default_ledger().parent.mkdir(parents=True)
    place_on(row, 7)
    (after,) = rows("--database", database)
    assert (after["stake"], after["bound"]) == (3, "placed")


def place_on(row: dict[str, Any], stake: float, *, practice: bool = False) -> None:
    shared = ("game_id", "match_name", "competition", "market_type", "period", "selection")
    fields = {name: row[name] for name in shared}
    with closing(Ledger(default_ledger())) as ledger:
        ledger.record_bet(
            PlacedBet(
                **fields,
                sport="",
                bookmaker="Soft",
                odds=2.1,
                stake=stake,
                placed_at=system_clock(),
                practice=practice,
            )
        )


def test_practice_takes_nothing_from_a_real_stake(database: Path) -> None:
    """500 of practice are more than all caps of a bankroll of 1,000."""
    (row,) = rows("--database", database)
    place_on(row, 500, practice=True)
    (after,) = rows("--database", database)
    assert (after["stake"], after["bound"]) == (10, "kelly")


def test_with_simulated_odds_practice_alone_counts(tmp_path: Path) -> None:
    path = tmp_path / "simulated.db"
    record(path, *prices(), simulated=True)
    (row,) = rows("--database", path)
    place_on(row, 500)
    assert rows("--database", path)[0]["stake"] == 10
    place_on(row, 7, practice=True)
    (after,) = rows("--database", path)
    assert (after["stake"], after["bound"]) == (3, "placed")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bankroll", "0"], "0: the amount must be above 0"),
        (["--bankroll", "nan"], "nan: the amount must be"),
        (["--bankroll", "inf"], "inf: the amount must be"),
        (["--url", "http://localhost"], "--key-file"),
        (["--key-file", "key"], "--url"),
        (["--url", "http://localhost", "--key-file", "key", "--database", "a"], "not both"),
        (["--preset", "Nobody's"], "presets are 'All value bets'"),
    ],
)
def test_misuse_is_told_with_exit_2(arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_source_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    other = tmp_path / "text"
    other.write_text("no database, but long enough to be looked at")
    empty = tmp_path / "empty"
    empty.write_text("\n")
    for arguments in (
        ["--database", tmp_path / "missing.db"],
        ["--database", other],
        ["--url", "http://127.0.0.1:9", "--key-file", other],
        ["--url", "http://127.0.0.1:9", "--key-file", empty],
        ["--url", "http://127.0.0.1:9", "--key-file", tmp_path / "missing"],
    ):
        result = run(*arguments)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1, result.stderr
    assert not (tmp_path / "missing.db").exists()


async def test_a_service_gives_the_same_list_as_its_database(tmp_path: Path) -> None:
    path, key = tmp_path / "odds.db", tmp_path / "key.txt"
    record(path, *prices())
    async with serving(Settings(path, port=0)) as server:
        secret = server.access.keys.create("me", Plan.PRO_LIVE, None, system_clock()).secret
        key.write_text(f"{secret}\n")
        service = ["--url", server.url, "--key-file", key, "--all"]
        served = await asyncio.to_thread(rows, *service)
        from_file = await asyncio.to_thread(rows, "--database", path, "--all")
    assert [row["bookmaker"] for row in served] == ["Soft", "Betfair Exchange UK"]
    assert served == from_file


def test_prices_are_judged_by_whom_the_option_names_else_by_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    record(path, *prices(), quote("Sharp", {"A": 1.85, "B": 2.06}))
    told = [(row["bookmaker"], row["reference"]) for row in rows("--database", path, *SHARP)]
    assert told == [("Pinnacle", "Sharp")]
    write_settings("[prices]\nreference=Sharp\n")
    assert [row["bookmaker"] for row in rows("--database", path)] == ["Pinnacle"]
    assert "sharp book: Sharp (the service's: Pinnacle)" in run("--database", path).stdout
    named = rows("--database", path, "--reference", "pinnacle")
    assert [(row["bookmaker"], "reference" in row) for row in named] == [
        ("Soft", False),
        ("Sharp", False),
    ]


def test_prices_that_are_old_have_no_vote_where_fresh_ones_are_enough(tmp_path: Path) -> None:
    path, old = tmp_path / "votes.db", system_clock() - 300_000
    sure = {"A": 1.95, "B": 1.95}
    record(
        path,
        *(quote(name, sure) for name in ("Bovada", "Betsson", "Coolbet", "Unibet", "GTbets")),
        quote("Betfred", {"A": 1.30, "B": 4.00}, scraped_at=old),
        quote("Soft", {"A": 2.08}),
    )
    (row,) = rows("--database", path, "--reference", "consensus")
    assert (row["bookmaker"], row["fair_odds"], row["ev_pct"]) == ("Soft", 2.0, 2.97)


@pytest.mark.parametrize("setting", ["[prices]\ndevig=power\n", "[prices]\nreference=Sharp\n"])
def test_no_ev_is_the_services_that_is_by_another_reference_or_method(
    tmp_path: Path, setting: str
) -> None:
    path = tmp_path / "odds.db"
    record(path, *prices(), quote("Sharp", {"A": 1.95, "B": 1.95}))
    assert {row["service_ev_pct"] for row in rows("--database", path, "--all")} == {3.47, 2.48}
    write_settings(setting)
    found = rows("--database", path, "--all")
    assert found
    assert {row["service_ev_pct"] for row in found} == {None}


def test_a_reference_that_nobody_is_ends_with_the_names_there_are(database: Path) -> None:
    result = run("--database", database, "--reference", "Nobody")
    assert result.exit_code == 2
    assert "no prices of 'Nobody'; there are Betfair Exchange UK, Pinnacle, Soft" in result.output


def test_a_bookmaker_below_100_percent_is_listed_with_a_warning_and_not_staked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "odds.db"
    total = {"market_type": "total", "competition": "EPL"}
    record(
        path,
        quote("Pinnacle", {"Over 2.5": 1.97, "Under 2.5": 1.93}, **total),
        quote("Bet365", {"Over 2.5": 2.1, "Under 2.5": 2.1}, **total),
        quote("Unibet", {"Over 2.5": 1.93, "Under 2.5": 1.87}, **total),
    )
    assert rows("--database", path) == []
    listed = rows("--database", path, "--all")
    assert {(row["bookmaker"], row["stake"]) for row in listed} == {("Bet365", 0)}
    assert all("book_below_100" in row["cautions"] for row in listed)
    said = run("--database", path, "--all").stdout
    assert "this bookmaker's margin is negative" in said


def test_a_long_reading_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told, is_told = list[tuple[str, bool]](), threading.Event()

    def echo(text: str, *, err: bool) -> None:
        told.append((text, err))
        is_told.set()

    monkeypatch.setattr(bet_sources.click, "echo", echo)
    with bet_sources._saying_that_it_reads(0.01):
        assert is_told.wait(30)
    text, is_on_stderr = told[0]
    assert text.startswith("reading prices: ")
    assert is_on_stderr


def test_a_short_reading_is_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with bet_sources._saying_that_it_reads():
        pass
    assert not capsys.readouterr().err
