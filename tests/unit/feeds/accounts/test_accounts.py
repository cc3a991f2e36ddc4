"""Reading accounts: recorded answers of Betfair, order streams, positions of shares (D108)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.accounts import AccountBet, AccountSource, Trade, bet_of_lot, lots_of
from oddsdesk.feeds.accounts.betfair import BETTING, READS, BetfairOrders, OrderStream
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import SourceError
from oddsdesk.feeds.live.source import Source
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result

PROFILE = shipped_profiles().profile_of("Betfair Exchange")


@pytest.mark.parametrize(
    "method",
    [f"SportsAPING/v1.0/{name}Orders" for name in ("place", "cancel", "update", "replace")],
)
async def test_anything_but_reading_is_refused_before_it_is_sent(method: str) -> None:
    def judge(_: Any) -> None:
        raise AssertionError("it was sent")

    source = AccountSource(Source("http://127.0.0.1:1", None, None, judge), READS)
    with pytest.raises(SourceError, match="not an allowed read request"):
        await source.call_method(BETTING, method, {})
    with pytest.raises(SourceError, match="not an allowed read request"):
        await source.get("/trade-api/v2/portfolio/orders")


def test_the_recorded_lay_is_one_bet_whichever_list_has_it(shared_data: Path) -> None:
    folder = shared_data / "live" / "betfair" / "account"
    orders = BetfairOrders(PROFILE)
    for _ in range(2):
        for name in ("cleared", "current"):
            orders.take_file((folder / f"list_{name}_orders.json").read_bytes())
    orders.take_file((folder / "list_current_orders_description.json").read_bytes())
    found = orders.account_bets()
    (bet,) = found.bets
    assert (bet.ident, bet.is_lay, bet.odds, bet.stake) == ("71958694780", True, 1.22, 2.0)
    assert bet.result is Result.LOST
    assert found.remarks == ["bet 71958694780: Betfair does not name market 1.125875592"]
    with pytest.raises(FeedError):
        orders.take_file((folder / "list_market_profit_and_loss.json").read_bytes()[:-5])


def test_an_order_stream_ends_in_the_recorded_orders(shared_data: Path) -> None:
    folder = shared_data / "live" / "betfair" / "account"
    stream = OrderStream()
    for line in (folder / "ORDER-1.177596575").read_bytes().splitlines():
        stream.take_line(line)
    processed = json.loads((folder / "ORDER-1.177596575-processed.json").read_bytes())
    names = {
        "bet_id": "betId", "market_id": "marketId", "selection_id": "selectionId", "side": "side",
        "status": "status", "average_price_matched": "averagePriceMatched", "handicap": "handicap",
        "size_matched": "sizeMatched", "size_remaining": "sizeRemaining",
        "size_cancelled": "sizeCancelled", "size_lapsed": "sizeLapsed",
        "size_voided": "sizeVoided",
    }  # fmt: skip
    found = [
        {theirs: getattr(each, ours) for ours, theirs in names.items()} for each in stream.orders()
    ]
    expected = processed[-1]["currentOrders"]
    assert found == [{theirs: each[theirs] for theirs in names.values()} for each in expected]
    by_file, by_list = BetfairOrders(PROFILE), BetfairOrders(PROFILE)
    by_file.take_file((folder / "ORDER-1.177596575").read_bytes())
    by_list.take_current(processed[-1])
    assert by_file.account_bets() == by_list.account_bets()


def message(**order: Any) -> bytes:
    said = {"id": "1", "side": "L", "status": "E", "pd": 1_789_200_000_000} | order
    runner = {"id": 8, "uo": [said]}
    return json.dumps({"op": "ocm", "oc": [{"id": "1.2", "orc": [runner]}]}).encode()


def test_an_order_stream_and_a_list_make_the_same_bet() -> None:
    listed, streamed = BetfairOrders(PROFILE), BetfairOrders(PROFILE)
    order = {
        "betId": "1", "marketId": "1.2", "selectionId": 8, "side": "LAY", "sizeMatched": 5.0,
        "status": "EXECUTION_COMPLETE", "placedDate": "2026-09-12T08:00:00.000Z",
        "averagePriceMatched": 3.45,
    }  # fmt: skip
    listed.take_current({"currentOrders": [order]})
    lines = [
        message(sm=2.0, avp=3.4, sr=3.0),
        b'{"op":"mcm"}',
        message(sm=5.0, avp=3.45, sr=0.0, status="EC"),
    ]
    streamed.take_file(b"\n".join(lines))
    found = streamed.account_bets()
    assert found.bets == listed.account_bets().bets
    assert (found.bets[0].is_lay, found.bets[0].odds, found.bets[0].stake) == (True, 3.45, 5.0)


def test_a_broken_line_of_a_stream_is_said_and_the_rest_kept() -> None:
    orders = BetfairOrders(PROFILE)
    orders.take_file(message(sm=2.0, avp=3.4) + b'\n{"op":"ocm","oc":[{"orc":[]}]}\n{"op":')
    found = orders.account_bets()
    assert len(found.bets) == 1
    assert [each.partition(":")[0] for each in found.problems] == ["line 2", "line 3"]


NAMED = AccountBet(
    ident="", is_lay=False, match_name="A vs B", market_type="moneyline", selection="A",
    odds=2.0, stake=1.0, placed_at=0,
)  # fmt: skip

trades = st.lists(
    st.builds(
        Trade,
        order=st.sampled_from("abc"),
        is_yes=st.booleans(),
        shares=st.integers(1, 50).map(float),
        price=st.integers(1, 99).map(lambda cents: cents / 100),
        fee=st.integers(0, 1).map(lambda cents: cents / 1000),
        at_ms=st.integers(0, 9),
    ),
    max_size=12,
)


@given(trades, st.sampled_from([0.0, 0.5, 1.0]))
def test_bets_of_a_position_add_up_to_what_it_earned(made: list[Trade], paid: float) -> None:
    """The profit of all bets is that of the cash that moved, and of what is held at the end."""
    cash = held = 0.0
    for trade in made:
        side = 1 if trade.is_yes else -1
        cash -= side * trade.shares * trade.price + trade.fee
        held += side * trade.shares
    bets = [bet_of_lot(lot, NAMED, paid, 99) for lot in lots_of(made)]
    profit = 0.0
    for bet in bets:
        assert bet is not None
        size = bet.stake * (bet.odds - 1) if bet.is_lay else bet.stake
        assert 0 <= bet.cashed_stake <= size
        left = size - bet.cashed_stake
        assert bet.net_odds is not None
        earned = {Result.WON: left * (bet.net_odds - 1), Result.LOST: -left}
        profit += earned.get(bet.result or Result.VOID, 0.0) + bet.cashed_back - bet.cashed_stake
    assert profit == pytest.approx(cash + held * paid, abs=1e-6)
