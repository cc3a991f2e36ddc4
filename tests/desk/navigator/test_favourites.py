"""Favourites are kept from one start to the next; games long gone are forgotten."""

from typing import Any

from oddsdesk.desk.navigator.favourites import FORGET_MS, Favourites
from oddsdesk.desk.settings.saved_state import Layout


def test_a_favourite_is_kept_and_one_long_gone_forgotten(layout: Layout, quoted: Any) -> None:
    favourites = Favourites(layout, quoted.clock)
    assert favourites.toggle("a")
    assert favourites.toggle("b")
    assert not favourites.toggle("b")
    assert "a" in Favourites(layout, quoted.clock)
    quoted.clock.now += FORGET_MS - 1
    seen = Favourites(layout, quoted.clock)
    seen.see(["a", "no favourite"])
    seen.keep()
    quoted.clock.now += 2
    assert Favourites(layout, quoted.clock).games == {"a"}
    quoted.clock.now += FORGET_MS
    assert len(Favourites(layout, quoted.clock)) == 0


def test_damaged_favourites_are_empty(layout: Layout, quoted: Any) -> None:
    layout.put("favourites/games", "[1")
    assert len(Favourites(layout, quoted.clock)) == 0


def test_what_was_kept_as_a_watch_list_is_taken_over_once(layout: Layout, quoted: Any) -> None:
    layout.put("watch/games", f'{{"a":{quoted.clock.now}}}')
    favourites = Favourites(layout, quoted.clock)
    assert favourites.games == {"a"}
    favourites.toggle("a")
    assert len(Favourites(layout, quoted.clock)) == 0
    assert layout.get("watch/games", "") == ""
