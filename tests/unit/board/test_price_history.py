"""What the desk has seen: moves of subscribed games, gaps, bounded memory."""

from itertools import pairwise

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.history import Gap, Origin, PricePath, Why
from oddsdesk.board.price_history import PriceHistory
from oddsdesk.board.prices import Price
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, MONEYLINE, NOW, REFERENCE, Desk, matrix, message

ARSENAL = ("moneyline", 0, "Arsenal")


def history_of(desk: Desk, bookmaker: str | None = "Betfair") -> PricePath:
    section = desk.board.section(GAME, *ARSENAL)
    held = None if section is None else section.row_of("Arsenal")
    return desk.board.seen.history(GAME, ARSENAL, held).paths.get(bookmaker, ())


def subscribed(desk: Desk) -> Desk:
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix()))
    return desk


def test_a_price_that_never_moved_is_one_point_and_takes_no_room(desk: Desk) -> None:
    assert history_of(subscribed(desk)) == [(NOW, 2.06)]
    assert history_of(desk, None) == [(NOW, 2.0)]
    assert desk.board.seen.point_count == 0


def test_moves_of_a_subscribed_game_are_kept_from_the_price_before_on(desk: Desk) -> None:
    subscribed(desk)
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    desk.board.apply_all([message("Arsenal", 2.04, NOW + 2000)])
    assert history_of(desk) == [(NOW, 2.06), (NOW + 1000, 2.08), (NOW + 2000, 2.04)]


def test_moves_of_a_game_that_is_not_subscribed_are_not_kept(desk: Desk) -> None:
    desk.board.want_rows(True)
    exhaust(desk.board.merge_matrix(matrix()))
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    assert history_of(desk) == [(NOW + 1000, 2.08)]
    assert desk.board.seen.since(GAME) is None


def test_a_withdrawn_price_ends_and_its_return_begins_anew(desk: Desk) -> None:
    subscribed(desk)
    without = {**MONEYLINE, "Betfair": {"Draw": 3.5, "Chelsea": 4.1}}
    desk.now = NOW + 5000
    exhaust(desk.board.merge_matrix(matrix(without, NOW + 4000)))
    assert history_of(desk) == [(NOW, 2.06), (NOW + 5000, None)]
    desk.now = NOW + 90_000
    desk.board.sweep()
    assert history_of(desk) == [(NOW, 2.06), (NOW + 5000, None)]
    desk.board.apply_all([message("Arsenal", 2.06, NOW + 4500)])
    assert history_of(desk) == [(NOW, 2.06)]
    desk.board.apply_all([message("Arsenal", 2.07, NOW + 95_000)])
    assert history_of(desk) == [(NOW, 2.06), (NOW + 95_000, 2.07)]


def test_a_lost_connection_is_a_gap_until_it_is_back(desk: Desk) -> None:
    subscribed(desk)
    desk.board.set_connection(Connection(Link.LIVE))
    desk.now += 1000
    desk.board.set_connection(Connection(Link.WAITING, "unreachable"))
    desk.board.set_connection(Connection(Link.CONNECTING))
    assert desk.board.seen.gaps(GAME) == ((NOW + 1000, None, Why.STREAM_DOWN),)
    desk.now += 60_000
    desk.board.set_connection(Connection(Link.LIVE))
    assert desk.board.seen.gaps(GAME) == ((NOW + 1000, NOW + 61_000, Why.STREAM_DOWN),)


def test_connecting_for_the_first_time_is_no_gap(desk: Desk) -> None:
    desk.board.set_connection(Connection(Link.CONNECTING))
    desk.board.set_connection(Connection(Link.LIVE))
    assert subscribed(desk).board.seen.gaps(GAME) == ()


def test_a_closed_game_keeps_what_was_seen_with_a_gap(desk: Desk) -> None:
    subscribed(desk)
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    desk.now += 2000
    desk.board.unsubscribe_game(GAME)
    desk.board.unsubscribe_game(GAME)
    desk.now += 50_000
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix(at=desk.now)))
    assert desk.board.seen.gaps(GAME) == ((NOW + 2000, NOW + 52_000, Why.NOT_SUBSCRIBED),)
    assert history_of(desk) == [(NOW, 2.06), (NOW + 1000, 2.08), (NOW + 52_000, 2.06)]
    assert desk.board.seen.since(GAME) == NOW


def test_a_computer_that_slept_leaves_a_gap(desk: Desk) -> None:
    subscribed(desk)
    for step in (0, 2000, 2000, 3_600_000, 2000):
        desk.now += step
        desk.board.sweep()
    assert desk.board.seen.gaps(GAME) == (Gap(NOW + 4000, NOW + 3_604_000, Why.ASLEEP),)


def test_the_reference_s_moves_stay_when_its_name_is_learnt(desk: Desk) -> None:
    seen = PriceHistory()
    quote = *ARSENAL[:2], REFERENCE
    before, after = Price(2.0, NOW, NOW, NOW), Price(2.1, NOW + 1, NOW + 1, NOW + 1)
    seen.take(GAME, [(quote, "Arsenal", before, after)])
    seen.rename({REFERENCE: None})
    assert seen.path(GAME, ARSENAL, None, after) == [(NOW, 2.0), (NOW + 1, 2.1)]


def test_memory_is_bounded_and_the_newest_moves_stay() -> None:
    seen = PriceHistory(most_points=100)
    quote, names = ("moneyline", 0, "Betfair"), [f"Selection {number}" for number in range(20)]
    prices = [Price(2 + step / 100, NOW, NOW + step, NOW) for step in range(200)]
    for before, after in pairwise(prices):
        seen.take(GAME, [(quote, name, before, after) for name in names])
        assert seen.point_count <= 100 + 2 * len(names)
    for name in names:
        path = seen.path(GAME, ("moneyline", 0, name), "Betfair", prices[-1])
        assert path[-1] == (NOW + 199, prices[-1].odds)


def test_a_history_says_where_it_is_from_and_since_when(desk: Desk) -> None:
    heard = subscribed(desk).board.seen.history(GAME, ARSENAL, None)
    assert (heard.origin, heard.since_ms, heard.paths) == (Origin.SEEN, NOW, {})


def test_a_quiet_while_is_no_gap_where_the_connection_holds(desk: Desk) -> None:
    subscribed(desk)
    for link in (Link.LIVE, Link.POLLING):
        desk.board.set_connection(Connection(link=link))
        for second in range(0, 1_800, 2):
            desk.board.seen.tick(desk.now + second * 1000)
        assert desk.board.seen.gaps(GAME) == ()
        desk.now += 1_800_000
