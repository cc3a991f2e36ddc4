"""`oddsdesk ledger accounts`, and the total of `ledger report`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.ledger import ledger
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result as Ended

NOW = 1_789_200_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "bets.db"
    held = Ledger(path)
    for currency, ended in (("", Ended.WON), ("USD", Ended.LOST)):
        made = PlacedBet(
            "g", "A vs B", "", "Football", "moneyline", 0, "A", "Pinnacle", 3.0, 10.0, NOW,
            currency=currency,
        )  # fmt: skip
        held.record_bet(settled(made, ended, NOW))
    held.close()
    return path


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(ledger, [*arguments, "--ledger", str(path)])


def accounts(path: Path) -> Any:
    return json.loads(run(path, "accounts", "--json").stdout)


def test_money_is_moved_and_counted_in_the_main_currency(path: Path) -> None:
    assert run(path, "accounts", "rate", "--main", "eur").exit_code == 0
    for arguments in (
        ("deposit", "1,500", "--bookmaker", "pinnacle"),
        ("withdraw", "200", "--bookmaker", "Pinnacle", "--at", "2026-11-01", "--note", "rent"),
        ("deposit", "50", "--bookmaker", "Kalshi", "--currency", "usd", "--account", "mine"),
    ):
        assert run(path, "accounts", *arguments).exit_code == 0
    told = accounts(path)
    assert (told["total"], told["without_rate"]) == (None, ["USD"])
    assert run(path, "accounts", "rate", "USD", "0.925", "--since", "2026-01-01").exit_code == 0
    told = accounts(path)
    found = [(x["bookmaker"], x["account"], x["currency"], x["balance"]) for x in told["accounts"]]
    assert found == [
        ("Kalshi", "mine", "USD", 50),
        ("Pinnacle", "", "EUR", 1320),
        ("Pinnacle", "", "USD", -10),
    ]
    assert told["total"] == pytest.approx(1320 + 40 * 0.925)
    listed = run(path, "accounts", "movements").stdout
    assert "2026-11-01 00:00  withdrawal   -200.00 EUR  Pinnacle" in listed
    assert "rent" in listed


def test_a_correction_makes_the_balance_what_the_bookmaker_shows(path: Path) -> None:
    done = run(path, "accounts", "correct", "512.30", "--bookmaker", "Pinnacle", "--json")
    assert json.loads(done.stdout) == {"number": 1, "correction": "+492.30", "balance": "512.30"}
    again = run(path, "accounts", "correct", "512.30", "--bookmaker", "Pinnacle")
    assert (again.exit_code, "already" in again.output) == (2, True)
    assert run(path, "accounts", "remove", "1").exit_code == 0
    assert run(path, "accounts", "remove", "1").exit_code == 1
    assert [each["balance"] for each in accounts(path)["accounts"]] == [20, -10]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("deposit", "0", "--bookmaker", "X"), "above 0"),
        (("deposit", "5", "--bookmaker", "X", "--currency", "1"), "expected a code"),
        (("deposit", "5", "--bookmaker", " "), "enter a bookmaker"),
        (("rate", "USD", "0.9"), "name your main currency first"),
        (("rate", "USD"), "give a currency and its rate"),
        (("rate", "USD", "0", "--main", "EUR"), "above 0"),
    ],
)
def test_what_makes_no_sense_is_said(path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(path, "accounts", *arguments)
    assert (done.exit_code, said in done.output) == (2, True), done.output


def test_the_report_has_a_total_where_all_rates_are_known(path: Path) -> None:
    before = json.loads(run(path, "report", "--json").stdout)
    run(path, "accounts", "rate", "--main", "EUR")
    assert "no total: no exchange rate for USD" in run(path, "report").stderr
    run(path, "accounts", "rate", "USD", "0.5")
    *rows, total = json.loads(run(path, "report", "--json").stdout)
    assert rows == before
    assert (total["currency"], total["of"], total["profit"]) == ("EUR", "all currencies", 15)
    assert "all currencies, EUR" in run(path, "report").stdout
