"""Bets of an account against those in the ledger (D108)."""

from pathlib import Path
from typing import Any

import msgspec

from oddsdesk.contract.times import DAY_MS, MINUTE_MS
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.syncing import Synced, compare_account
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result

NOW = 1_789_200_000_000 + 34_000
PROFILES = shipped_profiles()
WON = {"result": Result.WON, "settled_at": NOW + 9, "settled_by": "Betfair Exchange"}


def bet(**changes: Any) -> PlacedBet:
    """A bet as the account has it."""
    fields = {
        "game_id": "account", "match_name": "Arsenal vs Chelsea", "competition": "",
        "sport": "Football",
        "market_type": "moneyline", "period": 0, "selection": "Arsenal",
        "bookmaker": "Betfair Exchange", "odds": 3.1234, "stake": 10.0, "placed_at": NOW,
        "kick_off": NOW + 60 * MINUTE_MS, "net_odds": 3.0, "currency": "EUR",
        "source_id": "betfair 1",
    }  # fmt: skip
    return PlacedBet(**(fields | changes))


def typed(**changes: Any) -> PlacedBet:
    """The same as the user typed it."""
    fields = {
        "game_id": "service", "match_name": "Chelsea @ Arsenal", "bookmaker": "Betfair Exchange UK",
        "odds": 3.12, "net_odds": None, "currency": "", "source_id": "", "note": "mine", "ident": 5,
        "placed_at": NOW + 90 * MINUTE_MS, "kick_off": None, "fair_odds": 2.9,
    }  # fmt: skip
    return msgspec.structs.replace(bet(), **(fields | changes))


def compared(account: PlacedBet, held: PlacedBet) -> Synced:
    return compare_account([account], [held], PROFILES)


def test_a_bet_that_was_typed_is_the_accounts_and_keeps_what_the_user_wrote() -> None:
    found = compared(bet(**WON), typed())
    (changed,) = found.changed
    assert (found.fresh, found.there, found.settled) == ([], 1, 1)
    assert (changed.ident, changed.note, changed.fair_odds) == (5, "mine", 2.9)
    assert (changed.match_name, changed.game_id) == ("Chelsea @ Arsenal", "service")
    assert (changed.odds, changed.net_odds, changed.result) == (3.1234, 3.0, Result.WON)
    assert (changed.source_id, changed.currency) == ("betfair 1", "EUR")
    again = compared(bet(**WON), changed)
    assert (again.fresh, again.changed, again.problems) == ([], [], [])


def test_only_the_same_bet_is_the_same() -> None:
    for other in (
        typed(kind=BetKind.LAY),
        typed(stake=10.5),
        typed(odds=3.2),
        typed(selection="Chelsea"),
        typed(match_name="Arsenal vs Leeds"),
        typed(market_type="btts"),
        typed(period=1),
        typed(bookmaker="Smarkets"),
        typed(currency="GBP"),
        typed(placed_at=NOW + DAY_MS),
        typed(practice=True),
        typed(source_id="betfair 2"),
    ):
        assert len(compared(bet(), other).fresh) == 1, other


def test_a_bet_known_by_its_day_only_is_the_same_on_that_day() -> None:
    midnight = NOW - NOW % DAY_MS
    assert not compared(bet(), typed(placed_at=midnight)).fresh
    assert compared(bet(), typed(placed_at=midnight - DAY_MS)).fresh


def test_of_two_equal_bets_each_is_recognised_once() -> None:
    account = [bet(), bet(source_id="betfair 2", placed_at=NOW + MINUTE_MS)]
    found = compare_account(account, [typed()], PROFILES)
    assert (len(found.fresh), len(found.changed)) == (1, 1)
    assert found.there == 1


def test_a_result_of_the_user_stays_and_a_difference_is_said() -> None:
    held = settled(typed(), Result.LOST, NOW)
    found = compared(bet(**WON), held)
    assert found.changed == [msgspec.structs.replace(held, source_id="betfair 1")]
    assert found.problems == ["bet 5 is lost in the ledger, but the account says won; not changed"]


def test_an_equal_result_takes_the_accounts_amounts() -> None:
    held = settled(typed(), Result.WON, NOW, "football-data 2-1")
    (changed,) = compared(bet(**WON), held).changed
    assert (changed.net_odds, changed.settled_by) == (3.0, "football-data 2-1")


def test_what_the_account_settled_it_may_settle_otherwise() -> None:
    held = msgspec.structs.replace(typed(source_id="betfair 1"), **WON)
    void = bet(result=Result.VOID, settled_at=NOW + 99, settled_by="Betfair Exchange")
    (changed,) = compared(void, held).changed
    assert (changed.result, changed.settled_at) == (Result.VOID, NOW + 99)


def test_a_result_that_the_user_undid_stays_undone() -> None:
    held = typed(source_id="betfair 1", undone="won by Betfair Exchange")
    found = compared(bet(**WON), held)
    assert found.changed == []
    assert found.problems == ["bet 5: the account says won, which you undid"]


def test_a_bet_that_makes_no_sense_is_said_and_the_rest_kept() -> None:
    found = compare_account([bet(odds=0.5), bet(source_id="betfair 2")], [], PROFILES)
    assert [each.source_id for each in found.fresh] == ["betfair 2"]
    assert len(found.problems) == 1


def test_all_of_a_sync_is_one_change(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "bets.db")
    held = ledger.record_bet(typed(ident=None))
    found = compare_account([bet(**WON), bet(source_id="betfair 2")], ledger.read_bets(), PROFILES)
    assert ledger.take_over(found.fresh, found.changed, "synced") == (1, 1)
    assert len(ledger.read_bets()) == 2
    change = ledger.last_change()
    assert change is not None
    assert ledger.undo_change() == ("synced", 2)
    before = msgspec.structs.replace(held, undone="won by Betfair Exchange")
    assert ledger.read_bets() == [before]
    assert ledger.redo(change)
    assert len(ledger.read_bets()) == 2
    ledger.close()
