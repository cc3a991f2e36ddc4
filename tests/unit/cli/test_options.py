"""What options that several commands share say of themselves."""

import click
import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.main import main
from oddsdesk.cli.options import AmountType, Decimal, Number, RateType, moment
from oddsdesk.contract.times import parse_ms

DAY_MS = 86_400_000

MAKE_IT = ("backfill", "ingest", "import", "serve", "keys create", "restore")
REFUSE = ("arbitrage", "backtest", "backup", "bets", "export changes", "feeds", "games suggest")
REFUSE_TOO = (
    "keys list",
    "ledger close",
    "scorecard",
    "suppliers",
    "watch",
    "doctor",
    "promo find",
    "export quotes",
)


@pytest.mark.parametrize("command", [*MAKE_IT, *REFUSE, *REFUSE_TOO])
def test_a_database_is_said_to_be_made_by_those_that_make_it(command: str) -> None:
    told = CliRunner().invoke(main, [*command.split(), "--help"]).output
    assert "SQLite file that holds the odds" in " ".join(told.split())
    assert ("created if missing" in " ".join(told.split())) is (command in MAKE_IT)


@pytest.mark.parametrize("command", ["serve", "desk"])
def test_a_reference_without_a_name_is_misuse(command: str) -> None:
    done = CliRunner().invoke(main, [command, "--reference", " "])
    assert done.exit_code == 2
    assert "' ' is not a bookmaker's name" in done.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "0", "-1", "fast"])
@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("serve --speed", "the number must be from 0.01 to 100,000"),
        ("desk --speed", "the number must be from 0.01 to 100,000"),
        ("bets --bankroll", "the amount must be above 0"),
        ("ledger settle 1 cashed-out --back 1 --part", "the stake must be above 0"),
    ],
)
def test_what_is_no_number_of_the_range_is_misuse(command: str, refused: str, value: str) -> None:
    done = CliRunner().invoke(main, [*command.split(), value])
    assert done.exit_code == 2
    assert f"{value}: {refused}" in done.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "-101"])
def test_a_profit_is_told_as_a_finite_percentage(value: str) -> None:
    done = CliRunner().invoke(main, ["arbitrage", "--least", value])
    assert done.exit_code == 2
    assert f"{value}: the percentage must be at least -100" in done.stderr


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("1,500", 1500), ("7,50", 7.5), ("€7.50", 7.5), ("1.500,00", 1500), ("60,00 kr", 60)],
)
def test_an_amount_is_given_as_people_type_it(typed: str, amount: float) -> None:
    assert AmountType(0, what="amount").convert(typed, None, None) == amount


def test_a_number_may_have_a_decimal_comma() -> None:
    assert [kind.convert("2,5", None, None) for kind in (Decimal(), Number(0))] == [2.5, 2.5]
    assert [RateType().convert(text, None, None) for text in ("0,9", "1.085")] == [0.9, 1.085]


@pytest.mark.parametrize("kind", [Decimal(), Number(0), RateType()])
def test_a_comma_that_may_separate_thousands_is_misuse(kind: click.ParamType) -> None:
    with pytest.raises(click.BadParameter):
        kind.convert("1,500", None, None)


def test_an_amount_that_may_be_thousands_is_misuse() -> None:
    done = CliRunner().invoke(main, ["bets", "--bankroll", "1.500"])
    assert done.exit_code == 2
    assert "1.500 may mean thousands: write them without a point" in done.stderr


@pytest.mark.parametrize("typed", ["30/11/2026", "30.11.2026", "30 Nov 2026", "2026-11-30"])
def test_a_day_is_given_as_people_type_it(typed: str) -> None:
    command = click.Command("any")
    at = moment(click.Context(command), click.Option(["--from"]), typed)
    assert at == parse_ms("2026-11-30T00:00:00Z")


def test_a_day_may_be_named() -> None:
    at = moment(click.Context(click.Command("any")), click.Option(["--from"]), "yesterday")
    today = system_clock() // DAY_MS * DAY_MS
    assert at in (today - DAY_MS, today - 2 * DAY_MS), "midnight may pass between the two"


@pytest.mark.parametrize("typed", ["08/09/2026", "30/11/2026 18:30", "soon"])
def test_a_day_that_is_unclear_is_misuse(typed: str) -> None:
    with pytest.raises(click.BadParameter, match="expected a date, or a time with an offset"):
        moment(click.Context(click.Command("any")), click.Option(["--from"]), typed)
