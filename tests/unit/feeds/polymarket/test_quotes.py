"""Quotes of Polymarket: gross odds at the best ask, in the field's order."""

import json

import pytest

from oddsdesk.contract.quotes import Quote, check_quote
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import HIGHEST_FEE, Game, Listing
from oddsdesk.feeds.polymarket.quotes import quotes_of
from oddsdesk.pricing.profiles import Kind, Profile
from oddsdesk.shipped_bookmakers import shipped_profiles

NOW = 1_800_000_000_000
SIDES = {"Luton": "away", "Draw": "draw", "Leeds": "home"}


def books(**asks: str) -> Books:
    held = Books()
    heard = [
        {"asset_id": token, "asks": [{"price": ask, "size": "1"}]} for token, ask in asks.items()
    ]
    held.take_books(json.dumps(heard).encode())
    return held


def game(*, kick_off: int | None = NOW + 1, is_live: bool | None = None) -> Game:
    return Game("Leeds vs Luton", "EPL", kick_off, is_live, "https://polymarket.com/event/x")


def moneyline(held: Books, **fields: int | bool | None) -> Quote:
    of = game(**fields)  # type: ignore[arg-type]
    of.markets["moneyline"] = dict(SIDES)
    (quote,) = quotes_of([of], held, NOW)
    return check_quote(quote, NOW)


def test_odds_are_one_over_the_ask_home_first() -> None:
    quote = moneyline(books(home="0.5", draw="0.25", away="0.3"))
    assert list(quote.odds.items()) == [
        ("Leeds", 2.0),
        ("Draw", 4.0),
        ("Luton", pytest.approx(1 / 0.3)),
    ]
    assert (quote.bookmaker, quote.scraped_at, quote.match_date) == ("Polymarket", NOW, NOW + 1)


def test_the_fee_is_the_profiles() -> None:
    market = Profile(name="P", group="P", kind=Kind.PREDICTION_MARKET, taker_fee=0.05)
    price = moneyline(books(home="0.5", draw="0.25", away="0.3")).odds["Leeds"]
    assert market.net(price) == pytest.approx(1.9512, abs=5e-5)


@pytest.mark.parametrize(
    ("told", "bookmaker", "net"),
    [
        ([{}] * 3, "Polymarket", 1.9324),
        ([{"feeSchedule": {"rate": 0.03}}] * 3, "Polymarket (3 % fee)", 1.9704),
        ([{"feesEnabled": True, "feeSchedule": {"rate": 0.05, "exponent": 1}}] * 3, None, 1.9512),
        ([{"feesEnabled": False, "feeSchedule": None}] * 3, "Polymarket (0 % fee)", 2.0),
        ([{"feesEnabled": False}, {"feeSchedule": {"rate": 0.05}}, {}], "Polymarket", 1.9324),
        (
            [{"feesEnabled": True, "feeSchedule": {"rate": 0.05, "exponent": 2}}] * 3,
            "Polymarket",
            None,
        ),
        ([{"feesEnabled": "no", "feeSchedule": [1]}] * 3, "Polymarket", None),
        ([{"feeSchedule": {"rate": "0.05"}}] * 3, "Polymarket", None),
    ],
)
def test_a_market_that_tells_a_fee_of_its_own_bears_it_in_the_name(
    told: list[dict[str, object]], bookmaker: str | None, net: float | None
) -> None:
    """D46; several questions of one market: the most that any of them says."""
    markets = [
        {
            "groupItemTitle": title,
            "outcomes": '["Yes", "No"]',
            "clobTokenIds": json.dumps([token, f"no {token}"]),
            "sportsMarketType": "moneyline",
            **fee,
        }
        for (title, token), fee in zip(
            {"Leeds": "home", "Draw (Leeds vs. Luton)": "draw", "Luton": "away"}.items(),
            told,
            strict=True,
        )
    ]
    listing = Listing()
    event = {"slug": "epl-lee-lut", "title": "Leeds vs. Luton", "markets": markets}
    listing.read(json.dumps([event]).encode())
    (quote,) = quotes_of(listing.games.values(), books(home="0.5", draw="0.25", away="0.3"), NOW)
    assert quote.bookmaker == (bookmaker or "Polymarket (5 % fee)")
    if net is not None:
        profile = shipped_profiles().of(quote.bookmaker)
        assert profile.group == "Polymarket"
        assert profile.net(quote.odds["Leeds"]) == pytest.approx(net, abs=5e-5)


def test_an_unknown_fee_is_the_shipped_one_the_highest_published() -> None:
    assert shipped_profiles().of("Polymarket").taker_fee == HIGHEST_FEE


def test_a_side_that_nobody_sells_has_no_price() -> None:
    assert list(moneyline(books(home="0.5", draw="0.25")).odds) == ["Leeds", "Draw"]


def test_without_a_price_of_its_draw_a_market_has_none() -> None:
    assert moneyline(books(home="0.5", away="0.3")).odds == {}


def test_a_share_that_costs_nearly_all_is_no_price() -> None:
    assert "Leeds" not in moneyline(books(home="0.9999999", draw="0.2", away="0.1")).odds


def test_only_what_was_touched_is_said() -> None:
    of = game()
    of.markets |= {"moneyline": dict(SIDES), "btts": {"Yes": "y", "No": "n"}}
    found = quotes_of([of], books(y="0.5", n="0.6"), NOW, touched={"n"})
    assert [quote.market_type for quote in found] == ["btts"]


def test_a_game_is_in_play_when_it_says_so_or_has_begun() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    assert moneyline(held, is_live=True).is_live
    assert moneyline(held, kick_off=NOW).is_live
    assert moneyline(held, kick_off=NOW, is_live=False).is_live, "its list is minutes old"
    assert not moneyline(held, kick_off=None).is_live


def test_what_was_touched_is_said_once_all_its_books_are_there() -> None:
    of = game()
    of.markets["moneyline"] = dict(SIDES)
    assert quotes_of([of], books(home="0.5", draw="0.25"), NOW, touched={"home"}) == []
    held = books(home="0.5", draw="0.25", away="0.3")
    assert len(quotes_of([of], held, NOW, touched={"home"})) == 1


def ask(price: str, size: str) -> dict[str, str]:
    return {"price": price, "size": size}


def test_asks_are_what_can_be_backed_and_bids_what_can_be_laid_in_dollars() -> None:
    """D104: 3 shares at 0.43 are 1.29 dollars, the worst level comes first from the source."""
    held = books(draw="0.25", away="0.4")
    asks = [ask("0.53", "500"), ask("0.43", "3"), ask("1", "9"), ask("0", "9")]
    bids = [ask("0.2", "10"), ask("0.4", "20")]
    held.take_books(json.dumps([{"asset_id": "home", "asks": asks, "bids": bids}]).encode())
    offer = (moneyline(held).offers or {})["Leeds"]
    assert offer.back == ((round(1 / 0.43, 6), 1.29), (round(1 / 0.53, 6), 265.0))
    assert offer.lay == ((2.5, 8.0), (5.0, 2.0))
    assert offer.currency == "USD"


def test_a_best_price_whose_size_nobody_told_has_nothing_for_sale() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    best = {"event_type": "best_bid_ask", "asset_id": "home", "best_ask": "0.45"}
    held.take_message(json.dumps(best).encode())
    offer = (moneyline(held).offers or {})["Leeds"]
    assert offer.back == ((round(1 / 0.45, 6), 0.0), (2.0, 0.5))


def test_the_stream_changes_one_level() -> None:
    held = books(home="0.5", draw="0.25", away="0.3")
    change = {"asset_id": "home", "price": "0.5", "size": "7", "side": "SELL", "best_ask": "0.5"}
    held.take_message(
        json.dumps({"event_type": "price_change", "price_changes": [change]}).encode()
    )
    assert (moneyline(held).offers or {})["Leeds"].back == ((2.0, 3.5),)
