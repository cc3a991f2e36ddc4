"""The moves of all games: pages of any size have each once, whatever is recorded meanwhile."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import HistoryRow
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, format_ms
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import BadCursorError
from oddsdesk.store.queries import moves
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, HistoryPlace, MoveFilter, Visibility, to_cursor
from tests.kit.store import NOW

LIMIT_S = 30
GAMES = [("LIG1", f"PSG - Rival {number}") for number in range(6)] + [("EPL", "Arsenal - Chelsea")]


@pytest.fixture
def store(every_store: Store) -> Store:
    """Seven games with up to twelve moves of each selection, some of them at the same time."""
    dice = random.Random(5)
    for minute in range(12):
        for competition, name in GAMES:
            if dice.random() < 0.7:
                record(every_store, competition, name, dice, NOW + minute // 2 * MINUTE_MS)
    return every_store


def record(store: Store, competition: str, name: str, dice: random.Random, at: int) -> None:
    home, away = name.split(" - ")
    odds = {home: dice.choice([1.5, 1.6, 1.7]), "Draw": 4.0, away: dice.choice([5.0, 6.0])}
    bookmaker, market_type = dice.choice(["Pinnacle", "Bet365"]), "moneyline"
    kick_off = NOW + dice.randrange(1, 90) * MINUTE_MS  # moves about with each quote
    quote = Quote(bookmaker, name, competition, market_type, 0, odds, at, match_date=kick_off)
    store.record([quote]).result(LIMIT_S)


def pages(
    reader: Reader,
    limit: int,
    wanted: MoveFilter = MoveFilter(),  # noqa: B008 - frozen
    filters: Filters = Filters(),  # noqa: B008 - frozen
    go_on: Callable[[], bool] = lambda: True,
) -> Iterator[list[HistoryRow]]:
    cursor = None
    while True:
        page = reader.moves_of_games(filters, wanted, Visibility(), limit, cursor, go_on)
        assert len(page.items) <= limit
        yield page.items
        assert page.next_cursor != cursor or cursor is None
        if (cursor := page.next_cursor) is None:
            return


def all_of(*asked: Any, **named: Any) -> list[HistoryRow]:
    return [move for page in pages(*asked, **named) for move in page]


def test_pages_of_any_size_have_every_move_of_the_log_once(store: Store) -> None:
    reader = store.reader()
    whole = all_of(reader, 9_999)
    logged = [
        (row.game_id, row.match_name, row.bookmaker, row.selection, row.odds, row.scraped_at)
        for shard in range(reader.shards)
        for row in reader.logged(shard, 0, 9_999, 0, NOW * 2)
    ]
    assert sorted(
        (row.game_id, row.match_name, row.bookmaker, row.selection, row.odds, row.scraped_at)
        for row in whole
    ) == sorted((*row[:-1], format_ms(row[-1])) for row in logged)
    assert len(whole) > 80
    assert whole == sorted(whole, key=lambda row: (row.game_id, row.scraped_at))
    for limit in (1, 2, 3, 7, len(whole) - 1, len(whole)):
        assert all_of(reader, limit) == whole
        assert all_of(reader, limit, go_on=lambda: False) == whole


def test_games_that_are_read_a_few_at_a_time_come_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = all_of(store.reader(), 999)
    for some in (3, 2, 7):
        monkeypatch.setattr(moves, "_SOME_GAMES", some)
        assert all_of(store.reader(), 999) == whole
        assert all_of(store.reader(), 5) == whole


def test_each_move_has_its_game_and_what_the_history_of_its_game_says(store: Store) -> None:
    reader = store.reader()
    for ident in {move.game_id for move in all_of(reader, 999)}:
        page = reader.moves(ident, MoveFilter(), Visibility(), 999)
        assert page is not None
        of_game = [move for move in all_of(reader, 50) if move.game_id == ident]
        assert [
            (move.bookmaker, move.market_type, move.period, move.selection, move.odds)
            for move in of_game
        ] == [
            (move.bookmaker, move.market_type, move.period, move.selection, move.odds)
            for move in page.items
        ]
        assert [move.scraped_at for move in of_game] == [move.scraped_at for move in page.items]


def test_it_is_narrowed_by_competition_sport_market_bookmaker_and_time(store: Store) -> None:
    reader = store.reader()
    whole = all_of(reader, 999)
    since, until = NOW + 2 * MINUTE_MS, NOW + 4 * MINUTE_MS
    kept: list[tuple[Filters, MoveFilter, Callable[[HistoryRow], bool]]] = [
        (Filters(competition="EPL"), MoveFilter(), lambda row: row.competition == "EPL"),
        (Filters(sport="football"), MoveFilter(), lambda row: row.sport == "Football"),
        (Filters(sport="Tennis"), MoveFilter(), lambda row: False),
        (Filters(), MoveFilter(bookmaker="Bet365"), lambda row: row.bookmaker == "Bet365"),
        (Filters(), MoveFilter(market_type="total"), lambda row: False),
        (Filters(), MoveFilter(period=0, selection="Draw"), lambda row: row.selection == "Draw"),
        (
            Filters(),
            MoveFilter(since=since, until=until),
            lambda row: format_ms(since) <= row.scraped_at < format_ms(until),
        ),
    ]
    for filters, wanted, is_kept in kept:
        assert all_of(reader, 4, wanted, filters) == [row for row in whole if is_kept(row)]


def test_what_is_recorded_while_paging_loses_and_doubles_nothing(store: Store) -> None:
    """Kick-offs move, prices of earlier and later games come in between any two pages."""
    reader, dice = store.reader(), random.Random(7)
    before, found = {_identity(move) for move in all_of(reader, 999)}, []
    for number, page in enumerate(pages(reader, 3)):
        found += page
        name = f"PSG - Rival {number % 9}"
        record(store, "LIG1", name, dice, NOW + (20 + number) * MINUTE_MS)
    assert len(set(map(_identity, found))) == len(found)
    assert before <= set(map(_identity, found))


def _identity(move: HistoryRow) -> tuple[Any, ...]:
    return (move.game_id, move.bookmaker, move.selection, move.odds, move.scraped_at)


def test_moves_that_are_removed_while_paging_are_missing_and_nothing_else(
    database: Database,
) -> None:
    dice, now = random.Random(3), NOW - 9 * DAY_MS
    opened = open_store(database, clock=lambda: now)
    for now in (NOW - 9 * DAY_MS, NOW):
        for competition, name in GAMES:
            record(opened, competition, name, dice, now)
    reader, found = opened.reader(), list[HistoryRow]()
    before = all_of(reader, 999)
    for page in pages(reader, 2):
        found += page
        opened.prune(NOW, 1)
    assert len(set(map(_identity, found))) == len(found) < len(before)
    kept = [move for move in before if move.scraped_at == format_ms(NOW)]
    assert {*map(_identity, kept)} <= {*map(_identity, found)} <= {*map(_identity, before)}
    opened.close()


def test_a_real_price_ends_what_was_simulated(every_store: Store, quote: Any) -> None:
    every_store.record([quote("Kestrel")], simulated=True).result(LIMIT_S)
    reader = every_store.reader()
    assert {move.bookmaker for move in all_of(reader, 2)} == {"Kestrel"}
    every_store.record([quote(match_name="Nice - Metz", odds={"Nice": 2.0})]).result(LIMIT_S)
    assert [move.match_name for move in all_of(reader, 2)] == ["Nice - Metz"]


@pytest.mark.parametrize(
    "cursor", ["nonsense", to_cursor(HistoryPlace("x", 2**63 - 1, 5))[:-3], "A" * 5000]
)
def test_a_cursor_of_no_answer_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(BadCursorError):
        store.reader().moves_of_games(Filters(), MoveFilter(), Visibility(), 5, cursor)


@pytest.mark.parametrize("game_id", ["", "\0", "zzz", "É" * 200])
def test_a_cursor_at_no_game_goes_on_after_where_it_would_be(store: Store, game_id: str) -> None:
    reader = store.reader()
    cursor = to_cursor(HistoryPlace(game_id, 5, 5))
    page = reader.moves_of_games(Filters(), MoveFilter(), Visibility(), 9_999, cursor)
    assert page.items == ([] if game_id[:1] in "zÉ" and game_id else all_of(reader, 9_999))
