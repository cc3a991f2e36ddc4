"""Laws of one price."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.model.matrix import Price, Sighting, observe, withdraw

odds = st.sampled_from([1.5, 2.0, 2.1, 3.75])
sightings = st.builds(
    Sighting, odds=odds, scraped_at=st.integers(0, 50), heard_at=st.integers(0, 50)
)


def after(seen: list[Sighting]) -> Price:
    price = None
    for sighting in seen:
        price = observe(price, sighting)
    assert price is not None
    return price


@given(
    st.lists(sightings, min_size=1, unique_by=lambda seen: seen.scraped_at).flatmap(
        lambda seen: st.tuples(st.just(seen), st.permutations(seen))
    )
)
def test_the_newest_sighting_holds_in_whatever_order_they_come(
    orders: tuple[list[Sighting], list[Sighting]],
) -> None:
    one, other = (after(list(order)) for order in orders)
    newest = max(orders[0], key=lambda seen: seen.scraped_at)
    assert (one.odds, one.scraped_at) == (newest.odds, newest.scraped_at)
    assert (other.odds, other.scraped_at) == (newest.odds, newest.scraped_at)


@given(st.lists(sightings, min_size=1))
def test_the_same_sighting_again_changes_nothing(seen: list[Sighting]) -> None:
    price = after(seen)
    again = Sighting(price.odds, price.scraped_at, price.heard_at)
    assert observe(price, again) == price


def test_whether_it_is_in_play_is_not_known_until_it_is_told() -> None:
    heard = Sighting(2.0, 20, 20, is_live=False)
    assert after([Sighting(2.0, 10, 10)]).is_live is None
    assert after([Sighting(2.0, 10, 10), heard]).is_live is False
    assert after([heard, Sighting(2.0, 30, 30)]).is_live is False
    assert after([heard, Sighting(2.5, 30, 30)]).is_live is None
    assert after([Sighting(2.0, 20, 20, is_live=True), Sighting(2.5, 30, 30)]).is_live is True


def test_a_move_keeps_the_odds_before_and_its_time() -> None:
    price = after([Sighting(2.0, 10, 10), Sighting(2.1, 20, 20), Sighting(2.1, 30, 30)])
    assert (price.previous, price.changed_at, price.scraped_at) == (2.0, 20, 30)
    assert price.direction == 1
    assert observe(price, Sighting(2.05, 40, 40)).direction == -1


def test_a_move_that_is_read_again_was_heard_of_once() -> None:
    moved = after([Sighting(2.0, 10, 11), Sighting(2.1, 20, 22)])
    assert moved.move_heard_at == 22
    assert observe(moved, Sighting(2.1, 20, 50)).move_heard_at == 22
    assert observe(moved, Sighting(2.2, 60, 61)).move_heard_at == 61


@pytest.mark.parametrize(
    "again",
    [Sighting(2.1, 20, 50), Sighting(2.1, 20, 50, "", is_live=False), Sighting(9.9, 19, 50)],
)
def test_what_says_nothing_new_is_heard_of_by_all_who_hold_the_price(again: Sighting) -> None:
    price = after(
        [Sighting(2.0, 10, 10), Sighting(2.1, 20, 22, "https://a.example", is_live=False)]
    )
    assert observe(price, again) is price
    assert price.heard_at == 50


@pytest.mark.parametrize(
    "news",
    [
        Sighting(2.2, 20, 50),
        Sighting(2.1, 21, 50),
        Sighting(2.1, 20, 50, "https://b.example"),
        Sighting(2.1, 20, 50, is_live=True),
    ],
)
def test_what_says_anything_new_makes_another_price(news: Sighting) -> None:
    price = after([Sighting(2.1, 20, 22, "https://a.example", is_live=False)])
    assert observe(price, news) is not price
    assert price == Price(2.1, 20, 20, 22, url="https://a.example", is_live=False)


def test_of_two_sightings_of_one_time_the_later_holds() -> None:
    assert after([Sighting(2.0, 10, 10), Sighting(2.1, 10, 11)]).odds == 2.1


def test_an_older_sighting_only_tells_that_it_was_heard_of() -> None:
    price = after([Sighting(2.0, 10, 10), Sighting(3.0, 5, 90)])
    assert (price.odds, price.scraped_at, price.heard_at) == (2.0, 10, 90)


def test_a_withdrawn_price_stays_until_it_is_seen_again() -> None:
    gone = withdraw(after([Sighting(2.0, 10, 10)]), 50)
    assert not gone.is_offered
    assert withdraw(gone, 60) == gone
    assert not observe(gone, Sighting(2.0, 9, 60)).is_offered
    back = observe(gone, Sighting(2.0, 70, 70))
    assert back.is_offered
    assert back.changed_at == 70


def test_a_message_without_a_link_keeps_the_link() -> None:
    price = after([Sighting(2.0, 10, 10, "https://a.example"), Sighting(2.1, 20, 20)])
    assert price.url == "https://a.example"
