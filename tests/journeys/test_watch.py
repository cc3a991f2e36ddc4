"""`oddsdesk watch` on a database into which others record: alerts, a channel, and the end."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.board.alerts.channels import variable_of
from oddsdesk.contract.results import GameResult
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result
from oddsdesk.store.store import open_store
from tests.kit.program import Program
from tests.kit.watching import lines_until, placed_on, quote, wait_for_close
from tests.kit.webhook import SECRET, webhook

RULES = """
[[channels]]
name = "phone"
kind = "webhook"

[[channels]]
name = "nowhere"
kind = "ntfy"

[[rules]]
kind = "value"

[[rules]]
kind = "arbitrage"
least = 0.5
"""


@pytest.fixture
def hook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    with webhook() as made:
        yield made


def test_what_is_simulated_is_listed_and_goes_to_no_channel(
    tmp_path: Path, environment: dict[str, str], hook: tuple[str, list[dict[str, Any]]]
) -> None:
    address, posted = hook
    database, rules = tmp_path / "odds.db", tmp_path / "alerts.toml"
    rules.write_text(RULES, "utf-8")
    store = open_store(database)
    made_up = [quote("Pinnacle", {"A": 1.95, "B": 1.95}), quote("Soft", {"A": 2.07})]
    store.record(made_up, simulated=True).result()
    known = {**environment, variable_of("phone"): address}
    program = Program(["watch", "--database", str(database), "--rules", str(rules)], known)
    try:
        said = lines_until(program, lambda line: " alert: Value: Simulated: +3.5 %: " in line)
        status, out, _ = program.finish(signal.SIGTERM)
    finally:
        program.kill()
        store.close()
    assert status == 0
    assert "phone: sent" not in out + "".join(said)
    assert posted == []


def test_what_others_record_alerts_once_on_every_channel_until_it_is_stopped(
    tmp_path: Path, environment: dict[str, str], hook: tuple[str, list[dict[str, Any]]]
) -> None:
    address, posted = hook
    database, rules = tmp_path / "odds.db", tmp_path / "alerts.toml"
    rules.write_text(RULES, "utf-8")
    store = open_store(database)
    store.record([quote("Pinnacle", {"A": 1.95, "B": 1.95})]).result()
    known = {**environment, variable_of("phone"): address}
    program = Program(["watch", "--database", str(database), "--rules", str(rules)], known)
    try:
        first = lines_until(program, lambda line: "watching" in line)
        assert first == ["watching with 2 rules"]
        store.record([quote("Soft", {"A": 2.07})]).result()
        said = lines_until(program, lambda line: line.startswith("phone: sent"))
        assert any(" alert: Value: +3.5 %: " in line for line in said)
        status, out, err = program.finish(signal.SIGTERM)
    finally:
        program.kill()
        store.close()
    assert status == 0
    assert [each["title"].partition(": ")[2] for each in posted] == ["A 2.07 at Soft"]
    assert posted[0]["path"] == f"/{SECRET}"
    assert "nowhere: no address is kept" in err
    assert SECRET not in out + err + "".join(said)


def test_it_says_of_simulated_odds_that_nobody_offers_them(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    database = tmp_path / "odds.db"
    with closing(open_store(database)) as store:
        store.record([quote("Pinnacle", {"A": 1.95, "B": 1.95})], simulated=True).result()
    program = Program(["watch", "--database", str(database)], environment)
    try:
        lines_until(program, lambda line: "watching" in line)
        _, _, err = program.finish(signal.SIGTERM)
    finally:
        program.kill()
    assert err.endswith("these odds are simulated: no bookmaker offers them\n")


def test_the_closing_line_of_a_bet_is_written_when_its_game_begins(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    database = tmp_path / "odds.db"
    store = open_store(database)
    before = quote("Pinnacle", {"A": 1.90, "B": 2.00})
    store.record([before]).result()
    with closing(Ledger(default_ledger())) as ledger:
        ledger.record_bet(placed_on(before))
    program = Program(["watch", "--database", str(database)], environment)
    try:
        lines_until(program, lambda line: "watching" in line)
        in_play = quote("Pinnacle", {"A": 1.50, "B": 2.70})
        store.record([msgspec.structs.replace(in_play, is_live=True)]).result()
        close = wait_for_close()
        status, _, _ = program.finish(signal.SIGTERM)
    finally:
        program.kill()
        store.close()
    assert status == 0
    assert close is not None
    assert close.is_there, close


@pytest.mark.parametrize("options", [(), ("--no-settle",)])
def test_a_bet_settles_by_a_recorded_result_unless_that_is_switched_off(
    tmp_path: Path, environment: dict[str, str], options: tuple[str, ...]
) -> None:
    database, begun = tmp_path / "odds.db", system_clock() - 4 * 3_600_000
    with closing(open_store(database)) as store:
        ended = GameResult("ATP", "A vs B", begun, 2, 0, sport="Tennis", source="scores")
        store.record_results([ended]).result()
        store.record([quote("Pinnacle", {"A": 1.95, "B": 1.95}, "C vs D")]).result()
    with closing(Ledger(default_ledger())) as ledger:
        placed = placed_on(quote("Soft", {"A": 2.2}))
        ledger.record_bet(msgspec.structs.replace(placed, kick_off=begun, placed_at=begun - 1))
    program = Program(["watch", "--database", str(database), *options], environment)
    try:
        if options:
            lines_until(program, lambda line: "watching" in line)
        else:
            said = lines_until(program, lambda line: " settled: " in line)
            assert said[-1].endswith(" settled: bet 1, A, A v B: won by scores 2-0")
        status, _, _ = program.finish(signal.SIGTERM)
    finally:
        program.kill()
    assert status == 0
    with closing(Ledger(default_ledger())) as ledger:
        (bet,) = ledger.read_bets()
    assert (bet.result, bet.settled_by) == ((None, "") if options else (Result.WON, "scores 2-0"))


def test_a_file_of_rules_that_makes_no_sense_ends_it_in_one_line(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    rules = tmp_path / "alerts.toml"
    rules.write_text('[[rules]]\nkind = "value"\npreset = "No such"', "utf-8")
    program = Program(["watch", "--rules", str(rules)], environment)
    program.process.wait(60)
    status, _, err = program.finish()
    assert (status, len(err.splitlines())) == (1, 1)
    assert "No such" in err


def test_it_ends_quietly_where_nobody_reads_it_any_more(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    database = tmp_path / "odds.db"
    store = open_store(database)
    store.record([quote("Pinnacle", {"A": 1.95, "B": 1.95})]).result()
    program = Program(["watch", "--database", str(database)], environment)
    try:
        assert program.first_line() == "watching with 1 rule"
        assert program.process.stdout is not None
        program.process.stdout.close()
        program.process.stdout = None
        store.record([quote("Soft", {"A": 2.07})]).result()
        status = program.process.wait(30)
        assert program.process.stderr is not None
        err = program.process.stderr.read()
    finally:
        program.kill()
        store.close()
    assert (status, err) == (1, "")
