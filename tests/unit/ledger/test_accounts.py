"""Balances by account, movements of money and exchange rates."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.times import DAY_MS
from oddsdesk.ledger import schema
from oddsdesk.ledger.accounts import (
    BadMoneyError,
    Balance,
    MoneyBook,
    Movement,
    Rate,
    balances,
    in_main_currency,
    total_in_main,
)
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet, cashed_out, settled
from oddsdesk.ledger.ledger import Ledger, merge_ledger
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import Depth

NOW = 1_789_200_000_000
PROFILES = shipped_profiles()


def bet(**changes: Any) -> PlacedBet:
    fields = {
        "game_id": "g", "match_name": "A vs B", "competition": "", "sport": "Football",
        "market_type": "moneyline", "period": 0, "selection": "A", "bookmaker": "Pinnacle",
        "odds": 3.0, "stake": 10.0, "placed_at": NOW, "kick_off": NOW,
    }  # fmt: skip
    return PlacedBet(**(fields | changes))


def moved(kind: str, amount: float, currency: str = "", **more: Any) -> Movement:
    return Movement(NOW, kind, amount, currency, more.pop("bookmaker", "Pinnacle"), **more)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(tmp_path / "bets.db")
    yield made
    made.close()


def of(bets: list[PlacedBet], book: MoneyBook) -> list[Balance]:
    return balances(bets, book, PROFILES, NOW)


def test_a_balance_is_what_was_moved_plus_profit_less_money_at_risk() -> None:
    bets = [
        settled(bet(), Result.WON, NOW),  # +20
        settled(bet(stake=7.0), Result.LOST, NOW),  # -7
        bet(stake=5.0),  # at risk
        bet(kind=BetKind.LAY, odds=4.0, stake=2.0),  # 6 at risk
        bet(kind=BetKind.FREE, stake=50.0),  # nothing at risk
        cashed_out(bet(stake=8.0), 4.0, 3.0, NOW),  # -1, and 4 at risk
        bet(stake=1000.0, practice=True),
    ]
    (found,) = of(bets, MoneyBook(movements=[moved("deposit", 100), moved("withdrawal", -30)]))
    assert (found.moved, found.profit, found.at_risk, found.open_bets) == (70, 12, 15, 4)
    assert (found.balance, found.in_main) == (67, None)


def test_accounts_differ_by_bookmaker_account_and_currency() -> None:
    bets = [
        settled(bet(bookmaker="pinnacle", currency="USD"), Result.LOST, NOW),
        settled(bet(currency="EUR"), Result.LOST, NOW),
        settled(bet(), Result.LOST, NOW),
        settled(bet(account="second"), Result.LOST, NOW),
        settled(bet(bookmaker="Corner Shop"), Result.LOST, NOW),
    ]
    found = of(bets, MoneyBook("EUR", (), [Rate("USD", "EUR", 0, 0.9)]))
    assert [(x.bookmaker, x.account, x.currency, x.balance, x.in_main) for x in found] == [
        ("Corner Shop", "", "EUR", -10, -10),
        ("Pinnacle", "", "EUR", -20, -20),  # without a currency it is the main one
        ("Pinnacle", "", "USD", -10, -9),
        ("Pinnacle", "second", "EUR", -10, -10),
    ]
    assert total_in_main(found) == (-49, [])
    without = of(bets, MoneyBook("EUR"))
    assert total_in_main(without) == (None, ["USD"])


def test_a_rate_holds_from_its_time_until_the_next() -> None:
    rates = [Rate("USD", "EUR", NOW, 0.9), Rate("USD", "EUR", NOW + DAY_MS, 0.8)]
    book = MoneyBook("EUR", (), [*rates, Rate("USD", "GBP", 0, 7.0)])
    times = (NOW - 1, NOW, NOW + DAY_MS - 1, NOW + DAY_MS)
    assert [book.rates_at(at).rate_of("USD") for at in times] == [0.9, 0.9, 0.9, 0.8]
    assert book.rates_at(NOW).rate_of("JPY") is None
    assert Rates().rate_of("USD") is None
    assert Rates().rate_of("") == 1


def test_bets_in_the_main_currency_earn_what_they_earned_at_the_rate_of_their_settlement() -> None:
    book = MoneyBook("EUR", (), [Rate("USD", "EUR", 0, 0.5), Rate("USD", "EUR", NOW, 0.8)])
    bets = [
        settled(bet(currency="USD"), Result.WON, NOW - 1),
        settled(bet(currency="USD", kind=BetKind.LAY, odds=3.3), Result.LOST, NOW),
        cashed_out(bet(currency="USD", kind=BetKind.LAY, odds=3.3), 23.0, 9.0, NOW),
        settled(
            bet(currency="USD", kind=BetKind.REFUND, refund=4.0, refund_as="money"),
            Result.LOST,
            NOW,
        ),
        settled(bet(currency="JPY"), Result.WON, NOW),
    ]
    found = list(in_main_currency(bets, book, NOW))
    assert [each.profit for each in found] == pytest.approx([10, -18.4, -11.2, -4.8, 20])
    assert [each.currency for each in found] == ["EUR"] * 4 + ["JPY"]
    assert list(in_main_currency(bets, MoneyBook(), NOW)) == bets


def test_caps_count_open_bets_in_the_main_currency() -> None:
    book = MoneyBook("EUR", (), [Rate("USD", "EUR", 0, 0.5)])
    held = in_main_currency([bet(currency="USD"), bet(game_id="h")], book, NOW)
    assert placed_in(held, NOW).total == 15


def test_what_is_for_sale_is_converted_once() -> None:
    rates = Rates("EUR", {"USD": 0.5})
    depth = Depth(((2.0, 100.0), (1.9, 50.0)), "USD", ((2.1, 30.0),))
    own = rates.own_money(depth)
    assert own == Depth(((2.0, 50.0), (1.9, 25.0)), "EUR", ((2.1, 15.0),), 0.5, "USD")
    assert rates.own_money(own) is own
    assert Rates().own_money(depth) is depth
    assert rates.own_money(depth._replace(currency="JPY")).rate is None
    assert rates.own_money(depth._replace(currency="EUR")).levels == depth.levels


def test_movements_and_rates_are_kept_and_removed(ledger: Ledger, tmp_path: Path) -> None:
    first = ledger.money.add_movement(moved("deposit", 100, "USD", note="first"))
    second = ledger.money.add_movement(moved("correction", -3.5))
    ledger.money.choose_main("eur")
    ledger.money.set_rate(Rate("usd", "EUR", 5, 0.9))
    ledger.money.set_rate(Rate("USD", "EUR", 5, 0.8))
    book = ledger.money.read_book()
    assert book == MoneyBook("EUR", [first, second], [Rate("USD", "EUR", 5, 0.8)])
    assert ledger.money.remove_movement(first.ident or 0)
    assert not ledger.money.remove_movement(first.ident or 0)
    again = Ledger(tmp_path / "bets.db")
    assert again.money.read_book().movements == [second]
    again.close()


@pytest.mark.parametrize(
    "movement",
    [
        moved("deposit", -1),
        moved("withdrawal", 1),
        moved("deposit", 0),
        moved("deposit", float("inf")),
        moved("gift", 1),
        moved("deposit", 1, "12"),
        moved("deposit", 1, bookmaker=" "),
    ],
)
def test_an_impossible_movement_is_refused(ledger: Ledger, movement: Movement) -> None:
    with pytest.raises(BadMoneyError):
        ledger.money.add_movement(movement)
    assert not ledger.money.read_book().movements


@pytest.mark.parametrize(
    "rate",
    [
        Rate("EUR", "EUR", 0, 2.0),
        Rate("USD", "EUR", 0, 0.0),
        Rate("USD", "EUR", 0, float("nan")),
        Rate("$", "EUR", 0, 1.0),
    ],
)
def test_an_impossible_rate_is_refused(ledger: Ledger, rate: Rate) -> None:
    with pytest.raises(BadMoneyError):
        ledger.money.set_rate(rate)


def test_merging_adds_what_is_missing_once(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(tmp_path / "other.db")
    for each in (ledger, other):
        each.money.add_movement(moved("deposit", 100))
    other.money.add_movement(moved("deposit", 5, account="second"))
    other.money.choose_main("GBP")
    other.money.set_rate(Rate("USD", "GBP", 0, 0.7))
    other.close()
    for _ in range(2):
        merge_ledger(tmp_path / "other.db", tmp_path / "bets.db")
    book = ledger.money.read_book()
    assert [each.amount for each in book.movements] == [100, 5]
    assert (book.main, book.rates) == ("GBP", [Rate("USD", "GBP", 0, 0.7)])


def test_an_older_ledger_comes_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.db"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "_STEPS", schema._STEPS[:-1])
        old = Ledger(path)
        placed = old.record_bet(bet())
        old.close()
    ledger = Ledger(path)
    assert ledger.read_bets() == [placed]
    assert ledger.money.read_book() == MoneyBook("", [], [])
    assert ledger.undo_change() == ("placed", 1)
    ledger.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM movement").fetchone() == (0,)
    connection.close()
