"""Lists against a plain model, and the plans behind them."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.database import open_reader
from oddsdesk.store.errors import BadCursorError, StoreUnavailableError
from oddsdesk.store.reader import Reader
from oddsdesk.store.schema import ODDS
from oddsdesk.store.settling import settle_value_bets
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, FoundValueBet, Sight

NOW = 1_776_000_000_000
SIGHTS = [Sight(), Sight(live=False), Sight("B"), Sight("Pinnacle", live=False)]
FILTERS = [
    Filters(),
    Filters(sport="FOOTBALL"),
    Filters(competition="NBA"),
    Filters(sport="football", competition="EPL", bookmaker="A"),
    Filters(bookmaker="C"),
    Filters(market_type="total"),
    Filters(market_type="total", bookmaker="A"),
    Filters(is_live=True),
    Filters(is_live=False),
    Filters(is_live=False, sport="Basketball"),
    Filters(sport="Chess"),
    Filters(competition="epl"),
    Filters(bookmaker="a"),
]


def some_quotes(seed: int = 3) -> list[Quote]:
    """Twelve games; ages from 0 to 25 minutes, some in play, some without a date."""
    dice = random.Random(seed)
    quotes = []
    for number in range(12):
        match_date = None if number % 4 == 0 else NOW + dice.randrange(-3, 3) * 600_000
        for bookmaker in ("A", "B", "C", "Pinnacle"):
            for market_type in ("moneyline", "total", "btts"):
                if dice.random() < 0.5:
                    continue
                odds = {"Yes": dice.choice([1.5, 2.0]), "No": 3.0}
                quotes.append(
                    Quote(
                        bookmaker=bookmaker,
                        match_name=f"Home {number % 8} - Away",
                        competition=("EPL", "NBA", "Liga Própria")[number % 3],
                        market_type=market_type,
                        period=dice.choice([0, 1]),
                        odds={} if dice.random() < 0.1 else odds,
                        scraped_at=NOW - dice.choice([0, 3, 10, 11, 25]) * MINUTE_MS,
                        is_live=dice.random() < 0.3,
                        match_date=match_date,
                        url="https://example.com/x",
                        liquidity=500.0,
                    )
                )
    return quotes


class Model:
    """The lists as the decisions say them, from all quotes and without an index."""

    def __init__(self, quotes: list[Quote]) -> None:
        said: dict[tuple, Quote] = {}
        dates: dict[tuple[str, str], tuple[bool, int, int]] = {}
        for quote in quotes:
            name = (quote.competition, quote.match_name)
            key = (*name, quote.bookmaker, quote.market_type, quote.period)
            if key in said and quote.scraped_at < said[key].scraped_at:
                continue
            said[key] = quote
            if quote.match_date is not None:
                date = (quote.bookmaker == "Pinnacle", quote.scraped_at, quote.match_date)
                dates[name] = max(dates.get(name, date), date, key=lambda d: d[:2])
                if dates[name][:2] == date[:2]:
                    dates[name] = date
        self.quotes = [quote for quote in said.values() if quote.odds]
        self.dates = {name: date for name, (_, _, date) in dates.items()}

    def visible(self, sight: Sight, minutes: int) -> list[Quote]:
        return [
            quote
            for quote in self.quotes
            if quote.scraped_at >= NOW - minutes * MINUTE_MS
            and sight.bookmaker in (None, quote.bookmaker)
            and (sight.live or not quote.is_live)
        ]

    def place(self, quote: Quote, live: bool) -> tuple:
        date = self.dates.get((quote.competition, quote.match_name))
        where = (not live, date is None, date or 0)
        return (*where, quote.match_name, quote.competition)

    def games(self, filters: Filters, sight: Sight, minutes: int) -> list[tuple]:
        by_game: dict[tuple[str, str], list[Quote]] = {}
        for quote in self.visible(sight, minutes):
            by_game.setdefault((quote.competition, quote.match_name), []).append(quote)
        found = []
        for (competition, match_name), quotes in by_game.items():
            live = any(quote.is_live for quote in quotes)
            books = {quote.bookmaker for quote in quotes}
            if not wanted(filters, competition) or filters.is_live not in (None, live):
                continue
            if filters.bookmaker is not None and filters.bookmaker not in books:
                continue
            newest = format_ms(max(quote.scraped_at for quote in quotes))
            item = (competition, match_name, live, len(books), newest)
            found.append((self.place(quotes[0], live), item))
        return [item for _, item in sorted(found)]

    def odds(self, filters: Filters, sight: Sight) -> list[tuple]:
        found = []
        for quote in self.visible(sight, 10):
            if not wanted(filters, quote.competition):
                continue
            if filters.is_live not in (None, quote.is_live):
                continue
            if filters.bookmaker not in (None, quote.bookmaker):
                continue
            if filters.market_type not in (None, quote.market_type):
                continue
            key = (quote.bookmaker, quote.market_type, quote.period)
            place = (*self.place(quote, quote.is_live), *key)
            item = (quote.competition, quote.match_name, quote.is_live, *key, quote.odds)
            found.append((place, item))
        return [item for _, item in sorted(found, key=lambda pair: pair[0])]


def wanted(filters: Filters, competition: str) -> bool:
    sport = sport_of(competition).lower()
    return filters.competition in (None, competition) and (
        filters.sport is None or filters.sport.lower() == sport
    )


@pytest.fixture(scope="module", params=[3, 4])
def filled(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[tuple[Store, Model]]:
    store = open_store(tmp_path_factory.mktemp("filled") / "odds.db", clock=lambda: NOW)
    quotes = some_quotes(request.param)
    store.record(quotes).result(10)
    yield store, Model(quotes)
    store.close()


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


@pytest.mark.parametrize("sight", SIGHTS, ids=str)
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_lists_are_what_the_decisions_say_in_any_page_size(filled, filters, sight) -> None:
    store, model = filled
    reader = store.reader()
    for limit in (1, 3, 500):
        games = all_pages(lambda n, c: reader.games(NOW, filters, sight, n, c), limit)
        assert [
            (g.competition, g.match_name, g.is_live, g.bookmaker_count, g.last_scraped_at)
            for g in games
        ] == model.games(filters, sight, 10)
        rows = all_pages(lambda n, c: reader.odds(NOW, filters, sight, n, c), limit)
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
        ] == model.odds(filters, sight)
    for minutes in (1, 11, 60):
        events = reader.events(NOW, filters, sight, minutes, 1000).items
        assert [(e.competition, e.match_name, e.is_live, e.bookmaker_count) for e in events] == [
            item[:4] for item in model.games(filters, sight, minutes)
        ]


def test_catalogue_counts_fresh_selections_and_events(filled) -> None:
    store, model = filled
    fresh = model.visible(Sight(), 10)
    bookmakers = store.reader().bookmakers(NOW)
    assert [(b.name, b.odds_count, b.has_live) for b in bookmakers] == [
        (
            name,
            sum(len(q.odds) for q in fresh if q.bookmaker == name),
            any(q.is_live for q in fresh if q.bookmaker == name),
        )
        for name in sorted({q.bookmaker for q in fresh})
    ]
    live = store.reader().bookmakers(NOW, has_live=True)
    assert live == [b for b in bookmakers if b.has_live]
    sports = {s.name: (s.competition_codes, s.event_count) for s in store.reader().sports(NOW)}
    games = {(q.competition, q.match_name) for q in fresh}
    assert list(sports) == sorted({sport_of(code) for code, _ in games})
    for sport, (codes, count) in sports.items():
        assert codes == sorted({code for code, _ in games if sport_of(code) == sport})
        assert count == sum(sport_of(code) == sport for code, _ in games)


def test_matrix_and_detail_hold_what_may_be_seen(filled) -> None:
    store, model = filled
    for sight in SIGHTS:
        fresh = model.visible(sight, 10)
        for competition, name in {(q.competition, q.match_name) for q in model.quotes}:
            seen = [q for q in fresh if (q.competition, q.match_name) == (competition, name)]
            matrix = store.reader().matrix(game_id(competition, name), NOW, sight)
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
def test_a_made_up_cursor_is_refused(store: Store, cursor: str) -> None:
    reader = store.reader()
    for ask in (
        lambda: reader.games(NOW, Filters(), Sight(), 5, cursor),
        lambda: reader.odds(NOW, Filters(), Sight(), 5, cursor),
        lambda: reader.value_bets(NOW, Filters(), Sight(), 1, 20, 5, cursor),
    ):
        with pytest.raises(BadCursorError, match=r"^cursor: "):
            ask()


def test_a_cursor_of_another_list_is_refused(filled) -> None:
    reader = filled[0].reader()
    cursor = reader.games(NOW, Filters(), Sight(), 1).next_cursor
    with pytest.raises(BadCursorError):
        reader.odds(NOW, Filters(), Sight(), 1, cursor)


def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db")
    reader = store.reader()
    store.close()
    with pytest.raises(StoreUnavailableError):
        reader.last_seq()


class Traced:
    """Every statement that a reader runs, with its values written out."""

    def __init__(self, path: Path) -> None:
        self.statements: list[str] = []
        self._connection = open_reader(path, ODDS)
        self._connection.set_trace_callback(self.statements.append)
        self.reader = Reader(self._connection, "Pinnacle")


def ask_everything(reader: Reader, store: Store) -> None:
    ident = game_id("EPL", "Home 0 - Away")
    for filters in FILTERS:
        for sight in SIGHTS:
            for ask in (reader.games, reader.odds):
                page = ask(NOW, filters, sight, 1)
                ask(NOW, filters, sight, 1, page.next_cursor)
            page = reader.events(NOW, filters, sight, 10, 1)
            page = reader.value_bets(NOW, filters, sight, 1, 20, 1)
            reader.value_bets(NOW, filters, sight, 1, 20, 1, page.next_cursor)
            reader.matrix(ident, NOW, sight)
            reader.event("Home 0 - Away", NOW, sight, stale_minutes=20)
    reader.sports(NOW)
    reader.bookmakers(NOW)
    reader.changes_after(0, 5)
    reader.last_seq()
    reader.market_quotes(1, "total", 0)
    reader.games_to_value(NOW - 15 * MINUTE_MS)
    reader.markets_to_value(1)
    reader.history(ident, "total", 0, "Yes", 0)
    reader.reference_history(ident, [("total", 0, "Yes")], 0)
    reader.silences(0, NOW, 60_000)
    reader.last_scraped_at()
    reader.is_simulated(NOW)


def test_no_request_scans_a_big_table(filled) -> None:
    store, _ = filled
    bets = [
        FoundValueBet("A", name, 2.0, {name: 1.9}, 1.9, 1.95, 2.0, 1.02) for name in ("Yes", "No")
    ]
    store.write(lambda c: settle_value_bets(c, 1, "total", 0, bets, NOW)).result(10)
    traced = Traced(store.path)
    ask_everything(traced.reader, store)
    connection = sqlite3.connect(store.path)
    aliases = {"quote", "q", "r", "b", "price_change"}
    for statement in set(traced.statements):
        if not statement.lstrip().startswith("SELECT"):
            continue
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        scanned = {line.split()[1] for line in plan if line.startswith("SCAN")}
        log_tail = "FROM price_change c CROSS JOIN" in statement
        assert not scanned & (aliases | ({"c"} if log_tail else set())), (statement, plan)
        if "ORDER BY g.kickoff" in statement:
            assert "USE TEMP B-TREE FOR ORDER BY" not in plan, (statement, plan)
    traced.reader.close()
    connection.close()
    assert len(set(traced.statements)) > 100


@pytest.mark.parametrize(
    ("filters", "sight"),
    [
        (Filters(market_type="yes_no"), Sight()),
        (Filters(bookmaker="Nobody"), Sight()),
        (Filters(), Sight(bookmaker="Nobody")),
    ],
)
def test_what_nobody_prices_is_known_without_walking_the_games(filled, filters, sight) -> None:
    """Issue 3, Speed: flat at any number of quotes."""
    store, _ = filled
    traced = Traced(store.path)
    assert traced.reader.odds(NOW, filters, sight, 100).items == []
    assert not [each for each in traced.statements if "FROM game" in each]
    assert not traced.reader.odds(NOW + 120 * MINUTE_MS, Filters(), Sight(), 100).items
    assert not [each for each in traced.statements if "FROM game" in each]
    traced.reader.close()


@pytest.mark.parametrize(
    "name", ['A "quoted" - B', "A\\B - C/D", "日本 🎾 - é", "A' - B''", "%s - {}"]
)
def test_an_odds_row_holds_what_was_recorded(store: Store, quote: Callable, name: str) -> None:
    """D3: odds and liquidity as received."""
    said = quote(
        "Pinnacle",
        match_name=name,
        odds={name: 1.1 + 2.2, "Draw": 1.0000000000000002},
        liquidity=0.1 + 0.2,
        url="https://example.com/?a=\"b\"&c='d'\\",
        scraped_at=NOW,
    )
    store.record([said]).result(10)
    (row,) = store.reader().odds(NOW, Filters(), Sight(), 10).items
    assert (row.match_name, row.liquidity, row.url) == (name, said.liquidity, said.url)
    assert msgspec.json.decode(row.odds) == said.odds
