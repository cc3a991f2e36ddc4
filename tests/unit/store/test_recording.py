"""Recording: what changed, what is skipped, what is remembered (D42)."""

import contextlib
import itertools
from collections.abc import Callable
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.contract.identity import without_date
from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import RealOddsError
from oddsdesk.store.reader import misnamed_line, mistyped_line
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

MakeQuote = Callable[..., Quote]


@pytest.fixture
def store(every_store: Store) -> Store:
    return every_store


def record(store: Store, *quotes: Quote, simulated: bool = False, shifted: bool = False):
    return store.record(quotes, simulated, shifted=shifted).result(10)


def log(store: Store) -> list[tuple[str, str, float | None]]:
    changes = store.reader().changes_after(0, 10_000)
    return [(change.bookmaker, change.selection, change.odds) for change in changes]


def rows(store: Store, now: int):
    return store.reader().list_odds(now, Filters(), Visibility(), 500).items


def test_first_prices_are_changes_one_a_selection(store: Store, quote: MakeQuote) -> None:
    recorded = record(store, quote())
    assert (recorded.quotes, recorded.changes, recorded.skipped) == (1, 3, 0)
    assert recorded.last_seq == 3 == store.reader().last_seq()
    assert log(store) == [("Bet365", "PSG", 1.5), ("Bet365", "Draw", 4.0), ("Bet365", "Lyon", 6.0)]


def test_the_same_prices_again_change_nothing_but_the_scrape(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    recorded = record(store, quote(scraped_at=now + 5_000))
    assert (recorded.quotes, recorded.changes) == (1, 0)
    assert rows(store, now)[0].scraped_at == "2026-04-12T13:20:05.000Z"


def test_only_the_selection_that_moved_is_logged(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote())
    moved = quote(odds={"Lyon": 6.0, "Draw": 4.1, "PSG": 1.5}, scraped_at=now + 1)
    assert record(store, moved).changes == 1
    assert log(store)[3:] == [("Bet365", "Draw", 4.1)]


EXAMPLES = itertools.count(1)
NAMES = ("PSG", "Draw", "Lyon")
SAID = st.fixed_dictionaries({name: st.sampled_from([1.5, 2.5, None, "?"]) for name in NAMES})


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SAID, min_size=1, max_size=5))
def test_an_unread_price_stays_and_a_missing_one_is_withdrawn(
    store: Store, quote: MakeQuote, now: int, said: list[dict[str, float | str | None]]
) -> None:
    """Counted by a dictionary: a number is put, nothing is taken away, "?" is left as it is."""
    now += 10 * next(EXAMPLES)
    record(store, quote(odds={}, scraped_at=now))
    standing: dict[str, float] = {}
    since = store.reader().last_seq()
    read_at, expected = now, list[tuple[str, float | None]]()
    for number, each in enumerate(said, start=1):
        odds = {name: odds for name, odds in each.items() if isinstance(odds, float)}
        unread = {name: "no number" for name, odds in each.items() if odds == "?"}
        at = now + number
        record(store, quote(odds=odds, unread=unread or None, scraped_at=at))
        kept = {name: odds for name, odds in standing.items() if name in unread}
        read_at = read_at if kept else at
        for name in NAMES:
            after = odds.get(name, kept.get(name))
            if after != standing.get(name):
                expected.append((name, after))
        standing = odds | kept
    found = rows(store, now)
    assert (msgspec.json.decode(found[0].odds) if found else {}) == standing
    if found:
        assert parse_ms(found[0].scraped_at) == read_at
    changes = store.reader().changes_after(since, 10_000)
    assert sorted((each.selection, each.odds or 0.0) for each in changes) == sorted(
        (name, odds or 0.0) for name, odds in expected
    )


BOOKMAKERS, MARKETS, TIMES = ("Bet365", "Pinnacle"), ("moneyline", "total"), range(5)
PRICES = (
    *({}, {"PSG": 1.1}, {"PSG": 2.3}, {"Lyon": 1.1}, {"Lyon": 2.3}),
    *({"PSG": 1.1, "Lyon": 1.1}, {"PSG": 1.1, "Lyon": 2.3}, {"PSG": 2.3, "Lyon": 1.1}),
)
ALL_SAID = list(itertools.product(BOOKMAKERS, MARKETS, TIMES, PRICES))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(ALL_SAID), max_size=12))
def test_quotes_are_in_the_log_if_each_of_their_prices_stood_at_their_time(
    store: Store, quote: MakeQuote, now: int, said: list[tuple[str, str, int, dict[str, float]]]
) -> None:
    """Counted by walking the log of one game for each price of each quote there can be."""
    example = next(EXAMPLES)
    of_example = {"match_name": f"PSG - Lyon {example}", "competition": f"League {example}"}

    def made(bookmaker: str, market: str, at: int, odds: dict[str, float]) -> Quote:
        fields = {"market_type": market, "odds": odds, "scraped_at": now + at}
        return quote(bookmaker, **fields, **of_example)

    before = store.reader().last_seq()
    record(store, *(made(*each) for each in sorted(said, key=itemgetter(2))))
    moves = store.reader().changes_after(before, 10_000)
    game = moves[0].game if moves else 0

    def stood(bookmaker: str, market: str, at: int, odds: dict[str, float]) -> bool:
        of_market = [
            each
            for each in moves
            if (each.bookmaker, each.market_type) == (bookmaker, market)
            and each.scraped_at <= now + at
        ]
        if not odds:
            return any(each.odds is None and each.scraped_at == now + at for each in of_market)
        for name, price in odds.items():
            of_name = [each for each in of_market if each.selection == name]
            last = max((each.scraped_at for each in of_name), default=None)
            if price not in [each.odds for each in of_name if each.scraped_at == last]:
                return False
        return True

    found = store.reader().are_in_log([(game, made(*each)) for each in ALL_SAID])
    assert found == [stood(*each) for each in ALL_SAID]


def test_a_quote_with_an_outcome_without_a_name_withdraws_only_what_it_says(
    every_store: Store, quote: MakeQuote, now: int
) -> None:
    record(every_store, quote(odds={"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0}))
    said = quote(odds={"PSG": 1.6}, unread={UNNAMED: "?"}, gone=("Draw",), scraped_at=now + 1)
    record(every_store, said)
    (found,) = rows(every_store, now)
    assert msgspec.json.decode(found.odds) == {"PSG": 1.6, "Lyon": 6.0}
    assert parse_ms(found.scraped_at) == now


def test_a_price_of_before_the_game_is_none_in_play(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    later = now + 60_000
    live = quote(odds={"Draw": 3.0}, unread={"PSG": "no number"}, is_live=True, scraped_at=later)
    record(store, live)
    assert [msgspec.json.decode(row.odds) for row in rows(store, now)] == [{"Draw": 3.0}]


TOTAL = {"Over 2.5": 1.9, "Under 2.5": 1.9}
YES_NO = {"Yes": 1.7, "No": 2.1}


def seen(store: Store, now: int) -> dict[str, str]:
    return {row.market_type: str(row.scraped_at)[17:23] for row in rows(store, now)}


def test_of_an_offer_that_is_seen_again_each_market_has_its_own_time(
    store: Store, quote: MakeQuote, now: int
) -> None:
    total = quote(market_type="total", odds=TOTAL)
    record(store, quote(), total)
    record(store, quote(scraped_at=now + 20_000))
    assert seen(store, now) == {"moneyline": "20.000", "total": "00.000"}
    later = [replace(each, scraped_at=now + 30_000) for each in (quote(), total)]
    assert record(store, *later).changes == 0
    assert seen(store, now) == {"moneyline": "30.000", "total": "30.000"}
    record(store, quote(scraped_at=now + 40_000), replace(total, scraped_at=now + 41_000))
    assert seen(store, now) == {"moneyline": "40.000", "total": "41.000"}


def test_what_was_withdrawn_keeps_its_time_where_the_rest_of_the_offer_is_seen_again(
    store: Store, quote: MakeQuote, now: int
) -> None:
    yes_no = quote(market_type="btts", odds=YES_NO)
    record(store, quote(), quote(market_type="total", odds=TOTAL), yes_no)
    record(store, replace(yes_no, odds={}, scraped_at=now + 1_000))
    moved = quote(market_type="total", odds=TOTAL | {"Over 2.5": 2.0}, scraped_at=now + 20_000)
    assert record(store, quote(scraped_at=now + 20_000), moved).changes == 1
    assert seen(store, now) == {"moneyline": "20.000", "total": "20.000"}
    recorded = record(store, replace(yes_no, scraped_at=now + 10_000))
    assert (recorded.changes, recorded.skipped) == (2, 0)
    assert seen(store, now)["btts"] == "10.000"


@pytest.mark.parametrize(
    ("field", "value"), [("url", "https://example.com/bet"), ("liquidity", 75.0), ("is_live", True)]
)
def test_prices_that_stand_are_kept_with_what_else_is_new_of_them(
    store: Store, quote: MakeQuote, now: int, field: str, value: object
) -> None:
    total = quote(market_type="total", odds=TOTAL, scraped_at=now + 5_000)
    record(store, quote(bookmaker="Pinnacle"), replace(total, bookmaker="Pinnacle", scraped_at=now))
    again = quote(bookmaker="Pinnacle", scraped_at=now + 5_000, **{field: value})
    assert record(store, replace(total, bookmaker="Pinnacle"), again).changes == 0
    found = {row.market_type: getattr(row, field) for row in rows(store, now)}
    assert found["moneyline"] == value != found["total"]


def test_a_selection_that_is_no_longer_named_is_withdrawn(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    assert record(store, quote(odds={"PSG": 1.5, "Lyon": 6.0}, scraped_at=now + 1)).changes == 1
    assert log(store)[3:] == [("Bet365", "Draw", None)]
    assert bytes(rows(store, now)[0].odds) == b'{"PSG":1.5,"Lyon":6.0}'


def test_an_older_quote_is_skipped_and_counted(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote())
    recorded = record(store, quote(odds={"PSG": 9.0}, scraped_at=now - 1))
    assert (recorded.quotes, recorded.changes, recorded.skipped) == (0, 0, 1)
    assert len(log(store)) == 3


def test_of_the_same_scrape_the_later_line_wins(store: Store, quote: MakeQuote) -> None:
    recorded = record(store, quote(odds={"PSG": 1.5}), quote(odds={"PSG": 1.6}))
    assert (recorded.quotes, recorded.changes) == (2, 2)
    assert log(store) == [("Bet365", "PSG", 1.5), ("Bet365", "PSG", 1.6)]


def test_several_moves_of_one_price_in_one_recording_are_logged_each(
    store: Store, quote: MakeQuote, now: int
) -> None:
    moves = [quote(odds={"PSG": 1.5 + i / 10}, scraped_at=now + i) for i in range(3)]
    back = quote(odds={"PSG": 1.5}, scraped_at=now + 3)
    assert record(store, *moves, back).changes == 4
    assert [odds for *_, odds in log(store)] == [1.5, 1.6, 1.7, 1.5]


def test_empty_odds_withdraw_all_and_are_not_listed_but_remembered(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    assert record(store, quote(odds={}, scraped_at=now + 10)).changes == 3
    assert rows(store, now) == []
    reader = store.reader()
    assert reader.list_games(now, Filters(), Visibility(), 10).items == []
    assert reader.list_bookmakers(now) == []
    assert reader.list_sports(now) == []
    assert reader.event_detail("PSG - Lyon", now, Visibility(), stale_minutes=20) is None
    assert record(store, quote(scraped_at=now + 9)).skipped == 1
    assert record(store, quote(scraped_at=now + 10)).changes == 3
    assert len(rows(store, now)) == 1


def test_withdrawing_what_was_never_priced_changes_nothing(store: Store, quote: MakeQuote) -> None:
    recorded = record(store, quote(odds={}))
    assert (recorded.quotes, recorded.changes, recorded.last_seq) == (1, 0, 0)


def test_odds_are_stored_in_the_order_of_the_field(store: Store, quote: MakeQuote, now: int):
    odds = {"Under 3.5": 1.3, "Over 2.5": 2.0, "Under 2.5": 1.8, "Over 3.5": 3.0}
    record(store, quote(market_type="total", odds=odds))
    expected = b'{"Over 2.5":2.0,"Under 2.5":1.8,"Over 3.5":3.0,"Under 3.5":1.3}'
    assert bytes(rows(store, now)[0].odds) == expected


def test_liquidity_is_the_references_only(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote(liquidity=50.0), quote("Pinnacle", liquidity=900.0))
    assert [row.liquidity for row in rows(store, now)] == [None, 900.0]
    changes = store.reader().changes_after(0, 10)
    assert {(change.bookmaker, change.liquidity) for change in changes} == {
        ("Bet365", None),
        ("Pinnacle", 900.0),
    }


def test_a_price_that_goes_in_play_moves_from_one_side_to_the_other(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    record(store, quote(is_live=True, scraped_at=now + 1))
    reader = store.reader()
    assert reader.list_games(now, Filters(), Visibility(live=False), 10).items == []
    assert [g.is_live for g in reader.list_games(now, Filters(), Visibility(), 10).items] == [True]
    record(store, quote(is_live=False, scraped_at=now + 2))
    assert [g.is_live for g in reader.list_games(now, Filters(), Visibility(), 10).items] == [False]
    assert [b.has_live for b in reader.list_bookmakers(now)] == [False]


def test_who_listens_hears_of_a_grown_log_and_not_of_an_unchanged_one(
    store: Store, quote: MakeQuote, now: int
) -> None:
    heard: list[int] = []
    unsubscribe = store.on_commit(lambda: heard.append(1))
    record(store, quote())
    record(store, quote(scraped_at=now + 1))
    unsubscribe()
    record(store, quote(odds={}, scraped_at=now + 2))
    store.run_on_writer(lambda _: None).result(10)
    assert len(heard) == 1


def test_prices_are_simulated_until_the_first_real_ones_which_withdraw_them(
    store: Store, quote: MakeQuote, now: int
) -> None:
    reader = store.reader()
    assert not reader.is_simulated(now)
    record(store, quote("Kestrel", odds={"PSG": 1.9}), simulated=True)
    assert reader.is_simulated(now + 10**9)
    assert record(store, quote(match_name="Nice - Metz", odds={"Nice": 1.5})).changes == 1
    assert not reader.is_simulated(now)
    assert log(store) == [
        ("Kestrel", "PSG", 1.9),
        ("Kestrel", "PSG", None),
        ("Bet365", "Nice", 1.5),
    ]
    assert [(row.match_name, row.bookmaker) for row in rows(store, now)] == [
        ("Nice - Metz", "Bet365")
    ]
    assert [book.name for book in reader.list_bookmakers(now)] == ["Bet365"]


def test_old_prices_moved_to_now_are_known_as_such_as_long_as_any_may_stand(
    database: Database, quote: MakeQuote, now: int
) -> None:
    clock = [now]
    with closing(open_store(database, clock=lambda: clock[0])) as store:
        reader = store.reader()
        record(store, quote("Kestrel"))
        assert not reader.is_shifted(now)
        record(store, quote(), shifted=True)
        assert reader.is_shifted(now + 10**9), "nothing that is of now came since"
        assert not reader.is_simulated(now)
        clock[0] += MINUTE_MS
        record(store, quote("Kestrel", odds={"PSG": 1.6}, scraped_at=clock[0]))
        assert reader.is_shifted(now + 20 * MINUTE_MS), "a value bet may rest on one"
        assert not reader.is_shifted(now + 21 * MINUTE_MS)


def test_old_prices_of_which_none_was_kept_are_not_among_those_that_stand(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote())
    assert record(store, quote(scraped_at=now - 1), shifted=True).skipped == 1
    assert not store.reader().is_shifted(now)


def test_a_reference_of_which_no_price_is_here_is_known(
    database: Database, quote: MakeQuote
) -> None:
    with closing(open_store(database, "pinacle")) as store:
        reader = store.reader()
        assert reader.unpriced_reference() is None, "nothing is here at all"
        record(store, quote("pinacle"), quote("Pinnacle"), simulated=True)
        assert reader.unpriced_reference() is None
        record(store, quote("Pinnacle", odds={"PSG": 1.6}))
        assert reader.unpriced_reference() == "pinacle", "only a simulated one was"
        line = "no odds from the sharp book 'pinacle': nothing can be valued"
        assert misnamed_line(reader) == f"{line}; did you mean Pinnacle?"
        record(store, quote("pinacle"))
        assert reader.unpriced_reference() is None
        assert misnamed_line(reader) is None


def test_a_mistyped_reference_is_known_before_anything_is_recorded(
    store: Store, quote: MakeQuote
) -> None:
    reader = store.reader()
    line = "no odds from the sharp book 'Pinacle': nothing can be valued"
    assert mistyped_line(reader, "Pinacle") == f"{line}; did you mean Pinnacle?"
    assert mistyped_line(reader, "pinnacle_sports") is None
    assert mistyped_line(reader, "Corner Shop") is None, "it may come yet"
    record(store, quote("Pinacle"))
    assert mistyped_line(reader, "Pinacle") is None


def test_a_reference_that_is_known_by_name_is_no_typing_error(
    store: Store, quote: MakeQuote
) -> None:
    record(store, quote())
    assert store.reader().unpriced_reference() == "Pinnacle"
    assert misnamed_line(store.reader()) is None


def test_nothing_is_simulated_where_real_prices_are(store: Store, quote: MakeQuote) -> None:
    record(store, quote())
    before = log(store)
    with pytest.raises(RealOddsError):
        record(store, quote("Kestrel"), simulated=True)
    assert log(store) == before
    assert not store.reader().is_simulated(quote().scraped_at)


def test_a_real_game_is_none_that_was_simulated(store: Store, quote: MakeQuote, now: int) -> None:
    """A price of it counts, too, that is older than what was made up."""
    record(store, quote("Pinnacle", odds={"PSG": 1.9}), simulated=True)
    real = quote("Pinnacle", odds={"PSG": 2.4}, scraped_at=now - 60_000, event="the-odds-api:1")
    record(store, real, quote(match_name="Paris SG v Olympique Lyonnais", odds={"Draw": 3.0}))
    assert standing(store, now) == {
        ("PSG - Lyon", "Bet365", '{"Draw":3.0}', now),
        ("PSG - Lyon", "Pinnacle", '{"PSG":2.4}', now - 60_000),
    }
    games = [change.game_id for change in store.reader().changes_after(0, 9)]
    assert (len(games), len(set(games[:2])), len(set(games))) == (4, 1, 2)
    assert store.find_pairs().result(10) == []


def test_a_simulation_that_ends_withdraws_all_of_it_and_may_begin_again(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("Kestrel", odds={"PSG": 1.9}), simulated=True)
    store.end_simulation().result(10)
    assert log(store) == [("Kestrel", "PSG", 1.9), ("Kestrel", "PSG", None)]
    assert not store.reader().is_simulated(now)
    record(store, quote("Kestrel", odds={"PSG": 2.0}, scraped_at=now + 1), simulated=True)
    assert store.reader().is_simulated(now)
    assert standing(store, now) == {("PSG - Lyon", "Kestrel", '{"PSG":2.0}', now + 1)}
    assert rows(store, now)[0].match_name == "PSG - Lyon"
    record(store, quote(scraped_at=now + 2))
    store.end_simulation().result(10)
    assert {row.bookmaker for row in rows(store, now)} == {"Bet365"}, "real prices stay"


BATCHES = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(
            st.tuples(
                st.sampled_from(["Pinnacle", "Bet365"]),
                st.sampled_from(["PSG - Lyon", "Nice - Metz"]),
                st.integers(-3, 3),
                st.sampled_from([{}, {"Draw": 3.0}, {"Draw": 3.1}]),
            ),
            min_size=1,
            max_size=4,
        ),
    ),
    max_size=8,
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches=BATCHES)
def test_real_prices_stand_as_if_nothing_had_been_simulated(
    tmp_path_factory: pytest.TempPathFactory, quote: MakeQuote, now: int, batches
) -> None:
    place = tmp_path_factory.mktemp("law")
    with (
        closing(open_store(place / "mixed.db", clock=lambda: now)) as mixed,
        closing(open_store(place / "real.db", clock=lambda: now)) as real,
    ):
        for simulated, said in batches:
            quotes = [
                quote(book, match_name=name, scraped_at=now + at, odds=odds)
                for book, name, at, odds in said
            ]
            with contextlib.suppress(RealOddsError):
                record(mixed, *quotes, simulated=simulated)
            if not simulated:
                record(real, *quotes)
        if real.reader().holds_real_odds():
            assert standing(mixed, now) == standing(real, now)
            assert mixed.reader().last_scraped_at() == real.reader().last_scraped_at()


def standing(store: Store, now: int) -> set[tuple[str, str, str, int]]:
    return {
        (
            without_date(row.match_name),
            row.bookmaker,
            bytes(row.odds).decode(),
            parse_ms(row.scraped_at),
        )
        for row in rows(store, now)
    }


def test_real_prices_alone_are_not_simulated(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote())
    assert not store.reader().is_simulated(now)
    assert store.reader().last_scraped_at() == now


def test_a_batch_that_fails_leaves_nothing_behind(store: Store, quote: MakeQuote) -> None:
    broken = quote("Unibet", odds={"PSG": object()})
    with pytest.raises(TypeError):
        record(store, quote(), broken)
    assert log(store) == []
    assert record(store, quote()).changes == 3


PRICES = st.dictionaries(st.sampled_from(["PSG", "Draw", "Lyon"]), st.sampled_from([1.5, 2.0, 3.0]))
SAYINGS = st.lists(
    st.tuples(
        st.sampled_from(["A", "B"]),
        st.sampled_from(["moneyline", "yes_no"]),
        st.integers(0, 5),
        st.booleans(),
        PRICES,
    ),
    max_size=25,
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(sayings=SAYINGS, cut=st.integers(1, 25))
def test_the_log_folds_to_present_state_and_so_do_the_sums(
    tmp_path_factory: pytest.TempPathFactory, quote: MakeQuote, now: int, sayings, cut: int
) -> None:
    store = open_store(tmp_path_factory.mktemp("law") / "odds.db", clock=lambda: now)
    try:
        quotes = [
            quote(b, market_type=m, scraped_at=now + at, is_live=live, odds=odds)
            for b, m, at, live, odds in sayings
        ]
        for start in range(0, len(quotes), cut):
            record(store, *quotes[start : start + cut])
        folded: dict[tuple[str, str, str], float] = {}
        for change in store.reader().changes_after(0, 10_000):
            key = (change.bookmaker, change.market_type, change.selection)
            assert folded.get(key) != change.odds
            if change.odds is None:
                del folded[key]
            else:
                folded[key] = change.odds
        said: dict[tuple[str, str], Quote] = {}
        for each in quotes:
            key = (each.bookmaker, each.market_type)
            if key not in said or each.scraped_at >= said[key].scraped_at:
                said[key] = each
        present = {(*key, name): odds for key, q in said.items() for name, odds in q.odds.items()}
        assert folded == present
        priced = [q for q in said.values() if q.odds]
        counts = {b.name: (b.odds_count, b.has_live) for b in store.reader().list_bookmakers(now)}
        assert counts == {
            name: (
                sum(len(q.odds) for q in priced if q.bookmaker == name),
                any(q.is_live for q in priced if q.bookmaker == name),
            )
            for name in {q.bookmaker for q in priced}
        }
        newest = max((q.scraped_at for q in priced), default=None)
        assert store.reader().last_scraped_at() == newest
    finally:
        store.close()


def test_a_price_of_the_future_gives_way_to_any_that_is_not(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """D84: a clock that was ahead for a minute hides nothing afterwards."""
    ahead = now + 25 * 3_600_000
    record(store, quote(scraped_at=ahead), quote("Unibet", scraped_at=now))
    assert [row.bookmaker for row in rows(store, now)] == ["Unibet"]
    assert record(store, quote(scraped_at=ahead - 1)).skipped == 1
    late = now + 3_600_000
    again = record(store, quote(scraped_at=now - 1, match_date=late))
    assert (again.quotes, again.changes, again.skipped) == (1, 0, 0)
    assert [row.bookmaker for row in rows(store, now)] == ["Bet365", "Unibet"]
    assert rows(store, now)[0].match_date == "2026-04-12T14:20:00.000Z"
    assert store.reader().last_scraped_at() == now
    assert record(store, quote(scraped_at=now - 2)).skipped == 1


def test_a_price_within_the_tolerance_is_no_price_of_the_future(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(scraped_at=now + 5 * 60_000))
    assert len(rows(store, now)) == 1
    assert record(store, quote()).skipped == 1


def test_a_new_market_keeps_its_time_next_to_one_that_is_seen_again(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(scraped_at=now - 9_000))
    total = quote(market_type="total", odds=TOTAL, scraped_at=now - 5_000)
    record(store, quote(scraped_at=now), total)
    times = {row.market_type: row.scraped_at[14:19] for row in rows(store, now)}
    assert times == {"moneyline": "20:00", "total": "19:55"}


HOUR = 3_600_000
DAY = 24 * HOUR


def recorded_for(database: Database, quote: MakeQuote, now: int, ahead_ms: int) -> Store:
    """Prices came in for three minutes, then for a while of a clock a day ahead."""
    clock = [now - 180_000]
    store = open_store(database, clock=lambda: clock[0])
    for at in (now - 180_000, now - 120_000, now - 60_000, now, now + DAY, now + DAY + ahead_ms):
        clock[0] = at
        bookmakers = ("Bet365",) if at > now else ("Bet365", "Unibet")
        record(store, *[quote(name, scraped_at=at) for name in bookmakers])
    return store


def test_what_nobody_sees_again_is_old_once_its_time_has_come(
    database: Database, quote: MakeQuote, now: int
) -> None:
    """D84."""
    with contextlib.closing(recorded_for(database, quote, now, 60_000)) as store:
        assert (store.put_back(now), store.put_back(now)) == (1, 0)
        reader = store.reader()
        assert [row.bookmaker for row in rows(store, now)] == ["Unibet"]
        assert reader.last_scraped_at() == now
        (game,) = reader.list_games(now, Filters(), Visibility(), 10).items
        assert game.bookmaker_count == 1
        assert rows(store, now + DAY) == []
        assert record(store, quote(scraped_at=now)).quotes == 1


def test_a_clock_that_agrees_with_less_of_the_log_makes_nothing_old(
    database: Database, quote: MakeQuote, now: int
) -> None:
    with contextlib.closing(recorded_for(database, quote, now, 60_000)) as store:
        assert store.put_back(now - 400 * DAY) == 0
        assert store.reader().last_scraped_at() == now + DAY + 60_000


def props(*players: str) -> dict[str, float]:
    return {f"{name} points {side} 24.5": 1.9 for name in players for side in ("Over", "Under")}


def test_a_players_other_spelling_is_recorded_as_the_first(
    every_store: Store, quote: MakeQuote, now: int
) -> None:
    """Of an own store again: what stands tells it how players are spelled."""
    prop = {"market_type": "player_prop", "competition": "NBA"}
    record(every_store, quote("A", odds=props("Nikola Jokić", "Jaren Jackson Jr."), **prop))
    said = props("Nikola Jokic", "Jaren Jackson")
    record(every_store, quote("B", odds=said, unread={"Nikola Jokic blocks Over 1": "?"}, **prop))
    first, second = rows(every_store, now)
    assert first.odds == second.odds
    assert record(every_store, quote("B", odds=said, scraped_at=now + 1, **prop)).changes == 0


def test_a_player_is_known_by_what_stands_when_a_store_is_opened(
    tmp_path: Path, quote: MakeQuote, now: int
) -> None:
    prop = {"market_type": "player_prop", "competition": "NBA"}
    for bookmaker, name in (("A", "R.J. Barrett"), ("B", "RJ Barrett")):
        with closing(open_store(tmp_path / "odds.db", clock=lambda: now)) as store:
            record(store, quote(bookmaker, odds=props(name), **prop))
            said = {selection for _, selection, _ in log(store)}
    assert said == set(props("R.J. Barrett"))
