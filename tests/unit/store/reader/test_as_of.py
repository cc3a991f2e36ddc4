"""Lists and matrices as they stood at a moment (D71): from log and present state."""

import random
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import GameMatrix
from oddsdesk.contract.times import format_ms
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.made_files import with_tables
from tests.kit.store import NOW

HOUR = 3_600_000
DAY = 24 * HOUR
IDENT = game_id("EPL", "Leeds vs Hull")


@pytest.fixture
def store(every_store: Store) -> Store:
    return every_store


def quote(scraped_at: int, bookmaker: str = "Bet365", price: float = 2.0, **fields) -> Quote:
    defaults = {
        "match_name": "Leeds vs Hull",
        "competition": "EPL",
        "market_type": "moneyline",
        "odds": {"Leeds": price, "Draw": 3.5, "Hull": 4.0},
        "match_date": NOW - 2 * DAY,
        "period": 0,
    }
    return Quote(bookmaker=bookmaker, scraped_at=scraped_at, **(defaults | fields))


def record(store: Store, *quotes: Quote) -> None:
    for each in quotes:
        store.record([each]).result(10)


def names(store: Store, at: int, filters: Filters | None = None, **asked) -> list[str]:
    visibility = asked.pop("visibility", Visibility())
    page = store.reader().games_as_of(at, filters or Filters(), visibility, asked.pop("limit", 100))
    return [game.match_name for game in page.items]


def prices(matrix: GameMatrix | None) -> dict[tuple[str, str, str], float]:
    """By bookmaker, market type and selection; the reference is Pinnacle."""
    found = {}
    for market in matrix.markets if matrix else []:
        for row in market.selections:
            if row.reference is not None:
                found["Pinnacle", market.market_type, row.selection] = row.reference.odds
            for bookmaker, cell in row.books.items():
                if cell is not None:
                    found[bookmaker, market.market_type, row.selection] = cell.odds
    return found


@pytest.mark.parametrize("name", Filters.__struct_fields__)
def test_each_filter_of_odds_is_the_same_now_and_as_of_a_moment(store: Store, name: str) -> None:
    """One that is missing in ``QUOTE_FILTERS`` or in the queries answers with all rows."""
    at = {"match_date": NOW + HOUR}
    record(
        store,
        quote(NOW - 1, **at),
        quote(NOW - 1, "Pinnacle", market_type="total", odds={"Over 2.5": 1.9}, **at),
        quote(NOW - 1, "Pinnacle", match_name="A - B", competition="NBA", is_live=True, **at),
        quote(NOW - 1, match_name="C - D", competition="NHL", **at),
    )
    values = {
        "sport": ("football", "Basketball", "Other"),
        "competition": ("EPL", "NBA", "none"),
        "bookmaker": ("Bet365", "Pinnacle", "none"),
        "market_type": ("moneyline", "total", "spread"),
        "is_live": (True, False),
    }
    everyone, counts = (Visibility(), 100), []
    for value in values[name]:
        filters = Filters(**{name: value})
        now = store.reader().list_odds(NOW, filters, *everyone).items
        then = store.reader().odds_as_of(NOW, filters, *everyone).items
        assert {msgspec.json.encode(row) for row in now} == set(map(msgspec.json.encode, then))
        counts.append(len(now))
    assert all(count < 4 for count in counts)
    assert sum(counts) in (3, 4)


def test_a_price_stands_from_its_sighting_until_the_next(store: Store) -> None:
    first, second = NOW - 3 * DAY, NOW - 2 * DAY - HOUR
    record(store, quote(first, price=2.0), quote(second, price=2.2))
    reader = store.reader()
    assert reader.matrix_as_of(IDENT, first - 1, Visibility()) is None
    for at, expected, seen in (
        (first, 2.0, first),
        (second - 1, 2.0, first),
        (second, 2.2, second),
        (NOW, 2.2, second),
    ):
        matrix = reader.matrix_as_of(IDENT, at, Visibility())
        assert matrix is not None
        (market,) = matrix.markets
        cell = market.selections[0].books["Bet365"]
        assert cell is not None
        assert (cell.odds, cell.scraped_at) == (expected, format_ms(seen))


def test_what_was_withdrawn_is_not_there_and_comes_back(store: Store) -> None:
    times = [NOW - 3 * DAY + hour * HOUR for hour in range(3)]
    record(store, quote(times[0]), quote(times[1], odds={}), quote(times[2], price=2.5))
    found = [prices(store.reader().matrix_as_of(IDENT, at, Visibility())) for at in times]
    assert [len(each) for each in found] == [3, 0, 3]
    assert [names(store, at) for at in times] == [["Leeds vs Hull"], [], ["Leeds vs Hull"]]


def test_games_of_a_day_are_listed_until_a_day_after_they_began(store: Store) -> None:
    kick_off = NOW - 2 * DAY
    record(store, quote(kick_off - DAY), quote(kick_off, "Unibet"))
    for at, listed in (
        (kick_off - DAY - 1, False),
        (kick_off - DAY, True),
        (kick_off + DAY, True),
        (kick_off + DAY + 1, False),
    ):
        assert bool(names(store, at)) == listed
    page = store.reader().games_as_of(kick_off - 1, Filters(), Visibility(), 10)
    (game,) = page.items
    assert (game.bookmaker_count, game.last_scraped_at) == (1, format_ms(kick_off - DAY))
    assert game.match_date == format_ms(kick_off)


def test_pages_go_on_past_games_without_prices_then(store: Store) -> None:
    for number in range(12):
        fields = {"match_name": f"A{number:02} vs B", "odds": {f"A{number:02}": 2.0, "B": 1.9}}
        record(store, quote(NOW - 3 * DAY, **fields))
        if number % 3:
            record(store, quote(NOW - 3 * DAY + 1, **(fields | {"odds": {}})))
    at, found, cursor = NOW - 2 * DAY - HOUR, [], None
    while True:
        page = store.reader().games_as_of(at, Filters(), Visibility(), 2, cursor)
        found += [game.match_name for game in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == ["A00 vs B", "A03 vs B", "A06 vs B", "A09 vs B"]


def test_filters_and_plans_narrow_the_past_as_they_do_the_present(store: Store) -> None:
    at = NOW - 2 * DAY
    record(store, quote(at - DAY), quote(at, "Unibet", is_live=True))
    assert names(store, at, Filters(bookmaker="Unibet")) == ["Leeds vs Hull"]
    assert names(store, at - 1, Filters(bookmaker="Unibet")) == []
    assert names(store, at, Filters(sport="football", competition="EPL")) == ["Leeds vs Hull"]
    assert names(store, at, Filters(competition="NBA")) == []
    assert names(store, at, Filters(is_live=True)) == ["Leeds vs Hull"]
    assert names(store, at - 1, Filters(is_live=True)) == []
    assert names(store, at, Filters(bookmaker="Unibet"), visibility=Visibility(live=False)) == []
    matrix = store.reader().matrix_as_of(IDENT, at, Visibility(live=False))
    assert matrix is not None
    assert matrix.all_bookmakers == ["Bet365"]


def test_prices_whose_present_rows_an_older_version_removed_are_read_from_the_log(
    store: Store,
) -> None:
    record(store, quote(NOW - 3 * DAY), quote(NOW - 2 * DAY, price=2.1))
    store.run_on_writer(lambda c: c.execute("DELETE FROM quote")).result(10)
    assert names(store, NOW - 2 * DAY) == ["Leeds vs Hull"]
    found = prices(store.reader().matrix_as_of(IDENT, NOW - 2 * DAY, Visibility()))
    assert found["Bet365", "moneyline", "Leeds"] == 2.1


def test_a_game_without_kick_off_is_listed_while_it_is_priced(store: Store) -> None:
    record(store, quote(NOW - 40 * DAY, match_date=None))
    assert names(store, NOW - 39 * DAY) == ["Leeds vs Hull"]
    assert names(store, NOW - 20 * DAY) == []


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["Bet365", "Pinnacle"]),
        st.sampled_from(["total", "btts"]),
        st.dictionaries(st.sampled_from(["Yes", "No"]), st.sampled_from([1.5, 2.0, 2.5])),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=40)
@given(MOVES, st.randoms(use_true_random=False))
def test_every_moment_shows_what_was_said_last(moves: list, dice: random.Random) -> None:
    times = sorted(dice.sample(range(NOW - 3 * DAY, NOW - 2 * DAY), len(moves)))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(with_tables(Path(folder, "odds.db")), clock=lambda: NOW)
        for at, (bookmaker, market_type, odds) in zip(times, moves, strict=True):
            record(store, quote(at, bookmaker, market_type=market_type, odds=odds))
        said: dict[tuple[str, str], dict[str, float]] = {}
        for at, (bookmaker, market_type, odds) in zip(times, moves, strict=True):
            said[bookmaker, market_type] = odds
            expected = {(*key, name): p for key, each in said.items() for name, p in each.items()}
            assert prices(store.reader().matrix_as_of(IDENT, at, Visibility())) == expected
            listed = store.reader().games_as_of(at, Filters(), Visibility(), 5).items
            counts = [game.bookmaker_count for game in listed]
            assert counts == ([len({key[0] for key in expected})] if expected else [])
        store.close()


def rows(store: Store, at: int, limit: int = 3, **asked) -> list[dict]:
    """Every odds row of a moment, page by page."""
    filters, visibility = asked.get("filters", Filters()), asked.get("visibility", Visibility())
    found, cursor = [], None
    while True:
        page = store.reader().odds_as_of(at, filters, visibility, limit, cursor)
        assert len(page.items) <= limit
        found += msgspec.json.decode(msgspec.json.encode(page.items))
        cursor = page.next_cursor
        if cursor is None:
            return found


def slowly(store: Store, at: int) -> dict[tuple, tuple[dict[str, float], bool, str]]:
    """What stood, move by move through the whole log: odds, whether in play, when seen."""
    prices: dict[tuple, dict[str, float | None]] = {}
    seen: dict[tuple, tuple[bool, str]] = {}
    for move in store.reader().changes_after(0, 1_000):
        if move.scraped_at <= at:
            market = (move.match_name, move.bookmaker, move.market_type, move.period)
            prices.setdefault(market, {})[move.selection] = move.odds
            seen[market] = (move.is_live, format_ms(move.scraped_at))
    stood = {key: {n: p for n, p in each.items() if p is not None} for key, each in prices.items()}
    return {key: (odds, *seen[key]) for key, odds in stood.items() if odds}


def market_of(row: dict) -> tuple:
    return row["match_name"], row["bookmaker"], row["market_type"], row["period"]


MARKETS_SAID = st.lists(
    st.tuples(
        st.sampled_from(["Leeds vs Hull", "A vs B"]),
        st.sampled_from(["Bet365", "Pinnacle", "a"]),
        st.sampled_from([("total", 0), ("total", 1), ("btts", 0)]),
        st.dictionaries(st.sampled_from(["Yes", "No", ""]), st.sampled_from([1.5, 2.0])),
        st.booleans(),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=25)
@given(MARKETS_SAID, st.randoms(use_true_random=False))
def test_the_rows_of_a_moment_are_what_the_log_says_move_by_move(
    said: list, dice: random.Random
) -> None:
    times = sorted(dice.sample(range(NOW - 3 * DAY, NOW - 2 * DAY), len(said)))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(with_tables(Path(folder, "odds.db")), clock=lambda: NOW)
        for at, (name, bookmaker, (kind, period), odds, is_live) in zip(times, said, strict=True):
            fields = {"match_name": name, "market_type": kind, "odds": odds, "is_live": is_live}
            said_now = msgspec.structs.replace(quote(at, bookmaker, **fields), period=period)
            record(store, said_now)
        for at in (times[0] - 1, *dice.sample(times, min(3, len(times)))):
            found, expected = rows(store, at), slowly(store, at)
            keys = [market_of(row) for row in found]
            assert keys == sorted(keys)
            assert {k: row["odds"] for k, row in zip(keys, found, strict=True)} == {
                key: odds for key, (odds, *_) in expected.items()
            }
            for row in found:
                _, in_play, seen = expected[market_of(row)]
                if row["scraped_at"] == seen:  # else seen again, unchanged
                    assert row["is_live"] == in_play
            _same_as_matrices(store, at, found)
        store.close()


def _same_as_matrices(store: Store, at: int, found: list[dict]) -> None:
    for name in {row["match_name"] for row in found}:
        matrix = store.reader().matrix_as_of(game_id("EPL", name), at, Visibility())
        of_game = {
            (row["bookmaker"], row["market_type"], selection)
            for row in found
            if row["match_name"] == name
            for selection in row["odds"]
        }
        assert prices(matrix).keys() == of_game


def test_rows_of_a_moment_are_narrowed_as_those_of_now_are(store: Store) -> None:
    at = NOW - 2 * DAY
    record(store, quote(at - DAY), quote(at, "Unibet", is_live=True))
    record(store, quote(at, market_type="btts", odds={"Yes": 1.9, "No": 1.8}))
    for filters, visibility, expected in (
        (Filters(), Visibility(), 3),
        (Filters(bookmaker="Unibet"), Visibility(), 1),
        (Filters(market_type="btts"), Visibility(), 1),
        (Filters(is_live=False), Visibility(), 2),
        (Filters(), Visibility(live=False), 2),
        (Filters(), Visibility(bookmaker="Bet365"), 2),
        (Filters(competition="NBA"), Visibility(), 0),
        (Filters(sport="FOOTBALL"), Visibility(), 3),
    ):
        for limit in (1, 2, 5):
            found = rows(store, at, limit, filters=filters, visibility=visibility)
            assert len(found) == expected
