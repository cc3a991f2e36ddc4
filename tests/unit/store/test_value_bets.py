"""Value bets: when they count as detected, and that they hold when they are asked for."""

from collections.abc import Callable

import msgspec
import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.store import Store
from oddsdesk.store.values import Filters, FoundValueBet, MarketKey, Visibility

MakeQuote = Callable[..., Quote]
LINE = {"PSG": 1.6, "Draw": 4.2, "Lyon": 5.5}
BET = FoundValueBet("Bet365", "Lyon", 6.0, LINE, 5.5, 5.812345, 2.123456, 1.0234567)


@pytest.fixture
def store(every_store: Store) -> Store:
    return every_store


@pytest.fixture
def priced(store: Store, quote: MakeQuote) -> Store:
    sharp = quote("Pinnacle", odds=LINE, liquidity=700.0)
    store.record([quote(), sharp]).result(10)
    return store


def reconcile(store: Store, now: int, *bets: FoundValueBet) -> None:
    store.replace_value_bets({MarketKey(1, "moneyline", 0): bets}, now).result(10)


def listed(store: Store, now: int, filters=Filters(), visibility=Visibility(), low=1.0, high=20.0):  # noqa: B008
    return store.reader().list_value_bets(now, filters, visibility, low, high, 100).items


def test_figures_are_rounded_in_the_answer_and_judged_unrounded(priced: Store, now: int) -> None:
    reconcile(priced, now, BET)
    (bet,) = listed(priced, now)
    assert (bet.odds, bet.reference_odds, bet.fair_odds) == (6.0, 5.5, 5.8123)
    assert (bet.ev_pct, bet.payout_rate, bet.liquidity) == (2.12, 1.0235, 700.0)
    assert (bet.match_name, bet.detected_at) == ("PSG - Lyon", "2026-04-12T13:20:00.000Z")
    assert listed(priced, now, low=2.1235) == []
    assert len(listed(priced, now, low=2.123456, high=2.123456)) == 1


def test_detection_stays_while_price_and_fair_price_do(priced: Store, now: int) -> None:
    reconcile(priced, now, BET)
    reconcile(priced, now + 5, msgspec.structs.replace(BET, ev_pct=2.5))
    assert listed(priced, now)[0].detected_at == "2026-04-12T13:20:00.000Z"
    reconcile(priced, now + 7, msgspec.structs.replace(BET, fair_odds=5.8))
    assert listed(priced, now)[0].detected_at == "2026-04-12T13:20:00.007Z"


def test_what_is_found_no_more_is_gone_and_new_when_it_returns(priced: Store, now: int) -> None:
    reconcile(priced, now, BET)
    reconcile(priced, now + 1)
    assert listed(priced, now) == []
    reconcile(priced, now + 2, BET)
    assert listed(priced, now)[0].detected_at == "2026-04-12T13:20:00.002Z"


@pytest.mark.parametrize(
    ("bookmaker", "odds"),
    [
        ("Bet365", {**LINE, "Lyon": 5.9}),
        ("Pinnacle", {**LINE, "Lyon": 5.4}),
        ("Pinnacle", {**LINE, "PSG": 1.61}),
        ("Pinnacle", {"PSG": 1.6, "Lyon": 5.5}),
    ],
)
def test_a_price_that_moved_since_hides_the_bet(
    priced: Store, quote: MakeQuote, now: int, bookmaker: str, odds: dict[str, float]
) -> None:
    """D29: on present odds, those of the reference's whole line group."""
    reconcile(priced, now, BET)
    priced.record([quote(bookmaker, odds=odds, scraped_at=now + 1)]).result(10)
    assert listed(priced, now + 1) == []


def test_a_reference_that_writes_the_selection_otherwise_is_the_same_line(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """D36: a zero line is understood as 0, +0, -0."""
    line = {"PSG 0": 1.9, "Lyon 0": 2.0}
    book = quote(market_type="spread", odds={"PSG +0": 1.7, "Lyon -0": 2.2})
    store.record([book, quote("Pinnacle", market_type="spread", odds=line)]).result(10)
    bet = FoundValueBet("Bet365", "Lyon -0", 2.2, line, 2.0, 2.05, 5.0, 1.02)
    store.replace_value_bets({MarketKey(1, "spread", 0): [bet]}, now).result(10)
    assert [bet.selection for bet in listed(store, now)] == ["Lyon -0"]


def test_both_prices_may_be_fifteen_minutes_old_and_no_more(
    priced: Store, quote: MakeQuote, now: int
) -> None:
    reconcile(priced, now, BET)
    assert len(listed(priced, now + 15 * MINUTE_MS)) == 1
    assert listed(priced, now + 15 * MINUTE_MS + 1) == []
    priced.record([quote(scraped_at=now + 16 * MINUTE_MS)]).result(10)
    assert listed(priced, now + 16 * MINUTE_MS) == []


def test_a_detection_is_listed_for_thirty_minutes(
    priced: Store, quote: MakeQuote, now: int
) -> None:
    reconcile(priced, now, BET)
    later = now + 30 * MINUTE_MS
    sharp = {"PSG": 1.6, "Draw": 4.2, "Lyon": 5.5}
    again = [quote(scraped_at=later), quote("Pinnacle", odds=sharp, scraped_at=later)]
    priced.record(again).result(10)
    assert len(listed(priced, later)) == 1
    assert listed(priced, later + 1) == []


def test_in_play_needs_both_sides_in_play_and_the_right_to_see_it(
    priced: Store, quote: MakeQuote, now: int
) -> None:
    reconcile(priced, now, BET)
    priced.record([quote(is_live=True)]).result(10)
    assert listed(priced, now) == []
    sharp = {"PSG": 1.6, "Draw": 4.2, "Lyon": 5.5}
    priced.record([quote("Pinnacle", odds=sharp, is_live=True)]).result(10)
    assert len(listed(priced, now)) == 1
    assert listed(priced, now, visibility=Visibility(live=False)) == []


def test_the_reference_is_never_the_bookmaker(priced: Store, now: int) -> None:
    reconcile(priced, now, msgspec.structs.replace(BET, bookmaker="Pinnacle", odds=5.5))
    assert listed(priced, now) == []


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        (Filters(sport="FOOTBALL", competition="LIG1", bookmaker="Bet365"), 1),
        (Filters(sport="Tennis"), 0),
        (Filters(competition="EPL"), 0),
        (Filters(bookmaker="bet365"), 0),
    ],
    ids=str,
)
def test_filters_narrow(priced: Store, now: int, filters: Filters, count: int) -> None:
    reconcile(priced, now, BET)
    assert len(listed(priced, now, filters)) == count


def test_the_best_come_first_over_all_pages(priced: Store, now: int) -> None:
    edges = {"PSG": (1.5, 1.6, 2.0), "Draw": (4.0, 4.2, 7.0), "Lyon": (6.0, 5.5, 2.0)}
    bets = [
        FoundValueBet("Bet365", name, odds, LINE, sharp, 4.0, ev, 1.02)
        for name, (odds, sharp, ev) in edges.items()
    ]
    reconcile(priced, now, *bets)
    found, cursor = [], None
    while True:
        page = priced.reader().list_value_bets(now, Filters(), Visibility(), 1, 20, 1, cursor)
        found += [bet.selection for bet in page.items]
        cursor = page.next_cursor
        if cursor is None or len(found) > 5:
            break
    assert found == ["Draw", "Lyon", "PSG"]


def test_nothing_is_value_by_prices_or_detections_of_the_future(
    priced: Store, quote: MakeQuote, now: int
) -> None:
    """D84."""
    tomorrow = now + 25 * 60 * MINUTE_MS
    reconcile(priced, tomorrow, BET)
    assert listed(priced, now) == []
    reconcile(priced, now, BET)
    (found,) = listed(priced, now)
    assert found.detected_at == "2026-04-12T13:20:00.000Z"
    for bookmaker, odds in (("Bet365", None), ("Pinnacle", LINE)):
        said = {"scraped_at": tomorrow} | ({} if odds is None else {"odds": odds})
        priced.record([quote(bookmaker, **said)]).result(10)
        assert listed(priced, now) == []
        priced.record([quote(bookmaker, **said | {"scraped_at": now})]).result(10)
        assert len(listed(priced, now)) == 1
