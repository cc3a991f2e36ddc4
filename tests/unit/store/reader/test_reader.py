"""Lists, catalogue and details against a plain model."""

from collections.abc import Callable

import msgspec
import pytest

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.identity import game_id
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import BadCursorError, StoreUnavailableError
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.store import FILTERS, NOW, VISIBILITIES

MOST_PAGES = 1_000


def all_pages(ask: Callable, limit: int) -> list:
    items, cursor = [], None
    for _ in range(MOST_PAGES):
        page = ask(limit, cursor)
        assert len(page.items) <= limit
        items += page.items
        if page.next_cursor is None:
            return items
        assert len(page.items) == limit
        cursor = page.next_cursor
    raise AssertionError(f"more than {MOST_PAGES} pages")


@pytest.mark.parametrize("visibility", VISIBILITIES, ids=str)
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_lists_are_what_the_decisions_say_in_any_page_size(filled, filters, visibility) -> None:
    store, model = filled
    reader = store.reader()
    for limit in (1, 3, 500):
        games = all_pages(lambda n, c: reader.list_games(NOW, filters, visibility, n, c), limit)
        assert [
            (g.competition, g.match_name, g.is_live, g.bookmaker_count, g.last_scraped_at)
            for g in games
        ] == model.games(filters, visibility, 10)
        rows = all_pages(lambda n, c: reader.list_odds(NOW, filters, visibility, n, c), limit)
        assert [
            (
                row.competition,
                row.match_name,
                row.is_live,
                row.bookmaker,
                row.market_type,
                row.period,
                msgspec.json.decode(row.odds),
            )
            for row in rows
        ] == model.odds(filters, visibility)
    for minutes in (1, 11, 60):
        events = reader.list_events(NOW, filters, visibility, minutes, 1000).items
        assert [(e.competition, e.match_name, e.is_live, e.bookmaker_count) for e in events] == [
            item[:4] for item in model.games(filters, visibility, minutes)
        ]


def test_catalogue_counts_fresh_selections_and_events(filled) -> None:
    store, model = filled
    fresh = model.visible(Visibility(), 10)
    bookmakers = store.reader().list_bookmakers(NOW)
    assert [(b.name, b.odds_count, b.has_live) for b in bookmakers] == [
        (
            name,
            sum(len(q.odds) for q in fresh if q.bookmaker == name),
            any(q.is_live for q in fresh if q.bookmaker == name),
        )
        for name in sorted({q.bookmaker for q in fresh})
    ]
    live = store.reader().list_bookmakers(NOW, has_live=True)
    assert live == [b for b in bookmakers if b.has_live]
    sports = {s.name: (s.competition_codes, s.event_count) for s in store.reader().list_sports(NOW)}
    games = {(q.competition, q.match_name) for q in fresh}
    assert list(sports) == sorted({sport_of(code) for code, _ in games})
    for sport, (codes, count) in sports.items():
        assert codes == sorted({code for code, _ in games if sport_of(code) == sport})
        assert count == sum(sport_of(code) == sport for code, _ in games)


def test_matrix_and_detail_hold_what_may_be_seen(filled) -> None:
    store, model = filled
    for visibility in VISIBILITIES:
        fresh = model.visible(visibility, 10)
        for competition, name in {(q.competition, q.match_name) for q in model.quotes}:
            seen = [q for q in fresh if (q.competition, q.match_name) == (competition, name)]
            matrix = store.reader().matrix(game_id(competition, name), NOW, visibility)
            if not seen:
                assert matrix is None
                continue
            assert matrix is not None
            assert matrix.all_bookmakers == sorted({q.bookmaker for q in seen})
            assert matrix.is_live == any(q.is_live for q in seen)
            prices = {
                (m.market_type, m.period, book, row.selection): cell.odds
                for m in matrix.markets
                for row in m.selections
                for book, cell in [("Pinnacle", row.reference), *row.books.items()]
                if cell is not None
            }
            assert prices == {
                (q.market_type, q.period, q.bookmaker, selection): odds
                for q in seen
                for selection, odds in q.odds.items()
            }


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        "bm9wZQ",
        "W10",
        "A" * 5_000,
        "WyJnIix0cnVlLDk5OTk5OTk5OTk5OTk5OTk5OTk5LCJhIiwiYiJd",
    ],
)
def test_a_made_up_cursor_is_refused(every_store: Store, cursor: str) -> None:
    reader = every_store.reader()
    for ask in (
        lambda: reader.list_games(NOW, Filters(), Visibility(), 5, cursor),
        lambda: reader.list_odds(NOW, Filters(), Visibility(), 5, cursor),
        lambda: reader.list_value_bets(NOW, Filters(), Visibility(), 1, 20, 5, cursor),
    ):
        with pytest.raises(BadCursorError, match=r"^cursor: "):
            ask()


def test_a_cursor_of_another_list_is_refused(filled) -> None:
    reader = filled[0].reader()
    cursor = reader.list_games(NOW, Filters(), Visibility(), 1).next_cursor
    with pytest.raises(BadCursorError):
        reader.list_odds(NOW, Filters(), Visibility(), 1, cursor)


def test_a_closed_store_is_unavailable(database: Database) -> None:
    store = open_store(database)
    reader = store.reader()
    store.close()
    with pytest.raises(StoreUnavailableError):
        reader.last_seq()


@pytest.mark.parametrize(
    "name", ['A "quoted" - B', "A\\B - C/D", "日本 🎾 - é", "A' - B''", "%s - {}"]
)
def test_an_odds_row_holds_what_was_recorded(
    every_store: Store, quote: Callable, name: str
) -> None:
    """D3: odds and liquidity as received."""
    said = quote(
        "Pinnacle",
        match_name=name,
        odds={name: 1.1 + 2.2, "Draw": 1.0000000000000002},
        liquidity=0.1 + 0.2,
        url="https://example.com/?a=\"b\"&c='d'\\",
        scraped_at=NOW,
    )
    every_store.record([said]).result(10)
    (row,) = every_store.reader().list_odds(NOW, Filters(), Visibility(), 10).items
    assert (row.match_name, row.liquidity, row.url) == (name, said.liquidity, said.url)
    assert msgspec.json.decode(row.odds) == said.odds
