"""`ledger sync` against stand-ins of Betfair, Kalshi and Polymarket on loopback (D108)."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.cli.ledger import ledger
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result as Ended
from tests.kit.fake_source import FakeSource, as_response

KEY = "canary-app:canary-session"
BETTING = "/exchange/betting/json-rpc/v1"
ACCOUNT = "/exchange/account/json-rpc/v1"
NOON = "2026-09-12T12:00:00.000Z"
ITEM = {
    "eventTypeDesc": "Soccer",
    "eventDesc": "Arsenal v Chelsea",
    "marketType": "MATCH_ODDS",
    "marketStartTime": "2026-09-12T14:00:00.000Z",
    "runnerDesc": "Arsenal",
}


@pytest.fixture
async def source() -> AsyncIterator[FakeSource]:
    fake = FakeSource()
    await fake.start()
    yield fake
    await fake.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bets.db"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_BETFAIR_KEY", KEY)
    monkeypatch.setenv("ODDSDESK_KALSHI_KEY", "canary-key-id")


async def synced(path: Path, source: FakeSource, *arguments: str) -> Result:
    given = ["sync", *arguments, "--ledger", str(path), "--url", source.url]
    return await asyncio.to_thread(CliRunner().invoke, ledger, given)


def bets_in(path: Path) -> list[PlacedBet]:
    with_bets = Ledger(path)
    bets = with_bets.read_bets()
    with_bets.close()
    return bets


def figures(path: Path) -> list[tuple[Any, ...]]:
    return [
        (bet.source_id, bet.kind.value, bet.selection, round(bet.odds, 4), round(bet.stake, 4),
         bet.result and bet.result.value, None if bet.profit is None else round(bet.profit, 2))
        for bet in bets_in(path)
    ]  # fmt: skip


def cleared(ident: str, side: str, price: float, size: float, profit: float, **more: Any) -> Any:
    return {
        "betId": ident,
        "side": side,
        "priceMatched": price,
        "sizeSettled": size,
        "profit": profit,
        "betOutcome": "WON" if profit > 0 else "LOST",
        "marketId": "1.1",
        "selectionId": 7,
        "eventTypeId": "1",
        "placedDate": NOON,
        "settledDate": "2026-09-12T16:00:00.000Z",
        "itemDescription": ITEM,
    } | more


def current(ident: str, side: str, price: float, size: float, **more: Any) -> Any:
    return {
        "betId": ident,
        "side": side,
        "averagePriceMatched": price,
        "sizeMatched": size,
        "marketId": "1.2",
        "selectionId": 8,
        "status": "EXECUTABLE",
        "placedDate": NOON,
    } | more


MARKET = {
    "marketId": "1.2",
    "description": {"marketType": "MATCH_ODDS"},
    "event": {"id": "5", "name": "Lyon v PSG"},
    "eventType": {"id": "1", "name": "Soccer"},
    "competition": {"id": "9", "name": "French Ligue 1"},
    "marketStartTime": "2026-09-13T19:00:00.000Z",
    "runners": [
        {"selectionId": 8, "runnerName": "Lyon", "sortPriority": 1},
        {"selectionId": 9, "runnerName": "PSG", "sortPriority": 2},
        {"selectionId": 58805, "runnerName": "The Draw", "sortPriority": 3},
    ],
}


class Betfair:
    """A stand-in of Betfair that pages, and notes each method that was called."""

    def __init__(self, source: FakeSource) -> None:
        self.cleared: list[Any] = []
        self.voided: list[Any] = []
        self.current: list[Any] = []
        self.commission: list[Any] = []
        self.page = 1000
        self.called: list[str] = []
        self.errors: dict[str, Any] = {}
        source.behave = self.answer

    async def answer(self, request: Request) -> Response:
        asked = json.loads(await request.body())
        method, params = asked["method"], asked["params"]
        self.called.append(method)
        name = method.rpartition("/")[2]
        assert request.headers["X-Application"] == "canary-app"
        if name in self.errors:
            return as_response(self.errors[name])
        if name == "getAccountDetails":
            return as_response({"result": {"currencyCode": "EUR"}})
        if name == "listMarketCatalogue":
            return as_response({"result": [MARKET]})
        rows, title = self.current, "currentOrders"
        if name == "listClearedOrders":
            title = "clearedOrders"
            by_market = params.get("groupBy") == "MARKET"
            rows = self.voided if params["betStatus"] == "VOIDED" else self.cleared
            rows = self.commission if by_market else rows
        start = params["fromRecord"]
        page = rows[start : start + self.page]
        more = start + self.page < len(rows)
        return as_response({"result": {title: page, "moreAvailable": more}})


async def test_every_kind_of_bet_at_betfair_is_recorded_and_nothing_doubled(
    source: FakeSource, path: Path
) -> None:
    betfair = Betfair(source)
    betfair.page = 2
    betfair.cleared = [
        cleared("1", "BACK", 3.0, 10, 20.0),
        cleared("2", "BACK", 3.0, 10, -10.0),
        cleared("3", "LAY", 1.5, 20, 20.0, selectionId=8),
        cleared("4", "LAY", 1.5, 20, -10.0),
        cleared("5", "BACK", 2.5, 4, 6.0),
        cleared("5", "BACK", 3.5, 4, 10.0),
    ]
    betfair.commission = [{"marketId": "1.1", "commission": 2.8, "profit": 36.0}]
    betfair.voided = [cleared("6", "BACK", 2.2, 5, 0.0, settledDate="")]
    betfair.current = [current("7", "LAY", 4.0, 5), current("8", "BACK", 2.0, 0.0)]
    done = await synced(path, source, "betfair", "--account", "mine")
    assert done.exit_code == 0, done.output
    # 2.80 of commission on winners of 20, 20 and 16: a twentieth each
    assert figures(path) == [
        ("betfair 1", "back", "Arsenal", 3.0, 10.0, "won", 19.0),
        ("betfair 2", "back", "Arsenal", 3.0, 10.0, "lost", -10.0),
        ("betfair 3", "lay", "Arsenal", 1.5, 20.0, "won", 19.0),
        ("betfair 4", "lay", "Arsenal", 1.5, 20.0, "lost", -10.0),
        ("betfair 5", "back", "Arsenal", 3.0, 8.0, "won", 15.2),
        ("betfair 6", "back", "Arsenal", 2.2, 5.0, "void", 0.0),
        ("betfair 7", "lay", "Lyon", 4.0, 5.0, None, None),
    ]
    first, last = bets_in(path)[0], bets_in(path)[-1]
    assert (first.match_name, first.currency, first.account) == (
        "Arsenal vs Chelsea",
        "EUR",
        "mine",
    )
    assert (last.competition, last.market_type, last.liability) == ("LIG1", "moneyline", 15.0)
    again = await synced(path, source, "betfair", "--json")
    counts = json.loads(again.stdout)
    assert (counts["bets"], counts["changed"], counts["there_already"]) == (0, 0, 7)
    assert len(bets_in(path)) == 7
    held = Ledger(path)
    assert held.undo_change() == ("synced", 7)
    held.close()
    assert bets_in(path) == []


async def test_an_open_bet_grows_and_settles(source: FakeSource, path: Path) -> None:
    betfair = Betfair(source)
    betfair.current = [current("1", "BACK", 3.0, 4)]
    await synced(path, source, "betfair")
    betfair.current = [current("1", "BACK", 3.1, 10)]
    await synced(path, source, "betfair")
    assert figures(path) == [("betfair 1", "back", "Lyon", 3.1, 10.0, None, None)]
    betfair.current = []
    betfair.cleared = [cleared("1", "BACK", 3.1, 10, 21.0, itemDescription=None)]
    betfair.commission = [{"marketId": "1.1", "commission": 1.05}]
    done = await synced(path, source, "betfair", "--json")
    assert json.loads(done.stdout)["settled"] == 1
    assert figures(path) == [("betfair 1", "back", "Lyon", 3.1, 10.0, "won", 19.95)]


async def test_dead_heats_and_reduced_odds_are_recorded_as_paid(
    source: FakeSource, path: Path
) -> None:
    betfair = Betfair(source)
    betfair.cleared = [
        cleared("1", "BACK", 10.0, 2, 8.0, marketId="1.5"),  # a dead heat of two
        cleared("2", "BACK", 1.5, 10, -2.5, marketId="1.6", betOutcome="WON"),
        cleared("3", "BACK", 2.7, 10, 17.0, marketId="1.7", priceReduced=True),
    ]
    betfair.commission = [{"marketId": f"1.{each}", "commission": 0} for each in (5, 6, 7)]
    done = await synced(path, source, "betfair", "--json")
    assert [row[-2:] for row in figures(path)] == [
        ("won", 8.0), ("cashed_out", -2.5), ("won", 17.0)
    ]  # fmt: skip
    assert len(json.loads(done.stdout)["remarks"]) == 3


async def test_only_requests_that_read_are_ever_sent(source: FakeSource, path: Path) -> None:
    betfair = Betfair(source)
    betfair.cleared = [cleared("1", "BACK", 3.0, 10, 20.0)]
    betfair.current = [current("7", "LAY", 4.0, 5)]
    await synced(path, source, "betfair")
    assert set(betfair.called) == {
        "AccountAPING/v1.0/getAccountDetails",
        "SportsAPING/v1.0/listClearedOrders",
        "SportsAPING/v1.0/listCurrentOrders",
        "SportsAPING/v1.0/listMarketCatalogue",
    }
    source.asked.clear()
    kalshi(source, path.parent)
    await synced(path, source, "kalshi", "--private-key", str(path.parent / "key.pem"))
    polymarket(source, [], [])
    await synced(path, source, "polymarket", "--wallet", WALLET)
    assert {(request.method, request.url.path) for request in source.asked} == {
        ("GET", "/trade-api/v2/portfolio/fills"),
        ("GET", "/trade-api/v2/portfolio/settlements"),
        ("GET", "/trade-api/v2/portfolio/positions"),
        ("GET", "/trade-api/v2/markets"),
        ("GET", "/data/activity"),
        ("GET", "/data/positions"),
    }


async def test_an_expired_session_is_said_without_the_key(source: FakeSource, path: Path) -> None:
    betfair = Betfair(source)
    refused = {"error": {"data": {"APINGException": {"errorCode": "INVALID_SESSION_INFORMATION"}}}}
    betfair.errors["getAccountDetails"] = refused
    done = await synced(path, source, "betfair")
    assert (done.exit_code, "log in again" in done.output) == (1, True)
    assert "canary" not in done.output


async def test_what_cannot_be_read_is_said_and_the_rest_kept(
    source: FakeSource, path: Path
) -> None:
    betfair = Betfair(source)
    betfair.cleared = [
        cleared("1", "BACK", 3.0, 10, 20.0),
        cleared("2", "BOTH", 3.0, 10, 20.0),
        cleared("3", "BACK", "many", 10, 20.0),
    ]
    betfair.commission = [{"marketId": "1.1", "commission": 0}]
    betfair.errors["listCurrentOrders"] = {"result": {"moreAvailable": "maybe"}}
    betfair.errors["getAccountDetails"] = {"result": {}}
    done = await synced(path, source, "betfair", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert [row[0] for row in figures(path)] == ["betfair 1"]
    text = "\n".join(told["problems"])
    for part in ("bet 2: side 'BOTH'", "bet '3'", "without currentOrders", "assumed GBP"):
        assert part in text


async def test_a_list_that_repeats_itself_ends(source: FakeSource, path: Path) -> None:
    betfair = Betfair(source)
    betfair.errors["listClearedOrders"] = {
        "result": {"clearedOrders": [cleared("1", "BACK", 3.0, 10, 20.0)], "moreAvailable": True}
    }
    done = await synced(path, source, "betfair", "--json")
    assert "sends the same again" in done.stdout
    assert [row[0] for row in figures(path)] == ["betfair 1"]


async def test_a_wrong_clock_is_said(source: FakeSource, path: Path) -> None:
    late = {"date": "Mon, 01 Jan 2024 00:00:00 GMT"}
    polymarket(source, [], [], headers=late)
    done = await synced(path, source, "polymarket", "--wallet", WALLET)
    assert (done.exit_code, "clock is" in done.output) == (1, True)


async def test_a_dry_run_records_nothing(source: FakeSource, path: Path) -> None:
    Betfair(source).cleared = [cleared("1", "BACK", 3.0, 10, 20.0)]
    done = await synced(path, source, "betfair", "--dry-run")
    assert "new: Arsenal, Arsenal v Chelsea: 10.00 EUR at 3, won" in done.output
    assert not path.exists()


def kalshi(
    source: FakeSource,
    folder: Path,
    *,
    is_older: bool = False,
    is_settled: bool = True,
    revenue: int = 1000,
    held: float = 0,
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    (folder / "key.pem").write_bytes(pem)
    pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
    ticker = "KXEPLGAME-26SEP12ARSCHE-ARS"

    def fill(order: str, action: str, side: str, count: int, yes: float, hour: int) -> Any:
        at = f"2026-09-12T{hour:02}:00:00Z"
        prices = (
            {"yes_price": round(yes * 100)} if is_older else {"yes_price_dollars": f"{yes:.4f}"}
        )
        return {"order_id": order, "action": action, "side": side, "count": count, "ticker": ticker,
                "created_time": at, "fee_cost": "0.10"} | prices  # fmt: skip

    pages: dict[str, Any] = {
        "": {"fills": [fill("a", "buy", "yes", 10, 0.40, 1), fill("a", "buy", "yes", 10, 0.42, 2)],
             "cursor": "next"},
        "next": {"fills": [fill("b", "sell", "yes", 5, 0.50, 3),
                           fill("c", "buy", "no", 25, 0.60, 4)], "cursor": ""},
    }  # fmt: skip

    async def answer(request: Request) -> Response:
        said = request.headers["KALSHI-ACCESS-TIMESTAMP"] + request.method + request.url.path
        signature = base64.b64decode(request.headers["KALSHI-ACCESS-SIGNATURE"])
        key.public_key().verify(signature, said.encode(), pss, hashes.SHA256())
        assert request.headers["KALSHI-ACCESS-KEY"] == "canary-key-id"
        match request.url.path.rpartition("/")[2]:
            case "fills":
                return as_response(pages[request.query_params.get("cursor", "")])
            case "settlements":
                settled = {"ticker": ticker, "market_result": "no", "revenue": revenue,
                           "settled_time": "2026-09-12T17:00:00Z"}  # fmt: skip
                return as_response({"settlements": [settled] * is_settled, "cursor": ""})
            case "positions":
                position = {"ticker": ticker, "position_fp": str(held)}
                return as_response({"market_positions": [position] * (held != 0), "cursor": ""})
        market = {"ticker": ticker, "event_ticker": "KXEPLGAME-26SEP12ARSCHE",
                  "title": "Arsenal vs Chelsea Winner?", "yes_sub_title": "Arsenal"}  # fmt: skip
        return as_response({"markets": [market]})

    source.behave = answer


@pytest.mark.parametrize("is_older", [False, True])
async def test_kalshis_sells_reduce_a_position_and_a_no_is_a_lay(
    source: FakeSource, path: Path, is_older: bool
) -> None:
    kalshi(source, path.parent, is_older=is_older)
    pem = str(path.parent / "key.pem")
    done = await synced(path, source, "kalshi", "--private-key", pem)
    assert done.exit_code == 0, done.output
    yes, no = bets_in(path)
    # 20 Yes for 8.20 and 0.20 of fees; 5 sold at 0.50 less 0.10; 15 closed by buying No at 0.40
    assert (yes.source_id, yes.kind.value, yes.selection) == ("kalshi a", "back", "Arsenal")
    assert yes.stake == pytest.approx(8.40)
    assert yes.result is Ended.CASHED_OUT
    assert yes.profit == pytest.approx(5 * 0.50 - 0.10 + 15 * 0.60 - 0.10 * 15 / 25 - 8.40)
    # the other 10 No for 4.00 and 0.04: a lay at 1 / 0.60 that won 10
    assert (no.kind.value, no.competition, no.currency) == ("lay", "EPL", "USD")
    assert no.odds == pytest.approx(1 / 0.60)
    assert no.liability == pytest.approx(4.04)
    assert no.profit == pytest.approx(10 - 4.04)
    await synced(path, source, "kalshi", "--private-key", pem)
    assert bets_in(path) == [yes, no]
    assert "canary" not in done.output


@pytest.mark.parametrize(
    ("answers", "count"),
    [
        ({"is_settled": False, "held": -10}, 2),
        ({"is_settled": False, "held": 5}, 0),
        ({"is_settled": False}, 0),
        ({"revenue": 900}, 0),
    ],
)
async def test_fills_that_do_not_add_up_to_the_position_leave_it_out(
    source: FakeSource, path: Path, answers: dict[str, Any], count: int
) -> None:
    kalshi(source, path.parent, **answers)
    pem = str(path.parent / "key.pem")
    done = await synced(path, source, "kalshi", "--private-key", pem)
    assert len(bets_in(path)) == count
    assert ("do not add up" in done.output) == (count == 0)


async def test_a_fill_that_cannot_be_read_leaves_its_market_out(
    source: FakeSource, path: Path
) -> None:
    kalshi(source, path.parent)
    inner = source.behave
    assert inner is not None

    async def broken(request: Request) -> Response:
        reply = await inner(request)
        return as_response(bytes(reply.body).replace(b'"sell"', b'"lend"'))

    source.behave = broken
    pem = str(path.parent / "key.pem")
    done = await synced(path, source, "kalshi", "--private-key", pem)
    assert (done.exit_code, bets_in(path)) == (1, [])
    assert "left out, as one of its fills cannot be read" in done.output


async def test_a_file_that_is_no_private_key_is_said(source: FakeSource, path: Path) -> None:
    (path.parent / "key.pem").write_text("canary, not a key")
    pem = str(path.parent / "key.pem")
    done = await synced(path, source, "kalshi", "--private-key", pem)
    assert (done.exit_code, "expected the private key" in done.output) == (1, True)
    assert "canary" not in done.output


WALLET = "0x56687bf447db6ffa42ffe2204a05edaa20f55839"


def row(side: str, outcome: int, size: float, usd: float, second: int, **more: Any) -> Any:
    return {
        "type": "TRADE",
        "timestamp": 1_789_200_000 + second,
        "conditionId": "0x11223344556677",
        "size": size,
        "usdcSize": usd,
        "asset": ("yes-token", "no-token")[outcome],
        "side": side,
        "outcome": ("Yes", "No")[outcome],
        "outcomeIndex": outcome,
        "title": "Will Arsenal win?",
        "eventSlug": "epl-ars-che-2026-09-12",
        "transactionHash": f"0x{second}",
    } | more


def redeem(size: float, usd: float, second: int, **more: Any) -> Any:
    return row("", 0, size, usd, second, type="REDEEM", asset="", **more)


def polymarket(
    source: FakeSource,
    rows: Iterable[Any],
    prices: list[str],
    headers: dict[str, str] | None = None,
    held: list[Any] | None = None,
) -> None:
    def market(name: str, tokens: list[str], said: list[str]) -> Any:
        return {
            "question": f"Will {name} win?",
            "groupItemTitle": name,
            "sportsMarketType": "moneyline",
            "outcomes": '["Yes", "No"]',
            "clobTokenIds": json.dumps(tokens),
            "outcomePrices": json.dumps(said),
            "closed": bool(said),
            "closedTime": "2026-09-12T17:00:00Z",
            "gameStartTime": "2026-09-12T14:00:00Z",
        }

    event = {
        "slug": "epl-ars-che-2026-09-12",
        "title": "Arsenal vs. Chelsea",
        "closed": bool(prices),
        "markets": [
            market("Arsenal", ["yes-token", "no-token"], prices),
            market("Draw (Arsenal vs. Chelsea)", ["x", "y"], prices),
            market("Chelsea", ["c", "d"], prices),
        ],
    }
    source.behave = None
    source.say("/data/activity", list(rows), headers=headers)
    source.say("/data/positions", held or [], headers=headers)
    source.say("/gamma/events", [event], headers=headers)


async def test_polymarkets_shares_are_backs_and_lays_with_their_names(
    source: FakeSource, path: Path
) -> None:
    rows = [
        row("BUY", 0, 100, 40, 1),
        row("SELL", 0, 50, 25, 2),
        row("BUY", 1, 20, 12, 3),
        redeem(50, 50, 4),
    ]
    polymarket(source, rows, [])
    await synced(path, source, "polymarket", "--wallet", WALLET)
    polymarket(source, rows, ["1", "0"])
    done = await synced(path, source, "polymarket", "--wallet", WALLET)
    assert done.exit_code == 0, done.output
    yes, no = bets_in(path)
    assert (yes.match_name, yes.selection, yes.competition) == (
        "Arsenal vs Chelsea",
        "Arsenal",
        "EPL",
    )
    assert (yes.kind.value, yes.odds, yes.stake) == ("back", 2.5, 40)
    assert yes.profit == pytest.approx(25 - 20 + 50 - 20)
    assert (no.kind.value, no.selection, no.liability) == ("lay", "Arsenal", pytest.approx(12))
    assert no.profit == pytest.approx(-12)
    assert len(await asyncio.to_thread(bets_in, path)) == 2


async def test_shares_that_the_wallet_does_not_hold_are_remarked(
    source: FakeSource, path: Path
) -> None:
    held = [{"asset": "yes-token", "size": 97.0}]
    polymarket(source, [row("BUY", 0, 100, 40, 1)], [], held=held)
    done = await synced(path, source, "polymarket", "--wallet", WALLET, "--json")
    (remark,) = json.loads(done.stdout)["remarks"]
    assert "leave 100.00 shares, but the wallet holds 97.00" in remark
    assert (done.exit_code, len(bets_in(path))) == (0, 1)


async def test_a_game_called_off_pays_half_and_a_redemption_settles_by_itself(
    source: FakeSource, path: Path
) -> None:
    polymarket(source, [row("BUY", 0, 100, 40, 1)], ["0.5", "0.5"])
    await synced(path, source, "polymarket", "--wallet", WALLET)
    assert figures(path)[0][-2:] == ("cashed_out", 10.0)
    source.say("/gamma/events", [])
    redeemed = redeem(80, 80, 4, conditionId="0xff")
    bought = row("BUY", 0, 80, 20, 1, conditionId="0xff", transactionHash="0xff")
    source.say("/data/activity", [bought, redeemed])
    await synced(path, source, "polymarket", "--wallet", WALLET)
    assert figures(path)[1][-2:] == ("won", 60.0)


async def test_what_polymarket_does_not_tell_is_listed_and_not_guessed(
    source: FakeSource, path: Path
) -> None:
    rows = [
        row("SELL", 0, 50, 25, 1),
        row("SPLIT", 0, 50, 25, 1, type="SPLIT", conditionId="0x22", title="Split"),
        row("BUY", 0, 50, "much", 1, conditionId="0x33"),
        row("BUY", 0, 10, 5, 9, conditionId="0x44", transactionHash="0x44"),
    ]
    polymarket(source, rows, [])
    done = await synced(path, source, "polymarket", "--wallet", WALLET, "--json")
    told = "\n".join(json.loads(done.stdout)["problems"])
    assert "more shares were sold than bought" in told
    assert "Split: left out, as its activity has split" in told
    assert "0x33" in told
    assert [each[0] for each in figures(path)] == ["polymarket 0x44 44 0"]


async def test_a_service_that_wants_fewer_requests_is_asked_again(
    source: FakeSource, path: Path
) -> None:
    polymarket(source, [row("BUY", 0, 100, 40, 1)], [])
    source.say(
        "/data/activity",
        as_response({}, 429, {"retry-after": "1"}),
        as_response([row("BUY", 0, 100, 40, 1)]),
    )
    done = await synced(path, source, "polymarket", "--wallet", WALLET)
    assert (done.exit_code, len(bets_in(path))) == (0, 1)
