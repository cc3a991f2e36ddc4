"""The log by the times of its prices: what moved between two moments, and when how much did."""

import pytest

from oddsdesk.contract.identity import game_id
from oddsdesk.store.store import Store
from tests.kit.store import NOW

GAME = game_id("LIG1", "PSG - Lyon")
OTHER = game_id("LIG1", "Nice - Metz")
MINUTE = 60_000


@pytest.fixture
def store(every_store: Store, quote) -> Store:
    """Recorded at once, as an import is: the later game first."""
    said = [
        ("Nice - Metz", "Bet365", {"Nice": 2.0, "Metz": 1.9}, 10),
        ("PSG - Lyon", "Bet365", {"PSG": 1.5, "Lyon": 6.0}, 0),
        ("PSG - Lyon", "Bet365", {"PSG": 1.6, "Lyon": 6.0}, 5),
        ("PSG - Lyon", "Pinnacle", {"PSG": 1.5, "Lyon": 6.5}, 1),
        ("PSG - Lyon", "Pinnacle", {"PSG": 1.52, "Lyon": 6.5}, 3),
        ("PSG - Lyon", "Pinnacle", {"PSG": 1.54}, 20),
    ]
    for match_name, bookmaker, odds, minute in said:
        at = NOW + minute * MINUTE
        made = quote(bookmaker, match_name=match_name, odds=odds, scraped_at=at)
        every_store.record([made]).result(10)
    return every_store


def test_what_moved_between_two_moments_comes_by_the_times_of_prices(store) -> None:
    moves = store.reader().changes_between(NOW, NOW + 10 * MINUTE, 100)
    assert [(m.bookmaker, m.selection, m.odds, m.scraped_at - NOW) for m in moves] == [
        ("Pinnacle", "PSG", 1.5, MINUTE),
        ("Pinnacle", "Lyon", 6.5, MINUTE),
        ("Pinnacle", "PSG", 1.52, 3 * MINUTE),
        ("Bet365", "PSG", 1.6, 5 * MINUTE),
        ("Bet365", "Nice", 2.0, 10 * MINUTE),
        ("Bet365", "Metz", 1.9, 10 * MINUTE),
    ]
    assert moves[0].match_name == "PSG - Lyon"
    withdrawn = store.reader().changes_between(NOW + 19 * MINUTE, NOW + 20 * MINUTE, 100)
    assert {(m.selection, m.odds) for m in withdrawn} == {("PSG", 1.54), ("Lyon", None)}
    assert len(store.reader().changes_between(NOW, NOW + 10 * MINUTE, 2)) == 2


def test_how_much_moved_is_counted_in_equal_parts_of_a_span(store) -> None:
    reader = store.reader()
    assert reader.log_ends() == (NOW, NOW + 20 * MINUTE)
    assert reader.move_counts(NOW, NOW + 20 * MINUTE, 4) == [5, 1, 2, 0]
    assert reader.move_counts(NOW + 20 * MINUTE, NOW + 21 * MINUTE, 2) == [2, 0]


def test_the_next_and_the_last_move_are_of_any_game_or_of_one(store) -> None:
    reader = store.reader()
    assert reader.next_move(NOW + 5 * MINUTE, None, back=False) == NOW + 10 * MINUTE
    assert reader.next_move(NOW + 5 * MINUTE, GAME, back=False) == NOW + 20 * MINUTE
    assert reader.next_move(NOW + 5 * MINUTE, OTHER, back=True) is None
    assert reader.next_move(NOW + 15 * MINUTE, GAME, back=True) == NOW + 5 * MINUTE
    assert reader.next_move(NOW + 20 * MINUTE, None, back=False) is None


def test_the_largest_move_is_the_reference_s(store) -> None:
    """Bet365's was larger; 1.50 to 1.52 is more than 1.52 to 1.54."""
    assert store.reader().largest_move(GAME) == NOW + 3 * MINUTE
    assert store.reader().largest_move(OTHER) is None


def test_kick_offs_say_how_many_games_begin(store) -> None:
    hour = 60 * MINUTE
    assert store.reader().kick_offs(NOW, NOW + 2 * hour, 10) == [(NOW + hour, 2)]
    assert store.reader().kick_offs(NOW, NOW + hour, 10) == []


def test_an_empty_log_has_no_ends(every_store) -> None:
    assert every_store.reader().log_ends() is None
